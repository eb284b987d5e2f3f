/* Values as a run's series. */
#include "watch/record.h"

#include <math.h>
#include <stdlib.h>

#include "model/run.h"
#include "test.h"

static const struct watch_value base = { .interval_s = 2,
					 .provider = "Shop",
					 .unit = "s",
					 .tags = "z=1,a=2",
					 .meter_tags = "m=3",
					 .total = NAN,
					 .quantile = NAN,
					 .count = NAN };

static void put(struct watch_out *o, uint64_t t_s, enum watch_origin source, enum watch_kind kind,
		const char *name, double value, double total)
{
	struct watch_value v = base;

	v.t_ns = t_s * NS_PER_S;
	v.source = source;
	v.kind = kind;
	v.name = name;
	v.value = value;
	v.total = total;
	if (kind == WATCH_QUANTILE) {
		v.quantile = 0.5;
		v.count = 4;
	}
	ASSERT_OK(o->ops->value(o, &v));
}

TEST(record_counters_levels_quantiles)
{
	CLEANUP(cleanup_run) struct run *r = run_new();
	struct sink *sink = run_sink_new(r);
	struct watch_out *o = watch_record_new(sink, 2);
	const struct series *s;

	put(o, 10, WATCH_HOST, WATCH_RATE, "known", 3, 103);
	put(o, 10, WATCH_DOTNET, WATCH_RATE, "unknown", 5, NAN);
	put(o, 10, WATCH_SCRAPE, WATCH_QUANTILE, "wait", 0.25, NAN);
	put(o, 10, WATCH_HOST, WATCH_GAUGE, "level", 7, NAN);
	put(o, 12, WATCH_HOST, WATCH_RATE, "known", 4, 107);
	put(o, 12, WATCH_DOTNET, WATCH_RATE, "unknown", 6, NAN);
	put(o, 12, WATCH_SCRAPE, WATCH_QUANTILE, "wait", 0.5, NAN);
	put(o, 12, WATCH_HOST, WATCH_GAUGE, "level", NAN, NAN);

	s = run_series(r, "known");
	ASSERT_INT(s->kind, SERIES_COUNTER);
	ASSERT_STREQ(s->labels, "a=2,m=3,z=1");
	ASSERT_INT(s->points.len, 3);
	ASSERT_INT(s->points.ptr[0].t_ns, 8 * NS_PER_S);
	ASSERT_NEAR(s->points.ptr[0].value, 100, 0);
	ASSERT_NEAR(series_growth(s, 0, UINT64_MAX), 7, 0);
	s = run_series(r, "unknown");
	ASSERT_STREQ(s->labels, "a=2,m=3,meter=Shop,z=1");
	ASSERT_NEAR(series_growth(s, 0, UINT64_MAX), 11, 0);
	s = run_series(r, "wait");
	ASSERT_INT(s->kind, SERIES_GAUGE);
	ASSERT_STREQ(s->labels, "a=2,m=3,quantile=0.5,z=1");
	ASSERT_NEAR(s->points.ptr[1].value, 0.5, 0);
	ASSERT_NEAR(series_growth(run_series(r, "wait.count"), 0, UINT64_MAX), 8, 0);
	ASSERT_INT(run_series(r, "level")->points.len, 1);
	o->ops->close(o, NULL);
	run_sink_free(sink);
}

TEST(record_gaps_are_spans_and_notes_losses)
{
	CLEANUP(cleanup_run) struct run *r = run_new();
	struct sink *sink = run_sink_new(r);
	struct watch_out *o = watch_record_new(sink, 1);

	o->ops->tick(o, 10 * NS_PER_S);
	o->ops->tick(o, 11 * NS_PER_S);
	o->ops->tick(o, 11 * NS_PER_S + 1400 * NS_PER_MS);
	o->ops->note(o, 1, "the page did not come");
	o->ops->tick(o, 15 * NS_PER_S);
	o->ops->close(o, NULL);
	ASSERT_INT(r->spans.len, 1);
	ASSERT_STREQ(r->spans.ptr[0].kind, "gap");
	ASSERT_INT(r->spans.ptr[0].t0_ns, 12400 * NS_PER_MS);
	ASSERT_INT(r->spans.ptr[0].t1_ns, 15 * NS_PER_S);
	ASSERT_INT(r->losses.len, 1);
	ASSERT_STREQ(r->losses.ptr[0].what, "the page did not come");
	run_sink_free(sink);
}
