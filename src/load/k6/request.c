/*
 * The life of a request: send, take the reply, emit its samples, follow a redirect or finish. What
 * scripts see of transport failures is k6's: a response with status 0, an error text and a code.
 */
#include "load/k6/request.h"

#include <errno.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/http.h"
#include "load/k6/http_debug.h"
#include "load/worker.h"
#include "net/coding.h"

#define HEADERS_MAX 256 /* more than http_params.c lets in */

static void on_reply(void *arg, struct net_response *net);

static void link_request(struct load_request *req)
{
	struct load_vu *vu = req->vu;

	req->linked = true;
	req->next = vu->requests;
	if (req->next)
		req->next->prev = req;
	vu->requests = req;
}

static void unlink_request(struct load_request *req)
{
	if (!req->linked)
		return;
	req->linked = false;
	if (req->next)
		req->next->prev = req->prev;
	if (req->prev)
		req->prev->next = req->next;
	else
		req->vu->requests = req->next;
	req->prev = req->next = NULL;
}

void load_request_cancel(struct load_request *req)
{
	if (req->call)
		net_call_cancel(req->call);
	if (req->late_queued)
		net_loop_undefer(req->vu->worker->loop, &req->late);
	net_timer_remove(req->vu->worker->loop, &req->hold);
	req->call = NULL;
	req->late_queued = false;
	unlink_request(req);
}

void load_request_free(struct load_request *req)
{
	if (!req)
		return;
	load_request_cancel(req);
	if (req->release)
		req->release(req);
	free(req->method);
	strbuf_release(&req->url);
	free(req->name);
	free(req->refused);
	vec_for_each (&req->headers, h)
		load_header_release(h);
	vec_release(&req->headers);
	vec_for_each (&req->cookies, c) {
		free(c->name);
		free(c->value);
	}
	vec_release(&req->cookies);
	strbuf_release(&req->body);
	load_auth_release(&req->auth);
	load_response_free(req->response);
	free(req);
}

void load_requests_cancel(struct load_vu *vu)
{
	while (vu->requests)
		load_request_free(vu->requests);
}

static void finish(struct load_request *req)
{
	if (!req->waited_for && req->vu->native == req)
		unlink_request(req);
	req->finished = true;
	req->done(req);
}

/* ---- failures before anything is sent ---- */

static void report_late(struct net_task *t)
{
	struct load_request *req = container_of(t, struct load_request, late);

	req->late_queued = false;
	finish(req);
}

/* An address that nothing can be sent to counts as a request of no length. */
static void emit_unsent(struct load_request *req, const char *message)
{
	struct net_response none = { .error = NET_ERR_BAD_REQUEST };

	none.t.start_ns = none.t.end_ns = net_loop_now_ns();
	strbuf_addstr(&none.message, message);
	load_http_emit(req, &none);
	strbuf_release(&none.message);
}

static bool has_scheme(const struct strbuf *url)
{
	return strstr(strbuf_cstr(url), "://") != NULL;
}

static void fail_late(struct load_request *req, int code, const char *message)
{
	struct load_response *res = xcalloc(1, sizeof(*res));

	res->error = xstrdup(message);
	res->error_code = code;
	res->unmade = req->refused;
	req->response = res;
	if (!req->throw_errors)
		load_log(req->vu->run, LOAD_LOG_WARN, "Request Failed: %s", message);
	req->late.run = report_late;
	req->late_queued = true;
	net_loop_defer(req->vu->worker->loop, &req->late);
}

void load_request_refuse(struct load_request *req, int code, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
	va_list ap;

	if (req->refused)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&message, fmt, ap);
	va_end(ap);
	req->refused = strbuf_detach(&message);
	req->refused_code = code;
	req->throw_errors = req->vu->run->plan->throw_errors;
}

/* k6 tells two kinds: text that is no URL at all, which is no request and has no samples, and one
 * it does not know how to follow. */
static bool is_bad_url(const struct load_request *req, int why)
{
	return why < 0 && why != -EPROTONOSUPPORT && has_scheme(&req->url);
}

void load_request_check_url(struct load_request *req)
{
	struct error err = ERROR_INIT;
	struct net_url url;

	if (is_bad_url(req, net_url_parse(&url, strbuf_str(&req->url), &err)))
		load_request_refuse(req, 1020, "%s", err.msg);
}

static void fail_unsent(struct load_request *req, int why, const char *message)
{
	if (is_bad_url(req, why)) {
		load_request_refuse(req, 1020, "%s", message);
		fail_late(req, 1020, message);
		return;
	}
	emit_unsent(req, message);
	fail_late(req, 1000, message);
}

/* ---- sending ---- */

static void send_now(struct load_request *req)
{
	CLEANUP(strbuf_release) struct strbuf cookies = STRBUF_INIT;
	struct net_header headers[HEADERS_MAX];
	struct error err = ERROR_INIT;
	uint64_t now_ns = net_loop_now_ns();
	struct net_request out;
	struct net_url url;
	size_t n = 0;
	int r = net_url_parse(&url, strbuf_str(&req->url), &err);

	if (r < 0) {
		fail_unsent(req, r, err.msg);
		return;
	}
	vec_for_each (&req->headers, h)
		headers[n++] = (struct net_header){ str_from(h->name), str_from(h->value) };
	load_request_cookie_header(req, &url, &cookies);
	if (cookies.len)
		headers[n++] = (struct net_header){ STR("Cookie"), strbuf_str(&cookies) };
	out = (struct net_request){
		.method = str_from(req->method),
		.url = &url,
		.headers = headers,
		.n_headers = n,
		.body = strbuf_str(&req->body),
		.discard_body = req->type == LOAD_RESPONSE_NONE,
		.timeout_ns = req->deadline_ns > now_ns ? req->deadline_ns - now_ns : 1,
		.done = on_reply,
		.arg = req,
	};
	load_http_debug_request(req, &out);
	req->call = net_client_send(req->vu->client, &out);
}

/*
 * The option rps: one request each 1/rps seconds, over all threads. Those that come too early are
 * given a time of their own; what they wait for is no part of any latency.
 */
static uint64_t turn_of(struct load_run *run)
{
	uint64_t now_ns = net_loop_now_ns(), free_ns = atomic_load(&run->next_request_ns), turn_ns;

	do
		turn_ns = MAX(free_ns, now_ns);
	while (!atomic_compare_exchange_weak(&run->next_request_ns, &free_ns,
					     turn_ns + NS_PER_S / run->plan->rps));
	return turn_ns;
}

static void hold_over(struct net_timer *t)
{
	send_now(container_of(t, struct load_request, hold));
}

static void send_exchange(struct load_request *req)
{
	uint64_t now_ns, turn_ns;

	if (!req->vu->run->plan->rps) {
		send_now(req);
		return;
	}
	now_ns = net_loop_now_ns();
	turn_ns = turn_of(req->vu->run);
	if (turn_ns <= now_ns) {
		send_now(req);
		return;
	}
	req->deadline_ns += turn_ns - now_ns;
	req->hold.expired = hold_over;
	net_timer_set(req->vu->worker->loop, &req->hold, turn_ns);
}

void load_request_start(struct load_request *req)
{
	struct load_vu *vu = req->vu;

	link_request(req);
	if (vu->first_request) {
		req->lag_ns = vu->start_ns - vu->intended_ns;
		vu->first_request = false;
	}
	if (req->refused)
		fail_late(req, req->refused_code, req->refused);
	else
		send_exchange(req);
}

/* ---- redirects ---- */

static void drop_header(struct load_request *req, const char *name)
{
	for (size_t i = 0; i < req->headers.len; i++) {
		if (!str_ieq(str_from(req->headers.ptr[i].name), str_from(name)))
			continue;
		load_header_release(&req->headers.ptr[i]);
		memmove(&req->headers.ptr[i], &req->headers.ptr[i + 1],
			(req->headers.len - i - 1) * sizeof(req->headers.ptr[0]));
		req->headers.len--;
		i--;
	}
}

static bool is_redirect(const struct net_response *net)
{
	unsigned s = net->head.status;

	return !net->error && (s == 301 || s == 302 || s == 303 || s == 307 || s == 308) &&
	       net_head_get(&net->head, "Location").ptr;
}

void load_request_set_header(struct load_request *req, const char *name, struct str value)
{
	drop_header(req, name);
	vec_push(&req->headers, ((struct load_header){ xstrdup(name), str_dup(value) }));
}

/* What a client sends next (RFC 9110 15.4, and what browsers and Go do with 301 and 302). */
static void apply_redirect(struct load_request *req, const struct net_response *net)
{
	CLEANUP(strbuf_release) struct strbuf target = STRBUF_INIT;
	struct net_url from, to;

	net_url_resolve(&target, strbuf_str(&req->url), net_head_get(&net->head, "Location"));
	if (net->head.status <= 303 && strcmp(req->method, "HEAD") != 0) {
		free(req->method);
		req->method = xstrdup("GET");
		strbuf_clear(&req->body);
		drop_header(req, "Content-Type");
		drop_header(req, "Content-Encoding");
	}
	if (net_url_parse(&from, strbuf_str(&req->url), NULL) == 0 &&
	    net_url_parse(&to, strbuf_str(&target), NULL) == 0 &&
	    !str_ieq(from.authority, to.authority)) {
		drop_header(req, "Authorization");
		drop_header(req, "Host");
	}
	strbuf_clear(&req->url);
	strbuf_add(&req->url, strbuf_cstr(&target), target.len);
}

/* ---- replies ---- */

static void take_cookies(struct load_request *req, const struct net_response *net)
{
	struct net_url url;

	if (!net->error && net_url_parse(&url, strbuf_str(&req->url), NULL) == 0)
		load_jar_take(req->jar, &url, &net->head);
}

/* A small body may unpack to a large one: this much and no more. */
#define UNPACKED_BYTES_MAX ((size_t)256 * 1024 * 1024)

static void unpack_body(struct net_response *net)
{
	struct str codings = { 0 };
	struct error err = ERROR_INIT;

	if (!net->error && net->body.len)
		codings = net_head_get(&net->head, "Content-Encoding");
	if (!codings.len || net_coding_remove(codings, UNPACKED_BYTES_MAX, &net->body, &err) == 0)
		return;
	net->error = NET_ERR_CODING;
	strbuf_clear(&net->message);
	strbuf_addstr(&net->message, err.msg);
}

static void on_reply(void *arg, struct net_response *net)
{
	struct load_request *req = arg;
	struct load_response *res;

	req->call = NULL;
	unpack_body(net);
	load_http_debug_response(req, net);
	load_http_emit(req, net);
	req->lag_ns = 0;
	take_cookies(req, net);
	if (load_auth_is_challenge(req, net) && load_auth_answer(req, net) == 0) {
		net_response_free(net);
		send_exchange(req);
		return;
	}
	if (is_redirect(net) && req->redirects_left > 0) {
		req->redirects_left--;
		apply_redirect(req, net);
		net_response_free(net);
		send_exchange(req);
		return;
	}
	if (net->error && !req->throw_errors)
		load_log(req->vu->run, LOAD_LOG_WARN, "Request Failed: %s",
			 strbuf_cstr(&net->message));
	res = xcalloc(1, sizeof(*res));
	res->net = net;
	res->error_code = load_http_error_code(net);
	req->response = res;
	finish(req);
}

/* Moves what was asked for into the response, which outlives the request. */
static void hand_over_request(struct load_request *req, struct load_response *res)
{
	res->type = req->type;
	res->method = TAKE(req->method);
	res->headers.ptr = TAKE(req->headers.ptr);
	res->headers.len = req->headers.len;
	res->headers.cap = req->headers.cap;
	req->headers.len = req->headers.cap = 0;
	res->body = req->body;
	req->body = (struct strbuf)STRBUF_INIT;
	res->url = res->unmade ? xstrdup("") : strbuf_detach(&req->url);
}

JSValue load_request_result(JSContext *ctx, struct load_request *req)
{
	const struct load_response *res = req->response;
	const char *error = load_response_error(res);

	if (*error && req->throw_errors)
		return js_throw(ctx, "%s", res->net ? strbuf_cstr(&res->net->message) : error);
	hand_over_request(req, req->response);
	return load_response_object(ctx, TAKE(req->response));
}

JSValue load_request_unsent(JSContext *ctx, struct load_request *req)
{
	struct load_response *res = xcalloc(1, sizeof(*res));

	res->unmade = true;
	req->response = res;
	if (req->refused) {
		res->error = xstrdup(req->refused);
		res->error_code = req->refused_code;
		if (!req->throw_errors)
			load_log(req->vu->run, LOAD_LOG_WARN, "A batch request failed: %s",
				 req->refused);
	}
	return load_request_result(ctx, req);
}
