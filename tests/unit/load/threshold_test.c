#include "load/threshold.h"

#include <errno.h>
#include <stdio.h>

#include "load/options.h"
#include "test.h"

static void ok(const char *text, const char *aggregate, enum load_op op, double limit)
{
	struct error err = ERROR_INIT;
	struct load_expr e;

	ASSERT_OK_ERR(load_expr_parse(str_from(text), &e, &err), err);
	ASSERT_STREQ(e.aggregate, aggregate);
	ASSERT_INT(e.op, op);
	ASSERT_NEAR(e.limit, limit, 0);
}

TEST(expressions)
{
	struct load_expr e;

	ok("p(95)<500", "p(95)", LOAD_LT, 500);
	ok(" count  >=  12 ", "count", LOAD_GE, 12);
	ok("rate<=0.5", "rate", LOAD_LE, 0.5);
	ok("value===4", "value", LOAD_EQ, 4);
	ok("value==-4", "value", LOAD_EQ, -4);
	ok("avg!=1e3", "avg", LOAD_NE, 1000);
	ok("p( 99.9 )>39", "p(99.9)", LOAD_GT, 39);
	ASSERT_OK(load_expr_parse(STR("p(99.9)>39"), &e, NULL));
	ASSERT_TRUE(e.percentile);
	ASSERT_NEAR(e.q, 0.999, 1e-12);
}

TEST(malformed_expressions)
{
	const char *bad[] = { "",	    "p(95)",
			      "p(95)<",	    "<500",
			      "p95<500",    "p(101)<1",
			      "p(x)<1",	    "p(95)<500ms",
			      "mean<1",	    "p(95)=500",
			      "rate<<1",    "rate<1<2",
			      "rate < 1 1", "rate<nan",
			      "rate!1",	    "rate>inf",
			      "count====1", "p(95",
			      "p(1e400)<1", "co unt<1",
			      "p(-1)<1",    "p(0000000000000000000095)<1" };
	struct load_expr e;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (load_expr_parse(str_from(bad[i]), &e, NULL) != -EINVAL)
			test_fail(__FILE__, __LINE__, "'%s' was taken", bad[i]);
	ASSERT_INT(load_expr_parse((struct str){ "rate\0<1", 7 }, &e, NULL), -EINVAL);
}

/* Counted by hand, from 1. */
TEST(the_place_of_a_mistake_is_named)
{
	static const struct {
		const char *text, *where;
	} cases[] = {
		{ "  mean<1", "at character 3: expected one of count" },
		{ "p(95) ~ 500", "at character 1: expected one of count" },
		{ "p(95)", "at character 6: expected one of <" },
		{ "rate !1", "at character 6: expected one of <" },
		{ "rate<", "at character 6: expected a number" },
		{ "p(95) <=  500ms", "at character 11: expected a number" },
	};
	struct load_expr e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;

		ASSERT_INT(load_expr_parse(str_from(cases[i].text), &e, &err), -EINVAL);
		ASSERT_HAS(err.msg, cases[i].where);
	}
}

TEST(comparisons_at_the_limit)
{
	static const struct {
		const char *text;
		bool below, at, above;
	} cases[] = {
		{ "rate<2", true, false, false },  { "rate<=2", true, true, false },
		{ "rate>2", false, false, true },  { "rate>=2", false, true, true },
		{ "rate==2", false, true, false }, { "rate!=2", true, false, true },
	};
	struct load_expr e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_OK(load_expr_parse(str_from(cases[i].text), &e, NULL));
		ASSERT_INT(load_expr_holds(&e, 1), cases[i].below);
		ASSERT_INT(load_expr_holds(&e, 2), cases[i].at);
		ASSERT_INT(load_expr_holds(&e, 3), cases[i].above);
	}
}

/* What k6 takes for each type; a trend's count it does not. */
TEST(aggregates_by_type)
{
	static const char *const all[] = { "count", "rate", "value", "avg",
					   "min",   "max",  "med",   "p(90)" };
	static const char *const takes[] = {
		[LOAD_COUNTER] = "11000000",
		[LOAD_GAUGE] = "00100000",
		[LOAD_RATE] = "01000000",
		[LOAD_TREND] = "00011111",
	};

	for (int type = LOAD_COUNTER; type <= LOAD_TREND; type++)
		for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
			char text[32];
			struct load_expr e;

			snprintf(text, sizeof(text), "%s<1", all[i]);
			ASSERT_OK(load_expr_parse(str_from(text), &e, NULL));
			ASSERT_INT(load_expr_check(&e, (enum load_metric_type)type, NULL),
				   takes[type][i] == '1' ? 0 : -EINVAL);
		}
}

struct fixture {
	struct load_metrics *metrics;
	struct load_tag_pool *pool;
	struct load_plan *plan;
	struct load_thresholds *thresholds;
	struct load_agg *agg;
	struct error err;
};

static void teardown(struct fixture *f)
{
	load_agg_free(f->agg);
	load_thresholds_free(f->thresholds);
	load_plan_free(f->plan);
	load_tag_pool_free(f->pool);
	load_metrics_free(f->metrics);
}

static int setup(struct fixture *f, const char *thresholds)
{
	CLEANUP(cleanup_load_options) struct load_options *o = NULL;
	CLEANUP(strbuf_release) struct strbuf json = STRBUF_INIT;

	*f = (struct fixture){ .metrics = load_metrics_new(), .pool = load_tag_pool_new() };
	strbuf_addf(&json, "{\"thresholds\":{%s}}", thresholds);
	ASSERT_OK_ERR(load_options_parse(strbuf_str(&json), &o, &f->err), f->err);
	ASSERT_OK_ERR(load_plan_new(o, NULL, NULL, &f->plan, &f->err), f->err);
	f->agg = load_agg_new(f->metrics);
	return load_thresholds_new(f->plan, f->metrics, &f->thresholds, &f->err);
}

static void add(struct fixture *f, enum load_builtin id, const char *tag, double v)
{
	const struct load_tags *t = load_tags_none(f->pool);

	if (tag)
		t = load_tags_with(f->pool, t, STR("status"), str_from(tag));
	load_agg_add(f->agg, load_metrics_builtin(f->metrics, id), t, 1, v);
}

TEST(an_unknown_metric_is_an_error)
{
	CLEANUP(teardown) struct fixture f;

	ASSERT_INT(setup(&f, "\"no_such_metric\":[\"count>0\"]"), -ENOENT);
	ASSERT_HAS(f.err.msg, "threshold on 'no_such_metric': there is no metric");
}

TEST(a_wrong_aggregate_is_an_error)
{
	CLEANUP(teardown) struct fixture f;

	ASSERT_INT(setup(&f, "\"http_req_duration{a:b}\":[\"count>0\"]"), -EINVAL);
	ASSERT_HAS(f.err.msg, "a threshold on a trend cannot use 'count'");
}

TEST(tagged_subsets_hold_and_fail)
{
	CLEANUP(teardown) struct fixture f;

	ASSERT_OK(setup(&f, "\"http_reqs{status:404}\":[\"count==4\"],"
			    "\"http_reqs\":[\"count>100\",\"rate>1\"],"
			    "\"http_reqs{status:500}\":[\"count<1\"]"));
	for (int i = 0; i < 4; i++) {
		add(&f, LOAD_M_HTTP_REQS, "404", 1);
		add(&f, LOAD_M_HTTP_REQS, "200", 1);
	}
	ASSERT_TRUE(!load_thresholds_eval(f.thresholds, f.agg, 2 * NS_PER_S));
	ASSERT_TRUE(f.thresholds->list.ptr[0].ok);
	ASSERT_TRUE(!f.thresholds->list.ptr[1].ok);
	ASSERT_NEAR(f.thresholds->list.ptr[1].value, 8, 0);
	ASSERT_NEAR(f.thresholds->list.ptr[2].value, 4, 0); /* in two seconds */
	ASSERT_TRUE(f.thresholds->list.ptr[3].ok && f.thresholds->list.ptr[3].empty);
	ASSERT_INT(load_thresholds_failed(f.thresholds), 1);
	ASSERT_TRUE(load_thresholds_on(f.thresholds,
				       load_metrics_builtin(f.metrics, LOAD_M_HTTP_REQS)));
	ASSERT_TRUE(
		!load_thresholds_on(f.thresholds, load_metrics_builtin(f.metrics, LOAD_M_CHECKS)));
}

/* one that would fail on 0 too: without samples it is not looked at */
TEST(without_samples_all_hold)
{
	CLEANUP(teardown) struct fixture f;

	ASSERT_OK(setup(&f, "\"checks\":[\"rate>0.9\"],\"http_req_duration\":[\"p(95)>5\"]"));
	ASSERT_TRUE(!load_thresholds_eval(f.thresholds, f.agg, NS_PER_S));
	ASSERT_INT(load_thresholds_failed(f.thresholds), 0);
}

TEST(abort_waits_for_its_delay)
{
	CLEANUP(teardown) struct fixture f;
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	ASSERT_OK(setup(&f, "\"checks\":[\"rate>0.5\",{\"threshold\":\"rate>0.9\","
			    "\"abortOnFail\":true,\"delayAbortEval\":\"3s\"}],"
			    "\"http_reqs{status:1}\":[\"count>5\"]"));
	add(&f, LOAD_M_CHECKS, NULL, 0);
	add(&f, LOAD_M_HTTP_REQS, "1", 1);
	ASSERT_TRUE(!load_thresholds_eval(f.thresholds, f.agg, 2 * NS_PER_S));
	ASSERT_TRUE(load_thresholds_eval(f.thresholds, f.agg, 3 * NS_PER_S));
	load_thresholds_fmt_failed(f.thresholds, &out);
	ASSERT_STREQ(strbuf_cstr(&out),
		     "thresholds on metrics 'checks, http_reqs{status:1}' have been crossed");
}

/* those of the end count, not those on the way */
TEST(a_threshold_recovers)
{
	CLEANUP(teardown) struct fixture f;

	ASSERT_OK(setup(&f, "\"checks\":[\"rate>=0.5\"]"));
	add(&f, LOAD_M_CHECKS, NULL, 0);
	load_thresholds_eval(f.thresholds, f.agg, 1);
	ASSERT_INT(load_thresholds_failed(f.thresholds), 1);
	add(&f, LOAD_M_CHECKS, NULL, 1);
	load_thresholds_eval(f.thresholds, f.agg, 2);
	ASSERT_INT(load_thresholds_failed(f.thresholds), 0);
}
