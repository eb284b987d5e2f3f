/*
 * limit.h - the search for the highest load that holds, without any load: it says what to probe
 * next and is told how that went. A probe's answer may be wrong (noise) or missing (the generator
 * was not fit), so it brackets and bisects with one probe a level, then asks the two levels beside
 * the limit again, in turns, until each has given the same answer often enough. A level that
 * answered both ways stays "not told", and the search moves on to its neighbours.
 */
#ifndef ASSAY_EXPERIMENT_LIMIT_H
#define ASSAY_EXPERIMENT_LIMIT_H

#include "base/vec.h"

enum limit_answer {
	LIMIT_HOLDS,
	LIMIT_MISSES,
	LIMIT_UNTOLD, /* the probe does not tell: asked again, at most LIMIT_UNTOLD_MAX times */
};

#define LIMIT_UNTOLD_MAX 2

struct limit_opts {
	double start, min, max; /* the first level, and those never passed */
	double resolution;	/* 0.05: ends when the two levels are no further apart */
	bool whole;		/* levels are whole numbers (users) */
	unsigned repeats;	/* equal answers wanted beside the limit */
	unsigned probes;	/* at most */
};

struct limit_level {
	double at;
	unsigned holds, misses, untold;
};

struct limit_search {
	struct limit_opts opts;
	VEC(struct limit_level) levels; /* rising */
	unsigned probes;		/* told so far */
};

void limit_release(struct limit_search *s);

/* The next level to probe; false when there is none: the search is over. */
bool limit_next(const struct limit_search *s, double *ret);

/* How the probe of a level went. */
void limit_tell(struct limit_search *s, double at, enum limit_answer answer);

/*
 * What is known, at any time. The highest level that held each time, with no lower one that ever
 * missed; the lowest one above that missed each time, and none above ever held; NULL = none.
 * Borrowed until the next limit_tell().
 */
void limit_bounds(const struct limit_search *s, const struct limit_level **ret_holds,
		  const struct limit_level **ret_misses);

#endif
