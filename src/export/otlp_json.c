/*
 * The JSON mapping of protocol buffers, as OTLP wants it: names in lowerCamelCase, 64-bit integers
 * as texts, enumerations as numbers.
 */
#include <stdio.h>

#include "base/json.h"
#include "export/otlp.h"

#define CUMULATIVE 2

struct json_form {
	const struct export_otlp *o;
	const struct export_table *t;
	struct json_writer w;
};

static void put_uint(struct json_writer *w, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	json_cstr(w, key, text);
}

static void put_attribute(struct json_writer *w, struct str key, struct str value)
{
	json_object_begin(w, NULL);
	json_str(w, "key", key);
	json_object_begin(w, "value");
	json_str(w, "stringValue", value);
	json_object_end(w);
	json_object_end(w);
}

static void metric_begin(void *arg, const struct export_otlp_metric *m)
{
	static const char *const names[] = {
		[EXPORT_OTLP_SUM] = "sum",
		[EXPORT_OTLP_GAUGE] = "gauge",
		[EXPORT_OTLP_HISTOGRAM] = "histogram",
	};
	struct json_writer *w = &((struct json_form *)arg)->w;

	json_object_begin(w, NULL);
	json_cstr(w, "name", m->name);
	if (*m->unit)
		json_cstr(w, "unit", m->unit);
	json_object_begin(w, names[m->kind]);
	json_array_begin(w, "dataPoints");
}

static void metric_end(void *arg, const struct export_otlp_metric *m)
{
	struct json_writer *w = &((struct json_form *)arg)->w;

	json_array_end(w);
	if (m->kind != EXPORT_OTLP_GAUGE)
		json_int(w, "aggregationTemporality", CUMULATIVE);
	if (m->kind == EXPORT_OTLP_SUM)
		json_bool(w, "isMonotonic", true);
	json_object_end(w);
	json_object_end(w);
}

static void put_histogram(struct json_form *f, const struct export_series *s)
{
	put_uint(&f->w, "count", s->count);
	json_double(&f->w, "sum", s->sum);
	json_array_begin(&f->w, "bucketCounts");
	for (size_t i = 0; i <= f->t->n_bounds; i++)
		put_uint(&f->w, NULL, s->buckets[i]);
	json_array_end(&f->w);
	json_array_begin(&f->w, "explicitBounds");
	for (size_t i = 0; i < f->t->n_bounds; i++)
		json_double(&f->w, NULL, f->t->bounds[i]);
	json_array_end(&f->w);
	json_double(&f->w, "min", s->min);
	json_double(&f->w, "max", s->max);
}

static void put_point(void *arg, const struct export_otlp_point *p)
{
	struct json_form *f = arg;
	struct json_writer *w = &f->w;
	struct export_tag tag;

	json_object_begin(w, NULL);
	json_array_begin(w, "attributes");
	for (uint32_t i = 0; f->t->run->tag(p->series->tags, i, &tag); i++)
		if (tag.key.len)
			put_attribute(w, tag.key, tag.value);
	if (p->condition)
		put_attribute(w, STR("condition"), str_from(p->condition));
	json_array_end(w);
	put_uint(w, "startTimeUnixNano", (uint64_t)f->o->start_ns);
	put_uint(w, "timeUnixNano", (uint64_t)f->o->now_ns);
	if (p->series->buckets)
		put_histogram(f, p->series);
	else if (p->whole)
		put_uint(w, "asInt", p->count);
	else
		json_double(w, "asDouble", p->value);
	json_object_end(w);
}

void export_otlp_json(const struct export_otlp *o, const struct export_table *t, struct strbuf *out)
{
	struct json_form f = { .o = o, .t = t };
	struct export_otlp_writer writer = { metric_begin, put_point, metric_end, &f };
	struct json_writer *w = &f.w;

	json_init(w, out, JSON_COMPACT);
	json_object_begin(w, NULL);
	json_array_begin(w, "resourceMetrics");
	json_object_begin(w, NULL);
	json_object_begin(w, "resource");
	json_array_begin(w, "attributes");
	put_attribute(w, STR("service.name"), str_from(o->service));
	put_attribute(w, STR("service.version"), str_from(o->version));
	json_array_end(w);
	json_object_end(w);
	json_array_begin(w, "scopeMetrics");
	json_object_begin(w, NULL);
	json_object_begin(w, "scope");
	json_cstr(w, "name", "assay");
	json_cstr(w, "version", ASSAY_VERSION);
	json_object_end(w);
	json_array_begin(w, "metrics");
	export_otlp_walk(o, t, &writer);
	json_array_end(w);
	json_object_end(w);
	json_array_end(w);
	json_object_end(w);
	json_array_end(w);
	json_object_end(w);
}
