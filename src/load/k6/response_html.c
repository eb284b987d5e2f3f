/* What a response can do with a page: html(), submitForm(), clickLink(). */
#include "load/k6/response_html.h"

#include <errno.h>

#include "js/value.h"
#include "load/k6/form.h"
#include "load/k6/html.h"
#include "load/k6/http.h"
#include "net/url.h"

/* A text option, or what it is without. 0 or -1. */
static int option(JSContext *ctx, JSValueConst options, const char *name, const char *absent,
		  struct strbuf *ret)
{
	int r = JS_IsObject(options) ? js_get_str(ctx, options, name, ret) : 0;

	if (r == 0)
		strbuf_addstr(ret, absent);
	return r < 0 ? -1 : 0;
}

static JSValue option_value(JSContext *ctx, JSValueConst options, const char *name)
{
	return JS_IsObject(options) ? JS_GetPropertyStr(ctx, options, name) : JS_UNDEFINED;
}

/* The first element that the selector finds in top; NULL with an exception or without. */
static struct load_html_node *find_one(JSContext *ctx, struct load_html_doc *doc,
				       const struct load_html_node *top, struct str selector)
{
	CLEANUP(cleanup_load_html_selector) struct load_html_selector *s = NULL;
	struct load_html_node *n = top->first;
	struct error err = ERROR_INIT;
	uint64_t steps = 0;

	if (load_html_selector_new(&s, selector, &err) == -ENOTSUP)
		js_throw(ctx, "%s", err.msg);
	if (!s || !doc)
		return NULL;
	for (; n && steps <= LOAD_HTML_STEPS_MAX; n = load_html_next(n, top)) {
		steps++;
		if (load_html_match(s, n, &steps))
			return n;
	}
	load_html_check(ctx, steps);
	return NULL;
}

/* Relative to the page. 0, or -1 with an exception. */
static int target(JSContext *ctx, const struct load_html_doc *doc, const struct load_html_node *n,
		  const char *attr, struct strbuf *ret)
{
	if (load_html_url(doc, n, attr, ret))
		return 0;
	if (!load_html_is(n, "form")) {
		js_throw(ctx, "a valid canonical href attribute is needed: the element has none");
		return -1;
	}
	strbuf_addstr(ret, doc->url);
	return 0;
}

/* ---- forms ---- */

struct merge {
	JSValueConst into;
};

static int put(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	CLEANUP(mem_cleanup) char *name = str_dup(key);
	struct merge *m = arg;

	return js_set(ctx, m->into, name, JS_DupValue(ctx, value));
}

/* The fields of the form, the button that submits it, and what the script wants instead. */
static JSValue collect(JSContext *ctx, struct load_html_doc *doc, struct load_html_node *form,
		       struct str button, JSValueConst own)
{
	struct load_html_node *submit = find_one(ctx, doc, form, button);
	struct load_html_list one = { 0 };
	JSValue selection, values;
	struct merge m;

	vec_push(&one, form);
	selection = load_html_selection(ctx, doc, &one, JS_UNDEFINED);
	values = load_html_serialize_object(ctx, selection, 0, NULL);
	JS_FreeValue(ctx, selection);
	m.into = values;
	if (submit && load_html_attr(submit, "name")) {
		JSValue v = load_html_val(ctx, submit);

		if (!JS_IsUndefined(v))
			js_set(ctx, values, load_html_attr(submit, "name")->value.ptr, v);
	}
	if (JS_IsObject(own) && js_each(ctx, own, put, &m) < 0) {
		JS_FreeValue(ctx, values);
		return JS_EXCEPTION;
	}
	return values;
}

/* Each value as one text: an array is joined by commas. */
static int put_text(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	CLEANUP(mem_cleanup) char *name = str_dup(key);
	struct merge *m = arg;

	return js_set(ctx, m->into, name, JS_ToString(ctx, value));
}

/* Replaces the query by the values. */
static int into_query(JSContext *ctx, JSValueConst values, struct strbuf *url)
{
	CLEANUP(strbuf_release) struct strbuf query = STRBUF_INIT;
	JSValue texts = JS_NewObject(ctx);
	struct merge m = { texts };
	int r = js_each(ctx, values, put_text, &m);

	if (r == 0)
		r = load_form_encode(ctx, texts, &query);
	JS_FreeValue(ctx, texts);
	strbuf_truncate(url, strcspn(strbuf_cstr(url), "?#"));
	if (query.len)
		strbuf_addf(url, "?%s", strbuf_cstr(&query));
	return r;
}

static JSValue send_to(JSContext *ctx, const char *method, const struct strbuf *url,
		       JSValueConst body, JSValueConst options)
{
	JSValue to = js_new_str(ctx, strbuf_str(url));
	JSValue params = option_value(ctx, options, "params");
	JSValue res = JS_EXCEPTION;

	if (!JS_IsException(params))
		res = load_http_send(ctx, method, to, body, params);
	JS_FreeValue(ctx, to);
	JS_FreeValue(ctx, params);
	return res;
}

static void upper(struct strbuf *sb)
{
	for (size_t i = 0; i < sb->len; i++)
		if (sb->ptr[i] >= 'a' && sb->ptr[i] <= 'z')
			sb->ptr[i] &= ~0x20;
}

/* Takes values over. */
static JSValue submit(JSContext *ctx, struct load_html_doc *doc, struct load_html_node *form,
		      JSValue values, JSValueConst options)
{
	CLEANUP(strbuf_release) struct strbuf method = STRBUF_INIT, url = STRBUF_INIT;
	const struct load_html_attr *a = load_html_attr(form, "method");
	JSValue res = JS_EXCEPTION;
	bool get;

	strbuf_addstr(&method, a ? a->value.ptr : "GET");
	upper(&method);
	get = !strcmp(strbuf_cstr(&method), "GET");
	if (!JS_IsException(values) && target(ctx, doc, form, "action", &url) == 0 &&
	    (!get || into_query(ctx, values, &url) == 0))
		res = send_to(ctx, strbuf_cstr(&method), &url, get ? JS_UNDEFINED : values,
			      options);
	JS_FreeValue(ctx, values);
	return res;
}

static JSValue nothing_found(JSContext *ctx, const char *what, const struct strbuf *selector,
			     const struct load_html_doc *doc)
{
	if (JS_HasException(ctx))
		return JS_EXCEPTION;
	return js_throw(ctx, "no %s found for selector '%s' in response '%s'", what,
			strbuf_cstr(selector), doc->url);
}

JSValue load_response_submit_form(JSContext *ctx, struct load_html_doc *doc, JSValueConst options)
{
	CLEANUP(strbuf_release) struct strbuf selector = STRBUF_INIT, button = STRBUF_INIT;
	struct load_html_node *form;
	JSValue own, values;

	if (option(ctx, options, "formSelector", "form", &selector) < 0 ||
	    option(ctx, options, "submitSelector", "[type=\"submit\"]", &button) < 0)
		return JS_EXCEPTION;
	form = find_one(ctx, doc, doc->root, strbuf_str(&selector));
	if (!form)
		return nothing_found(ctx, "form", &selector, doc);
	own = option_value(ctx, options, "fields");
	if (JS_IsException(own))
		return own;
	values = collect(ctx, doc, form, strbuf_str(&button), own);
	JS_FreeValue(ctx, own);
	return submit(ctx, doc, form, values, options);
}

JSValue load_response_click_link(JSContext *ctx, struct load_html_doc *doc, JSValueConst options)
{
	CLEANUP(strbuf_release) struct strbuf selector = STRBUF_INIT, url = STRBUF_INIT;
	struct load_html_node *link;

	if (option(ctx, options, "selector", "a[href]", &selector) < 0)
		return JS_EXCEPTION;
	link = find_one(ctx, doc, doc->root, strbuf_str(&selector));
	if (!link)
		return nothing_found(ctx, "element", &selector, doc);
	if (target(ctx, doc, link, "href", &url) < 0)
		return JS_EXCEPTION;
	return send_to(ctx, "GET", &url, JS_UNDEFINED, options);
}
