/* http.cookieJar(), http.CookieJar and the cookies of a request. */
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/http.h"
#include "load/k6/modules.h"

/* ---- the cookies of a request ---- */

static int add_request_cookie(JSContext *ctx, struct str key, JSValueConst v, void *arg)
{
	struct load_request *req = arg;
	struct load_request_cookie c = { NULL, NULL, false };
	struct strbuf value = STRBUF_INIT;
	int r;

	if (JS_IsObject(v)) {
		r = js_get_str(ctx, v, "value", &value);
		if (r >= 0)
			r = js_get_bool(ctx, v, "replace", &c.replace);
	} else {
		r = js_to_str(ctx, v, &value);
	}
	if (r < 0) {
		strbuf_release(&value);
		return -1;
	}
	c.name = str_dup(key);
	c.value = strbuf_detach(&value);
	vec_push(&req->cookies, c);
	return 0;
}

int load_request_add_cookies(JSContext *ctx, struct load_request *req, JSValueConst cookies)
{
	return JS_IsObject(cookies) ? js_each(ctx, cookies, add_request_cookie, req) : 0;
}

struct cookie_field {
	struct load_request *req;
	struct strbuf *out;
};

static void append(struct strbuf *out, const char *name, const char *value)
{
	strbuf_addf(out, "%s%s=%s", out->len ? "; " : "", name, value);
}

static void append_unless_replaced(void *arg, const char *name, const char *value)
{
	struct cookie_field *f = arg;

	vec_for_each (&f->req->cookies, c)
		if (c->replace && !strcmp(c->name, name))
			return;
	append(f->out, name, value);
}

void load_request_cookie_header(struct load_request *req, const struct net_url *url,
				struct strbuf *out)
{
	struct cookie_field f = { req, out };

	vec_for_each (&req->cookies, c)
		append(out, c->name, c->value);
	load_jar_match(req->jar, url, append_unless_replaced, &f);
}

/* ---- jars as objects ---- */

struct jar_object {
	struct load_jar *jar;
	bool owned; /* else the VU's */
};

static void jar_finalize(JSRuntime *rt UNUSED, JSValue val)
{
	struct jar_object *o = JS_GetOpaque(val, LOAD_CLASS_COOKIE_JAR);

	if (o && o->owned)
		load_jar_free(o->jar);
	free(o);
}

const struct js_class load_jar_class = {
	.id = LOAD_CLASS_COOKIE_JAR,
	.def = { .class_name = "CookieJar", .finalizer = jar_finalize },
};

static JSValue jar_object(JSContext *ctx, struct load_jar *jar, bool owned)
{
	JSValue v = JS_NewObjectClass(ctx, LOAD_CLASS_COOKIE_JAR);
	struct jar_object *o;

	if (JS_IsException(v)) {
		if (owned)
			load_jar_free(jar);
		return v;
	}
	o = xmalloc(sizeof(*o));
	*o = (struct jar_object){ jar, owned };
	JS_SetOpaque(v, o);
	return v;
}

JSValue load_http_cookie_jar(JSContext *ctx, JSValueConst this UNUSED, int argc UNUSED,
			     JSValueConst *argv UNUSED)
{
	struct load_vu *vu = load_vu_of(ctx);

	if (load_vu_refuse_in_init(vu, "using http.cookieJar()"))
		return JS_EXCEPTION;
	return jar_object(ctx, vu->jar, false);
}

static JSValue new_jar(JSContext *ctx, JSValueConst target UNUSED, int argc UNUSED,
		       JSValueConst *argv UNUSED)
{
	return jar_object(ctx, load_jar_new(), true);
}

struct load_jar *load_jar_of(JSContext *ctx UNUSED, JSValueConst v)
{
	struct jar_object *o = JS_GetOpaque(v, LOAD_CLASS_COOKIE_JAR);

	return o ? o->jar : NULL;
}

/* The jar and URL of a method's call; NULL with an exception. */
static struct load_jar *jar_and_url(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv,
				    struct strbuf *text, struct net_url *url)
{
	struct jar_object *o = JS_GetOpaque2(ctx, this, LOAD_CLASS_COOKIE_JAR);
	struct error err = ERROR_INIT;

	if (!o)
		return NULL;
	if (argc < 1 || js_to_str(ctx, argv[0], text) < 0) {
		if (argc < 1)
			JS_ThrowTypeError(ctx, "a cookie jar needs a URL");
		return NULL;
	}
	if (net_url_parse(url, strbuf_str(text), &err) < 0) {
		js_throw(ctx, "%s", err.msg);
		return NULL;
	}
	return o->jar;
}

static void add_to_object(void *arg, const char *name, const char *value)
{
	void **ctx_and_object = arg;
	JSContext *ctx = ctx_and_object[0];
	JSValue o = *(JSValue *)ctx_and_object[1], list = JS_GetPropertyStr(ctx, o, name);

	if (JS_IsArray(ctx, list) <= 0) {
		JS_FreeValue(ctx, list);
		list = JS_NewArray(ctx);
		js_set(ctx, o, name, JS_DupValue(ctx, list));
	}
	JS_SetPropertyInt64(ctx, list, js_array_length(ctx, list), JS_NewString(ctx, value));
	JS_FreeValue(ctx, list);
}

/* { name: [value, ...] } */
static JSValue jar_cookies(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct net_url url;
	struct load_jar *jar = jar_and_url(ctx, this, argc, argv, &text, &url);
	JSValue out;
	void *ctx_and_object[] = { ctx, &out };

	if (!jar)
		return JS_EXCEPTION;
	out = JS_NewObject(ctx);
	load_jar_match(jar, &url, add_to_object, ctx_and_object);
	return out;
}

/* Options of jar.set(): as attributes of a Set-Cookie field. */
static int read_cookie_options(JSContext *ctx, JSValueConst options, struct load_cookie *c)
{
	CLEANUP(strbuf_release)
	struct strbuf domain = STRBUF_INIT, path = STRBUF_INIT, expires = STRBUF_INIT;
	int64_t s;

	if (!JS_IsObject(options))
		return 0;
	if (js_get_str(ctx, options, "domain", &domain) < 0 ||
	    js_get_str(ctx, options, "path", &path) < 0 ||
	    js_get_str(ctx, options, "expires", &expires) < 0 ||
	    js_get_int64(ctx, options, "max_age", &c->max_age_s) < 0 ||
	    js_get_bool(ctx, options, "secure", &c->secure) < 0 ||
	    js_get_bool(ctx, options, "http_only", &c->http_only) < 0)
		return -1;
	if (expires.len) {
		if (!load_http_date_parse(strbuf_str(&expires), &s)) {
			js_throw(ctx, "unable to parse the cookie's date \"%s\"",
				 strbuf_cstr(&expires));
			return -1;
		}
		c->expires_ms = s * 1000;
	}
	free(c->domain);
	free(c->path);
	c->domain = strbuf_detach(&domain);
	c->path = strbuf_detach(&path);
	return 0;
}

static JSValue jar_set(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release)
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT, value = STRBUF_INIT;
	CLEANUP(load_cookie_release)
	struct load_cookie c = { .domain = xstrdup(""), .path = xstrdup("") };
	struct net_url url;
	struct load_jar *jar = jar_and_url(ctx, this, argc, argv, &text, &url);

	if (!jar)
		return JS_EXCEPTION;
	if (argc < 3)
		return JS_ThrowTypeError(ctx, "jar.set() takes a URL, a name and a value");
	if (js_to_str(ctx, argv[1], &name) < 0 || js_to_str(ctx, argv[2], &value) < 0)
		return JS_EXCEPTION;
	c.name = strbuf_detach(&name);
	c.value = strbuf_detach(&value);
	if (argc > 3 && read_cookie_options(ctx, argv[3], &c) < 0)
		return JS_EXCEPTION;
	return JS_NewBool(ctx, load_jar_set(jar, &url, &c));
}

static JSValue jar_delete(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	struct net_url url;
	struct load_jar *jar = jar_and_url(ctx, this, argc, argv, &text, &url);

	if (!jar)
		return JS_EXCEPTION;
	if (argc < 2 || js_to_str(ctx, argv[1], &name) < 0)
		return argc < 2 ? JS_ThrowTypeError(ctx, "jar.delete() takes a URL and a name")
				: JS_EXCEPTION;
	load_jar_remove(jar, &url, strbuf_cstr(&name));
	return JS_UNDEFINED;
}

static JSValue jar_clear(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct net_url url;
	struct load_jar *jar = jar_and_url(ctx, this, argc, argv, &text, &url);

	if (!jar)
		return JS_EXCEPTION;
	load_jar_remove(jar, &url, NULL);
	return JS_UNDEFINED;
}

static const JSCFunctionListEntry methods[] = {
	JS_CFUNC_DEF("cookiesForURL", 1, jar_cookies),
	JS_CFUNC_DEF("set", 4, jar_set),
	JS_CFUNC_DEF("delete", 2, jar_delete),
	JS_CFUNC_DEF("clear", 1, jar_clear),
};

int load_jar_setup(JSContext *ctx, JSValueConst exports)
{
	JSValue proto = JS_NewObject(ctx);
	JSValue constructor =
		JS_NewCFunction2(ctx, new_jar, "CookieJar", 0, JS_CFUNC_constructor, 0);

	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetConstructor(ctx, constructor, proto);
	JS_SetClassProto(ctx, LOAD_CLASS_COOKIE_JAR, proto);
	return js_set(ctx, exports, "CookieJar", constructor);
}
