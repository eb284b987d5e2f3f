/*
 * series.h - points added up by metric and tags, for receivers that want sums and not samples. The
 * figures run from the start of the run: what one push did not bring, the next one brings. One
 * thread at a time.
 */
#ifndef ASSAY_EXPORT_SERIES_H
#define ASSAY_EXPORT_SERIES_H

#include "base/map.h"
#include "base/vec.h"
#include "export/native.h"
#include "export/output.h"
#include "stats/hist.h"

/* More than this and a tag has too many values: no receiver likes that, nor does our memory. */
#define EXPORT_SERIES_MAX 10000

struct export_series {
	uint32_t id; /* of the metric */
	struct export_metric metric;
	const void *tags;
	uint64_t count, nonzero; /* points; those that are not 0 */
	double sum, last, min, max;
	uint64_t latest_ns;	      /* the latest point's */
	bool fresh;		      /* points came since the user set it to false */
	int64_t sent_ms;	      /* the user's */
	struct hist *hist;	      /* of trends, if asked for */
	uint64_t *buckets;	      /* of trends, if there are bounds: n_bounds + 1 */
	struct export_native *native; /* of trends, if asked for: the user adds to it */
};

struct export_table {
	const struct export_run *run;
	bool with_hist, with_native;
	const double *bounds; /* bucket i holds what is <= bounds[i]; NULL = none */
	size_t n_bounds;

	VEC(struct export_series *) list; /* in the order they were met */
	struct map by_content;
	struct export_slot *slots; /* metric and tags' pointer to series */
	size_t slot_count, slots_used;
	struct strbuf key;
};

/* Zeroed, with the fields above the blank line set, is an empty table. */
void export_table_release(struct export_table *t);

/* The point's series, with it added; NULL when there are too many to begin another. */
struct export_series *export_table_add(struct export_table *t, const struct export_point *p);

#endif
