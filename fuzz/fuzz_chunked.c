/* The chunked coding: whole and byte by byte must give the same body. */
#include "base/strbuf.h"
#include "net/http1_chunked.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int decode(struct strbuf *body, struct str input, size_t piece_len, size_t *ret_used)
{
	struct net_chunked c = { 0 };
	const char *start = input.ptr, *why = NULL;
	int r = NET_CHUNKED_MORE;

	while (r == NET_CHUNKED_MORE && input.len) {
		struct str piece = { input.ptr, MIN(piece_len, input.len) }, span;

		while ((r = net_chunked_next(&c, &piece, &span, &why)) == NET_CHUNKED_DATA) {
			BUG_ON(span.ptr < input.ptr || span.ptr + span.len > piece.ptr);
			strbuf_add(body, span.ptr, span.len);
		}
		BUG_ON(r < 0 && !why);
		input.len -= (size_t)(piece.ptr - input.ptr);
		input.ptr = piece.ptr;
	}
	*ret_used = (size_t)(input.ptr - start);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(strbuf_release) struct strbuf whole = STRBUF_INIT, bytes = STRBUF_INIT;
	struct str input = { (const char *)data, size };
	size_t used, used_bytes;
	int r = decode(&whole, input, size, &used);

	BUG_ON(r != decode(&bytes, input, 1, &used_bytes));
	BUG_ON(used != used_bytes || !str_eq(strbuf_str(&whole), strbuf_str(&bytes)));
	BUG_ON(whole.len > size);
	return 0;
}
