/*
 * Reads what a script gives to http.get() and its kin.
 */
#include "load/k6/request.h"

#include <math.h>
#include <stdlib.h>

#include "base/duration.h"
#include "js/value.h"
#include "load/k6/form.h"
#include "load/k6/http.h"
#include "load/sample.h"
#include "net/coding.h"

#define BODY_BYTES_MAX	    ((size_t)1024 * 1024 * 1024)
#define REQUEST_HEADERS_MAX 128

static void add_header(struct load_request *req, struct str name, struct str value)
{
	struct load_header h = { str_dup(name), str_dup(value) };

	vec_push(&req->headers, h);
}

static bool has_header(const struct load_request *req, const char *name)
{
	vec_for_each (&req->headers, h)
		if (str_ieq(str_from(h->name), str_from(name)))
			return true;
	return false;
}

/* ---- the URL and the body ---- */

static int read_url(JSContext *ctx, struct load_request *req, JSValueConst url)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	if (load_http_url_parts(ctx, url, &req->url, &name)) {
		req->name = strbuf_detach(&name);
		return 0;
	}
	return js_to_str(ctx, url, &req->url);
}

/* The Content-Type that an object as the body makes; a script's own stands before it. */
struct body_type {
	char text[sizeof("multipart/form-data; boundary=") + LOAD_BOUNDARY_BYTES];
};

static int read_form(JSContext *ctx, struct load_request *req, JSValueConst body,
		     struct body_type *ret)
{
	char boundary[LOAD_BOUNDARY_BYTES];
	int r = load_form_has_file(ctx, body);

	if (r < 0)
		return -1;
	if (!r) {
		snprintf(ret->text, sizeof(ret->text), "application/x-www-form-urlencoded");
		return load_form_encode(ctx, body, &req->body);
	}
	if (load_form_multipart(ctx, body, boundary, &req->body) < 0)
		return -1;
	snprintf(ret->text, sizeof(ret->text), "multipart/form-data; boundary=%s", boundary);
	return 0;
}

static int read_body(JSContext *ctx, struct load_request *req, JSValueConst body,
		     struct body_type *ret)
{
	struct str bytes;

	req->body.max = BODY_BYTES_MAX;
	if (JS_IsUndefined(body) || JS_IsNull(body))
		return 0;
	if (JS_IsString(body))
		return js_to_str(ctx, body, &req->body);
	if (!JS_IsObject(body) || JS_IsArray(ctx, body) > 0) {
		load_request_refuse(req, 0,
				    "unknown type of a request's body: a text, an ArrayBuffer, a "
				    "view on one or an object of form fields");
		return 0;
	}
	if (js_bytes(ctx, body, &bytes)) {
		strbuf_add(&req->body, bytes.ptr, bytes.len);
		return 0;
	}
	return read_form(ctx, req, body, ret);
}

/* ---- params ---- */

/* Of two names that differ in their letters' case only the later one counts. */
static void set_header(struct load_request *req, struct str name, struct str value)
{
	vec_for_each (&req->headers, h) {
		if (!str_eq_c(name, h->name))
			continue;
		free(h->value);
		h->value = str_dup(value);
		return;
	}
	add_header(req, name, value);
}

static int read_header(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	struct load_request *req = arg;

	if (req->headers.len >= REQUEST_HEADERS_MAX) {
		JS_ThrowRangeError(ctx, "more than %d headers", REQUEST_HEADERS_MAX);
		return -1;
	}
	if (js_to_str(ctx, value, &text) < 0)
		return -1;
	load_header_canonical(key, &name);
	set_header(req, strbuf_str(&name), strbuf_str(&text));
	return 0;
}

static int read_headers(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	return JS_IsObject(value) ? js_each(ctx, value, read_header, req) : 0;
}

static int read_tags(JSContext *ctx UNUSED, struct load_request *req, JSValueConst value)
{
	return load_vu_tags_from(req->vu, value, &req->tags);
}

static int read_timeout(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	uint64_t ns = 0;
	double ms;

	if (JS_IsNumber(value)) {
		if (JS_ToFloat64(ctx, &ms, value) < 0)
			return -1;
		ns = ms > 0 ? (uint64_t)(fmin(ms, 1e12) * 1e6) : 0;
	} else {
		if (js_to_str(ctx, value, &text) < 0)
			return -1;
		if (duration_parse(strbuf_str(&text), &ns) < 0) {
			load_request_refuse(req, 0,
					    "invalid timeout \"%s\": a number of ms or \"10s\"",
					    strbuf_cstr(&text));
			return 0;
		}
	}
	req->timeout_ns = ns ? ns : req->timeout_ns;
	return 0;
}

static int read_redirects(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	int64_t n;

	if (JS_ToInt64(ctx, &n, value) < 0)
		return -1;
	req->redirects_left = (unsigned)MAX(0, MIN(n, 1000));
	return 0;
}

static int read_response_type(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	static const char *const names[] = { "text", "binary", "none" };

	if (js_to_str(ctx, value, &text) < 0)
		return -1;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(strbuf_cstr(&text), names[i]) != 0)
			continue;
		req->type = (enum load_response_type)i;
		return 0;
	}
	load_request_refuse(req, 0, "unknown responseType \"%s\": text, binary or none",
			    strbuf_cstr(&text));
	return 0;
}

static int read_throw(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	req->throw_errors = JS_ToBool(ctx, value) > 0;
	return 0;
}

static int read_callback(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	if (JS_IsNull(value) || JS_GetOpaque(value, LOAD_CLASS_STATUSES))
		return load_statuses_read(ctx, value, &req->expected);
	load_request_refuse(req, 0,
			    "the responseCallback is null or what http.expectedStatuses() "
			    "gives");
	return 0;
}

static int read_cookies(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	return load_request_add_cookies(ctx, req, value);
}

static int read_jar(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	struct load_jar *jar = load_jar_of(ctx, value);

	if (jar) /* k6 passes over anything else */
		req->jar = jar;
	return 0;
}

static int read_auth(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	static const char *const names[] = { [LOAD_AUTH_BASIC] = "basic",
					     [LOAD_AUTH_DIGEST] = "digest",
					     [LOAD_AUTH_NTLM] = "ntlm" };
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (js_to_str(ctx, value, &text) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_ieq(strbuf_str(&text), str_from(names[i])))
			req->auth.scheme = (enum load_auth_scheme)i;
	return 0;
}

static int read_compression(JSContext *ctx, struct load_request *req, JSValueConst value)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (js_to_str(ctx, value, &text) < 0)
		return -1;
	if (!text.len || !req->body.len)
		return 0;
	if (net_coding_apply(strbuf_str(&text), &req->body, &err) < 0) {
		load_request_refuse(req, 0, "%s", err.msg);
		return 0;
	}
	add_header(req, STR("Content-Encoding"), strbuf_str(&text));
	return 0;
}

static const struct {
	const char *name;
	int (*read)(JSContext *ctx, struct load_request *req, JSValueConst value);
} params_known[] = {
	{ "headers", read_headers },
	{ "tags", read_tags },
	{ "timeout", read_timeout },
	{ "redirects", read_redirects },
	{ "responseType", read_response_type },
	{ "throw", read_throw },
	{ "cookies", read_cookies },
	{ "jar", read_jar },
	{ "auth", read_auth },
	{ "compression", read_compression },
};

static int read_param(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct load_request *req = arg;

	if (str_eq_c(key, "responseCallback")) /* null means something here */
		return read_callback(ctx, req, value);
	if (JS_IsUndefined(value) || JS_IsNull(value))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(params_known); i++)
		if (str_eq_c(key, params_known[i].name))
			return params_known[i].read(ctx, req, value);
	return 0;
}

/* ---- all together ---- */

static void set_defaults(struct load_request *req)
{
	const struct load_plan *plan = req->vu->run->plan;

	req->tags = req->vu->tags;
	req->timeout_ns = 60 * NS_PER_S;
	req->redirects_left = plan->max_redirects;
	req->throw_errors = plan->throw_errors;
	req->type = plan->discard_response_bodies ? LOAD_RESPONSE_NONE : LOAD_RESPONSE_TEXT;
	req->expected = req->vu->expected;
	req->jar = req->vu->jar;
}

static int read_all(JSContext *ctx, struct load_request *req, JSValueConst url, JSValueConst body,
		    JSValueConst params)
{
	struct body_type type = { "" };
	struct str name;

	if (read_url(ctx, req, url) < 0 || read_body(ctx, req, body, &type) < 0)
		return -1;
	if (JS_IsObject(params) && js_each(ctx, params, read_param, req) < 0)
		return -1;
	if (type.text[0] && !has_header(req, "Content-Type"))
		add_header(req, STR("Content-Type"), str_from(type.text));
	load_auth_begin(req);
	name = load_tags_get(req->tags, STR("name"));
	if (name.ptr) {
		free(req->name);
		req->name = str_dup(name);
	}
	return 0;
}

struct load_request *load_request_new(JSContext *ctx, const char *method, JSValueConst url,
				      JSValueConst body, JSValueConst params)
{
	struct load_vu *vu = load_vu_of(ctx);
	struct load_request *req;

	if (load_vu_refuse_in_init(vu, "making requests"))
		return NULL;
	req = xcalloc(1, sizeof(*req));
	req->vu = vu;
	req->method = xstrdup(method);
	set_defaults(req);
	if (read_all(ctx, req, url, body, params) < 0) {
		load_request_free(req);
		return NULL;
	}
	req->deadline_ns = net_loop_now_ns() + req->timeout_ns;
	return req;
}
