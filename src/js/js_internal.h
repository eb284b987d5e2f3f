/*
 * js_internal.h - what shard.c, vm.c, module.c and error.c share and nobody else sees.
 */
#ifndef ASSAY_JS_INTERNAL_H
#define ASSAY_JS_INTERNAL_H

#include <stdatomic.h>

#include "base/vec.h"
#include "js/error.h"
#include "js/module.h"
#include "js/vm.h"
#include "os/fiber.h"

/* Sanitizers make stack frames several times larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define JS_STACK_SCALE 4
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define JS_STACK_SCALE 4
#endif
#endif
#ifndef JS_STACK_SCALE
#define JS_STACK_SCALE 1
#endif

struct js_shard {
	JSRuntime *rt;
	struct js_modules *modules;
	struct fiber_pool *stacks;
	bool owns_stacks;
	const struct js_class *classes;
	size_t class_count;
	struct js_vm *vms[JS_SHARD_VMS_MAX];
	unsigned vm_count;
	struct js_vm *running; /* the VM whose fiber runs, NULL on the loop's side */
	struct js_engine_memory memory;
	size_t bytes_at_collect; /* in use after the last collection */
	bool vm_freed;		 /* since the last collection */
	atomic_bool stop;
};

enum js_vm_state { JS_VM_IDLE, JS_VM_RUNNING, JS_VM_BLOCKED };

/* A promise that was rejected while nothing handled it. Both values are owned. */
struct js_rejection {
	JSValue promise, reason;
};

/* What a module asked for, while a script is imported: an error of it has no place of its own. */
struct js_import {
	char *importer, *written, *name;
};

struct js_vm {
	JSContext *ctx;
	struct js_shard *shard;
	const struct js_vm_ops *ops;
	void *user;

	enum js_vm_state state;
	struct fiber *fiber; /* NULL while idle */
	struct js_engine_stack stack;
	js_vm_fn *fn;
	void *arg;

	bool in_call; /* inside js_vm_call() or js_vm_import() */
	bool aborted;
	bool over_limit;   /* the call was interrupted because it lived on the memory reserve */
	unsigned refusals; /* the shard's count when the call began */
	bool waiting;	   /* blocked in the call's own loop: js_vm_post() wakes it */
	uint64_t deadline_ns;

	bool importing;		       /* inside js_vm_import() */
	bool import_refused;	       /* the last of imports could not be had */
	VEC(struct js_import) imports; /* of js_vm_import() */

	unsigned holds;
	struct js_task *tasks, **tasks_end;
	VEC(struct js_rejection) rejections; /* in order of time */
};

/* Called by the engine: is the running script to be interrupted? (vm.c) */
int js_vm_interrupt(JSRuntime *rt, void *shard);

/* Called by the engine when a promise is rejected unhandled, or handled later. (vm.c) */
void js_vm_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, JS_BOOL handled,
		     void *shard);

/* Gives an error of js_vm_import() that has no place that of the import at fault, if it is known,
 * and forgets the imports. (import_place.c) */
void js_imports_end(struct js_vm *vm, struct js_error *err);

/* The source behind a resolved name: 0 or a negative errno. (module.c) */
int js_modules_read(struct js_modules *mods, const char *name, struct strbuf *ret);

/* Makes imports of the runtime go to mods. (module.c) */
void js_modules_install(struct js_modules *mods, JSRuntime *rt);

#endif
