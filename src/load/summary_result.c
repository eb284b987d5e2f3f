/*
 * The summary as assay's own JSON (docs/formats/load-json.md): what the text says, for programs,
 * with what k6's forms have no place for: whether the generator was fit, why iterations were
 * dropped, and how many samples stand behind a percentile.
 */
#include "base/json.h"
#include "load/summary_internal.h"
#include "stats/quantile.h"

#define CONFIDENCE 0.95

static void put_share(struct json_writer *w, const char *key, double v)
{
	if (v < 0)
		json_none(w, key);
	else
		json_double(w, key, v);
}

static void put_generator(struct json_writer *w, const struct load_summary *s)
{
	const struct load_summary_generator *g = &s->generator;

	json_object_begin(w, "generator");
	json_bool(w, "valid", g->valid);
	json_cstr(w, "verdict", g->verdict);
	put_share(w, "cpu_share", g->cpu_share);
	put_share(w, "start_lag_p99_ms", g->send_lag_p99_ms);
	put_share(w, "throttled_share", g->throttled_share);
	put_share(w, "steal_share", g->steal_share);
	json_uint(w, "no_descriptors", g->no_fds);
	json_uint(w, "no_ports", g->no_ports);
	json_uint(w, "listen_overflows", g->listen_overflows);
	json_uint(w, "samples_that_lost_a_tag", s->tags_refused);
	json_cstr(w, "tag_at_fault", s->tag_at_fault);
	json_object_end(w);
}

static void put_outputs(struct json_writer *w, const struct load_summary *s)
{
	json_array_begin(w, "outputs");
	if (s->outputs)
		vec_for_each (s->outputs, o) {
			json_object_begin(w, NULL);
			json_cstr(w, "output", o->name);
			json_uint(w, "samples_lost", o->lost);
			json_cstr(w, "because", o->why);
			json_object_end(w);
		}
	json_array_end(w);
}

static void put_scenario(struct json_writer *w, const struct load_summary_scenario *f)
{
	static const char *const keys[LOAD_DROP_COUNT] = {
		[LOAD_DROP_VU_LIMIT] = "vu_limit",
		[LOAD_DROP_NO_VU_YET] = "no_vu_yet",
		[LOAD_DROP_LATE] = "generator_late",
		[LOAD_DROP_TIME_UP] = "time_up",
	};
	uint64_t needed = load_summary_vus_needed(f);

	json_object_begin(w, NULL);
	json_cstr(w, "name", f->scenario->name);
	json_cstr(w, "executor", load_executor_name(f->scenario->executor));
	json_uint(w, "iterations", f->iterations);
	json_uint(w, "interrupted", f->interrupted);
	json_uint(w, "dropped", f->dropped);
	json_object_begin(w, "dropped_because");
	for (int i = 0; i < LOAD_DROP_COUNT; i++)
		json_uint(w, keys[i], f->drops[i]);
	json_object_end(w);
	json_double(w, "iteration_mean_ms", f->iteration_mean_ms);
	if (needed)
		json_uint(w, "vus_needed", needed);
	else
		json_none(w, "vus_needed");
	json_object_end(w);
}

static void put_quantile(struct json_writer *w, struct hist *h, const char *stat)
{
	uint64_t n = hist_count(h), low, high;
	double q;

	if (!strcmp(stat, "med"))
		stat = "p(50)";
	if (load_aggregate_quantile(str_from(stat), &q) < 0)
		return;
	json_object_begin(w, stat);
	json_double(w, "value", hist_quantile(h, q));
	if (quantile_rank_interval(n, q, CONFIDENCE, &low, &high) && n > 1) {
		json_double(w, "low", hist_quantile(h, (double)low / (double)(n - 1)));
		json_double(w, "high", hist_quantile(h, (double)high / (double)(n - 1)));
	}
	json_bool(w, "n_too_small", n < quantile_samples_needed(q, CONFIDENCE));
	json_object_end(w);
}

static void put_trend(struct json_writer *w, const struct load_summary *s, struct hist *h)
{
	json_double(w, "mean", hist_mean(h));
	json_double(w, "min", hist_min(h));
	json_double(w, "max", hist_max(h));
	json_bool(w, "exact", hist_is_exact(h));
	json_object_begin(w, "percentiles");
	vec_for_each (&s->plan->summary_trend_stats, stat)
		put_quantile(w, h, *stat);
	json_object_end(w);
}

static void put_values(struct json_writer *w, const struct load_summary *s,
		       const struct load_metric *m, const struct load_values *v)
{
	json_uint(w, "count", v->count);
	switch (m->type) {
	case LOAD_COUNTER:
		json_double(w, "sum", v->sum);
		json_double(w, "per_second", v->sum / summary_seconds(s));
		break;
	case LOAD_GAUGE:
		json_double(w, "value", v->last);
		json_double(w, "min", v->min);
		json_double(w, "max", v->max);
		break;
	case LOAD_RATE:
		json_uint(w, "passes", v->passes);
		json_double(w, "rate", v->count ? (double)v->passes / (double)v->count : 0);
		break;
	case LOAD_TREND:
		if (v->hist && hist_count(v->hist))
			put_trend(w, s, v->hist);
		break;
	}
}

static void put_thresholds(struct json_writer *w, const struct load_summary *s,
			   const struct summary_item *item)
{
	const struct load_threshold *t = summary_next_threshold(s, item, NULL);

	if (!t)
		return;
	json_array_begin(w, "thresholds");
	for (; t; t = summary_next_threshold(s, item, t)) {
		json_object_begin(w, NULL);
		json_cstr(w, "expression", t->source);
		json_bool(w, "ok", t->ok);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_item(struct json_writer *w, const struct load_summary *s,
		     const struct summary_item *item)
{
	json_object_begin(w, item->name);
	json_cstr(w, "type", load_metric_type_name(item->metric->type));
	json_cstr(w, "contains", load_contains_name(item->metric->contains));
	put_values(w, s, item->metric, item->values);
	put_thresholds(w, s, item);
	json_object_end(w);
}

/* The two that k6 has not, unless a threshold has put them among the items. */
static void put_own_trends(struct json_writer *w, const struct load_summary *s,
			   const struct summary_items *items)
{
	static const enum load_builtin own[] = { LOAD_M_HTTP_REQ_DURATION_CORRECTED,
						 LOAD_M_ITERATION_START_LAG };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		const struct load_metric *m =
			load_metrics_builtin(load_agg_metrics(s->agg), own[i]);
		struct summary_item item = { m->name, m, NULL, load_agg_metric(s->agg, m) };
		bool there = false;

		vec_for_each (items, other)
			there |= other->metric == m && !other->sub;
		if (!there && item.values->count)
			put_item(w, s, &item);
	}
}

void load_summary_fmt_result(const struct load_summary *s, int exit_code, struct strbuf *out)
{
	struct summary_items items;
	struct json_writer w;

	summary_items_make(s, &items);
	json_init(&w, out, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "assay", ASSAY_VERSION);
	json_int(&w, "exit_code", exit_code);
	json_double(&w, "duration_s", summary_seconds(s));
	put_generator(&w, s);
	put_outputs(&w, s);
	json_array_begin(&w, "scenarios");
	for (size_t i = 0; i < s->scenario_count; i++)
		put_scenario(&w, &s->scenarios[i]);
	json_array_end(&w);
	json_object_begin(&w, "metrics");
	vec_for_each (&items, item)
		put_item(&w, s, item);
	put_own_trends(&w, s, &items);
	json_object_end(&w);
	json_object_end(&w);
	strbuf_addch(out, '\n');
	vec_release(&items);
}
