/*
 * ws.h - a WebSocket (RFC 6455) to a server, over a client's rules and TLS settings: opening
 * handshake, messages both ways, pings answered, the closing handshake with a limit in time.
 * Everything is on the loop's thread; to be freed before the client.
 */
#ifndef ASSAY_NET_WS_H
#define ASSAY_NET_WS_H

#include "net/client.h"
#include "net/ws_frame.h"

/* What a message may have: more ends the session with code 1009. */
#define NET_WS_MESSAGE_MAX ((size_t)128 * 1024 * 1024)

/* How long the peer may take to answer our close. */
#define NET_WS_CLOSE_WAIT_NS (5 * NS_PER_S)

struct net_ws;

/* Each may free the session but for `opened` and `closed`, after which net_ws_free() is due anyway.
 */
struct net_ws_ops {
	/*
	 * The handshake has been answered, or has failed: then *why says so and nothing else is
	 * called. The response is the receiver's; its head is the server's answer if there was one.
	 */
	void (*opened)(void *arg, struct net_response *res, const char *why);
	/* A text, binary, ping or pong; the payload is borrowed for the call. */
	void (*message)(void *arg, const struct net_ws_message *m);
	/*
	 * The session is over. code and reason are the peer's, or NET_WS_ABNORMAL with *why (NULL
	 * otherwise) when the connection ended without a closing handshake, or the code with which
	 * we ended it, with *why, because the peer broke the rules.
	 */
	void (*closed)(void *arg, unsigned code, struct str reason, const char *why);
};

struct net_ws_opts {
	const struct net_url *url;	  /* of http or https; read during net_ws_open() only */
	const struct net_header *headers; /* likewise; those of the handshake itself are dropped */
	size_t n_headers;
	struct str protocols; /* for Sec-WebSocket-Protocol: "a, b"; empty = none */
	bool deflate;	      /* offer permessage-deflate */
	uint64_t timeout_ns;  /* of the handshake; 0 = the client's */
	const struct net_ws_ops *ops;
	void *arg;
};

struct net_ws *net_ws_open(struct net_client *c, const struct net_ws_opts *opts);

/* Ends it at once, without a call to ops. NULL in, nothing done. */
void net_ws_free(struct net_ws *ws);

/* The one that the server chose; empty when none, or before it is open. */
struct str net_ws_protocol(const struct net_ws *ws);
/* Its answer to Sec-WebSocket-Extensions, likewise. */
struct str net_ws_extensions(const struct net_ws *ws);

/* text, binary, ping or pong. False when the session is not open (any more). */
bool net_ws_send(struct net_ws *ws, enum net_ws_op op, struct str payload);

/* Begins to close; code 0 sends none. reason: at most 123 bytes. */
void net_ws_close(struct net_ws *ws, unsigned code, struct str reason);

/* Nothing is read while it is paused, so that no op is called; what was read already comes. */
void net_ws_pause(struct net_ws *ws, bool paused);

/* Bytes that wait for the socket. */
size_t net_ws_unsent(const struct net_ws *ws);

/* On the wire after the handshake, both since the last call. */
void net_ws_take_bytes(struct net_ws *ws, uint64_t *ret_sent, uint64_t *ret_received);

#endif
