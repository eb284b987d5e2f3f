/*
 * What a server may send on a WebSocket: whole and byte by byte must give the same messages. Bit 0
 * of the first byte: permessage-deflate was agreed on, bit 1: with the window kept.
 */
#include "net/ws_frame.h"

#define MAX_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int collect(struct strbuf *out, struct str input, size_t piece_len, unsigned flags)
{
	struct net_ws_reader r = { .max_bytes = MAX_BYTES,
				   .deflate = flags & 1,
				   .keeps_window = flags & 2 };
	struct net_ws_message m;
	const char *why = NULL;
	int result = 0;

	while (result >= 0 && input.len) {
		struct str piece = { input.ptr, MIN(piece_len, input.len) };

		input.ptr += piece.len;
		input.len -= piece.len;
		while ((result = net_ws_next(&r, &piece, &m, &why)) > 0) {
			BUG_ON(m.op == NET_WS_CONTINUATION || m.op > NET_WS_PONG);
			BUG_ON(m.payload.len > MAX_BYTES);
			BUG_ON(m.op >= NET_WS_CLOSE && m.payload.len > NET_WS_CONTROL_MAX);
			strbuf_addf(out, "%u %zu:", (unsigned)m.op, m.payload.len);
			strbuf_add(out, m.payload.ptr, m.payload.len);
		}
		BUG_ON(result < 0 && (!why || !net_ws_code_is_valid((unsigned)-result)));
		BUG_ON(result == 0 && piece.len);
	}
	net_ws_reader_release(&r);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(strbuf_release) struct strbuf whole = STRBUF_INIT, bytes = STRBUF_INIT;
	struct str input;

	if (!size)
		return 0;
	input = (struct str){ (const char *)data + 1, size - 1 };
	BUG_ON(collect(&whole, input, size, data[0]) != collect(&bytes, input, 1, data[0]));
	BUG_ON(!str_eq(strbuf_str(&whole), strbuf_str(&bytes)));
	return 0;
}
