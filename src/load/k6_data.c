/*
 * The module "k6/data": SharedArray. The elements are kept once for the whole run, as JSON text; a
 * VU that looks at one gets a fresh, frozen object, as k6 gives it.
 */
#include <errno.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/modules.h"

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

static JSValue new_shared_array(JSContext *ctx, JSValueConst target UNUSED, int argc,
				JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);
	const struct load_shared *items = NULL;
	JSValue o;
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
	o = JS_NewObjectClass(ctx, LOAD_CLASS_SHARED_ARRAY);
	if (!JS_IsException(o)) /* the script outlives every context */
		JS_SetOpaque(o, (void *)(uintptr_t)items);
	return o;
}

/* ---- the array as scripts see it ---- */

static const struct load_shared *items_of(JSValueConst obj)
{
	return JS_GetOpaque(obj, LOAD_CLASS_SHARED_ARRAY);
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

/* The index an atom stands for, or -1. */
static int64_t index_of(JSContext *ctx, JSAtom atom)
{
	JSValue v = JS_AtomToValue(ctx, atom);
	int64_t i = -1;
	const char *text;
	size_t len;

	if (JS_VALUE_GET_TAG(v) == JS_TAG_STRING) {
		text = JS_ToCStringLen(ctx, &len, v);
		if (text && len && len < 10 && strspn(text, "0123456789") == len) {
			i = 0;
			for (size_t k = 0; k < len; k++)
				i = i * 10 + (text[k] - '0');
		}
		JS_FreeCString(ctx, text);
	} else if (JS_VALUE_GET_TAG(v) == JS_TAG_INT) {
		i = JS_VALUE_GET_INT(v);
	}
	JS_FreeValue(ctx, v);
	return i;
}

static int get_own_property(JSContext *ctx, JSPropertyDescriptor *desc, JSValueConst obj,
			    JSAtom prop)
{
	const struct load_shared *s = items_of(obj);
	int64_t i = s ? index_of(ctx, prop) : -1;

	if (i < 0 || (size_t)i >= s->len)
		return 0;
	if (!desc)
		return 1;
	*desc = (JSPropertyDescriptor){
		.flags = JS_PROP_ENUMERABLE,
		.value = item(ctx, s, (uint32_t)i),
		.getter = JS_UNDEFINED,
		.setter = JS_UNDEFINED,
	};
	return JS_IsException(desc->value) ? -1 : 1;
}

static int get_own_property_names(JSContext *ctx, JSPropertyEnum **ret, uint32_t *ret_len,
				  JSValueConst obj)
{
	const struct load_shared *s = items_of(obj);
	size_t n = s ? s->len : 0;
	JSPropertyEnum *names = js_malloc(ctx, sizeof(*names) * (n + 1));

	if (!names)
		return -1;
	for (size_t i = 0; i < n; i++) {
		names[i].is_enumerable = 1;
		names[i].atom = JS_NewAtomUInt32(ctx, (uint32_t)i);
	}
	*ret = names;
	*ret_len = (uint32_t)n;
	return 0;
}

static int refuse_definition(JSContext *ctx, JSValueConst obj UNUSED, JSAtom prop UNUSED,
			     JSValueConst val UNUSED, JSValueConst getter UNUSED,
			     JSValueConst setter UNUSED, int flags UNUSED)
{
	JS_ThrowTypeError(ctx, "a SharedArray cannot be changed");
	return -1;
}

static int refuse_deletion(JSContext *ctx, JSValueConst obj UNUSED, JSAtom prop UNUSED)
{
	JS_ThrowTypeError(ctx, "a SharedArray cannot be changed");
	return -1;
}

static JSClassExoticMethods exotic = {
	.get_own_property = get_own_property,
	.get_own_property_names = get_own_property_names,
	.define_own_property = refuse_definition,
	.delete_property = refuse_deletion,
};

const struct js_class load_shared_array_class = {
	.id = LOAD_CLASS_SHARED_ARRAY,
	.def = { .class_name = "SharedArray", .exotic = &exotic },
};

static JSValue get_length(JSContext *ctx, JSValueConst this)
{
	const struct load_shared *s = JS_GetOpaque2(ctx, this, LOAD_CLASS_SHARED_ARRAY);

	return s ? JS_NewInt64(ctx, (int64_t)s->len) : JS_EXCEPTION;
}

static const JSCFunctionListEntry methods[] = {
	JS_CGETSET_DEF("length", get_length, NULL),
};

/* Array.prototype, so that map(), filter(), for..of and the like work. */
static JSValue array_prototype(JSContext *ctx)
{
	JSValue list = JS_NewArray(ctx), proto = JS_GetPrototype(ctx, list);

	JS_FreeValue(ctx, list);
	return proto;
}

static int init(JSContext *ctx, JSValueConst exports)
{
	JSValue parent = array_prototype(ctx);
	JSValue proto = JS_NewObjectProto(ctx, parent);
	JSValue f =
		JS_NewCFunction2(ctx, new_shared_array, "SharedArray", 2, JS_CFUNC_constructor, 0);

	JS_FreeValue(ctx, parent);
	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetConstructor(ctx, f, proto);
	JS_SetClassProto(ctx, LOAD_CLASS_SHARED_ARRAY, proto);
	return js_set(ctx, exports, "SharedArray", f);
}

static const char *const names[] = { "SharedArray", NULL };

const struct js_native_module load_k6_data = {
	.name = "k6/data",
	.names = names,
	.init = init,
};
