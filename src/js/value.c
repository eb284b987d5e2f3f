#include "js/value.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"

int js_get_value(JSContext *ctx, JSValueConst obj, const char *key, JSValue *ret)
{
	JSValue v = JS_GetPropertyStr(ctx, obj, key);

	if (JS_IsException(v))
		return -1;
	if (JS_IsUndefined(v) || JS_IsNull(v))
		return 0;
	*ret = v;
	return 1;
}

int js_get_str(JSContext *ctx, JSValueConst obj, const char *key, struct strbuf *ret)
{
	JSValue v;
	int r = js_get_value(ctx, obj, key, &v);

	if (r <= 0)
		return r;
	r = js_to_str(ctx, v, ret);
	JS_FreeValue(ctx, v);
	return r < 0 ? -1 : 1;
}

int js_get_double(JSContext *ctx, JSValueConst obj, const char *key, double *ret)
{
	JSValue v;
	int r = js_get_value(ctx, obj, key, &v);

	if (r <= 0)
		return r;
	r = JS_ToFloat64(ctx, ret, v);
	JS_FreeValue(ctx, v);
	return r < 0 ? -1 : 1;
}

int js_get_int64(JSContext *ctx, JSValueConst obj, const char *key, int64_t *ret)
{
	JSValue v;
	int r = js_get_value(ctx, obj, key, &v);

	if (r <= 0)
		return r;
	r = JS_ToInt64(ctx, ret, v);
	JS_FreeValue(ctx, v);
	return r < 0 ? -1 : 1;
}

int js_get_bool(JSContext *ctx, JSValueConst obj, const char *key, bool *ret)
{
	JSValue v;
	int r = js_get_value(ctx, obj, key, &v);

	if (r <= 0)
		return r;
	r = JS_ToBool(ctx, v);
	JS_FreeValue(ctx, v);
	if (r < 0)
		return -1;
	*ret = r > 0;
	return 1;
}

int js_to_str(JSContext *ctx, JSValueConst v, struct strbuf *out)
{
	size_t len;
	const char *text = JS_ToCStringLen(ctx, &len, v);
	int r;

	if (!text)
		return -1;
	r = strbuf_add(out, text, len);
	JS_FreeCString(ctx, text);
	if (r < 0) {
		JS_ThrowRangeError(ctx, "a text of %zu bytes is too long here", len);
		return -1;
	}
	return 0;
}

JSValue js_new_str(JSContext *ctx, struct str text)
{
	return JS_NewStringLen(ctx, text.ptr, text.len);
}

int js_set(JSContext *ctx, JSValueConst obj, const char *key, JSValue value)
{
	if (JS_IsException(value))
		return -1;
	return JS_DefinePropertyValueStr(ctx, obj, key, value, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

int js_set_str(JSContext *ctx, JSValueConst obj, const char *key, struct str value)
{
	return js_set(ctx, obj, key, js_new_str(ctx, value));
}

int js_set_double(JSContext *ctx, JSValueConst obj, const char *key, double value)
{
	return js_set(ctx, obj, key, JS_NewFloat64(ctx, value));
}

int js_set_bool(JSContext *ctx, JSValueConst obj, const char *key, bool value)
{
	return js_set(ctx, obj, key, JS_NewBool(ctx, value));
}

static int call_each(JSContext *ctx, JSValueConst obj, JSAtom atom, js_each_fn *fn, void *arg)
{
	JSValue value = JS_GetProperty(ctx, obj, atom);
	const char *key;
	int r = -1;

	if (JS_IsException(value))
		return -1;
	key = JS_AtomToCString(ctx, atom);
	if (key)
		r = fn(ctx, str_from(key), value, arg);
	JS_FreeCString(ctx, key);
	JS_FreeValue(ctx, value);
	return r;
}

int js_each(JSContext *ctx, JSValueConst obj, js_each_fn *fn, void *arg)
{
	JSPropertyEnum *props;
	uint32_t count;
	int r = 0;

	if (JS_GetOwnPropertyNames(ctx, &props, &count, obj,
				   JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
		return -1;
	for (uint32_t i = 0; i < count && !r; i++)
		r = call_each(ctx, obj, props[i].atom, fn, arg);
	for (uint32_t i = 0; i < count; i++)
		JS_FreeAtom(ctx, props[i].atom);
	js_free(ctx, props);
	return r;
}

int64_t js_array_length(JSContext *ctx, JSValueConst array)
{
	int64_t length = 0;

	return js_get_int64(ctx, array, "length", &length) < 0 ? -1 : length;
}

int js_each_element(JSContext *ctx, JSValueConst array, js_each_fn *fn, void *arg)
{
	int64_t length = js_array_length(ctx, array);
	int r = length < 0 ? -1 : 0;

	for (int64_t i = 0; i < length && !r; i++) {
		JSValue value = JS_GetPropertyUint32(ctx, array, (uint32_t)i);
		char key[24];
		int len = snprintf(key, sizeof(key), "%lld", (long long)i);

		if (JS_IsException(value))
			return -1;
		r = fn(ctx, (struct str){ key, (size_t)len }, value, arg);
		JS_FreeValue(ctx, value);
	}
	return r;
}

int js_json_write(JSContext *ctx, JSValueConst v, struct strbuf *out)
{
	JSValue text = JS_JSONStringify(ctx, v, JS_UNDEFINED, JS_UNDEFINED);
	int r;

	if (JS_IsException(text))
		return -1;
	if (JS_IsUndefined(text))
		return 0;
	r = js_to_str(ctx, text, out);
	JS_FreeValue(ctx, text);
	return r < 0 ? -1 : 1;
}

JSValue js_json_parse(JSContext *ctx, struct str text, const char *where)
{
	CLEANUP(strbuf_release) struct strbuf copy = STRBUF_INIT;

	/* the engine reads the byte after the last one, and wants a NUL there */
	strbuf_add(&copy, text.ptr, text.len);
	return JS_ParseJSON(ctx, strbuf_cstr(&copy), copy.len, where);
}

static int freeze_member(JSContext *ctx, struct str key UNUSED, JSValueConst value,
			 void *arg UNUSED)
{
	return js_freeze_deep(ctx, value);
}

int js_freeze_deep(JSContext *ctx, JSValueConst v)
{
	if (!JS_IsObject(v))
		return 0;
	if (js_engine_freeze(ctx, v) < 0)
		return -1;
	return js_each(ctx, v, freeze_member, NULL);
}

static PRINTF_LIKE(2, 0) JSValue new_error(JSContext *ctx, const char *fmt, va_list ap)
{
	CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
	JSValue e = JS_NewError(ctx);

	if (JS_IsException(e))
		return e;
	strbuf_vaddf(&message, fmt, ap);
	JS_DefinePropertyValueStr(ctx, e, "message", js_new_str(ctx, strbuf_str(&message)),
				  JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	return e;
}

JSValue js_throw(JSContext *ctx, const char *fmt, ...)
{
	JSValue e;
	va_list ap;

	va_start(ap, fmt);
	e = new_error(ctx, fmt, ap);
	va_end(ap);
	return JS_IsException(e) ? e : JS_Throw(ctx, e);
}

JSValue js_throw_named(JSContext *ctx, const char *name, const char *fmt, ...)
{
	JSValue e;
	va_list ap;

	va_start(ap, fmt);
	e = new_error(ctx, fmt, ap);
	va_end(ap);
	if (JS_IsException(e))
		return e;
	JS_DefinePropertyValueStr(ctx, e, "name", js_new_str(ctx, str_from(name)),
				  JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	return JS_Throw(ctx, e);
}

bool js_bytes(JSContext *ctx UNUSED, JSValueConst v, struct str *ret)
{
	uint8_t *data;
	size_t len;
	int kind;

	if (!js_engine_bytes_of(v, &data, &len, &kind))
		return false;
	*ret = (struct str){ (const char *)data, len };
	return true;
}

int js_to_bytes(JSContext *ctx, JSValueConst v, struct strbuf *out)
{
	struct str bytes;

	if (!JS_IsObject(v) || !js_bytes(ctx, v, &bytes))
		return js_to_str(ctx, v, out);
	if (strbuf_add(out, bytes.ptr, bytes.len) < 0) {
		JS_ThrowRangeError(ctx, "too long");
		return -1;
	}
	return 0;
}

JSValue js_new_buffer(JSContext *ctx, struct str bytes)
{
	return JS_NewArrayBufferCopy(ctx, (const uint8_t *)bytes.ptr, bytes.len);
}
