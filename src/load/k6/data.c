/*
 * The module "k6/data": SharedArray. The elements are kept once for the whole run, as JSON text; a
 * VU that looks at one gets a fresh, frozen object, as k6 gives it.
 */
#include <errno.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/data.h"
#include "load/k6/modules.h"

struct fill {
	struct load_shared items;
	size_t cap;
};

static int add_item(JSContext *ctx, struct str key UNUSED, JSValueConst value, void *arg)
{
	struct strbuf text = STRBUF_INIT;
	struct fill *f = arg;
	int r = js_json_write(ctx, value, &text);

	if (r < 0) {
		strbuf_release(&text);
		return -1;
	}
	if (r == 0)
		strbuf_addstr(&text, "null");
	if (f->items.len == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 64;
		f->items.items = xrealloc(f->items.items, f->cap * sizeof(*f->items.items));
		f->items.lens = xrealloc(f->items.lens, f->cap * sizeof(*f->items.lens));
	}
	f->items.lens[f->items.len] = text.len;
	f->items.items[f->items.len++] = strbuf_detach(&text);
	return 0;
}

/* Calls the script's function and keeps what it returns. */
static int fill_array(JSContext *ctx, const char *name, JSValueConst fn,
		      const struct load_shared **ret)
{
	struct load_script *script = load_vu_of(ctx)->run->script;
	JSValue list = JS_Call(ctx, fn, JS_UNDEFINED, 0, NULL);
	struct fill f = { .cap = 0 };
	int r = -1;

	if (!JS_IsException(list) && JS_IsArray(ctx, list) <= 0)
		JS_ThrowTypeError(ctx, "the function of a SharedArray must return an array");
	else if (!JS_IsException(list))
		r = js_each_element(ctx, list, add_item, &f);
	JS_FreeValue(ctx, list);
	if (r < 0) {
		load_script_share_fail(script, name);
		load_shared_release(&f.items);
		return -1;
	}
	load_script_share_fill(script, name, f.items, ret);
	return 0;
}

/* ---- the array as scripts see it ---- */

/*
 * A Proxy on an empty array, so that Array.isArray() holds and the array's own methods work; its
 * handler is an object of our class. get() parses the element anew each time.
 */
static const struct load_shared *items_of(JSContext *ctx, JSValueConst handler)
{
	return JS_GetOpaque2(ctx, handler, LOAD_CLASS_SHARED_ARRAY);
}

static JSValue item(JSContext *ctx, const struct load_shared *s, uint32_t i)
{
	JSValue v = js_json_parse(ctx, (struct str){ s->items[i], s->lens[i] }, "SharedArray");

	if (!JS_IsException(v) && js_freeze_deep(ctx, v) < 0) {
		JS_FreeValue(ctx, v);
		return JS_EXCEPTION;
	}
	return v;
}

/* The index a key stands for, or -1. */
static int64_t index_of(JSContext *ctx, JSValueConst key)
{
	int64_t i = -1;
	const char *text;
	size_t len;

	if (!JS_IsString(key))
		return -1;
	text = JS_ToCStringLen(ctx, &len, key);
	if (text && len && len < 10 && strspn(text, "0123456789") == len) {
		i = 0;
		for (size_t k = 0; k < len; k++)
			i = i * 10 + (text[k] - '0');
	}
	JS_FreeCString(ctx, text);
	return i;
}

static bool is_length(JSContext *ctx, JSValueConst key)
{
	const char *text = JS_IsString(key) ? JS_ToCString(ctx, key) : NULL;
	bool is = text && !strcmp(text, "length");

	JS_FreeCString(ctx, text);
	return is;
}

/* get(target, key): elements and the length are ours, methods the empty array's */
static JSValue trap_get(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv)
{
	const struct load_shared *s = items_of(ctx, this);
	int64_t i;
	JSAtom atom;
	JSValue v;

	if (!s)
		return JS_EXCEPTION;
	i = index_of(ctx, argv[1]);
	if (i >= 0)
		return (size_t)i < s->len ? item(ctx, s, (uint32_t)i) : JS_UNDEFINED;
	if (is_length(ctx, argv[1]))
		return JS_NewInt64(ctx, (int64_t)s->len);
	atom = JS_ValueToAtom(ctx, argv[1]);
	v = JS_GetProperty(ctx, argv[0], atom);
	JS_FreeAtom(ctx, atom);
	return v;
}

static JSValue trap_has(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv)
{
	const struct load_shared *s = items_of(ctx, this);
	int64_t i;
	JSAtom atom;
	int has;

	if (!s)
		return JS_EXCEPTION;
	i = index_of(ctx, argv[1]);
	if (i >= 0)
		return JS_NewBool(ctx, (size_t)i < s->len);
	atom = JS_ValueToAtom(ctx, argv[1]);
	has = JS_HasProperty(ctx, argv[0], atom);
	JS_FreeAtom(ctx, atom);
	return has < 0 ? JS_EXCEPTION : JS_NewBool(ctx, has);
}

static JSValue trap_own_keys(JSContext *ctx, JSValueConst this, int argc UNUSED,
			     JSValueConst *argv UNUSED)
{
	const struct load_shared *s = items_of(ctx, this);
	JSValue keys;
	char digits[24];

	if (!s)
		return JS_EXCEPTION;
	keys = JS_NewArray(ctx);
	for (size_t i = 0; i < s->len; i++) {
		snprintf(digits, sizeof(digits), "%zu", i);
		JS_SetPropertyUint32(ctx, keys, (uint32_t)i, JS_NewString(ctx, digits));
	}
	JS_SetPropertyUint32(ctx, keys, (uint32_t)s->len, JS_NewString(ctx, "length"));
	return keys;
}

static JSValue trap_descriptor(JSContext *ctx, JSValueConst this, int argc UNUSED,
			       JSValueConst *argv)
{
	const struct load_shared *s = items_of(ctx, this);
	bool length;
	int64_t i;
	JSValue d;

	if (!s)
		return JS_EXCEPTION;
	i = index_of(ctx, argv[1]);
	length = is_length(ctx, argv[1]);
	if (!length && (i < 0 || (size_t)i >= s->len))
		return JS_UNDEFINED;
	d = JS_NewObject(ctx);
	js_set(ctx, d, "value",
	       length ? JS_NewInt64(ctx, (int64_t)s->len) : item(ctx, s, (uint32_t)i));
	/* what the empty array's length is cannot be denied */
	js_set_bool(ctx, d, "writable", length);
	js_set_bool(ctx, d, "enumerable", !length);
	js_set_bool(ctx, d, "configurable", !length);
	return d;
}

static JSValue trap_refuse(JSContext *ctx, JSValueConst this UNUSED, int argc UNUSED,
			   JSValueConst *argv UNUSED)
{
	return JS_ThrowTypeError(ctx, "a SharedArray cannot be changed");
}

static const JSCFunctionListEntry traps[] = {
	JS_CFUNC_DEF("get", 3, trap_get),
	JS_CFUNC_DEF("has", 2, trap_has),
	JS_CFUNC_DEF("ownKeys", 1, trap_own_keys),
	JS_CFUNC_DEF("getOwnPropertyDescriptor", 2, trap_descriptor),
	JS_CFUNC_DEF("set", 4, trap_refuse),
	JS_CFUNC_DEF("defineProperty", 3, trap_refuse),
	JS_CFUNC_DEF("deleteProperty", 2, trap_refuse),
};

const struct js_class load_shared_array_class = {
	.id = LOAD_CLASS_SHARED_ARRAY,
	.def = { .class_name = "SharedArrayHandler" },
};

static void setup(JSContext *ctx)
{
	JSValue proto = JS_GetClassProto(ctx, LOAD_CLASS_SHARED_ARRAY);

	if (!JS_IsObject(proto)) {
		proto = JS_NewObject(ctx);
		JS_SetPropertyFunctionList(ctx, proto, traps, ARRAY_SIZE(traps));
		JS_SetClassProto(ctx, LOAD_CLASS_SHARED_ARRAY, JS_DupValue(ctx, proto));
	}
	JS_FreeValue(ctx, proto);
}

JSValue load_shared_array(JSContext *ctx, const struct load_shared *items)
{
	JSValue global = JS_GetGlobalObject(ctx);
	JSValue proxy = JS_GetPropertyStr(ctx, global, "Proxy");
	JSValue handler, out, args[2];

	setup(ctx);
	handler = JS_NewObjectClass(ctx, LOAD_CLASS_SHARED_ARRAY);
	args[0] = JS_NewArray(ctx);
	args[1] = handler;
	if (!JS_IsException(handler)) /* the script outlives every context */
		JS_SetOpaque(handler, (void *)(uintptr_t)items);
	out = JS_CallConstructor(ctx, proxy, 2, args);
	JS_FreeValue(ctx, args[0]);
	JS_FreeValue(ctx, handler);
	JS_FreeValue(ctx, proxy);
	JS_FreeValue(ctx, global);
	return out;
}

static JSValue new_shared_array(JSContext *ctx, JSValueConst target UNUSED, int argc,
				JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);
	const struct load_shared *items = NULL;
	int r;

	if (vu->phase != LOAD_VU_INIT)
		return js_throw(ctx, "a SharedArray must be made in the init context");
	if (argc < 2 || !JS_IsFunction(ctx, argv[1]))
		return JS_ThrowTypeError(ctx, "new SharedArray() takes a name and a function");
	if (js_to_str(ctx, argv[0], &name) < 0)
		return JS_EXCEPTION;
	if (!name.len)
		return js_throw(ctx, "a SharedArray needs a name");
	r = load_script_share(vu->run->script, strbuf_cstr(&name), &items);
	if (r == -ECANCELED)
		return js_throw(ctx, "filling the SharedArray \"%s\" failed", strbuf_cstr(&name));
	if (r > 0 && fill_array(ctx, strbuf_cstr(&name), argv[1], &items) < 0)
		return JS_EXCEPTION;
	return load_shared_array(ctx, items);
}

static int init(JSContext *ctx, JSValueConst exports)
{
	return js_set(
		ctx, exports, "SharedArray",
		JS_NewCFunction2(ctx, new_shared_array, "SharedArray", 2, JS_CFUNC_constructor, 0));
}

static const char *const names[] = { "SharedArray", NULL };

const struct js_native_module load_k6_data = {
	.name = "k6/data",
	.names = names,
	.init = init,
};
