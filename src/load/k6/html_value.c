/* What forms and data attributes hold: val(), data(), serialize() and its kin. */
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/form.h"
#include "load/k6/html.h"

JSValue load_html_attr_value(JSContext *ctx, const struct load_html_node *n, const char *name)
{
	const struct load_html_attr *a = load_html_attr(n, name);

	return a ? js_new_str(ctx, a->value) : JS_UNDEFINED;
}

JSValue load_html_inner_value(JSContext *ctx, const struct load_html_node *n)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	load_html_inner(n, &sb);
	return js_new_str(ctx, strbuf_str(&sb));
}

JSValue load_html_text_value(JSContext *ctx, const struct load_html_node *n)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	load_html_text(n, &sb);
	return js_new_str(ctx, strbuf_str(&sb));
}

/* ---- val() ---- */

static bool attr_is(const struct load_html_node *n, const char *name, const char *value)
{
	const struct load_html_attr *a = load_html_attr(n, name);

	return a && str_eq_c(a->value, value);
}

static JSValue value_or_html(JSContext *ctx, const struct load_html_node *n)
{
	return load_html_attr(n, "value") ? load_html_attr_value(ctx, n, "value")
					  : load_html_inner_value(ctx, n);
}

/* Of the first selected option, or of all in an array. */
static JSValue select_val(JSContext *ctx, const struct load_html_node *select)
{
	bool multiple = load_html_attr(select, "multiple");
	JSValue list = multiple ? JS_NewArray(ctx) : JS_UNDEFINED;
	const struct load_html_node *n = select->first;
	uint32_t count = 0;

	for (; n; n = load_html_next(n, select)) {
		if (!load_html_is(n, "option") || !load_html_attr(n, "selected"))
			continue;
		if (!multiple)
			return value_or_html(ctx, n);
		JS_SetPropertyUint32(ctx, list, count++, value_or_html(ctx, n));
	}
	return multiple ? list : JS_NewString(ctx, "");
}

JSValue load_html_val(JSContext *ctx, const struct load_html_node *n)
{
	bool box = attr_is(n, "type", "checkbox") || attr_is(n, "type", "radio");

	if (load_html_is_any(n, "input button"))
		return load_html_attr(n, "value") ? load_html_attr_value(ctx, n, "value")
						  : JS_NewString(ctx, box ? "on" : "");
	if (load_html_is(n, "textarea"))
		return load_html_inner_value(ctx, n);
	if (load_html_is(n, "option"))
		return value_or_html(ctx, n);
	return load_html_is(n, "select") ? select_val(ctx, n) : JS_UNDEFINED;
}

/* ---- data() ---- */

/* A number only if it is written as the language would write it: "7", not "7.0". */
static JSValue number_or_text(JSContext *ctx, struct str text)
{
	CLEANUP(strbuf_release) struct strbuf back = STRBUF_INIT;
	JSValue s = js_new_str(ctx, text), n;
	double d = 0;

	if (JS_IsException(s) || JS_ToFloat64(ctx, &d, s) < 0)
		return s;
	n = JS_NewFloat64(ctx, d);
	if (js_to_str(ctx, n, &back) < 0 || !str_eq(strbuf_str(&back), text) ||
	    str_eq_c(text, "NaN"))
		return s;
	JS_FreeValue(ctx, s);
	return n;
}

static JSValue data_value(JSContext *ctx, struct str text)
{
	JSValue v;

	if (!text.len || str_eq_c(text, "null") || str_eq_c(text, "undefined"))
		return JS_UNDEFINED;
	if (str_eq_c(text, "true") || str_eq_c(text, "false"))
		return JS_NewBool(ctx, text.ptr[0] == 't');
	if (text.ptr[0] != '{' && text.ptr[0] != '[')
		return number_or_text(ctx, text);
	v = js_json_parse(ctx, text, "a data attribute");
	if (!JS_IsException(v))
		return v;
	JS_FreeValue(ctx, JS_GetException(ctx));
	return js_new_str(ctx, text);
}

/* "itemCount" as "data-item-count" */
static void data_attr_name(struct str key, struct strbuf *out)
{
	bool was_upper = true;

	strbuf_addstr(out, "data-");
	for (size_t i = 0; i < key.len; i++) {
		char c = key.ptr[i];
		bool upper = c >= 'A' && c <= 'Z';

		if (upper && !was_upper)
			strbuf_addch(out, '-');
		strbuf_addch(out, upper ? (char)(c | 0x20) : c);
		was_upper = upper;
	}
}

/* "item-count" as "itemCount" */
static void data_key(struct str name, struct strbuf *out)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == '-' && i + 1 < name.len && name.ptr[i + 1] >= 'a' &&
		    name.ptr[i + 1] <= 'z')
			c = (char)(name.ptr[++i] & ~0x20);
		strbuf_addch(out, c);
	}
}

static JSValue all_data(JSContext *ctx, const struct load_html_node *n)
{
	JSValue o = JS_NewObject(ctx);

	for (uint32_t i = 0; i < n->attr_count; i++) {
		CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;
		struct str name = n->attrs[i].name;

		if (!str_starts_with(name, STR("data-")) || name.len == 5)
			continue;
		data_key((struct str){ name.ptr + 5, name.len - 5 }, &key);
		js_set(ctx, o, strbuf_cstr(&key), data_value(ctx, n->attrs[i].value));
	}
	return o;
}

JSValue load_html_data(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT, name = STRBUF_INIT;
	const struct load_html_list *l = load_html_list_of(this);
	const struct load_html_attr *a;

	if (!l || !l->len || !l->ptr[0]->attr_count)
		return JS_UNDEFINED;
	if (argc == 0 || JS_IsUndefined(argv[0]))
		return all_data(ctx, l->ptr[0]);
	if (js_to_str(ctx, argv[0], &key) < 0)
		return JS_EXCEPTION;
	data_attr_name(strbuf_str(&key), &name);
	a = load_html_attr(l->ptr[0], strbuf_cstr(&name));
	return a ? data_value(ctx, a->value) : JS_UNDEFINED;
}

/* ---- serialize() ---- */

/*
 * k6 looks at the values of "disabled" and "checked", not for whether they are there: a box counts
 * as checked only when the page says checked="checked".
 */
static bool is_submitted(const struct load_html_node *n)
{
	static const char *const buttons[] = { "submit", "button", "reset", "image", "file" };
	const struct load_html_attr *name = load_html_attr(n, "name");

	if (!load_html_is_any(n, "input select textarea keygen") || !name || !name->value.len ||
	    attr_is(n, "disabled", "disabled"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(buttons); i++)
		if (attr_is(n, "type", buttons[i]))
			return false;
	return attr_is(n, "checked", "checked") ||
	       !(attr_is(n, "type", "checkbox") || attr_is(n, "type", "radio"));
}

/* The fields of a form, or those that were selected themselves. */
static void fields_of(const struct load_html_list *l, struct load_html_list *out)
{
	bool form = false;

	vec_for_each (l, n)
		form |= load_html_is(*n, "form");
	vec_for_each (l, top) {
		struct load_html_node *n = form ? (*top)->first : *top;

		for (; n; n = form ? load_html_next(n, *top) : NULL)
			if (is_submitted(n))
				vec_push(out, n);
	}
}

typedef void put_field_fn(JSContext *ctx, JSValueConst to, struct str name, JSValue value);

static JSValue put_fields(JSContext *ctx, JSValueConst this, JSValue to, put_field_fn *put)
{
	const struct load_html_list *l = load_html_list_of(this);
	struct load_html_list fields = { 0 };

	if (l)
		fields_of(l, &fields);
	vec_for_each (&fields, n)
		put(ctx, to, load_html_attr(*n, "name")->value, load_html_val(ctx, *n));
	load_html_list_release(&fields);
	return to;
}

static void put_pair(JSContext *ctx, JSValueConst to, struct str name, JSValue value)
{
	JSValue o = JS_NewObject(ctx);
	int64_t len = js_array_length(ctx, to);

	js_set_str(ctx, o, "name", name);
	js_set(ctx, o, "value", value);
	JS_SetPropertyInt64(ctx, to, len, o);
}

static void put_property(JSContext *ctx, JSValueConst to, struct str name, JSValue value)
{
	js_set(ctx, to, name.ptr, value); /* names of attributes are terminated */
}

JSValue load_html_serialize_array(JSContext *ctx, JSValueConst this, int argc UNUSED,
				  JSValueConst *argv UNUSED)
{
	return put_fields(ctx, this, JS_NewArray(ctx), put_pair);
}

JSValue load_html_serialize_object(JSContext *ctx, JSValueConst this, int argc UNUSED,
				   JSValueConst *argv UNUSED)
{
	return put_fields(ctx, this, JS_NewObject(ctx), put_property);
}

JSValue load_html_serialize(JSContext *ctx, JSValueConst this, int argc UNUSED,
			    JSValueConst *argv UNUSED)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	JSValue fields = load_html_serialize_object(ctx, this, 0, NULL);
	int r = load_form_encode(ctx, fields, &sb);

	JS_FreeValue(ctx, fields);
	return r < 0 ? JS_EXCEPTION : js_new_str(ctx, strbuf_str(&sb));
}
