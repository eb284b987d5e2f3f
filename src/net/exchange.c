/*
 * One request and its response on an established connection. On a warm one this is a write, a read
 * and three readings of the clock: before the write, after it, and after the read that brought the
 * first (and mostly the last) byte. Bytes are worked off out of the thread's one read buffer; only
 * the head and a wanted body are copied.
 *
 * A server may reply, and close, before it has taken the whole request (a 413 for instance). So the
 * reply is read while sending goes on, and a failed write is reported only when no reply explains
 * it.
 */
#include <errno.h>

#include "net/client_internal.h"

/* Reads in a row on one connection before others get their turn. */
#define MAX_ROUNDS 16

static bool all_sent(const struct net_call *call)
{
	return call->sent == call->out.len + call->body.len;
}

static ssize_t write_rest(struct net_call *call)
{
	struct net_stream *s = &call->conn->stream;
	size_t out_sent = (size_t)MIN(call->sent, (uint64_t)call->out.len);
	size_t body_sent = (size_t)call->sent - out_sent;
	struct iovec iov[2];
	int n = 0;

	if (out_sent < call->out.len)
		iov[n++] = (struct iovec){ call->out.ptr + out_sent, call->out.len - out_sent };
	if (body_sent < call->body.len)
		iov[n++] = (struct iovec){ (char *)(uintptr_t)call->body.ptr + body_sent,
					   call->body.len - body_sent };
	return s->ops->write(s, iov, n);
}

static void send_request(struct net_call *call)
{
	struct net_conn *conn = call->conn;
	ssize_t n;

	do {
		n = write_rest(call);
		if (n > 0)
			call->sent += (uint64_t)n;
	} while (n > 0 && !all_sent(call));
	if (n == -EAGAIN) {
		conn_watch(conn, EPOLLIN | conn->stream.wants);
		return;
	}
	if (n < 0)
		call->send_error = (int)n;
	else if (call->phase == PHASE_SEND)
		call_enter_phase(call, PHASE_WAIT, net_loop_now_ns());
	conn_watch(conn, EPOLLIN);
}

/* --- receiving: these return whether the call goes on --- */

static bool ended(struct net_call *call, uint64_t now_ns, struct str left_over)
{
	struct net_stream *s = &call->conn->stream;
	bool reusable = net_http1_reusable(&call->http1) && !left_over.len && all_sent(call) &&
			!s->ops->has_pending(s);

	if (call->upgrade && call->res->head.status == 101)
		call->res->link = link_attach(call->conn, left_over);
	call_complete(call, now_ns, reusable);
	return false;
}

static bool failed(struct net_call *call, enum net_err kind, int code, const char *why)
{
	call_fail(call, kind, code, why);
	return false;
}

static bool body_too_large(struct net_call *call)
{
	return failed(call, NET_ERR_TOO_LARGE, 0, "the body is larger than the limit");
}

bool exchange_expect_body(struct net_call *call, const struct net_head *h)
{
	if (call->discard_body || call->is_head || h->framing != NET_FRAMING_LENGTH)
		return true;
	if (h->content_length > call->max_body_bytes)
		return false;
	/* A server may promise much and send little: believe it up to a limit. */
	strbuf_reserve(&call->res->body, MIN((size_t)h->content_length, (size_t)SCRATCH_BYTES));
	return true;
}

bool exchange_keep_body(struct net_call *call, struct str span)
{
	struct net_response *res = call->res;

	res->body_bytes += span.len;
	if (call->discard_body)
		return true;
	if (res->body_bytes > call->max_body_bytes)
		return false;
	strbuf_add(&res->body, span.ptr, span.len);
	return true;
}

static bool take_bytes(struct net_call *call, struct str in, uint64_t now_ns)
{
	struct str span;
	const char *why;

	for (;;) {
		int event = net_http1_next(&call->http1, &in, &span, &why);

		switch (event) {
		case NET_HTTP1_MORE:
			return true;
		case NET_HTTP1_HEAD:
			if (!exchange_expect_body(call, call->http1.head))
				return body_too_large(call);
			break;
		case NET_HTTP1_BODY:
			if (!exchange_keep_body(call, span))
				return body_too_large(call);
			break;
		case NET_HTTP1_END:
			return ended(call, now_ns, in);
		default:
			return failed(call, event == -E2BIG ? NET_ERR_TOO_LARGE : NET_ERR_MALFORMED,
				      0, why);
		}
	}
}

static bool take_eof(struct net_call *call, uint64_t now_ns)
{
	const char *why;
	int event = net_http1_eof(&call->http1, &why);

	if (event == NET_HTTP1_END)
		return ended(call, now_ns, (struct str){ 0 });
	if (event == -EPIPE)
		return failed(call, NET_ERR_TRUNCATED, 0, why);
	if (call->send_error)
		call_fail_connection(call, net_err_of_io(call->send_error), call->send_error, NULL);
	else
		call_fail_connection(call, NET_ERR_CLOSED, 0, why);
	return false;
}

static bool take_error(struct net_call *call, int code)
{
	enum net_err kind = net_err_of_io(code);

	if (code == -EPROTO)
		kind = call->conn->stream.tls_error;
	call_fail_connection(call, kind, code, NULL);
	return false;
}

static void receive(struct net_call *call)
{
	struct net_conn *conn = call->conn;
	struct net_stream *s = &conn->stream;
	struct net_stack *stack = conn->client->stack;

	for (int round = 0; round < MAX_ROUNDS; round++) {
		ssize_t n = s->ops->read(s, stack->scratch, SCRATCH_BYTES);
		uint64_t now_ns;

		if (n == -EAGAIN)
			return;
		now_ns = net_loop_now_ns();
		if (n < 0) {
			take_error(call, (int)n);
			return;
		}
		if (call->phase != PHASE_RECEIVE && n > 0)
			call_enter_phase(call, PHASE_RECEIVE, now_ns);
		if (n == 0) {
			take_eof(call, now_ns);
			return;
		}
		if (!take_bytes(call, (struct str){ stack->scratch, (size_t)n }, now_ns))
			return;
		/* A socket that gave less than asked for is empty; epoll tells when it is not. */
		if (n < SCRATCH_BYTES && !s->ops->has_pending(s))
			return;
	}
	if (s->ops->has_pending(s))
		conn_resume_later(conn);
}

void exchange_describe(struct net_call *call)
{
	call->res->remote = call->conn->remote;
	call->res->tls_version = net_tls_version(&call->conn->stream);
	call->res->tls_cipher = net_tls_cipher(&call->conn->stream);
	call->res->ocsp = call->conn->ocsp;
}

void exchange_start(struct net_call *call)
{
	call_enter_phase(call, PHASE_SEND, net_loop_now_ns());
	call->sent = 0;
	call->send_error = 0;
	net_http1_begin(&call->http1, &call->res->head, call->is_head);
	exchange_describe(call);
	send_request(call);
	if (call->send_error)
		receive(call);
}

void exchange_ready(struct net_call *call, uint32_t events)
{
	/* On any event: a TLS layer may have to read before it can write. */
	if (!all_sent(call) && !call->send_error)
		send_request(call);
	if ((events & ~(uint32_t)EPOLLOUT) || call->send_error)
		receive(call);
}
