/*
 * rig.h - a loop with a client on it, and requests to a server on the loopback, one at a time.
 */
#ifndef ASSAY_TESTS_NET_RIG_H
#define ASSAY_TESTS_NET_RIG_H

#include "net/client.h"
#include "server.h"
#include "test.h"

struct rig {
	struct net_loop *loop;
	struct net_stack *stack;
	struct net_client *client;
	struct net_response *res; /* the last one */
	unsigned done;
	struct server server; /* of rig_serve() */
	bool has_server;
};

/* Options may be NULL. */
void rig_open(struct rig *b, const struct net_stack_opts *stack_opts,
	      const struct net_client_opts *opts);

/* With a server beside it. */
void rig_serve(struct rig *b, serve_fn *serve, const void *arg, const struct net_client_opts *opts);
void rig_close(struct rig *b);

/* Starts a request for url; method is GET unless req has another, the callback is the rig's unless
 * it has another. */
struct net_call *rig_begin(struct rig *b, const char *url, struct net_request req);

/* The callback of rig_begin(), arg is the rig. */
void rig_done(void *arg, struct net_response *res);

/* Runs until count requests are done, since the rig was opened; the last response. */
struct net_response *rig_wait(struct rig *b, unsigned count);

/* Runs for a while. */
void rig_idle(struct rig *b, uint64_t ns);

/* A request to the rig's server from start to end; the response stays the rig's. */
struct net_response *rig_request(struct rig *b, struct net_request req);
struct net_response *rig_get(struct rig *b);

/* "http://127.0.0.1:PORT/path" of the rig's server, valid until the next call. */
const char *rig_url(const struct rig *b);

#define ASSERT_ERR(res, kind) ASSERT_STREQ(net_err_name((res)->error), kind)

/* --- servers; arg is the reply --- */

#define REPLY "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

void serve_always(struct connection *c);
void serve_once(struct connection *c);	  /* and closes */
void serve_silence(struct connection *c); /* accepts and says nothing */

#endif
