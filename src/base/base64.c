#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct strbuf *sb, struct str data)
{
	const unsigned char *in = (const unsigned char *)data.ptr;

	for (size_t i = 0; i < data.len; i += 3) {
		size_t n = MIN(data.len - i, (size_t)3);
		unsigned bits = (unsigned)in[i] << 16;
		char out[4];

		if (n > 1)
			bits |= (unsigned)in[i + 1] << 8;
		if (n > 2)
			bits |= in[i + 2];
		for (size_t k = 0; k < 4; k++)
			out[k] = k > n ? '=' : alphabet[bits >> (18 - 6 * k) & 63];
		strbuf_add(sb, out, 4);
	}
}
