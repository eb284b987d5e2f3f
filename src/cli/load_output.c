#include "cli/load_output.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "export/outputs.h"

/* --- what the outputs ask ----------------------------------------------------------------------
 */

static void describe_metric(void *arg, uint32_t id, struct export_metric *ret)
{
	static const enum export_type types[] = {
		[LOAD_COUNTER] = EXPORT_COUNTER,
		[LOAD_GAUGE] = EXPORT_GAUGE,
		[LOAD_RATE] = EXPORT_RATE,
		[LOAD_TREND] = EXPORT_TREND,
	};
	static const enum export_contains contains[] = {
		[LOAD_DEFAULT] = EXPORT_DEFAULT,
		[LOAD_TIME] = EXPORT_TIME,
		[LOAD_DATA] = EXPORT_DATA,
	};
	struct load_outputs *o = arg;
	const struct load_metric *m = load_metrics_get(o->metrics, id);

	*ret = (struct export_metric){ m->name, types[m->type], contains[m->contains] };
}

static bool is_of(struct str key, const char *metric)
{
	size_t brace = str_find(key, '{');

	return str_eq_c((struct str){ key.ptr, brace }, metric) && brace == key.len;
}

/* The metric's own; its submetrics' are not shown there. */
static void list_thresholds(void *arg, uint32_t id, struct strbuf *out)
{
	struct load_outputs *o = arg;
	const struct load_metric *m = load_metrics_get(o->metrics, id);
	struct json_writer w;

	json_init(&w, out, JSON_COMPACT);
	json_array_begin(&w, NULL);
	vec_for_each (&o->plan->thresholds, t)
		if (is_of(str_from(t->metric), m->name))
			json_cstr(&w, NULL, t->expression);
	json_array_end(&w);
}

static bool get_tag(const void *opaque, uint32_t i, struct export_tag *ret)
{
	const struct load_tags *tags = opaque;

	if (i >= tags->len)
		return false;
	*ret = (struct export_tag){ tags->list[i].key, tags->list[i].value };
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_system_tags(struct load_outputs *o)
{
	uint32_t on = o->plan->system_tags & ~(uint32_t)(LOAD_TAG_VU | LOAD_TAG_ITER);

	vec_clear(&o->system_tags);
	for (; on; on &= on - 1)
		vec_push(&o->system_tags, load_system_tag_name((enum load_system_tag)(on & -on)));
	if (o->system_tags.len)
		qsort(o->system_tags.ptr, o->system_tags.len, sizeof(char *), by_name);
}

/* --- what the engine calls -------------------------------------------------------------------- */

static int begin(void *arg, const struct load_output_run *run, struct error *reterr)
{
	struct load_outputs *o = arg;

	o->metrics = run->metrics;
	o->plan = run->plan;
	list_system_tags(o);
	o->run = (struct export_run){
		.metric = describe_metric,
		.thresholds = list_thresholds,
		.tag = get_tag,
		.arg = o,
		.wall_anchor_ns = run->wall_anchor_ns,
		.vu = run->plan->system_tags & LOAD_TAG_VU,
		.iter = run->plan->system_tags & LOAD_TAG_ITER,
		.system_tags = o->system_tags.ptr,
		.n_system_tags = o->system_tags.len,
	};
	return export_hub_open(&o->hub, &o->run, o->ptr, o->len, reterr);
}

static void *writer_new(void *arg)
{
	return export_batch_new(((struct load_outputs *)arg)->hub);
}

static void add(void *writer, const struct load_sample *s)
{
	struct export_point p = {
		.metric = s->metric->id,
		.vu = s->vu,
		.iter = s->iteration,
		.tags = s->tags,
		.t_ns = s->t_ns,
		.value = s->value,
		.metadata = s->metadata,
	};

	export_add(writer, &p);
}

static void flush(void *writer)
{
	export_flush(writer);
}

static void writer_free(void *writer)
{
	export_batch_free(writer);
}

static void end(void *arg, struct load_summary_outputs *ret)
{
	struct load_outputs *o = arg;

	export_hub_close(TAKE(o->hub));
	vec_for_each (o, out) {
		CLEANUP(strbuf_release) struct strbuf why = STRBUF_INIT;
		struct load_summary_output r = { xstrdup((*out)->label), 0, NULL };

		r.lost = export_output_lost(*out, &why);
		if (why.len)
			r.why = strbuf_detach(&why);
		vec_push(ret, r);
	}
}

const struct load_output_ops load_outputs_ops = {
	.begin = begin,
	.writer_new = writer_new,
	.add = add,
	.flush = flush,
	.writer_free = writer_free,
	.end = end,
};

/* --- from the command line -------------------------------------------------------------------- */

static int add_output(struct load_outputs *o, const char *text, struct error *reterr)
{
	struct export_output *out;
	int r = export_output_new(&out, text, (const char *const *)environ, STDOUT_FILENO, reterr);

	if (r < 0)
		return r;
	vec_push(o, out);
	return 0;
}

/* K6_OUT: several, parted by commas. */
static int read_variable(struct load_outputs *o, const char *text, struct error *reterr)
{
	struct str rest = str_from(text), part;

	while (str_split(&rest, ',', &part)) {
		CLEANUP(mem_cleanup) char *one = str_dup(str_trim(part));

		if (*one && add_output(o, one, reterr) < 0)
			return error_wrap(reterr, "the environment's K6_OUT");
	}
	return 0;
}

int load_outputs_read(const struct load_flags *f, struct load_outputs *ret, struct error *reterr)
{
	const char *variable = load_flags_or_variable(NULL, "K6_OUT");

	for (size_t i = 0; i < f->outputs.len; i++)
		if (add_output(ret, f->outputs.ptr[i], reterr) < 0)
			return error_wrap(reterr, "--out");
	return !f->outputs.len && variable ? read_variable(ret, variable, reterr) : 0;
}

void load_outputs_release(struct load_outputs *o)
{
	export_hub_close(o->hub);
	vec_for_each (o, out)
		export_output_free(*out);
	vec_release(o);
	vec_release(&o->system_tags);
}
