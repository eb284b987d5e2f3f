#include "experiment/describe.h"

#include <string.h>

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void describe_texts(struct case_desc_texts *to, const struct case_texts *from)
{
	to->symptom = copy(from->symptom);
	to->since = copy(from->since);
	to->root_cause = copy(from->root_cause);
	to->fix = copy(from->fix);
	to->fix_commit = copy(from->fix_commit);
	to->owner = copy(from->owner);
	vec_for_each (&from->open_items, item)
		vec_push(&to->open_items, copy(*item));
}

/* Does the text use one of the names that change from run to run: a variant's own, or the port? */
static bool varies(const struct case_file *c, const char *text)
{
	if (strstr(text, "${PORT}") || strstr(text, "${URL}"))
		return true;
	vec_for_each (&c->variants, v)
		vec_for_each (&v->vars, var) {
			CLEANUP(mem_cleanup) char *name = xasprintf("${%s}", var->name);

			if (strstr(text, name))
				return true;
		}
	return false;
}

struct case_desc *describe_case(const struct case_file *c, const char *command_line)
{
	struct case_desc *d = case_desc_new();

	d->name = xstrdup(c->name);
	d->case_file = xstrdup(c->path);
	d->command_line = copy(command_line);
	d->slo.metric = xstrdup(c->slo.metric);
	d->slo.quantile = c->slo.quantile;
	d->slo.limit_ms = c->slo.limit_ms;
	vec_for_each (&c->variants, v)
		vec_push(&d->variants,
			 ((struct case_desc_variant){ xstrdup(v->name), copy(v->description) }));
	vec_for_each (&c->suspects, s)
		vec_push(&d->suspects,
			 ((struct case_desc_suspect){ xstrdup(s->text), xstrdup(s->removed_by) }));
	d->runs_wanted = c->runs;
	d->goal_wanted = c->load.goal > 0;
	d->rate_asked_per_s = c->load.rate;
	d->rate_goal_per_s = c->load.goal;
	d->rate_used_per_s = c->load.rate;
	d->warmup_auto = c->load.warmup_ns == CASE_WARMUP_AUTO;
	d->limit_cpus = c->target.cpus;
	d->limit_memory_bytes = c->target.memory_bytes;
	vec_for_each (&c->load.env, pair)
		if (varies(c, pair->value))
			vec_push(&d->env_varies, xstrdup(pair->name));
	describe_texts(&d->texts, &c->texts);
	return d;
}
