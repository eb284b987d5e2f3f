#include "load/tags.h"

#include <stdio.h>

#include "test.h"

static const struct load_tags *with(struct load_tag_pool *p, const struct load_tags *t,
				    const char *key, const char *value)
{
	return load_tags_with(p, t, str_from(key), str_from(value));
}

static void assert_text(const struct load_tags *t, const char *expected)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	load_tags_fmt(t, &sb);
	ASSERT_STREQ(strbuf_cstr(&sb), expected);
}

TEST(equal_sets_are_one_whatever_the_order)
{
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *none = load_tags_none(p), *ab, *ba;

	ASSERT_INT(none->id, 0);
	ASSERT_INT(none->len, 0);
	ab = with(p, with(p, none, "a", "1"), "b", "2");
	ba = with(p, with(p, none, "b", "2"), "a", "1");
	ASSERT_TRUE(ab == ba);
	ASSERT_TRUE(ab != with(p, with(p, none, "b", "1"), "a", "2"));
	assert_text(ab, "a=1,b=2");
	load_tag_pool_free(p);
}

/* "a" before "aa" before "b": by bytes, a prefix first. */
TEST(tags_are_sorted_by_key)
{
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *t = load_tags_none(p);

	t = with(p, with(p, with(p, with(p, t, "b", ""), "aa", "x"), "B", "y"), "a", "z");
	assert_text(t, "B=y,a=z,aa=x,b=");
	load_tag_pool_free(p);
}

TEST(a_key_has_one_value)
{
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *t = with(p, load_tags_none(p), "k", "old");
	const struct load_tags *changed = with(p, t, "k", "new");

	ASSERT_TRUE(with(p, t, "k", "old") == t);
	assert_text(changed, "k=new");
	assert_text(t, "k=old");
	ASSERT_TRUE(with(p, changed, "k", "old") == t);
	load_tag_pool_free(p);
}

/* The same text cut differently between key and value, or between tags, is another set. */
TEST(borders_between_texts_count)
{
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *none = load_tags_none(p);

	ASSERT_TRUE(with(p, none, "ab", "c") != with(p, none, "a", "bc"));
	ASSERT_TRUE(with(p, none, "ab", "c")->hash != with(p, none, "a", "bc")->hash);
	ASSERT_TRUE(with(p, none, "a", "") != none);
	load_tag_pool_free(p);
}

TEST(removing_a_key)
{
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *none = load_tags_none(p), *a = with(p, none, "a", "1");
	const struct load_tags *ab = with(p, a, "b", "2");

	ASSERT_TRUE(load_tags_without(p, ab, STR("b")) == a);
	ASSERT_TRUE(load_tags_without(p, a, STR("a")) == none);
	ASSERT_TRUE(load_tags_without(p, a, STR("zz")) == a);
	ASSERT_TRUE(load_tags_without(p, none, STR("a")) == none);
	/* and again, by the way already known */
	ASSERT_TRUE(load_tags_without(p, ab, STR("b")) == a);
	load_tag_pool_free(p);
}

TEST(looking_up_a_key)
{
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *t = with(p, with(p, load_tags_none(p), "a", ""), "b", "two");

	ASSERT_STREQ(load_tags_get(t, STR("b")).ptr, "two");
	ASSERT_INT(load_tags_get(t, STR("a")).len, 0);
	ASSERT_TRUE(load_tags_get(t, STR("a")).ptr);
	ASSERT_TRUE(!load_tags_get(t, STR("c")).ptr);
	ASSERT_TRUE(!load_tags_get(t, STR("")).ptr);
	load_tag_pool_free(p);
}

TEST(sets_of_two_pools_compare_by_content)
{
	struct load_tag_pool *p = load_tag_pool_new(), *q = load_tag_pool_new();
	const struct load_tags *here, *there, *brought;

	with(q, load_tags_none(q), "something", "before");
	here = with(p, with(p, load_tags_none(p), "x", "1"), "y", "2");
	there = with(q, with(q, load_tags_none(q), "y", "2"), "x", "1");
	ASSERT_TRUE(here != there);
	ASSERT_TRUE(load_tags_equal(here, there));
	ASSERT_TRUE(here->hash == there->hash);
	ASSERT_TRUE(!load_tags_equal(here, with(q, there, "x", "3")));
	ASSERT_TRUE(!load_tags_equal(here, with(q, there, "z", "3")));

	brought = load_tags_import(q, here);
	ASSERT_TRUE(brought == there);
	ASSERT_TRUE(load_tags_import(q, load_tags_none(p)) == load_tags_none(q));
	load_tag_pool_free(p);
	assert_text(brought, "x=1,y=2");
	load_tag_pool_free(q);
}

/* Enough sets and steps that both tables grow, and all are found again. */
TEST(many_sets_keep_their_identity)
{
	static const struct load_tags *first[5000];
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *none = load_tags_none(p);
	char value[16];

	for (int i = 0; i < 5000; i++) {
		snprintf(value, sizeof(value), "%d", i);
		first[i] = with(p, none, "n", value);
		ASSERT_INT(first[i]->id, i + 1);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(value, sizeof(value), "%d", i);
		ASSERT_TRUE(with(p, none, "n", value) == first[i]);
		ASSERT_STREQ(load_tags_get(first[i], STR("n")).ptr, value);
	}
	ASSERT_INT(load_tags_refused(p), 0);
	load_tag_pool_free(p);
}

TEST(a_full_pool_gives_sets_up_and_counts_them)
{
	struct load_tag_pool *p = load_tag_pool_new();
	const struct load_tags *none = load_tags_none(p), *known, *t = none;
	char value[16];

	known = with(p, none, "status", "200");
	/* the empty set and the one above count too */
	for (int i = 0; i < LOAD_TAGS_MAX - 2; i++) {
		snprintf(value, sizeof(value), "%d", i);
		t = with(p, none, "url", value);
	}
	ASSERT_INT(t->id, LOAD_TAGS_MAX - 1);
	ASSERT_INT(load_tags_refused(p), 0);
	ASSERT_TRUE(with(p, none, "url", "one more") == none);
	ASSERT_TRUE(with(p, known, "url", "one more") == known);
	/* a new set of known texts */
	ASSERT_TRUE(with(p, known, "url", "0") == known);
	ASSERT_INT(load_tags_refused(p), 3);
	/* what is known goes on */
	ASSERT_TRUE(with(p, none, "status", "200") == known);
	ASSERT_TRUE(with(p, none, "url", value) == t);
	ASSERT_INT(load_tags_refused(p), 3);
	load_tag_pool_free(p);
}
