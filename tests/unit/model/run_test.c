#include "model/run.h"

#include "test.h"

TEST(run_sink_keeps_what_it_is_given)
{
	CLEANUP(cleanup_run) struct run *r = run_new();
	CLEANUP(cleanup_hist) struct hist *h = hist_new();
	CLEANUP(cleanup_hist) struct hist *merged = NULL;
	struct sink *s = run_sink_new(r);
	uint32_t cpu, again, memory;

	sink_metaf(s, "rate", "%d", 700);
	sink_series(s, &(struct series_def){ "cpu", "s", "", SERIES_COUNTER }, &cpu);
	sink_series(s, &(struct series_def){ "memory", "By", "", SERIES_GAUGE }, &memory);
	sink_series(s, &(struct series_def){ "cpu", "s", "", SERIES_COUNTER }, &again);
	ASSERT_INT(again, cpu);
	for (int i = 0; i <= 10; i++)
		sink_point(s, cpu, (uint64_t)i * 100, i * 0.5);
	hist_add(h, 1);
	sink_dist(s, &(struct dist){ "m", "", "ms", 0, 100, h });
	hist_add(h, 3);
	sink_dist(s, &(struct dist){ "m", "", "ms", 100, 200, h });
	sink_span(s, &(struct span){ "phase", "load", 5, 9 });
	sink_loss(s, "host", 2, "samples late");
	run_sink_free(s);

	ASSERT_NEAR(run_meta_double(r, "rate", 0), 700, 0);
	ASSERT_NEAR(series_growth(run_series(r, "cpu"), 150, 850), 3, 1e-12);
	ASSERT_NEAR(series_at(run_series(r, "cpu"), 499, -1), 2, 0);
	ASSERT_INT(run_series(r, "memory")->points.len, 0);
	ASSERT_INT(run_span(r, "phase", "load")->t1_ns, 9);
	ASSERT_INT(r->losses.len, 1);
	merged = run_merged(r, "m", 0, 200);
	ASSERT_INT(hist_count(merged), 3);
}
