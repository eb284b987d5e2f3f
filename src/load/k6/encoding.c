/* The module k6/encoding: base64 in four forms. */
#include "base/base64.h"
#include "js/value.h"
#include "load/k6/modules.h"

static JSValueConst arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

/* An unknown name means the common form, as under k6. */
static int form_of(JSContext *ctx, JSValueConst v, enum base64_form *ret)
{
	static const char *const names[] = { [BASE64_STD] = "std",
					     [BASE64_RAW_STD] = "rawstd",
					     [BASE64_URL] = "url",
					     [BASE64_RAW_URL] = "rawurl" };
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	*ret = BASE64_STD;
	if (JS_IsUndefined(v) || JS_IsNull(v))
		return 0;
	if (js_to_str(ctx, v, &text) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(strbuf_cstr(&text), names[i]))
			*ret = (enum base64_form)i;
	return 0;
}

static JSValue b64encode(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;
	enum base64_form form;

	if (js_to_bytes(ctx, arg(argc, argv, 0), &in) < 0 ||
	    form_of(ctx, arg(argc, argv, 1), &form) < 0)
		return JS_EXCEPTION;
	base64_encode_as(&out, strbuf_str(&in), form);
	return JS_NewStringLen(ctx, strbuf_cstr(&out), out.len);
}

static JSValue b64decode(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release)
	struct strbuf in = STRBUF_INIT, out = STRBUF_INIT, as = STRBUF_INIT;
	struct error err = ERROR_INIT;
	enum base64_form form;

	if (js_to_str(ctx, arg(argc, argv, 0), &in) < 0 ||
	    form_of(ctx, arg(argc, argv, 1), &form) < 0)
		return JS_EXCEPTION;
	if (!JS_IsUndefined(arg(argc, argv, 2)) && js_to_str(ctx, arg(argc, argv, 2), &as) < 0)
		return JS_EXCEPTION;
	if (base64_decode(&out, strbuf_str(&in), form, &err) < 0)
		return js_throw(ctx, "%s", err.msg);
	if (!strcmp(strbuf_cstr(&as), "s"))
		return js_new_str(ctx, strbuf_str(&out));
	return js_new_buffer(ctx, strbuf_str(&out));
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_DEF("b64encode", 2, b64encode),
	JS_CFUNC_DEF("b64decode", 3, b64decode),
};

const struct js_native_module load_k6_encoding = {
	.name = "k6/encoding",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
};
