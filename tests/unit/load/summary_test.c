#include "load/summary.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "load/options.h"
#include "load/summary_internal.h"
#include "test.h"

struct fixture {
	struct load_metrics *metrics;
	struct load_tag_pool *pool;
	struct load_plan *plan;
	struct load_thresholds *thresholds;
	struct load_agg *agg;
	struct load_summary s;
	struct strbuf out;
};

static void teardown(struct fixture *f)
{
	strbuf_release(&f->out);
	load_agg_free(f->agg);
	load_thresholds_free(f->thresholds);
	load_plan_free(f->plan);
	load_tag_pool_free(f->pool);
	load_metrics_free(f->metrics);
}

static const struct load_metric *make(struct fixture *f, const char *name,
				      enum load_metric_type type, enum load_contains contains)
{
	struct load_metric def = { .name = name, .type = type, .contains = contains };
	const struct load_metric *m;

	ASSERT_OK(load_metrics_register(f->metrics, &def, &m, NULL));
	return m;
}

static void prepare(struct fixture *f)
{
	*f = (struct fixture){ .metrics = load_metrics_new(), .pool = load_tag_pool_new() };
	f->agg = load_agg_new(f->metrics);
}

/* After the metrics are made. */
static void plan(struct fixture *f, const char *options)
{
	CLEANUP(cleanup_load_options) struct load_options *o = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(load_options_parse(str_from(options), &o, &err), err);
	ASSERT_OK_ERR(load_plan_new(o, NULL, NULL, &f->plan, &err), err);
	ASSERT_OK_ERR(load_thresholds_new(f->plan, f->metrics, &f->thresholds, &err), err);
	f->s = (struct load_summary){
		.plan = f->plan,
		.agg = f->agg,
		.thresholds = f->thresholds,
		.duration_ns = 4 * NS_PER_S,
		.generator = { .cpu_share = -1, .send_lag_p99_ms = -1, .steal_share = -1 },
		.no_colour = true,
	};
}

static void add(struct fixture *f, const struct load_metric *m, double v)
{
	load_agg_add(f->agg, m, load_tags_none(f->pool), 1, v);
}

static void add_builtin(struct fixture *f, enum load_builtin id, double v)
{
	add(f, load_metrics_builtin(f->metrics, id), v);
}

static const char *text(struct fixture *f, struct load_summary_style style)
{
	load_thresholds_eval(f->thresholds, f->agg, f->s.duration_ns);
	strbuf_clear(&f->out);
	load_summary_fmt(&f->s, style, &f->out);
	return strbuf_cstr(&f->out);
}

static const struct load_summary_style plain;

/* --- figures ---------------------------------------------------------------------------------- */

static const char *figure(double v, enum load_contains contains, enum load_time_unit unit)
{
	static char buffer[64];
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	summary_fmt_value(&out, v, contains, unit, false);
	snprintf(buffer, sizeof(buffer), "%s", strbuf_cstr(&out));
	return buffer;
}

/* from outputs of k6 that people published */
TEST(times_are_written_as_k6_does)
{
	static const struct {
		double ms;
		const char *text;
	} cases[] = {
		{ 0, "0s" },
		{ 0.00025, "250ns" },
		{ 0.0012, "1.2\xc2\xb5s" },
		{ 0.663969, "663.96\xc2\xb5s" },
		{ 140.3699, "140.36ms" },
		{ 1.3, "1.3ms" },
		{ 1140, "1.14s" },
		{ 9440.9, "9.44s" },
		{ 60000, "1m0s" },
		{ 70900, "1m10s" },
		{ 116000, "1m56s" },
		{ 3723000, "1h2m3s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ASSERT_STREQ(figure(cases[i].ms, LOAD_TIME, LOAD_UNIT_AUTO), cases[i].text);
	ASSERT_STREQ(figure(1500, LOAD_TIME, LOAD_UNIT_S), "1.50s");
	ASSERT_STREQ(figure(0.5, LOAD_TIME, LOAD_UNIT_MS), "0.50ms");
	ASSERT_STREQ(figure(0.5, LOAD_TIME, LOAD_UNIT_US), "500.00\xc2\xb5s");
}

TEST(sizes_and_numbers_are_written_as_k6_does)
{
	ASSERT_STREQ(figure(0, LOAD_DATA, LOAD_UNIT_AUTO), "0 B");
	ASSERT_STREQ(figure(938, LOAD_DATA, LOAD_UNIT_AUTO), "938 B");
	ASSERT_STREQ(figure(4000, LOAD_DATA, LOAD_UNIT_AUTO), "4.0 kB");
	ASSERT_STREQ(figure(504e6, LOAD_DATA, LOAD_UNIT_AUTO), "504 MB");
	ASSERT_STREQ(figure(1.3e6, LOAD_DATA, LOAD_UNIT_AUTO), "1.3 MB");
	ASSERT_STREQ(figure(152.355556, LOAD_DEFAULT, LOAD_UNIT_AUTO), "152.355556");
	ASSERT_STREQ(figure(120, LOAD_DEFAULT, LOAD_UNIT_AUTO), "120");
	ASSERT_STREQ(figure(147.2, LOAD_DEFAULT, LOAD_UNIT_AUTO), "147.2");
	ASSERT_STREQ(figure(0, LOAD_DEFAULT, LOAD_UNIT_AUTO), "0");
	ASSERT_STREQ(figure(-0.0000001, LOAD_DEFAULT, LOAD_UNIT_AUTO), "0");
}

TEST(percent_is_cut)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	summary_fmt_percent(&out, 1858.0 / 17901); /* 10.379 % */
	strbuf_addch(&out, ' ');
	summary_fmt_percent(&out, 16043.0 / 17901);
	strbuf_addch(&out, ' ');
	summary_fmt_percent(&out, 0.57);
	strbuf_addch(&out, ' ');
	summary_fmt_percent(&out, 1);
	ASSERT_STREQ(strbuf_cstr(&out), "10.37% 89.62% 57.00% 100.00%");
}

/* --- the text --------------------------------------------------------------------------------- */

TEST(a_whole_text)
{
	CLEANUP(teardown) struct fixture f;
	const struct load_tags *expected;
	const struct load_metric *wait;

	prepare(&f);
	wait = make(&f, "waiting_time", LOAD_TREND, LOAD_DEFAULT);
	plan(&f, "{\"summaryTrendStats\":[\"avg\",\"max\",\"count\"],"
		 "\"thresholds\":{\"http_req_failed\":[\"rate<0.01\"],\"http_reqs\":"
		 "[\"count>1\",\"rate>5\"],\"checks{a:b}\":[\"rate>0.5\"]}}");
	expected = load_tags_with(f.pool, load_tags_none(f.pool), STR("expected_response"),
				  STR("true"));
	for (int i = 0; i < 4; i++) {
		add_builtin(&f, LOAD_M_HTTP_REQS, 1);
		add_builtin(&f, LOAD_M_HTTP_REQ_FAILED, i == 0);
		load_agg_add(f.agg, load_metrics_builtin(f.metrics, LOAD_M_HTTP_REQ_DURATION),
			     expected, 1, 100 + i);
		add_builtin(&f, LOAD_M_HTTP_REQ_WAITING, 5);
		add_builtin(&f, LOAD_M_CHECKS, i != 3);
		load_agg_check(f.agg, STR(""), STR("status is 200"), i != 3);
		add(&f, wait, 1.5);
	}
	load_agg_check(f.agg, STR(""), STR("fine"), true);
	add_builtin(&f, LOAD_M_VUS, 2);
	add_builtin(&f, LOAD_M_DATA_SENT, 4900);
	ASSERT_STREQ(text(&f, plain),
		     "\n  █ THRESHOLDS\n"
		     "\n"
		     "    checks{a:b}\n"
		     "    ✓ 'rate>0.5' rate=0.00% (no samples)\n"
		     "\n"
		     "    http_req_failed\n"
		     "    ✗ 'rate<0.01' rate=25.00%\n"
		     "\n"
		     "    http_reqs\n"
		     "    ✓ 'count>1' count=4\n"
		     "    ✗ 'rate>5' rate=1/s\n"
		     "\n"
		     "\n  █ TOTAL RESULTS\n"
		     "\n"
		     "    checks_total.......: 4      1/s\n"
		     "    checks_succeeded...: 75.00% 3 out of 4\n"
		     "    checks_failed......: 25.00% 1 out of 4\n"
		     "\n"
		     "    ✗ status is 200\n"
		     "      ↳  75% — ✓ 3 / ✗ 1\n"
		     "    ✓ fine\n"
		     "\n"
		     "    CUSTOM\n"
		     "    waiting_time...................: avg=1.5     max=1.5   count=4\n"
		     "\n"
		     "    HTTP\n"
		     "    http_req_duration..............: avg=101.5ms max=103ms count=4\n"
		     "      { expected_response:true }...: avg=101.5ms max=103ms count=4\n"
		     "    http_req_failed................: 25.00% 1 out of 4\n"
		     "    http_reqs......................: 4      1/s\n"
		     "\n"
		     "    EXECUTION\n"
		     "    vus............................: 2      min=2      max=2\n"
		     "\n"
		     "    NETWORK\n"
		     "    data_sent......................: 4.9 kB 1.2 kB/s\n"
		     "\n");
}

TEST(ascii_has_no_other_bytes_and_colour_only_on_request)
{
	CLEANUP(teardown) struct fixture f;
	const char *all;

	prepare(&f);
	plan(&f, "{}");
	add_builtin(&f, LOAD_M_CHECKS, 0);
	load_agg_check(f.agg, STR(""), STR("c"), false);
	add_builtin(&f, LOAD_M_ITERATION_DURATION, 0.5);
	all = text(&f, (struct load_summary_style){ .ascii = true });
	for (const char *p = all; *p; p++)
		ASSERT_TRUE((unsigned char)*p < 0x80 && *p != '\033');
	ASSERT_HAS(all, "    x c\n      ->  0% - + 0 / x 1\n");
	ASSERT_HAS(all, "avg=500us");
	ASSERT_HAS(text(&f, (struct load_summary_style){ .colour = true }),
		   "\033[31m\xe2\x9c\x97\033[0m c");
}

/* --- the other forms -------------------------------------------------------------------------- */

static const struct load_tags *tags_in(struct fixture *f, const char *scenario, const char *group)
{
	const struct load_tags *t = load_tags_with(f->pool, load_tags_none(f->pool),
						   STR("scenario"), str_from(scenario));

	return *group ? load_tags_with(f->pool, t, STR("group"), str_from(group)) : t;
}

/* One request and one check; the check's sample and its place in the tree as a VU makes them. */
static void visit(struct fixture *f, const char *scenario, const char *group, double ms, bool ok)
{
	const struct load_tags *tags = tags_in(f, scenario, group);

	load_agg_group(f->agg, str_from(group));
	load_agg_add(f->agg, load_metrics_builtin(f->metrics, LOAD_M_HTTP_REQ_WAITING), tags, 1,
		     ms);
	load_agg_add(f->agg, load_metrics_builtin(f->metrics, LOAD_M_CHECKS), tags, 1, ok);
	load_agg_check(f->agg, str_from(group), STR("fine"), ok);
	load_agg_check_part(f->agg, tags, STR("fine"), ok);
}

TEST(the_full_form_has_a_block_for_each_group_and_scenario)
{
	CLEANUP(teardown) struct fixture f;
	CLEANUP(cleanup_load_agg) struct load_agg *second = NULL;
	const char *all, *scenario;

	prepare(&f);
	plan(&f, "{\"summaryTrendStats\":[\"max\"]}");
	f.plan->summary_mode = LOAD_SUMMARY_FULL;
	load_metrics_split(f.metrics);
	visit(&f, "buy", "", 1, true);
	visit(&f, "buy", "::a::b", 2, false);
	/* what a second brings is added to what was there, whatever the order of its parts */
	second = TAKE(f.agg);
	f.agg = load_agg_new(f.metrics);
	f.s.agg = f.agg;
	visit(&f, "look", "::a", 4, true);
	visit(&f, "look", "::a", 3, true);
	load_agg_merge(f.agg, second);
	all = text(&f, plain);
	ASSERT_HAS(all, "\n    http_req_waiting...: max=4ms\n");
	ASSERT_HAS(all, "  █ GROUP: a\n\n"
			"    checks_total.......: 2       0.5/s\n"
			"    checks_succeeded...: 100.00% 2 out of 2\n"
			"    checks_failed......: 0.00%   0 out of 2\n\n"
			"    ✓ fine\n\n"
			"    HTTP\n"
			"    http_req_waiting...: max=4ms\n\n");
	ASSERT_HAS(all, "\n    ↳ GROUP: b\n\n"
			"      checks_total.......: 1       0.25/s\n");
	ASSERT_HAS(all, "\n      HTTP\n      http_req_waiting...: max=2ms\n");
	scenario = strstr(all, "  █ SCENARIO: buy\n\n    checks_total.......: 2      0.5/s\n");
	ASSERT_TRUE(scenario);
	ASSERT_HAS(scenario, "http_req_waiting...: max=2ms\n");
	ASSERT_HAS(scenario, "\n      ↳ GROUP: b\n");
	ASSERT_HAS(all, "  █ SCENARIO: look\n");
	load_agg_clear(f.agg);
	visit(&f, "buy", "", 7, true);
	strbuf_clear(&f.out);
	ASSERT_HAS(text(&f, plain), "SCENARIO: buy\n\n    checks_total.......: 1       0.25/s\n");
}

TEST(the_older_form_is_a_tree_of_checks_and_all_metrics_by_name)
{
	CLEANUP(teardown) struct fixture f;

	prepare(&f);
	plan(&f, "{\"summaryTrendStats\":[\"max\"],\"thresholds\":{\"checks\":[\"rate>0.9\"],"
		 "\"http_req_waiting\":[\"max<5\"]}}");
	f.plan->summary_mode = LOAD_SUMMARY_LEGACY;
	visit(&f, "s", "", 4, true);
	visit(&f, "s", "::a", 1, false);
	add_builtin(&f, LOAD_M_VUS, 2);
	add_builtin(&f, LOAD_M_DATA_SENT, 4900);
	ASSERT_STREQ(text(&f, plain), "\n"
				      "     ✓ fine\n"
				      "\n"
				      "     █ a\n"
				      "\n"
				      "       ✗ fine\n"
				      "         ↳  0% — ✓ 0 / ✗ 1\n"
				      "\n"
				      "   ✗ checks.............: 50.00% ✓ 1      ✗ 1\n"
				      "     data_sent..........: 4.9 kB 1.2 kB/s\n"
				      "   ✓ http_req_waiting...: max=4ms\n"
				      "     vus................: 2      min=2    max=2\n"
				      "\n");
}

/* --- assay's block ---------------------------------------------------------------------------- */

TEST(own_metrics_stay_out_of_k6s_blocks)
{
	CLEANUP(teardown) struct fixture f;

	prepare(&f);
	plan(&f, "{}");
	add_builtin(&f, LOAD_M_ITERATION_START_LAG, 1);
	ASSERT_LACKS(text(&f, plain), "EXECUTION");
	load_summary_fmt_export(&f.s, &f.out);
	ASSERT_LACKS(strbuf_cstr(&f.out), "\"iteration_start_lag\"");
}

TEST(own_metrics_show_when_a_threshold_names_them)
{
	CLEANUP(teardown) struct fixture f;

	prepare(&f);
	plan(&f, "{\"thresholds\":{\"iteration_start_lag\":[\"max<2\"]}}");
	add_builtin(&f, LOAD_M_ITERATION_START_LAG, 1);
	ASSERT_HAS(text(&f, plain), "✓ 'max<2' max=1ms");
	ASSERT_HAS(text(&f, plain), "    EXECUTION\n    iteration_start_lag...: avg=1ms");
}

/* 1,000 requests of 10 ms; the second case's were due 500 ms before */
TEST(the_gap_is_explained_when_it_matters)
{
	CLEANUP(teardown) struct fixture f;
	const char *all;

	prepare(&f);
	plan(&f, "{}");
	for (int i = 0; i < 1000; i++) {
		add_builtin(&f, LOAD_M_HTTP_REQ_DURATION, 10);
		add_builtin(&f, LOAD_M_HTTP_REQ_DURATION_CORRECTED, 10.5);
		add_builtin(&f, LOAD_M_ITERATION_START_LAG, 0.5);
	}
	all = text(&f, plain);
	ASSERT_HAS(all, "http_req_duration, from when it was sent..: p(50)=10ms p(95)=10ms "
			"p(99)=10ms p(99.9)=10ms? max=10ms n=1000\n");
	ASSERT_HAS(all, "from when it was due (_corrected).......: p(50)=10.5ms");
	ASSERT_HAS(all, "? n too small for this percentile");
	ASSERT_LACKS(all, "p(99)=10ms?"); /* 299 are enough for that */
	ASSERT_LACKS(all, "after they were due");
	load_agg_clear(f.agg);
	for (int i = 0; i < 1000; i++) {
		add_builtin(&f, LOAD_M_HTTP_REQ_DURATION, 10);
		add_builtin(&f, LOAD_M_HTTP_REQ_DURATION_CORRECTED, 510);
		add_builtin(&f, LOAD_M_ITERATION_START_LAG, 500);
	}
	ASSERT_HAS(text(&f, plain), "Requests were sent 500ms after they were due, on average; "
				    "iterations began 500ms late (p(99) 500ms).");
}

/* 700 a second, 850 ms each: 595 VUs are busy */
TEST(dropped_iterations_name_the_vus_needed)
{
	CLEANUP(teardown) struct fixture f;
	struct load_summary_scenario figures;

	prepare(&f);
	plan(&f, "{\"scenarios\":{\"buy\":{\"executor\":\"constant-arrival-rate\",\"rate\":700,"
		 "\"duration\":\"60s\",\"preAllocatedVUs\":200}}}");
	figures = (struct load_summary_scenario){ .scenario = &f.plan->scenarios.ptr[0],
						  .iterations = 31900,
						  .interrupted = 100,
						  .dropped = 8000,
						  .drops = { [LOAD_DROP_VU_LIMIT] = 8000 },
						  .iteration_mean_ms = 850 };
	f.s.scenarios = &figures;
	f.s.scenario_count = 1;
	ASSERT_INT(load_summary_vus_needed(&figures), 595);
	ASSERT_HAS(text(&f, plain),
		   "buy: 8000 of 40000 iterations dropped (20.00%) of 700/s: no VU "
		   "was free. At 700/s and 850ms an iteration\n      595 VUs are "
		   "busy (Little's law); maxVUs is 200.");
	figures.drops[LOAD_DROP_VU_LIMIT] = 7000;
	figures.drops[LOAD_DROP_LATE] = 1000;
	ASSERT_HAS(text(&f, plain),
		   "7000 with all maxVUs busy, 1000 because the generator was late "
		   "itself.");
	figures.iteration_mean_ms = 100;
	ASSERT_INT(load_summary_vus_needed(&figures), 70);
	ASSERT_HAS(text(&f, plain), "maxVUs 200 is enough on average");
	figures.iteration_mean_ms = 0;
	ASSERT_HAS(text(&f, plain), "No iteration came to its end.");
	figures.dropped = 0;
	ASSERT_LACKS(text(&f, plain), "dropped");
}

/* n >= ln(0.05) / ln(q): 29 for p(90), 59 for p(95), 299 for p(99) */
TEST(small_samples_are_marked)
{
	CLEANUP(teardown) struct fixture f;
	const struct load_metric *m;
	const char *all;

	prepare(&f);
	m = make(&f, "steps", LOAD_TREND, LOAD_DEFAULT);
	plan(&f, "{\"summaryTrendStats\":[\"med\",\"max\",\"p(90)\",\"p(95)\",\"p(99)\"]}");
	for (int i = 0; i < 59; i++)
		add(&f, m, i);
	all = text(&f, plain);
	ASSERT_LACKS(all, "p(95), which needs");
	ASSERT_HAS(all, "n too small for p(99), which needs 299 samples: steps (59)\n");
	load_agg_clear(f.agg);
	for (int i = 0; i < 58; i++)
		add(&f, m, i);
	ASSERT_HAS(text(&f, plain), "n too small for p(95), which needs 59 samples: steps (58)\n");
}

TEST(the_histograms_error_is_stated)
{
	CLEANUP(teardown) struct fixture f;
	const struct load_metric *m;

	prepare(&f);
	m = make(&f, "steps", LOAD_TREND, LOAD_DEFAULT);
	plan(&f, "{}");
	for (int i = 0; i < HIST_EXACT_MAX; i++)
		add(&f, m, i);
	ASSERT_LACKS(text(&f, plain), "are within");
	add(&f, m, 1);
	ASSERT_HAS(text(&f, plain), "Percentiles of more than 10000 values are within 0.2 %");
}

TEST(the_generators_verdict)
{
	CLEANUP(teardown) struct fixture f;

	prepare(&f);
	plan(&f, "{}");
	ASSERT_LACKS(text(&f, plain), "HOW FAR");
	f.s.generator =
		(struct load_summary_generator){ "valid", true, 0.43, 0.08, 0.001, -1, 0, 0, 0 };
	ASSERT_HAS(text(&f, plain),
		   "    generator: valid (busiest thread 43 % of a core, start lag "
		   "p(99) 80\xc2\xb5s, steal 0.1 %)\n");
	f.s.generator = (struct load_summary_generator){
		"a thread was saturated", false, -1, -1, -1, -1, 0, 0, 0
	};
	ASSERT_HAS(text(&f, plain), "    INVALID RUN: a thread was saturated\n");
	f.s.tags_refused = 7;
	ASSERT_HAS(text(&f, plain), "7 samples lost a tag");
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *parsed(const struct strbuf *text)
{
	json_error_t at;
	json_t *root = json_loadb(text->ptr, text->len, 0, &at);

	if (!root)
		test_fail(__FILE__, __LINE__, "%s in %s", at.text, text->ptr);
	return root;
}

static void one_page_run(struct fixture *f)
{
	const struct load_metric *size;

	prepare(f);
	size = make(f, "size", LOAD_TREND, LOAD_DEFAULT);
	make(f, "idle", LOAD_RATE, LOAD_DEFAULT);
	plan(f, "{\"thresholds\":{\"size\":[\"avg<100\",\"max<3\"],\"idle\":[\"rate<0.5\"]}}");
	for (int i = 0; i < 2; i++) {
		load_agg_group(f->agg, STR("::page"));
		load_agg_check(f->agg, STR("::page"), STR("fine"), true);
		add_builtin(f, LOAD_M_CHECKS, 1);
		add_builtin(f, LOAD_M_ITERATIONS, 1);
		add(f, size, 5);
	}
	load_agg_check(f->agg, STR("::outer::inner \"q\""), STR("deep"), false);
	load_thresholds_eval(f->thresholds, f->agg, f->s.duration_ns);
}

/* shape and ids from a run of k6 */
TEST(handle_summarys_data)
{
	CLEANUP(teardown) struct fixture f;
	json_t *d, *page, *m;

	one_page_run(&f);
	f.s.setup_data = STR("{\"a\":[1]}");
	load_summary_fmt_data(&f.s, &f.out);
	d = parsed(&f.out);
	ASSERT_STREQ(json_string_value(json_object_get(json_object_get(d, "root_group"), "id")),
		     "d41d8cd98f00b204e9800998ecf8427e");
	page = json_array_get(json_object_get(json_object_get(d, "root_group"), "groups"), 0);
	ASSERT_STREQ(json_string_value(json_object_get(page, "name")), "page");
	ASSERT_STREQ(json_string_value(json_object_get(page, "path")), "::page");
	ASSERT_STREQ(json_string_value(json_object_get(page, "id")),
		     "1fd56819006b55ebe60895687bc45b26");
	page = json_array_get(json_object_get(page, "checks"), 0);
	ASSERT_STREQ(json_string_value(json_object_get(page, "path")), "::page::fine");
	ASSERT_STREQ(json_string_value(json_object_get(page, "id")),
		     "e55d663e2a0fdbcf1c4ee8956970eae5");
	ASSERT_INT(json_integer_value(json_object_get(page, "passes")), 2);
	json_decref(d);

	ASSERT_HAS(strbuf_cstr(&f.out),
		   "\"options\":{\"summaryTrendStats\":[\"avg\",\"min\",\"med\",\"max\",\"p(90)\","
		   "\"p(95)\"],\"summaryTimeUnit\":\"\",\"noColor\":true},\"state\":{"
		   "\"isStdOutTTY\":false,\"isStdErrTTY\":false,\"testRunDurationMs\":4000}");
	ASSERT_HAS(strbuf_cstr(&f.out),
		   "\"size\":{\"type\":\"trend\",\"contains\":\"default\",\"values\":{\"avg\":5,"
		   "\"min\":5,\"med\":5,\"max\":5,\"p(90)\":5,\"p(95)\":5},\"thresholds\":{"
		   "\"avg<100\":{\"ok\":true},\"max<3\":{\"ok\":false}}}");
	ASSERT_HAS(strbuf_cstr(&f.out),
		   "\"idle\":{\"type\":\"rate\",\"contains\":\"default\",\"values\":{\"rate\":0,"
		   "\"passes\":0,\"fails\":0},\"thresholds\":{\"rate<0.5\":{\"ok\":true}}}");
	ASSERT_HAS(strbuf_cstr(&f.out), "\"setup_data\":{\"a\":[1]}}");
	ASSERT_LACKS(strbuf_cstr(&f.out), "\"http_reqs\"");
	d = parsed(&f.out);
	m = json_object_get(json_object_get(d, "metrics"), "iterations");
	ASSERT_NEAR(json_number_value(json_object_get(json_object_get(m, "values"), "rate")), 0.5,
		    0);
	json_decref(d);
}

TEST(summary_export_is_the_old_form)
{
	CLEANUP(teardown) struct fixture f;
	json_t *d, *g, *m;

	one_page_run(&f);
	load_summary_fmt_export(&f.s, &f.out);
	d = parsed(&f.out);
	ASSERT_TRUE(!json_object_get(d, "state"));
	g = json_object_get(json_object_get(d, "root_group"), "groups");
	g = json_object_get(json_object_get(json_object_get(g, "page"), "checks"), "fine");
	ASSERT_INT(json_integer_value(json_object_get(g, "passes")), 2);
	g = json_object_get(json_object_get(d, "root_group"), "groups");
	g = json_object_get(json_object_get(json_object_get(g, "outer"), "groups"), "inner \"q\"");
	ASSERT_STREQ(json_string_value(json_object_get(g, "path")), "::outer::inner \"q\"");
	m = json_object_get(json_object_get(d, "metrics"), "size");
	ASSERT_NEAR(json_number_value(json_object_get(m, "p(95)")), 5, 0);
	ASSERT_TRUE(json_is_false(json_object_get(json_object_get(m, "thresholds"), "avg<100")));
	ASSERT_TRUE(json_is_true(json_object_get(json_object_get(m, "thresholds"), "max<3")));
	m = json_object_get(json_object_get(d, "metrics"), "checks");
	ASSERT_NEAR(json_number_value(json_object_get(m, "value")), 1, 0);
	ASSERT_TRUE(!json_object_get(m, "rate"));
	json_decref(d);
}

TEST(deep_groups_do_not_break_the_json)
{
	CLEANUP(teardown) struct fixture f;
	CLEANUP(strbuf_release) struct strbuf path = STRBUF_INIT;

	prepare(&f);
	plan(&f, "{}");
	for (int i = 0; i < 100; i++)
		strbuf_addf(&path, "::g%d", i);
	load_agg_check(f.agg, strbuf_str(&path), STR("c"), true);
	load_summary_fmt_data(&f.s, &f.out);
	json_decref(parsed(&f.out));
	strbuf_clear(&f.out);
	load_summary_fmt_export(&f.s, &f.out);
	json_decref(parsed(&f.out));
}
