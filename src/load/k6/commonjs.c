/*
 * Sources from before ES modules: each is a function of (exports, require, module), run once per VU
 * whether it is imported or required. What require() gives of an ES module is its namespace, of a
 * module of k6 an object with its exports.
 */
#include "js/module.h"
#include "js/value.h"
#include "load/k6/globals.h"
#include "load/k6/modules.h"

/* Runs the source's function on a new module object, which is known from the beginning: sources may
 * require each other. */
static JSValue run_source(JSContext *ctx, JSValueConst loaded, const char *name, JSValueConst fn)
{
	JSValue module = JS_NewObject(ctx), global = JS_GetGlobalObject(ctx), args[3], r;

	args[0] = JS_NewObject(ctx);
	args[1] = JS_GetPropertyStr(ctx, global, "require");
	args[2] = module;
	js_set(ctx, module, "exports", JS_DupValue(ctx, args[0]));
	js_set(ctx, loaded, name, JS_DupValue(ctx, module));
	r = JS_Call(ctx, fn, args[0], 3, args);
	JS_FreeValue(ctx, args[0]);
	JS_FreeValue(ctx, args[1]);
	JS_FreeValue(ctx, global);
	if (!JS_IsException(r)) {
		JS_FreeValue(ctx, r);
		r = JS_GetPropertyStr(ctx, module, "exports");
	}
	JS_FreeValue(ctx, module);
	return r;
}

JSValue load_commonjs(JSContext *ctx, const char *name, JSValueConst function)
{
	struct load_vu *vu = load_vu_of(ctx);
	JSValue module, exports;

	if (JS_IsUndefined(vu->required))
		vu->required = JS_NewObjectProto(ctx, JS_NULL);
	module = JS_GetPropertyStr(ctx, vu->required, name);
	if (JS_IsUndefined(module))
		return run_source(ctx, vu->required, name, function);
	exports = JS_GetPropertyStr(ctx, module, "exports");
	JS_FreeValue(ctx, module);
	return exports;
}

static JSValue require_source(JSContext *ctx, const char *name)
{
	JSValue function = js_module_function(ctx, name), exports;

	if (JS_IsException(function))
		return function;
	exports = JS_IsUndefined(function) ? js_module_namespace(ctx, name)
					   : load_commonjs(ctx, name, function);
	JS_FreeValue(ctx, function);
	return exports;
}

JSValue load_require(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release)
	struct strbuf written = STRBUF_INIT, caller = STRBUF_INIT, path = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);

	if (vu->phase != LOAD_VU_INIT)
		return js_throw(ctx, "require() can be used in the init context only");
	if (argc < 1 || js_to_str(ctx, argv[0], &written) < 0)
		return argc < 1 ? JS_ThrowTypeError(ctx, "require() takes a name") : JS_EXCEPTION;
	for (const struct js_native_module *const *m = load_modules; *m; m++)
		if (!strcmp((*m)->name, strbuf_cstr(&written)))
			return js_native_exports(ctx, *m);
	js_module_caller(ctx, &caller);
	js_module_locate(ctx, caller.len ? strbuf_cstr(&caller) : load_script_name(vu->run->script),
			 strbuf_cstr(&written), &path);
	return require_source(ctx, strbuf_cstr(&path));
}
