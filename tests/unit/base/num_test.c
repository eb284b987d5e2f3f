#include "base/num.h"

#include <errno.h>
#include <math.h>

#include "test.h"

TEST(num_u64_is_strict_and_knows_its_range)
{
	uint64_t v = 7;

	ASSERT_OK(num_parse_u64(STR("18446744073709551615"), &v));
	ASSERT_TRUE(v == UINT64_MAX);
	ASSERT_INT(num_parse_u64(STR("18446744073709551616"), &v), -ERANGE);
	ASSERT_INT(num_parse_u64(STR(" 1"), &v), -EINVAL);
	ASSERT_INT(num_parse_u64(STR("1x"), &v), -EINVAL);
	ASSERT_INT(num_parse_u64(STR(""), &v), -EINVAL);
	ASSERT_TRUE(v == UINT64_MAX);
}

TEST(num_i64_reaches_both_ends)
{
	int64_t v;

	ASSERT_OK(num_parse_i64(STR("-9223372036854775808"), &v));
	ASSERT_TRUE(v == INT64_MIN);
	ASSERT_INT(num_parse_i64(STR("9223372036854775808"), &v), -ERANGE);
}

TEST(num_double_refuses_blanks_words_and_infinity)
{
	double v;

	ASSERT_OK(num_parse_double(STR("-1.5e3"), &v));
	ASSERT_NEAR(v, -1500, 0);
	ASSERT_INT(num_parse_double(STR("inf"), &v), -EINVAL);
	ASSERT_INT(num_parse_double(STR("1e999"), &v), -ERANGE);
	ASSERT_INT(num_parse_double(STR("1 "), &v), -EINVAL);
	ASSERT_INT(num_parse_double((struct str){ "1\0x", 3 }, &v), -EINVAL);
}

TEST(num_bytes_takes_the_usual_suffixes)
{
	uint64_t v;

	ASSERT_OK(num_parse_bytes(STR("1g"), &v));
	ASSERT_INT(v, 1073741824);
	ASSERT_OK(num_parse_bytes(STR("1.5MiB"), &v));
	ASSERT_INT(v, 1572864);
	ASSERT_OK(num_parse_bytes(STR("512"), &v));
	ASSERT_INT(v, 512);
	ASSERT_INT(num_parse_bytes(STR("g"), &v), -EINVAL);
	ASSERT_INT(num_parse_bytes(STR("-1g"), &v), -ERANGE);
}

TEST(num_millionths_are_exact_or_not_at_all)
{
	uint64_t k = 1;

	ASSERT_TRUE(num_millionths(0, &k) && k == 0);
	ASSERT_TRUE(num_millionths(0.1, &k) && k == 100000);
	ASSERT_TRUE(num_millionths(-12.345678, &k) && k == 12345678);
	ASSERT_TRUE(num_millionths(999999999.999999, &k) && k == UINT64_C(999999999999999));
	k = 7;
	ASSERT_TRUE(!num_millionths(0.1234567, &k));
	ASSERT_TRUE(!num_millionths(1.0 / 3, &k));
	ASSERT_TRUE(!num_millionths(1e9, &k));
	ASSERT_TRUE(!num_millionths(INFINITY, &k));
	ASSERT_TRUE(!num_millionths(NAN, &k));
	ASSERT_INT(k, 7);
}
