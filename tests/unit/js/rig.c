#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "js/value.h"
#include "test.h"

struct rig_later {
	struct js_task task;
	struct rig_vm *owner;
	JSValue resolve[2];
	JSValue value;
	struct rig_later *next;
};

static struct rig_vm *vm_of(JSContext *ctx)
{
	return js_vm_user(js_vm_of(ctx));
}

static JSValue rig_wait(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc, (void)argv;
	if (js_vm_yield(js_vm_of(ctx)) < 0)
		return js_vm_throw_aborted(ctx);
	return JS_UNDEFINED;
}

static JSValue rig_note(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	return js_to_str(ctx, argv[0], &vm_of(ctx)->rig->log) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static JSValue rig_collect(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc, (void)argv;
	JS_RunGC(JS_GetRuntime(ctx));
	return JS_UNDEFINED;
}

static void later_free(JSContext *ctx, struct rig_later *l)
{
	JS_FreeValue(ctx, l->resolve[0]);
	JS_FreeValue(ctx, l->resolve[1]);
	JS_FreeValue(ctx, l->value);
	free(l);
}

static void later_unlink(struct rig_later *l)
{
	for (struct rig_later **p = &l->owner->later; *p; p = &(*p)->next) {
		if (*p == l) {
			*p = l->next;
			return;
		}
	}
}

static int later_run(struct js_vm *vm, struct js_task *task)
{
	struct rig_later *l = container_of(task, struct rig_later, task);
	JSContext *ctx = js_vm_context(vm);
	JSValue r = JS_Call(ctx, l->resolve[0], JS_UNDEFINED, 1, &l->value);

	JS_FreeValue(ctx, r);
	later_free(ctx, l);
	return JS_IsException(r) ? -1 : 0;
}

static JSValue rig_later(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	struct rig_later *l = xcalloc(1, sizeof(*l));
	JSValue promise;

	(void)this_val, (void)argc;
	promise = JS_NewPromiseCapability(ctx, l->resolve);
	if (JS_IsException(promise)) {
		free(l);
		return promise;
	}
	l->task.run = later_run;
	l->owner = vm_of(ctx);
	l->value = JS_DupValue(ctx, argv[0]);
	l->next = l->owner->later;
	l->owner->later = l;
	js_vm_hold(l->owner->vm);
	return promise;
}

static void rig_cancel(struct js_vm *vm, void *user)
{
	struct rig_vm *v = user;

	v->cancels++;
	while (v->later) {
		struct rig_later *l = v->later;

		later_unlink(l);
		later_free(js_vm_context(vm), l);
	}
}

bool rig_fire(struct rig_vm *v)
{
	struct rig_later *l = v->later;

	if (!l)
		return false;
	later_unlink(l);
	js_vm_post(v->vm, &l->task);
	return true;
}

static const JSCFunctionListEntry rig_functions[] = {
	JS_CFUNC_DEF("wait", 0, rig_wait),
	JS_CFUNC_DEF("note", 1, rig_note),
	JS_CFUNC_DEF("later", 1, rig_later),
	JS_CFUNC_DEF("collect", 0, rig_collect),
};

static const struct js_native_module rig_module = {
	.name = "rig",
	.functions = rig_functions,
	.function_count = ARRAY_SIZE(rig_functions),
};

static int rig_load(void *user, const char *name, struct strbuf *ret, struct error *reterr)
{
	struct rig *rig = user;
	const char *text = map_get_c(&rig->sources, name);

	__atomic_fetch_add(&rig->loads, 1, __ATOMIC_RELAXED);
	if (!text)
		return error_set(reterr, -ENOENT, "reading %s: no such file", name);
	return strbuf_addstr(ret, text);
}

static void rig_refuse(void *user, const char *name, struct strbuf *ret)
{
	(void)user;
	strbuf_addf(ret, "%s is not available here", name);
}

void rig_open(struct rig *rig, size_t memory_limit_bytes)
{
	rig_open_sharing(rig, memory_limit_bytes, NULL);
}

void rig_open_sharing(struct rig *rig, size_t memory_limit_bytes, struct js_memory_budget *budget)
{
	static const struct js_module_ops ops = { .load = rig_load, .refuse = rig_refuse };
	struct js_shard_opts opts = { .memory_limit_bytes = memory_limit_bytes, .budget = budget };

	*rig = (struct rig){ 0 };
	rig->mods = js_modules_new(&ops, rig);
	js_modules_add(rig->mods, &rig_module);
	opts.modules = rig->mods;
	ASSERT_OK(js_shard_new(&rig->shard, &opts));
}

void rig_close(struct rig *rig)
{
	js_shard_free(rig->shard);
	js_modules_free(rig->mods);
	map_release(&rig->sources);
	strbuf_release(&rig->log);
}

void rig_source(struct rig *rig, const char *name, const char *text)
{
	map_put(&rig->sources, str_from(name), (void *)(uintptr_t)text);
}

void rig_vm_open(struct rig_vm *v, struct rig *rig)
{
	static const struct js_vm_ops ops = { .cancel = rig_cancel };

	*v = (struct rig_vm){ .rig = rig, .exports = JS_UNDEFINED };
	ASSERT_OK(js_vm_new(&v->vm, rig->shard, &ops, v));
}

void rig_vm_close(struct rig_vm *v)
{
	JS_FreeValue(js_vm_context(v->vm), v->exports);
	js_vm_free(v->vm);
	strbuf_release(&v->result);
	js_error_release(&v->err);
}

static int run_default(struct rig_vm *v)
{
	JSContext *ctx = js_vm_context(v->vm);
	JSValue function, result;
	int r;

	if (!v->imported) {
		r = js_vm_import(v->vm, v->module, &v->exports, &v->err);
		if (r < 0)
			return r;
		v->imported = true;
	}
	function = JS_GetPropertyStr(ctx, v->exports, "default");
	r = js_vm_call(v->vm, function, 0, NULL, &result, &v->err);
	JS_FreeValue(ctx, function);
	if (r < 0)
		return r;
	strbuf_clear(&v->result);
	ASSERT_OK(js_to_str(ctx, result, &v->result));
	JS_FreeValue(ctx, result);
	return 0;
}

static void run_main(struct js_vm *vm, void *arg)
{
	struct rig_vm *v = arg;

	(void)vm;
	v->code = run_default(v);
}

int rig_run(struct rig_vm *v, const char *module)
{
	int r;

	v->module = module;
	r = js_vm_start(v->vm, run_main, v);
	ASSERT_OK(r);
	return r;
}

int rig_eval(struct rig_vm *v, const char *source)
{
	static unsigned count;
	char name[32];
	int blocked;

	snprintf(name, sizeof(name), "/eval%u.js", count++);
	rig_source(v->rig, name, source);
	JS_FreeValue(js_vm_context(v->vm), v->exports);
	v->exports = JS_UNDEFINED;
	v->imported = false;
	blocked = rig_run(v, name);
	while (blocked)
		blocked = js_vm_resume(v->vm);
	return v->code;
}
