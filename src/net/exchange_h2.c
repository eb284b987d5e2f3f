/*
 * Calls on a connection that speaks HTTP/2: all of a client's calls to a server share it. The
 * session (http2.c) must not be called from within its callbacks, and a call's end may lead to
 * anything, a new request or the end of the client among them. So calls that end while bytes are
 * worked off are only noted, and told of it when the session has returned; whoever tells looks
 * afterwards whether the connection is still there.
 */
#include <errno.h>

#include "net/client_internal.h"

/* Reads in a row on one connection before others get their turn. */
#define MAX_ROUNDS 16

/* Bytes to be sent are collected up to this size: one write, few TLS records. */
#define OUT_BYTES ((size_t)64 * 1024)

static struct net_call *call_of(struct net_h2_stream *s)
{
	return container_of(s, struct net_call, h2);
}

static void untake(struct net_conn *conn)
{
	struct net_conn **p = &conn->origin->h2;

	if (!conn->h2->taking)
		return;
	conn->h2->taking = false;
	while (*p != conn)
		p = &(*p)->next_idle;
	*p = conn->next_idle;
}

/* --- what the session tells --- */

static void began(struct net_h2_stream *s)
{
	struct net_call *call = call_of(s);

	call_enter_phase(call, PHASE_RECEIVE, call->conn->h2->now_ns);
}

static bool head(struct net_h2_stream *s)
{
	return exchange_expect_body(call_of(s), s->head);
}

static bool body(struct net_h2_stream *s, struct str span)
{
	return exchange_keep_body(call_of(s), span);
}

static void ended(struct net_h2_stream *s, enum net_err error, uint32_t code, bool refused,
		  const char *why)
{
	struct net_call *call = call_of(s);

	call->h2_error = error;
	call->h2_code = code;
	call->h2_refused = refused;
	call->h2_why = why;
	vec_push(&call->conn->h2->ended, call);
}

static const struct net_h2_ops ops = { .began = began, .head = head, .body = body, .ended = ended };

/* --- sending --- */

/* The bytes are on their way: calls whose last ones these were wait from now on. */
static void note_sent(struct conn_h2 *h)
{
	uint64_t now_ns = net_loop_now_ns();

	for (size_t i = 0; i < h->calls.len; i++) {
		struct net_call *call = h->calls.ptr[i];

		call->sent = call->h2.body_sent + 1; /* and the head */
		if (call->phase == PHASE_SEND && call->h2.all_given)
			call_enter_phase(call, PHASE_WAIT, now_ns);
	}
}

/* Whether all that was collected could be sent. */
static bool write_out(struct net_conn *conn)
{
	struct conn_h2 *h = conn->h2;
	struct net_stream *s = &conn->stream;

	while (h->out_sent < h->out.len) {
		struct iovec iov = { h->out.ptr + h->out_sent, h->out.len - h->out_sent };
		ssize_t n = s->ops->write(s, &iov, 1);

		if (n == -EAGAIN) {
			conn_watch(conn, EPOLLIN | s->wants);
			return false;
		}
		if (n < 0) {
			/* the next read may tell more; nobody is told from within a request */
			h->send_error = (int)n;
			conn_resume_later(conn);
			return false;
		}
		h->out_sent += (size_t)n;
	}
	strbuf_clear(&h->out);
	h->out_sent = 0;
	return true;
}

static void flush(struct net_conn *conn)
{
	struct conn_h2 *h = conn->h2;
	bool any = false;

	if (h->send_error)
		return;
	while (h->out.len || net_h2_pull(h->session, &h->out, OUT_BYTES)) {
		any = true;
		if (!write_out(conn))
			return;
	}
	if (any)
		note_sent(h);
	conn_watch(conn, EPOLLIN);
}

/* --- calls --- */

void h2_start(struct net_call *call, struct net_conn *conn)
{
	struct conn_h2 *h = conn->h2;

	call->conn = conn;
	call->h2_index = h->calls.len;
	vec_push(&h->calls, call);
	net_timer_set(conn->client->stack->loop, &call->timer, call->deadline_ns);
	/* on a connection that was there nothing has happened yet */
	call_enter_phase(call, PHASE_SEND,
			 call->phase == PHASE_START ? call->phase_start_ns : net_loop_now_ns());
	exchange_describe(call);
	call->sent = 0;
	call->h2 = (struct net_h2_stream){
		.head = &call->res->head,
		.request = { call->out.ptr, call->head_len },
		.parts = { { call->out.ptr + call->head_len, call->out.len - call->head_len },
			   call->body },
		.is_https = conn->origin->tls,
	};
	net_head_clear(call->h2.head);
	if (net_h2_open(h->session, &call->h2) < 0) {
		call_fail(call, NET_ERR_BAD_REQUEST, 0, "it cannot be sent by HTTP/2");
		return;
	}
	flush(conn);
}

static void forget_ended(struct conn_h2 *h, const struct net_call *call)
{
	for (size_t i = 0; i < h->ended.len; i++) {
		if (h->ended.ptr[i] != call)
			continue;
		memmove(&h->ended.ptr[i], &h->ended.ptr[i + 1],
			(h->ended.len - i - 1) * sizeof(h->ended.ptr[0]));
		h->ended.len--;
		return;
	}
}

void h2_leave(struct net_call *call)
{
	struct net_conn *conn = call->conn;
	struct conn_h2 *h = conn->h2;
	struct net_call *last = vec_last(&h->calls);

	call->conn = NULL;
	last->h2_index = call->h2_index;
	h->calls.ptr[call->h2_index] = last;
	h->calls.len--;
	forget_ended(h, call);
	if (call->wants_close || conn->client->opts.no_reuse || !net_h2_has_room(h->session))
		untake(conn);
	if (call->h2.id) {
		net_h2_cancel(h->session, &call->h2);
		flush(conn);
	}
	if (!h->taking && !h->calls.len)
		conn_close(conn);
}

static void tell_ended(struct net_call *call, uint64_t now_ns)
{
	if (call->h2_error == NET_OK) {
		call_complete(call, now_ns, true);
		return;
	}
	call->res->h2_code = call->h2_code;
	if (call->h2_refused)
		call_fail_connection(call, call->h2_error, 0, call->h2_why);
	else
		call_fail(call, call->h2_error, 0, call->h2_why);
}

/* Whether the connection is still there. */
static bool unpin(struct conn_h2 *h)
{
	h->pinned = false;
	if (!h->closed)
		return true;
	free(h);
	return false;
}

/* Whether the connection is still there afterwards. */
static bool tell_all_ended(struct net_conn *conn)
{
	struct conn_h2 *h = conn->h2;

	h->pinned = true;
	while (!h->closed && h->ended.len)
		tell_ended(h->ended.ptr[0], h->now_ns);
	return unpin(h);
}

/* --- the connection's end --- */

/* Gives all calls up, and with the last of them the connection. */
static void fail_all(struct net_conn *conn, enum net_err kind, int code, const char *why)
{
	struct conn_h2 *h = conn->h2;
	uint32_t h2_code = 0;
	bool ours;

	untake(conn);
	h->send_error = h->send_error ? h->send_error : -EPIPE; /* nothing more is sent */
	if (net_h2_goaway(h->session, &h2_code, &ours) && (h2_code || ours)) {
		kind = ours ? NET_ERR_H2_CONNECTION : NET_ERR_H2_GOAWAY;
		why = net_h2_code_name(h2_code);
	}
	if (!h->calls.len) {
		conn_close(conn);
		return;
	}
	h->pinned = true;
	while (!h->closed) {
		struct net_call *call = h->calls.ptr[0];

		call->res->h2_code = h2_code;
		if (call->h2.began && kind == NET_ERR_CLOSED)
			call_fail(call, NET_ERR_TRUNCATED, 0,
				  "the server closed the connection in the middle of the reply");
		else
			call_fail_connection(call, kind, code, why);
	}
	unpin(h);
}

static void take_end(struct net_conn *conn, int code)
{
	enum net_err kind = code ? net_err_of_io(code) : NET_ERR_CLOSED;

	if (code == -EPROTO)
		kind = conn->stream.tls_error;
	fail_all(conn, kind, code,
		 code ? NULL : "the server closed the connection without a reply");
}

/* Whether the connection goes on. */
static bool take_bytes(struct net_conn *conn, struct str bytes)
{
	struct conn_h2 *h = conn->h2;
	const char *why;
	int r;

	h->now_ns = net_loop_now_ns();
	r = net_h2_receive(h->session, bytes, &why);
	if (!tell_all_ended(conn))
		return false;
	flush(conn);
	if (r < 0 || net_h2_is_over(h->session)) {
		fail_all(conn, r < 0 ? NET_ERR_H2_CONNECTION : NET_ERR_CLOSED, 0,
			 r < 0 ? why : "the connection came to its end");
		return false;
	}
	if (!h->calls.len && !net_h2_has_room(h->session)) {
		conn_close(conn);
		return false;
	}
	return true;
}

void h2_ready(struct net_conn *conn)
{
	struct net_stream *s = &conn->stream;
	struct net_stack *stack = conn->client->stack;

	/* On any event: a TLS layer may have to read before it can write. */
	if (conn->h2->out.len)
		flush(conn);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		ssize_t n = s->ops->read(s, stack->scratch, SCRATCH_BYTES);

		if (n == -EAGAIN && conn->h2->send_error)
			n = conn->h2->send_error;
		if (n == -EAGAIN)
			return;
		if (n <= 0) {
			take_end(conn, (int)n);
			return;
		}
		if (!take_bytes(conn, (struct str){ stack->scratch, (size_t)n }))
			return;
		/* A socket that gave less than asked for is empty; epoll tells when it is not. */
		if (n < SCRATCH_BYTES && !s->ops->has_pending(s))
			return;
	}
	if (s->ops->has_pending(s))
		conn_resume_later(conn);
}

/* --- the connection --- */

void h2_attach(struct net_conn *conn)
{
	conn->h2 = xcalloc(1, sizeof(*conn->h2));
	conn->h2->session = net_h2_new(&ops);
	conn->state = CONN_H2;
	if (conn->client->opts.no_reuse)
		return;
	conn->h2->taking = true;
	conn->next_idle = conn->origin->h2;
	conn->origin->h2 = conn;
}

struct net_conn *h2_find(struct net_origin *o)
{
	struct net_conn *conn = o->h2;

	while (conn && !net_h2_has_room(conn->h2->session))
		conn = conn->next_idle;
	return conn;
}

bool h2_is_idle(const struct net_conn *conn)
{
	return conn->h2 && !conn->h2->calls.len;
}

void h2_free(struct net_conn *conn)
{
	struct conn_h2 *h = conn->h2;

	if (!h)
		return;
	untake(conn);
	net_h2_free(h->session);
	strbuf_release(&h->out);
	vec_release(&h->calls);
	vec_release(&h->ended);
	h->closed = true;
	if (!h->pinned)
		free(h);
}
