/*
 * client.h - an asynchronous HTTP client on a loop: one client per virtual user, each with its own
 * keep-alive connections, or one to each server that speaks HTTP/2. Everything here belongs to the
 * loop's thread. There are no retries but the silent one on a stale connection, no redirects, no
 * cookies and no decoding of content: each exchange with a server is one call with one response, so
 * that it can be one sample.
 *
 *	struct net_request req = { .method = STR("GET"), .url = &url, .done = on_reply, .arg = vu };
 *	net_client_send(client, &req);
 *	...
 *	void on_reply(void *arg, struct net_response *res)
 *	{
 *		... res->error, res->head.status, res->body ...
 *		net_response_free(res);
 *	}
 */
#ifndef ASSAY_NET_CLIENT_H
#define ASSAY_NET_CLIENT_H

#include "net/addr.h"
#include "net/err.h"
#include "net/http1_head.h"
#include "net/link.h"
#include "net/names.h"
#include "net/proxy.h"
#include "net/stack.h"
#include "net/tls_ocsp.h"
#include "net/url.h"

struct net_client;
struct net_call;

/* What is spoken: HTTP/2 where TLS's handshake agrees on it; HTTP/1 only; HTTP/2 only, without TLS
 * by "prior knowledge" (RFC 9113 3.3). */
enum net_http { NET_HTTP_ANY, NET_HTTP_1, NET_HTTP_2 };

struct net_client_opts {
	enum net_http http;
	const char *user_agent;		   /* sent unless the request has its own; NULL = none */
	uint64_t timeout_ns;		   /* of a whole request; 0 = 60 s */
	uint64_t dial_timeout_ns;	   /* of lookup, connecting and TLS; 0 = 30 s */
	size_t max_body_bytes;		   /* of a response; 0 = 64 MB */
	unsigned max_idle;		   /* connections kept open while unused; 0 = 20 */
	unsigned max_idle_per_host;	   /* 0 = 6 */
	bool no_reuse;			   /* "Connection: close" on every request */
	bool tls_resumption;		   /* later handshakes with a server continue its session */
	const struct net_names *names;	   /* must outlive the client; NULL = no rules */
	const struct net_proxies *proxies; /* likewise; NULL = none */
	struct net_addr local;		   /* to connect from; family 0 = any */
};

struct net_header {
	struct str name, value;
};

/* Phases in ns, 0 when they did not happen. What k6 calls duration is sending + waiting +
 * receiving. */
struct net_timings {
	uint64_t start_ns;	/* CLOCK_MONOTONIC, when the call was made */
	uint64_t blocked_ns;	/* until there was a connection; the next three are parts of it */
	uint64_t looking_up_ns; /* DNS; 0 for cached and numeric hosts */
	uint64_t connecting_ns; /* TCP; all attempts when several addresses were tried */
	uint64_t tls_ns;
	uint64_t sending_ns;   /* until the write of the last byte returned */
	uint64_t waiting_ns;   /* until the first byte of the reply was read */
	uint64_t receiving_ns; /* until the last one was; a phase that failed ends with the failure
				*/
	uint64_t end_ns;       /* CLOCK_MONOTONIC */
};

struct net_response {
	enum net_err error;
	int sys_errno;	       /* behind error, 0 when none is */
	uint32_t h2_code;      /* behind NET_ERR_H2_GOAWAY, _STREAM and _CONNECTION */
	struct strbuf message; /* what failed, for people; empty when error is NET_OK */
	struct net_head head;  /* status 0 on failure before the head was complete */
	struct strbuf body;    /* transfer coding taken off; empty when discarded */
	uint64_t body_bytes;   /* counted even when discarded */
	struct net_timings t;
	uint64_t sent_bytes; /* on the wire, TLS included */
	uint64_t received_bytes;
	struct net_addr remote;	 /* family 0 when no connection was made */
	const char *tls_version; /* "TLSv1.3"; NULL without TLS; constant text */
	const char *tls_cipher;	 /* IANA name */
	struct net_ocsp ocsp;
	bool reused;		 /* came over a kept connection */
	bool retried;		 /* a kept connection was found dead first */
	struct net_link *link;	 /* after a request with `upgrade` and status 101; whoever takes it
				  * sets   it to NULL */
	struct net_stack *stack; /* private: where it goes back to */
	struct net_response *next;
};

/* The response is the callback's to keep; it goes back with net_response_free(). */
typedef void net_done_fn(void *arg, struct net_response *res);

struct net_request {
	struct str method;
	const struct net_url *url;	  /* read during net_client_send() only, as are headers */
	const struct net_header *headers; /* "Host" replaces ours; "Content-Length" and
					   * "Transfer-Encoding" are dropped */
	size_t n_headers;
	struct str body; /* must stay until done; empty = none */
	bool discard_body;
	bool upgrade;	       /* a reply of status 101 is expected: a new connection, HTTP/1 */
	uint64_t timeout_ns;   /* 0 = the client's */
	size_t max_body_bytes; /* 0 = the client's */
	net_done_fn *done;     /* never called before net_client_send() has returned */
	void *arg;
};

/* The stack must outlive the client. */
struct net_client *net_client_new(struct net_stack *stack, const struct net_client_opts *opts);

struct net_stack *net_client_stack(struct net_client *c);

/* Calls in flight are cancelled, connections closed. NULL in, nothing done. */
void net_client_free(struct net_client *c);

/*
 * Starts a request. On a kept connection it has been written when this returns. Every failure
 * arrives by done. The call is over, and the pointer void, when done is called or it is cancelled.
 */
struct net_call *net_client_send(struct net_client *c, const struct net_request *req);

/* Ends a call without calling done; its connection is closed. */
void net_call_cancel(struct net_call *call);

/* Closes the connections that are not in use. */
void net_client_close_idle(struct net_client *c);

/* Gives a response back for use by others. From the loop's thread. NULL in, nothing done. */
void net_response_free(struct net_response *res);

#endif
