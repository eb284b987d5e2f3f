#include "base/duration.h"

#include <errno.h>

#include "test.h"

static uint64_t parsed(const char *text)
{
	uint64_t ns = 0;

	if (duration_parse(str_from(text), &ns) < 0)
		test_fail(__FILE__, __LINE__, "\"%s\" was refused", text);
	return ns;
}

TEST(duration_reads_gos_syntax_days_and_bare_milliseconds)
{
	ASSERT_INT(parsed("1h30m"), 5400 * NS_PER_S);
	ASSERT_INT(parsed("1.5s"), 1500 * NS_PER_MS);
	ASSERT_INT(parsed("1d2h"), 26 * 3600 * NS_PER_S);
	ASSERT_INT(parsed("250"), 250 * NS_PER_MS);
	ASSERT_INT(parsed("10\xc2\xb5s"), 10000);
	ASSERT_INT(parsed("0"), 0);
}

TEST(duration_refuses_what_is_none)
{
	static const char *const bad[] = { "", "s", "1x", "1s5", "1..5s", "1 s", "ten" };
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ASSERT_INT(duration_parse(str_from(bad[i]), &ns), -EINVAL);
	ASSERT_INT(duration_parse(STR("-1s"), &ns), -ERANGE);
	ASSERT_INT(duration_parse(STR("1000000000h"), &ns), -ERANGE);
}

TEST(duration_prints_as_go_does)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0s" },
		{ 60 * NS_PER_S, "1m0s" },
		{ 1500 * NS_PER_MS, "1.5s" },
		{ 200 * NS_PER_MS, "200ms" },
		{ 3661 * NS_PER_S, "1h1m1s" },
		{ 1500, "1.5\xc2\xb5s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		duration_fmt(&sb, cases[i].ns);
		ASSERT_STREQ(strbuf_cstr(&sb), cases[i].text);
	}
}

TEST(duration_short_form_keeps_three_digits)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 1220 * NS_PER_US, "1.22 ms" },
		{ 537 * NS_PER_MS, "537 ms" },
		{ 12345 * NS_PER_MS, "12.3 s" },
		{ 99990 * NS_PER_US, "100 ms" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		duration_fmt_short(&sb, cases[i].ns);
		ASSERT_STREQ(strbuf_cstr(&sb), cases[i].text);
	}
}
