/*
 * From tiers to a plan. The rules are k6's ("How to use options", order of precedence; observed
 * where the text is silent). How one tier lies over another is in options.c; within the result,
 * iterations (with duration as the limit), duration, stages and scenarios exclude each other, and
 * the first three are short for a scenario named "default".
 */
#include "load/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/agg.h"
#include "load/options.h"
#include "load/options_field.h"
#include "load/schedule.h"

/* Where the reading of one set of tiers stands. */
struct build {
	json_t *root; /* the tiers together */
	struct load_plan *plan;
	struct strbuf *warnings; /* may be NULL */
	struct error *reterr;
};

static const char *const system_tag_names[] = {
	"proto",       "subproto",
	"status",      "method",
	"url",	       "name",
	"group",       "check",
	"error",       "error_code",
	"tls_version", "scenario",
	"service",     "expected_response",
	"iter",	       "vu",
	"ip",	       "ocsp_status",
};

const char *load_system_tag_name(enum load_system_tag t)
{
	return system_tag_names[__builtin_ctz(t)];
}

static bool has(const struct build *b, const char *key)
{
	const json_t *v = json_object_get(b->root, key);

	return v && !json_is_null(v);
}

PRINTF_LIKE(2, 3) static void warn(const struct build *b, const char *fmt, ...)
{
	va_list ap;

	if (!b->warnings)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(b->warnings, fmt, ap);
	va_end(ap);
	strbuf_addch(b->warnings, '\n');
}

/* --- tiers ------------------------------------------------------------------------------------ */

/* A script cannot set what is a flag only. */
static void drop_flag_only(struct build *b)
{
	for (size_t i = 0; i < option_field_count; i++)
		if (option_fields[i].flag_only &&
		    json_object_del(b->root, option_fields[i].key) == 0)
			warn(b, "the script's option '%s' is ignored: it can only be a flag",
			     option_fields[i].key);
}

static void merge_tiers(struct build *b, const struct load_options *script,
			const struct load_options *flags)
{
	struct load_options all = { script ? json_copy(script->root) : json_object() };

	b->root = all.root;
	drop_flag_only(b);
	if (flags)
		load_options_overlay(&all, flags);
}

/* --- test-wide options ------------------------------------------------------------------------ */

static bool changes_nothing(const json_t *v)
{
	return json_is_null(v) || json_is_false(v) || (json_is_object(v) && !json_object_size(v)) ||
	       (json_is_array(v) && !json_array_size(v)) ||
	       (json_is_integer(v) && !json_integer_value(v));
}

static int read_option(struct build *b, const char *key, const json_t *value)
{
	const struct option_field *f = option_find(option_fields, option_field_count, key);
	const char *near;

	if (!f) {
		near = option_nearest(option_fields, option_field_count, key);
		warn(b, "there is no option '%s'%s%s%s", key,
		     near ? "; did you mean '" : "; it is ignored", near ? near : "",
		     near ? "'?" : "");
		return 0;
	}
	if (json_is_null(value) || f->kind == OPTION_CUSTOM || f->kind == OPTION_SILENT)
		return 0;
	if (f->kind == OPTION_IGNORED) {
		warn(b, "the option '%s' has no effect: %s", key, f->why);
		return 0;
	}
	if (f->kind != OPTION_REFUSED)
		return option_read(f, "options", value, b->plan, b->reterr);
	if (changes_nothing(value))
		return 0;
	return error_set(b->reterr, -EINVAL, "the option '%s' is not supported: %s", key, f->why);
}

static int read_options(struct build *b)
{
	const char *key;
	json_t *value;

	json_object_foreach(b->root, key, value)
	{
		int err = read_option(b, key, value);

		if (err < 0)
			return err;
	}
	return 0;
}

static int read_network(struct build *b)
{
	return load_network_read(&b->plan->network, b->root, b->reterr);
}

static int read_system_tag(struct build *b, const char *name)
{
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(system_tag_names); i++)
		if (!strcmp(name, system_tag_names[i])) {
			b->plan->system_tags |= 1u << i;
			return 0;
		}
	near = str_nearest(name, system_tag_names, ARRAY_SIZE(system_tag_names));
	return error_set(b->reterr, -EINVAL,
			 "options.systemTags: there is no system tag '%s'%s%s%s", name,
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int read_system_tags(struct build *b)
{
	const json_t *list = json_object_get(b->root, "systemTags");
	json_t *item;
	size_t i;

	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list))
		return error_set(b->reterr, -EINVAL,
				 "options.systemTags: expected a list of texts");
	b->plan->system_tags = 0;
	json_array_foreach((json_t *)(uintptr_t)list, i, item)
	{
		const char *name = json_string_value(item);
		int err = read_system_tag(b, name ? name : "");

		if (err < 0)
			return err;
	}
	return 0;
}

/* An option that is one of a few words: *ret is its number, and stays when it is not set. */
static int read_word(struct build *b, const char *key, const char *const *words, size_t n,
		     unsigned *ret)
{
	CLEANUP(strbuf_release) struct strbuf known = STRBUF_INIT;
	const json_t *value = json_object_get(b->root, key);
	const char *text = json_string_value(value);

	if (!value || json_is_null(value))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (text && !strcmp(text, words[i])) {
			*ret = (unsigned)i;
			return 0;
		}
		if (*words[i])
			strbuf_addf(&known, "%s\"%s\"",
				    !known.len	 ? ""
				    : i + 1 == n ? " or "
						 : ", ",
				    words[i]);
	}
	return error_set(b->reterr, -EINVAL, "options.%s: expected %s", key, strbuf_cstr(&known));
}

static int read_words(struct build *b)
{
	static const char *const units[] = { "", "s", "ms", "us" };
	static const char *const details[] = { "", "headers", "full" };
	static const char *const modes[] = { "compact", "full", "legacy" };
	unsigned unit = 0, detail = 0, mode = 0;

	if (read_word(b, "summaryTimeUnit", units, ARRAY_SIZE(units), &unit) < 0 ||
	    read_word(b, "httpDebug", details, ARRAY_SIZE(details), &detail) < 0 ||
	    read_word(b, "summaryMode", modes, ARRAY_SIZE(modes), &mode) < 0)
		return -EINVAL;
	b->plan->summary_time_unit = (enum load_time_unit)unit;
	b->plan->http_debug = (enum load_http_debug)detail;
	b->plan->summary_mode = (enum load_summary_mode)mode;
	return 0;
}

static int check_trend_stats(struct build *b)
{
	static const struct load_values none;
	double v;

	vec_for_each (&b->plan->summary_trend_stats, stat)
		if (load_values_get(&none, LOAD_TREND, str_from(*stat), 1, &v) < 0)
			return error_set(b->reterr, -EINVAL,
					 "options.summaryTrendStats: '%.40s' is not one of avg, "
					 "min, med, max, count and p(N) with N from 0 to 100",
					 *stat);
	return 0;
}

/* --- thresholds ------------------------------------------------------------------------------- */

static const struct option_field threshold_fields[] = {
	{ "threshold", OPTION_TEXT, offsetof(struct load_plan_threshold, expression) },
	{ "abortOnFail", OPTION_BOOL, offsetof(struct load_plan_threshold, abort_on_fail) },
	{ "delayAbortEval", OPTION_DURATION,
	  offsetof(struct load_plan_threshold, delay_abort_eval_ns) },
};

static int read_threshold_object(struct load_plan_threshold *t, const char *path,
				 const json_t *value, struct error *reterr)
{
	const char *key;
	json_t *item;

	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		const struct option_field *f =
			option_find(threshold_fields, ARRAY_SIZE(threshold_fields), key);
		int err;

		if (!f)
			return error_set(reterr, -EINVAL,
					 "%s.%s: a threshold has only threshold, abortOnFail and "
					 "delayAbortEval",
					 path, key);
		err = json_is_null(item) ? 0 : option_read(f, path, item, t, reterr);
		if (err < 0)
			return err;
	}
	if (!t->expression)
		return error_set(reterr, -EINVAL, "%s: the threshold's expression is missing",
				 path);
	return 0;
}

static int read_threshold(struct build *b, const char *metric, const char *path,
			  const json_t *value)
{
	struct load_plan_threshold t = { 0 };
	int err = 0;

	if (json_is_string(value))
		t.expression = xstrdup(json_string_value(value));
	else if (json_is_object(value))
		err = read_threshold_object(&t, path, value, b->reterr);
	else
		err = error_set(b->reterr, -EINVAL,
				"%s: expected a text such as \"p(95)<500\" or an object", path);
	if (err < 0) {
		free(t.expression);
		return err;
	}
	t.metric = xstrdup(metric);
	vec_push(&b->plan->thresholds, t);
	return 0;
}

static int read_thresholds_of(struct build *b, const char *metric, const json_t *list)
{
	char path[200];
	json_t *item;
	size_t i;

	snprintf(path, sizeof(path), "options.thresholds.%.150s", metric);
	if (!json_is_array(list))
		return error_set(b->reterr, -EINVAL,
				 "%s: expected a list of thresholds, as in [\"p(95)<500\"]", path);
	json_array_foreach((json_t *)(uintptr_t)list, i, item)
	{
		int err = read_threshold(b, metric, path, item);

		if (err < 0)
			return err;
	}
	return 0;
}

static int read_thresholds(struct build *b)
{
	const json_t *thresholds = json_object_get(b->root, "thresholds");
	const char *metric;
	json_t *list;

	if (!thresholds || json_is_null(thresholds))
		return 0;
	if (!json_is_object(thresholds))
		return error_set(b->reterr, -EINVAL,
				 "options.thresholds: expected an object of metrics");
	json_object_foreach((json_t *)(uintptr_t)thresholds, metric, list)
	{
		int err = read_thresholds_of(b, metric, list);

		if (err < 0)
			return err;
	}
	return 0;
}

/* --- scenarios -------------------------------------------------------------------------------- */

static int exclude(const struct build *b, const char *a, const char *other)
{
	if (!has(b, other))
		return 0;
	return error_set(b->reterr, -EINVAL,
			 "using `%s` and `%s` options simultaneously is not allowed", a, other);
}

/* The short forms' keys as fields of the scenario they stand for. */
static const struct option_field short_fields[] = {
	{ "vus", OPTION_U32, offsetof(struct load_scenario, vus), 1, LOAD_VUS_MAX },
	{ "iterations", OPTION_U64, offsetof(struct load_scenario, iterations), 1 },
	{ "duration", OPTION_DURATION, offsetof(struct load_scenario, duration_ns) },
	{ "stages", OPTION_STAGES, offsetof(struct load_scenario, stages) },
};

static int read_short(struct build *b, const char *key, struct load_scenario *s)
{
	const struct option_field *f = option_find(short_fields, ARRAY_SIZE(short_fields), key);

	if (!has(b, key))
		return 0;
	return option_read(f, "options", json_object_get(b->root, key), s, b->reterr);
}

static int make_iterations(struct build *b, struct load_scenario *s)
{
	int err = exclude(b, "iterations", "stages");

	if (err == 0)
		err = exclude(b, "iterations", "scenarios");
	if (err == 0)
		plan_scenario_init(s, "default", LOAD_SHARED_ITERATIONS);
	if (err == 0)
		err = read_short(b, "iterations", s);
	if (err == 0)
		err = read_short(b, "duration", s);
	if (s->duration_ns)
		s->max_duration_ns = s->duration_ns;
	s->duration_ns = 0;
	return err;
}

static int make_duration(struct build *b, struct load_scenario *s)
{
	int err = exclude(b, "duration", "stages");

	if (err == 0)
		err = exclude(b, "duration", "scenarios");
	if (err == 0)
		plan_scenario_init(s, "default", LOAD_CONSTANT_VUS);
	return err ? err : read_short(b, "duration", s);
}

static int make_stages(struct build *b, struct load_scenario *s)
{
	int err = exclude(b, "stages", "scenarios");

	if (err == 0)
		plan_scenario_init(s, "default", LOAD_RAMPING_VUS);
	return err ? err : read_short(b, "stages", s);
}

/* Neither: one iteration, or as many as there are VUs. */
static int make_nothing(struct build *b, struct load_scenario *s)
{
	int err = 0;

	plan_scenario_init(s, "default",
			   has(b, "vus") ? LOAD_SHARED_ITERATIONS : LOAD_PER_VU_ITERATIONS);
	err = read_short(b, "vus", s);
	if (has(b, "vus"))
		s->iterations = s->vus;
	return err;
}

static int make_short(struct build *b)
{
	struct load_scenario s = { 0 };
	int err;

	if (has(b, "iterations"))
		err = make_iterations(b, &s);
	else if (has(b, "duration"))
		err = make_duration(b, &s);
	else if (has(b, "stages"))
		err = make_stages(b, &s);
	else
		err = make_nothing(b, &s);
	if (err == 0)
		err = read_short(b, "vus", &s);
	if (err == 0)
		err = plan_scenario_check(&s, b->reterr);
	if (err < 0)
		plan_scenario_release(&s);
	else
		vec_push(&b->plan->scenarios, s);
	return err;
}

static int compare_names(const void *a, const void *b)
{
	const struct load_scenario *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int read_scenarios(struct build *b)
{
	const json_t *scenarios = json_object_get(b->root, "scenarios");
	struct load_plan *p = b->plan;
	const char *name;
	json_t *value;

	if (!json_is_object(scenarios) || json_object_size(scenarios) > LOAD_SCENARIOS_MAX)
		return error_set(b->reterr, -EINVAL,
				 "options.scenarios: expected an object of 1 to %d scenarios",
				 LOAD_SCENARIOS_MAX);
	json_object_foreach((json_t *)(uintptr_t)scenarios, name, value)
	{
		struct load_scenario s;
		int err = plan_scenario_read(name, value, &s, b->reterr);

		if (err < 0)
			return err;
		vec_push(&p->scenarios, s);
	}
	qsort(p->scenarios.ptr, p->scenarios.len, sizeof(*p->scenarios.ptr), compare_names);
	return 0;
}

/* VUs are made when an arrival finds none free, so that a high limit costs nothing by itself. */
static int widen_vus(struct build *b)
{
	vec_for_each (&b->plan->scenarios, s)
		if (b->plan->auto_vus && load_executor_is_open(s->executor))
			s->max_vus = MAX(s->max_vus, LOAD_AUTO_VUS_MAX);
	return 0;
}

static int take_segment(struct build *b)
{
	struct load_plan *p = b->plan;

	if (!p->execution_segment)
		return p->execution_segment_sequence
			       ? error_set(b->reterr, -EINVAL,
					   "executionSegmentSequence needs an executionSegment")
			       : 0;
	if (load_segment_parse(p->execution_segment, p->execution_segment_sequence, &p->segment,
			       b->reterr) < 0)
		return -EINVAL;
	vec_for_each (&p->scenarios, s)
		s->segment = &p->segment;
	return 0;
}

/* An empty object of scenarios is none. */
static int make_scenarios(struct build *b)
{
	const json_t *scenarios = json_object_get(b->root, "scenarios");
	bool given = scenarios && json_object_size(scenarios);

	if (scenarios && !json_is_null(scenarios) && !json_is_object(scenarios))
		return read_scenarios(b); /* says so */
	if (!given)
		json_object_del(b->root, "scenarios");
	if (!given || has(b, "iterations") || has(b, "duration") || has(b, "stages"))
		return make_short(b);
	return read_scenarios(b);
}

/* --- the whole -------------------------------------------------------------------------------- */

static struct load_plan *default_plan(void)
{
	static const char *const stats[] = { "avg", "min", "med", "max", "p(90)", "p(95)" };
	struct load_plan *p = xcalloc(1, sizeof(*p));

	for (size_t i = 0; i < ARRAY_SIZE(stats); i++)
		vec_push(&p->summary_trend_stats, xstrdup(stats[i]));
	p->system_tags = LOAD_TAGS_DEFAULT;
	p->user_agent = xstrdup("assay/" ASSAY_VERSION);
	p->max_redirects = 10;
	p->batch = 20;
	p->batch_per_host = 6;
	p->setup_timeout_ns = p->teardown_timeout_ns = 60 * NS_PER_S;
	p->handle_summary_timeout_ns = 120 * NS_PER_S;
	return p;
}

int load_plan_new(const struct load_options *script, const struct load_options *flags,
		  struct strbuf *warnings, struct load_plan **ret, struct error *reterr)
{
	static int (*const steps[])(struct build *) = {
		read_options, read_system_tags, read_words, check_trend_stats, read_thresholds,
		read_network, make_scenarios,	widen_vus,  take_segment,
	};
	struct build b = { .plan = default_plan(), .warnings = warnings, .reterr = reterr };
	int err = 0;

	merge_tiers(&b, script, flags);
	for (size_t i = 0; i < ARRAY_SIZE(steps) && err == 0; i++)
		err = steps[i](&b);
	json_decref(b.root);
	if (err < 0) {
		load_plan_free(b.plan);
		return err;
	}
	*ret = b.plan;
	return 0;
}

void load_plan_free(struct load_plan *p)
{
	if (!p)
		return;
	vec_for_each (&p->scenarios, s)
		plan_scenario_release(s);
	vec_release(&p->scenarios);
	vec_for_each (&p->thresholds, t) {
		free(t->metric);
		free(t->expression);
	}
	vec_release(&p->thresholds);
	option_pairs_release(&p->tags);
	option_texts_release(&p->summary_trend_stats);
	load_network_release(&p->network);
	free(p->user_agent);
	load_segment_release(&p->segment);
	free(p->execution_segment);
	free(p->execution_segment_sequence);
	free(p);
}

const struct load_scenario *load_plan_scenario(const struct load_plan *p, struct str name)
{
	vec_for_each (&p->scenarios, s)
		if (str_eq_c(name, s->name))
			return s;
	return NULL;
}

uint64_t load_plan_length_ns(const struct load_plan *p)
{
	uint64_t end = 0;

	vec_for_each (&p->scenarios, s)
		end = MAX(end, s->start_time_ns + load_schedule_length_ns(s));
	return end;
}

static uint64_t limit_ns(const struct load_scenario *s)
{
	return s->start_time_ns + load_schedule_length_ns(s) + s->graceful_stop_ns;
}

uint64_t load_plan_limit_ns(const struct load_plan *p)
{
	uint64_t end = 0;

	vec_for_each (&p->scenarios, s)
		end = MAX(end, limit_ns(s));
	return end;
}

/* The number only rises when a scenario starts. */
uint32_t load_plan_vus_max(const struct load_plan *p)
{
	uint64_t most = 0;

	vec_for_each (&p->scenarios, first) {
		uint64_t sum = 0;

		vec_for_each (&p->scenarios, s)
			if (s->start_time_ns <= first->start_time_ns &&
			    first->start_time_ns <= limit_ns(s))
				sum += load_schedule_vus_max(s);
		most = MAX(most, sum);
	}
	return (uint32_t)most;
}
