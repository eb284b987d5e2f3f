/*
 * vm.c - a context and the fiber it works on.
 *
 * Three things of the engine belong to the runtime though they should belong to a VM, and are
 * carried along here:
 * - the innermost frame and the stack limit: saved and set at every switch (enter()). Without that
 *   an Error made in one VM lists another's functions, or follows pointers into a stack that is
 *   used by somebody else by now;
 * - the queue of promise jobs: a VM takes only its own out of it, on its own fiber, when the
 *   function it called has returned. The engine's own way, running the head of the queue, would run
 *   a job of a VM that is blocked in the middle of a script;
 * - the pending exception: no native function yields while there is one (js_vm_yield() checks).
 *
 * A suspended stack is never dropped: variables that closures share lie on it, and what native
 * functions hold would leak. Ending a blocked VM means to resume it with `aborted` set and let it
 * unwind. The engine cannot throw past an async function, it makes a rejection of it, so until the
 * call has ended every native function fails and every poll of the interpreter interrupts.
 */
#include "js/vm.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "js/js_internal.h"
#include "js/value.h"
#include "os/clock.h"

/* Left below the engine's limit for native code that runs on the fiber. A script's frame passes the
 * limit by up to 5 KB before the engine notices. */
#define STACK_MARGIN_BYTES ((uintptr_t)16 * 1024 * JS_STACK_SCALE)

/* A new context takes 42 KB. */
#define CONTEXT_BYTES ((size_t)64 * 1024)

static bool stopping(const struct js_vm *vm)
{
	return atomic_load_explicit(&vm->shard->stop, memory_order_relaxed);
}

/*
 * The engine makes a finalization registry hold its context without a reference and lets the
 * collector queue jobs for it, possibly after the context has gone. k6 has no such global either.
 */
static int remove_unsafe_globals(JSContext *ctx)
{
	JSValue global = JS_GetGlobalObject(ctx);
	JSAtom name = JS_NewAtom(ctx, "FinalizationRegistry");
	int r = JS_DeleteProperty(ctx, global, name, 0);

	JS_FreeAtom(ctx, name);
	JS_FreeValue(ctx, global);
	return r < 0 ? -ENOMEM : 0;
}

/* The engine crashes when it runs out of memory while it makes a context: it gets what it needs. */
static JSContext *new_context(struct js_shard *shard)
{
	JSContext *ctx;

	if (!js_engine_has_room(shard->rt, CONTEXT_BYTES))
		return NULL;
	shard->memory.off = true;
	ctx = JS_NewContext(shard->rt);
	if (ctx && remove_unsafe_globals(ctx) < 0) {
		JS_FreeContext(ctx);
		ctx = NULL;
	}
	shard->memory.off = false;
	return ctx;
}

int js_vm_new(struct js_vm **ret, struct js_shard *shard, const struct js_vm_ops *ops, void *user)
{
	struct js_vm *vm;
	JSContext *ctx;

	if (shard->vm_count == JS_SHARD_VMS_MAX)
		return -ENOSPC;
	ctx = new_context(shard);
	if (!ctx)
		return -ENOMEM;

	vm = xcalloc(1, sizeof(*vm));
	vm->ctx = ctx;
	vm->shard = shard;
	vm->ops = ops;
	vm->user = user;
	vm->tasks_end = &vm->tasks;
	JS_SetContextOpaque(ctx, vm);
	shard->vms[shard->vm_count++] = vm;
	*ret = vm;
	return 0;
}

static void forget_rejections(struct js_vm *vm)
{
	vec_for_each (&vm->rejections, r) {
		JS_FreeValue(vm->ctx, r->promise);
		JS_FreeValue(vm->ctx, r->reason);
	}
	vec_clear(&vm->rejections);
}

void js_vm_free(struct js_vm *vm)
{
	struct js_shard *shard;

	if (!vm)
		return;
	BUG_ON(vm->state != JS_VM_IDLE);
	shard = vm->shard;
	forget_rejections(vm);
	vec_release(&vm->rejections);
	js_engine_job_purge(vm->ctx);
	JS_SetContextOpaque(vm->ctx, NULL);
	JS_FreeContext(vm->ctx);
	shard->vm_freed = true;

	for (unsigned i = 0; i < shard->vm_count; i++) {
		if (shard->vms[i] != vm)
			continue;
		shard->vms[i] = shard->vms[--shard->vm_count];
		break;
	}
	free(vm);
}

JSContext *js_vm_context(struct js_vm *vm)
{
	return vm->ctx;
}

struct js_shard *js_vm_shard(struct js_vm *vm)
{
	return vm->shard;
}

void *js_vm_user(struct js_vm *vm)
{
	return vm->user;
}

struct js_vm *js_vm_of(JSContext *ctx)
{
	return JS_GetContextOpaque(ctx);
}

/* ---- the loop's side ---- */

static void vm_main(void *arg)
{
	struct js_vm *vm = arg;

	vm->fn(vm, vm->arg);
}

/* Runs the VM's fiber until it yields (1) or ends (0). */
static int enter(struct js_vm *vm)
{
	struct js_shard *shard = vm->shard;
	struct js_vm *outer_vm = shard->running;
	struct js_engine_stack outer;

	js_engine_stack_save(shard->rt, &outer);
	js_engine_stack_set(shard->rt, &vm->stack);
	shard->running = vm;
	vm->state = JS_VM_RUNNING;

	if (fiber_resume(vm->fiber)) {
		js_engine_stack_save(shard->rt, &vm->stack);
		vm->state = JS_VM_BLOCKED;
	} else {
		fiber_free(vm->fiber);
		vm->fiber = NULL;
		vm->aborted = false;
		vm->state = JS_VM_IDLE;
	}
	shard->running = outer_vm;
	js_engine_stack_set(shard->rt, &outer);
	return vm->state == JS_VM_BLOCKED;
}

int js_vm_start(struct js_vm *vm, js_vm_fn *fn, void *arg)
{
	int r;

	BUG_ON(vm->state != JS_VM_IDLE);
	r = fiber_new(&vm->fiber, vm->shard->stacks, vm_main, vm);
	if (r < 0)
		return r;
	vm->fn = fn;
	vm->arg = arg;
	vm->stack = (struct js_engine_stack){
		.frame = NULL,
		.limit = fiber_stack_low(vm->fiber) + STACK_MARGIN_BYTES,
	};
	return enter(vm);
}

int js_vm_resume(struct js_vm *vm)
{
	BUG_ON(vm->state != JS_VM_BLOCKED);
	return enter(vm);
}

bool js_vm_idle(const struct js_vm *vm)
{
	return vm->state == JS_VM_IDLE;
}

bool js_vm_blocked(const struct js_vm *vm)
{
	return vm->state == JS_VM_BLOCKED;
}

void js_vm_abort(struct js_vm *vm)
{
	if (vm->state == JS_VM_IDLE)
		return;
	vm->aborted = true;
	if (vm->state == JS_VM_BLOCKED)
		enter(vm);
}

void js_vm_set_deadline(struct js_vm *vm, uint64_t deadline_ns)
{
	vm->deadline_ns = deadline_ns;
}

/* ---- the fiber's side ---- */

/* Outside a call there is nothing to unwind: the one failed yield is all of the abort. */
static int yield_aborted(struct js_vm *vm)
{
	vm->aborted = vm->in_call;
	return -ECANCELED;
}

int js_vm_yield(struct js_vm *vm)
{
	if (!vm->fiber || fiber_current() != vm->fiber)
		return -EDEADLK;
	BUG_ON(JS_HasException(vm->ctx));
	if (vm->aborted || stopping(vm))
		return yield_aborted(vm);

	fiber_yield();
	return vm->aborted || stopping(vm) ? yield_aborted(vm) : 0;
}

JSValue js_vm_throw_aborted(JSContext *ctx)
{
	JSValue e;

	JS_ThrowInternalError(ctx, "interrupted");
	e = JS_GetException(ctx);
	JS_SetUncatchableError(ctx, e, 1);
	return JS_Throw(ctx, e);
}

bool js_vm_aborted(const struct js_vm *vm)
{
	return vm->aborted || stopping(vm);
}

int js_vm_interrupt(JSRuntime *rt, void *arg)
{
	struct js_shard *shard = arg;
	struct js_vm *vm = shard->running;

	if (!vm)
		return atomic_load_explicit(&shard->stop, memory_order_relaxed);
	if (stopping(vm) || (vm->deadline_ns && clock_now_ns() >= vm->deadline_ns) ||
	    (vm->ops && vm->ops->unwanted && vm->ops->unwanted(vm, vm->user)))
		vm->aborted = true;
	/* past the limit, in the reserve that is meant for making an error */
	if (!js_engine_has_room(rt, 0))
		vm->over_limit = true;
	return vm->aborted || vm->over_limit;
}

void js_vm_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, JS_BOOL handled,
		     void *shard UNUSED)
{
	struct js_vm *vm = js_vm_of(ctx);
	void *object = JS_VALUE_GET_PTR(promise);

	if (!vm)
		return;
	if (!handled) {
		struct js_rejection r = { JS_DupValue(ctx, promise), JS_DupValue(ctx, reason) };

		vec_push(&vm->rejections, r);
		return;
	}
	vec_for_each (&vm->rejections, r) {
		if (JS_VALUE_GET_PTR(r->promise) != object)
			continue;
		JS_FreeValue(ctx, r->promise);
		JS_FreeValue(ctx, r->reason);
		vm->rejections.len--;
		memmove(r, r + 1,
			(size_t)(vm->rejections.ptr + vm->rejections.len - r) * sizeof(*r));
		return;
	}
}

/* Describes a failure in err and gives its code. */
static int failed(struct js_vm *vm, JSValueConst thrown, const char *prefix, struct js_error *err)
{
	struct js_error scratch = JS_ERROR_INIT;
	struct js_error *e = err ? err : &scratch;
	int code = -EINVAL;

	js_error_from(vm->ctx, thrown, e);
	if (*prefix) {
		char *message = xasprintf("%s%s", prefix, e->message);

		free(e->message);
		e->message = message;
	}
	if (vm->aborted)
		code = -ECANCELED;
	else if (e->out_of_memory)
		code = -ENOMEM;
	js_error_release(&scratch);
	return code;
}

static int failed_pending(struct js_vm *vm, struct js_error *err)
{
	JSValue thrown = JS_GetException(vm->ctx);
	int code = failed(vm, thrown, "", err);

	JS_FreeValue(vm->ctx, thrown);
	return code;
}

static int failed_aborted(struct js_vm *vm, struct js_error *err)
{
	js_vm_throw_aborted(vm->ctx);
	return failed_pending(vm, err);
}

static int run_task(struct js_vm *vm, struct js_error *err)
{
	struct js_task *task = vm->tasks;

	vm->tasks = task->next;
	if (!vm->tasks)
		vm->tasks_end = &vm->tasks;
	vm->holds--;
	return task->run(vm, task) < 0 ? failed_pending(vm, err) : 0;
}

/* Is this rejection the engine's own of a module that threw, which is reported by its import? */
static bool rejection_is_internal(struct js_vm *vm, const struct js_rejection *rejection)
{
	if (!js_engine_module_threw(vm->ctx, rejection->reason))
		return false;
	for (const struct js_rejection *r = vm->rejections.ptr; r < rejection; r++) {
		if (JS_SameValue(vm->ctx, r->reason, rejection->reason))
			return false;
	}
	return true;
}

/* Fails for a promise that nobody handled, unless it is the call's own result: that comes later. */
static int check_rejections(struct js_vm *vm, JSValueConst result, struct js_error *err)
{
	void *own = JS_IsObject(result) ? JS_VALUE_GET_PTR(result) : NULL;

	vec_for_each (&vm->rejections, r) {
		if (JS_VALUE_GET_PTR(r->promise) != own && !rejection_is_internal(vm, r))
			return failed(vm, r->reason, "Uncaught (in promise) ", err);
	}
	return 0;
}

/* One step of what is left to do after the script's function has returned: 1 = there may be more,
 * 0 = nothing is left, or the code of a failure. */
static int run_some(struct js_vm *vm, JSValueConst result, struct js_error *err)
{
	int r;

	if (js_vm_aborted(vm))
		return failed_aborted(vm, err);
	r = js_engine_job_run(vm->ctx);
	if (r)
		return r < 0 ? failed_pending(vm, err) : 1;

	if ((int)JS_PromiseState(vm->ctx, result) == JS_PROMISE_REJECTED)
		return 0;
	r = check_rejections(vm, result, err);
	if (r < 0)
		return r;
	if (vm->tasks) {
		r = run_task(vm, err);
		return r < 0 ? r : 1;
	}
	if (!vm->holds)
		return 0;
	vm->waiting = true;
	js_vm_yield(vm);
	vm->waiting = false;
	return 1;
}

/* Turns what the function returned into the call's result, following a promise. */
static int settle(struct js_vm *vm, JSValue returned, JSValue *ret, struct js_error *err)
{
	JSContext *ctx = vm->ctx;
	int state = (int)JS_PromiseState(ctx, returned);
	JSValue value;
	int r;

	if (state != JS_PROMISE_FULFILLED && state != JS_PROMISE_REJECTED) {
		*ret = state == JS_PROMISE_PENDING ? JS_UNDEFINED : JS_DupValue(ctx, returned);
		return 0;
	}
	value = JS_PromiseResult(ctx, returned);
	if (state == JS_PROMISE_FULFILLED) {
		*ret = value;
		return 0;
	}
	r = failed(vm, value, "", err);
	JS_FreeValue(ctx, value);
	return r;
}

/* After a failure operations may be outstanding and jobs queued; after success nothing is. */
static void clear_call(struct js_vm *vm)
{
	if (vm->holds) {
		BUG_ON(!vm->ops || !vm->ops->cancel);
		vm->ops->cancel(vm, vm->user);
	}
	vm->holds = 0;
	vm->tasks = NULL;
	vm->tasks_end = &vm->tasks;
	js_engine_job_purge(vm->ctx);
	forget_rejections(vm);
	vm->aborted = false;
	vm->in_call = false;
}

static void begin_call(struct js_vm *vm)
{
	BUG_ON(vm->state != JS_VM_RUNNING || vm->in_call);
	vm->in_call = true;
	vm->over_limit = false;
	vm->refusals = vm->shard->memory.refusals;
}

/* Takes over returned, what the script's function gave. */
static int end_call(struct js_vm *vm, JSValue returned, JSValue *ret, struct js_error *err)
{
	JSValue value = JS_UNDEFINED;
	int r;

	if (JS_IsException(returned))
		r = failed_pending(vm, err);
	else
		do
			r = run_some(vm, returned, err);
		while (r > 0);
	if (!r)
		r = settle(vm, returned, &value, err);
	JS_FreeValue(vm->ctx, returned);
	clear_call(vm);

	if (!r && ret)
		*ret = value;
	else
		JS_FreeValue(vm->ctx, value);
	return r;
}

int js_vm_call(struct js_vm *vm, JSValueConst func, int argc, JSValueConst *argv, JSValue *ret,
	       struct js_error *err)
{
	begin_call(vm);
	return end_call(vm, JS_Call(vm->ctx, func, JS_UNDEFINED, argc, argv), ret, err);
}

int js_vm_import(struct js_vm *vm, const char *name, JSValue *ret, struct js_error *err)
{
	JSValue namespace = JS_UNDEFINED;
	int r;

	begin_call(vm);
	vm->importing = true;
	r = end_call(vm, JS_LoadModule(vm->ctx, "", name), &namespace, err);
	js_imports_end(vm, r < 0 ? err : NULL);
	if (r < 0)
		return r;
	if (JS_IsUndefined(namespace)) {
		js_throw(vm->ctx, "%s: an await at the top level is never fulfilled", name);
		return failed_pending(vm, err);
	}
	*ret = namespace;
	return 0;
}

/* ---- operations that end later ---- */

void js_vm_hold(struct js_vm *vm)
{
	vm->holds++;
}

void js_vm_unhold(struct js_vm *vm)
{
	BUG_ON(!vm->holds);
	vm->holds--;
}

void js_vm_post(struct js_vm *vm, struct js_task *task)
{
	BUG_ON(!vm->holds);
	task->next = NULL;
	*vm->tasks_end = task;
	vm->tasks_end = &task->next;
	if (vm->waiting && vm->state == JS_VM_BLOCKED)
		js_vm_resume(vm);
}
