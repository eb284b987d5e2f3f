/*
 * Several requests at a time: http.batch(), which waits for all of its entries, and
 * http.asyncRequest(), whose promise is settled on the VU's fiber when the reply has come.
 */
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/http.h"
#include "load/k6/modules.h"

/* ---- batch ---- */

struct batch_entry {
	struct load_request *req;
	char *key; /* of an object's entry; NULL for a list's */
	char *host;
	bool started;
};

struct batch {
	struct load_vu *vu;
	VEC(struct batch_entry) entries;
	size_t running, left;
	bool waiting;
};

static void batch_release(struct batch *b)
{
	vec_for_each (&b->entries, e) {
		load_request_free(e->req);
		free(e->key);
		free(e->host);
	}
	vec_release(&b->entries);
}

static size_t running_on(const struct batch *b, const char *host)
{
	size_t n = 0;

	vec_for_each (&b->entries, e)
		n += e->started && !e->req->finished && !strcmp(e->host, host);
	return n;
}

/* Starts what the limits let run, in order. */
static void batch_start(struct batch *b)
{
	const struct load_plan *plan = b->vu->run->plan;

	vec_for_each (&b->entries, e) {
		if (plan->batch && b->running >= plan->batch)
			return;
		if (e->started ||
		    (plan->batch_per_host && running_on(b, e->host) >= plan->batch_per_host))
			continue;
		e->started = true;
		b->running++;
		load_request_start(e->req);
	}
}

static void batch_one_done(struct load_request *req)
{
	struct batch *b = req->arg;

	b->running--;
	b->left--;
	if (b->left)
		batch_start(b);
	else if (b->waiting)
		load_vu_resume(b->vu);
}

static JSValue list_item(JSContext *ctx, JSValueConst list, uint32_t i)
{
	return JS_GetPropertyUint32(ctx, list, i);
}

/* [method, url, body, params]; { method, url, body, params }; a URL. */
static struct load_request *entry_request(JSContext *ctx, JSValueConst v)
{
	JSValue parts[4] = { JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED };
	static const char *const keys[] = { "method", "url", "body", "params" };
	struct load_request *req = NULL;
	bool object = JS_IsObject(v) && JS_GetClassID(v) != LOAD_CLASS_URL;

	if (!object)
		return load_request_new(ctx, "GET", v, JS_UNDEFINED, JS_UNDEFINED);
	for (uint32_t i = 0; i < 4; i++)
		parts[i] = JS_IsArray(ctx, v) > 0 ? list_item(ctx, v, i)
						  : JS_GetPropertyStr(ctx, v, keys[i]);
	if (JS_IsUndefined(parts[0]) || JS_IsNull(parts[0]))
		parts[0] = JS_NewString(ctx, "GET");
	req = load_http_request_of(ctx, 4, parts);
	for (int i = 0; i < 4; i++)
		JS_FreeValue(ctx, parts[i]);
	return req;
}

static int batch_add(JSContext *ctx, struct str key, JSValueConst v, void *arg)
{
	struct batch *b = arg;
	struct batch_entry e = { .req = entry_request(ctx, v) };
	struct net_url url;

	if (!e.req)
		return -1;
	e.req->done = batch_one_done;
	e.req->arg = b;
	e.key = str_dup(key);
	load_request_check_url(e.req);
	if (net_url_parse(&url, strbuf_str(&e.req->url), NULL) == 0)
		e.host = str_dup(url.authority);
	else
		e.host = xstrdup("");
	vec_push(&b->entries, e);
	return 0;
}

static JSValue batch_results(JSContext *ctx, struct batch *b, bool list)
{
	JSValue out = list ? JS_NewArray(ctx) : JS_NewObject(ctx);

	for (size_t i = 0; i < b->entries.len; i++) {
		struct batch_entry *e = &b->entries.ptr[i];
		JSValue r = load_request_result(ctx, e->req);

		if (JS_IsException(r)) {
			JS_FreeValue(ctx, out);
			return r;
		}
		if (list)
			JS_SetPropertyUint32(ctx, out, (uint32_t)i, r);
		else
			js_set(ctx, out, e->key, r);
	}
	return out;
}

/*
 * One entry that cannot be made into a request, and k6 sends none of the batch: empty responses
 * before that one, null after it.
 */
static JSValue batch_refused(JSContext *ctx, struct batch *b, bool list)
{
	JSValue out = list ? JS_NewArray(ctx) : JS_NewObject(ctx);
	bool refused = false;

	for (size_t i = 0; i < b->entries.len; i++) {
		struct batch_entry *e = &b->entries.ptr[i];
		JSValue r = refused ? JS_NULL : load_request_unsent(ctx, e->req);

		if (JS_IsException(r)) {
			JS_FreeValue(ctx, out);
			return r;
		}
		refused |= e->req->refused != NULL;
		if (list)
			JS_SetPropertyUint32(ctx, out, (uint32_t)i, r);
		else if (!JS_IsNull(r))
			js_set(ctx, out, e->key, r);
	}
	return out;
}

static bool any_refused(const struct batch *b)
{
	vec_for_each (&b->entries, e)
		if (e->req->refused)
			return true;
	return false;
}

JSValue load_http_batch(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(batch_release) struct batch b = { .vu = load_vu_of(ctx) };
	bool list = argc > 0 && JS_IsArray(ctx, argv[0]) > 0;
	int r;

	if (argc < 1 || !JS_IsObject(argv[0]))
		return JS_ThrowTypeError(ctx, "http.batch() takes a list or an object of requests");
	if (load_vu_refuse_in_init(b.vu, "making requests"))
		return JS_EXCEPTION;
	r = list ? js_each_element(ctx, argv[0], batch_add, &b)
		 : js_each(ctx, argv[0], batch_add, &b);
	if (r < 0)
		return JS_EXCEPTION;
	if (any_refused(&b))
		return batch_refused(ctx, &b, list);
	b.left = b.entries.len;
	batch_start(&b);
	b.waiting = true;
	if (b.left && js_vm_yield(b.vu->vm) < 0)
		return js_vm_throw_aborted(ctx);
	return batch_results(ctx, &b, list);
}

/* ---- asyncRequest ---- */

struct async {
	struct js_task task;
	struct load_request *req;
	JSValue settle[2]; /* resolve, reject */
};

static int settle_promise(struct js_vm *vm, struct js_task *task)
{
	struct async *a = container_of(task, struct async, task);
	JSContext *ctx = js_vm_context(vm);
	JSValue result = load_request_result(ctx, a->req), returned;
	bool failed = JS_IsException(result);

	if (failed)
		result = JS_GetException(ctx);
	returned = JS_Call(ctx, a->settle[failed], JS_UNDEFINED, 1, &result);
	JS_FreeValue(ctx, result);
	load_request_free(a->req); /* and with it a */
	if (JS_IsException(returned))
		return -1;
	JS_FreeValue(ctx, returned);
	return 0;
}

static void async_done(struct load_request *req)
{
	struct async *a = req->arg;

	load_vu_post(req->vu, &a->task);
}

static void async_release(struct load_request *req)
{
	struct async *a = req->arg;
	JSContext *ctx = js_vm_context(req->vu->vm);

	JS_FreeValue(ctx, a->settle[0]);
	JS_FreeValue(ctx, a->settle[1]);
	free(a);
}

JSValue load_http_async(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_request *req = load_http_request_of(ctx, argc, argv);
	struct async *a;
	JSValue promise;

	if (!req)
		return JS_EXCEPTION;
	a = xcalloc(1, sizeof(*a));
	promise = JS_NewPromiseCapability(ctx, a->settle);
	if (JS_IsException(promise)) {
		free(a);
		load_request_free(req);
		return promise;
	}
	a->task.run = settle_promise;
	a->req = req;
	req->arg = a;
	req->done = async_done;
	req->release = async_release;
	js_vm_hold(req->vu->vm);
	load_request_start(req);
	return promise;
}
