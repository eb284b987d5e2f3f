/*
 * case_rig.h - a case made by hand, with the kind of figures of a slow checkout: at 700 arrivals
 * per second for 5 s the base carries 594 and 641 with a p99 of 537 and 483 ms, its fix 700
 * with 1.5 ms. Latencies are few levels with chosen counts, so that every percentile can be read
 * off by hand. Tests change what they are about before they judge.
 */
#ifndef ASSAY_TESTS_CASE_RIG_H
#define ASSAY_TESTS_CASE_RIG_H

#include "analyze/case.h"

#define RIG_SECONDS    5
#define RIG_LOAD_START (100 * NS_PER_S)

/* The same in every second of the run. */
struct rig_spec {
	const char *variant;
	unsigned index;
	unsigned counts[4]; /* requests at each level, their sum = completed per second */
	double levels_ms[4];
	double cpu_cores, throttled;	/* throttled: share of 10 periods per second */
	double memory_mib, mib_per_min; /* at the start of the load, growth */
	double server_p99_ms;
};

struct rig {
	struct case_desc *desc;
	struct run *runs[32];
	size_t n;
};

/* slow, options, rules, cache, fixed; two runs of each in the order A..E, E..A. */
struct rig *rig_new(void);
void rig_free(struct rig *r);
DEFINE_CLEANUP(rig, struct rig *, rig_free)

/* What the runs of rig_new() are made of, in their order. */
extern const struct rig_spec rig_specs[];
extern const size_t rig_spec_count;

/* Everything a run at 700/s of that kind has, into any sink; order counts from 1. */
void rig_write(struct sink *s, const struct rig_spec *spec, size_t order);

/* Adds a run at 700/s; its order is its place. */
struct run *rig_add(struct rig *r, const struct rig_spec *spec);

/* The i-th run (1, 2) of a variant. */
struct run *rig_run(const struct rig *r, const char *variant, unsigned index);
void rig_remove(struct rig *r, const char *variant, unsigned index);

/* Leaves the first n runs of each variant. */
void rig_keep_runs(struct rig *r, unsigned n);

/* Sets a fact of all runs of a variant (NULL: of all). */
void rig_set(struct rig *r, const char *variant, const char *key, const char *value);

/* Removes all series of that name from the runs of a variant (NULL: of all). */
void rig_drop_series(struct rig *r, const char *variant, const char *name);

/* Adds a series to the runs of a variant (NULL: of all): start, then per_s more each second. */
void rig_add_series(struct rig *r, const char *variant, const struct series_def *def, double start,
		    double per_s);

/* Multiplies every latency of the variant's runs. */
void rig_scale(struct rig *r, const char *variant, double factor);

/* Ends the test when the case cannot be judged. */
struct case_finding *rig_judge(const struct rig *r);

#endif
