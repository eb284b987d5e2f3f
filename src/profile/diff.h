/*
 * diff.h - two views side by side: their trees laid over each other, by names. Each is scaled
 * first, so that traces of different length or load can be compared.
 */
#ifndef ASSAY_PROFILE_DIFF_H
#define ASSAY_PROFILE_DIFF_H

#include "profile/view.h"

enum { DIFF_BASE, DIFF_TEST, DIFF_SIDES };

struct diff_node {
	uint32_t parent, name;
	double exc[DIFF_SIDES], inc[DIFF_SIDES];
};

struct diff_row {
	uint32_t name;
	double exc[DIFF_SIDES], inc[DIFF_SIDES];
};

struct view_diff {
	VEC(char *) names;
	VEC(struct diff_node) nodes; /* callers stand before their callees */
	VEC(struct diff_row) rows;   /* by how much exc changed, up or down; then inc */
	double total[DIFF_SIDES];
};

/* base may be NULL: all is new. What a view weighs is multiplied by its scale. */
void view_diff_make(const struct profile_view *base, const struct profile_view *test,
		    const double scale[DIFF_SIDES], struct view_diff *ret);
void view_diff_release(struct view_diff *d);

/*
 * PerfView's overweight: how much a row grew, in percent of what it would have if all had grown
 * alike. 100 = as the total did; NAN when the total did not change or there was nothing before.
 */
double diff_overweight(const struct view_diff *d, double base, double test);

#endif
