/*
 * Where each figure comes from. Latencies: every value of the metric from the start of the load on,
 * those of requests that ended after its last second included (leaving them out would leave out the
 * slowest). Counters of the kernel: the rate between the first and the last sample within the load,
 * times its duration, so that the edges between samples bias nothing. Memory: the control group's,
 * which is what the limit is held against, or the process's when there is no group. The runtime's
 * own: by what its series are about (model/role.h), whoever names them.
 */
#include "analyze/figures.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/meta.h"
#include "model/role.h"
#include "stats/quantile.h"

#define CONFIDENCE   0.95
#define SECONDS_MAX  86400
#define SLOPE_POINTS 200 /* pairs grow with the square */

const struct figure_def figure_defs[N_FIGURES] = {
	[FIGURE_ACHIEVED] = { "achieved_per_s", "achieved", UNIT_PER_S, true },
	[FIGURE_DROPPED] = { "dropped_share", "dropped", UNIT_SHARE, false },
	[FIGURE_FAILED] = { "failed_share", "failed requests", UNIT_SHARE, false },
	[FIGURE_P50] = { "p50_ms", "p50", UNIT_MS, false },
	[FIGURE_P95] = { "p95_ms", "p95", UNIT_MS, false },
	[FIGURE_P99] = { "p99_ms", "p99", UNIT_MS, false },
	[FIGURE_SLO] = { "slo_ms", "SLO percentile", UNIT_MS, false },
	[FIGURE_MAX] = { "max_ms", "max", UNIT_MS, false },
	[FIGURE_CORRECTED_P99] = { "corrected_p99_ms", "p99 from intended start", UNIT_MS, false },
	[FIGURE_SERVER_P99] = { "server_p99_ms", "server's own p99", UNIT_MS, false },
	[FIGURE_CPU_CORES] = { "cpu_cores", "CPU", UNIT_CORES, false },
	[FIGURE_CPU_PER_REQUEST] = { "cpu_ms_per_request", "CPU per request", UNIT_MS, false },
	[FIGURE_THROTTLED] = { "throttled_share", "throttled periods", UNIT_SHARE, false },
	[FIGURE_STALLED] = { "cpu_stalled_share", "time all waited for CPU", UNIT_SHARE, false },
	[FIGURE_MEMORY_END] = { "memory_end_bytes", "memory at the end", UNIT_BYTES, false },
	[FIGURE_MEMORY_GROWTH] = { "memory_growth_bytes_per_min", "memory growth",
				   UNIT_BYTES_PER_MIN, false },
	[FIGURE_CACHE_HIT] = { "cache_hit_share", "cache hits", UNIT_SHARE, true },
	[FIGURE_ALLOCATION] = { "allocation_bytes_per_s", "allocation", UNIT_BYTES_PER_S, false },
	[FIGURE_GC_PAUSE] = { "gc_pause_ms_per_s", "GC pauses", UNIT_MS_PER_S, false },
	[FIGURE_HEAP_START] = { "gc_heap_start_bytes", "GC heap at the start", UNIT_BYTES, false },
	[FIGURE_HEAP_END] = { "gc_heap_end_bytes", "GC heap at the end", UNIT_BYTES, false },
};

struct window {
	uint64_t t0, t1; /* of the load, ns */
};

/* ---- series over the load ---- */

/* Index of the first point not before t. */
static size_t lower_bound(const struct series *s, uint64_t t_ns)
{
	size_t low = 0, high = s->points.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->points.ptr[mid].t_ns < t_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The points within the window: how many, and from which on. */
static size_t points_within(const struct series *s, struct window w,
			    const struct series_point **ret)
{
	size_t from = lower_bound(s, w.t0), to = lower_bound(s, w.t1 + 1);

	*ret = s->points.ptr + from;
	return to > from ? to - from : 0;
}

/* Growth per second of all counters of that name together; NAN when none has two points. */
static double counter_rate(const struct run *r, const char *name, struct window w)
{
	double rate = NAN;

	vec_for_each (&r->series, s) {
		const struct series_point *p;
		size_t n = strcmp(s->name, name) == 0 ? points_within(s, w, &p) : 0;

		if (n < 2 || p[n - 1].t_ns == p[0].t_ns)
			continue;
		rate = (figure_known(rate) ? rate : 0) +
		       (p[n - 1].value - p[0].value) * 1e9 / (double)(p[n - 1].t_ns - p[0].t_ns);
	}
	return rate;
}

static double first_known(double a, double b)
{
	return figure_known(a) ? a : b;
}

double figures_slope(const struct series_point *points, size_t n)
{
	CLEANUP(mem_cleanup) double *slopes = NULL;
	size_t step = n / SLOPE_POINTS + 1, count = 0;

	if (n < 2)
		return NAN;
	slopes = xcalloc(SLOPE_POINTS * SLOPE_POINTS, sizeof(*slopes));
	for (size_t i = 0; i < n; i += step)
		for (size_t j = i + step; j < n; j += step)
			if (points[j].t_ns > points[i].t_ns)
				slopes[count++] = (points[j].value - points[i].value) * 1e9 /
						  (double)(points[j].t_ns - points[i].t_ns);
	return count ? quantile_median(slopes, count) : NAN;
}

static void read_memory(struct figures *f, const struct run *r, struct window w)
{
	static const char *const names[] = { "cgroup.memory.usage", "process.memory.usage" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct series *s = run_series(r, names[i]);
		const struct series_point *p;
		size_t n = s ? points_within(s, w, &p) : 0;

		if (!n)
			continue;
		f->value[FIGURE_MEMORY_END] = p[n - 1].value;
		f->value[FIGURE_MEMORY_GROWTH] = figures_slope(p, n) * 60;
		return;
	}
}

/* How far a counter of rare events grew over the whole run, warm-up included: no rate, a count. */
static uint64_t count_whole(const struct run *r, const char *name)
{
	const struct series *s = run_series(r, name);
	double grown = s && s->points.len ? vec_last(&s->points).value - s->points.ptr[0].value : 0;

	return grown > 0 ? (uint64_t)grown : 0;
}

static void read_cpu(struct figures *f, const struct run *r, struct window w)
{
	double cores = first_known(counter_rate(r, "cgroup.cpu.usage", w),
				   counter_rate(r, "process.cpu.time", w));
	double periods = counter_rate(r, "cgroup.cpu.nr_periods", w);
	double throttled = counter_rate(r, "cgroup.cpu.nr_throttled", w);

	f->value[FIGURE_CPU_CORES] = cores;
	f->cpu_s = cores * f->duration_s;
	if (f->requests)
		f->value[FIGURE_CPU_PER_REQUEST] = f->cpu_s * 1e3 / (double)f->requests;
	f->periods = periods * f->duration_s;
	f->throttled_periods = throttled * f->duration_s;
	if (figure_known(periods) && figure_known(throttled))
		f->value[FIGURE_THROTTLED] = periods > 0 ? throttled / periods : 0;
	f->value[FIGURE_STALLED] = counter_rate(r, "cgroup.pressure.cpu.full", w);
	f->oom_kills = count_whole(r, "cgroup.memory.oom_kill");
}

/* ---- what the runtime says of itself ---- */

/* What all series of a role have in common, of those with the lowest rank that there are. */
struct role_sums {
	unsigned rank;
	double rate;	    /* of counters, per second */
	double first, last; /* of gauges */
};

static void add_series(struct role_sums *sums, const struct series *s, struct role_def d,
		       struct window w)
{
	const struct series_point *p;
	size_t n = points_within(s, w, &p);
	bool counts = s->kind == SERIES_COUNTER;

	if (n < (counts ? 2 : 1) || d.rank > sums->rank || (counts && p[n - 1].t_ns == p[0].t_ns))
		return;
	if (d.rank < sums->rank)
		*sums = (struct role_sums){ .rank = d.rank };
	if (counts)
		sums->rate += (p[n - 1].value - p[0].value) * d.scale * 1e9 /
			      (double)(p[n - 1].t_ns - p[0].t_ns);
	sums->first += p[0].value * d.scale;
	sums->last += p[n - 1].value * d.scale;
}

/* NAN where there is nothing of that role. */
static struct role_sums sum_role(const struct run *r, enum role role, struct window w)
{
	struct role_sums sums = { UINT_MAX, NAN, NAN, NAN };

	vec_for_each (&r->series, s) {
		struct role_def d = role_of(s->name, s->labels, s->kind);

		if (d.role == role)
			add_series(&sums, s, d, w);
	}
	return sums;
}

static void read_runtime(struct figures *f, const struct run *r, struct window w)
{
	struct role_sums heap = sum_role(r, ROLE_HEAP, w);

	f->value[FIGURE_ALLOCATION] = sum_role(r, ROLE_ALLOCATED, w).rate;
	f->value[FIGURE_GC_PAUSE] = sum_role(r, ROLE_PAUSE, w).rate * 1e3;
	/* 0: there was no collection yet that could have told */
	f->value[FIGURE_HEAP_START] = heap.first > 0 ? heap.first : NAN;
	f->value[FIGURE_HEAP_END] = heap.last > 0 ? heap.last : NAN;
}

/* ---- latencies ---- */

static void read_latency(struct figures *f, const struct run *r, const char *metric,
			 double quantile, struct window w)
{
	static const struct {
		enum figure figure;
		double q;
	} marks[] = { { FIGURE_P50, 0.5 }, { FIGURE_P95, 0.95 }, { FIGURE_P99, 0.99 } };
	CLEANUP(cleanup_hist)
	struct hist *corrected = run_merged(r, "http_req_duration_corrected", w.t0, UINT64_MAX);
	uint64_t low, high;

	f->latency = run_merged(r, metric, w.t0, UINT64_MAX);
	f->samples = hist_count(f->latency);
	if (hist_count(corrected))
		f->value[FIGURE_CORRECTED_P99] = hist_quantile(corrected, 0.99);
	if (!f->samples)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		f->value[marks[i].figure] = hist_quantile(f->latency, marks[i].q);
	f->value[FIGURE_SLO] = hist_quantile(f->latency, quantile);
	f->value[FIGURE_MAX] = hist_max(f->latency);
	if (f->samples > 1 &&
	    quantile_rank_interval(f->samples, quantile, CONFIDENCE, &low, &high)) {
		f->slo_low = hist_quantile(f->latency, (double)low / (double)(f->samples - 1));
		f->slo_high = hist_quantile(f->latency, (double)high / (double)(f->samples - 1));
	}
}

/* The counter's last value at or before t, its first one when there is none. */
static double value_at(const struct series *s, uint64_t t_ns)
{
	size_t after = lower_bound(s, t_ns + 1);

	return s->points.ptr[after ? after - 1 : 0].value;
}

/* Share of a second's periods that were throttled, from the counters' values at its ends. */
static double throttled_within(const struct run *r, struct window w)
{
	const struct series *periods = run_series(r, "cgroup.cpu.nr_periods");
	const struct series *throttled = run_series(r, "cgroup.cpu.nr_throttled");
	double n;

	if (!periods || !throttled || !periods->points.len || !throttled->points.len)
		return NAN;
	n = value_at(periods, w.t1) - value_at(periods, w.t0);
	if (!(n > 0))
		return 0;
	return (value_at(throttled, w.t1) - value_at(throttled, w.t0)) / n;
}

static void free_hists(struct hist ***all)
{
	for (struct hist **h = *all; h && *h; h++)
		hist_free(*h);
	free(*all);
}

/* The metric's values of each of n seconds; ends with NULL. */
static struct hist **split_seconds(const struct run *r, const char *metric, uint64_t t0, size_t n)
{
	struct hist **all = xcalloc(n + 1, sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i] = hist_new();
	vec_for_each (&r->dists, d)
		if (d->t0_ns >= t0 && (d->t0_ns - t0) / NS_PER_S < n && !strcmp(d->metric, metric))
			hist_merge(all[(d->t0_ns - t0) / NS_PER_S], d->values);
	return all;
}

static void read_seconds(struct figures *f, const struct run *r, const char *metric,
			 struct window w)
{
	size_t n = (size_t)fmin(f->duration_s, SECONDS_MAX);
	CLEANUP(free_hists) struct hist **all = split_seconds(r, metric, w.t0, n);

	for (size_t i = 0; i < n; i++) {
		struct window second = { w.t0 + i * NS_PER_S, w.t0 + (i + 1) * NS_PER_S };
		struct figures_second s = { .t_s = (double)i,
					    .n = hist_count(all[i]),
					    .p99_ms = NAN,
					    .throttled = throttled_within(r, second) };

		if (s.n)
			s.p99_ms = hist_quantile(all[i], 0.99);
		vec_push(&f->seconds, s);
	}
}

/* ---- the verdict on one run ---- */

static void judge(struct figures *f, const struct case_desc_slo *slo)
{
	double allowed = 1 - slo->quantile + 1e-9, dropped = f->value[FIGURE_DROPPED];
	double above = f->samples ? hist_share_above(f->latency, slo->limit_ms) : 0;
	double failed = f->value[FIGURE_FAILED];

	if (!figure_known(dropped))
		dropped = 0;
	if (!figure_known(failed))
		failed = 0;
	f->bad_share = fmin(1, dropped + (1 - dropped) * (above + failed));
	if (!f->samples)
		f->slo = SLO_UNKNOWN;
	else if (dropped > allowed)
		f->slo = SLO_MISSED;
	else if (!figure_known(f->slo_low))
		f->slo = SLO_TOO_FEW;
	else if (f->slo_low >= slo->limit_ms)
		f->slo = SLO_MISSED;
	else if (f->slo_high >= slo->limit_ms)
		f->slo = SLO_UNDECIDED;
	else
		f->slo = f->bad_share > allowed ? SLO_MISSED : SLO_MET;
}

/* ---- facts ---- */

static char *copy_meta(const struct run *r, const char *key)
{
	const char *text = run_meta(r, key);

	return text ? xstrdup(text) : NULL;
}

static uint64_t count_meta(const struct run *r, const char *key)
{
	double v = run_meta_double(r, key, 0);

	return v > 0 && v < 1e18 ? (uint64_t)v : 0;
}

/* A limit of 0 is none. */
static double limit_meta(const struct run *r, const char *key)
{
	double v = run_meta_double(r, key, 0);

	return v > 0 ? v : NAN;
}

static double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static int by_key(const void *a, const void *b)
{
	const struct map_entry *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

/* In the order of their keys, which a stored run has too: the same page from both. */
static void copy_facts(struct figures *f, const struct run *r)
{
	CLEANUP(mem_cleanup)
	const struct map_entry **sorted = xcalloc(r->meta.len + 1, sizeof(*sorted));
	size_t n = 0;

	map_for_each (&r->meta, e)
		sorted[n++] = e;
	qsort(sorted, n, sizeof(*sorted), by_key);
	for (size_t i = 0; i < n; i++)
		map_put(&f->facts, (struct str){ sorted[i]->key, sorted[i]->key_len },
			xstrdup(sorted[i]->value));
}

static void read_identity(struct figures *f, const struct run *r)
{
	const char *slash = r->path ? strrchr(r->path, '/') : NULL;
	const char *kind = run_meta(r, META_RUN_KIND), *variant = run_meta(r, META_VARIANT);

	f->file = xstrdup(slash ? slash + 1 : r->path ? r->path : "");
	f->variant = xstrdup(variant ? variant : "");
	f->index = (unsigned)MIN(count_meta(r, META_RUN_INDEX), UINT64_C(1000000));
	f->order = (unsigned)MIN(count_meta(r, META_RUN_ORDER), UINT64_C(1000000));
	f->goal = kind && !strcmp(kind, "goal");
	copy_facts(f, r);
	f->status = copy_meta(r, META_RUN_STATUS);
	f->generator = copy_meta(r, META_GEN_VERDICT);
}

static void read_counts(struct figures *f, const struct run *r)
{
	f->rate_asked_per_s = run_meta_double(r, META_LOAD_RATE, NAN);
	f->iterations = count_meta(r, META_LOAD_ITERATIONS);
	f->dropped = count_meta(r, META_LOAD_DROPPED);
	f->requests = count_meta(r, META_LOAD_REQUESTS);
	f->failed = count_meta(r, META_LOAD_FAILED);
	f->checks_failed = count_meta(r, META_CHECKS_FAILED);
	f->limit_cpus = limit_meta(r, META_LIMIT_CPUS);
	f->limit_memory_bytes = limit_meta(r, META_LIMIT_MEMORY);
	f->gen_cpu_share = run_meta_double(r, META_GEN_CPU_SHARE, NAN);
	f->gen_lag_p99_ms = run_meta_double(r, META_GEN_LAG_P99_MS, NAN);
	f->gen_steal_share = run_meta_double(r, META_GEN_STEAL_SHARE, NAN);
	f->cache_hits = run_meta_double(r, META_CACHE_HITS, NAN);
	f->cache_misses = run_meta_double(r, META_CACHE_MISSES, NAN);
	f->cache_entries = run_meta_double(r, META_CACHE_ENTRIES, NAN);
	vec_for_each (&r->losses, l)
		f->losses += l->count;
	if (run_meta(r, META_LOAD_ITERATIONS) && f->duration_s > 0)
		f->value[FIGURE_ACHIEVED] = (double)f->iterations / f->duration_s;
	f->value[FIGURE_DROPPED] =
		share_of((double)f->dropped, (double)f->iterations + (double)f->dropped);
	f->value[FIGURE_FAILED] = share_of((double)f->failed, (double)f->requests);
	f->value[FIGURE_SERVER_P99] = run_meta_double(r, META_SERVER_P99_MS, NAN);
	f->value[FIGURE_CACHE_HIT] = share_of(f->cache_hits, f->cache_hits + f->cache_misses);
}

/* The load's span and duration: what was asked for, unless the run was shorter. */
static struct window find_load(struct figures *f, const struct run *r)
{
	const struct run_span *span = run_span(r, "phase", "load");
	double asked = run_meta_double(r, META_LOAD_DURATION_S, 0);
	struct window w = { 0, UINT64_MAX - 1 };

	f->duration_s = asked > 0 ? asked : 0;
	if (!span)
		return w;
	w = (struct window){ span->t0_ns, span->t1_ns };
	f->duration_s = (double)(span->t1_ns - span->t0_ns) / 1e9;
	if (asked > 0 && asked < f->duration_s) {
		f->duration_s = asked;
		w.t1 = w.t0 + (uint64_t)(asked * 1e9);
	}
	return w;
}

struct figures *figures_new(const struct run *r, const struct case_desc_slo *slo)
{
	struct figures *f = xcalloc(1, sizeof(*f));
	const char *metric = slo ? slo->metric : "http_req_duration";
	double quantile = slo ? slo->quantile : 0.99;
	struct window w;

	for (size_t i = 0; i < N_FIGURES; i++)
		f->value[i] = NAN;
	f->slo_low = f->slo_high = NAN;
	read_identity(f, r);
	w = find_load(f, r);
	read_counts(f, r);
	read_latency(f, r, metric, quantile, w);
	read_cpu(f, r, w);
	read_memory(f, r, w);
	read_runtime(f, r, w);
	if (w.t1 < UINT64_MAX - 1)
		read_seconds(f, r, metric, w);
	if (slo)
		judge(f, slo);
	return f;
}

struct figures *figures_free(struct figures *f)
{
	if (!f)
		return NULL;
	free(f->file);
	free(f->variant);
	free(f->status);
	free(f->generator);
	map_for_each (&f->facts, e)
		free(e->value);
	map_release(&f->facts);
	hist_free(f->latency);
	vec_release(&f->seconds);
	free(f);
	return NULL;
}

const char *figures_fact(const struct figures *f, const char *key)
{
	return map_get_c(&f->facts, key);
}

bool figures_complete(const struct figures *f)
{
	return f->status && !strcmp(f->status, "complete");
}

bool figures_valid(const struct figures *f)
{
	return f->generator && !strcmp(f->generator, "valid");
}
