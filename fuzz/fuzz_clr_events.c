/*
 * Payloads of the runtime's events and of its rundown: a byte says which provider, two the id, one
 * the version, two the length, and then the payload; again and again, with times and threads that
 * the bytes say too. All that reads such events takes them, and they are shown by their fields.
 */
#include "dotnet/alloc_log.h"
#include "dotnet/clr_fields.h"
#include "dotnet/gc_log.h"
#include "dotnet/incident_log.h"
#include "dotnet/methods.h"
#include "dotnet/payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct readers {
	struct methods *methods;
	struct stacks *stacks;
	struct gc_log gc;
	struct alloc_log alloc;
	struct incident_log incidents;
	struct arena arena;
	struct strbuf json;
	int64_t t_ns;
};

static void take(struct readers *r, const uint8_t *head, struct str payload)
{
	static const char *const providers[] = { CLR_PROVIDER, CLR_RUNDOWN_PROVIDER,
						 CLR_SAMPLER_PROVIDER, "Another" };
	struct nettrace_meta m = { .provider = providers[head[0] & 3],
				   .name = "",
				   .event_id = (unsigned)(head[1] | (head[2] & 1) << 8),
				   .version = head[3] & 7,
				   .date_bytes = 8 };
	struct nettrace_event e = { .meta = &m,
				    .t_ns = r->t_ns,
				    .thread_id = head[0] >> 4,
				    .version = m.version,
				    .payload = payload,
				    .pointer_bytes = head[0] & 4 ? 4 : 8 };
	struct json_writer w;

	r->t_ns += head[4] - 20;
	e.stack = (struct str){ payload.ptr, payload.len / 16 * 16 };
	gc_log_take(&r->gc, &e);
	alloc_log_take(&r->alloc, r->stacks, &e);
	incident_log_take(&r->incidents, r->stacks, &e);
	methods_take(r->methods, &e, head[0] & 1);
	clr_describe(&m, e.pointer_bytes, &r->arena);
	strbuf_clear(&r->json);
	json_init(&w, &r->json, JSON_COMPACT);
	payload_json(&e, NULL, &w);
}

static void finish(struct readers *r)
{
	struct alloc_result alloc;
	struct incidents incidents;
	uint64_t known;

	stacks_name(r->stacks, r->methods);
	BUG_ON(stacks_frames(r->stacks, &known) < known);
	alloc_log_finish(&r->alloc, r->stacks, &alloc);
	incident_log_finish(&r->incidents, r->stacks, &incidents);
	BUG_ON(alloc.sampled && alloc.objects.len != alloc.profile.samples.len);
	BUG_ON(incidents.waits_not_over > incidents.wait_starts);
	alloc_result_release(&alloc);
	incidents_release(&incidents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct readers r = { .methods = methods_new(), .stacks = stacks_new() };

	while (size > 6) {
		size_t len = MIN((size_t)data[5], size - 6);

		take(&r, data, (struct str){ (const char *)data + 6, len });
		data += 6 + len;
		size -= 6 + len;
	}
	finish(&r);
	gc_log_release(&r.gc);
	alloc_log_release(&r.alloc);
	incident_log_release(&r.incidents);
	methods_free(r.methods);
	stacks_free(r.stacks);
	arena_release(&r.arena);
	strbuf_release(&r.json);
	return 0;
}
