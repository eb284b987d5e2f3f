/*
 * answers.h - do all variants answer alike? The first variant's answers are kept, the others' held
 * against them: JSON as values (the order of members does not matter), all else byte by byte.
 */
#ifndef ASSAY_EXPERIMENT_ANSWERS_H
#define ASSAY_EXPERIMENT_ANSWERS_H

#include "experiment/case_file.h"
#include "experiment/vars.h"
#include "model/case.h"
#include "net/fetch.h"

struct answers {
	VEC(char *) canonical; /* of the first variant that was asked; "STATUS text" */
	char *first;	       /* its name */
};

#define ANSWERS_INIT                                                                               \
	{                                                                                          \
		VEC_INIT                                                                           \
	}

void answers_release(struct answers *a);

/* JSON text with members in order and without blanks, or the text itself; the caller frees it. */
char *answers_canonical(struct str text);

/*
 * Asks the target all requests of the case and notes in ret whether they are as the first
 * variant's. A request that gets no answer is a failure of the run.
 */
int answers_check(struct answers *a, const struct case_file *c, const char *variant,
		  const struct vars *vars, struct net_fetch *fetch, struct case_desc_answers *ret,
		  struct error *reterr);

#endif
