#include "analyze/case.h"

#include <stdlib.h>

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

static double figure(const struct case_finding *f, const char *variant, enum figure which)
{
	vec_for_each (&f->variants, v)
		if (!strcmp(v->name, variant))
			return v->spread[which].value;
	return NAN;
}

/*
 * What the runtime says of itself, once although both its meter and its metrics page say it: 50
 * MB/s, 2 ms of pauses a second; two parts of the heap, 1 + 40 MB, one growing by 2 MB/s for 5 s.
 */
TEST(the_runtimes_figures_are_read_by_what_they_are_about)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *f = NULL;
	const struct series_def allocated = { "dotnet.gc.heap.total_allocated", "By",
					      "meter=System.Runtime", SERIES_COUNTER };
	const struct series_def page = { "dotnet_gc_heap_total_allocated_bytes_total", "By", "",
					 SERIES_COUNTER };
	const struct series_def pause = { "dotnet_gc_pause_time_seconds_total", "s", "",
					  SERIES_COUNTER };
	const struct series_def meter_pause = { "dotnet.gc.pause.time", "s", "meter=System.Runtime",
						SERIES_COUNTER };
	const struct series_def gen0 = { "dotnet_gc_last_collection_heap_size_bytes", "By",
					 "gc_heap_generation=gen0", SERIES_GAUGE };
	const struct series_def gen2 = { "dotnet_gc_last_collection_heap_size_bytes", "By",
					 "gc_heap_generation=gen2", SERIES_GAUGE };

	rig_add_series(r, "slow", &page, 1e9, 49e6);
	rig_add_series(r, "slow", &allocated, 1e9, 50e6);
	rig_add_series(r, "slow", &meter_pause, 3, 0.002);
	rig_add_series(r, "slow", &pause, 3, 0.003);
	rig_add_series(r, "slow", &gen0, 1e6, 0);
	rig_add_series(r, "slow", &gen2, 40e6, 2e6);
	f = rig_judge(r);
	ASSERT_NEAR(figure(f, "slow", FIGURE_ALLOCATION), 50e6, 1);
	ASSERT_NEAR(figure(f, "slow", FIGURE_GC_PAUSE), 2, 1e-6);
	ASSERT_NEAR(figure(f, "slow", FIGURE_HEAP_START), 41e6, 1);
	ASSERT_NEAR(figure(f, "slow", FIGURE_HEAP_END), 51e6, 1);
	ASSERT_TRUE(isnan(figure(f, "fixed", FIGURE_ALLOCATION)));
}

static const char *gap(const struct case_finding *f, const char *variant)
{
	vec_for_each (&f->variants, v)
		if (!strcmp(v->name, variant))
			return v->gap_text;
	return NULL;
}

/* 537 ms against 6: throttled, dropped. 1.54 against 1.3: the same, by a histogram's steps. */
TEST(why_client_and_server_differ_is_said_of_every_variant)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *f = rig_judge(r);

	ASSERT_STREQ(gap(f, "slow"),
		     "requests waited before the server's clock began: 23 % of the periods were "
		     "throttled, 12 % of arrivals found every virtual user still waiting");
	ASSERT_STREQ(gap(f, "fixed"), "they agree, within the steps of a histogram");
	ASSERT_HAS(gap(f, "options"), "22 % of the periods were throttled");
}
