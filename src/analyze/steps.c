/*
 * The environment (what was measured, where, with which load) and the findings step by step: a
 * command that does it again, what came out, and the file that holds it.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"
#include "base/num.h"
#include "model/meta.h"

/* ---- environment ---- */

static void add_fact(struct case_finding *f, const char *name, struct strbuf *value)
{
	if (value->len)
		vec_push(&f->environment,
			 ((struct case_fact){ xstrdup(name), strbuf_detach(value) }));
}

static void tell_service(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *command = case_fact(f, META_TARGET_COMMAND);

	if (command)
		strbuf_addstr(&sb, command);
	add_fact(f, "service", &sb);
}

static void tell_limits(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	double cpus = case_limit_cpus(f), memory = case_limit_memory(f);
	double wanted = f->desc->limit_cpus;

	if (figure_known(cpus))
		strbuf_addf(&sb, "%.3g CPU", cpus);
	if (figure_known(memory)) {
		strbuf_addstr(&sb, sb.len ? ", " : "");
		fmt_figure(&sb, UNIT_BYTES, memory);
	}
	if (!sb.len && f->runs.len)
		strbuf_addstr(&sb, "none");
	if (wanted > 0 && f->runs.len && !(fabs(cpus - wanted) < 0.005 * wanted))
		strbuf_addf(&sb, " in effect, although %.3g CPU were asked for", wanted);
	add_fact(f, "limits", &sb);
}

static void tell_host(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *cpus = case_fact(f, META_HOST_CPUS), *model = case_fact(f, META_HOST_CPU);
	const char *memory = case_fact(f, META_HOST_MEMORY),
		   *kernel = case_fact(f, META_HOST_KERNEL);
	double bytes;

	if (cpus)
		strbuf_addf(&sb, "%s CPUs", cpus);
	if (model)
		strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", model);
	if (memory && num_parse_double(str_from(memory), &bytes) == 0) {
		strbuf_addstr(&sb, sb.len ? ", " : "");
		fmt_figure(&sb, UNIT_BYTES, bytes);
	}
	if (kernel)
		strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", kernel);
	add_fact(f, "machine", &sb);
}

static void add_seconds(struct strbuf *sb, const char *before, const char *seconds)
{
	double v;

	if (seconds && num_parse_double(str_from(seconds), &v) == 0)
		strbuf_addf(sb, "%s%.6g s", before, v);
}

static void tell_load(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *script = case_fact(f, META_LOAD_SCRIPT), *vus = case_fact(f, META_LOAD_VUS);
	const char *hash = case_fact(f, META_LOAD_SHA256);

	case_add_rate(&sb, "constant arrival rate ", f);
	add_seconds(&sb, ", for ", case_fact(f, META_LOAD_DURATION_S));
	add_seconds(&sb, " after a warm-up of ", case_fact(f, META_LOAD_WARMUP_S));
	if (f->desc->warmup_auto)
		strbuf_addstr(&sb, " (found: until throughput was stable)");
	if (vus)
		strbuf_addf(&sb, ", up to %s virtual users", vus);
	if (script)
		strbuf_addf(&sb, "; script %s", script);
	if (script && hash)
		strbuf_addf(&sb, " (sha256 %.12s)", hash);
	add_fact(f, "load", &sb);
}

static void tell_rate(struct case_finding *f)
{
	const struct case_desc_search *s = &f->desc->search;
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!s->done)
		return;
	fmt_figure(&sb, UNIT_PER_S, s->carried_per_s);
	strbuf_addstr(&sb, " is what ");
	case_add_name(&sb, case_base(f));
	strbuf_addf(&sb,
		    " carries under these limits (closed-loop search); driven with %.3g times "
		    "that",
		    s->factor);
	if (f->desc->rate_goal_per_s > 0) {
		strbuf_addstr(&sb, ", the goal is ");
		fmt_figure(&sb, UNIT_PER_S, f->desc->rate_goal_per_s);
	}
	add_fact(f, "why this rate", &sb);
}

static void tell_versions(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *version = case_fact(f, META_VERSION), *start = case_fact(f, META_WALL_START);

	if (version)
		strbuf_addf(&sb, "assay %s", version);
	if (start)
		strbuf_addf(&sb, "%sfirst run %s", sb.len ? ", " : "", start);
	add_fact(f, "measured by", &sb);
}

static void tell_order(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	vec_for_each (&f->runs, r)
		if (!(*r)->goal)
			strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", (*r)->variant);
	if (sb.len)
		strbuf_addstr(&sb, "; a fresh target for each run");
	add_fact(f, "order of runs", &sb);
}

void case_list_environment(struct case_finding *f)
{
	tell_service(f);
	tell_limits(f);
	tell_load(f);
	tell_rate(f);
	tell_order(f);
	tell_host(f);
	tell_versions(f);
}

/* ---- steps ---- */

static void add_step(struct case_finding *f, struct strbuf *command, struct strbuf *result,
		     struct strbuf *file)
{
	vec_push(&f->steps, ((struct case_step){ strbuf_detach(command), strbuf_detach(result),
						 file ? strbuf_detach(file) : NULL }));
}

static void step_search(struct case_finding *f)
{
	const struct case_desc_search *s = &f->desc->search;
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT, result = STRBUF_INIT;

	if (!s->done)
		return;
	strbuf_addstr(&command, "closed-loop search on ");
	case_add_name(&command, case_base(f));
	vec_for_each (&s->probes, p) {
		strbuf_addf(&result, "%s%u VU%s ", result.len ? ", " : "", p->vus,
			    p->vus == 1 ? "" : "s");
		fmt_figure(&result, UNIT_PER_S, p->achieved_per_s);
	}
	strbuf_addstr(&result, result.len ? ": carries " : "carries ");
	fmt_figure(&result, UNIT_PER_S, s->carried_per_s);
	add_step(f, &command, &result, NULL);
}

static void step_answers(struct case_finding *f)
{
	const struct case_desc_answers *a = &f->desc->answers;
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT, result = STRBUF_INIT;

	if (!a->requests)
		return;
	strbuf_addf(&command, "%u request%s to every variant, answers compared", a->requests,
		    a->requests == 1 ? "" : "s");
	strbuf_addstr(&result, a->result == CASE_ANSWERS_EQUAL	  ? "equal"
			       : a->result == CASE_ANSWERS_DIFFER ? "they differ"
								  : "not compared");
	if (a->detail)
		strbuf_addf(&result, ": %s", a->detail);
	add_step(f, &command, &result, NULL);
}

/* A word of a shell command: as it is, or in single quotes. */
static void add_word(struct strbuf *sb, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:=@%+,";

	if (*word && word[strspn(word, plain)] == '\0') {
		strbuf_addstr(sb, word);
		return;
	}
	strbuf_addch(sb, '\'');
	for (const char *c = word; *c; c++)
		strbuf_addstr(sb, *c == '\'' ? "'\\''" : (char[]){ *c, '\0' });
	strbuf_addch(sb, '\'');
}

/* "assay load -e RATE=161 … checkout.js", from what the run recorded. */
static void add_command(struct strbuf *sb, const struct figures *r)
{
	const char *env = figures_fact(r, META_LOAD_ENV), *name;
	const char *script = figures_fact(r, META_LOAD_SCRIPT);
	json_t *object = env ? json_loads(env, 0, NULL) : NULL, *value;

	strbuf_addstr(sb, "assay load");
	json_object_foreach(object, name, value)
	{
		CLEANUP(mem_cleanup) char *pair = NULL;

		if (!json_is_string(value))
			continue;
		pair = xasprintf("%s=%s", name, json_string_value(value));
		strbuf_addstr(sb, " -e ");
		add_word(sb, pair);
	}
	json_decref(object);
	strbuf_addch(sb, ' ');
	add_word(sb, script ? script : "SCRIPT");
}

static void add_result(struct strbuf *sb, const struct variant_finding *v)
{
	fmt_figure(sb, UNIT_PER_S, v->spread[FIGURE_ACHIEVED].value);
	if (v->dropped) {
		strbuf_addstr(sb, " (");
		fmt_share(sb, v->spread[FIGURE_DROPPED].value);
		strbuf_addstr(sb, " dropped)");
	}
	strbuf_addstr(sb, ", p99 ");
	fmt_figure(sb, UNIT_MS, v->spread[FIGURE_P99].value);
	if (v->spread[FIGURE_CPU_PER_REQUEST].n) {
		strbuf_addstr(sb, ", ");
		fmt_figure(sb, UNIT_MS, v->spread[FIGURE_CPU_PER_REQUEST].value);
		strbuf_addstr(sb, " of CPU per request");
	}
	if (v->spread[FIGURE_THROTTLED].n) {
		strbuf_addstr(sb, ", ");
		fmt_share(sb, v->spread[FIGURE_THROTTLED].value);
		strbuf_addstr(sb, " of periods throttled");
	}
	strbuf_addf(sb, "; target %s", v->slo_text);
}

static void step_variant(struct case_finding *f, const struct variant_finding *v)
{
	CLEANUP(strbuf_release)
	struct strbuf command = STRBUF_INIT, result = STRBUF_INIT, file = STRBUF_INIT;

	case_for_each_run (f, v, i) {
		if (!command.len)
			add_command(&command, f->runs.ptr[i]);
		strbuf_addf(&file, "%s%s", file.len ? ", " : "", f->runs.ptr[i]->file);
	}
	if (!command.len)
		return;
	case_add_name(&result, v);
	if (v->description)
		strbuf_addf(&result, " (%s)", v->description);
	strbuf_addstr(&result, ": ");
	add_result(&result, v);
	add_step(f, &command, &result, &file);
}

void case_list_steps(struct case_finding *f)
{
	step_answers(f);
	step_search(f);
	vec_for_each (&f->variants, v)
		step_variant(f, v);
	if (f->goal.runs)
		step_variant(f, &f->goal);
}
