/*
 * clr.h - what the runtime's own events carry. They come without names and fields: their payloads
 * are positional, with no padding, and grow at the end from version to version.
 *
 * Layouts: dotnet/runtime, src/coreclr/vm/ClrEtwAll.man. Every reader gives false when the payload
 * ends within what it needs, and leaves at 0 what an older version does not have.
 */
#ifndef ASSAY_DOTNET_CLR_H
#define ASSAY_DOTNET_CLR_H

#include "base/strbuf.h"
#include "dotnet/nettrace.h"

#define CLR_PROVIDER	     "Microsoft-Windows-DotNETRuntime"
#define CLR_RUNDOWN_PROVIDER "Microsoft-Windows-DotNETRuntimeRundown"
#define CLR_SAMPLER_PROVIDER "Microsoft-DotNETCore-SampleProfiler"

enum clr_id {
	CLR_GC_START = 1,
	CLR_GC_END = 2,
	CLR_RESTART_END = 3,
	CLR_HEAP_STATS = 4,
	CLR_RESTART_BEGIN = 7,
	CLR_SUSPEND_END = 8,
	CLR_SUSPEND_BEGIN = 9,
	CLR_ALLOCATION_TICK = 10,
	CLR_WORKER_START = 50,
	CLR_WORKER_STOP = 51,
	CLR_WORKER_SAMPLE = 54,
	CLR_WORKER_ADJUSTMENT = 55,
	CLR_WORKER_WAIT = 57,
	CLR_EXCEPTION = 80,
	CLR_CONTENTION_START = 81,
	CLR_CONTENTION_STOP = 91,
	CLR_HEAP_HISTORY = 204,
	CLR_GLOBAL_HISTORY = 205,
	CLR_ALLOCATION_SAMPLED = 303,
};

/* The generations of a heap: 0, 1, 2, large objects, pinned objects. */
#define CLR_GENERATIONS 5

enum clr_gc_type { CLR_GC_BLOCKING, CLR_GC_BACKGROUND, CLR_GC_FOREGROUND };

struct clr_gc_start {
	uint32_t number, generation, reason, type; /* enum clr_gc_type */
};

struct clr_gc_end {
	uint32_t number, generation;
};

/* After a collection; bytes. */
struct clr_heap_stats {
	uint64_t size[CLR_GENERATIONS], promoted[CLR_GENERATIONS];
	uint64_t finalization_bytes, finalization_count;
	uint32_t pinned, handles;
};

/* Of one heap (a server has several), around one collection; bytes. */
struct clr_heap_history {
	uint32_t heap, generations;
	uint64_t before[CLR_GENERATIONS], after[CLR_GENERATIONS];
};

enum clr_suspend_reason { CLR_SUSPEND_GC = 1, CLR_SUSPEND_GC_PREP = 6 };

struct clr_suspend {
	uint32_t reason, number; /* number: of the collection, where it is for one */
};

enum clr_heap_kind { CLR_HEAP_SMALL, CLR_HEAP_LARGE, CLR_HEAP_PINNED };

struct clr_allocation {
	uint32_t kind;	 /* enum clr_heap_kind */
	uint64_t amount; /* of a tick: bytes since the last one; of a sample 0 */
	uint64_t type_id;
	struct str type;      /* UTF-16 */
	uint64_t object_size; /* 0 = not said */
};

struct clr_exception {
	struct str type, message; /* UTF-16 */
	uint64_t address;
	uint32_t hresult;
	uint16_t flags; /* 1 has an inner exception, 2 is one, 4 rethrown, 8 of corrupted state */
};

struct clr_contention {
	bool native;
	uint64_t lock, object, owner; /* of a start, from version 2 on; owner: an OS thread */
	double duration_ns;	      /* of a stop, from version 1 on; NAN before */
};

struct clr_workers {
	uint32_t active, retired;
};

struct clr_adjustment {
	double throughput;
	uint32_t workers, reason;
};

bool clr_read_gc_start(const struct nettrace_event *e, struct clr_gc_start *ret);
bool clr_read_gc_end(const struct nettrace_event *e, struct clr_gc_end *ret);
bool clr_read_heap_stats(const struct nettrace_event *e, struct clr_heap_stats *ret);
bool clr_read_heap_history(const struct nettrace_event *e, struct clr_heap_history *ret);
bool clr_read_suspend(const struct nettrace_event *e, struct clr_suspend *ret);
bool clr_read_allocation_tick(const struct nettrace_event *e, struct clr_allocation *ret);
bool clr_read_allocation_sampled(const struct nettrace_event *e, struct clr_allocation *ret);
bool clr_read_exception(const struct nettrace_event *e, struct clr_exception *ret);
bool clr_read_contention(const struct nettrace_event *e, struct clr_contention *ret);
bool clr_read_workers(const struct nettrace_event *e, struct clr_workers *ret);
bool clr_read_adjustment(const struct nettrace_event *e, struct clr_adjustment *ret);

/* The runtime's own words for numbers; "?" for those that nobody knows. */
const char *clr_gc_reason_name(uint32_t reason);
const char *clr_gc_type_name(uint32_t type);
const char *clr_adjustment_name(uint32_t reason);

/* UTF-16 of a payload, appended as UTF-8. */
void clr_text(struct str utf16, struct strbuf *out);

#endif
