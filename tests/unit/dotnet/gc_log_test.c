#include "dotnet/gc_log.h"

#include <jansson.h>

#include "captures.h"
#include "dotnet/trace.h"
#include "test.h"

static void read_bytes(struct dotnet_trace *t, const struct strbuf *bytes)
{
	CLEANUP(cleanup_dotnet_trace_reader)
	struct dotnet_trace_reader *r = dotnet_trace_reader_new();
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_trace_feed(r, strbuf_str(bytes), &err), err);
	ASSERT_OK_ERR(dotnet_trace_end(r, t, &err), err);
}

static double number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

/* What TraceEvent says of each generation. */
static void compare_generations(const struct gc_log *g, const json_t *want)
{
	const json_t *generation;
	size_t i;

	json_array_foreach(want, i, generation)
	{
		double total = 0, longest = 0;
		size_t count = 0;

		vec_for_each (&g->list, r)
			if (r->generation == i) {
				count++;
				total += (double)r->pause_ns / 1e6;
				longest = MAX(longest, (double)r->pause_ns / 1e6);
			}
		ASSERT_INT(count, number(generation, "Count"));
		ASSERT_NEAR(total, number(generation, "totalPauseMs"), 0.0002);
		ASSERT_NEAR(longest, number(generation, "maxPauseMs"), 0.0002);
	}
}

static void compare(const char *capture, const char *answers)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
	double promoted = 0, peak = 0;
	struct dotnet_trace t;
	const json_t *process;
	json_t *want;

	capture_shared(capture, &bytes);
	capture_shared(answers, &text);
	read_bytes(&t, &bytes);
	want = json_loadb(text.ptr, text.len, 0, NULL);
	process = json_array_get(json_object_get(want, "processes"), 0);
	ASSERT_INT(t.gc.list.len, number(process, "traceEventCount"));
	ASSERT_INT(t.gc.pauses.len, number(json_object_get(want, "ownPauses"), "n"));
	ASSERT_NEAR((double)t.gc.pause_ns / 1e6, number(process, "traceEventTotalPauseMs"), 0.0001);
	ASSERT_NEAR((double)t.gc.longest_ns / 1e6, number(process, "traceEventMaxPauseMs"), 0.0001);
	if (t.gc.list.len)
		compare_generations(&t.gc, json_object_get(process, "gen"));
	vec_for_each (&t.gc.list, r) {
		promoted += (double)r->promoted / 1e6;
		peak = MAX(peak, (double)r->before / 1e6);
	}
	ASSERT_NEAR(promoted, number(process, "totalPromotedMB"), 0.0001);
	ASSERT_NEAR(peak, number(process, "heapPeakMB"), 0.0001);
	json_decref(want);
	dotnet_trace_release(&t);
}

TEST(gc_log_equals_the_official_parser)
{
	compare("dotnet/alloc/gconly10_load.nettrace.zst", "dotnet/alloc/gconly10_load.gc.json");
	compare("dotnet/alloc/allocsampled10.nettrace.zst", "dotnet/alloc/allocsampled10.gc.json");
	compare("dotnet/alloc/gconly10_idle.nettrace", "dotnet/alloc/gconly10_idle.gc.json");
	compare("dotnet/cpu/cpuonly10.nettrace.zst", "dotnet/cpu/cpuonly10.gc.json");
}

struct row {
	unsigned number, generation, type;
	double pause_ms, before_mb, after_mb, promoted_mb;
};

/* 0.0 is not compared. */
static void compare_rows(const struct gc_log *g, const struct row *rows, size_t count)
{
	ASSERT_INT(g->list.len, count);
	for (size_t i = 0; i < count; i++) {
		const struct gc_record *r = &g->list.ptr[i];

		ASSERT_INT(r->number, rows[i].number);
		ASSERT_INT(r->generation, rows[i].generation);
		ASSERT_INT(r->type, rows[i].type);
		ASSERT_NEAR((double)r->pause_ns / 1e6, rows[i].pause_ms, 0.0001);
		ASSERT_TRUE(r->has_before && r->has_after && r->end_ns > r->start_ns);
		if (rows[i].before_mb > 0)
			ASSERT_NEAR((double)r->before / 1e6, rows[i].before_mb, 0.0001);
		ASSERT_NEAR((double)r->after / 1e6, rows[i].after_mb, 0.0001);
		ASSERT_NEAR((double)r->promoted / 1e6, rows[i].promoted_mb, 0.0001);
	}
}

/*
 * A program of ours that collects in every way; the numbers are TraceEvent 4.0.0's, but for the
 * pause of number 3: it stopped the program from 530.489 to 582.698 ms in one piece (the two events
 * in the file), of which TraceEvent sees 0.02.
 */
TEST(gc_log_tells_background_collections_apart)
{
	static const struct row rows[] = {
		{ 1, 0, CLR_GC_BLOCKING, 28.5104, 18.7515, 18.7515, 16.2379 },
		{ 2, 2, CLR_GC_BLOCKING, 36.1532, 37.6257, 37.6257, 35.0330 },
		{ 3, 2, CLR_GC_BACKGROUND, 52.2081, 47.5569, 47.5569, 42.8501 },
		{ 4, 0, CLR_GC_BLOCKING, 3.7233, 61.0364, 47.5572, 0.0002 },
		{ 5, 1, CLR_GC_BLOCKING, 36.0817, 61.0364, 47.3683, 5.7204 },
		{ 6, 0, CLR_GC_BLOCKING, 0.2574, 60.8476, 47.3686, 0.0002 },
		{ 7, 2, CLR_GC_BACKGROUND, 0.5205, 47.3686, 55.7566, 48.5705 },
		{ 8, 0, CLR_GC_BLOCKING, 0.2021, 57.0003, 47.3683, 0.0002 },
		{ 9, 0, CLR_GC_BLOCKING, 0.2541, 60.8476, 47.3686, 0.0002 },
		{ 10, 0, CLR_GC_BLOCKING, 0.2426, 60.8478, 47.3688, 0.0002 },
		{ 11, 1, CLR_GC_BLOCKING, 0.2416, 47.3688, 47.3688, 0.0002 },
		{ 12, 2, CLR_GC_BLOCKING, 105.9644, 47.3688, 42.8586, 42.8503 },
	};
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct dotnet_trace t;

	capture_fixture("nettrace/gc10.nettrace", &bytes);
	read_bytes(&t, &bytes);
	compare_rows(&t.gc, rows, ARRAY_SIZE(rows));
	ASSERT_INT(t.gc.list.ptr[6].pauses, 2);
	ASSERT_INT(t.gc.pauses_of_none, 0);
	dotnet_trace_release(&t);
}

/*
 * Server GC: a background collection's history comes after its end (TraceEvent then shows another
 * heap before), and the heaps are rearranged in pauses that belong to no collection.
 */
TEST(gc_log_of_a_server)
{
	static const struct row rows[] = {
		{ 1, 0, CLR_GC_BLOCKING, 7.8753, 2.7608, 2.2726, 2.1239 },
		{ 2, 1, CLR_GC_BLOCKING, 2.2932, 5.6802, 5.6802, 4.7376 },
		{ 3, 2, CLR_GC_BLOCKING, 15.6896, 21.9339, 21.9339, 19.8743 },
		{ 4, 2, CLR_GC_BACKGROUND, 7.2407, 0, 59.6813, 24.5854 },
		{ 5, 0, CLR_GC_BLOCKING, 18.1800, 60.5480, 47.9351, 20.8791 },
		{ 6, 2, CLR_GC_BACKGROUND, 11.5865, 0, 67.3646, 32.4027 },
		{ 7, 1, CLR_GC_BLOCKING, 150.0494, 72.2477, 46.9450, 33.9405 },
		{ 8, 2, CLR_GC_BACKGROUND, 9.0338, 0, 60.4321, 76.7906 },
		{ 9, 0, CLR_GC_BLOCKING, 0.3560, 60.4321, 46.9452, 0.0002 },
		{ 10, 0, CLR_GC_BLOCKING, 0.3429, 60.4265, 46.9454, 0.0002 },
		{ 11, 0, CLR_GC_BLOCKING, 3.1300, 60.4271, 46.9457, 0.0002 },
		{ 12, 1, CLR_GC_BLOCKING, 1.7839, 46.9457, 46.9452, 0.0002 },
		{ 13, 2, CLR_GC_BLOCKING, 62.7164, 46.9452, 42.8814, 42.8503 },
	};
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct dotnet_trace t;

	capture_fixture("nettrace/gc_server10.nettrace", &bytes);
	read_bytes(&t, &bytes);
	compare_rows(&t.gc, rows, ARRAY_SIZE(rows));
	ASSERT_INT(t.gc.pauses_of_none, 1);
	dotnet_trace_release(&t);
}
