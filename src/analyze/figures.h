/*
 * figures.h - the figures of one run, each a number with a name: what every table, comparison and
 * verdict is made of. A figure that the run cannot tell is NAN; use figure_known().
 */
#ifndef ASSAY_ANALYZE_FIGURES_H
#define ASSAY_ANALYZE_FIGURES_H

#include <math.h>

#include "model/case.h"
#include "model/run.h"

enum figure {
	FIGURE_ACHIEVED, /* iterations completed per second of the load */
	FIGURE_DROPPED,	 /* share of arrivals that found no free virtual user */
	FIGURE_FAILED,	 /* share of requests that failed */
	FIGURE_P50,	 /* of the SLO's metric, in ms, as the client saw it */
	FIGURE_P95,
	FIGURE_P99,
	FIGURE_SLO, /* the SLO's own quantile, often p99 again */
	FIGURE_MAX,
	FIGURE_CORRECTED_P99,	/* http_req_duration counted from the intended start */
	FIGURE_SERVER_P99,	/* the target's own histogram */
	FIGURE_CPU_CORES,	/* CPU seconds per second */
	FIGURE_CPU_PER_REQUEST, /* CPU ms of the target per request */
	FIGURE_THROTTLED,	/* share of CFS periods */
	FIGURE_STALLED,	   /* share of wall time in which all of the group waited for CPU (PSI) */
	FIGURE_MEMORY_END, /* bytes */
	FIGURE_MEMORY_GROWTH, /* bytes per minute, Theil-Sen slope over the load */
	FIGURE_CACHE_HIT,     /* hits / (hits + misses) */
	FIGURE_ALLOCATION,    /* bytes the program allocated, per second of the load */
	FIGURE_GC_PAUSE,      /* ms of garbage collection pauses per second of the load */
	FIGURE_HEAP_START,    /* bytes of the collected heap when the load began */
	FIGURE_HEAP_END,      /* and when it ended */
	N_FIGURES
};

enum figure_unit {
	UNIT_PER_S,
	UNIT_SHARE,
	UNIT_MS,
	UNIT_CORES,
	UNIT_BYTES,
	UNIT_BYTES_PER_MIN,
	UNIT_BYTES_PER_S,
	UNIT_MS_PER_S
};

struct figure_def {
	const char *key;   /* in JSON: "p99_ms" */
	const char *label; /* in tables: "p99" */
	enum figure_unit unit;
	bool more_is_better;
};

extern const struct figure_def figure_defs[N_FIGURES];

static inline bool figure_known(double v)
{
	return !isnan(v);
}

enum slo_result {
	SLO_UNKNOWN,   /* nothing measured */
	SLO_MET,       /* in every run */
	SLO_MISSED,    /* in every run */
	SLO_TOO_FEW,   /* n too small for that quantile */
	SLO_UNDECIDED, /* the quantile's rank interval encloses the limit, or runs disagree */
};

/* One second of the load. */
struct figures_second {
	double t_s; /* its beginning, from the start of the load */
	uint64_t n;
	double p99_ms;	  /* NAN without values */
	double throttled; /* share of periods, NAN unknown */
};

/* Owns all it points to. */
struct figures {
	char *file;    /* name of the run file without folders, "" when it has none */
	char *variant; /* "" when the run names none */
	unsigned index, order;
	bool goal;
	char *status; /* "complete", or why it is not; NULL = the run never said: it was cut off */
	char *generator; /* "valid", the reason why not, or NULL when it was not judged */
	double value[N_FIGURES];
	double rate_asked_per_s, duration_s;
	uint64_t iterations, dropped, requests, failed, checks_failed;
	uint64_t samples;	  /* of the SLO's metric */
	double slo_low, slo_high; /* 95 % rank interval of FIGURE_SLO, NAN when n is too small */
	double bad_share;	  /* of arrivals: above the limit, failed or dropped */
	double periods, throttled_periods;
	double cpu_s;
	double limit_cpus, limit_memory_bytes; /* in effect; NAN = none */
	double cache_hits, cache_misses, cache_entries;
	double gen_cpu_share, gen_lag_p99_ms, gen_steal_share;
	uint64_t oom_kills, losses;
	struct map facts; /* META_* -> char *, owned */
	enum slo_result slo;
	struct hist *latency; /* of the SLO's metric, over the load */
	VEC(struct figures_second) seconds;
};

/* slo may be NULL: then http_req_duration, p99, and no verdict. Never fails: what is not there is
 * unknown. */
struct figures *figures_new(const struct run *r, const struct case_desc_slo *slo);
struct figures *figures_free(struct figures *f); /* NULL in, NULL out */
DEFINE_CLEANUP(figures, struct figures *, figures_free)

/* A fact by its key in model/meta.h; NULL when the run says nothing of it. */
const char *figures_fact(const struct figures *f, const char *key);

bool figures_complete(const struct figures *f);
bool figures_valid(const struct figures *f); /* the generator was fit */

/*
 * The median of the slopes between all pairs of points (Theil-Sen), per second; NAN for fewer than
 * two points. One wild point in four does not move it.
 */
double figures_slope(const struct series_point *points, size_t n);

#endif
