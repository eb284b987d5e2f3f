#include "net/ws_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/utf.h"

#define FIN  0x80
#define RSV1 0x40
#define RSV  0x30
#define MASK 0x80

#define CHUNK ((size_t)16 * 1024)

static int broken(const char **ret_why, enum net_ws_code code, const char *why)
{
	*ret_why = why;
	return -(int)code;
}

static bool is_control(unsigned op)
{
	return op >= 8;
}

/* --- unpacking -------------------------------------------------------------------------------- */

static int begin_inflating(struct net_ws_reader *r)
{
	if (r->inflater)
		return r->keeps_window || inflateReset(r->inflater) == Z_OK ? 0 : -ENOMEM;
	r->inflater = xcalloc(1, sizeof(*r->inflater));
	if (inflateInit2(r->inflater, -MAX_WBITS) == Z_OK)
		return 0;
	free(r->inflater);
	r->inflater = NULL;
	return -ENOMEM;
}

static int inflate_piece(struct net_ws_reader *r, struct str in, const char **ret_why)
{
	z_stream *z = r->inflater;

	z->next_in = (Bytef *)(uintptr_t)in.ptr;
	z->avail_in = (uInt)in.len;
	do {
		int status;

		if (strbuf_reserve(&r->plain, CHUNK) < 0 || r->plain.len > r->max_bytes)
			return broken(ret_why, NET_WS_TOO_BIG,
				      "a message is larger than the limit when it is unpacked");
		z->next_out = (Bytef *)strbuf_tail(&r->plain);
		z->avail_out = (uInt)CHUNK;
		status = inflate(z, Z_SYNC_FLUSH);
		strbuf_commit(&r->plain, CHUNK - z->avail_out);
		if (status == Z_STREAM_END) {
			/* a last block: the message ends here, the next begins anew */
			inflateReset(z);
			return 0;
		}
		if (status != Z_OK && status != Z_BUF_ERROR)
			return broken(ret_why, NET_WS_BAD_DATA, "a packed message is spoiled");
	} while (z->avail_in || !z->avail_out);
	return 0;
}

/* RFC 7692 7.2.2: the four bytes that the sender took off are put back. */
static int unpack(struct net_ws_reader *r, const char **ret_why)
{
	int status;

	strbuf_clear(&r->plain);
	if (begin_inflating(r) < 0)
		return broken(ret_why, NET_WS_BAD_DATA, "zlib cannot begin");
	status = inflate_piece(r, strbuf_str(&r->data), ret_why);
	if (status == 0)
		status = inflate_piece(r, (struct str){ "\0\0\xff\xff", 4 }, ret_why);
	if (status == 0 && r->plain.len > r->max_bytes)
		status = broken(ret_why, NET_WS_TOO_BIG,
				"a message is larger than the limit when it is unpacked");
	return status;
}

/* --- frames ----------------------------------------------------------------------------------- */

static unsigned head_length(const struct net_ws_reader *r)
{
	unsigned length = r->head_len > 1 ? r->head[1] & 0x7f : 0;

	return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0);
}

static uint64_t payload_length(const struct net_ws_reader *r)
{
	unsigned length = r->head[1] & 0x7f;
	uint64_t n = 0;

	if (length < 126)
		return length;
	for (unsigned i = 2; i < r->head_len; i++)
		n = n << 8 | r->head[i];
	return n;
}

static int check_control(const struct net_ws_reader *r, const char **ret_why)
{
	if (r->op > NET_WS_PONG)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a frame of an unknown kind");
	if (!r->fin)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a control frame in pieces");
	if (r->head[0] & RSV1)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a control frame that is packed");
	if (r->left_bytes > NET_WS_CONTROL_MAX)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR,
			      "a control frame of more than 125 bytes");
	return 0;
}

static int check_data(const struct net_ws_reader *r, const char **ret_why)
{
	bool packed = r->head[0] & RSV1;

	if (r->op > NET_WS_BINARY)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a frame of an unknown kind");
	if (r->op == NET_WS_CONTINUATION && !r->message_op)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a continuation of nothing");
	if (r->op != NET_WS_CONTINUATION && r->message_op)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR,
			      "a new message before the last one has ended");
	if (packed && (!r->deflate || r->op == NET_WS_CONTINUATION))
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a packed frame out of place");
	if (r->left_bytes > r->max_bytes || r->data.len > r->max_bytes - r->left_bytes)
		return broken(ret_why, NET_WS_TOO_BIG, "a message is larger than the limit");
	return 0;
}

static int begin_frame(struct net_ws_reader *r, const char **ret_why)
{
	int status;

	r->fin = r->head[0] & FIN;
	r->op = r->head[0] & 15;
	r->left_bytes = payload_length(r);
	r->in_payload = true;
	if (r->head[0] & RSV)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "reserved bits are set");
	if (r->head[1] & MASK)
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a server's frame is masked");
	if (is_control(r->op)) {
		strbuf_clear(&r->control);
		return check_control(r, ret_why);
	}
	status = check_data(r, ret_why);
	if (status == 0 && r->op != NET_WS_CONTINUATION) {
		r->message_op = r->op;
		r->packed = r->head[0] & RSV1;
	}
	return status;
}

static int take_head(struct net_ws_reader *r, struct str *in, const char **ret_why)
{
	while (in->len) {
		r->head[r->head_len++] = (unsigned char)*in->ptr++;
		in->len--;
		if (r->head_len >= 2 && r->head_len == head_length(r)) {
			int status = begin_frame(r, ret_why);

			r->head_len = 0;
			return status;
		}
	}
	return 0;
}

static bool is_utf8(struct str text)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct utf_decoder d = { .fatal = true, .keep_bom = true };

	return utf_decode(&d, text, true, &out) == 0;
}

static int end_control(struct net_ws_reader *r, struct net_ws_message *ret, const char **ret_why)
{
	struct str p = strbuf_str(&r->control);
	const unsigned char *b = (const unsigned char *)p.ptr;

	*ret = (struct net_ws_message){ (enum net_ws_op)r->op, p };
	if (r->op != NET_WS_CLOSE || !p.len)
		return 1;
	if (p.len == 1 || !net_ws_code_is_valid((unsigned)b[0] << 8 | b[1]))
		return broken(ret_why, NET_WS_PROTOCOL_ERROR, "a close frame without a valid code");
	if (!is_utf8((struct str){ p.ptr + 2, p.len - 2 }))
		return broken(ret_why, NET_WS_BAD_DATA, "a close frame's reason is not UTF-8");
	return 1;
}

static int end_message(struct net_ws_reader *r, struct net_ws_message *ret, const char **ret_why)
{
	int status = r->packed ? unpack(r, ret_why) : 0;

	if (status < 0)
		return status;
	*ret = (struct net_ws_message){ (enum net_ws_op)r->message_op,
					strbuf_str(r->packed ? &r->plain : &r->data) };
	r->message_op = 0;
	r->handed_over = true;
	if (ret->op == NET_WS_TEXT && !is_utf8(ret->payload))
		return broken(ret_why, NET_WS_BAD_DATA, "a text message is not UTF-8");
	return 1;
}

static void take_payload(struct net_ws_reader *r, struct str *in)
{
	size_t n = (size_t)MIN(r->left_bytes, (uint64_t)in->len);

	strbuf_add(is_control(r->op) ? &r->control : &r->data, in->ptr, n);
	in->ptr += n;
	in->len -= n;
	r->left_bytes -= n;
}

int net_ws_next(struct net_ws_reader *r, struct str *in, struct net_ws_message *ret,
		const char **ret_why)
{
	if (r->handed_over) {
		r->handed_over = false;
		if (r->data.cap > CHUNK * 4)
			strbuf_release(&r->data);
		strbuf_clear(&r->data);
	}
	for (;;) {
		int status = r->in_payload ? 0 : take_head(r, in, ret_why);

		if (status < 0 || !r->in_payload)
			return status;
		take_payload(r, in);
		if (r->left_bytes)
			return 0;
		r->in_payload = false;
		if (is_control(r->op))
			return end_control(r, ret, ret_why);
		if (r->fin)
			return end_message(r, ret, ret_why);
	}
}

void net_ws_reader_release(struct net_ws_reader *r)
{
	strbuf_release(&r->control);
	strbuf_release(&r->data);
	strbuf_release(&r->plain);
	if (r->inflater)
		inflateEnd(r->inflater);
	free(r->inflater);
	r->inflater = NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

void net_ws_write(struct strbuf *out, enum net_ws_op op, bool packed, struct str payload,
		  const unsigned char mask[4])
{
	unsigned bytes = payload.len < 126 ? 0 : payload.len <= UINT16_MAX ? 2 : 8;
	size_t start;

	strbuf_addch(out, (char)(FIN | (packed ? RSV1 : 0) | (unsigned)op));
	strbuf_addch(out, (char)(MASK | (bytes == 0   ? (unsigned)payload.len
					 : bytes == 2 ? 126U
						      : 127U)));
	while (bytes--)
		strbuf_addch(out, (char)(payload.len >> 8 * bytes));
	strbuf_add(out, mask, 4);
	start = out->len;
	strbuf_add(out, payload.ptr, payload.len);
	for (size_t i = 0; i < payload.len; i++)
		out->ptr[start + i] = (char)((unsigned char)out->ptr[start + i] ^ mask[i & 3]);
}

int net_ws_pack(struct strbuf *out, struct str payload)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)payload.ptr, .avail_in = (uInt)payload.len };

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	do {
		if (strbuf_reserve(out, CHUNK) < 0)
			break;
		z.next_out = (Bytef *)strbuf_tail(out);
		z.avail_out = (uInt)CHUNK;
		deflate(&z, Z_SYNC_FLUSH);
		strbuf_commit(out, CHUNK - z.avail_out);
	} while (!z.avail_out);
	deflateEnd(&z);
	/* the empty block that ends a flush stays at home (RFC 7692 7.2.1) */
	if (z.avail_in || out->len < 4)
		return -ENOMEM;
	strbuf_truncate(out, out->len - 4);
	return 0;
}

bool net_ws_code_is_valid(unsigned code)
{
	return (code >= 1000 && code <= 1014 && code != 1004 && code != NET_WS_NO_STATUS &&
		code != NET_WS_ABNORMAL) ||
	       (code >= 3000 && code <= 4999);
}
