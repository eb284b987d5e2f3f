/*
 * The module "k6/http": the method functions, http.url`...`, response callbacks, constants. A call
 * that waits starts its request and blocks the VU's fiber until the loop has finished it.
 */
#include "load/k6/http.h"

#include <stdlib.h>

#include "js/value.h"
#include "load/k6/modules.h"

/* ---- one request, waited for ---- */

static void wake_vu(struct load_request *req)
{
	if (req->waited_for)
		load_vu_resume(req->vu);
}

/* Takes req over. */
static JSValue run_and_wait(JSContext *ctx, struct load_request *req)
{
	JSValue result;

	req->done = wake_vu;
	load_request_start(req);
	req->waited_for = true;
	if (!req->finished && js_vm_yield(req->vu->vm) < 0) {
		load_request_free(req);
		return js_vm_throw_aborted(ctx);
	}
	result = load_request_result(ctx, req);
	load_request_free(req);
	return result;
}

JSValue load_http_send(JSContext *ctx, const char *method, JSValueConst url, JSValueConst body,
		       JSValueConst params)
{
	struct load_request *req = load_request_new(ctx, method, url, body, params);

	return req ? run_and_wait(ctx, req) : JS_EXCEPTION;
}

static JSValue arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

enum method {
	METHOD_GET,
	METHOD_HEAD,
	METHOD_POST,
	METHOD_PUT,
	METHOD_PATCH,
	METHOD_DELETE,
	METHOD_OPTIONS
};

static const char *const method_names[] = { "GET",   "HEAD",   "POST",	 "PUT",
					    "PATCH", "DELETE", "OPTIONS" };

/* get(url, params), head(url, params); the others are (url, body, params). */
static JSValue http_method(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv,
			   int method)
{
	bool has_body = method > METHOD_HEAD;

	return load_http_send(ctx, method_names[method], arg(argc, argv, 0),
			      has_body ? arg(argc, argv, 1) : JS_UNDEFINED,
			      arg(argc, argv, has_body ? 2 : 1));
}

struct load_request *load_http_request_of(JSContext *ctx, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf method = STRBUF_INIT;

	if (argc < 2 || js_to_str(ctx, argv[0], &method) < 0) {
		if (argc < 2)
			JS_ThrowTypeError(ctx, "a request takes at least a method and a URL");
		return NULL;
	}
	for (size_t i = 0; i < method.len; i++)
		if (method.ptr[i] >= 'a' && method.ptr[i] <= 'z')
			method.ptr[i] = (char)(method.ptr[i] - 'a' + 'A');
	return load_request_new(ctx, strbuf_cstr(&method), argv[1], arg(argc, argv, 2),
				arg(argc, argv, 3));
}

static JSValue http_request(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_request *req = load_http_request_of(ctx, argc, argv);

	return req ? run_and_wait(ctx, req) : JS_EXCEPTION;
}

/* ---- http.url`...` ---- */

/* Text pieces and values in turn: the URL has the values, the name has "${}" in their places. */
static JSValue http_url(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf url = STRBUF_INIT, name = STRBUF_INIT;
	int64_t pieces =
		argc > 0 && JS_IsArray(ctx, argv[0]) > 0 ? js_array_length(ctx, argv[0]) : -1;
	JSValue o;

	if (pieces < 0)
		return JS_ThrowTypeError(ctx, "http.url is for tagged templates: http.url`...`");
	for (int64_t i = 0; i < pieces; i++) {
		JSValue piece = JS_GetPropertyUint32(ctx, argv[0], (uint32_t)(i));
		size_t start = url.len;
		int r = js_to_str(ctx, piece, &url);

		JS_FreeValue(ctx, piece);
		if (r < 0)
			return JS_EXCEPTION;
		strbuf_add(&name, strbuf_cstr(&url) + start, url.len - start);
		if (i + 1 == pieces)
			break;
		strbuf_addstr(&name, "${}");
		if (i + 1 < argc && js_to_str(ctx, argv[i + 1], &url) < 0)
			return JS_EXCEPTION;
	}
	o = JS_NewObjectClass(ctx, LOAD_CLASS_URL);
	js_set_str(ctx, o, "name", strbuf_str(&name));
	js_set_str(ctx, o, "url", strbuf_str(&url));
	return o;
}

bool load_http_url_parts(JSContext *ctx, JSValueConst v, struct strbuf *url, struct strbuf *name)
{
	if (!JS_IsObject(v) || JS_GetClassID(v) != LOAD_CLASS_URL)
		return false;
	return js_get_str(ctx, v, "url", url) > 0 && js_get_str(ctx, v, "name", name) > 0;
}

static JSValue url_to_string(JSContext *ctx, JSValueConst this, int argc UNUSED,
			     JSValueConst *argv UNUSED)
{
	return JS_GetPropertyStr(ctx, this, "url");
}

/* ---- expected statuses ---- */

static int read_range(JSContext *ctx, JSValueConst v, struct load_statuses *s)
{
	int64_t min = 0, max = 0;

	if (JS_IsNumber(v)) {
		if (JS_ToInt64(ctx, &min, v) < 0)
			return -1;
		max = min;
	} else if (!JS_IsObject(v) || js_get_int64(ctx, v, "min", &min) <= 0 ||
		   js_get_int64(ctx, v, "max", &max) <= 0) {
		JS_ThrowTypeError(ctx, "expectedStatuses() takes numbers and {min, max} objects");
		return -1;
	}
	if (s->len == ARRAY_SIZE(s->ranges)) {
		JS_ThrowRangeError(ctx, "more than %zu expected statuses", ARRAY_SIZE(s->ranges));
		return -1;
	}
	s->ranges[s->len].min = (int)min;
	s->ranges[s->len++].max = (int)max;
	return 0;
}

static void statuses_finalize(JSRuntime *rt UNUSED, JSValue val)
{
	free(JS_GetOpaque(val, LOAD_CLASS_STATUSES));
}

static JSValue http_expected_statuses(JSContext *ctx, JSValueConst this UNUSED, int argc,
				      JSValueConst *argv)
{
	struct load_statuses s = { .len = 0 }, *kept;
	JSValue o;

	if (!argc)
		return JS_ThrowTypeError(ctx, "expectedStatuses() takes at least one status");
	for (int i = 0; i < argc; i++)
		if (read_range(ctx, argv[i], &s) < 0)
			return JS_EXCEPTION;
	o = JS_NewObjectClass(ctx, LOAD_CLASS_STATUSES);
	if (JS_IsException(o))
		return o;
	kept = xmalloc(sizeof(*kept));
	*kept = s;
	JS_SetOpaque(o, kept);
	return o;
}

int load_statuses_read(JSContext *ctx, JSValueConst v, struct load_statuses *ret)
{
	const struct load_statuses *s;

	if (JS_IsNull(v)) {
		*ret = (struct load_statuses){ .off = true };
		return 0;
	}
	s = JS_GetOpaque(v, LOAD_CLASS_STATUSES);
	if (!s) {
		JS_ThrowTypeError(ctx, "a response callback is null or what "
				       "http.expectedStatuses() gives");
		return -1;
	}
	*ret = *s;
	return 0;
}

static JSValue http_set_response_callback(JSContext *ctx, JSValueConst this UNUSED, int argc,
					  JSValueConst *argv)
{
	struct load_vu *vu = load_vu_of(ctx);

	if (load_statuses_read(ctx, arg(argc, argv, 0), &vu->expected) < 0)
		return JS_EXCEPTION;
	return JS_UNDEFINED;
}

/* ---- files of multipart bodies ---- */

/* Without a name k6 takes the time in ns: unique, and of no meaning. */
static JSValue http_file(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT, type = STRBUF_INIT;
	JSValue file;

	if (!JS_IsUndefined(arg(argc, argv, 1)) && js_to_str(ctx, arg(argc, argv, 1), &name) < 0)
		return JS_EXCEPTION;
	if (!JS_IsUndefined(arg(argc, argv, 2)) && js_to_str(ctx, arg(argc, argv, 2), &type) < 0)
		return JS_EXCEPTION;
	if (!name.len)
		strbuf_addf(&name, "%llu", (unsigned long long)net_loop_now_ns());
	if (!type.len)
		strbuf_addstr(&type, "application/octet-stream");
	file = JS_NewObjectClass(ctx, LOAD_CLASS_FILE);
	js_set(ctx, file, "data", JS_DupValue(ctx, arg(argc, argv, 0)));
	js_set_str(ctx, file, "filename", strbuf_str(&name));
	js_set_str(ctx, file, "content_type", strbuf_str(&type));
	return file;
}

#define CONSTANT(name, text) JS_PROP_STRING_DEF(name, text, JS_PROP_ENUMERABLE)

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_MAGIC_DEF("get", 2, http_method, METHOD_GET),
	JS_CFUNC_MAGIC_DEF("head", 2, http_method, METHOD_HEAD),
	JS_CFUNC_MAGIC_DEF("post", 3, http_method, METHOD_POST),
	JS_CFUNC_MAGIC_DEF("put", 3, http_method, METHOD_PUT),
	JS_CFUNC_MAGIC_DEF("patch", 3, http_method, METHOD_PATCH),
	JS_CFUNC_MAGIC_DEF("del", 3, http_method, METHOD_DELETE),
	JS_CFUNC_MAGIC_DEF("options", 3, http_method, METHOD_OPTIONS),
	JS_CFUNC_DEF("request", 4, http_request),
	JS_CFUNC_DEF("asyncRequest", 4, load_http_async),
	JS_CFUNC_DEF("batch", 1, load_http_batch),
	JS_CFUNC_DEF("url", 1, http_url),
	JS_CFUNC_DEF("cookieJar", 0, load_http_cookie_jar),
	JS_CFUNC_DEF("expectedStatuses", 1, http_expected_statuses),
	JS_CFUNC_DEF("setResponseCallback", 1, http_set_response_callback),
	JS_CFUNC_DEF("file", 3, http_file),
	CONSTANT("TLS_1_0", "tls1.0"),
	CONSTANT("TLS_1_1", "tls1.1"),
	CONSTANT("TLS_1_2", "tls1.2"),
	CONSTANT("TLS_1_3", "tls1.3"),
	CONSTANT("OCSP_STATUS_GOOD", "good"),
	CONSTANT("OCSP_STATUS_REVOKED", "revoked"),
	CONSTANT("OCSP_STATUS_SERVER_FAILED", "server_failed"),
	CONSTANT("OCSP_STATUS_UNKNOWN", "unknown"),
	CONSTANT("OCSP_REASON_UNSPECIFIED", "unspecified"),
	CONSTANT("OCSP_REASON_KEY_COMPROMISE", "key_compromise"),
	CONSTANT("OCSP_REASON_CA_COMPROMISE", "ca_compromise"),
	CONSTANT("OCSP_REASON_AFFILIATION_CHANGED", "affiliation_changed"),
	CONSTANT("OCSP_REASON_SUPERSEDED", "superseded"),
	CONSTANT("OCSP_REASON_CESSATION_OF_OPERATION", "cessation_of_operation"),
	CONSTANT("OCSP_REASON_CERTIFICATE_HOLD", "certificate_hold"),
	CONSTANT("OCSP_REASON_REMOVE_FROM_CRL", "remove_from_crl"),
	CONSTANT("OCSP_REASON_PRIVILEGE_WITHDRAWN", "privilege_withdrawn"),
	CONSTANT("OCSP_REASON_AA_COMPROMISE", "aa_compromise"),
};

static const JSCFunctionListEntry url_methods[] = {
	JS_CFUNC_DEF("toString", 0, url_to_string),
};

static int init(JSContext *ctx, JSValueConst exports)
{
	JSValue proto = JS_NewObject(ctx);

	JS_SetPropertyFunctionList(ctx, proto, url_methods, ARRAY_SIZE(url_methods));
	JS_SetClassProto(ctx, LOAD_CLASS_URL, proto);
	JS_SetClassProto(ctx, LOAD_CLASS_FILE, JS_NewObject(ctx));
	return load_jar_setup(ctx, exports);
}

static const char *const names[] = { "CookieJar", NULL };

const struct js_native_module load_k6_http = {
	.name = "k6/http",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
	.names = names,
	.init = init,
};

const struct js_class load_statuses_class = {
	.id = LOAD_CLASS_STATUSES,
	.def = { .class_name = "ExpectedStatuses", .finalizer = statuses_finalize },
};

const struct js_class load_file_class = {
	.id = LOAD_CLASS_FILE,
	.def = { .class_name = "FileData" },
};

const struct js_class load_url_class = {
	.id = LOAD_CLASS_URL,
	.def = { .class_name = "HTTPURL" },
};
