/*
 * shard.c - a runtime, its classes, its garbage and the list of its VMs. What a VM does is in vm.c.
 */
#include "js/shard.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "js/js_internal.h"

/* Reserved per stack. Only touched pages cost memory: an iteration touches 8 to 9 KB. The engine
 * needs 0.7 KB for a call between script functions, so this is about 340 levels deep. */
#define STACK_BYTES ((size_t)256 * 1024 * JS_STACK_SCALE)

/* What the engine may use of the stack of a thread, for the little that runs on it. */
#define THREAD_STACK_BYTES ((uintptr_t)256 * 1024 * JS_STACK_SCALE)

#define COLLECT_GROWTH_MIN ((size_t)1024 * 1024)
#define BACKSTOP_BYTES	   ((size_t)16 * 1024 * 1024)

struct fiber_pool *js_stacks_new(void)
{
	return fiber_pool_new(STACK_BYTES);
}

void js_shard_attach(struct js_shard *shard)
{
	struct js_engine_stack stack = {
		.frame = NULL,
		.limit = (uintptr_t)__builtin_frame_address(0) - THREAD_STACK_BYTES,
	};

	js_engine_stack_set(shard->rt, &stack);
}

/* Sets where the engine collects by itself: far out, but before garbage alone hits the limit. */
static void note_collected(struct js_shard *shard)
{
	size_t threshold, most = js_engine_most_bytes(shard->rt);

	shard->bytes_at_collect = js_engine_bytes(shard->rt);
	shard->vm_freed = false;
	threshold = 3 * shard->bytes_at_collect + BACKSTOP_BYTES;
	threshold = MIN(threshold, most / 8 * 7);
	JS_SetGCThreshold(shard->rt, threshold);
}

static int register_classes(struct js_shard *shard)
{
	for (size_t i = 0; i < shard->class_count; i++) {
		const struct js_class *c = &shard->classes[i];

		BUG_ON(c->id < JS_CLASS_USER);
		if (JS_NewClass(shard->rt, c->id, &c->def) < 0)
			return -ENOMEM;
	}
	return 0;
}

int js_shard_new(struct js_shard **ret, const struct js_shard_opts *opts)
{
	struct js_shard *shard = xcalloc(1, sizeof(*shard));

	shard->memory.budget = opts->budget;
	shard->rt = js_engine_new(&shard->memory);
	if (!shard->rt) {
		free(shard);
		return -ENOMEM;
	}
	shard->modules = opts->modules;
	shard->classes = opts->classes;
	shard->class_count = opts->class_count;
	shard->memory.limit_bytes = opts->memory_limit_bytes;
	shard->owns_stacks = !opts->stacks;
	shard->stacks = opts->stacks ? opts->stacks : js_stacks_new();

	JS_SetRuntimeOpaque(shard->rt, shard);
	JS_SetInterruptHandler(shard->rt, js_vm_interrupt, shard);
	JS_SetHostPromiseRejectionTracker(shard->rt, js_vm_rejection, shard);
	/* compiled functions would carry their text, and outer ones that of the inner again; what
	 * is lost is what Function.prototype.toString() shows */
	JS_SetStripInfo(shard->rt, JS_STRIP_SOURCE);
	if (opts->modules)
		js_modules_install(opts->modules, shard->rt);
	js_shard_attach(shard);
	note_collected(shard);

	if (register_classes(shard) < 0) {
		js_shard_free(shard);
		return -ENOMEM;
	}
	*ret = shard;
	return 0;
}

void js_shard_free(struct js_shard *shard)
{
	if (!shard)
		return;
	BUG_ON(shard->vm_count);
	JS_FreeRuntime(shard->rt);
	js_engine_give_back(&shard->memory, 0);
	if (shard->owns_stacks)
		fiber_pool_free(shard->stacks);
	free(shard);
}

void js_shard_collect(struct js_shard *shard)
{
	JS_RunGC(shard->rt);
	js_engine_give_back(&shard->memory, js_engine_bytes(shard->rt));
	note_collected(shard);

	for (unsigned i = 0; i < shard->vm_count; i++) {
		if (js_vm_blocked(shard->vms[i]))
			fiber_trim(shard->vms[i]->fiber);
	}
	if (shard->owns_stacks)
		fiber_pool_trim(shard->stacks);
}

bool js_shard_collect_if_grown(struct js_shard *shard)
{
	size_t growth = MAX(shard->bytes_at_collect / 2, COLLECT_GROWTH_MIN);

	js_engine_give_back(&shard->memory, js_engine_bytes(shard->rt));
	if (!shard->vm_freed && js_engine_bytes(shard->rt) <= shard->bytes_at_collect + growth)
		return false;
	js_shard_collect(shard);
	return true;
}

size_t js_shard_bytes(const struct js_shard *shard)
{
	return js_engine_bytes(shard->rt);
}

void js_shard_stop(struct js_shard *shard)
{
	atomic_store_explicit(&shard->stop, true, memory_order_relaxed);
}

JSRuntime *js_shard_runtime(struct js_shard *shard)
{
	return shard->rt;
}
