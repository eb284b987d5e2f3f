#include "base/base64.h"

#include <errno.h>

static const char std[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const char *alphabet_of(enum base64_form form)
{
	return form == BASE64_URL || form == BASE64_RAW_URL ? url : std;
}

static bool is_padded(enum base64_form form)
{
	return form == BASE64_STD || form == BASE64_URL;
}

int base64_encode_as(struct strbuf *sb, struct str data, enum base64_form form)
{
	const unsigned char *in = (const unsigned char *)data.ptr;
	const char *alphabet = alphabet_of(form);

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
		if (strbuf_add(sb, out, is_padded(form) ? 4 : n + 1) < 0)
			return -E2BIG;
	}
	return 0;
}

int base64_encode(struct strbuf *sb, struct str data)
{
	return base64_encode_as(sb, data, BASE64_STD);
}

static int wrong_at(size_t at, struct error *reterr)
{
	return error_set(reterr, -EINVAL, "illegal base64 data at input byte %zu", at);
}

/* The quantum's last characters: what is left of 4 when the text or its letters end. */
static int end_quantum(struct strbuf *sb, unsigned bits, size_t n, size_t at, struct error *reterr)
{
	const unsigned char out[2] = { (unsigned char)(bits >> 16), (unsigned char)(bits >> 8) };

	if (n == 1)
		return wrong_at(at, reterr);
	return n ? strbuf_add(sb, out, n - 1) : 0;
}

/* After the first '=': as many as make up 4, then nothing. */
static int check_padding(struct str text, size_t at, size_t n, struct error *reterr)
{
	size_t wanted = 4 - n;

	if (n < 2)
		return wrong_at(at, reterr);
	for (size_t i = at; i < text.len; i++) {
		if (text.ptr[i] == '\n' || text.ptr[i] == '\r')
			continue;
		if (text.ptr[i] != '=' || !wanted--)
			return wrong_at(i, reterr);
	}
	return wanted ? wrong_at(text.len, reterr) : 0;
}

int base64_decode(struct strbuf *sb, struct str text, enum base64_form form, struct error *reterr)
{
	const char *alphabet = alphabet_of(form), *place;
	unsigned bits = 0;
	size_t n = 0, i;

	for (i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\n' || c == '\r')
			continue;
		if (c == '=' && is_padded(form)) {
			int r = check_padding(text, i, n, reterr);

			return r < 0 ? r : end_quantum(sb, bits, n, i, reterr);
		}
		place = c ? strchr(alphabet, c) : NULL;
		if (!place)
			return wrong_at(i, reterr);
		bits |= (unsigned)(place - alphabet) << (18 - 6 * n);
		if (++n == 4) {
			const unsigned char out[3] = { (unsigned char)(bits >> 16),
						       (unsigned char)(bits >> 8),
						       (unsigned char)bits };

			if (strbuf_add(sb, out, 3) < 0)
				return error_set(reterr, -E2BIG, "too long");
			bits = 0;
			n = 0;
		}
	}
	if (n && is_padded(form))
		return wrong_at(text.len, reterr);
	return end_quantum(sb, bits, n, i, reterr);
}
