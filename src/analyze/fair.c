#include "analyze/fair.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/fmt.h"
#include "base/num.h"
#include "model/meta.h"

/* What must be equal, and how its value is shown. */
enum show { SHOW_TEXT, SHOW_HASH, SHOW_RATE, SHOW_SECONDS, SHOW_CPUS, SHOW_BYTES, SHOW_PERIOD };

static const struct {
	const char *key, *name;
	enum show show;
} facts[] = {
	{ META_LOAD_SHA256, "script", SHOW_HASH },
	{ META_LOAD_RATE, "rate", SHOW_RATE },
	{ META_LOAD_DURATION_S, "duration", SHOW_SECONDS },
	{ META_LOAD_WARMUP_S, "warm-up", SHOW_SECONDS },
	{ META_LOAD_VUS, "virtual users", SHOW_TEXT },
	{ META_LIMIT_CPUS, "CPU limit", SHOW_CPUS },
	{ META_LIMIT_PERIOD_NS, "quota period", SHOW_PERIOD },
	{ META_LIMIT_MEMORY, "memory limit", SHOW_BYTES },
	{ META_HOST_KERNEL, "kernel", SHOW_TEXT },
	{ META_HOST_CPU, "processor", SHOW_TEXT },
	{ META_HOST_CPUS, "processors", SHOW_TEXT },
	{ META_HOST_MEMORY, "machine's memory", SHOW_BYTES },
	{ META_VERSION, "assay", SHOW_TEXT },
};

void fair_add(struct fair_checks *checks, const char *name, bool ok, char *detail)
{
	vec_push(checks, ((struct fair_check){ xstrdup(name), ok, detail }));
}

bool fair_all_ok(const struct fair_checks *checks)
{
	vec_for_each (checks, c)
		if (!c->ok)
			return false;
	return true;
}

void fair_release(struct fair_checks *checks)
{
	vec_for_each (checks, c) {
		free(c->name);
		free(c->detail);
	}
	vec_release(checks);
}

void fair_name_run(struct strbuf *sb, const struct figures *f)
{
	if (f->variant[0])
		strbuf_addf(sb, "%s %u", f->variant, f->index);
	else
		strbuf_addstr(sb, f->file[0] ? f->file : "the run");
	if (f->goal)
		strbuf_addstr(sb, " (goal)");
}

/* ---- facts that must be equal ---- */

static void show(struct strbuf *sb, enum show how, const char *text)
{
	double v;

	if (!text) {
		strbuf_addstr(sb, "not recorded");
		return;
	}
	if (how == SHOW_TEXT || how == SHOW_HASH || num_parse_double(str_from(text), &v) < 0) {
		strbuf_addf(sb, "%.*s", how == SHOW_HASH ? 12 : 200, text);
		return;
	}
	if (how == SHOW_RATE)
		fmt_figure(sb, UNIT_PER_S, v);
	else if (how == SHOW_SECONDS)
		strbuf_addf(sb, "%.6g s", v);
	else if (how == SHOW_CPUS && v > 0)
		strbuf_addf(sb, "%.4g CPU", v);
	else if (how == SHOW_BYTES && v > 0)
		fmt_figure(sb, UNIT_BYTES, v);
	else if (how == SHOW_PERIOD && v > 0)
		strbuf_addf(sb, "%.6g ms", v / 1e6);
	else
		strbuf_addstr(sb, "none");
}

/* "slow 1: 161/s, fixed 2: 700/s": the first run and the first that differs from it. */
static char *show_difference(struct figures *const *runs, size_t other, const char *key,
			     enum show how)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t pair[] = { 0, other };

	for (size_t i = 0; i < 2; i++) {
		strbuf_addstr(&sb, i ? ", " : "");
		fair_name_run(&sb, runs[pair[i]]);
		strbuf_addstr(&sb, ": ");
		show(&sb, how, figures_fact(runs[pair[i]], key));
	}
	return strbuf_detach(&sb);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare_fact(struct fair_checks *checks, struct figures *const *runs, size_t n,
			 size_t which)
{
	const char *first = figures_fact(runs[0], facts[which].key);
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	for (size_t i = 1; i < n; i++)
		if (!same_text(first, figures_fact(runs[i], facts[which].key))) {
			fair_add(checks, facts[which].name, false,
				 show_difference(runs, i, facts[which].key, facts[which].show));
			return;
		}
	if (!first)
		return;
	show(&sb, facts[which].show, first);
	fair_add(checks, facts[which].name, true, strbuf_detach(&sb));
}

/* ---- the script's environment, name by name ---- */

static void free_json(json_t **j)
{
	json_decref(*j);
}

static json_t *load_env(const struct figures *f)
{
	const char *text = figures_fact(f, META_LOAD_ENV);
	json_t *env = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

	if (json_is_object(env))
		return env;
	json_decref(env);
	return json_object();
}

static bool may_vary(const char *name, const struct fair_opts *o)
{
	for (size_t i = 0; i < o->n_varies; i++)
		if (!strcmp(o->varies[i], name))
			return true;
	return o->any_env;
}

/* Names whose value is not the same in all runs: object of name -> index of a run that differs. */
static json_t *find_differences(struct figures *const *runs, size_t n)
{
	CLEANUP(free_json) json_t *first = load_env(runs[0]);
	json_t *different = json_object();

	for (size_t i = 1; i < n; i++) {
		CLEANUP(free_json) json_t *other = load_env(runs[i]);
		json_t *const sides[] = { first, other };

		for (size_t side = 0; side < 2; side++) {
			const char *name;
			json_t *value;

			json_object_foreach(
				sides[side], name,
				value) if (!json_equal(value,
						       json_object_get(sides[!side], name)) &&
					   !json_object_get(different, name))
				json_object_set_new(different, name, json_integer((json_int_t)i));
		}
	}
	return different;
}

static void add_equal(struct strbuf *sb, json_t *env, json_t *different)
{
	const char *name;
	json_t *value;

	json_object_foreach(env, name,
			    value) if (json_is_string(value) && !json_object_get(different, name))
		strbuf_addf(sb, "%s%s=%s", sb->len ? " " : "", name, json_string_value(value));
}

static void compare_env(struct fair_checks *checks, struct figures *const *runs, size_t n,
			const struct fair_opts *o)
{
	CLEANUP(free_json) json_t *first = load_env(runs[0]);
	CLEANUP(free_json) json_t *different = find_differences(runs, n);
	CLEANUP(strbuf_release) struct strbuf equal = STRBUF_INIT, design = STRBUF_INIT;
	const char *name;
	json_t *index;

	if (!json_object_size(first) && !json_object_size(different))
		return;
	json_object_foreach(different, name, index)
	{
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		if (may_vary(name, o)) {
			strbuf_addf(&design, "%s%s", design.len ? ", " : "", name);
			continue;
		}
		strbuf_addf(&sb, "%s differs between ", name);
		fair_name_run(&sb, runs[0]);
		strbuf_addstr(&sb, " and ");
		fair_name_run(&sb, runs[json_integer_value(index)]);
		fair_add(checks, FAIR_ENVIRONMENT, false, strbuf_detach(&sb));
		return;
	}
	add_equal(&equal, first, different);
	if (design.len)
		strbuf_addf(&equal, "%sdifferent by design: %s", equal.len ? "; " : "",
			    strbuf_cstr(&design));
	fair_add(checks, FAIR_ENVIRONMENT, true, strbuf_detach(&equal));
}

/* ---- the generator ---- */

static void check_generator(struct fair_checks *checks, struct figures *const *runs, size_t n)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	double cpu = NAN, lag = NAN;

	for (size_t i = 0; i < n; i++) {
		cpu = fmax(cpu, runs[i]->gen_cpu_share);
		lag = fmax(lag, runs[i]->gen_lag_p99_ms);
		if (figures_valid(runs[i]))
			continue;
		strbuf_addstr(&sb, sb.len ? "; " : "");
		fair_name_run(&sb, runs[i]);
		strbuf_addf(&sb, ": %s", runs[i]->generator ? runs[i]->generator : "not judged");
	}
	if (sb.len) {
		fair_add(checks, FAIR_GENERATOR, false, strbuf_detach(&sb));
		return;
	}
	strbuf_addstr(&sb, "in every run");
	if (figure_known(cpu)) {
		strbuf_addstr(&sb, "; its busiest thread used ");
		fmt_share(&sb, cpu);
		strbuf_addstr(&sb, " of a CPU at most");
	}
	if (figure_known(lag)) {
		strbuf_addstr(&sb, ", sending late by ");
		fmt_figure(&sb, UNIT_MS, lag);
		strbuf_addstr(&sb, " at p99 at most");
	}
	fair_add(checks, FAIR_GENERATOR, true, strbuf_detach(&sb));
}

void fair_compare(struct fair_checks *checks, struct figures *const *runs, size_t n,
		  const struct fair_opts *o)
{
	if (!n)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		compare_fact(checks, runs, n, i);
	compare_env(checks, runs, n, o);
	check_generator(checks, runs, n);
}
