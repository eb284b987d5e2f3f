/*
 * The engine asks get_own_property() for each field that a script reads; what is expensive to make
 * or must stay the same object (r.timings === r.timings) is kept in `cache`. Nothing is defined on
 * the object itself: the engine counts an object's properties before it asks for the names of the
 * lazy ones, and would overrun its table if they became real in between.
 */
#include "load/k6/response.h"

#include <stdlib.h>

#include "js/value.h"
#include "load/k6/cookies.h"
#include "load/k6/json_path.h"
#include "load/k6/request.h"
#include "load/k6/response_html.h"
#include "load/vu.h"

static const char *const field_names[RESPONSE_FIELDS] = {
	[RESPONSE_REMOTE_IP] = "remote_ip",
	[RESPONSE_REMOTE_PORT] = "remote_port",
	[RESPONSE_URL] = "url",
	[RESPONSE_STATUS] = "status",
	[RESPONSE_STATUS_TEXT] = "status_text",
	[RESPONSE_PROTO] = "proto",
	[RESPONSE_HEADERS] = "headers",
	[RESPONSE_COOKIES] = "cookies",
	[RESPONSE_BODY] = "body",
	[RESPONSE_TIMINGS] = "timings",
	[RESPONSE_TLS_VERSION] = "tls_version",
	[RESPONSE_TLS_CIPHER_SUITE] = "tls_cipher_suite",
	[RESPONSE_OCSP] = "ocsp",
	[RESPONSE_ERROR] = "error",
	[RESPONSE_ERROR_CODE] = "error_code",
	[RESPONSE_REQUEST] = "request",
	[RESPONSE_JSON] = "json",
	[RESPONSE_HTML] = "html",
	[RESPONSE_SUBMIT_FORM] = "submitForm",
	[RESPONSE_CLICK_LINK] = "clickLink",
};

struct response_object {
	struct load_response *data;
	JSValue cache[RESPONSE_FIELDS];
	JSValue parsed;		    /* the body as JSON, for selectors */
	struct load_html_doc *page; /* the body as HTML */
};

void load_response_atoms_init(JSContext *ctx, struct load_response_atoms *atoms)
{
	for (int i = 0; i < RESPONSE_FIELDS; i++)
		atoms->field[i] = JS_NewAtom(ctx, field_names[i]);
}

void load_response_atoms_release(JSContext *ctx, struct load_response_atoms *atoms)
{
	for (int i = 0; i < RESPONSE_FIELDS; i++)
		JS_FreeAtom(ctx, atoms->field[i]);
}

void load_header_release(struct load_header *h)
{
	free(h->name);
	free(h->value);
}

void load_response_free(struct load_response *r)
{
	if (!r)
		return;
	net_response_free(r->net);
	free(r->error);
	free(r->method);
	free(r->url);
	vec_for_each (&r->headers, h)
		load_header_release(h);
	vec_release(&r->headers);
	strbuf_release(&r->body);
	free(r);
}

const char *load_response_error(const struct load_response *r)
{
	if (r->error)
		return r->error;
	return r->net ? load_http_error_text(r->net) : "";
}

static void finalize(JSRuntime *rt, JSValue val)
{
	struct response_object *o = JS_GetOpaque(val, LOAD_CLASS_RESPONSE);

	if (!o)
		return;
	for (int i = 0; i < RESPONSE_FIELDS; i++)
		JS_FreeValueRT(rt, o->cache[i]);
	JS_FreeValueRT(rt, o->parsed);
	load_html_doc_unref(o->page);
	load_response_free(o->data);
	free(o);
}

static void mark(JSRuntime *rt, JSValueConst val, JS_MarkFunc *mark_func)
{
	struct response_object *o = JS_GetOpaque(val, LOAD_CLASS_RESPONSE);

	if (!o)
		return;
	for (int i = 0; i < RESPONSE_FIELDS; i++)
		JS_MarkValue(rt, o->cache[i], mark_func);
	JS_MarkValue(rt, o->parsed, mark_func);
}

/* ---- fields ---- */

static JSValue text(JSContext *ctx, const char *s)
{
	return JS_NewString(ctx, s ? s : "");
}

static bool failed(const struct load_response *r)
{
	return !r->net || r->net->error;
}

void load_header_canonical(struct str name, struct strbuf *out)
{
	bool upper = true;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (upper && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		else if (!upper && c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		upper = c == '-';
		strbuf_addch(out, c);
	}
}

/* Not what the prototype has: a field may be called "Constructor". */
static bool has_own(JSContext *ctx, JSValueConst o, const char *name)
{
	JSAtom atom = JS_NewAtom(ctx, name);
	bool has = JS_GetOwnProperty(ctx, NULL, o, atom) > 0;

	JS_FreeAtom(ctx, atom);
	return has;
}

/* A field that comes again is joined to the first with ", ". */
static void add_header(JSContext *ctx, JSValueConst o, struct str name, struct str value)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT, joined = STRBUF_INIT;

	load_header_canonical(name, &key);
	if (has_own(ctx, o, strbuf_cstr(&key)) &&
	    js_get_str(ctx, o, strbuf_cstr(&key), &joined) > 0)
		strbuf_addstr(&joined, ", ");
	strbuf_add(&joined, value.ptr, value.len);
	js_set_str(ctx, o, strbuf_cstr(&key), strbuf_str(&joined));
}

JSValue load_headers_object(JSContext *ctx, const struct net_response *net)
{
	JSValue o = JS_NewObject(ctx);

	if (net)
		vec_for_each (&net->head.fields, f)
			add_header(ctx, o, net_field_name(&net->head, f),
				   net_field_value(&net->head, f));
	return o;
}

static JSValue make_cookie(JSContext *ctx, const struct load_cookie *c)
{
	JSValue o = JS_NewObject(ctx);

	js_set(ctx, o, "name", text(ctx, c->name));
	js_set(ctx, o, "value", text(ctx, c->value));
	js_set(ctx, o, "domain", text(ctx, c->domain));
	js_set(ctx, o, "path", text(ctx, c->path));
	js_set_bool(ctx, o, "http_only", c->http_only);
	js_set_bool(ctx, o, "secure", c->secure);
	js_set(ctx, o, "max_age", JS_NewInt64(ctx, c->max_age_s));
	js_set(ctx, o, "expires", JS_NewInt64(ctx, c->expires_ms));
	return o;
}

static void add_cookie(JSContext *ctx, JSValueConst o, const struct load_cookie *c)
{
	JSValue list;

	if (has_own(ctx, o, c->name)) {
		list = JS_GetPropertyStr(ctx, o, c->name);
	} else {
		list = JS_NewArray(ctx);
		js_set(ctx, o, c->name, JS_DupValue(ctx, list));
	}
	JS_SetPropertyInt64(ctx, list, js_array_length(ctx, list), make_cookie(ctx, c));
	JS_FreeValue(ctx, list);
}

/* What this reply sets. */
static JSValue make_cookies(JSContext *ctx, const struct load_response *r)
{
	JSValue o = JS_NewObject(ctx);
	const struct net_field *f;
	struct load_cookie c;
	size_t pos = 0;

	while (r->net && (f = net_head_find(&r->net->head, STR("Set-Cookie"), &pos))) {
		if (!load_cookie_parse(net_field_value(&r->net->head, f), &c))
			continue;
		add_cookie(ctx, o, &c);
		load_cookie_release(&c);
	}
	return o;
}

static JSValue make_timings(JSContext *ctx, const struct load_response *r)
{
	static const struct net_timings none;
	const struct net_timings *t = r->net ? &r->net->t : &none;
	JSValue o = JS_NewObject(ctx);

	js_set_double(ctx, o, "duration",
		      (double)(t->sending_ns + t->waiting_ns + t->receiving_ns) / 1e6);
	js_set_double(ctx, o, "blocked", (double)t->blocked_ns / 1e6);
	js_set_double(ctx, o, "looking_up", 0);
	js_set_double(ctx, o, "connecting", (double)t->connecting_ns / 1e6);
	js_set_double(ctx, o, "tls_handshaking", (double)t->tls_ns / 1e6);
	js_set_double(ctx, o, "sending", (double)t->sending_ns / 1e6);
	js_set_double(ctx, o, "waiting", (double)t->waiting_ns / 1e6);
	js_set_double(ctx, o, "receiving", (double)t->receiving_ns / 1e6);
	return o;
}

static JSValue make_ocsp(JSContext *ctx, const struct load_response *r)
{
	static const struct net_ocsp none;
	const struct net_ocsp *ocsp = r->net ? &r->net->ocsp : &none;
	JSValue o = JS_NewObject(ctx);

	js_set(ctx, o, "produced_at", JS_NewInt64(ctx, ocsp->produced_at));
	js_set(ctx, o, "this_update", JS_NewInt64(ctx, ocsp->this_update));
	js_set(ctx, o, "next_update", JS_NewInt64(ctx, ocsp->next_update));
	js_set(ctx, o, "revoked_at", JS_NewInt64(ctx, ocsp->revoked_at));
	js_set(ctx, o, "revocation_reason", text(ctx, ocsp->reason));
	js_set(ctx, o, "status", text(ctx, ocsp->status));
	return o;
}

/* Go's name of the suites with ChaCha20 that TLS 1.2 has lacks the hash. */
static JSValue make_cipher(JSContext *ctx, const struct load_response *r)
{
	const char *name = r->net && r->net->tls_cipher ? r->net->tls_cipher : "";
	struct str s = str_from(name);

	if (str_starts_with(s, STR("TLS_ECDHE_")) &&
	    str_ends_with(s, STR("_CHACHA20_POLY1305_SHA256")))
		s.len -= sizeof("_SHA256") - 1;
	return js_new_str(ctx, s);
}

static JSValue make_request(JSContext *ctx, const struct load_response *r)
{
	JSValue o = JS_NewObject(ctx), headers = JS_NewObject(ctx), own_agent;

	vec_for_each (&r->headers, h) {
		JSValue list = JS_NewArray(ctx);

		JS_SetPropertyUint32(ctx, list, 0, text(ctx, h->value));
		js_set(ctx, headers, h->name, list);
	}
	own_agent = JS_GetPropertyStr(ctx, headers, "User-Agent");
	if (JS_IsUndefined(own_agent)) {
		JSValue list = JS_NewArray(ctx);

		JS_SetPropertyUint32(ctx, list, 0,
				     text(ctx, load_vu_of(ctx)->run->plan->user_agent));
		js_set(ctx, headers, "User-Agent", list);
	}
	JS_FreeValue(ctx, own_agent);
	js_set(ctx, o, "method", text(ctx, r->method));
	js_set(ctx, o, "url", text(ctx, r->url));
	js_set(ctx, o, "headers", headers);
	js_set(ctx, o, "body", js_new_str(ctx, strbuf_str(&r->body)));
	js_set(ctx, o, "cookies", JS_NewObject(ctx));
	return o;
}

/* What of a failed reply had come stays visible; without any there is no body. */
static bool has_body(const struct load_response *r)
{
	if (r->unmade)
		return true;
	return r->net && r->type != LOAD_RESPONSE_NONE && (!r->net->error || r->net->body.len > 0);
}

/* Of a response that has one. */
static struct str body_of(const struct load_response *r)
{
	return r->unmade ? STR("") : strbuf_str(&r->net->body);
}

static JSValue make_body(JSContext *ctx, const struct load_response *r)
{
	struct str body;

	if (!has_body(r))
		return JS_NULL;
	if (r->unmade) /* whatever type was asked for, as under k6 */
		return JS_NewArray(ctx);
	body = body_of(r);
	if (r->type == LOAD_RESPONSE_BINARY)
		return JS_NewArrayBufferCopy(ctx, (const uint8_t *)body.ptr, body.len);
	return js_new_str(ctx, body);
}

static JSValue make_status_text(JSContext *ctx, const struct load_response *r)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!failed(r))
		strbuf_addf(&sb, "%u %.*s", r->net->head.status,
			    STR_FMT(net_head_reason(&r->net->head)));
	return js_new_str(ctx, strbuf_str(&sb));
}

static JSValue make_proto(JSContext *ctx, const struct load_response *r)
{
	if (failed(r))
		return text(ctx, "");
	return text(ctx, net_head_proto(&r->net->head));
}

static JSValue make_remote_ip(JSContext *ctx, const struct load_response *r)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (r->net && r->net->remote.sa.sa_family)
		net_addr_fmt(&sb, &r->net->remote, false);
	return js_new_str(ctx, strbuf_str(&sb));
}

static JSValue make_remote_port(JSContext *ctx, const struct load_response *r)
{
	if (!r->net || !r->net->remote.sa.sa_family)
		return JS_NewInt32(ctx, 0);
	return JS_NewInt32(ctx, net_addr_port(&r->net->remote));
}

/* Fields that are one object for as long as the response lives. */
static JSValue make_object(JSContext *ctx, const struct load_response *r, int field)
{
	switch (field) {
	case RESPONSE_HEADERS:
		return load_headers_object(ctx, r->net);
	case RESPONSE_COOKIES:
		return make_cookies(ctx, r);
	case RESPONSE_BODY:
		return make_body(ctx, r);
	case RESPONSE_TIMINGS:
		return make_timings(ctx, r);
	case RESPONSE_OCSP:
		return make_ocsp(ctx, r);
	default:
		return make_request(ctx, r);
	}
}

static JSValue make_method(JSContext *ctx, int field)
{
	JSValue proto = JS_GetClassProto(ctx, LOAD_CLASS_RESPONSE);
	JSValue method = JS_GetPropertyStr(ctx, proto, field_names[field]);

	JS_FreeValue(ctx, proto);
	return method;
}

static JSValue cached_value(JSContext *ctx, struct response_object *o, int field)
{
	if (JS_IsUndefined(o->cache[field]))
		o->cache[field] = make_object(ctx, o->data, field);
	if (JS_IsException(o->cache[field])) {
		o->cache[field] = JS_UNDEFINED;
		return JS_EXCEPTION;
	}
	return JS_DupValue(ctx, o->cache[field]);
}

static JSValue field_value(JSContext *ctx, struct response_object *o, int field)
{
	const struct load_response *r = o->data;

	switch (field) {
	case RESPONSE_REMOTE_IP:
		return make_remote_ip(ctx, r);
	case RESPONSE_REMOTE_PORT:
		return make_remote_port(ctx, r);
	case RESPONSE_URL:
		return text(ctx, r->url);
	case RESPONSE_STATUS:
		return JS_NewInt32(ctx, failed(r) ? 0 : (int)r->net->head.status);
	case RESPONSE_STATUS_TEXT:
		return make_status_text(ctx, r);
	case RESPONSE_PROTO:
		return make_proto(ctx, r);
	case RESPONSE_TLS_VERSION:
		return text(ctx, r->net ? load_http_tls_version(r->net) : NULL);
	case RESPONSE_TLS_CIPHER_SUITE:
		return make_cipher(ctx, r);
	case RESPONSE_ERROR:
		return text(ctx, load_response_error(r));
	case RESPONSE_ERROR_CODE:
		return JS_NewInt32(ctx, r->error_code);
	default:
		return field >= RESPONSE_JSON ? make_method(ctx, field)
					      : cached_value(ctx, o, field);
	}
}

static int get_own_property(JSContext *ctx, JSPropertyDescriptor *desc, JSValueConst obj,
			    JSAtom prop)
{
	struct response_object *o = JS_GetOpaque(obj, LOAD_CLASS_RESPONSE);
	const struct load_response_atoms *atoms = load_vu_response_atoms(load_vu_of(ctx));
	int field = 0;

	while (field < RESPONSE_FIELDS && atoms->field[field] != prop)
		field++;
	if (field == RESPONSE_FIELDS)
		return 0;
	if (!desc)
		return 1;
	*desc = (JSPropertyDescriptor){
		.flags = JS_PROP_C_W_E,
		.value = field_value(ctx, o, field),
		.getter = JS_UNDEFINED,
		.setter = JS_UNDEFINED,
	};
	return JS_IsException(desc->value) ? -1 : 1;
}

static int get_own_property_names(JSContext *ctx, JSPropertyEnum **ret, uint32_t *ret_len,
				  JSValueConst obj UNUSED)
{
	const struct load_response_atoms *atoms = load_vu_response_atoms(load_vu_of(ctx));
	JSPropertyEnum *names = js_malloc(ctx, sizeof(*names) * RESPONSE_FIELDS);

	if (!names)
		return -1;
	for (int i = 0; i < RESPONSE_FIELDS; i++) {
		names[i].is_enumerable = 1;
		names[i].atom = JS_DupAtom(ctx, atoms->field[i]);
	}
	*ret = names;
	*ret_len = RESPONSE_FIELDS;
	return 0;
}

static JSClassExoticMethods exotic = {
	.get_own_property = get_own_property,
	.get_own_property_names = get_own_property_names,
};

const struct js_class load_response_class = {
	.id = LOAD_CLASS_RESPONSE,
	.def = {
		.class_name = "Response",
		.finalizer = finalize,
		.gc_mark = mark,
		.exotic = &exotic,
	},
};

/* ---- methods ---- */

static JSValue parse_body(JSContext *ctx, const struct load_response *r)
{
	if (!has_body(r))
		return js_throw(ctx, "the body is null so we can't transform it to JSON - this "
				     "likely was because of a request error getting the response");
	return js_json_parse(ctx, body_of(r), r->url);
}

/* A selector on a body that is no JSON gives undefined; without one it is an error. */
static JSValue select_json(JSContext *ctx, struct response_object *o, JSValueConst selector)
{
	CLEANUP(strbuf_release) struct strbuf path = STRBUF_INIT;

	if (js_to_str(ctx, selector, &path) < 0)
		return JS_EXCEPTION;
	if (JS_IsUndefined(o->parsed)) {
		JSValue parsed = parse_body(ctx, o->data);

		if (JS_IsException(parsed)) {
			if (!has_body(o->data))
				return JS_EXCEPTION;
			JS_FreeValue(ctx, JS_GetException(ctx));
			return JS_UNDEFINED;
		}
		o->parsed = parsed;
	}
	return load_json_path(ctx, o->parsed, strbuf_str(&path));
}

static JSValue response_json(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct response_object *o = JS_GetOpaque2(ctx, this, LOAD_CLASS_RESPONSE);

	if (!o)
		return JS_EXCEPTION;
	if (argc > 0 && !JS_IsUndefined(argv[0]))
		return select_json(ctx, o, argv[0]);
	return parse_body(ctx, o->data);
}

/* The body as a page, parsed once. NULL with an exception. */
static struct load_html_doc *page_of(JSContext *ctx, struct response_object *o)
{
	if (o->page)
		return o->page;
	if (!has_body(o->data)) {
		js_throw(ctx, "the body is null so it cannot be read as HTML; most likely the "
			      "request failed");
		return NULL;
	}
	o->page = load_html_doc_new(ctx, body_of(o->data), o->data->url);
	return o->page;
}

static JSValue page_method(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv,
			   int field)
{
	struct response_object *o = JS_GetOpaque2(ctx, this, LOAD_CLASS_RESPONSE);
	struct load_html_doc *page = o ? page_of(ctx, o) : NULL;
	JSValueConst options = argc > 0 ? argv[0] : JS_UNDEFINED;

	if (!page)
		return JS_EXCEPTION;
	switch (field) {
	case RESPONSE_HTML:
		return load_html_document(ctx, page, options);
	case RESPONSE_SUBMIT_FORM:
		return load_response_submit_form(ctx, page, options);
	default:
		return load_response_click_link(ctx, page, options);
	}
}

static const JSCFunctionListEntry methods[] = {
	JS_CFUNC_DEF("json", 1, response_json),
	JS_CFUNC_MAGIC_DEF("html", 1, page_method, RESPONSE_HTML),
	JS_CFUNC_MAGIC_DEF("submitForm", 1, page_method, RESPONSE_SUBMIT_FORM),
	JS_CFUNC_MAGIC_DEF("clickLink", 1, page_method, RESPONSE_CLICK_LINK),
};

int load_response_setup(JSContext *ctx)
{
	JSValue proto = JS_NewObject(ctx);

	if (JS_IsException(proto))
		return -1;
	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetClassProto(ctx, LOAD_CLASS_RESPONSE, proto);
	return 0;
}

JSValue load_response_object(JSContext *ctx, struct load_response *r)
{
	JSValue obj = JS_NewObjectClass(ctx, LOAD_CLASS_RESPONSE);
	struct response_object *o;

	if (JS_IsException(obj)) {
		load_response_free(r);
		return JS_EXCEPTION;
	}
	o = xcalloc(1, sizeof(*o));
	o->data = r;
	for (int i = 0; i < RESPONSE_FIELDS; i++)
		o->cache[i] = JS_UNDEFINED;
	o->parsed = JS_UNDEFINED;
	JS_SetOpaque(obj, o);
	return obj;
}
