/*
 * options_field.h - options by table: a field says how a key's value is read, in which range, and
 * where in a struct it goes. Both JSON (a script's options) and the text of a flag are read by the
 * same field. Used inside load/ by options.c and plan*.c only.
 */
#ifndef ASSAY_LOAD_OPTIONS_FIELD_H
#define ASSAY_LOAD_OPTIONS_FIELD_H

#include <jansson.h>

#include "load/plan.h"

enum option_kind {
	OPTION_U32,
	OPTION_U64,
	OPTION_DURATION, /* ns */
	OPTION_BOOL,
	OPTION_TEXT,	/* char * */
	OPTION_TEXTS,	/* struct load_texts */
	OPTION_PAIRS,	/* struct load_pairs */
	OPTION_STAGES,	/* struct load_stages */
	OPTION_CUSTOM,	/* the caller reads it */
	OPTION_IGNORED, /* taken with a warning: cannot change what is measured */
	OPTION_SILENT,	/* taken without a word: says nothing about the run here */
	OPTION_REFUSED, /* would change the run and is not supported */
};

struct option_field {
	const char *key;
	enum option_kind kind;
	size_t offset;
	uint64_t min, max;  /* numbers and durations; max 0 = as much as fits */
	unsigned executors; /* scenario fields: bits of enum load_executor that have it */
	const char *why;    /* of those ignored or refused */
	bool flag_only;	    /* assay's own: not an option of a script */
};

/* The test-wide options: offsets are into struct load_plan. */
extern const struct option_field option_fields[];
extern const size_t option_field_count;

const struct option_field *option_find(const struct option_field *fields, size_t n,
				       const char *key);

/* The nearest key of the table that is an option of assay, or NULL. */
const char *option_nearest(const struct option_field *fields, size_t n, const char *key);

/*
 * Reads a value into base + f->offset, releasing what was there. path is "options" or
 * "options.scenarios.buy", for messages. -EINVAL with a message that begins "path.key: ".
 */
int option_read(const struct option_field *f, const char *path, const json_t *value, void *base,
		struct error *reterr);

/* The JSON value a flag's text stands for; before is what the flag gave earlier (NULL = nothing)
 * and is added to where flags add up. *ret is a new reference. */
int option_from_text(const struct option_field *f, const char *text, const json_t *before,
		     json_t **ret, struct error *reterr);

void option_texts_release(struct load_texts *t);
void option_pairs_release(struct load_pairs *p);

/* What is in a tier: options.c. */
struct load_options {
	json_t *root; /* an object */
};

/* plan_scenario.c: the scenario of that name from its JSON; and what every scenario must satisfy,
 * however it was made. */
int plan_scenario_read(const char *name, const json_t *value, struct load_scenario *ret,
		       struct error *reterr);
int plan_scenario_check(const struct load_scenario *s, struct error *reterr);
void plan_scenario_init(struct load_scenario *s, const char *name, enum load_executor executor);
void plan_scenario_release(struct load_scenario *s);

#endif
