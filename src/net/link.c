/*
 * Links are connections of a client without a call. What a reader of the loop's scratch buffer does
 * with bytes may close the link, so each is handed over last, or the link is looked for again.
 */
#include "net/link.h"

#include <errno.h>
#include <stdlib.h>

#include "net/client_internal.h"

/* Reads in a row on one connection before others get their turn. */
#define MAX_ROUNDS 16

struct net_link {
	struct net_conn *conn;
	const struct net_link_ops *ops;
	void *arg;
	struct strbuf early; /* what came behind the reply's head */
	struct strbuf out;   /* of which so many bytes have been sent: */
	size_t out_sent;
	bool ended, paused;
	bool *closed; /* set while somebody up the stack wants to know */
};

struct net_link *link_attach(struct net_conn *conn, struct str early)
{
	struct net_link *l = xcalloc(1, sizeof(*l));

	l->conn = conn;
	strbuf_add(&l->early, early.ptr, early.len);
	conn->state = CONN_LINK;
	conn->link = l;
	conn->call = NULL;
	conn_watch(conn, 0); /* until somebody listens */
	return l;
}

void link_free(struct net_link *l)
{
	if (!l)
		return;
	if (l->closed)
		*l->closed = true;
	strbuf_release(&l->early);
	strbuf_release(&l->out);
	free(l);
}

void net_link_close(struct net_link *l)
{
	if (l)
		conn_close(l->conn);
}

static void watch(struct net_link *l)
{
	uint32_t events = EPOLLIN;

	if (l->paused)
		return;
	if (l->out_sent < l->out.len)
		events |= l->conn->stream.wants ? l->conn->stream.wants : EPOLLOUT;
	conn_watch(l->conn, events);
}

static void end(struct net_link *l, int code)
{
	if (l->ended)
		return;
	l->ended = true;
	/* a broken connection is told again and again, whatever is watched for */
	net_watch_remove(l->conn->client->stack->loop, &l->conn->watch);
	l->ops->ended(l->arg, code);
}

/* A paused link is not watched at all: a broken one would be told of again and again. */
void net_link_pause(struct net_link *l, bool paused)
{
	struct net_conn *conn = l->conn;
	struct net_loop *loop = conn->client->stack->loop;

	if (l->ended || l->paused == paused)
		return;
	l->paused = paused;
	if (paused) {
		net_watch_remove(loop, &conn->watch);
		return;
	}
	conn->events = EPOLLIN;
	if (net_watch_add(loop, &conn->watch, conn->stream.fd, EPOLLIN) == 0)
		watch(l);
	conn_resume_later(conn);
}

void net_link_listen(struct net_link *l, const struct net_link_ops *ops, void *arg)
{
	l->ops = ops;
	l->arg = arg;
	watch(l);
	conn_resume_later(l->conn);
}

/* A failure shows at the next read, where it may be told. */
static void flush(struct net_link *l)
{
	struct net_stream *s = &l->conn->stream;
	ssize_t n = 1;

	while (n > 0 && l->out_sent < l->out.len) {
		struct iovec iov = { l->out.ptr + l->out_sent, l->out.len - l->out_sent };

		n = s->ops->write(s, &iov, 1);
		if (n > 0)
			l->out_sent += (size_t)n;
	}
	if (l->out_sent == l->out.len || (n < 0 && n != -EAGAIN)) {
		strbuf_clear(&l->out);
		l->out_sent = 0;
	}
	watch(l);
}

void net_link_write(struct net_link *l, struct str bytes)
{
	if (l->ended)
		return;
	/* what was sent long ago goes when it is the larger part: each byte is moved once at most
	 */
	if (l->out_sent > l->out.len / 2) {
		strbuf_consume(&l->out, l->out_sent);
		l->out_sent = 0;
	}
	strbuf_add(&l->out, bytes.ptr, bytes.len);
	flush(l);
}

size_t net_link_unsent(const struct net_link *l)
{
	return l->out.len - l->out_sent;
}

uint64_t net_link_sent_bytes(const struct net_link *l)
{
	return l->conn->stream.sent_bytes;
}

uint64_t net_link_received_bytes(const struct net_link *l)
{
	return l->conn->stream.received_bytes;
}

/* False: the link is gone. */
static bool hand_over(struct net_link *l, struct str bytes)
{
	bool closed = false;

	l->closed = &closed;
	l->ops->bytes(l->arg, bytes);
	if (!closed)
		l->closed = NULL;
	return !closed;
}

static bool hand_over_early(struct net_link *l)
{
	CLEANUP(strbuf_release) struct strbuf early = l->early;

	l->early = (struct strbuf)STRBUF_INIT;
	return !early.len || hand_over(l, strbuf_str(&early));
}

static void read_link(struct net_link *l)
{
	struct net_conn *conn = l->conn;
	struct net_stream *s = &conn->stream;
	struct net_stack *stack = conn->client->stack;

	for (int round = 0; round < MAX_ROUNDS && !l->paused; round++) {
		ssize_t n = s->ops->read(s, stack->scratch, SCRATCH_BYTES);

		if (n == -EAGAIN)
			return;
		if (n <= 0) {
			end(l, (int)n);
			return;
		}
		if (!hand_over(l, (struct str){ stack->scratch, (size_t)n }))
			return;
		if (n < SCRATCH_BYTES && !s->ops->has_pending(s))
			return;
	}
	if (!l->paused && s->ops->has_pending(s))
		conn_resume_later(conn);
}

void link_ready(struct net_link *l)
{
	if (l->ended || l->paused || !l->ops || !hand_over_early(l))
		return;
	if (l->out_sent < l->out.len)
		flush(l);
	read_link(l);
}
