/*
 * assay's own block: what k6's figures do not say. Latency counted from when a request was due
 * beside that from when it was sent, and why they differ; dropped iterations with the VUs that
 * would have sufficed; which percentiles rest on too few samples; whether the generator was fit. A
 * line appears only when it has something to say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/summary_internal.h"
#include "stats/quantile.h"

/* A gap between the two latencies worth a line: both, at the 99th percentile. */
#define GAP_SHARE  0.10
#define GAP_MS	   1.0
#define CONFIDENCE 0.95

struct own {
	const struct load_summary *s;
	struct load_summary_style style;
	struct strbuf *out;
	bool begun;
};

/* The heading comes with the first line. */
static void begin(struct own *o)
{
	if (o->begun)
		return;
	o->begun = true;
	strbuf_addf(o->out, "  %s HOW FAR TO TRUST IT\n\n", o->style.ascii ? "#" : "\xe2\x96\x88");
}

static struct hist *values_of(const struct own *o, enum load_builtin id)
{
	const struct load_metric *m = load_metrics_builtin(load_agg_metrics(o->s->agg), id);

	return load_agg_metric(o->s->agg, m)->hist;
}

static void add_ms(const struct own *o, double ms)
{
	summary_fmt_value(o->out, ms, LOAD_TIME, o->s->plan->summary_time_unit, o->style.ascii);
}

/* --- the two latencies ------------------------------------------------------------------------ */

static const double quantiles[] = { 0.5, 0.95, 0.99, 0.999 };

static bool is_small(struct hist *h, double q)
{
	return hist_count(h) < quantile_samples_needed(q, CONFIDENCE);
}

static void print_quantiles(struct own *o, const char *label, struct hist *h)
{
	strbuf_addf(o->out, "    %s", label);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		strbuf_addf(o->out, " p(%g)=", quantiles[i] * 100);
		add_ms(o, hist_quantile(h, quantiles[i]));
		strbuf_addstr(o->out, is_small(h, quantiles[i]) ? "?" : "");
	}
	strbuf_addstr(o->out, " max=");
	add_ms(o, hist_max(h));
	strbuf_addf(o->out, " n=%llu\n", (unsigned long long)hist_count(h));
}

static bool gap_matters(struct hist *sent, struct hist *due)
{
	double gap = hist_quantile(due, 0.99) - hist_quantile(sent, 0.99);

	return gap > GAP_MS && gap > GAP_SHARE * hist_quantile(sent, 0.99);
}

static void print_gap(struct own *o, struct hist *sent, struct hist *due)
{
	struct hist *lag = values_of(o, LOAD_M_ITERATION_START_LAG);

	strbuf_addstr(o->out, "    Requests were sent ");
	add_ms(o, hist_mean(due) - hist_mean(sent));
	strbuf_addstr(o->out, " after they were due, on average");
	if (lag && hist_count(lag)) {
		strbuf_addstr(o->out, "; iterations began ");
		add_ms(o, hist_mean(lag));
		strbuf_addstr(o->out, " late (p(99) ");
		add_ms(o, hist_quantile(lag, 0.99));
		strbuf_addstr(o->out, ")");
	}
	strbuf_addstr(o->out, ".\n    Users who come at this rate wait the second line's time.\n");
}

static void print_latencies(struct own *o)
{
	struct hist *sent = values_of(o, LOAD_M_HTTP_REQ_DURATION);
	struct hist *due = values_of(o, LOAD_M_HTTP_REQ_DURATION_CORRECTED);
	struct hist *lag = values_of(o, LOAD_M_ITERATION_START_LAG);

	if (!sent || !due || !hist_count(sent) || !hist_count(due))
		return;
	begin(o);
	print_quantiles(o, "http_req_duration, from when it was sent..:", sent);
	print_quantiles(o, "  from when it was due (_corrected).......:", due);
	if (lag && hist_count(lag))
		print_quantiles(o, "iteration_start_lag.......................:", lag);
	if (is_small(sent, quantiles[ARRAY_SIZE(quantiles) - 1]))
		strbuf_addstr(o->out, "    ? n too small for this percentile: the true one may lie "
				      "above all that was seen\n");
	if (gap_matters(sent, due))
		print_gap(o, sent, due);
	strbuf_addch(o->out, '\n');
}

/* --- dropped iterations ----------------------------------------------------------------------- */

/* Arrivals per second, the mean over the scenario's length. */
static double rate_of(const struct load_summary_scenario *f)
{
	const struct load_scenario *s = f->scenario;
	double seconds = 0, area = 0;
	uint32_t from = s->rate;

	if (s->executor == LOAD_CONSTANT_ARRIVAL_RATE)
		return s->rate / ((double)s->time_unit_ns / (double)NS_PER_S);
	vec_for_each (&s->stages, stage) {
		double length = (double)stage->duration_ns / (double)NS_PER_S;

		seconds += length;
		area += ((double)from + stage->target) / 2 * length;
		from = stage->target;
	}
	return seconds > 0 ? area / seconds / ((double)s->time_unit_ns / (double)NS_PER_S) : 0;
}

/* The highest rate of a ramp decides how many VUs are needed. */
static double peak_rate_of(const struct load_scenario *s)
{
	uint32_t peak = s->rate;

	vec_for_each (&s->stages, stage)
		peak = MAX(peak, stage->target);
	return peak / ((double)s->time_unit_ns / (double)NS_PER_S);
}

uint64_t load_summary_vus_needed(const struct load_summary_scenario *s)
{
	double vus;

	if (!load_executor_is_open(s->scenario->executor) || !(s->iteration_mean_ms > 0))
		return 0;
	vus = peak_rate_of(s->scenario) * s->iteration_mean_ms / 1000;
	return (uint64_t)fmin(ceil(vus - 1e-9), 1e15);
}

static void print_needed(struct own *o, const struct load_summary_scenario *f)
{
	uint64_t needed = load_summary_vus_needed(f);

	if (!needed) {
		strbuf_addstr(o->out, " No iteration came to its end.\n");
		return;
	}
	strbuf_addf(o->out, " At %.6g/s and ", peak_rate_of(f->scenario));
	add_ms(o, f->iteration_mean_ms);
	strbuf_addf(o->out, " an iteration\n      %llu VUs are busy (Little's law); ",
		    (unsigned long long)needed);
	if (needed > f->scenario->max_vus)
		strbuf_addf(o->out, "maxVUs is %u.\n", f->scenario->max_vus);
	else
		strbuf_addf(o->out,
			    "maxVUs %u is enough on average, so they were lost while iterations "
			    "took longer.\n",
			    f->scenario->max_vus);
}

/* "8,000 with all of maxVUs 200 busy, …": only when more than one reason counts. */
static void print_drops(struct own *o, const struct load_summary_scenario *f)
{
	static const char *const why[LOAD_DROP_COUNT] = {
		[LOAD_DROP_VU_LIMIT] = "with all maxVUs busy",
		[LOAD_DROP_NO_VU_YET] = "while one more VU was being made (preAllocatedVUs)",
		[LOAD_DROP_LATE] = "because the generator was late itself",
		[LOAD_DROP_TIME_UP] = "when the time was over",
	};
	const char *separator = "      ";

	if (f->drops[LOAD_DROP_VU_LIMIT] == f->dropped)
		return;
	for (int i = 0; i < LOAD_DROP_COUNT; i++) {
		if (!f->drops[i])
			continue;
		strbuf_addf(o->out, "%s%llu %s", separator, (unsigned long long)f->drops[i],
			    why[i]);
		separator = ", ";
	}
	if (separator[0] == ',')
		strbuf_addstr(o->out, ".\n");
}

static void print_dropped(struct own *o, const struct load_summary_scenario *f)
{
	uint64_t due = f->dropped + f->iterations + f->interrupted;

	begin(o);
	strbuf_addf(o->out, "    %s: %llu of %llu iterations dropped (", f->scenario->name,
		    (unsigned long long)f->dropped, (unsigned long long)due);
	summary_fmt_percent(o->out, (double)f->dropped / (double)due);
	if (!load_executor_is_open(f->scenario->executor)) {
		strbuf_addstr(o->out, "): maxDuration was over.\n\n");
		return;
	}
	strbuf_addf(o->out, ") of %.6g/s: no VU was free.", rate_of(f));
	print_needed(o, f);
	print_drops(o, f);
	strbuf_addch(o->out, '\n');
}

/* --- samples ---------------------------------------------------------------------------------- */

/* "name (12), name2 (3)": the trends shown that have fewer samples than the percentile needs. */
static void list_small(const struct own *o, const struct summary_items *items, uint64_t needed,
		       struct strbuf *list)
{
	vec_for_each (items, item) {
		uint64_t n = item->values->count;

		if (item->metric->type != LOAD_TREND || item->sub || !n || n >= needed)
			continue;
		if (item->metric->id >= LOAD_M_HTTP_REQ_BLOCKED &&
		    item->metric->id <= LOAD_M_HTTP_REQ_RECEIVING &&
		    !summary_next_threshold(o->s, item, NULL))
			continue;
		strbuf_addf(list, "%s%s (%llu)", list->len ? ", " : "", item->name,
			    (unsigned long long)n);
	}
}

static void print_small(struct own *o, const struct summary_items *items)
{
	vec_for_each (&o->s->plan->summary_trend_stats, stat) {
		CLEANUP(strbuf_release) struct strbuf list = STRBUF_INIT;
		uint64_t needed;
		double q;

		if (load_aggregate_quantile(str_from(*stat), &q) < 0 || q <= 0.5 || q >= 1)
			continue;
		needed = quantile_samples_needed(q, CONFIDENCE);
		list_small(o, items, needed, &list);
		if (!list.len)
			continue;
		begin(o);
		strbuf_addf(o->out, "    n too small for %s, which needs %llu samples: %s\n", *stat,
			    (unsigned long long)needed, strbuf_cstr(&list));
	}
}

static void print_inexact(struct own *o, const struct summary_items *items)
{
	vec_for_each (items, item) {
		if (!item->values->hist || hist_is_exact(item->values->hist))
			continue;
		begin(o);
		strbuf_addf(o->out,
			    "    Percentiles of more than %d values are within %.1f %%; count, "
			    "mean, min and max are exact.\n",
			    HIST_EXACT_MAX, HIST_REL_ERROR * 100);
		return;
	}
}

static void print_refused(struct own *o)
{
	const char *tag = o->s->tag_at_fault ? o->s->tag_at_fault : "url";
	bool url = !strcmp(tag, "url") || !strcmp(tag, "name");

	if (!o->s->tags_refused)
		return;
	begin(o);
	strbuf_addf(o->out,
		    "    %llu samples lost a tag: there were more than %d sets of tags, most of "
		    "them because of the\n    tag '%s'. %s\n",
		    (unsigned long long)o->s->tags_refused, LOAD_TAGS_MAX, tag,
		    url ? "Give requests whose URL varies a name tag."
			: "What differs all the time belongs into exec.vu.metrics.metadata.");
}

/* --- the generator ---------------------------------------------------------------------------- */

static void print_generator(struct own *o)
{
	const struct load_summary_generator *g = &o->s->generator;
	const char *separator = " (";

	if (!g->verdict)
		return;
	begin(o);
	strbuf_addf(o->out, "    %s%s", g->valid ? "generator: " : "INVALID RUN: ", g->verdict);
	if (g->cpu_share >= 0) {
		strbuf_addf(o->out, "%sbusiest thread %.0f %% of a core", separator,
			    g->cpu_share * 100);
		separator = ", ";
	}
	if (g->send_lag_p99_ms >= 0) {
		strbuf_addf(o->out, "%sstart lag p(99) ", separator);
		add_ms(o, g->send_lag_p99_ms);
		separator = ", ";
	}
	if (g->throttled_share >= 0) {
		strbuf_addf(o->out, "%sthrottled in %.1f %% of its quota's periods", separator,
			    g->throttled_share * 100);
		separator = ", ";
	}
	if (g->steal_share >= 0) {
		strbuf_addf(o->out, "%ssteal %.1f %%", separator, g->steal_share * 100);
		separator = ", ";
	}
	strbuf_addstr(o->out, strcmp(separator, ", ") ? "\n" : ")\n");
}

void summary_fmt_own(const struct load_summary *s, struct load_summary_style style,
		     struct strbuf *out)
{
	struct own o = { .s = s, .style = style, .out = out };
	struct summary_items items;

	summary_items_make(s, &items);
	print_latencies(&o);
	for (size_t i = 0; i < s->scenario_count; i++)
		if (s->scenarios[i].dropped)
			print_dropped(&o, &s->scenarios[i]);
	print_small(&o, &items);
	print_inexact(&o, &items);
	print_refused(&o);
	print_generator(&o);
	if (o.begun)
		strbuf_addch(out, '\n');
	vec_release(&items);
}
