#include "base/str.h"

#include "test.h"

TEST(str_split_keeps_empty_parts)
{
	struct str rest = STR("a,,b"), part;

	ASSERT_TRUE(str_split(&rest, ',', &part) && str_eq_c(part, "a"));
	ASSERT_TRUE(str_split(&rest, ',', &part) && str_eq_c(part, ""));
	ASSERT_TRUE(str_split(&rest, ',', &part) && str_eq_c(part, "b"));
	ASSERT_TRUE(!str_split(&rest, ',', &part));
}

TEST(str_trim_cuts_both_ends)
{
	ASSERT_TRUE(str_eq_c(str_trim(STR(" \t a b\r\n")), "a b"));
	ASSERT_TRUE(str_eq_c(str_trim(STR("  ")), ""));
}

TEST(str_ieq_folds_ascii_only)
{
	ASSERT_TRUE(str_ieq(STR("Content-LENGTH"), STR("content-length")));
	ASSERT_TRUE(!str_ieq(STR("["), STR("{")));
}

/* kitten -> sitting is the textbook case: 3 edits. */
TEST(str_distance_is_levenshteins)
{
	ASSERT_INT(str_distance("kitten", "sitting"), 3);
	ASSERT_INT(str_distance("", "abc"), 3);
	ASSERT_INT(str_distance("same", "same"), 0);
}

TEST(str_nearest_finds_the_meant_word_or_none)
{
	static const char *const keys[] = { "target", "readiness", "variants", "warmup" };

	ASSERT_STREQ(str_nearest("varaints", keys, 4), "variants");
	ASSERT_TRUE(str_nearest("zzz", keys, 4) == NULL);
}
