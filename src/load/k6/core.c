/* The module "k6": check(), group(), sleep(), fail(), randomSeed(). */
#include <math.h>

#include "js/value.h"
#include "load/k6/globals.h"
#include "load/k6/modules.h"
#include "load/sample.h"
#include "load/vu.h"

/* ---- check ---- */

struct check_run {
	struct load_vu *vu;
	JSValueConst value;
	const struct load_tags *tags;
	bool all_passed;
};

static void count_check(struct check_run *run, struct str name, bool passed)
{
	const struct load_tags *tags = run->tags;

	if (load_system_tag(run->vu, LOAD_TAG_CHECK))
		tags = load_vu_tags_with(run->vu, tags, STR("check"), name);
	if (!run->vu->warmup && load_system_tag(run->vu, LOAD_TAG_GROUP))
		load_agg_check(run->vu->worker->second->agg, strbuf_str(&run->vu->group), name,
			       passed);
	if (!run->vu->warmup)
		load_agg_check_part(run->vu->worker->second->agg, tags, name, passed);
	load_vu_sample(run->vu, LOAD_M_CHECKS, tags, passed);
	run->all_passed &= passed;
}

/* The condition's outcome: 1, 0, or -1 with an exception. */
static int evaluate(JSContext *ctx, JSValueConst condition, JSValueConst value)
{
	JSValue outcome;
	int passed;

	if (!JS_IsFunction(ctx, condition))
		return JS_ToBool(ctx, condition);
	outcome = JS_Call(ctx, condition, JS_UNDEFINED, 1, &value);
	if (JS_IsException(outcome))
		return -1;
	if ((int)JS_PromiseState(ctx, outcome) >= 0) {
		JS_FreeValue(ctx, outcome);
		JS_ThrowTypeError(ctx, "check() does not take async functions");
		return -1;
	}
	passed = JS_ToBool(ctx, outcome);
	JS_FreeValue(ctx, outcome);
	return passed;
}

/* A condition that throws counts as failed and ends the check. */
static int check_one(JSContext *ctx, struct str name, JSValueConst condition, void *arg)
{
	struct check_run *run = arg;
	int passed = evaluate(ctx, condition, run->value);

	if (passed >= 0 || !js_vm_aborted(run->vu->vm))
		count_check(run, name, passed > 0);
	return passed < 0 ? -1 : 0;
}

static JSValue k6_check(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_vu *vu = load_vu_of(ctx);
	struct check_run run = { vu, JS_UNDEFINED, vu->tags, true };

	if (load_vu_refuse_in_init(vu, "using check()"))
		return JS_EXCEPTION;
	if (argc < 2 || !JS_IsObject(argv[1]))
		return JS_ThrowTypeError(ctx, "check() takes a value and an object of conditions");
	run.value = argv[0];
	if (argc > 2 && load_vu_tags_from(vu, argv[2], &run.tags) < 0)
		return JS_EXCEPTION;
	if (js_each(ctx, argv[1], check_one, &run) < 0)
		return JS_EXCEPTION;
	return JS_NewBool(ctx, run.all_passed);
}

/* ---- group ---- */

static void enter_group(struct load_vu *vu)
{
	if (load_system_tag(vu, LOAD_TAG_GROUP))
		vu->tags = load_vu_tags_with(vu, vu->tags, STR("group"), strbuf_str(&vu->group));
}

static JSValue call_in_group(JSContext *ctx, struct load_vu *vu, JSValueConst fn)
{
	uint64_t start_ns = net_loop_now_ns();
	JSValue result = JS_Call(ctx, fn, JS_UNDEFINED, 0, NULL);

	if (!js_vm_aborted(vu->vm))
		load_vu_sample(vu, LOAD_M_GROUP_DURATION, vu->tags,
			       (double)(net_loop_now_ns() - start_ns) / 1e6);
	if (!JS_IsException(result) && (int)JS_PromiseState(ctx, result) >= 0) {
		JS_FreeValue(ctx, result);
		return JS_ThrowTypeError(ctx, "group() does not take async functions");
	}
	return result;
}

static JSValue k6_group(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_vu *vu = load_vu_of(ctx);
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	size_t outer_len = vu->group.len;
	JSValue result;

	if (load_vu_refuse_in_init(vu, "using group()"))
		return JS_EXCEPTION;
	if (argc < 2 || !JS_IsFunction(ctx, argv[1]))
		return JS_ThrowTypeError(ctx, "group() takes a name and a function");
	if (js_to_str(ctx, argv[0], &name) < 0)
		return JS_EXCEPTION;
	if (strstr(strbuf_cstr(&name), "::"))
		return js_throw(ctx, "group and check names may not contain '::'");

	strbuf_addstr(&vu->group, "::");
	strbuf_add(&vu->group, strbuf_cstr(&name), name.len);
	enter_group(vu);
	if (!vu->warmup && load_system_tag(vu, LOAD_TAG_GROUP))
		load_agg_group(vu->worker->second->agg, strbuf_str(&vu->group));
	result = call_in_group(ctx, vu, argv[1]);
	strbuf_truncate(&vu->group, outer_len);
	enter_group(vu);
	return result;
}

/* ---- the rest ---- */

static JSValue k6_sleep(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_vu *vu = load_vu_of(ctx);
	double seconds = 0;

	if (load_vu_refuse_in_init(vu, "using sleep()"))
		return JS_EXCEPTION;
	/* nothing, and what is no number, is no time: sleep(__ENV.PAUSE) may be either */
	if (argc > 0 && JS_ToFloat64(ctx, &seconds, argv[0]) < 0)
		return JS_EXCEPTION;
	if (!(seconds > 0))
		return JS_UNDEFINED;
	seconds = fmin(seconds, 1e9);
	if (load_vu_sleep_until(vu, net_loop_now_ns() + (uint64_t)(seconds * 1e9)) < 0)
		return js_vm_throw_aborted(ctx);
	return JS_UNDEFINED;
}

static JSValue k6_fail(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;

	if (argc > 0 && js_to_str(ctx, argv[0], &message) < 0)
		return JS_EXCEPTION;
	return js_throw(ctx, "%s", strbuf_cstr(&message));
}

/* Math.random() then repeats its sequence for the same seed, in this VU. */
static JSValue k6_random_seed(JSContext *ctx, JSValueConst this UNUSED, int argc,
			      JSValueConst *argv)
{
	int64_t seed = 0;

	if (argc > 0 && JS_ToInt64(ctx, &seed, argv[0]) < 0)
		return JS_EXCEPTION;
	load_vu_seed(load_vu_of(ctx), (uint64_t)seed);
	return JS_UNDEFINED;
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_DEF("check", 2, k6_check),
	JS_CFUNC_DEF("group", 2, k6_group),
	JS_CFUNC_DEF("sleep", 1, k6_sleep),
	JS_CFUNC_DEF("fail", 1, k6_fail),
	JS_CFUNC_DEF("randomSeed", 1, k6_random_seed),
};

const struct js_native_module load_k6_core = {
	.name = "k6",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
};
