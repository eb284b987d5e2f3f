/*
 * http1.h - reads the responses of one HTTP/1.1 connection as bytes arrive, in whatever pieces
 * (RFC 9112). Pull style, no callbacks:
 *
 *	net_http1_begin(&p, &head, is_head_request);
 *	for each piece of input:
 *		do
 *			ev = net_http1_next(&p, &piece, &span, &why);
 *		while (ev == NET_HTTP1_HEAD || ev == NET_HTTP1_BODY);
 *		if (ev == NET_HTTP1_END) what is left in piece lies behind the response
 *	at end of file: net_http1_eof(&p, &why)
 */
#ifndef ASSAY_NET_HTTP1_H
#define ASSAY_NET_HTTP1_H

#include "net/http1_chunked.h"
#include "net/http1_head.h"

enum net_http1_event {
	NET_HTTP1_MORE, /* the piece is used up */
	NET_HTTP1_HEAD, /* the head has been parsed; it is no interim one */
	NET_HTTP1_BODY, /* *ret_span is a part of the body, borrowed from the piece */
	NET_HTTP1_END,	/* the response is complete */
};

struct net_http1 {
	struct net_head *head; /* borrowed */
	unsigned state;
	unsigned line_state;
	bool no_body;	   /* the request was HEAD */
	bool started;	   /* a byte of the response has come */
	size_t head_bytes; /* of interim heads and this one */
	uint64_t left_bytes;
	struct net_chunked chunked;
};

/* Ready for the response to a request just sent; head is cleared and filled from now on. */
void net_http1_begin(struct net_http1 *p, struct net_head *head, bool is_head_request);

/*
 * Goes on with *in, which is moved past what was used. An event, or -EBADMSG (malformed) or -E2BIG
 * (heads together larger than NET_HEAD_MAX_BYTES) with *ret_why set to a constant text. 1xx heads
 * are skipped, but for 101, which ends the response: what follows is another protocol.
 */
int net_http1_next(struct net_http1 *p, struct str *in, struct str *ret_span, const char **ret_why);

/*
 * The connection has ended: NET_HTTP1_END when that is how the body ends; else -ENODATA (nothing of
 * the response had come), -EPIPE (in the middle), with *ret_why.
 */
int net_http1_eof(struct net_http1 *p, const char **ret_why);

/* After NET_HTTP1_END: may the connection carry another request? */
bool net_http1_reusable(const struct net_http1 *p);

#endif
