/*
 * run.h - one run, read back whole: what a sink took, as plain data that owns its memory. Analysis
 * works on this and tests make it by hand. The keys of `meta` are listed in
 * docs/formats/run-file.md.
 */
#ifndef ASSAY_MODEL_RUN_H
#define ASSAY_MODEL_RUN_H

#include "base/map.h"
#include "model/sink.h"

struct run_dist {
	char *metric, *tags, *unit;
	uint64_t t0_ns, t1_ns;
	struct hist *values;
};

struct run_span {
	char *kind, *name;
	uint64_t t0_ns, t1_ns;
};

struct run_exemplar {
	char *method, *url;
	struct exemplar e; /* its text points at the two above */
};

struct run_loss {
	char *source, *what;
	uint64_t count;
};

struct run {
	char *path;	 /* of the run file, or NULL */
	struct map meta; /* key -> char *, owned */
	VEC(struct series) series;
	VEC(struct run_dist) dists;
	VEC(struct run_span) spans;
	VEC(struct run_exemplar) exemplars;
	VEC(struct run_loss) losses;
};

struct run *run_new(void);
struct run *run_free(struct run *r); /* NULL in, NULL out */
DEFINE_CLEANUP(run, struct run *, run_free)

/* NULL when the run says nothing of it. */
const char *run_meta(const struct run *r, const char *key);
double run_meta_double(const struct run *r, const char *key, double def);
void run_set_meta(struct run *r, const char *key, const char *value);

/* First series of that name, or NULL. */
const struct series *run_series(const struct run *r, const char *name);

/* First span of that kind and name, or NULL; the measured phase is ("phase", "load"). */
const struct run_span *run_span(const struct run *r, const char *kind, const char *name);

/*
 * All values of a metric within [t0, t1), merged over tag sets and intervals; the caller frees it.
 * Empty when there are none.
 */
struct hist *run_merged(const struct run *r, const char *metric, uint64_t t0_ns, uint64_t t1_ns);

/*
 * A sink that fills r in memory: for tests and for runs that need no file. The sink lives inside
 * the returned object; free it with run_sink_free() (r stays).
 */
struct sink *run_sink_new(struct run *r);
void run_sink_free(struct sink *s);

#endif
