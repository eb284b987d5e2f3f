/*
 * http2.h - the client's side of one HTTP/2 connection (RFC 9113), without input or output of its
 * own: bytes that came are given to net_h2_receive(), bytes to be sent are taken with
 * net_h2_pull(). Frames, header compression and flow control are nghttp2's.
 *
 * Streams belong to the caller, who fills in the first part and keeps them, and what they point
 * to, until ended() or net_h2_cancel(). The callbacks must not call back into the session.
 */
#ifndef ASSAY_NET_HTTP2_H
#define ASSAY_NET_HTTP2_H

#include "net/err.h"
#include "net/http1_head.h"

struct net_h2_stream {
	struct net_head *head; /* is filled as the reply's header comes */
	struct str request;    /* a head as net_http1_write_request() makes it */
	struct str parts[2];   /* the body: one behind the other */
	bool is_https;

	int32_t id;	    /* 0 when not open */
	uint64_t body_sent; /* bytes handed to the connection */
	bool all_given;	    /* the whole request has been */
	bool began;	    /* a header of a reply has come, maybe an interim one */
	bool has_head;	    /* the final header has */
	bool has_end;	    /* the reply is complete */
};

struct net_h2_ops {
	/* The first byte of a reply. */
	void (*began)(struct net_h2_stream *s);

	/* The final header is in s->head. False: the stream is to be given up. */
	bool (*head)(struct net_h2_stream *s);

	/* A part of the body, borrowed. False: the stream is to be given up. */
	bool (*body)(struct net_h2_stream *s, struct str span);

	/*
	 * The stream is over: NET_OK when the reply is complete. With NET_ERR_H2_STREAM code is the
	 * peer's error code. refused: the peer did nothing with the request; it may be sent again.
	 * why is constant text, NULL with NET_OK.
	 */
	void (*ended)(struct net_h2_stream *s, enum net_err error, uint32_t code, bool refused,
		      const char *why);
};

struct net_h2;

struct net_h2 *net_h2_new(const struct net_h2_ops *ops);

/* Streams that have not ended are forgotten. NULL in, nothing done. */
void net_h2_free(struct net_h2 *h);

/* May another stream be opened now? Not after a GOAWAY, nor above the peer's limit. */
bool net_h2_has_room(const struct net_h2 *h);

/* Opens a stream; 0 or a negative errno (then the connection is of no more use). */
int net_h2_open(struct net_h2 *h, struct net_h2_stream *s);

/* Gives a stream up: the session refers to s no longer. */
void net_h2_cancel(struct net_h2 *h, struct net_h2_stream *s);

/*
 * Takes bytes that came. 0, or -EPROTO when they are no HTTP/2: *ret_why says what is wrong. What
 * is pulled afterwards tells the peer.
 */
int net_h2_receive(struct net_h2 *h, struct str bytes, const char **ret_why);

/* Appends bytes that are to be sent, not many more than limit; true when there were some. */
bool net_h2_pull(struct net_h2 *h, struct strbuf *sb, size_t limit);

/* Neither side has anything more to say. */
bool net_h2_is_over(const struct net_h2 *h);

/* The error code of the GOAWAY that came or went; false when there was none. */
bool net_h2_goaway(const struct net_h2 *h, uint32_t *ret_code, bool *ret_ours);

/* "PROTOCOL_ERROR" and its like (RFC 9113 7); constant text. */
const char *net_h2_code_name(uint32_t code);

#endif
