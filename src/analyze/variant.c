/*
 * Pooling. Percentiles are read from the merged values of all runs, never averaged; shares and
 * rates are counts over counts. What cannot be pooled (the server's own percentile, a maximum) is
 * given by its worst run, levels by the median run. The spread is always that of the runs' own
 * figures.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"
#include "stats/quantile.h"

size_t case_next_run(const struct case_finding *f, const struct variant_finding *v, size_t from)
{
	for (size_t i = from; i < f->runs.len; i++) {
		const struct figures *r = f->runs.ptr[i];

		if (r->goal == v->goal && figures_complete(r) && !strcmp(r->variant, v->name))
			return i;
	}
	return SIZE_MAX;
}

struct totals {
	double duration_s, cpu_s, periods, throttled, cpu_requests, bad;
};

static void widen(struct spread *s, double v)
{
	if (!figure_known(v))
		return;
	s->low = s->n ? fmin(s->low, v) : v;
	s->high = s->n ? fmax(s->high, v) : v;
	s->n++;
}

static double median_of_runs(const struct case_finding *f, const struct variant_finding *v,
			     enum figure which)
{
	CLEANUP(mem_cleanup) double *values = xcalloc(f->runs.len + 1, sizeof(*values));
	size_t n = 0;

	case_for_each_run (f, v, i)
		if (figure_known(f->runs.ptr[i]->value[which]))
			values[n++] = f->runs.ptr[i]->value[which];
	return n ? quantile_median(values, n) : NAN;
}

static double plus(double sum, double v)
{
	return !figure_known(v) ? sum : figure_known(sum) ? sum + v : v;
}

static void add_run(struct variant_finding *v, const struct figures *r, struct totals *t)
{
	v->runs++;
	v->samples += r->samples;
	v->iterations += r->iterations;
	v->dropped += r->dropped;
	v->requests += r->requests;
	v->failed += r->failed;
	t->bad += r->bad_share;
	v->cache_hits = plus(v->cache_hits, r->cache_hits);
	v->cache_misses = plus(v->cache_misses, r->cache_misses);
	v->cache_entries = fmax(v->cache_entries, r->cache_entries);
	hist_merge(v->latency, r->latency);
	for (size_t i = 0; i < N_FIGURES; i++)
		widen(&v->spread[i], r->value[i]);
	t->duration_s += r->duration_s;
	if (figure_known(r->cpu_s)) {
		t->cpu_s += r->cpu_s;
		t->cpu_requests += (double)r->requests;
	}
	if (figure_known(r->value[FIGURE_THROTTLED])) {
		t->periods += r->periods;
		t->throttled += r->throttled_periods;
	}
}

static void set_pooled(struct variant_finding *v, enum figure which, double value)
{
	v->spread[which].value = v->spread[which].n ? value : NAN;
}

static void pool(const struct case_finding *f, struct variant_finding *v)
{
	static const enum figure levels[] = { FIGURE_CPU_CORES,	 FIGURE_STALLED,
					      FIGURE_MEMORY_END, FIGURE_MEMORY_GROWTH,
					      FIGURE_ALLOCATION, FIGURE_GC_PAUSE,
					      FIGURE_HEAP_START, FIGURE_HEAP_END };
	static const enum figure worst[] = { FIGURE_MAX, FIGURE_CORRECTED_P99, FIGURE_SERVER_P99 };
	struct totals t = { 0 };

	case_for_each_run (f, v, i)
		add_run(v, f->runs.ptr[i], &t);
	set_pooled(v, FIGURE_ACHIEVED, (double)v->iterations / t.duration_s);
	set_pooled(v, FIGURE_DROPPED, (double)v->dropped / (double)(v->iterations + v->dropped));
	set_pooled(v, FIGURE_FAILED, (double)v->failed / (double)v->requests);
	set_pooled(v, FIGURE_P50, hist_quantile(v->latency, 0.5));
	set_pooled(v, FIGURE_P95, hist_quantile(v->latency, 0.95));
	set_pooled(v, FIGURE_P99, hist_quantile(v->latency, 0.99));
	set_pooled(v, FIGURE_SLO, hist_quantile(v->latency, f->desc->slo.quantile));
	set_pooled(v, FIGURE_CPU_PER_REQUEST, t.cpu_s * 1e3 / t.cpu_requests);
	set_pooled(v, FIGURE_THROTTLED, t.periods > 0 ? t.throttled / t.periods : 0);
	set_pooled(v, FIGURE_CACHE_HIT, v->cache_hits / (v->cache_hits + v->cache_misses));
	v->bad_share = v->runs ? t.bad / (double)v->runs : NAN;
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		set_pooled(v, levels[i], median_of_runs(f, v, levels[i]));
	for (size_t i = 0; i < ARRAY_SIZE(worst); i++)
		set_pooled(v, worst[i], v->spread[worst[i]].high);
}

static struct variant_finding start_variant(const struct case_finding *f,
					    const struct case_desc_variant *d, bool goal)
{
	struct variant_finding v = { .name = xstrdup(d->name),
				     .goal = goal,
				     .description = d->description ? xstrdup(d->description) : NULL,
				     .runs_wanted = f->desc->runs_wanted,
				     .cache_hits = NAN,
				     .cache_misses = NAN,
				     .cache_entries = NAN,
				     .latency = hist_new() };

	for (size_t i = 0; i < N_FIGURES; i++)
		v.spread[i] = (struct spread){ NAN, NAN, NAN, 0 };
	return v;
}

/* ---- against the SLO ---- */

static void count_results(const struct case_finding *f, const struct variant_finding *v,
			  size_t *counts)
{
	case_for_each_run (f, v, i)
		counts[f->runs.ptr[i]->slo]++;
}

static enum slo_result agree(const size_t *counts, size_t runs)
{
	if (!runs || counts[SLO_UNKNOWN] == runs)
		return SLO_UNKNOWN;
	if (counts[SLO_MET] == runs)
		return SLO_MET;
	if (counts[SLO_MISSED] == runs)
		return SLO_MISSED;
	return counts[SLO_TOO_FEW] ? SLO_TOO_FEW : SLO_UNDECIDED;
}

void case_add_slo_value(struct strbuf *sb, const struct case_finding *f,
			const struct variant_finding *v)
{
	const struct spread *s = &v->spread[FIGURE_SLO];

	if (!s->n)
		return;
	strbuf_addstr(sb, " (");
	fmt_quantile(sb, f->desc->slo.quantile);
	strbuf_addch(sb, ' ');
	fmt_figure(sb, UNIT_MS, s->value);
	if (v->dropped) {
		strbuf_addstr(sb, ", ");
		fmt_share(sb, v->spread[FIGURE_DROPPED].value);
		strbuf_addstr(sb, " of arrivals dropped");
	}
	if (v->failed) {
		strbuf_addstr(sb, ", ");
		fmt_share(sb, v->spread[FIGURE_FAILED].value);
		strbuf_addstr(sb, " of requests failed");
	}
	strbuf_addch(sb, ')');
}

static void judge_variant(const struct case_finding *f, struct variant_finding *v)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t counts[SLO_UNDECIDED + 1] = { 0 };
	const char *runs = v->runs == 1 ? "run" : "runs";

	count_results(f, v, counts);
	v->slo = agree(counts, v->runs);
	switch (v->slo) {
	case SLO_UNKNOWN:
		strbuf_addstr(&sb, v->runs ? "no values were measured" : "not measured");
		break;
	case SLO_MET:
		strbuf_addf(&sb, "met in %zu of %zu %s", v->runs, v->runs, runs);
		break;
	case SLO_MISSED:
		strbuf_addf(&sb, "missed in %zu of %zu %s", v->runs, v->runs, runs);
		break;
	case SLO_TOO_FEW:
		strbuf_addf(&sb, "n too small: ");
		fmt_quantile(&sb, f->desc->slo.quantile);
		strbuf_addf(
			&sb, " needs %llu values a run",
			(unsigned long long)quantile_samples_needed(f->desc->slo.quantile, 0.95));
		break;
	case SLO_UNDECIDED:
		strbuf_addf(&sb, "undecided: met in %zu, missed in %zu, too close in %zu of %zu %s",
			    counts[SLO_MET], counts[SLO_MISSED],
			    counts[SLO_UNDECIDED] + counts[SLO_UNKNOWN], v->runs, runs);
		break;
	}
	v->slo_text = strbuf_detach(&sb);
}

void case_pool_variants(struct case_finding *f)
{
	vec_for_each (&f->desc->variants, d)
		vec_push(&f->variants, start_variant(f, d, false));
	f->goal = start_variant(f, &vec_last(&f->desc->variants), true);
	f->goal.runs_wanted = f->desc->goal_wanted;
	vec_for_each (&f->variants, v) {
		pool(f, v);
		judge_variant(f, v);
	}
	pool(f, &f->goal);
	judge_variant(f, &f->goal);
}

void case_release_variant(struct variant_finding *v)
{
	free(v->name);
	free(v->description);
	free(v->slo_text);
	free(v->gap_text);
	hist_free(v->latency);
}
