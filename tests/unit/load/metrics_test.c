#include "load/metrics.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "base/mem.h"
#include "test.h"

static int make(struct load_metrics *r, const char *name, enum load_metric_type type,
		const struct load_metric **ret, struct error *err)
{
	struct load_metric def = { .name = name, .type = type };

	return load_metrics_register(r, &def, ret, err);
}

TEST(builtins_have_k6s_names_and_types)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	const struct load_metric *m = load_metrics_builtin(r, LOAD_M_HTTP_REQ_TLS_HANDSHAKING);

	ASSERT_STREQ(m->name, "http_req_tls_handshaking");
	ASSERT_INT(m->type, LOAD_TREND);
	ASSERT_INT(m->contains, LOAD_TIME);
	m = load_metrics_find(r, STR("data_sent"));
	ASSERT_INT(m->type, LOAD_COUNTER);
	ASSERT_STREQ(load_contains_name(m->contains), "data");
	ASSERT_TRUE(load_metrics_builtin(r, LOAD_M_ITERATION_START_LAG)->own);
	ASSERT_TRUE(!m->own && !m->custom);
}

TEST(every_vu_registers_the_same_metric)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	const struct load_metric *a, *b;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(make(r, "hits", LOAD_COUNTER, &a, &err), err);
	ASSERT_OK_ERR(make(r, "hits", LOAD_COUNTER, &b, &err), err);
	ASSERT_TRUE(a == b && a->custom);
	ASSERT_INT(make(r, "hits", LOAD_TREND, &b, &err), -EINVAL);
	ASSERT_HAS(err.msg, "'hits' already exists but with type counter, instead of trend");
	ASSERT_TRUE(load_metrics_get(r, a->id) == a);
	ASSERT_INT(load_metrics_count(r), LOAD_M_BUILTINS + 1);
}

/* k6: 2 to 128 ASCII letters, digits, underscores; not a digit first */
TEST(refuses_names_k6_refuses)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	const char *bad[] = { "", "a", "1ab", "a b", "a-b", "a.b", "caf\xc3\xa9", "a{b:c}" };
	char name[130] = "";
	const struct load_metric *m;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ASSERT_INT(make(r, bad[i], LOAD_RATE, &m, NULL), -EINVAL);
	memset(name, 'x', 129);
	ASSERT_INT(make(r, name, LOAD_RATE, &m, NULL), -EINVAL);
	name[128] = '\0';
	ASSERT_OK(make(r, name, LOAD_RATE, &m, NULL));
	ASSERT_OK(make(r, "_1", LOAD_RATE, &m, NULL));
}

TEST(an_unknown_metric_gets_the_nearest_name)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	const struct load_metric *m = NULL;
	struct error err = ERROR_INIT;

	ASSERT_INT(load_metrics_lookup(r, STR("http_req_duraton"), &m, &err), -ENOENT);
	ASSERT_HAS(err.msg, "did you mean 'http_req_duration'?");
	ASSERT_TRUE(!m);
}

TEST(the_number_of_metrics_is_limited)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	const struct load_metric *m;
	struct error err = ERROR_INIT;
	char name[32];

	for (int i = LOAD_M_BUILTINS; i < LOAD_METRICS_MAX; i++) {
		snprintf(name, sizeof(name), "m_%d", i);
		ASSERT_OK_ERR(make(r, name, LOAD_COUNTER, &m, &err), err);
	}
	ASSERT_INT(make(r, "one_more", LOAD_COUNTER, &m, &err), -E2BIG);
	ASSERT_HAS(err.msg, "use tags instead");
}

TEST(submetric_keys_are_trimmed_as_k6_does)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	const struct load_submetric *s, *same;
	struct error err = ERROR_INIT;
	struct str key = STR("http_reqs{ status : 404 , \"name\":'a b',u:http://x}");

	ASSERT_OK_ERR(load_metrics_add_submetric(r, key, &s, &err), err);
	ASSERT_STREQ(s->metric->name, "http_reqs");
	ASSERT_INT(s->tag_count, 3);
	ASSERT_STREQ(s->tags[0].key.ptr, "status");
	ASSERT_STREQ(s->tags[0].value.ptr, "404");
	ASSERT_STREQ(s->tags[1].key.ptr, "name");
	ASSERT_STREQ(s->tags[1].value.ptr, "a b");
	ASSERT_STREQ(s->tags[2].value.ptr, "http://x");
	key = STR("http_reqs{status:404,name:a b,u:http://x}");
	ASSERT_OK_ERR(load_metrics_add_submetric(r, key, &same, &err), err);
	ASSERT_TRUE(s == same);
	/* k6's automatic one was there before */
	ASSERT_STREQ(load_metrics_submetric(r, 0)->name,
		     "http_req_duration{expected_response:true}");
}

TEST(malformed_submetric_keys)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	const char *bad[] = {
		"http_reqs{",	 "http_reqs{}",	  "http_reqs{a}",    "http_reqs{a:}",
		"http_reqs{a:b", "http_reqs{:b}", "http_reqs{a:b,}", "http_reqs{a:b}x"
	};
	const struct load_submetric *s;
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (load_metrics_add_submetric(r, str_from(bad[i]), &s, &err) != -EINVAL)
			test_fail(__FILE__, __LINE__, "%s was taken", bad[i]);
	ASSERT_INT(load_metrics_add_submetric(r, STR("http_rqs{a:b}"), &s, &err), -ENOENT);
	ASSERT_INT(load_metrics_submetric_count(r), 1);
}

TEST(matching_wants_every_tag)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_metric *m = load_metrics_builtin(r, LOAD_M_HTTP_REQS);
	const struct load_submetric *one, *two;
	const struct load_tags *t;

	ASSERT_OK(load_metrics_add_submetric(r, STR("http_reqs{a:1}"), &one, NULL));
	ASSERT_OK(load_metrics_add_submetric(r, STR("http_reqs{b:2,a:1}"), &two, NULL));
	ASSERT_INT(load_metrics_submetrics_of(m), 2);
	t = load_tags_none(p);
	ASSERT_INT(load_metrics_match(m, t), 0);
	t = load_tags_with(p, t, STR("a"), STR("1"));
	ASSERT_INT(load_metrics_match(m, t), 1 << one->bit);
	t = load_tags_with(p, t, STR("b"), STR("2"));
	ASSERT_INT(load_metrics_match(m, t), 1 << one->bit | 1 << two->bit);
	t = load_tags_with(p, t, STR("a"), STR("11"));
	ASSERT_INT(load_metrics_match(m, t), 0);
	load_tag_pool_free(p);
}

static void *register_many(void *arg)
{
	const struct load_metric *m;
	char name[32];

	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "shared_%d", i);
		if (make(arg, name, LOAD_TREND, &m, NULL) < 0 ||
		    load_metrics_get(arg, m->id) != m || strcmp(m->name, name))
			return arg;
	}
	return NULL;
}

TEST(threads_register_at_once)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *r = load_metrics_new();
	pthread_t threads[4];
	void *failed;

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_INT(pthread_create(&threads[i], NULL, register_many, r), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &failed);
		ASSERT_TRUE(!failed);
	}
	ASSERT_INT(load_metrics_count(r), LOAD_M_BUILTINS + 200);
}
