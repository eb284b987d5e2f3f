#include "load/plan.h"

#include <errno.h>
#include <stdio.h>

#include "load/options.h"
#include "test.h"

#define S NS_PER_S

/* flags: "key", "value", …, NULL */
static int build(const char *json, const char *const *flags, struct load_plan **ret,
		 struct strbuf *warnings, struct error *err)
{
	CLEANUP(cleanup_load_options) struct load_options *script = NULL;
	CLEANUP(cleanup_load_options) struct load_options *tier = load_options_new();
	int r = load_options_parse(str_from(json), &script, err);

	for (; r == 0 && flags && *flags; flags += 2)
		r = load_options_set(tier, flags[0], flags[1], err);
	return r < 0 ? r : load_plan_new(script, tier, warnings, ret, err);
}

static struct load_plan *plan_of(const char *json, const char *const *flags)
{
	struct load_plan *p = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(build(json, flags, &p, NULL, &err), err);
	return p;
}

/* The message of a plan that must be refused. */
static const char *refusal(const char *json, const char *const *flags)
{
	static struct error err;
	struct load_plan *p = NULL;

	err = (struct error)ERROR_INIT;
	if (build(json, flags, &p, NULL, &err) >= 0)
		test_fail(__FILE__, __LINE__, "%s was taken", json);
	ASSERT_TRUE(!p);
	return err.msg;
}

TEST(nothing_is_one_iteration)
{
	CLEANUP(cleanup_load_plan) struct load_plan *p = plan_of("", NULL);
	const struct load_scenario *s = &p->scenarios.ptr[0];

	ASSERT_INT(p->scenarios.len, 1);
	ASSERT_STREQ(s->name, "default");
	ASSERT_STREQ(s->exec, "default");
	ASSERT_INT(s->executor, LOAD_PER_VU_ITERATIONS);
	ASSERT_INT(s->vus, 1);
	ASSERT_INT(s->iterations, 1);
	ASSERT_INT(s->max_duration_ns, 600 * S);
	ASSERT_INT(s->graceful_stop_ns, 30 * S);
	ASSERT_INT(p->setup_timeout_ns, 60 * S);
	ASSERT_INT(p->max_redirects, 10);
	ASSERT_INT(p->system_tags, LOAD_TAGS_DEFAULT);
	ASSERT_INT(p->summary_trend_stats.len, 6);
}

TEST(short_forms)
{
	struct load_plan *p = plan_of("{\"vus\":3,\"iterations\":9}", NULL);
	const struct load_scenario *s = &p->scenarios.ptr[0];

	ASSERT_INT(s->executor, LOAD_SHARED_ITERATIONS);
	ASSERT_INT(s->vus, 3);
	ASSERT_INT(s->iterations, 9);
	load_plan_free(p);

	p = plan_of("{\"vus\":2,\"duration\":\"1s\"}", NULL);
	s = &p->scenarios.ptr[0];
	ASSERT_INT(s->executor, LOAD_CONSTANT_VUS);
	ASSERT_INT(s->duration_ns, S);
	ASSERT_INT(load_plan_length_ns(p), S);
	ASSERT_INT(load_plan_limit_ns(p), 31 * S);
	load_plan_free(p);

	p = plan_of("{\"stages\":[{\"duration\":\"1s\",\"target\":3},{\"duration\":500,"
		    "\"target\":0}]}",
		    NULL);
	s = &p->scenarios.ptr[0];
	ASSERT_INT(s->executor, LOAD_RAMPING_VUS);
	ASSERT_INT(s->vus, 1);
	ASSERT_INT(s->stages.len, 2);
	ASSERT_INT(s->stages.ptr[1].duration_ns, S / 2);
	ASSERT_INT(s->graceful_ramp_down_ns, 30 * S);
	load_plan_free(p);

	p = plan_of("{\"vus\":2,\"iterations\":4,\"duration\":\"5s\"}", NULL);
	ASSERT_INT(p->scenarios.ptr[0].executor, LOAD_SHARED_ITERATIONS);
	ASSERT_INT(p->scenarios.ptr[0].max_duration_ns, 5 * S);
	load_plan_free(p);
}

TEST(vus_alone_share_as_many_iterations)
{
	static const char *const flags[] = { "vus", "4", NULL };
	CLEANUP(cleanup_load_plan) struct load_plan *p = plan_of("{}", flags);

	ASSERT_INT(p->scenarios.ptr[0].executor, LOAD_SHARED_ITERATIONS);
	ASSERT_INT(p->scenarios.ptr[0].iterations, 4);
}

static const char scenario[] =
	"{\"scenarios\":{\"mine\":{\"executor\":\"per-vu-iterations\",\"vus\":1,"
	"\"iterations\":1,\"exec\":\"other\"}}}";

TEST(flags_replace_what_shapes_the_load)
{
	static const char *const both[] = { "vus", "3", "iterations", "6", NULL };
	static const char *const vus[] = { "vus", "3", NULL };
	static const char *const stages[] = { "stages", "10s:5,1m:10", "stages", "5s:0", NULL };
	struct load_plan *p = plan_of(scenario, both);

	ASSERT_STREQ(p->scenarios.ptr[0].name, "default");
	ASSERT_INT(p->scenarios.ptr[0].vus, 3);
	ASSERT_INT(p->scenarios.ptr[0].iterations, 6);
	load_plan_free(p);

	p = plan_of(scenario, vus);
	ASSERT_STREQ(p->scenarios.ptr[0].name, "default");
	load_plan_free(p);

	/* -u goes with the duration the script has */
	p = plan_of("{\"vus\":1,\"duration\":\"7s\"}", vus);
	ASSERT_INT(p->scenarios.ptr[0].executor, LOAD_CONSTANT_VUS);
	ASSERT_INT(p->scenarios.ptr[0].vus, 3);
	load_plan_free(p);

	/* a script's duration is gone when the flags have stages, its vus are not */
	p = plan_of("{\"vus\":2,\"duration\":\"7s\"}", stages);
	ASSERT_INT(p->scenarios.ptr[0].executor, LOAD_RAMPING_VUS);
	ASSERT_INT(p->scenarios.ptr[0].vus, 2);
	ASSERT_INT(p->scenarios.ptr[0].stages.len, 3);
	ASSERT_INT(p->scenarios.ptr[0].stages.ptr[1].duration_ns, 60 * S);
	load_plan_free(p);
}

TEST(tags_of_flags_replace_the_scripts)
{
	static const char *const flags[] = { "tags", "team=red", "tags", "q=a=b", NULL };
	CLEANUP(cleanup_load_plan)
	struct load_plan *p = plan_of("{\"tags\":{\"team\":\"blue\",\"site\":\"x\"}}", flags);

	ASSERT_INT(p->tags.len, 2);
	ASSERT_STREQ(p->tags.ptr[0].value, "red");
	ASSERT_STREQ(p->tags.ptr[1].value, "a=b");
}

TEST(two_ways_at_once_are_refused)
{
	ASSERT_HAS(
		refusal("{\"iterations\":2,\"stages\":[{\"duration\":\"1s\",\"target\":1}]}", NULL),
		"using `iterations` and `stages` options simultaneously is not allowed");
	ASSERT_HAS(refusal("{\"duration\":\"2s\",\"stages\":[{\"duration\":\"1s\",\"target\":1}]}",
			   NULL),
		   "using `duration` and `stages`");
	ASSERT_HAS(refusal("{\"duration\":\"2s\",\"scenarios\":{\"a\":{\"executor\":"
			   "\"constant-vus\",\"duration\":\"1s\"}}}",
			   NULL),
		   "using `duration` and `scenarios`");
}

TEST(every_executor_is_read)
{
	CLEANUP(cleanup_load_plan)
	struct load_plan *p = plan_of(
		"{\"scenarios\":{"
		"\"e\":{\"executor\":\"constant-arrival-rate\",\"rate\":50,\"timeUnit\":\"2s\","
		"\"duration\":\"1980ms\",\"preAllocatedVUs\":10},"
		"\"f\":{\"executor\":\"ramping-arrival-rate\",\"startRate\":5,\"stages\":"
		"[{\"duration\":\"1s\",\"target\":20}],\"preAllocatedVUs\":1,\"maxVUs\":7},"
		"\"d\":{\"executor\":\"per-vu-iterations\",\"vus\":2,\"iterations\":3,"
		"\"maxDuration\":\"9s\",\"startTime\":\"1m\"},"
		"\"b\":{\"executor\":\"ramping-vus\",\"startVUs\":0,\"stages\":[{\"duration\":"
		"\"1s\",\"target\":4}],\"gracefulRampDown\":\"0s\"},"
		"\"a\":{\"executor\":\"constant-vus\",\"vus\":5,\"duration\":\"3s\","
		"\"gracefulStop\":\"1s\",\"exec\":\"go\",\"env\":{\"K\":\"v\"},\"tags\":"
		"{\"t\":\"u\"}},"
		"\"c\":{\"executor\":\"shared-iterations\"}}}",
		NULL);
	const struct load_scenario *s;

	ASSERT_INT(p->scenarios.len, 6);
	s = &p->scenarios.ptr[0];
	ASSERT_STREQ(s->name, "a");
	ASSERT_STREQ(s->exec, "go");
	ASSERT_STREQ(s->env.ptr[0].key, "K");
	ASSERT_STREQ(s->tags.ptr[0].value, "u");
	ASSERT_INT(s->graceful_stop_ns, S);
	s = load_plan_scenario(p, STR("b"));
	ASSERT_INT(s->vus, 0);
	ASSERT_INT(s->graceful_ramp_down_ns, 0);
	s = load_plan_scenario(p, STR("d"));
	ASSERT_INT(s->iterations, 3);
	ASSERT_INT(s->start_time_ns, 60 * S);
	s = load_plan_scenario(p, STR("e"));
	ASSERT_INT(s->rate, 50);
	ASSERT_INT(s->time_unit_ns, 2 * S);
	ASSERT_INT(s->max_vus, 10);
	s = load_plan_scenario(p, STR("f"));
	ASSERT_INT(s->rate, 5);
	ASSERT_INT(s->max_vus, 7);
	ASSERT_TRUE(!load_plan_scenario(p, STR("g")));
	/* a 5, b 4, c 1, e 10, f 7 at once; d comes a minute later, when c may still run */
	ASSERT_INT(load_plan_vus_max(p), 27);
}

/* k6's former executor without its remote control is a constant number of VUs. */
TEST(externally_controlled_is_constant)
{
	CLEANUP(cleanup_load_plan)
	struct load_plan *p =
		plan_of("{\"scenarios\":{\"a\":{\"executor\":\"externally-controlled\",\"vus\":3,"
			"\"maxVUs\":9,\"duration\":\"5s\"},\"b\":{\"executor\":"
			"\"externally-controlled\",\"duration\":\"0\"}}}",
			NULL);
	const struct load_scenario *a = &p->scenarios.ptr[0], *b = &p->scenarios.ptr[1];

	ASSERT_INT(a->executor, LOAD_CONSTANT_VUS);
	ASSERT_INT(a->vus, 3);
	ASSERT_INT(a->duration_ns / NS_PER_S, 5);
	ASSERT_INT(b->vus, 1);
	ASSERT_INT(b->duration_ns / NS_PER_S, 3650 * 86400);
}

TEST(mistakes_inside_scenarios_are_named)
{
	static const struct {
		const char *json, *message;
	} cases[] = {
		{ "\"executor\":\"constant-vu\"", "did you mean 'constant-vus'?" },
		{ "\"executor\":\"as-you-like-it\"", "unknown executor type 'as-you-like-it'" },
		{ "\"vus\":1", "options.scenarios.s.executor: expected one of" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"1s\",\"vuss\":1",
		  "options.scenarios.s.vuss: there is no such field; did you mean 'vus'?" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"1s\",\"rate\":1",
		  "the executor constant-vus has no such field" },
		{ "\"executor\":\"constant-vus\"", "duration is missing" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"900ms\"", "at least 1000 ms" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"1s\",\"vus\":0",
		  "options.scenarios.s.vus: expected a whole number from 1 to 100000, got 0" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"1s\",\"vus\":\"ten\"",
		  "got \"ten\"" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"soon\"",
		  "options.scenarios.s.duration: expected a duration such as" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"1s\",\"env\":{\"A\":1}",
		  "options.scenarios.s.env.A: expected a text" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"1s\",\"options\":{\"browser\":{}}",
		  "options.scenarios.s.options is not supported: assay drives no browser" },
		{ "\"executor\":\"shared-iterations\",\"vus\":3,\"iterations\":2",
		  "2 iterations cannot be shared by 3 VUs" },
		{ "\"executor\":\"ramping-vus\"", "at least one stage" },
		{ "\"executor\":\"ramping-vus\",\"stages\":[{\"duration\":\"1s\"}]",
		  "options.scenarios.s.stages[0]: expected {duration, target}" },
		{ "\"executor\":\"ramping-vus\",\"startVUs\":0,\"stages\":[{\"duration\":\"1s\","
		  "\"target\":0}]",
		  "must be above 0" },
		{ "\"executor\":\"constant-arrival-rate\",\"duration\":\"1s\",\"rate\":1",
		  "preAllocatedVUs: missing" },
		{ "\"executor\":\"constant-arrival-rate\",\"duration\":\"1s\","
		  "\"preAllocatedVUs\":2",
		  "rate is missing" },
		{ "\"executor\":\"constant-arrival-rate\",\"duration\":\"1s\",\"rate\":1,"
		  "\"preAllocatedVUs\":2,\"maxVUs\":1",
		  "maxVUs is smaller than preAllocatedVUs" },
		{ "\"executor\":\"constant-arrival-rate\",\"duration\":\"1s\",\"rate\":1.5,"
		  "\"preAllocatedVUs\":2",
		  "options.scenarios.s.rate: expected a whole number" },
		{ "\"executor\":\"externally-controlled\",\"duration\":\"1s\",\"rate\":1",
		  "has no such field" },
		{ "\"executor\":\"constant-vus\",\"duration\":\"1s\",\"maxVUs\":1",
		  "has no such field" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char json[512];

		snprintf(json, sizeof(json), "{\"scenarios\":{\"s\":{%s}}}", cases[i].json);
		ASSERT_HAS(refusal(json, NULL), cases[i].message);
	}
	ASSERT_HAS(refusal("{\"scenarios\":{\"a b\":{\"executor\":\"constant-vus\",\"duration\":"
			   "\"1s\"}}}",
			   NULL),
		   "a scenario's name has");
	ASSERT_HAS(refusal("{\"scenarios\":[]}", NULL), "options.scenarios: expected an object");
	ASSERT_HAS(refusal("{\"duration\":\"0.5s\"}", NULL), "below 1s");
	ASSERT_HAS(refusal("{\"duration\":\"11y\"}", NULL), "expected a duration");
	ASSERT_HAS(refusal("{\"duration\":\"4000d\"}", NULL), "ten years");
}

TEST(options_assay_lacks_are_refused_by_name)
{
	ASSERT_HAS(refusal("{\"paused\":true}", NULL), "the option 'paused' is not supported");
	ASSERT_HAS(refusal("{\"paused\":true}", NULL), "'paused'");
	ASSERT_HAS(refusal("{\"executionSegment\":\"0:3/2\"}", NULL), "3/2");
	/* their k6 defaults change nothing */
	load_plan_free(plan_of("{\"rps\":0,\"hosts\":{},\"paused\":false,\"tlsAuth\":null}", NULL));
}

TEST(options_without_effect_warn)
{
	CLEANUP(strbuf_release) struct strbuf warnings = STRBUF_INIT;
	CLEANUP(cleanup_load_plan) struct load_plan *p = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(build("{\"gracefulStop\":\"1s\",\"tresholds\":{},\"warmup\":\"1s\","
			    "\"metricSamplesBufferSize\":1,\"cloud\":{\"name\":\"n\"},"
			    "\"ext\":{\"loadimpact\":{}}}",
			    NULL, &p, &warnings, &err),
		      err);
	ASSERT_HAS(strbuf_cstr(&warnings), "there is no option 'gracefulStop'");
	ASSERT_HAS(strbuf_cstr(&warnings), "'tresholds'; did you mean 'thresholds'?\n");
	ASSERT_HAS(strbuf_cstr(&warnings), "'warmup' is ignored");
	ASSERT_HAS(strbuf_cstr(&warnings), "'metricSamplesBufferSize' has no effect");
	ASSERT_LACKS(strbuf_cstr(&warnings), "cloud");
	ASSERT_LACKS(strbuf_cstr(&warnings), "ext");
	ASSERT_INT(p->warmup_ns, 0);
}

TEST(test_wide_options_are_read)
{
	static const char *const flags[] = { "warmup",	     "10s",  "noSummary",  "",
					     "userAgent",    "me",   "systemTags", "status, vu",
					     "noThresholds", "true", NULL };
	CLEANUP(cleanup_load_plan)
	struct load_plan *p =
		plan_of("{\"maxRedirects\":0,\"throw\":true,\"noSetup\":true,"
			"\"setupTimeout\":\"2m\",\"teardownTimeout\":1500,"
			"\"summaryTrendStats\":[\"p(75)\",\"count\"],\"summaryTimeUnit\":\"us\","
			"\"systemTags\":[\"url\"],\"minIterationDuration\":\"300ms\","
			"\"noConnectionReuse\":true,\"discardResponseBodies\":true}",
			flags);

	ASSERT_INT(p->max_redirects, 0);
	ASSERT_TRUE(p->throw_errors && p->no_setup && !p->no_teardown);
	ASSERT_INT(p->setup_timeout_ns, 120 * S);
	ASSERT_INT(p->teardown_timeout_ns, 1500 * NS_PER_MS);
	ASSERT_INT(p->summary_trend_stats.len, 2);
	ASSERT_STREQ(p->summary_trend_stats.ptr[1], "count");
	ASSERT_INT(p->summary_time_unit, LOAD_UNIT_US);
	ASSERT_INT(p->min_iteration_duration_ns, 300 * NS_PER_MS);
	ASSERT_TRUE(p->no_connection_reuse && p->discard_response_bodies);
	ASSERT_INT(p->warmup_ns, 10 * S);
	ASSERT_TRUE(p->no_summary && p->no_thresholds);
	ASSERT_STREQ(p->user_agent, "me");
	ASSERT_INT(p->system_tags, LOAD_TAG_STATUS | LOAD_TAG_VU);
}

TEST(wrong_test_wide_options_are_named)
{
	ASSERT_HAS(refusal("{\"summaryTrendStats\":[\"p(101)\"]}", NULL), "'p(101)' is not one of");
	ASSERT_HAS(refusal("{\"summaryTimeUnit\":\"h\"}", NULL), "options.summaryTimeUnit");
	ASSERT_HAS(refusal("{\"systemTags\":[\"statuss\"]}", NULL), "did you mean 'status'?");
	ASSERT_HAS(refusal("{\"tags\":{\"a\":1}}", NULL), "options.tags.a: expected a text");
	ASSERT_HAS(refusal("{\"throw\":\"yes\"}", NULL), "options.throw: expected true or false");
	ASSERT_HAS(refusal("[1]", NULL), "not an object");
	ASSERT_HAS(refusal("{\"vus\":", NULL), "line 1, column");
}

TEST(thresholds_keep_their_order)
{
	CLEANUP(cleanup_load_plan)
	struct load_plan *p = plan_of(
		"{\"thresholds\":{\"b\":[\"rate>0.9\",{\"threshold\":\"rate<1\","
		"\"abortOnFail\":true,\"delayAbortEval\":\"1s\"}],\"a{x:y}\":[\"p(95)<500\"]}}",
		NULL);

	ASSERT_INT(p->thresholds.len, 3);
	ASSERT_STREQ(p->thresholds.ptr[0].metric, "b");
	ASSERT_STREQ(p->thresholds.ptr[1].expression, "rate<1");
	ASSERT_TRUE(p->thresholds.ptr[1].abort_on_fail);
	ASSERT_INT(p->thresholds.ptr[1].delay_abort_eval_ns, S);
	ASSERT_STREQ(p->thresholds.ptr[2].metric, "a{x:y}");
	ASSERT_HAS(refusal("{\"thresholds\":{\"a\":\"p(95)<1\"}}", NULL), "expected a list");
	ASSERT_HAS(refusal("{\"thresholds\":{\"a\":[{\"threshold\":\"x\",\"abortOnFial\":true}]}}",
			   NULL),
		   "options.thresholds.a.abortOnFial");
	ASSERT_HAS(refusal("{\"thresholds\":{\"a\":[{\"abortOnFail\":true}]}}", NULL), "missing");
}

TEST(flags_that_cannot_be_read)
{
	static const char *const cases[][2] = {
		{ "vus", "x" },	      { "iterations", "-1" }, { "stages", "10s" },
		{ "stages", ":5" },   { "tags", "a" },	      { "tags", "=b" },
		{ "throw", "maybe" }, { "duration", "soon" }, { "scenarios", "{}" },
		{ "nosuch", "1" },    { "paused", "1" },      { "userAgent", "\xff" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *flags[] = { cases[i][0], cases[i][1], NULL };

		ASSERT_HAS(refusal("{}", flags), cases[i][0]);
	}
}

TEST(options_for_scripts)
{
	CLEANUP(cleanup_load_plan)
	struct load_plan *p =
		plan_of("{\"vus\":2,\"duration\":\"90s\",\"thresholds\":{\"m\":[\"rate<1\","
			"\"rate>0\"]},\"systemTags\":[\"url\",\"vu\"]}",
			NULL);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	load_plan_fmt_json(p, &out);
	ASSERT_HAS(strbuf_cstr(&out), "{\"scenarios\":{\"default\":{\"executor\":\"constant-vus\","
				      "\"exec\":\"default\",\"startTime\":\"0s\","
				      "\"gracefulStop\":\"30s\",\"env\":{},\"tags\":{},\"vus\":2,"
				      "\"duration\":\"1m30s\"}},\"thresholds\":{\"m\":[{"
				      "\"threshold\":\"rate<1\"");
	ASSERT_HAS(strbuf_cstr(&out), "\"systemTags\":[\"url\",\"vu\"]");
}

TEST(scenarios_for_people)
{
	CLEANUP(cleanup_load_plan)
	struct load_plan *p = plan_of(
		"{\"scenarios\":{\"buy\":{\"executor\":\"constant-arrival-rate\",\"rate\":90,"
		"\"timeUnit\":\"1m\",\"duration\":\"60s\",\"preAllocatedVUs\":5,\"maxVUs\":200,"
		"\"exec\":\"go\"}}}",
		NULL);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	load_scenario_fmt(&p->scenarios.ptr[0], &out);
	ASSERT_STREQ(strbuf_cstr(&out), "buy: 1.50 iterations/s for 1m0s (VUs: 5 to 200, exec: go, "
					"gracefulStop: 30s)");
}

/* variables: "K6_X", "value", …, NULL; flags lie over them */
static struct load_plan *plan_with_env(const char *json, const char *const *variables,
				       const char *const *flags)
{
	CLEANUP(cleanup_load_options) struct load_options *script = NULL;
	CLEANUP(cleanup_load_options) struct load_options *env = load_options_new();
	CLEANUP(cleanup_load_options) struct load_options *tier = load_options_new();
	struct load_plan *p = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(load_options_parse(str_from(json), &script, &err), err);
	for (; *variables; variables += 2)
		ASSERT_INT(load_options_set_env(env, variables[0], variables[1], &err), 1);
	for (; flags && *flags; flags += 2)
		ASSERT_OK_ERR(load_options_set(tier, flags[0], flags[1], &err), err);
	load_options_overlay(env, tier);
	ASSERT_OK_ERR(load_plan_new(script, env, NULL, &p, &err), err);
	return p;
}

TEST(the_environment_lies_between_script_and_flags)
{
	static const char *const load[] = { "K6_VUS", "5", "K6_DURATION", "3s", NULL };
	static const char *const iterations[] = { "iterations", "9", NULL };
	static const char *const wide[] = { "K6_NO_VU_CONNECTION_REUSE",
					    "true",
					    "K6_INSECURE_SKIP_TLS_VERIFY",
					    "true",
					    "K6_USER_AGENT",
					    "env",
					    "K6_SUMMARY_TREND_STATS",
					    "avg,p(99)",
					    NULL };
	static const char *const agent[] = { "userAgent", "flag", NULL };
	struct load_plan *p = plan_with_env(scenario, load, NULL);

	ASSERT_INT(p->scenarios.ptr[0].executor, LOAD_CONSTANT_VUS);
	ASSERT_INT(p->scenarios.ptr[0].vus, 5);
	ASSERT_INT(p->scenarios.ptr[0].duration_ns, 3 * S);
	load_plan_free(p);

	/* -i discards the environment's duration, its vus stay */
	p = plan_with_env("{\"duration\":\"7s\"}", load, iterations);
	ASSERT_INT(p->scenarios.ptr[0].executor, LOAD_SHARED_ITERATIONS);
	ASSERT_INT(p->scenarios.ptr[0].iterations, 9);
	ASSERT_INT(p->scenarios.ptr[0].vus, 5);
	ASSERT_INT(p->scenarios.ptr[0].max_duration_ns, 600 * S);
	load_plan_free(p);

	p = plan_with_env("{\"userAgent\":\"script\"}", wide, NULL);
	ASSERT_STREQ(p->user_agent, "env");
	ASSERT_TRUE(p->no_vu_connection_reuse);
	ASSERT_TRUE(p->insecure_skip_tls_verify);
	ASSERT_INT(p->summary_trend_stats.len, 2);
	load_plan_free(p);

	p = plan_with_env("{\"userAgent\":\"script\"}", wide, agent);
	ASSERT_STREQ(p->user_agent, "flag");
	load_plan_free(p);
}

TEST(variables_that_are_no_options_are_passed_over)
{
	static const char *const cases[][2] = {
		{ "K6_OUT", "json=x" }, { "K6_THRESHOLDS", "{}" }, { "K6_SCENARIOS", "{}" },
		{ "K6_TAGS", "a=b" },	{ "K6_VUSX", "1" },	   { "K6_VU", "1" },
		{ "VUS", "1" },		{ "k6_vus", "1" },	   { "K6_", "1" },
		{ "K6_vus", "1" },	{ "K6_VUS", "" },	   { "K6_CLOUD", "x" },
	};
	CLEANUP(cleanup_load_options) struct load_options *o = load_options_new();
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (load_options_set_env(o, cases[i][0], cases[i][1], &err) != 0)
			test_fail(__FILE__, __LINE__, "%s was taken", cases[i][0]);
}

TEST(variables_that_cannot_be_read_are_named)
{
	static const char *const cases[][2] = {
		{ "K6_VUS", "many" },	 { "K6_DURATION", "soon" }, { "K6_STAGES", "10s" },
		{ "K6_THROW", "maybe" }, { "K6_PAUSED", "1" },
	};
	CLEANUP(cleanup_load_options) struct load_options *o = load_options_new();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;

		ASSERT_INT(load_options_set_env(o, cases[i][0], cases[i][1], &err), -EINVAL);
		ASSERT_HAS(err.msg, cases[i][0]);
	}
}
