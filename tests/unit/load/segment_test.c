/* Shares by hand; and the property that makes segments worth having: the parts add up. */
#include "load/segment.h"

#include "test.h"

static struct load_segment parsed(const char *segment, const char *sequence)
{
	struct load_segment s = { 0 };
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(load_segment_parse(segment, sequence, &s, &err), err);
	return s;
}

static void refused(const char *segment, const char *sequence, const char *why)
{
	struct load_segment s = { 0 };
	struct error err = ERROR_INIT;

	ASSERT_TRUE(load_segment_parse(segment, sequence, &s, &err) < 0);
	ASSERT_HAS(err.msg, why);
	load_segment_release(&s);
}

TEST(segment_halves_take_turns)
{
	CLEANUP(load_segment_release) struct load_segment a = parsed("0:1/2", "0,1/2,1");
	CLEANUP(load_segment_release) struct load_segment b = parsed("1/2:1", "0,1/2,1");

	ASSERT_INT(load_segment_share(&a, 10), 5);
	ASSERT_INT(load_segment_share(&b, 9), 4);
	ASSERT_INT(load_segment_number(&a, 3), 6);
	ASSERT_INT(load_segment_number(&b, 3), 7);
}

TEST(segment_can_be_written_in_three_ways)
{
	CLEANUP(load_segment_release) struct load_segment a = parsed("25%", NULL);
	CLEANUP(load_segment_release) struct load_segment b = parsed("0:0.25", NULL);
	CLEANUP(load_segment_release) struct load_segment c = parsed("0:1/4", "0,1/4,1");

	ASSERT_INT(a.period, 4);
	ASSERT_INT(load_segment_share(&a, 100), 25);
	ASSERT_INT(load_segment_share(&b, 100), 25);
	ASSERT_INT(load_segment_share(&c, 100), 25);
}

TEST(segment_parts_add_up_and_share_nothing)
{
	static const char *const parts[] = { "0:1/7", "1/7:1/3", "1/3:1/2", "1/2:1" };
	unsigned char owner[500] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		CLEANUP(load_segment_release)
		struct load_segment s = parsed(parts[i], "0,1/7,1/3,1/2,1");

		for (uint64_t k = 0; load_segment_number(&s, k) < sizeof(owner); k++)
			owner[load_segment_number(&s, k)]++;
	}
	for (size_t i = 0; i < sizeof(owner); i++)
		ASSERT_INT(owner[i], 1);
	for (uint64_t total = 0; total < 200; total += 13) {
		uint64_t sum = 0;

		for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
			CLEANUP(load_segment_release)
			struct load_segment s = parsed(parts[i], "0,1/7,1/3,1/2,1");

			sum += load_segment_share(&s, total);
		}
		ASSERT_INT(sum, total);
	}
}

TEST(segment_the_whole_is_everything)
{
	struct load_segment whole = { 0 };

	ASSERT_INT(load_segment_share(NULL, 7), 7);
	ASSERT_INT(load_segment_share(&whole, 7), 7);
	ASSERT_INT(load_segment_number(&whole, 7), 7);
}

TEST(segment_errors_say_what_is_wrong)
{
	refused("1/2:1/4", NULL, "ends before it begins");
	refused("x", NULL, "\"x\" is no part of 0 to 1");
	refused("0:3/2", NULL, "\"3/2\"");
	refused("0:1/3", "0,1/2,1", "no part of executionSegmentSequence");
	refused("0:1/2", "1/4,1/2,1", "from 0 to 1");
	refused("0:1/2", "0,1/2,1/3,1", "above the one before");
	refused("0:1/1000003", NULL, "denominator");
}
