#include "analyze/case.h"

#include "case_rig.h"
#include "test.h"

TEST(the_story_is_told)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *f = rig_judge(r);

	ASSERT_INT(f->verdict, CASE_MET);
	ASSERT_INT(f->exit_code, 0);
	ASSERT_STREQ(
		f->headline,
		"\xe2\x80\x9c"
		"fixed\xe2\x80\x9d meets p99 < 100 ms at 700/s in 2 of 2 runs (p99 1.54 ms); "
		"\xe2\x80\x9cslow\xe2\x80\x9d misses it in 2 of 2 (p99 537 ms, 12 % of arrivals "
		"dropped).");
}
