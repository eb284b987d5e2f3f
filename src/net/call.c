/*
 * The life of a call, from net_client_send() to its callback.
 *
 * A server may close a kept connection at the very moment a request is written to it. Clients hide
 * that (RFC 9110 9.2.2, Go's transport among them) by sending once more, on a new connection, when
 * no byte of a reply came and the method is idempotent or nothing was written. Not hiding it would
 * show resets that other tools do not show.
 */
#include <errno.h>
#include <string.h>

#include "base/duration.h"
#include "net/client_internal.h"
#include "net/http1_request.h"

/* A body up to this size is sent from one buffer with the head: one write, one TLS record. */
#define JOIN_BYTES 8192

static uint64_t *phase_slot(struct net_call *call)
{
	struct net_timings *t = &call->res->t;

	switch (call->phase) {
	case PHASE_LOOKUP:
		return &t->looking_up_ns;
	case PHASE_CONNECT:
		return &t->connecting_ns;
	case PHASE_TLS:
		return &t->tls_ns;
	case PHASE_SEND:
		return &t->sending_ns;
	case PHASE_WAIT:
		return &t->waiting_ns;
	case PHASE_RECEIVE:
		return &t->receiving_ns;
	default:
		return NULL;
	}
}

void call_enter_phase(struct net_call *call, enum call_phase phase, uint64_t now_ns)
{
	uint64_t *slot = phase_slot(call);

	if (slot)
		*slot += now_ns - call->phase_start_ns;
	if (phase == PHASE_SEND || (phase == PHASE_END && call->phase < PHASE_SEND))
		call->res->t.blocked_ns = now_ns - call->res->t.start_ns;
	call->phase = phase;
	call->phase_start_ns = now_ns;
}

/* --- ending --- */

static void account_bytes(struct net_call *call)
{
	struct net_conn *conn = call->conn;

	call->res->sent_bytes += conn->stream.sent_bytes - conn->sent_before;
	call->res->received_bytes += conn->stream.received_bytes - conn->received_before;
	conn->sent_before = conn->stream.sent_bytes;
	conn->received_before = conn->stream.received_bytes;
}

static void leave_connection(struct net_call *call, bool reusable)
{
	struct net_conn *conn = call->conn;

	if (conn && conn->h2) {
		h2_leave(call);
		return;
	}
	call->conn = NULL;
	if (!conn || conn->state == CONN_LINK)
		return;
	if (reusable)
		conn_make_idle(conn);
	else
		conn_close(conn);
}

/* Gives the call's memory back; call->res is somebody else's from here on. */
static void release_call(struct net_call *call)
{
	struct net_client *c = call->client;
	struct net_call *last = vec_last(&c->calls);

	net_timer_cancel(&call->timer);
	if (call->origin)
		origin_put(c, call->origin);
	last->index = call->index;
	c->calls.ptr[call->index] = last;
	c->calls.len--;
	stack_return_call(c->stack, call);
}

static void deliver(struct net_call *call)
{
	net_done_fn *done = call->done;
	struct net_response *res = call->res;
	void *arg = call->arg;

	release_call(call);
	done(arg, res);
}

static void deliver_later(struct net_task *t)
{
	deliver(container_of(t, struct net_call, task));
}

static void end_call(struct net_call *call, uint64_t now_ns, bool reusable)
{
	call_enter_phase(call, PHASE_END, now_ns);
	call->res->t.end_ns = now_ns;
	if (call->conn)
		account_bytes(call);
	leave_connection(call, reusable);
	if (call->in_send) {
		net_timer_cancel(&call->timer);
		call->task.run = deliver_later;
		call->delivering = true;
		net_loop_defer(call->client->stack->loop, &call->task);
	} else {
		deliver(call);
	}
}

void call_complete(struct net_call *call, uint64_t now_ns, bool reusable)
{
	end_call(call, now_ns, reusable && !call->wants_close && !call->client->opts.no_reuse);
}

void net_call_cancel(struct net_call *call)
{
	struct net_response *res = call->res;

	if (call->delivering)
		net_loop_undefer(call->client->stack->loop, &call->task);
	leave_connection(call, false);
	release_call(call);
	net_response_free(res);
}

/* --- failing --- */

static const char *const doing[] = {
	[PHASE_START] = "preparing the request to", [PHASE_LOOKUP] = "looking up",
	[PHASE_CONNECT] = "connecting to",	    [PHASE_TLS] = "TLS handshake with",
	[PHASE_SEND] = "sending the request to",    [PHASE_WAIT] = "waiting for the reply of",
	[PHASE_RECEIVE] = "receiving the reply of",
};

static const char *const advice[NET_ERR_COUNT] = {
	[NET_ERR_DNS_NO_HOST] = "check the name and /etc/hosts",
	[NET_ERR_DNS_TIMEOUT] = "check the servers in /etc/resolv.conf",
	[NET_ERR_DIAL_REFUSED] = "is the server listening there?",
	[NET_ERR_DIAL_TIMEOUT] = "is there a server, and no firewall before it?",
	[NET_ERR_NO_FDS] = "raise the limit of open files (ulimit -n)",
	[NET_ERR_NO_PORTS] = "keep connections alive, or widen net.ipv4.ip_local_port_range",
	[NET_ERR_TLS_RECORD] = "does it speak plain http there?",
	[NET_ERR_TLS_AUTHORITY] = "trust the authority that signed it, or do not verify",
	[NET_ERR_TLS_HOSTNAME] = "use the name in the certificate, or do not verify",
	[NET_ERR_TIMEOUT] = "allow more time, or see what keeps the server",
	[NET_ERR_TOO_LARGE] = "raise the limit, or discard the body",
};

/* "host:port", and the address that is meant by a name. */
static void add_target(struct strbuf *sb, const struct net_call *call)
{
	CLEANUP(strbuf_release) struct strbuf address = STRBUF_INIT;
	const struct net_origin *o = call->origin;
	bool is_v6 = str_find(o->host, ':') < o->host.len;

	strbuf_addf(sb, is_v6 ? "[%.*s]:%u" : "%.*s:%u", STR_FMT(o->host), o->port);
	if (o->proxy)
		strbuf_addf(sb, " through the proxy %s:%u", o->proxy->host, o->proxy->port);
	if (!call->conn || !call->conn->remote.sa.sa_family)
		return;
	net_addr_fmt(&address, &call->conn->remote, false);
	if (!str_ieq(o->host, strbuf_str(&address)))
		strbuf_addf(sb, " (%s)", strbuf_cstr(&address));
}

static void describe(struct net_call *call, const char *why)
{
	struct strbuf *sb = &call->res->message;

	strbuf_clear(sb);
	strbuf_addf(sb, "%s ", doing[call->phase]);
	add_target(sb, call);
	strbuf_addf(sb, ": %s", why);
	if (advice[call->res->error])
		strbuf_addf(sb, "; %s", advice[call->res->error]);
}

void call_fail(struct net_call *call, enum net_err kind, int code, const char *why)
{
	char reason[128];

	call->res->error = kind;
	call->res->sys_errno = code ? -code : 0;
	describe(call, why ? why : strerror_r(-code, reason, sizeof(reason)));
	end_call(call, net_loop_now_ns(), false);
}

static bool may_retry(const struct net_call *call)
{
	if (call->h2_refused)
		return !call->res->retried;
	return call->res->reused && !call->res->retried && !call->http1.started &&
	       !call->h2.began && (call->is_idempotent || !call->sent);
}

void call_fail_connection(struct net_call *call, enum net_err kind, int code, const char *why)
{
	struct net_timings *t = &call->res->t;

	if (!may_retry(call)) {
		call_fail(call, kind, code, why);
		return;
	}
	account_bytes(call);
	leave_connection(call, false);
	call->res->reused = false;
	call->res->retried = true;
	call->h2_refused = false;
	*t = (struct net_timings){ .start_ns = t->start_ns };
	call->phase = PHASE_START;
	dial_start(call);
}

static void expired(struct net_timer *t)
{
	CLEANUP(strbuf_release) struct strbuf why = STRBUF_INIT;
	struct net_call *call = container_of(t, struct net_call, timer);
	bool whole = net_loop_now_ns() >= call->deadline_ns;
	enum net_err kind = NET_ERR_TIMEOUT;

	if (!whole && dial_expired(call->conn))
		return;
	if (!whole)
		kind = call->phase == PHASE_LOOKUP ? NET_ERR_DNS_TIMEOUT : NET_ERR_DIAL_TIMEOUT;
	strbuf_addstr(&why, "timed out after ");
	duration_fmt(&why, whole ? call->deadline_ns - call->res->t.start_ns
				 : call->client->opts.dial_timeout_ns);
	call_fail(call, kind, -ETIMEDOUT, strbuf_cstr(&why));
}

/* --- starting --- */

static struct net_call *new_call(struct net_client *c, const struct net_request *req)
{
	struct net_call *call = stack_take_call(c->stack);

	call->client = c;
	call->origin = origin_get(c, req->url);
	call->conn = NULL;
	call->res = stack_take_response(c->stack);
	call->done = req->done;
	call->arg = req->arg;
	call->index = c->calls.len;
	vec_push(&c->calls, call);
	call->timer.expired = expired;
	call->delivering = false;
	call->sent = 0;
	call->send_error = 0;
	call->phase = PHASE_START;
	call->phase_start_ns = net_loop_now_ns();
	call->http1 = (struct net_http1){ 0 };
	call->h2 = (struct net_h2_stream){ 0 };
	call->h2_refused = false;
	call->max_body_bytes = req->max_body_bytes ? req->max_body_bytes : c->opts.max_body_bytes;
	call->discard_body = req->discard_body;
	call->upgrade = req->upgrade;
	return call;
}

static int write_request(struct net_call *call, const struct net_request *req, const char **ret_why)
{
	struct net_http1_request_info info;
	int r = net_http1_write_request(&call->out, req, &call->client->opts,
					call_proxy_to_ask(call), &info, ret_why);

	if (r < 0)
		return r;
	call->is_head = info.is_head;
	call->is_idempotent = info.is_idempotent;
	call->wants_close = info.wants_close;
	call->head_len = call->out.len;
	call->body = req->body;
	if (call->body.len <= JOIN_BYTES) {
		strbuf_add(&call->out, call->body.ptr, call->body.len);
		call->body.len = 0;
	}
	return 0;
}

static void start(struct net_call *call)
{
	struct net_client *c = call->client;

	struct net_conn *h2 = call->upgrade ? NULL : h2_find(call->origin);

	if (h2) {
		call->res->reused = true;
		h2_start(call, h2);
		return;
	}
	call->conn = call->upgrade ? NULL : conn_take_idle(c, call->origin);
	if (call->conn) {
		call->res->reused = true;
		call->conn->call = call;
		net_timer_set(c->stack->loop, &call->timer, call->deadline_ns);
		exchange_start(call);
		return;
	}
	dial_start(call);
}

struct net_call *net_client_send(struct net_client *c, const struct net_request *req)
{
	struct net_call *call = new_call(c, req);
	const char *why;

	call->in_send = true;
	call->res->t.start_ns = call->phase_start_ns;
	call->deadline_ns =
		call->res->t.start_ns + (req->timeout_ns ? req->timeout_ns : c->opts.timeout_ns);
	if (write_request(call, req, &why) < 0)
		call_fail(call, NET_ERR_BAD_REQUEST, -EINVAL, why);
	else
		start(call);
	call->in_send = false;
	return call;
}
