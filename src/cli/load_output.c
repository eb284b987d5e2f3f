#include "cli/load_output.h"

#include <errno.h>

#include "export/k6json.h"

static bool is_of(struct str key, const char *metric)
{
	size_t brace = str_find(key, '{');

	return str_eq_c((struct str){ key.ptr, brace }, metric) && brace == key.len;
}

/* A JSON array of the metric's own thresholds; its submetrics' are not shown there. */
static void describe_metric(void *arg, uint32_t id, struct k6json_metric *ret)
{
	struct load_json_output *o = arg;
	const struct load_metric *m = load_metrics_get(o->metrics, id);
	struct json_writer w;

	strbuf_clear(&o->thresholds);
	json_init(&w, &o->thresholds, JSON_COMPACT);
	json_array_begin(&w, NULL);
	vec_for_each (&o->plan->thresholds, t)
		if (is_of(str_from(t->metric), m->name))
			json_cstr(&w, NULL, t->expression);
	json_array_end(&w);
	*ret = (struct k6json_metric){
		.name = m->name,
		.type = load_metric_type_name(m->type),
		.contains = load_contains_name(m->contains),
		.thresholds = strbuf_cstr(&o->thresholds),
	};
}

static void write_tags(void *arg, const void *opaque, struct json_writer *w)
{
	const struct load_tags *tags = opaque;

	(void)arg;
	for (uint32_t i = 0; i < tags->len; i++)
		json_str(w, tags->list[i].key.ptr, tags->list[i].value);
}

static int begin(void *arg, const struct load_output_run *run, struct error *reterr)
{
	struct load_json_output *o = arg;
	struct k6json_opts opts = {
		.metric = describe_metric,
		.tags_fmt = write_tags,
		.arg = o,
		.wall_anchor_ns = run->wall_anchor_ns,
		.vu = run->plan->system_tags & LOAD_TAG_VU,
		.iter = run->plan->system_tags & LOAD_TAG_ITER,
	};

	o->metrics = run->metrics;
	o->plan = run->plan;
	return k6json_open(o->path, &opts, &o->k6json, reterr);
}

static void *writer_new(void *arg)
{
	struct load_json_output *o = arg;

	return k6json_batch_new(o->k6json);
}

static void add(void *writer, const struct load_sample *s)
{
	struct k6json_point p = {
		.metric = s->metric->id,
		.vu = s->vu,
		.iter = s->iteration,
		.tags = s->tags,
		.t_ns = s->t_ns,
		.value = s->value,
	};

	k6json_add(writer, &p);
}

static void flush(void *writer)
{
	k6json_flush(writer);
}

static void writer_free(void *writer)
{
	k6json_batch_free(writer);
}

static int end(void *arg, struct error *reterr)
{
	struct load_json_output *o = arg;
	uint64_t lost = k6json_lost(o->k6json);
	int r = k6json_close(o->k6json, reterr);

	strbuf_release(&o->thresholds);
	if (r < 0 || !lost)
		return r;
	return error_set(reterr, -ENOSPC, "%s: %llu samples were lost, the disk was too slow",
			 o->path, (unsigned long long)lost);
}

const struct load_output_ops load_json_output_ops = {
	.begin = begin,
	.writer_new = writer_new,
	.add = add,
	.flush = flush,
	.writer_free = writer_free,
	.end = end,
};
