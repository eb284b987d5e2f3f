#include "load/agg.h"

#include <errno.h>

#include "base/mem.h"
#include "test.h"

struct fixture {
	struct load_metrics *metrics;
	struct load_tag_pool *pool;
	struct load_agg *agg;
};

static void setup(struct fixture *f)
{
	f->metrics = load_metrics_new();
	f->pool = load_tag_pool_new();
	f->agg = load_agg_new(f->metrics);
}

static void teardown(struct fixture *f)
{
	load_agg_free(f->agg);
	load_tag_pool_free(f->pool);
	load_metrics_free(f->metrics);
}

static const struct load_metric *make(struct fixture *f, const char *name,
				      enum load_metric_type type)
{
	struct load_metric def = { .name = name, .type = type };
	const struct load_metric *m;

	ASSERT_OK(load_metrics_register(f->metrics, &def, &m, NULL));
	return m;
}

static void add(struct fixture *f, const struct load_metric *m, double v)
{
	load_agg_add(f->agg, m, load_tags_none(f->pool), 1, v);
}

static double get(const struct load_agg *a, const struct load_metric *m, const char *aggregate)
{
	double v = -1;

	ASSERT_OK(load_values_get(load_agg_metric(a, m), m->type, str_from(aggregate), 2, &v));
	return v;
}

/* The figures of a run of k6 over the same samples. */
TEST(aggregates_are_k6s)
{
	CLEANUP(teardown) struct fixture f;
	const struct load_metric *c, *g, *r, *t;

	setup(&f);
	c = make(&f, "kit_counter", LOAD_COUNTER);
	g = make(&f, "kit_gauge", LOAD_GAUGE);
	r = make(&f, "kit_rate", LOAD_RATE);
	t = make(&f, "kit_trend", LOAD_TREND);
	for (int i = 0; i < 4; i++) {
		add(&f, c, 3);
		add(&f, g, i);
		add(&f, r, i % 2);
		add(&f, t, (i + 1) * 10);
	}
	ASSERT_NEAR(get(f.agg, c, "count"), 12, 0);
	ASSERT_NEAR(get(f.agg, c, "rate"), 6, 0); /* in two seconds */
	ASSERT_NEAR(get(f.agg, g, "value"), 3, 0);
	ASSERT_NEAR(get(f.agg, g, "min"), 0, 0);
	ASSERT_NEAR(get(f.agg, g, "max"), 3, 0);
	ASSERT_NEAR(get(f.agg, r, "rate"), 0.5, 0);
	ASSERT_NEAR(get(f.agg, r, "passes"), 2, 0);
	ASSERT_NEAR(get(f.agg, r, "fails"), 2, 0);
	ASSERT_NEAR(get(f.agg, t, "avg"), 25, 0);
	ASSERT_NEAR(get(f.agg, t, "med"), 25, 0);
	ASSERT_NEAR(get(f.agg, t, "p(90)"), 37, 1e-9);
	ASSERT_NEAR(get(f.agg, t, "p(95)"), 38.5, 1e-9);
	ASSERT_NEAR(get(f.agg, t, "p(0)"), 10, 0);
	ASSERT_NEAR(get(f.agg, t, "count"), 4, 0);
}

TEST(unknown_aggregates_are_refused)
{
	static const struct load_values none;
	const char *trend[] = { "value", "p(101)", "p(-1)", "p()", "p(9x)", "p95", "", "p(" };
	double v;

	for (size_t i = 0; i < ARRAY_SIZE(trend); i++)
		ASSERT_INT(load_values_get(&none, LOAD_TREND, str_from(trend[i]), 1, &v), -EINVAL);
	ASSERT_INT(load_values_get(&none, LOAD_COUNTER, STR("value"), 1, &v), -EINVAL);
	ASSERT_INT(load_values_get(&none, LOAD_GAUGE, STR("count"), 1, &v), -EINVAL);
	ASSERT_INT(load_values_get(&none, LOAD_RATE, STR("count"), 1, &v), -EINVAL);
	ASSERT_OK(load_values_get(&none, LOAD_RATE, STR("rate"), 1, &v));
	ASSERT_NEAR(v, 0, 0);
}

TEST(a_value_that_is_no_number_is_not_taken)
{
	CLEANUP(teardown) struct fixture f;
	const struct load_metric *t;

	setup(&f);
	t = make(&f, "trend", LOAD_TREND);
	add(&f, t, NAN);
	add(&f, t, INFINITY);
	ASSERT_INT(load_agg_metric(f.agg, t)->count, 0);
}

TEST(the_latest_gauge_wins_whoever_saw_it)
{
	CLEANUP(teardown) struct fixture f;
	CLEANUP(cleanup_load_agg) struct load_agg *other = NULL;
	const struct load_metric *g;
	const struct load_tags *none;

	setup(&f);
	g = make(&f, "level", LOAD_GAUGE);
	none = load_tags_none(f.pool);
	other = load_agg_new(f.metrics);
	load_agg_add(other, g, none, 200, -5);
	load_agg_add(f.agg, g, none, 300, 7);
	load_agg_add(f.agg, g, none, 100, 9);
	load_agg_merge(f.agg, other);
	ASSERT_NEAR(get(f.agg, g, "value"), 7, 0);
	ASSERT_NEAR(get(f.agg, g, "min"), -5, 0);
	ASSERT_NEAR(get(f.agg, g, "max"), 9, 0);
	load_agg_merge(other, f.agg);
	ASSERT_NEAR(get(other, g, "value"), 7, 0);
}

/* zone is north on odd iterations, level is the number of the iteration */
TEST(submetrics_take_what_matches)
{
	CLEANUP(teardown) struct fixture f;
	const struct load_submetric *north, *north1, *nowhere;
	const struct load_metric *hits;

	setup(&f);
	hits = make(&f, "hits", LOAD_COUNTER);
	ASSERT_OK(load_metrics_add_submetric(f.metrics, STR("hits{zone:north}"), &north, NULL));
	ASSERT_OK(load_metrics_add_submetric(f.metrics, STR("hits{zone:north,level:1}"), &north1,
					     NULL));
	ASSERT_OK(load_metrics_add_submetric(f.metrics, STR("hits{zone:nowhere}"), &nowhere, NULL));
	for (int round = 0; round < 2; round++) /* the second time from the masks */
		for (int i = 0; i < 4; i++) {
			const struct load_tags *t = load_tags_none(f.pool);
			char level[2] = { (char)('0' + i), '\0' };

			t = load_tags_with(f.pool, t, STR("zone"),
					   i % 2 ? STR("north") : STR("south"));
			t = load_tags_with(f.pool, t, STR("level"), str_from(level));
			load_agg_add(f.agg, hits, t, 1, 1);
		}
	ASSERT_NEAR(load_agg_metric(f.agg, hits)->sum, 8, 0);
	ASSERT_NEAR(load_agg_submetric(f.agg, north)->sum, 4, 0);
	ASSERT_NEAR(load_agg_submetric(f.agg, north1)->sum, 2, 0);
	ASSERT_INT(load_agg_submetric(f.agg, nowhere)->count, 0);
}

TEST(seconds_add_up_to_the_total)
{
	CLEANUP(teardown) struct fixture f;
	CLEANUP(cleanup_load_agg) struct load_agg *total = NULL;
	const struct load_metric *t, *c;

	setup(&f);
	total = load_agg_new(f.metrics);
	t = make(&f, "trend", LOAD_TREND);
	c = make(&f, "counter", LOAD_COUNTER);
	for (int second = 0; second < 3; second++) {
		for (int i = 1; i <= 10; i++)
			add(&f, t, second * 10 + i);
		add(&f, c, 2);
		load_agg_check(f.agg, STR(""), STR("ok"), second != 1);
		load_agg_group(f.agg, STR("::a"));
		load_agg_merge(total, f.agg);
		load_agg_clear(f.agg);
		ASSERT_INT(load_agg_metric(f.agg, t)->count, 0);
		ASSERT_INT(load_agg_check_count(f.agg), 0);
	}
	ASSERT_NEAR(get(total, t, "avg"), 15.5, 1e-12); /* of 1 … 30 */
	ASSERT_NEAR(get(total, t, "max"), 30, 0);
	ASSERT_NEAR(get(total, c, "count"), 6, 0);
	ASSERT_INT(load_agg_check_count(total), 1);
	ASSERT_INT(load_agg_check_at(total, 0)->passes, 2);
	ASSERT_INT(load_agg_check_at(total, 0)->fails, 1);
	ASSERT_INT(load_agg_group_count(total), 1);
}

TEST(checks_of_one_name_in_two_groups_are_two)
{
	CLEANUP(teardown) struct fixture f;

	setup(&f);
	load_agg_check(f.agg, STR("::b"), STR("x"), true);
	load_agg_check(f.agg, STR(""), STR("x"), false);
	load_agg_check(f.agg, STR("::b"), STR("x"), true);
	ASSERT_INT(load_agg_check_count(f.agg), 2);
	ASSERT_STREQ(load_agg_check_at(f.agg, 0)->group, "::b");
	ASSERT_INT(load_agg_check_at(f.agg, 0)->passes, 2);
	ASSERT_INT(load_agg_check_at(f.agg, 1)->fails, 1);
}
