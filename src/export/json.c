/*
 * `--out json=FILE`: k6's JSON lines (its documentation, "JSON output"): one "Metric" record when a
 * metric is first seen, then a "Point" a sample; times are RFC 3339 in UTC with all nine digits.
 */
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/vec.h"
#include "export/file.h"
#include "export/metadata.h"
#include "export/outputs.h"
#include "export/texts.h"

#define INTERVAL_NS (200 * NS_PER_MS)

struct json_output {
	struct export_output base;
	char *path;
	int stdout_fd;
	struct export_file file;
	struct export_texts tags;
	struct export_metadata metadata; /* scratch */
	VEC(char *) metrics;		 /* names, quoted; NULL = not met yet */
	time_t second;			 /* whose text is in stamp */
	char stamp[32];
};

static struct json_output *json_of(struct export_output *o)
{
	return container_of(o, struct json_output, base);
}

static void add_time(struct json_output *j, uint64_t t_ns)
{
	int64_t ns = export_wall_ns(j->base.run, t_ns);
	time_t second = (time_t)(ns / (int64_t)NS_PER_S);
	struct tm utc;

	if (second != j->second || !*j->stamp) {
		gmtime_r(&second, &utc);
		strftime(j->stamp, sizeof(j->stamp), "%Y-%m-%dT%H:%M:%S.", &utc);
		j->second = second;
	}
	strbuf_addstr(&j->file.text, j->stamp);
	strbuf_add_uint(&j->file.text, (uint64_t)(ns % (int64_t)NS_PER_S), 9);
	strbuf_addch(&j->file.text, 'Z');
}

static void define_metric(struct json_output *j, uint32_t metric)
{
	static const char *const types[] = { "counter", "gauge", "rate", "trend" };
	static const char *const contains[] = { "default", "time", "data" };
	const struct export_run *run = j->base.run;
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct strbuf *out = &j->file.text;
	struct export_metric m;

	run->metric(run->arg, metric, &m);
	json_add_quoted(&name, str_from(m.name));
	strbuf_addf(out,
		    "{\"type\":\"Metric\",\"data\":{\"name\":%s,\"type\":\"%s\","
		    "\"contains\":\"%s\",\"thresholds\":",
		    strbuf_cstr(&name), types[m.type], contains[m.contains]);
	run->thresholds(run->arg, metric, out);
	strbuf_addf(out, ",\"submetrics\":null},\"metric\":%s}\n", strbuf_cstr(&name));
	j->metrics.ptr[metric] = strbuf_detach(&name);
}

static const char *metric_name(struct json_output *j, uint32_t metric)
{
	while (j->metrics.len <= metric)
		vec_push(&j->metrics, NULL);
	if (!j->metrics.ptr[metric])
		define_metric(j, metric);
	return j->metrics.ptr[metric];
}

static void format_tags(void *arg, const void *tags, struct strbuf *out)
{
	struct json_output *j = arg;
	struct export_tag tag;
	struct json_writer w;

	json_init(&w, out, JSON_COMPACT);
	json_object_begin(&w, NULL);
	for (uint32_t i = 0; j->base.run->tag(tags, i, &tag); i++)
		json_str(&w, tag.key.ptr, tag.value);
	json_object_end(&w);
}

static void add_metadata(struct json_output *j, const struct export_point *p)
{
	struct strbuf *out = &j->file.text;
	struct json_writer w;

	export_metadata_read(&j->metadata, j->base.run, p);
	if (!j->metadata.list.len)
		return;
	strbuf_addstr(out, ",\"metadata\":");
	json_init(&w, out, JSON_COMPACT);
	json_object_begin(&w, NULL);
	vec_for_each (&j->metadata.list, m)
		json_str(&w, m->key.ptr, m->value);
	json_object_end(&w);
}

static void add_point(struct json_output *j, const struct export_point *p)
{
	const char *name = metric_name(j, p->metric);
	struct strbuf *out = &j->file.text;
	struct str tags;

	strbuf_addstr(out, "{\"metric\":");
	strbuf_addstr(out, name);
	strbuf_addstr(out, ",\"type\":\"Point\",\"data\":{\"time\":\"");
	add_time(j, p->t_ns);
	strbuf_addstr(out, "\",\"value\":");
	json_add_double(out, p->value);
	strbuf_addstr(out, ",\"tags\":");
	tags = export_texts_get(&j->tags, p->tags);
	strbuf_add(out, tags.ptr, tags.len);
	add_metadata(j, p);
	strbuf_addstr(out, "}}\n");
	export_file_line(&j->file);
}

static void add_points(struct export_output *o, const struct export_point *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_point(json_of(o), &p[i]);
}

static void flush(struct export_output *o)
{
	export_file_flush(&json_of(o)->file);
}

static void end(struct export_output *o)
{
	export_file_close(&json_of(o)->file);
}

static int begin(struct export_output *o, struct error *reterr)
{
	struct json_output *j = json_of(o);
	int r = export_file_open(&j->file, o, j->path, j->stdout_fd, reterr);

	if (r == 0)
		export_texts_init(&j->tags, format_tags, j);
	return r;
}

static void free_all(struct export_output *o)
{
	struct json_output *j = json_of(o);

	vec_for_each (&j->metrics, name)
		free(*name);
	vec_release(&j->metrics);
	export_texts_release(&j->tags);
	export_metadata_release(&j->metadata);
	free(j->path);
	free(j);
}

int export_json_create(const struct export_spec *spec, struct export_output **ret,
		       struct error *reterr)
{
	static const struct export_ops ops = {
		.begin = begin,
		.points = add_points,
		.tick = flush,
		.end = end,
		.free = free_all,
	};
	struct json_output *j = xcalloc(1, sizeof(*j));

	(void)reterr;
	j->base.ops = &ops;
	j->base.interval_ns = INTERVAL_NS;
	j->path = xstrdup(*spec->arg ? spec->arg : "-");
	j->stdout_fd = spec->stdout_fd;
	*ret = &j->base;
	return 0;
}
