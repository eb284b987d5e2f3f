/*
 * http1_chunked.h - takes the chunked transfer coding off (RFC 9112 7.1), piece by piece, in place.
 * Extensions are skipped, trailer fields are read and dropped.
 */
#ifndef ASSAY_NET_HTTP1_CHUNKED_H
#define ASSAY_NET_HTTP1_CHUNKED_H

#include "base/str.h"

/* A size line with its extensions, and all trailer fields together, may have this many bytes. */
#define NET_CHUNKED_MAX_LINE_BYTES    4096
#define NET_CHUNKED_MAX_TRAILER_BYTES (16 * 1024)

/* Zeroed = at the beginning of a body. */
struct net_chunked {
	unsigned state;
	unsigned digits;
	size_t line_bytes;   /* of the present line, or of the trailer */
	uint64_t left_bytes; /* of the present chunk */
};

enum {
	NET_CHUNKED_MORE, /* *in is used up */
	NET_CHUNKED_DATA, /* *ret_data is a piece of the body, inside what *in was */
	NET_CHUNKED_END,  /* the body is complete; what is left in *in lies behind it */
};

/* Goes on with *in, which is moved past what was used. One of the above, or -EBADMSG with *ret_why
 * set to a constant text. */
int net_chunked_next(struct net_chunked *c, struct str *in, struct str *ret_data,
		     const char **ret_why);

#endif
