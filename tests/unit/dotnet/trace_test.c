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
