/*
 * agg.h - what came of the samples: per metric and submetric its count, sum, extremes and, for a
 * trend, its values (exact up to HIST_EXACT_MAX, then a histogram of bounded error); and the tree
 * of checks. Each worker fills one of its own, for the present second; the control thread takes it
 * away, adds it to the total and gives an empty one back. What a second's aggregate holds is also
 * what the run file gets for that second.
 *
 * load_agg_add() takes no lock and, once it has seen the metric and the tag set, allocates nothing
 * beyond what the values of trends grow by. All tag sets given to one aggregate come from one pool.
 * One thread at a time.
 */
#ifndef ASSAY_LOAD_AGG_H
#define ASSAY_LOAD_AGG_H

#include "load/metrics.h"
#include "stats/hist.h"

/* Of one metric or submetric. */
struct load_values {
	uint64_t count;	   /* samples */
	double sum;	   /* of a counter */
	uint64_t passes;   /* rate: samples that are not 0 */
	double last;	   /* gauge; the latest by time */
	uint64_t last_ns;  /* when that was */
	double min, max;   /* gauge; 0 without samples */
	struct hist *hist; /* trend; NULL until its first sample */
};

struct load_agg;

/* The registry must live longer. */
struct load_agg *load_agg_new(struct load_metrics *metrics);
void load_agg_free(struct load_agg *a); /* NULL in, nothing done */
DEFINE_CLEANUP(load_agg, struct load_agg *, load_agg_free)

/* One sample at a time of CLOCK_MONOTONIC. Values that are not finite are not taken. */
void load_agg_add(struct load_agg *a, const struct load_metric *m, const struct load_tags *tags,
		  uint64_t t_ns, double value);

/* The outcome of a check in the tree; the sample of the metric "checks" is load_agg_add()'s.
 * group is "" or "::a::b". */
void load_agg_check(struct load_agg *a, struct str group, struct str name, bool ok);

/* A group was entered: it is in the tree even without checks. */
void load_agg_group(struct load_agg *a, struct str group);

/* The outcome of a check among the parts; nothing unless they are kept. */
void load_agg_check_part(struct load_agg *a, const struct load_tags *tags, struct str name,
			 bool ok);

/* Adds all of src to dst; both must be of the same registry. */
void load_agg_merge(struct load_agg *dst, const struct load_agg *src);

/* Forgets the figures, keeps memory and what it knows of tag sets. */
void load_agg_clear(struct load_agg *a);

/* Never NULL; all zero when there were no samples. Borrowed until the next change. */
const struct load_values *load_agg_metric(const struct load_agg *a, const struct load_metric *m);
const struct load_values *load_agg_submetric(const struct load_agg *a,
					     const struct load_submetric *s);
struct load_metrics *load_agg_metrics(const struct load_agg *a);

/* The tree of groups and checks, flat, in the order they were first seen. */
struct load_check {
	char *group; /* "" or "::a::b" */
	char *name;
	uint64_t passes, fails;
};

size_t load_agg_check_count(const struct load_agg *a);
const struct load_check *load_agg_check_at(const struct load_agg *a, size_t i);
size_t load_agg_group_count(const struct load_agg *a); /* without the root */
const char *load_agg_group_at(const struct load_agg *a, size_t i);

/*
 * What came of one scenario within one group, where the registry is split: by the tags "scenario"
 * and "group" of the samples, "" where one has none. Flat, in the order they were first seen. A
 * part has metrics and the checks of its group, but neither submetrics nor parts.
 */
struct load_part {
	char *scenario, *group;
	struct load_agg *agg;
};

size_t load_agg_part_count(const struct load_agg *a);
const struct load_part *load_agg_part_at(const struct load_agg *a, size_t i);

/*
 * An aggregate of a metric as thresholds and the summary name it: "count", "rate" (counter),
 * "value", "min", "max" (gauge), "rate", "passes", "fails" (rate), "avg", "min", "med", "max",
 * "count", "p(N)" (trend). seconds is the length of the run so far, for rates. -EINVAL when the
 * type has no such aggregate.
 */
int load_values_get(const struct load_values *v, enum load_metric_type type, struct str aggregate,
		    double seconds, double *ret);

/* 0.999 of "p(99.9)"; -EINVAL when it is not a percentile of 0 to 100. */
int load_aggregate_quantile(struct str aggregate, double *ret_q);

#endif
