/*
 * latency.h - one distribution out of several of which only quantiles are known: what the routes of
 * a server give together. Each part is taken as spread evenly between its quantiles (from 0 to the
 * lowest one, and all above the highest one at it), and parts weigh by their counts. The result is
 * exact for one part and never outside the parts' own quantiles.
 */
#ifndef ASSAY_WATCH_LATENCY_H
#define ASSAY_WATCH_LATENCY_H

#include "base/vec.h"

#define WATCH_QUANTILES_MAX 8

struct watch_part {
	double count;
	unsigned n;
	double q[WATCH_QUANTILES_MAX];	   /* rising, 0..1 */
	double value[WATCH_QUANTILES_MAX]; /* at each */
};

struct watch_parts {
	VEC(struct watch_part) list;
};

/* NAN when there is nothing. */
double watch_parts_quantile(const struct watch_parts *parts, double q);

/* Of all parts; NAN when a part's count is not known. */
double watch_parts_count(const struct watch_parts *parts);

#endif
