/*
 * vm.h - one virtual machine: a context of a shard with globals and modules of its own, and while
 * it works a fiber to work on. Its owner has two sides:
 *
 * - the loop's side (a thread's own stack): js_vm_start() runs a C function on the VM's fiber until
 *   it ends or blocks; js_vm_resume() lets it go on when what it waited for has come.
 * - the fiber's side: that C function, which calls scripts with js_vm_call() and js_vm_import(),
 *   and the native functions that scripts call in turn, which block with js_vm_yield():
 *
 *	static JSValue k6_sleep(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
 *	{
 *		struct js_vm *vm = js_vm_of(ctx);
 *		...
 *		arm(timer, ...);                        its callback calls js_vm_resume(vm)
 *		if (js_vm_yield(vm) < 0) {
 *			disarm(timer);
 *			return js_vm_throw_aborted(ctx);
 *		}
 *		return JS_UNDEFINED;
 *	}
 *
 * All script code of a VM runs on its fiber. Blocking works anywhere below js_vm_start(): inside
 * try and finally, generators, async functions, callbacks of sort() or replace(). All of a VM is
 * used on its shard's thread.
 */
#ifndef ASSAY_JS_VM_H
#define ASSAY_JS_VM_H

#include "js/error.h"
#include "js/shard.h"

struct js_vm;

struct js_vm_ops {
	/*
	 * Cancel every operation that js_vm_hold() was called for and whose task has not run: none
	 * of them may post afterwards, and what was posted already is forgotten. Called on the VM's
	 * fiber when a call failed or was aborted with operations outstanding. Must not block. May
	 * be NULL if js_vm_hold() is never used.
	 */
	void (*cancel)(struct js_vm *vm, void *user);
	/*
	 * Asked now and then while script code computes: is nobody waiting for it any more? It is
	 * then aborted as by js_vm_abort(). Must be quick. May be NULL.
	 */
	bool (*unwanted)(struct js_vm *vm, void *user);
};

/* ops and user are borrowed for the VM's life; both may be NULL. 0, -ENOMEM (the shard's memory
 * limit too), -ENOSPC when the shard is full. About 150 us and 42 KB. */
int js_vm_new(struct js_vm **ret, struct js_shard *shard, const struct js_vm_ops *ops, void *user);

/* The VM must be idle. The context's memory goes with the shard's next collection; finalizers of
 * its objects run then. NULL in, nothing done. */
void js_vm_free(struct js_vm *vm);

JSContext *js_vm_context(struct js_vm *vm);
struct js_shard *js_vm_shard(struct js_vm *vm);
void *js_vm_user(struct js_vm *vm);

/* The VM of a context; never NULL while script code runs. */
struct js_vm *js_vm_of(JSContext *ctx);

/* ---- the loop's side ---- */

typedef void js_vm_fn(struct js_vm *vm, void *arg);

/*
 * Runs fn(vm, arg) on a fiber until it returns or blocks. 1: it is blocked; 0: it has returned;
 * -ENOMEM: no stack was left and nothing ran. The VM must be idle. A blocked VM costs its stack
 * (8 KB and more of memory), an idle one has none.
 */
int js_vm_start(struct js_vm *vm, js_vm_fn *fn, void *arg);

/* Lets a blocked VM go on; returns as js_vm_start(). Only for whoever it waits for, once per
 * js_vm_yield(). */
int js_vm_resume(struct js_vm *vm);

bool js_vm_idle(const struct js_vm *vm);
bool js_vm_blocked(const struct js_vm *vm);

/*
 * Ends what the VM is doing: the script is unwound with an error that neither catch nor finally
 * sees, the native function it is blocked in is told so by js_vm_yield(), and the running
 * js_vm_call() returns -ECANCELED. What async functions still do is cut off: native calls fail,
 * promise jobs are dropped. The VM can be used again afterwards. From the loop's side a blocked VM
 * is unwound before this returns; from the VM's own fiber (a native function) it only marks. No
 * effect on an idle VM.
 */
void js_vm_abort(struct js_vm *vm);

/*
 * Aborts script code that is still computing at this time (CLOCK_MONOTONIC); 0 = never. The loop's
 * timers cannot fire while a script computes, so both are needed: a timer that calls js_vm_abort()
 * for the blocked case, and this.
 */
void js_vm_set_deadline(struct js_vm *vm, uint64_t deadline_ns);

/* ---- the fiber's side ---- */

/*
 * Blocks until js_vm_resume(). 0; -ECANCELED: the VM is being aborted, now or already before the
 * call: cancel what was begun and return js_vm_throw_aborted(); -EDEADLK: not on this VM's fiber.
 */
int js_vm_yield(struct js_vm *vm);

/* Throws the error that scripts cannot catch; returns JS_EXCEPTION. */
JSValue js_vm_throw_aborted(JSContext *ctx);

bool js_vm_aborted(const struct js_vm *vm);

/*
 * Calls func with this = undefined, then runs the VM's promise jobs and waits for its outstanding
 * operations until nothing is left to do. *ret (may be NULL) is the result, owned by the caller; a
 * promise is followed to its value, one that never settles gives undefined.
 *
 * 0, or with *err (may be NULL) set: -EINVAL the script threw, or a promise was rejected and nobody
 * handled it, or a posted task threw; -ECANCELED aborted; -ENOMEM memory limit. After a failure
 * nothing of the call is left: operations are cancelled, jobs dropped. Not to be nested: a native
 * function that calls back into the script uses JS_Call().
 */
int js_vm_call(struct js_vm *vm, JSValueConst func, int argc, JSValueConst *argv, JSValue *ret,
	       struct js_error *err);

/*
 * Loads, links and evaluates a module of the shard's js_modules, awaits at its top level included.
 * name is used as it is: resolved already. *ret is the module's namespace object, owned by the
 * caller. Results as of js_vm_call(); a syntax error anywhere in the imports is -EINVAL.
 */
int js_vm_import(struct js_vm *vm, const char *name, JSValue *ret, struct js_error *err);

/* ---- operations that end later: timers, asynchronous requests ---- */

/*
 * js_vm_hold() says that an operation has begun whose end the running js_vm_call() must wait for;
 * js_vm_post(), from the loop's side or the fiber's, that it has ended: task->run is then called on
 * the fiber, where it may run script code (settle a promise, call a callback) and block. It returns
 * 0, or -1 with an exception pending, which fails the call. The task is the caller's; it may free
 * it in run. js_vm_unhold(), on the fiber only, is for an operation the script itself took back.
 */
struct js_task {
	int (*run)(struct js_vm *vm, struct js_task *task);
	struct js_task *next; /* the VM's, while posted */
};

void js_vm_hold(struct js_vm *vm);
void js_vm_unhold(struct js_vm *vm);
void js_vm_post(struct js_vm *vm, struct js_task *task);

#endif
