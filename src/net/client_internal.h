/*
 * client_internal.h - the parts of the client and what they ask of each other.
 *
 *	client.c    clients, origins, the pool of idle connections
 *	call.c      the life of a call: start, time limits, failure, retry, delivery
 *	dial.c      a new connection: lookup, connect, a proxy's tunnel, TLS
 *	exchange.c  one request and its response on a connection
 *	exchange_h2.c  many at once, on a connection that speaks HTTP/2
 *	link.c      a connection that has left HTTP
 *	stack.c     what a thread shares, recycling of calls and responses
 *
 * A call has a connection from its first moment to its last (but for the instant of a retry), at
 * first one that is being dialled. A connection without a call is idle and in its origin's list.
 *One that speaks HTTP/2 has any number of calls and is in a list of its own while it takes new
 *ones.
 */
#ifndef ASSAY_NET_CLIENT_INTERNAL_H
#define ASSAY_NET_CLIENT_INTERNAL_H

#include "base/vec.h"
#include "net/client.h"
#include "net/http1.h"
#include "net/http2.h"
#include "net/stream.h"

#define SCRATCH_BYTES (64 * 1024)

struct net_stack {
	struct net_loop *loop;
	struct net_stack_opts opts; /* with strings of its own */
	struct net_dns *dns;
	struct net_tls *tls; /* made at the first https request */
	struct net_call *idle_calls;
	struct net_response *idle_responses;
	char scratch[SCRATCH_BYTES]; /* every read lands here and is worked off at once */
};

/* A server as connections are kept for it; lives while something refers to it. */
struct net_origin {
	struct net_origin *next;
	unsigned refs;
	unsigned n_idle;
	struct net_conn
		*idle;	     /* newest first: the warmest, and the surplus ages out at the server */
	struct net_conn *h2; /* those that take calls beside the ones they have */
	bool tls;
	uint16_t port;
	const struct net_proxy *proxy; /* NULL = straight to the server */
	struct str host;	       /* lies behind the struct */
};

/* A TLS session with a server, for the next handshake. */
struct kept_session {
	struct kept_session *next;
	struct ssl_session_st *session;
	uint16_t port;
	char *host;
};

struct net_client {
	struct net_stack *stack;
	struct net_client_opts opts; /* defaults filled in */
	char *user_agent;
	VEC(struct net_call *) calls;
	VEC(struct net_conn *) conns;
	struct net_origin *origins;
	struct kept_session *sessions;
	unsigned n_idle;
};

enum conn_state {
	CONN_LOOKUP,
	CONN_CONNECTING,
	CONN_TUNNEL, /* the proxy is connecting to the server */
	CONN_HANDSHAKE,
	CONN_BUSY,
	CONN_IDLE,
	CONN_H2,
	CONN_LINK,
};

/* What a connection that speaks HTTP/2 has besides. */
struct conn_h2 {
	struct net_h2 *session;
	struct strbuf out; /* bytes for the socket, of which so many have been sent: */
	size_t out_sent;
	VEC(struct net_call *) calls; /* in any order */
	VEC(struct net_call *) ended; /* of these; to be told so */
	bool taking;		      /* in origin->h2 */
	bool pinned, closed;	      /* somebody looks on; the connection is gone */
	int send_error;
	uint64_t now_ns; /* of the read being worked off */
};

struct net_conn {
	struct net_stream stream;
	struct net_watch watch;
	uint32_t events; /* what watch waits for */
	enum conn_state state;
	struct net_client *client;
	struct net_origin *origin;
	struct net_call *call;	    /* NULL when idle */
	struct conn_h2 *h2;	    /* NULL when it speaks HTTP/1 */
	struct net_link *link;	    /* in state CONN_LINK */
	struct net_conn *next_idle; /* in origin->idle or origin->h2 */
	struct net_dial *dial;	    /* until established */
	size_t index;		    /* in client->conns */
	struct net_addr remote;
	struct net_ocsp ocsp;
	uint64_t sent_before, received_before; /* stream's counts when the last call ended */
	struct net_task resume;		       /* bytes wait in the TLS layer */
	bool resuming;
};

enum call_phase {
	PHASE_START,
	PHASE_LOOKUP,
	PHASE_CONNECT,
	PHASE_TLS,
	PHASE_SEND,
	PHASE_WAIT,
	PHASE_RECEIVE,
	PHASE_END,
};

struct net_call {
	struct net_client *client;
	struct net_origin *origin;
	struct net_conn *conn;
	struct net_response *res;
	net_done_fn *done;
	void *arg;
	size_t index; /* in client->calls */

	struct net_timer timer;
	uint64_t deadline_ns, dial_deadline_ns;
	struct net_task task; /* delivers what ended inside net_client_send() */
	bool in_send, delivering;

	struct strbuf out; /* the head, and the body when it is small */
	size_t head_len;   /* of the head in it */
	struct str body;   /* the rest, borrowed */
	uint64_t sent;	   /* of both */
	int send_error;
	struct net_http1 http1;
	struct net_h2_stream h2; /* instead, on a connection that speaks HTTP/2 */
	size_t h2_index;	 /* in its calls */
	enum net_err h2_error;	 /* with which the stream has ended, and what it said: */
	uint32_t h2_code;
	const char *h2_why;
	bool h2_refused;
	size_t max_body_bytes;
	bool is_head, is_idempotent, discard_body, wants_close, upgrade;

	enum call_phase phase;
	uint64_t phase_start_ns;
	struct net_call *next; /* in the stack's idle list */
};

/* stack.c */
struct net_call *stack_take_call(struct net_stack *stack);
void stack_return_call(struct net_stack *stack, struct net_call *call);
struct net_response *stack_take_response(struct net_stack *stack);
int stack_tls(struct net_stack *stack, struct net_tls **ret, struct error *reterr);

/* client.c */
struct net_origin *origin_get(struct net_client *c, const struct net_url *url);
/* The place for the TLS session with the origin's server. */
struct ssl_session_st **session_slot(struct net_client *c, const struct net_origin *o);
/* The proxy that gets the requests themselves; NULL when it makes tunnels, or there is none. */
const struct net_proxy *origin_proxy_to_ask(const struct net_client *c, const struct net_origin *o);
const struct net_proxy *call_proxy_to_ask(const struct net_call *call);
void origin_put(struct net_client *c, struct net_origin *o);
struct net_conn *conn_new(struct net_client *c, struct net_origin *o);
void conn_close(struct net_conn *conn);
void conn_watch(struct net_conn *conn, uint32_t events);
/* In the next round as if something were to be read: bytes wait where no descriptor tells. */
void conn_resume_later(struct net_conn *conn);
struct net_conn *conn_take_idle(struct net_client *c, struct net_origin *o);
void conn_make_idle(struct net_conn *conn);

/* call.c */
/* The time since the last change counts for the phase that ends here. */
void call_enter_phase(struct net_call *call, enum call_phase phase, uint64_t now_ns);

/* After each of these the call is over, or has begun again on another connection: callers return.
 */
void call_complete(struct net_call *call, uint64_t now_ns, bool reusable);
void call_fail(struct net_call *call, enum net_err kind, int code, const char *why);

/* The connection broke. On a kept one without a byte of reply this begins again instead. */
void call_fail_connection(struct net_call *call, enum net_err kind, int code, const char *why);

/* dial.c */
void dial_start(struct net_call *call);
void dial_ready(struct net_conn *conn);
bool dial_expired(struct net_conn *conn); /* false: nothing is left to try */
void dial_free(struct net_dial *dial);

/* exchange.c */
void exchange_start(struct net_call *call);
void exchange_ready(struct net_call *call, uint32_t events);

/* The part of the body that came is to be kept; false when that is more than is allowed. */
bool exchange_keep_body(struct net_call *call, struct str span);

/* The head is complete: makes room for the body; false when it will be more than is allowed. */
bool exchange_expect_body(struct net_call *call, const struct net_head *h);

/* What the connection says of itself, for the response. */
void exchange_describe(struct net_call *call);

/* link.c */
/* The connection's call has ended with status 101; bytes came behind it. */
struct net_link *link_attach(struct net_conn *conn, struct str early);
void link_ready(struct net_link *l);
void link_free(struct net_link *l); /* for conn_close() */

/* exchange_h2.c */
/* An established connection turned out to speak HTTP/2; it has no call. */
void h2_attach(struct net_conn *conn);

/* One of the origin's connections that has room for a call; NULL when none has. */
struct net_conn *h2_find(struct net_origin *o);

/* The call joins the connection and begins. */
void h2_start(struct net_call *call, struct net_conn *conn);
void h2_ready(struct net_conn *conn);

/* The call is over or is being given up. May close the connection. */
void h2_leave(struct net_call *call);

bool h2_is_idle(const struct net_conn *conn);
void h2_free(struct net_conn *conn); /* for conn_close() */

#endif
