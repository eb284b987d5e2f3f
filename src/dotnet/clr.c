#include "dotnet/clr.h"

#include <math.h>

#include "base/utf.h"
#include "dotnet/cursor.h"

static struct cursor payload_of(const struct nettrace_event *e)
{
	return cursor_of(e->payload, e->offset);
}

static uint64_t take_pointer(struct cursor *c, const struct nettrace_event *e)
{
	return cursor_number(c, e->pointer_bytes);
}

void clr_text(struct str utf16, struct strbuf *out)
{
	struct utf_decoder d = { .form = UTF_16LE, .keep_bom = true };

	utf_decode(&d, utf16, true, out);
}

/* ---- collections ---- */

bool clr_read_gc_start(const struct nettrace_event *e, struct clr_gc_start *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_gc_start){ .number = cursor_u32(&c) };
	if (e->version == 0) {
		ret->reason = cursor_u32(&c);
		return !c.bad;
	}
	ret->generation = cursor_u32(&c);
	ret->reason = cursor_u32(&c);
	ret->type = cursor_u32(&c);
	return !c.bad;
}

bool clr_read_gc_end(const struct nettrace_event *e, struct clr_gc_end *ret)
{
	struct cursor c = payload_of(e);

	ret->number = cursor_u32(&c);
	ret->generation = e->version == 0 ? cursor_u16(&c) : cursor_u32(&c);
	return !c.bad;
}

bool clr_read_heap_stats(const struct nettrace_event *e, struct clr_heap_stats *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_heap_stats){ 0 };
	for (size_t i = 0; i < 4; i++) {
		ret->size[i] = cursor_u64(&c);
		ret->promoted[i] = cursor_u64(&c);
	}
	ret->finalization_bytes = cursor_u64(&c);
	ret->finalization_count = cursor_u64(&c);
	ret->pinned = cursor_u32(&c);
	cursor_u32(&c); /* sink blocks */
	ret->handles = cursor_u32(&c);
	if (c.bad)
		return false;
	if (e->version >= 2) {
		cursor_u16(&c); /* instance of the runtime */
		ret->size[4] = cursor_u64(&c);
		ret->promoted[4] = cursor_u64(&c);
	}
	return !c.bad;
}

bool clr_read_heap_history(const struct nettrace_event *e, struct clr_heap_history *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_heap_history){ 0 };
	if (e->version < 3)
		return false;
	cursor_u16(&c);
	for (size_t i = 0; i < 6; i++) /* what was allocated from where */
		take_pointer(&c, e);
	cursor_take(&c, 5 * 4); /* efficiency, reasons to condemn, mechanisms */
	ret->heap = cursor_u32(&c);
	take_pointer(&c, e);
	ret->generations = cursor_u32(&c);
	if (c.bad || ret->generations > CLR_GENERATIONS)
		return false;
	for (size_t i = 0; i < ret->generations; i++) {
		ret->before[i] = take_pointer(&c, e);
		cursor_take(&c, (size_t)2 * e->pointer_bytes); /* free lists and objects */
		ret->after[i] = take_pointer(&c, e);
		cursor_take(&c, (size_t)6 * e->pointer_bytes);
	}
	return !c.bad;
}

bool clr_read_suspend(const struct nettrace_event *e, struct clr_suspend *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_suspend){ 0 };
	if (e->version == 0) {
		ret->reason = cursor_u16(&c);
		return !c.bad;
	}
	ret->reason = cursor_u32(&c);
	ret->number = cursor_u32(&c);
	return !c.bad;
}

/* ---- allocations ---- */

bool clr_read_allocation_tick(const struct nettrace_event *e, struct clr_allocation *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_allocation){ .amount = cursor_u32(&c), .kind = cursor_u32(&c) };
	if (e->version == 0)
		return !c.bad;
	cursor_u16(&c);
	if (e->version == 1)
		return !c.bad;
	ret->amount = cursor_u64(&c);
	ret->type_id = take_pointer(&c, e);
	ret->type = cursor_utf16z(&c);
	cursor_u32(&c); /* heap */
	if (e->version >= 3)
		take_pointer(&c, e);
	if (e->version >= 4)
		ret->object_size = cursor_u64(&c);
	return !c.bad;
}

bool clr_read_allocation_sampled(const struct nettrace_event *e, struct clr_allocation *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_allocation){ .kind = cursor_u32(&c) };
	cursor_u16(&c);
	ret->type_id = take_pointer(&c, e);
	ret->type = cursor_utf16z(&c);
	take_pointer(&c, e); /* the object's address */
	ret->object_size = cursor_u64(&c);
	cursor_u64(&c); /* the byte of it that was drawn */
	return !c.bad;
}

/* ---- exceptions, locks, the thread pool ---- */

bool clr_read_exception(const struct nettrace_event *e, struct clr_exception *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_exception){ 0 };
	if (e->version == 0)
		return false;
	ret->type = cursor_utf16z(&c);
	ret->message = cursor_utf16z(&c);
	ret->address = take_pointer(&c, e);
	ret->hresult = cursor_u32(&c);
	ret->flags = cursor_u16(&c);
	return !c.bad;
}

bool clr_read_contention(const struct nettrace_event *e, struct clr_contention *ret)
{
	struct cursor c = payload_of(e);
	bool start = e->meta->event_id == CLR_CONTENTION_START;

	*ret = (struct clr_contention){ .native = cursor_u8(&c) != 0, .duration_ns = (double)NAN };
	cursor_u16(&c);
	if (start && e->version >= 2) {
		ret->lock = take_pointer(&c, e);
		ret->object = take_pointer(&c, e);
		ret->owner = cursor_u64(&c);
	}
	if (!start && e->version >= 1)
		ret->duration_ns = cursor_f64(&c);
	return !c.bad;
}

bool clr_read_workers(const struct nettrace_event *e, struct clr_workers *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_workers){ .active = cursor_u32(&c), .retired = cursor_u32(&c) };
	return !c.bad;
}

bool clr_read_adjustment(const struct nettrace_event *e, struct clr_adjustment *ret)
{
	struct cursor c = payload_of(e);

	*ret = (struct clr_adjustment){ .throughput = cursor_f64(&c),
					.workers = cursor_u32(&c),
					.reason = cursor_u32(&c) };
	return !c.bad;
}

/* ---- words ---- */

static const char *name_in(const char *const *names, size_t count, uint32_t n)
{
	return n < count ? names[n] : "?";
}

const char *clr_gc_reason_name(uint32_t reason)
{
	static const char *const names[] = {
		"AllocSmall",	     "Induced",
		"LowMemory",	     "Empty",
		"AllocLarge",	     "OutOfSpaceSOH",
		"OutOfSpaceLOH",     "InducedNotForced",
		"Internal",	     "InducedLowMemory",
		"InducedCompacting", "LowMemoryHost",
		"PMFullGC",	     "LowMemoryHostBlocking",
		"BGCTuningSOH",	     "BGCTuningLOH",
		"BGCStepping",	     "InducedAggressive",
	};

	return name_in(names, ARRAY_SIZE(names), reason);
}

const char *clr_gc_type_name(uint32_t type)
{
	static const char *const names[] = { "blocking", "background", "foreground" };

	return name_in(names, ARRAY_SIZE(names), type);
}

const char *clr_adjustment_name(uint32_t reason)
{
	static const char *const names[] = {
		"Warmup",	"Initializing",	  "RandomMove",
		"ClimbingMove", "ChangePoint",	  "Stabilizing",
		"Starvation",	"ThreadTimedOut", "CooperativeBlocking",
	};

	return name_in(names, ARRAY_SIZE(names), reason);
}
