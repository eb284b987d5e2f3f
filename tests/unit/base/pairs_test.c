#include "base/pairs.h"

#include "test.h"

TEST(pairs_are_sorted_and_the_last_value_counts)
{
	struct pairs *a = pairs_with(NULL, STR("note"), STR("m"));
	struct pairs *b = pairs_with(a, STR("id"), STR("17"));
	struct pairs *c = pairs_with(b, STR("note"), STR(""));

	ASSERT_INT(c->len, 2);
	ASSERT_STREQ(c->list[0].key.ptr, "id");
	ASSERT_STREQ(c->list[0].value.ptr, "17");
	ASSERT_STREQ(c->list[1].key.ptr, "note");
	ASSERT_INT(c->list[1].value.len, 0);
	ASSERT_STREQ(pairs_get(b, STR("note")).ptr, "m");
	ASSERT_TRUE(!pairs_get(a, STR("id")).ptr);
	pairs_release(a);
	pairs_release(b);
	pairs_release(c);
}

TEST(pairs_without_leaves_the_others_and_the_old_ones)
{
	struct pairs *a = pairs_with(NULL, STR("k"), STR("v"));
	struct pairs *b = pairs_with(a, STR("l"), STR("w"));
	struct pairs *c = pairs_without(b, STR("k"));
	struct pairs *same = pairs_without(c, STR("k"));

	ASSERT_INT(b->len, 2);
	ASSERT_INT(c->len, 1);
	ASSERT_STREQ(c->list[0].value.ptr, "w");
	ASSERT_TRUE(same == c);
	ASSERT_TRUE(!pairs_without(a, STR("k")));
	ASSERT_TRUE(!pairs_get(NULL, STR("k")).ptr);
	pairs_release(a);
	pairs_release(b);
	pairs_release(c);
	pairs_release(same);
}
