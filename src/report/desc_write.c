#include "report/json_internal.h"

#include "base/json.h"

static void write_variants(struct json_writer *w, const struct case_desc *d)
{
	json_array_begin(w, "variants");
	vec_for_each (&d->variants, v) {
		json_object_begin(w, NULL);
		json_cstr(w, "name", v->name);
		json_cstr(w, "description", v->description);
		json_object_end(w);
	}
	json_array_end(w);
	json_array_begin(w, "suspects");
	vec_for_each (&d->suspects, s) {
		json_object_begin(w, NULL);
		json_cstr(w, "text", s->text);
		json_cstr(w, "removed_by", s->removed_by);
		json_object_end(w);
	}
	json_array_end(w);
}

static void write_load(struct json_writer *w, const struct case_desc *d)
{
	json_object_begin(w, "rate");
	json_double(w, "asked_per_s", d->rate_asked_per_s);
	json_double(w, "goal_per_s", d->rate_goal_per_s);
	json_double(w, "used_per_s", d->rate_used_per_s);
	json_object_end(w);
	json_object_begin(w, "search");
	json_bool(w, "done", d->search.done);
	json_double(w, "carried_per_s", d->search.carried_per_s);
	json_double(w, "factor", d->search.factor);
	json_array_begin(w, "probes");
	vec_for_each (&d->search.probes, p) {
		json_object_begin(w, NULL);
		json_uint(w, "vus", p->vus);
		json_double(w, "achieved_per_s", p->achieved_per_s);
		json_double(w, "p99_ms", p->p99_ms);
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
	json_bool(w, "warmup_auto", d->warmup_auto);
	json_object_begin(w, "limits");
	json_double(w, "cpus", d->limit_cpus);
	json_uint(w, "memory_bytes", d->limit_memory_bytes);
	json_object_end(w);
	json_array_begin(w, "env_varies");
	vec_for_each (&d->env_varies, name)
		json_cstr(w, NULL, *name);
	json_array_end(w);
}

static void write_texts(struct json_writer *w, const struct case_desc_texts *t)
{
	json_object_begin(w, "texts");
	json_cstr(w, "symptom", t->symptom);
	json_cstr(w, "since", t->since);
	json_cstr(w, "root_cause", t->root_cause);
	json_cstr(w, "fix", t->fix);
	json_cstr(w, "fix_commit", t->fix_commit);
	json_cstr(w, "owner", t->owner);
	json_array_begin(w, "open_items");
	vec_for_each (&t->open_items, item)
		json_cstr(w, NULL, *item);
	json_array_end(w);
	json_object_end(w);
}

void report_write_desc(struct json_writer *w, const struct case_desc *d)
{
	static const char *const answers[] = { [CASE_ANSWERS_UNCHECKED] = "unchecked",
					       [CASE_ANSWERS_EQUAL] = "equal",
					       [CASE_ANSWERS_DIFFER] = "differ" };

	json_object_begin(w, "case");
	json_cstr(w, "name", d->name);
	json_cstr(w, "case_file", d->case_file);
	json_cstr(w, "command_line", d->command_line);
	json_object_begin(w, "slo");
	json_cstr(w, "metric", d->slo.metric);
	json_double(w, "quantile", d->slo.quantile);
	json_double(w, "limit_ms", d->slo.limit_ms);
	json_object_end(w);
	write_variants(w, d);
	json_uint(w, "runs_wanted", d->runs_wanted);
	json_bool(w, "goal_wanted", d->goal_wanted);
	write_load(w, d);
	json_object_begin(w, "answers");
	json_cstr(w, "result", answers[d->answers.result]);
	json_uint(w, "requests", d->answers.requests);
	json_cstr(w, "detail", d->answers.detail);
	json_object_end(w);
	write_texts(w, &d->texts);
	json_cstr(w, "stopped", d->stopped);
	json_object_end(w);
}
