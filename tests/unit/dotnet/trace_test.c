#include "dotnet/trace.h"

#include <jansson.h>

#include "captures.h"
#include "profile/view.h"
#include "test.h"
#include "trace_rig.h"

static void read_bytes(struct dotnet_trace *t, const struct strbuf *bytes)
{
	CLEANUP(cleanup_dotnet_trace_reader)
	struct dotnet_trace_reader *r = dotnet_trace_reader_new();
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_trace_feed(r, strbuf_str(bytes), &err), err);
	ASSERT_OK_ERR(dotnet_trace_end(r, t, &err), err);
}

static const struct view_row *row_of(const struct profile_view *v, const char *name)
{
	static const struct view_row none;

	vec_for_each (&v->rows, r)
		if (!strcmp(v->names.ptr[r->name], name))
			return r;
	return &none;
}

/* One of the official parser's lists of frames, with samples by state. */
static void compare(const json_t *list, const struct profile_view *managed,
		    const struct profile_view *external, bool inclusive)
{
	const json_t *want;
	size_t i;

	ASSERT_TRUE(json_array_size(list) > 0);
	json_array_foreach(list, i, want)
	{
		const char *frame = json_string_value(json_object_get(want, "frame"));
		const struct view_row *m = row_of(managed, frame), *e = row_of(external, frame);

		ASSERT_INT(inclusive ? m->inc_count : m->exc_count,
			   json_integer_value(json_object_get(want, "managed")));
		if (json_object_get(want, "external"))
			ASSERT_INT(inclusive ? e->inc_count : e->exc_count,
				   json_integer_value(json_object_get(want, "external")));
	}
}

/* All that TraceEvent says of the frames of this capture: the 30 first by each order. */
TEST(trace_counts_samples_as_the_official_parser)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, answers = STRBUF_INIT;
	struct profile_view_opts m = { .state = PROFILE_MANAGED },
				 e = { .state = PROFILE_EXTERNAL };
	struct profile_view managed, external;
	struct dotnet_trace t;
	json_t *want;

	capture_shared("dotnet/cpu/cpuonly10.nettrace.zst", &bytes);
	capture_shared("dotnet/cpu/cpuonly10.frames.json", &answers);
	read_bytes(&t, &bytes);
	ASSERT_INT(t.cpu.samples.len, 68865);
	ASSERT_INT(t.cpu.threads.len, 9);
	ASSERT_TRUE(t.interval_ms > 1.1083 && t.interval_ms < 1.1085);
	ASSERT_TRUE(!t.truncated);
	profile_view_make(&t.cpu, &m, &managed);
	profile_view_make(&t.cpu, &e, &external);
	ASSERT_INT(managed.samples, 1850);
	ASSERT_INT(external.samples, 67015);
	want = json_loadb(answers.ptr, answers.len, 0, NULL);
	compare(json_object_get(want, "sampleCounts_exclusive_all"), &managed, &external, false);
	compare(json_object_get(want, "sampleCounts_exclusive_managed"), &managed, &external,
		false);
	compare(json_object_get(want, "sampleCounts_inclusive_managed"), &managed, &external, true);
	json_decref(want);
	profile_view_release(&managed);
	profile_view_release(&external);
	dotnet_trace_release(&t);
}

/* TraceEvent's times of a list of frames, each rounded to 1/1000 ms. */
static void compare_times(const json_t *list, const struct profile_view *v)
{
	const json_t *want;
	size_t i, compared = 0;

	json_array_foreach(list, i, want)
	{
		const char *frame = json_string_value(json_object_get(want, "frame"));
		const struct view_row *r = row_of(v, frame);

		if (!strchr(frame, '!'))
			continue; /* of the process and of activities */
		ASSERT_NEAR(r->exc, json_number_value(json_object_get(want, "ms")), 0.002);
		ASSERT_INT(r->exc_count, json_integer_value(json_object_get(want, "samples")));
		compared++;
	}
	ASSERT_TRUE(compared > 20);
}

/* With gaps charged to the stack before them, times are those of the official parser. */
TEST(trace_charges_gaps_as_the_official_parser)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, answers = STRBUF_INIT;
	struct profile_view_opts gap = { .charge = PROFILE_CHARGE_GAP },
				 tick = { .charge = PROFILE_CHARGE_TICK, .interval_ns = 1108400 };
	struct profile_view v;
	struct dotnet_trace t;
	json_t *want;

	capture_shared("dotnet/cpu/cpuonly10.nettrace.zst", &bytes);
	capture_shared("dotnet/cpu/cpuonly10.frames.json", &answers);
	read_bytes(&t, &bytes);
	want = json_loadb(answers.ptr, answers.len, 0, NULL);
	profile_view_make(&t.cpu, &gap, &v);
	ASSERT_NEAR(v.total, json_number_value(json_object_get(want, "totalMs")), 0.002);
	compare_times(json_object_get(want, "exclusive_folded_all"), &v);
	compare_times(json_object_get(want, "exclusive_folded_byCpuTime"), &v);
	profile_view_release(&v);
	/* a tick is a tick, however long nobody looked */
	profile_view_make(&t.cpu, &tick, &v);
	ASSERT_NEAR(v.total, 1.1084 * (double)v.samples, 0.01);
	profile_view_release(&v);
	json_decref(want);
	dotnet_trace_release(&t);
}

/* A process that was killed leaves no names; what came before is there. */
TEST(trace_of_a_killed_process_is_read_as_far_as_it_goes)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct dotnet_trace t;

	capture_shared("dotnet/edge/target_killed.nettrace.zst", &bytes);
	read_bytes(&t, &bytes);
	ASSERT_HAS(t.truncated, "offset");
	dotnet_trace_release(&t);
}
