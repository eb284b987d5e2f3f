#include "export/otlp.h"

#include <stdlib.h>

/* OpenTelemetry's "Explicit Bucket Histogram Aggregation", in its SDK's specification. */
const double export_otlp_bounds[EXPORT_OTLP_BOUNDS] = { 0,   5,	  10,	25,   50,   75,	  100,	250,
							500, 750, 1000, 2500, 5000, 7500, 10000 };

static int by_metric(const void *a, const void *b)
{
	const struct export_series *x = *(struct export_series *const *)a;
	const struct export_series *y = *(struct export_series *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Of the series from *at on that belong to one metric, writes those points. */
static void write_metric(const struct export_otlp *o, const struct export_otlp_writer *w,
			 struct export_series *const *at, size_t n, const char *suffix,
			 enum export_otlp_kind kind,
			 void (*points)(const struct export_otlp_writer *w,
					const struct export_series *s))
{
	static const char *const units[] = { "", "ms", "By" };
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct export_otlp_metric m = { NULL, units[at[0]->metric.contains], kind };

	strbuf_addf(&name, "%s%s%s", o->prefix, at[0]->metric.name, suffix);
	m.name = strbuf_cstr(&name);
	w->metric_begin(w->arg, &m);
	for (size_t i = 0; i < n; i++)
		points(w, at[i]);
	w->metric_end(w->arg, &m);
}

static void counter_point(const struct export_otlp_writer *w, const struct export_series *s)
{
	w->point(w->arg, &(struct export_otlp_point){ .series = s, .value = s->sum });
}

static void gauge_point(const struct export_otlp_writer *w, const struct export_series *s)
{
	w->point(w->arg, &(struct export_otlp_point){ .series = s, .value = s->last });
}

static void trend_point(const struct export_otlp_writer *w, const struct export_series *s)
{
	w->point(w->arg, &(struct export_otlp_point){ .series = s });
}

static void nonzero_point(const struct export_otlp_writer *w, const struct export_series *s)
{
	w->point(w->arg,
		 &(struct export_otlp_point){ .series = s, .whole = true, .count = s->nonzero });
}

static void count_point(const struct export_otlp_writer *w, const struct export_series *s)
{
	w->point(w->arg,
		 &(struct export_otlp_point){ .series = s, .whole = true, .count = s->count });
}

static void condition_points(const struct export_otlp_writer *w, const struct export_series *s)
{
	struct export_otlp_point zero = { s, "zero", true, s->count - s->nonzero, 0 };
	struct export_otlp_point nonzero = { s, "nonzero", true, s->nonzero, 0 };

	if (zero.count)
		w->point(w->arg, &zero);
	if (nonzero.count)
		w->point(w->arg, &nonzero);
}

static void write_group(const struct export_otlp *o, const struct export_otlp_writer *w,
			struct export_series *const *at, size_t n)
{
	switch (at[0]->metric.type) {
	case EXPORT_COUNTER:
		write_metric(o, w, at, n, "", EXPORT_OTLP_SUM, counter_point);
		break;
	case EXPORT_GAUGE:
		write_metric(o, w, at, n, "", EXPORT_OTLP_GAUGE, gauge_point);
		break;
	case EXPORT_TREND:
		write_metric(o, w, at, n, "", EXPORT_OTLP_HISTOGRAM, trend_point);
		break;
	case EXPORT_RATE:
		if (!o->two_counters) {
			write_metric(o, w, at, n, "", EXPORT_OTLP_SUM, condition_points);
			break;
		}
		write_metric(o, w, at, n, ".occurred", EXPORT_OTLP_SUM, nonzero_point);
		write_metric(o, w, at, n, ".total", EXPORT_OTLP_SUM, count_point);
		break;
	}
}

void export_otlp_walk(const struct export_otlp *o, const struct export_table *t,
		      const struct export_otlp_writer *w)
{
	size_t n = t->list.len, end;
	struct export_series **all = xcalloc(n + 1, sizeof(struct export_series *));

	for (size_t i = 0; i < n; i++)
		all[i] = t->list.ptr[i];
	qsort(all, n, sizeof(all[0]), by_metric);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && all[end]->id == all[i]->id;)
			end++;
		write_group(o, w, all + i, end - i);
	}
	free(all);
}
