/*
 * vars.h - placeholders of a case file: ${NAME} in any text is replaced by a value of the run
 * (URL, PORT, RATE, DURATION, VUS), of the variant, or of the environment that cli/ handed in.
 */
#ifndef ASSAY_EXPERIMENT_VARS_H
#define ASSAY_EXPERIMENT_VARS_H

#include "base/map.h"
#include "base/strbuf.h"
#include "experiment/case_file.h"

struct vars {
	struct map values; /* name -> char *, owned */
};

#define VARS_INIT                                                                                  \
	{                                                                                          \
		MAP_INIT                                                                           \
	}

void vars_release(struct vars *v);
void vars_set(struct vars *v, const char *name, const char *value); /* replaces; text is copied */
void vars_setf(struct vars *v, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
const char *vars_get(const struct vars *v, const char *name); /* NULL when unset */

/*
 * Expands text into ret. "$${" stands for "${". An unknown name is an error that lists what there
 * is; values are not expanded again.
 */
int vars_expand(const struct vars *v, const char *text, struct strbuf *ret, struct error *reterr);

/* The same into a new string; the caller frees it. */
int vars_expand_dup(const struct vars *v, const char *text, char **ret, struct error *reterr);

#endif
