/*
 * Which metric would have told early? A rule is worth printing when it fires on the base and is
 * silent on the fix, in these very runs; the one on the server's own percentile is printed whenever
 * that is known, because whether it would have told is what people get wrong.
 */
#include <stdlib.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"

static void add_state(struct strbuf *sb, enum figure_unit unit, double v, double threshold)
{
	fmt_figure(sb, unit, v);
	strbuf_addstr(sb, v > threshold ? ": fires" : ": silent");
}

/* Takes metric and rule over. */
static void add_watch(struct case_finding *f, char *metric, char *rule, enum figure_unit unit,
		      const double *values, double threshold)
{
	CLEANUP(strbuf_release) struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;

	add_state(&before, unit, values[0], threshold);
	add_state(&after, unit, values[1], threshold);
	vec_push(&f->watch,
		 ((struct case_watch){ metric, rule, strbuf_detach(&before), strbuf_detach(&after),
				       values[0] > threshold, values[1] > threshold }));
}

/* The largest of the usual thresholds with room on both sides, or NAN. */
static double threshold_between(double before, double after)
{
	static const double usual[] = { 0.25, 0.10, 0.05, 0.02, 0.01 };

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (before > usual[i] * 1.5 && after < usual[i] / 1.5)
			return usual[i];
	return NAN;
}

static void watch_throttling(struct case_finding *f)
{
	const double values[] = { case_base(f)->spread[FIGURE_THROTTLED].value,
				  case_fix(f)->spread[FIGURE_THROTTLED].value };
	double threshold = threshold_between(values[0], values[1]);

	if (figure_known(threshold))
		add_watch(f, xstrdup("throttled CFS periods of the container"),
			  xasprintf("rate(container_cpu_cfs_throttled_periods_total[5m]) / "
				    "rate(container_cpu_cfs_periods_total[5m]) > %.2f",
				    threshold),
			  UNIT_SHARE, values, threshold);
}

/* Two significant digits, so that the rule can be typed. */
static double round_two(double v)
{
	double unit = pow(10, floor(log10(v)) - 1);

	return round(v / unit) * unit;
}

static void watch_cpu(struct case_finding *f)
{
	const double values[] = { case_base(f)->spread[FIGURE_CPU_PER_REQUEST].value,
				  case_fix(f)->spread[FIGURE_CPU_PER_REQUEST].value };
	struct effect e = case_effect(f, case_base(f), case_fix(f), FIGURE_CPU_PER_REQUEST);
	double threshold;

	if (!e.beyond_noise || e.ratio > 0.8)
		return;
	threshold = round_two(sqrt(values[0] * values[1]));
	add_watch(f, xstrdup("CPU per request (tells at any load, before the quota is used up)"),
		  xasprintf("CPU seconds of the service / its requests, over 5 min, > %.6g ms",
			    threshold),
		  UNIT_MS, values, threshold);
}

/* The burn rates of the SRE workbook: 14.4 and 6 page, 1 is a ticket. */
static void watch_slo(struct case_finding *f)
{
	static const double burns[] = { 14.4, 6, 1 };
	const double values[] = { case_base(f)->bad_share, case_fix(f)->bad_share };
	double budget = 1 - f->desc->slo.quantile;

	for (size_t i = 0; i < ARRAY_SIZE(burns); i++) {
		if (!(values[0] > burns[i] * budget) || values[1] > burns[i] * budget)
			continue;
		add_watch(
			f,
			xasprintf("arrivals slower than %.6g ms, failed or refused, as the client "
				  "sees them",
				  f->desc->slo.limit_ms),
			xasprintf("more than %.3g %% over 1 h and over 5 min (error budget burnt "
				  "at %.3g times its rate)",
				  burns[i] * budget * 100, burns[i]),
			UNIT_SHARE, values, burns[i] * budget);
		return;
	}
}

static void watch_server(struct case_finding *f)
{
	const double values[] = { case_base(f)->spread[FIGURE_SERVER_P99].value,
				  case_fix(f)->spread[FIGURE_SERVER_P99].value };

	if (figure_known(values[0]) && figure_known(values[1]))
		add_watch(f, xstrdup("the server's own p99"),
			  xasprintf("over %.6g ms", f->desc->slo.limit_ms), UNIT_MS, values,
			  f->desc->slo.limit_ms);
}

static void watch_memory(struct case_finding *f)
{
	const struct spread *base = case_base(f)->spread, *fix = case_fix(f)->spread;
	const double values[] = { base[FIGURE_MEMORY_GROWTH].value,
				  fix[FIGURE_MEMORY_GROWTH].value };
	double threshold = 0.01 * base[FIGURE_MEMORY_END].value;

	if (values[0] > threshold && values[1] <= threshold)
		add_watch(f, xstrdup("memory of the container at constant load"),
			  xstrdup("grows for 30 min by more than 1 % of itself a minute"),
			  UNIT_BYTES_PER_MIN, values, threshold);
}

void case_find_watch(struct case_finding *f)
{
	if (!case_has_fix(f) || !case_base(f)->runs || !case_fix(f)->runs)
		return;
	watch_slo(f);
	watch_throttling(f);
	watch_cpu(f);
	watch_memory(f);
	watch_server(f);
}
