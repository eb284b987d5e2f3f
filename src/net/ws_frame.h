/*
 * ws_frame.h - WebSocket frames (RFC 6455 5) from a client's side, and messages packed by
 * permessage-deflate (RFC 7692). Pure: bytes in, messages out, and the other way round.
 *
 *	struct net_ws_reader r = { .max_bytes = 1 << 20 };
 *	while ((n = net_ws_next(&r, &in, &msg, &why)) > 0)
 *		... msg.op, msg.payload ...
 *	if (n < 0) what to close with is -n: a close code
 */
#ifndef ASSAY_NET_WS_FRAME_H
#define ASSAY_NET_WS_FRAME_H

#include "base/strbuf.h"

enum net_ws_op {
	NET_WS_CONTINUATION = 0,
	NET_WS_TEXT = 1,
	NET_WS_BINARY = 2,
	NET_WS_CLOSE = 8,
	NET_WS_PING = 9,
	NET_WS_PONG = 10,
};

/* RFC 6455 7.4.1 */
enum net_ws_code {
	NET_WS_NORMAL = 1000,
	NET_WS_GOING_AWAY = 1001,
	NET_WS_PROTOCOL_ERROR = 1002,
	NET_WS_NO_STATUS = 1005, /* never on the wire: the close had no code */
	NET_WS_ABNORMAL = 1006,	 /* never on the wire: there was no close */
	NET_WS_BAD_DATA = 1007,
	NET_WS_TOO_BIG = 1009,
};

/* A control frame's payload is never longer. */
#define NET_WS_CONTROL_MAX 125

struct net_ws_message {
	enum net_ws_op op;  /* never a continuation */
	struct str payload; /* unpacked; valid until the next call */
};

/* Zeroed but for these = ready. */
struct net_ws_reader {
	size_t max_bytes;  /* of a message, unpacked */
	bool deflate;	   /* was agreed on */
	bool keeps_window; /* the peer packs with what it sent before */

	/* private */
	unsigned char head[14];
	unsigned head_len;
	bool in_payload, fin;
	unsigned op;	     /* of the frame */
	uint64_t left_bytes; /* of its payload */
	unsigned message_op; /* of the message under way; 0 = none */
	bool packed;
	bool handed_over; /* the buffer below is the last message's */
	struct strbuf control, data, plain;
	struct z_stream_s *inflater;
};

/*
 * Goes on with *in, which is moved past what was used. 1: *ret is a message; 0: more is needed; a
 * negative close code, with *ret_why a constant text, when the peer breaks the rules: the reader is
 * then of no use any more.
 */
int net_ws_next(struct net_ws_reader *r, struct str *in, struct net_ws_message *ret,
		const char **ret_why);
void net_ws_reader_release(struct net_ws_reader *r);

/* Appends one frame with a whole message, masked. packed: the payload is by net_ws_pack(). */
void net_ws_write(struct strbuf *out, enum net_ws_op op, bool packed, struct str payload,
		  const unsigned char mask[4]);

/* Appends the payload packed on its own (without the window of earlier ones). 0 or -ENOMEM. */
int net_ws_pack(struct strbuf *out, struct str payload);

/* May a close frame carry this code? */
bool net_ws_code_is_valid(unsigned code);

#endif
