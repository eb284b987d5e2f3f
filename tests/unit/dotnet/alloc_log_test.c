#include "dotnet/alloc_log.h"

#include <jansson.h>

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

struct sum {
	double bytes, objects;
	size_t samples;
};

/* Of the samples of a type; of all without one. */
static struct sum sum_of(const struct alloc_result *a, const char *type)
{
	struct sum s = { 0 };

	for (size_t i = 0; i < a->profile.samples.len; i++) {
		const struct profile_sample *p = &a->profile.samples.ptr[i];
		const char *name =
			profile_frame_name(&a->profile, a->profile.nodes.ptr[p->node].frame);

		ASSERT_TRUE(!strncmp(name, ALLOC_TYPE, strlen(ALLOC_TYPE)));
		if (type && strcmp(name + strlen(ALLOC_TYPE), type) != 0)
			continue;
		s.bytes += p->weight;
		s.objects += a->objects.len ? a->objects.ptr[i] : 0;
		s.samples++;
	}
	return s;
}

/* The estimates that the formulas give from TraceEvent's events: 98 types of a service. */
TEST(alloc_log_estimates_as_the_official_formulas)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, answers = STRBUF_INIT;
	const json_t *want, *type;
	struct dotnet_trace t;
	json_t *all;
	size_t i;

	capture_shared("dotnet/alloc/allocsampled10.nettrace.zst", &bytes);
	capture_shared("dotnet/alloc/allocsampled10.alloc.json", &answers);
	read_capture(&t, &bytes);
	all = json_loadb(answers.ptr, answers.len, 0, NULL);
	want = json_object_get(all, "allocationSampled");
	ASSERT_TRUE(t.alloc.sampled);
	ASSERT_INT(t.alloc.events, json_integer_value(json_object_get(want, "events")));
	ASSERT_INT(t.alloc.without_stack, 0);
	ASSERT_NEAR(sum_of(&t.alloc, NULL).bytes,
		    json_number_value(json_object_get(want, "estimatedBytes")), 1);
	ASSERT_TRUE(json_array_size(json_object_get(want, "top")) > 20);
	json_array_foreach(json_object_get(want, "top"), i, type)
	{
		struct sum s = sum_of(&t.alloc, json_string_value(json_object_get(type, "type")));

		ASSERT_INT(s.samples, json_integer_value(json_object_get(type, "samples")));
		ASSERT_NEAR(s.bytes, json_number_value(json_object_get(type, "estBytes")), 1);
		ASSERT_NEAR(s.objects, json_number_value(json_object_get(type, "estCount")), 0.06);
	}
	json_decref(all);
	dotnet_trace_release(&t);
}

/* 200,000 arrays of 4,120 bytes and 200,000 objects of 32: known by construction. */
TEST(alloc_log_of_known_allocations)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct dotnet_trace t;
	struct sum s;
	double low, high;

	capture_shared("dotnet/runtime/allocknown.nettrace.zst", &bytes);
	read_capture(&t, &bytes);
	ASSERT_INT(t.alloc.events, 7913);
	s = sum_of(&t.alloc, "System.Byte[]");
	ASSERT_NEAR(s.bytes, 820637878, 1);
	alloc_range(s.bytes, (double)s.samples, &low, &high);
	ASSERT_TRUE(low < 824000000 && 824000000 < high);
	s = sum_of(&t.alloc, "Leaky.KnownSmall");
	ASSERT_NEAR(s.bytes, 5940099, 1);
	alloc_range(s.bytes, (double)s.samples, &low, &high);
	ASSERT_TRUE(low < 6400000 && 6400000 < high);
	dotnet_trace_release(&t);
}

/* A program of ours, whose allocations are known: 4,000 x 4,120 bytes, 100,000 x 64. */
TEST(alloc_log_of_our_own_program)
{
	static const char *const fixtures[] = { "nettrace/alloc_sampled10.nettrace",
						"nettrace/alloc_ticks10.nettrace" };

	for (size_t i = 0; i < 2; i++) {
		CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
		struct dotnet_trace t;

		capture_fixture(fixtures[i], &bytes);
		read_capture(&t, &bytes);
		ASSERT_INT(t.alloc.sampled, i == 0);
		ASSERT_NEAR(sum_of(&t.alloc, "System.Byte[]").bytes / (4000 * 4120), 1, 0.15);
		ASSERT_NEAR(sum_of(&t.alloc, "System.String").bytes / 6.4e6, 1, 0.25);
		dotnet_trace_release(&t);
	}
}

/* The documented ranges for small objects; an object that no draw can miss has none. */
TEST(alloc_ranges)
{
	double low, high;

	alloc_range(10 * 102400, 10, &low, &high);
	ASSERT_NEAR(low, 491039, 200);
	ASSERT_NEAR(high, 1749469, 400);
	ASSERT_NEAR(alloc_weight(1), 102400, 1e-3);
	ASSERT_NEAR(alloc_weight(1e7), 1, 1e-9);
	alloc_range(5e7, 5, &low, &high);
	ASSERT_NEAR(low, 5e7, 5e3);
	ASSERT_NEAR(high, 5e7, 5e3);
	alloc_range(0, 0, &low, &high);
	ASSERT_NEAR(low + high, 0, 0);
}
