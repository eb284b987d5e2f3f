/*
 * case.h - what a case is about, as plain data: the service level it is held against, its variants
 * and suspects, what was asked for, and what only a person can know. Filled by experiment/ from a
 * case file, or read back from a folder's case.json; judged together with the runs by analyze/.
 * All text belongs to the struct; NULL means not given unless said otherwise.
 */
#ifndef ASSAY_MODEL_CASE_H
#define ASSAY_MODEL_CASE_H

#include "base/vec.h"

struct case_desc_slo {
	char *metric;	 /* "http_req_duration"; never NULL */
	double quantile; /* 0.99 */
	double limit_ms; /* the quantile must lie below it */
};

/* The first is the base, the last the fix; those between remove one suspect each. */
struct case_desc_variant {
	char *name; /* as in the runs' META_VARIANT; never NULL */
	char *description;
};

struct case_desc_suspect {
	char *text;	  /* never NULL */
	char *removed_by; /* name of the variant that removes this alone */
};

/* One step of the search for what the base carries: a closed loop of so many virtual users. */
struct case_desc_probe {
	unsigned vus;
	double achieved_per_s;
	double p99_ms; /* 0 = not known */
};

struct case_desc_search {
	bool done;
	double carried_per_s; /* what the base carries under the limits */
	double factor;	      /* the rate driven = carried * factor */
	VEC(struct case_desc_probe) probes;
};

enum case_answers { CASE_ANSWERS_UNCHECKED, CASE_ANSWERS_EQUAL, CASE_ANSWERS_DIFFER };

/* Requests that every variant must answer alike. */
struct case_desc_answers {
	enum case_answers result;
	unsigned requests; /* how many were compared, per variant */
	char *detail;	   /* where they differ, or why they were not checked */
};

/* What only a person can know. */
struct case_desc_texts {
	char *symptom, *since, *root_cause, *fix, *fix_commit, *owner;
	VEC(char *) open_items;
};

struct case_desc {
	char *name; /* never NULL */
	char *case_file, *command_line;
	struct case_desc_slo slo;
	VEC(struct case_desc_variant) variants; /* at least one */
	VEC(struct case_desc_suspect) suspects;
	size_t runs_wanted; /* of each variant */
	bool goal_wanted;   /* the last variant was to be driven once more at the goal rate */

	double rate_asked_per_s; /* in the case file; 0 = auto */
	double rate_goal_per_s;	 /* that the service must carry one day; 0 = none */
	double rate_used_per_s;	 /* what every variant was driven with; 0 = not known yet */
	struct case_desc_search search;
	bool warmup_auto;

	double limit_cpus; /* asked for; 0 = none. The runs say what was in effect. */
	uint64_t limit_memory_bytes;

	/*
	 * Names in the load's environment whose value differs between runs by design: a variant's
	 * own (ENDPOINT) and the target's port (BASE_URL). All others must be equal everywhere.
	 */
	VEC(char *) env_varies;

	struct case_desc_answers answers;
	struct case_desc_texts texts;
	char *stopped; /* why runs are missing: "interrupted", "no space left on device" */
};

struct case_desc *case_desc_new(void);
struct case_desc *case_desc_free(struct case_desc *c); /* NULL in, NULL out */
DEFINE_CLEANUP(case_desc, struct case_desc *, case_desc_free)

/* A deep copy; the caller frees it. */
struct case_desc *case_desc_copy(const struct case_desc *c);

/* Index of the variant of that name, or SIZE_MAX. */
size_t case_desc_variant_index(const struct case_desc *c, const char *name);

#endif
