#include "dotnet/incident_log.h"

#include "captures.h"
#include "dotnet/trace.h"
#include "test.h"

static void read_capture(struct dotnet_trace *t, const struct strbuf *bytes)
{
	CLEANUP(cleanup_dotnet_trace_reader)
	struct dotnet_trace_reader *r = dotnet_trace_reader_new();
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_trace_feed(r, strbuf_str(bytes), &err), err);
	ASSERT_OK_ERR(dotnet_trace_end(r, t, &err), err);
}

/* Samples with that innermost frame, and with that one above it. */
static size_t count_of(const struct profile *p, const char *frame, const char *caller)
{
	size_t n = 0;

	vec_for_each (&p->samples, s) {
		uint32_t node = s->node;
		bool called = !caller;

		if (strcmp(profile_frame_name(p, p->nodes.ptr[node].frame), frame) != 0)
			continue;
		for (; node; node = p->nodes.ptr[node].parent)
			called |= caller &&
				  !strcmp(profile_frame_name(p, p->nodes.ptr[node].frame), caller);
		n += called;
	}
	return n;
}

/* What our program throws, by construction. */
TEST(incident_log_counts_exceptions)
{
	static const char method[] = "lab!P.Throw()";
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct dotnet_trace t;
	const struct profile *p = &t.incidents.exceptions;

	capture_fixture("nettrace/exceptions10.nettrace", &bytes);
	read_capture(&t, &bytes);
	ASSERT_INT(p->samples.len, 13);
	ASSERT_INT(
		count_of(p, "Throw(System.InvalidOperationException) no stock of item 0", method),
		4);
	ASSERT_INT(
		count_of(p, "Throw(System.InvalidOperationException) no stock of item 1", method),
		3);
	ASSERT_INT(count_of(p, "Throw(PayError) card refused", method), 3);
	ASSERT_INT(count_of(p, "Throw(System.ApplicationException) order failed", method), 3);
	dotnet_trace_release(&t);
}

/* Three threads hold one lock for 5 ms, four times each; the numbers are TraceEvent 4.0.0's. */
TEST(incident_log_sums_waits_for_locks)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	const struct profile *p;
	double total = 0, longest = 0;
	struct dotnet_trace t;

	capture_fixture("nettrace/contention10.nettrace", &bytes);
	read_capture(&t, &bytes);
	p = &t.incidents.waits;
	vec_for_each (&p->samples, s) {
		total += s->weight;
		longest = MAX(longest, s->weight);
	}
	ASSERT_INT(p->samples.len, 11);
	ASSERT_INT(t.incidents.wait_starts, 11);
	ASSERT_INT(t.incidents.waits_not_over, 0);
	ASSERT_NEAR(total, 106.7452, 0.0001);
	ASSERT_NEAR(longest, 13.4997, 0.0001);
	ASSERT_INT(count_of(p, "Lock 0x7f3990001158", "lab!P+<>c.<Locks>b__5_0()"), 11);
	dotnet_trace_release(&t);
}

/* Tasks that wait for tasks: the pool says that it adds workers because others block. */
TEST(incident_log_reads_the_thread_pool)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct dotnet_trace t;
	const struct pool_log *p = &t.incidents.pool;

	capture_fixture("nettrace/threadpool10.nettrace", &bytes);
	read_capture(&t, &bytes);
	ASSERT_INT(p->adjustments.len, 27);
	ASSERT_INT(p->reasons[POOL_COOPERATIVE], 27);
	ASSERT_INT(p->adjustments.ptr[0].to.workers, 3);
	ASSERT_NEAR((double)p->adjustments.ptr[0].t_ns / 1e6, 201.164, 0.001);
	ASSERT_INT(p->most_workers, 17);
	dotnet_trace_release(&t);
}

/* A pool that climbs without ever saying that it starves: ten adjustments between 2 and 10. */
TEST(incident_log_of_a_pool_that_climbs)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct dotnet_trace t;
	const struct pool_log *p = &t.incidents.pool;
	uint32_t least = UINT32_MAX, most = 0;

	capture_shared("dotnet/runtime/threadpool8.nettrace", &bytes);
	read_capture(&t, &bytes);
	ASSERT_INT(p->adjustments.len, 10);
	ASSERT_INT(p->reasons[3], 10);
	ASSERT_INT(p->reasons[POOL_STARVATION], 0);
	vec_for_each (&p->adjustments, a) {
		least = MIN(least, a->to.workers);
		most = MAX(most, a->to.workers);
	}
	ASSERT_INT(least, 2);
	ASSERT_INT(most, 10);
	dotnet_trace_release(&t);
}

/* Cut at every byte: what came is read and the cut said, or the error names a place. */
TEST(trace_cut_at_each_byte)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	size_t adjustments = 0;

	capture_fixture("nettrace/threadpool10.nettrace", &bytes);
	for (size_t len = 0; len < bytes.len; len++) {
		CLEANUP(cleanup_dotnet_trace_reader)
		struct dotnet_trace_reader *r = dotnet_trace_reader_new();
		struct error err = ERROR_INIT;
		struct dotnet_trace t;
		int code = dotnet_trace_feed(r, (struct str){ bytes.ptr, len }, &err);

		if (code == 0)
			code = dotnet_trace_end(r, &t, &err);
		if (code < 0) {
			ASSERT_HAS(err.msg, "offset");
			continue;
		}
		ASSERT_HAS(t.truncated, "offset");
		ASSERT_TRUE(t.incidents.pool.adjustments.len >= adjustments);
		adjustments = t.incidents.pool.adjustments.len;
		dotnet_trace_release(&t);
	}
	ASSERT_INT(adjustments, 27);
}
