/*
 * setTimeout(), setInterval() and what clears them. A timer is an operation of the running call
 * (js_vm_hold): an iteration lasts until its timers are done. The loop's timer only posts; the
 * callback runs on the VU's fiber, when the script is not in the middle of something.
 */
#include <math.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/globals.h"
#include "load/k6/modules.h"
#include "load/worker.h"

struct load_timer {
	struct net_timer timer;
	struct js_task task;
	struct load_vu *vu;
	struct load_timer *next;
	uint32_t id;
	uint64_t every_ns; /* 0 = once */
	uint64_t due_ns;
	bool posted, running, cleared;
	JSValue fn;
	VEC(JSValue) args;
};

static void unlink_timer(struct load_timer *t)
{
	struct load_timer **p = &t->vu->timers;

	while (*p && *p != t)
		p = &(*p)->next;
	if (*p)
		*p = t->next;
}

static void free_timer(struct load_timer *t)
{
	JSContext *ctx = js_vm_context(t->vu->vm);

	unlink_timer(t);
	net_timer_remove(t->vu->worker->loop, &t->timer);
	JS_FreeValue(ctx, t->fn);
	vec_for_each (&t->args, a)
		JS_FreeValue(ctx, *a);
	vec_release(&t->args);
	free(t);
}

void load_timers_cancel(struct load_vu *vu)
{
	while (vu->timers)
		free_timer(vu->timers);
}

static void expired(struct net_timer *timer)
{
	struct load_timer *t = container_of(timer, struct load_timer, timer);

	t->posted = true;
	load_vu_post(t->vu, &t->task);
}

static int run_callback(struct js_vm *vm, struct js_task *task)
{
	struct load_timer *t = container_of(task, struct load_timer, task);
	JSContext *ctx = js_vm_context(vm);
	JSValue fn = JS_DupValue(ctx, t->fn), r;

	t->posted = false;
	if (t->cleared) {
		free_timer(t);
		JS_FreeValue(ctx, fn);
		return 0;
	}
	t->running = true;
	r = JS_Call(ctx, fn, JS_UNDEFINED, (int)t->args.len, t->args.ptr);
	t->running = false;
	JS_FreeValue(ctx, fn);
	if (JS_IsException(r) || !t->every_ns || t->cleared) {
		free_timer(t);
		return JS_IsException(r) ? -1 : (JS_FreeValue(ctx, r), 0);
	}
	JS_FreeValue(ctx, r);
	js_vm_hold(vm);
	t->due_ns = MAX(t->due_ns + t->every_ns, net_loop_now_ns());
	net_timer_set(t->vu->worker->loop, &t->timer, t->due_ns);
	return 0;
}

static JSValue set_timer(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv,
			 int repeat)
{
	struct load_vu *vu = load_vu_of(ctx);
	struct load_timer *t;
	double ms = 0;
	uint64_t ns;

	if (load_vu_refuse_in_init(vu, "setting a timer"))
		return JS_EXCEPTION;
	if (argc < 1 || !JS_IsFunction(ctx, argv[0]))
		return JS_ThrowTypeError(ctx, "a timer takes a function and a time in ms");
	if (argc > 1 && JS_ToFloat64(ctx, &ms, argv[1]) < 0)
		return JS_EXCEPTION;
	ns = ms > 0 ? (uint64_t)(fmin(ms, 1e12) * 1e6) : 0;
	t = xcalloc(1, sizeof(*t));
	t->vu = vu;
	t->id = ++vu->timer_ids;
	t->fn = JS_DupValue(ctx, argv[0]);
	for (int i = 2; i < argc; i++)
		vec_push(&t->args, JS_DupValue(ctx, argv[i]));
	t->every_ns = repeat ? MAX(ns, NS_PER_MS) : 0;
	t->timer.expired = expired;
	t->task.run = run_callback;
	t->next = vu->timers;
	vu->timers = t;
	t->due_ns = net_loop_now_ns() + ns;
	js_vm_hold(vu->vm);
	net_timer_set(vu->worker->loop, &t->timer, t->due_ns);
	return JS_NewUint32(ctx, t->id);
}

static JSValue clear_timer(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_vu *vu = load_vu_of(ctx);
	struct load_timer *t = vu->timers;
	uint32_t id = 0;

	if (argc < 1 || !JS_IsNumber(argv[0]) || JS_ToUint32(ctx, &id, argv[0]) < 0)
		return JS_HasException(ctx) ? JS_EXCEPTION : JS_UNDEFINED;
	while (t && t->id != id)
		t = t->next;
	if (!t || t->cleared)
		return JS_UNDEFINED;
	if (t->posted || t->running) {
		t->cleared = true;
		return JS_UNDEFINED;
	}
	free_timer(t);
	js_vm_unhold(vu->vm);
	return JS_UNDEFINED;
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_MAGIC_DEF("setTimeout", 2, set_timer, 0),
	JS_CFUNC_MAGIC_DEF("setInterval", 2, set_timer, 1),
	JS_CFUNC_DEF("clearTimeout", 1, clear_timer),
	JS_CFUNC_DEF("clearInterval", 1, clear_timer),
};

int load_timers_setup(JSContext *ctx, JSValueConst global)
{
	JS_SetPropertyFunctionList(ctx, global, functions, ARRAY_SIZE(functions));
	return JS_HasException(ctx) ? -1 : 0;
}

const struct js_native_module load_k6_timers = {
	.name = "k6/timers",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
};

/* As it was called at first. */
const struct js_native_module load_k6_experimental_timers = {
	.name = "k6/experimental/timers",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
};
