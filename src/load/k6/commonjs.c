/*
 * require() for scripts from before ES modules: a file is a function of (exports, require, module),
 * run once per VU; a module of k6 is an object with its exports. ES modules are for import.
 */
#include "js/module.h"
#include "js/value.h"
#include "load/k6/globals.h"
#include "load/k6/modules.h"
#include "os/file.h"

#define WRAP_BEFORE "(function (exports, require, module) {"
#define WRAP_AFTER  "\n})"

static JSValue native_exports(JSContext *ctx, const struct js_native_module *m)
{
	JSValue o = JS_NewObject(ctx);

	if (m->function_count)
		JS_SetPropertyFunctionList(ctx, o, m->functions, m->function_count);
	if (m->init && m->init(ctx, o) < 0) {
		JS_FreeValue(ctx, o);
		return JS_EXCEPTION;
	}
	return o;
}

/* Lines that begin with the word import or export: an ES module, near enough for a message. */
static bool is_es_module(struct str text)
{
	struct str line;

	while (str_split(&text, '\n', &line))
		if (str_starts_with(line, STR("export ")) || str_starts_with(line, STR("import ")))
			return true;
	return false;
}

static JSValue compile(JSContext *ctx, const char *path)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	strbuf_addstr(&text, WRAP_BEFORE);
	if (file_read(path, JS_SOURCE_BYTES_MAX, &text, &err) < 0)
		return js_throw(ctx, "require(): %s", err.msg);
	if (is_es_module(strbuf_str(&text)))
		return js_throw(ctx, "require(\"%s\"): an ES module; use import", path);
	strbuf_addstr(&text, WRAP_AFTER);
	return JS_Eval(ctx, text.ptr, text.len, path, JS_EVAL_TYPE_GLOBAL);
}

/* Runs the file's function on a new module object, which is known from the beginning: files may
 * require each other. */
static JSValue run_file(JSContext *ctx, JSValueConst loaded, const char *path)
{
	JSValue fn = compile(ctx, path), module, global, args[3], r;

	if (JS_IsException(fn))
		return fn;
	module = JS_NewObject(ctx);
	global = JS_GetGlobalObject(ctx);
	args[0] = JS_NewObject(ctx);
	args[1] = JS_GetPropertyStr(ctx, global, "require");
	args[2] = module;
	js_set(ctx, module, "exports", JS_DupValue(ctx, args[0]));
	js_set(ctx, loaded, path, JS_DupValue(ctx, module));
	r = JS_Call(ctx, fn, args[0], 3, args);
	JS_FreeValue(ctx, fn);
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

static JSValue require_file(JSContext *ctx, const char *path)
{
	struct load_vu *vu = load_vu_of(ctx);
	JSValue module, exports;

	if (JS_IsUndefined(vu->required))
		vu->required = JS_NewObjectProto(ctx, JS_NULL);
	module = JS_GetPropertyStr(ctx, vu->required, path);
	if (JS_IsUndefined(module))
		return run_file(ctx, vu->required, path);
	exports = JS_GetPropertyStr(ctx, module, "exports");
	JS_FreeValue(ctx, module);
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
			return native_exports(ctx, *m);
	js_module_caller(ctx, &caller);
	js_module_resolve(caller.len ? strbuf_cstr(&caller) : load_script_name(vu->run->script),
			  strbuf_cstr(&written), &path);
	if (strbuf_cstr(&path)[0] != '/')
		return js_throw(ctx, "%s is not available in assay " ASSAY_VERSION,
				strbuf_cstr(&written));
	return require_file(ctx, strbuf_cstr(&path));
}
