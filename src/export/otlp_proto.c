/*
 * Field numbers are those of opentelemetry-proto 1 (collector/metrics/v1, metrics/v1, common/v1,
 * resource/v1).
 */
#include "export/otlp.h"
#include "base/proto.h"

#define CUMULATIVE 2

struct proto_writer {
	const struct export_otlp *o;
	const struct export_table *t;
	struct strbuf *out;
	size_t metric, data; /* begun */
};

/* KeyValue{key 1, value 2: AnyValue{string_value 1}} */
static void add_attribute(struct strbuf *out, unsigned field, struct str key, struct str value)
{
	size_t pair = proto_begin(out, field), any;

	proto_str(out, 1, key);
	any = proto_begin(out, 2);
	proto_str(out, 1, value);
	proto_end(out, any);
	proto_end(out, pair);
}

static void add_attributes(struct proto_writer *w, unsigned field,
			   const struct export_otlp_point *p)
{
	struct export_tag tag;

	for (uint32_t i = 0; w->t->run->tag(p->series->tags, i, &tag); i++)
		if (tag.key.len)
			add_attribute(w->out, field, tag.key, tag.value);
	if (p->condition)
		add_attribute(w->out, field, STR("condition"), str_from(p->condition));
}

/* Metric{name 1, unit 3, gauge 5, sum 7, histogram 9} */
static void metric_begin(void *arg, const struct export_otlp_metric *m)
{
	static const unsigned fields[] = {
		[EXPORT_OTLP_SUM] = 7,
		[EXPORT_OTLP_GAUGE] = 5,
		[EXPORT_OTLP_HISTOGRAM] = 9,
	};
	struct proto_writer *w = arg;

	w->metric = proto_begin(w->out, 2);
	proto_str(w->out, 1, str_from(m->name));
	if (*m->unit)
		proto_str(w->out, 3, str_from(m->unit));
	w->data = proto_begin(w->out, fields[m->kind]);
}

/* Sum and Histogram{..., aggregation_temporality 2}; Sum{is_monotonic 3} */
static void metric_end(void *arg, const struct export_otlp_metric *m)
{
	struct proto_writer *w = arg;

	if (m->kind != EXPORT_OTLP_GAUGE)
		proto_uint(w->out, 2, CUMULATIVE);
	if (m->kind == EXPORT_OTLP_SUM)
		proto_uint(w->out, 3, 1);
	proto_end(w->out, w->data);
	proto_end(w->out, w->metric);
}

/* count 4, sum 5, bucket_counts 6, explicit_bounds 7, min 11, max 12 */
static void add_histogram(struct proto_writer *w, const struct export_series *s)
{
	struct strbuf *out = w->out;
	size_t packed;

	proto_fixed64(out, 4, s->count);
	proto_double(out, 5, s->sum);
	packed = proto_begin(out, 6);
	for (size_t i = 0; i <= w->t->n_bounds; i++)
		proto_raw64(out, s->buckets[i]);
	proto_end(out, packed);
	packed = proto_begin(out, 7);
	for (size_t i = 0; i < w->t->n_bounds; i++)
		proto_raw_double(out, w->t->bounds[i]);
	proto_end(out, packed);
	proto_double(out, 11, s->min);
	proto_double(out, 12, s->max);
}

/* NumberDataPoint{start 2, time 3, as_double 4, as_int 6, attributes 7};
 * HistogramDataPoint{start 2, time 3, attributes 9, ...} */
static void add_point(void *arg, const struct export_otlp_point *p)
{
	struct proto_writer *w = arg;
	size_t point = proto_begin(w->out, 1);
	bool histogram = p->series->buckets;

	proto_fixed64(w->out, 2, (uint64_t)w->o->start_ns);
	proto_fixed64(w->out, 3, (uint64_t)w->o->now_ns);
	if (histogram)
		add_histogram(w, p->series);
	else if (p->whole)
		proto_fixed64(w->out, 6, p->count);
	else
		proto_double(w->out, 4, p->value);
	add_attributes(w, histogram ? 9 : 7, p);
	proto_end(w->out, point);
}

/* ExportMetricsServiceRequest{resource_metrics 1: ResourceMetrics{resource 1: Resource{attributes
 * 1}, scope_metrics 2: ScopeMetrics{scope 1: InstrumentationScope{name 1, version 2}, metrics 2}}}
 */
void export_otlp_proto(const struct export_otlp *o, const struct export_table *t,
		       struct strbuf *out)
{
	struct proto_writer w = { .o = o, .t = t, .out = out };
	struct export_otlp_writer writer = { metric_begin, add_point, metric_end, &w };
	size_t all = proto_begin(out, 1), part, scope;

	part = proto_begin(out, 1);
	add_attribute(out, 1, STR("service.name"), str_from(o->service));
	add_attribute(out, 1, STR("service.version"), str_from(o->version));
	proto_end(out, part);
	part = proto_begin(out, 2);
	scope = proto_begin(out, 1);
	proto_str(out, 1, STR("assay"));
	proto_str(out, 2, STR(ASSAY_VERSION));
	proto_end(out, scope);
	export_otlp_walk(o, t, &writer);
	proto_end(out, part);
	proto_end(out, all);
}
