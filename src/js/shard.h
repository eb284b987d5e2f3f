/*
 * shard.h - one runtime of the script engine with up to 64 virtual machines (contexts) in it. A
 * thread has many shards. Why not one runtime per VM: a blocked VM then takes 95 KB with its stack
 * instead of 62 (bench/js_vms). Why not one per thread: a garbage collection looks at all of a
 * runtime's objects (0.5 ms with 16 VMs, 2.5 ms with 64, 135 ms with 2,000), and promise jobs share
 * one queue.
 *
 * A shard and all that is in it belong to one thread at a time; only js_shard_stop() may be called
 * from others.
 */
#ifndef ASSAY_JS_SHARD_H
#define ASSAY_JS_SHARD_H

#include "js/engine.h"

struct fiber_pool;
struct js_modules;

#define JS_SHARD_VMS_MAX 64

/* A class of objects that native code defines; see the rules in js/engine.h. */
struct js_class {
	JSClassID id; /* JS_CLASS_USER or above, a constant */
	JSClassDef def;
};

struct js_shard_opts {
	struct js_modules
		*modules; /* borrowed; may be shared with other threads; NULL = no imports */
	struct fiber_pool *stacks; /* borrowed, from js_stacks_new(), shared by the thread's shards;
				      NULL = a pool of the shard's own */
	const struct js_class *classes; /* borrowed until the shard is freed */
	size_t class_count;
	size_t memory_limit_bytes;	 /* for all VMs of the shard together; 0 = no limit */
	struct js_memory_budget *budget; /* borrowed, shared with other shards; NULL = none */
};

struct js_shard;

/* 0 or -ENOMEM. The calling thread becomes the owner, as by js_shard_attach(). */
int js_shard_new(struct js_shard **ret, const struct js_shard_opts *opts);

/* Every VM must have been freed. NULL in, nothing done. */
void js_shard_free(struct js_shard *shard);

/* Makes the calling thread the owner: call it first on a thread that did not create the shard, from
 * a function no deeper than those that will use it. No VM may be suspended. */
void js_shard_attach(struct js_shard *shard);

/* Stacks of the size that scripts need; freed with fiber_pool_free(). */
struct fiber_pool *js_stacks_new(void);

/*
 * Garbage. Reference counting frees nearly everything at once; what is left are cycles. The
 * engine's own trigger would collect in the middle of whatever allocates, so it is moved far out
 * (three times the live size plus 16 MB) and the owner collects between events instead.
 */

/* Collects if the shard has grown by half (and at least 1 MB) since the last time, or if a VM was
 * freed. Returns whether it did. Cheap when not; call it whenever the loop has a pause. */
bool js_shard_collect_if_grown(struct js_shard *shard);

/* Collects now, and gives back stack memory that deep recursion left behind. */
void js_shard_collect(struct js_shard *shard);

/* Bytes allocated by the runtime now. */
size_t js_shard_bytes(const struct js_shard *shard);

/*
 * From any thread or a signal handler: makes every script of the shard end soon. Running script
 * code is interrupted within some hundred microseconds and no native call blocks any more. VMs that
 * are blocked must be ended by the owner with js_vm_abort(). Cannot be taken back.
 */
void js_shard_stop(struct js_shard *shard);

JSRuntime *js_shard_runtime(struct js_shard *shard);

#endif
