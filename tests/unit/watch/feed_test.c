/* Points of a sink as values; the arithmetic is by hand. */
#include "watch/feed.h"

#include "rig.h"
#include "test.h"

static const struct series_def cpu = { "process.cpu.time", "s", "state=user", SERIES_COUNTER };
static const struct series_def faults = { "process.paging.faults", "{fault}", "", SERIES_COUNTER };
static const struct series_def memory = { "process.memory.usage", "By", "", SERIES_GAUGE };

TEST(feed_counters_become_differences)
{
	struct log log;
	struct watch_feed *f;
	struct sink *s;
	uint32_t a, b, again;

	log_init(&log);
	f = watch_feed_new(WATCH_HOST, &log.out);
	s = watch_feed_sink(f);
	sink_series(s, &cpu, &a);
	sink_series(s, &memory, &b);
	sink_series(s, &cpu, &again);
	ASSERT_INT(again, a);
	watch_feed_set_quiet(f, true);
	sink_point(s, a, NS_PER_S, 41.1);
	sink_point(s, b, NS_PER_S, 7);
	watch_feed_set_quiet(f, false);
	sink_point(s, a, 3 * NS_PER_S, 41.860591004);
	sink_point(s, b, 3 * NS_PER_S, 8);
	/* 41.860591004 - 41.1 is 0.760591003999997 in doubles */
	ASSERT_STREQ(strbuf_cstr(&log.text),
		     "process/process.cpu.time{state=user}=0.760591004/2 total 41.860591004 "
		     "process/process.memory.usage=8 ");
	watch_feed_free(f);
}

TEST(feed_a_counter_that_goes_back_is_said_and_counted_anew)
{
	struct log log;
	struct watch_feed *f;
	struct sink *s;
	uint32_t a;

	log_init(&log);
	f = watch_feed_new(WATCH_HOST, &log.out);
	s = watch_feed_sink(f);
	sink_series(s, &faults, &a);
	sink_point(s, a, NS_PER_S, 100);
	sink_point(s, a, 2 * NS_PER_S, 30);
	sink_point(s, a, 3 * NS_PER_S, 35);
	ASSERT_STREQ(strbuf_cstr(&log.text),
		     "(process.paging.faults went back from 100 to 30: counted anew) "
		     "process/process.paging.faults=5/1 total 35 ");
	sink_loss(s, "cgroup", 1, "not readable");
	sink_loss(s, "host", 3, "samples missed");
	ASSERT_HAS(strbuf_cstr(&log.text), "(cgroup: not readable) (host: samples missed (3)) ");
	watch_feed_free(f);
}
