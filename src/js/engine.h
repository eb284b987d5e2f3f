/*
 * engine.h - the script engine (QuickJS 2025-04-26) as the code of native modules sees it: the
 * engine's own interface, and what it lacks for many virtual users in one runtime. The functions
 * below reach into the engine's private state; only js/ calls them. Native modules use the engine's
 * JS_ functions and js/vm.h, js/module.h and js/value.h.
 *
 * Rules for native code that the engine's own headers do not state:
 * - never js_vm_yield() between JS_Throw() and the return to the engine, nor in a finalizer or a
 *   gc_mark callback: the pending exception and the collector belong to the whole runtime;
 * - a JSValue is used only on the thread of its shard, and only in the VM that made it;
 * - a class has a constant id, JS_CLASS_USER or above, chosen by whoever defines it, and is
 *   registered when the shard is made (js_shard_opts.classes). JS_NewClassID() is not used: it
 *   counts in an unguarded global.
 */
#ifndef ASSAY_JS_ENGINE_H
#define ASSAY_JS_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <quickjs.h>

/* The first class id that is free for native modules. */
#define JS_CLASS_USER 60

/*
 * What of the runtime's state belongs to the stack that is running. It travels with the fiber:
 * saved when one is left, installed before one is entered. A new stack starts with frame NULL.
 */
struct js_engine_stack {
	void *frame;	 /* innermost engine frame on this stack; NULL = none */
	uintptr_t limit; /* lowest address the engine may reach before it throws "stack overflow" */
};

void js_engine_stack_save(JSRuntime *rt, struct js_engine_stack *ret);
void js_engine_stack_set(JSRuntime *rt, const struct js_engine_stack *stack);

/*
 * Promise jobs stand in one queue per runtime, whatever context they are of. js_engine_job_run()
 * runs the first one of ctx: 1 = ran, 0 = there is none, -1 = it threw (the exception is pending).
 * A linear search, which is one reason why a shard has at most 64 contexts.
 */
int js_engine_job_run(JSContext *ctx);
bool js_engine_job_pending(JSContext *ctx);

/* Drops the jobs of ctx unrun and returns how many. A job holds no reference to its context, so
 * this comes before JS_FreeContext(). */
unsigned js_engine_job_purge(JSContext *ctx);

/* What runtimes on any threads share: taken in pieces, given back when a runtime shrinks. */
struct js_memory_budget {
	size_t total_bytes; /* constant */
	atomic_size_t left_bytes;
};

/*
 * Memory. The engine's own limit does not work out: an allocation that fails while it makes the
 * Error for one that failed before recurses without end in places, and leaves null as the exception
 * in others. Here the first request above the limit is refused and a few small ones after it are
 * granted from a reserve, so that the error can be made and thrown; then it begins again.
 */
struct js_engine_memory {
	size_t limit_bytes;		 /* 0 = no limit */
	struct js_memory_budget *budget; /* borrowed; NULL = none */
	size_t taken_bytes;		 /* out of the budget */
	bool off;			 /* nothing is refused: whoever sets it has asked before */
	bool budget_was_short;		 /* the last refusal was the budget's */
	unsigned grace;			 /* small requests still granted above the limit */
	unsigned refusals;		 /* requests refused so far */
};

/* May the runtime grow by so much? More than nothing is left over when growth is 0. */
bool js_engine_has_room(JSRuntime *rt, size_t growth);

/* The most the runtime could have at this moment; SIZE_MAX = no limit. */
size_t js_engine_most_bytes(JSRuntime *rt);

/* Returns to the budget what is not in use but for a little; all of it when the runtime is gone. */
void js_engine_give_back(struct js_engine_memory *memory, size_t in_use_bytes);

/* The memory record must outlive the runtime. NULL when there is not even memory for it. */
JSRuntime *js_engine_new(struct js_engine_memory *memory);

/*
 * Is v what a module of ctx threw while it was evaluated? The engine runs a module as an async
 * function whose promise it drops, so that such a rejection is reported once too often.
 */
bool js_engine_module_threw(JSContext *ctx, JSValueConst v);

/* Bytes the runtime has allocated, the allocator's overhead included. */
size_t js_engine_bytes(JSRuntime *rt);

/* What js_engine_bytes_of() has found: an element type of the engine's JSTypedArrayEnum, or one of
 * these. */
#define JS_ENGINE_BUFFER    (-1)
#define JS_ENGINE_DATA_VIEW (-2)

/* The bytes of an ArrayBuffer or of a view on one, borrowed: false when v is neither or the buffer
 * is detached. Throws nothing. */
bool js_engine_bytes_of(JSValueConst v, uint8_t **ret, size_t *ret_len, int *ret_kind);

/* Object.freeze(v), whatever the script has made of that global. 0, or -1 with an exception. */
int js_engine_freeze(JSContext *ctx, JSValueConst v);

#endif
