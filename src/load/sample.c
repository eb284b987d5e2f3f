#include "load/sample.h"

#include "js/value.h"

static void write_output(struct load_worker *w, const struct load_sample *s)
{
	if (w->output && !s->metric->own)
		w->run->opts->output->add(w->output, s);
}

void load_worker_sample(struct load_worker *w, enum load_builtin metric,
			const struct load_tags *tags, uint64_t t_ns, double value)
{
	const struct load_metric *m = w->run->builtin[metric];

	load_agg_add(w->second->agg, m, tags, t_ns, value);
	write_output(w, &(struct load_sample){ m, tags, t_ns, value, 0, 0, NULL });
}

void load_vu_sample_at(struct load_vu *vu, const struct load_metric *m,
		       const struct load_tags *tags, uint64_t t_ns, double value)
{
	struct load_worker *w = vu->worker;

	if (vu->warmup)
		return;
	load_agg_add(w->second->agg, m, tags, t_ns, value);
	write_output(w, &(struct load_sample){ m, tags, t_ns, value, vu->id, vu->iteration,
					       vu->metadata });
}

struct tag_build {
	struct load_vu *vu;
	const struct load_tags *tags;
};

static int add_tag(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct tag_build *b = arg;

	if (JS_IsNull(value) || JS_IsUndefined(value))
		return 0;
	if (JS_IsObject(value)) {
		JS_ThrowTypeError(ctx, "the tag \"%.*s\" has no simple value", STR_FMT(key));
		return -1;
	}
	if (js_to_str(ctx, value, &text) < 0)
		return -1;
	b->tags = load_vu_tags_with(b->vu, b->tags, key, strbuf_str(&text));
	return 0;
}

int load_vu_tags_from(struct load_vu *vu, JSValueConst obj, const struct load_tags **tags)
{
	struct tag_build b = { vu, *tags };

	if (!JS_IsObject(obj))
		return 0;
	if (js_each(js_vm_context(vu->vm), obj, add_tag, &b) < 0)
		return -1;
	*tags = b.tags;
	return 0;
}

const struct load_tags *load_worker_scenario_tags(struct load_worker *w,
						  const struct load_scenario *s)
{
	const struct load_tags *tags = w->run_tags;

	if (w->run->plan->system_tags & LOAD_TAG_SCENARIO)
		tags = load_tags_with(w->tags, tags, STR("scenario"), str_from(s->name));
	vec_for_each (&s->tags, t)
		tags = load_tags_with(w->tags, tags, str_from(t->key), str_from(t->value));
	return tags;
}

void load_vu_sample_data(struct load_vu *vu, uint64_t now_ns)
{
	load_vu_sample_at(vu, vu->run->builtin[LOAD_M_DATA_SENT], vu->tags, now_ns,
			  (double)vu->bytes_sent);
	load_vu_sample_at(vu, vu->run->builtin[LOAD_M_DATA_RECEIVED], vu->tags, now_ns,
			  (double)vu->bytes_received);
	vu->bytes_sent = vu->bytes_received = 0;
}
