/* script_check.h - is a text a module for the script engine? Parses it, runs nothing. */
#ifndef ASSAY_FUZZ_SCRIPT_CHECK_H
#define ASSAY_FUZZ_SCRIPT_CHECK_H

#include "base/strbuf.h"
#include "js/engine.h"

static inline int script_check_nothing(JSContext *ctx, JSModuleDef *m)
{
	(void)ctx;
	(void)m;
	return 0;
}

static inline JSModuleDef *script_check_load(JSContext *ctx, const char *name, void *arg)
{
	(void)arg;
	return JS_NewCModule(ctx, name, script_check_nothing);
}

static inline bool script_check_parses(const struct strbuf *script)
{
	static JSRuntime *rt;
	JSContext *ctx;
	JSValue v;
	bool ok;

	if (!rt) {
		rt = JS_NewRuntime();
		JS_SetModuleLoaderFunc(rt, NULL, script_check_load, NULL);
	}
	ctx = JS_NewContext(rt);
	v = JS_Eval(ctx, strbuf_cstr(script), script->len, "script.js",
		    JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	ok = !JS_IsException(v);
	JS_FreeValue(ctx, v);
	JS_FreeContext(ctx);
	return ok;
}

#endif
