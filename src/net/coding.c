#include "net/coding.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <errno.h>
#include <zlib.h>
#include <zstd.h>

#define CODINGS_MAX 5 /* more than anybody means */
#define CHUNK	    ((size_t)64 * 1024)

typedef int code_fn(struct str in, size_t max, struct strbuf *out, struct error *reterr);

static int too_large(size_t max, struct error *reterr)
{
	return error_set(reterr, -E2BIG, "the body grows beyond %zu bytes when it is unpacked",
			 max);
}

static int spoiled(const char *coding, const char *why, struct error *reterr)
{
	return error_set(reterr, -EBADMSG, "unpacking a body of coding %s: %s", coding, why);
}

/* Room for the next piece; -E2BIG when there may be no more. */
static int make_room(struct strbuf *out, size_t max, struct error *reterr)
{
	if (out->len > max || strbuf_reserve(out, CHUNK) < 0)
		return too_large(max, reterr);
	return 0;
}

/* ---- gzip and deflate ---- */

static int inflate_as(int window_bits, const char *name, struct str in, size_t max,
		      struct strbuf *out, struct error *reterr)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)in.ptr, .avail_in = (uInt)in.len };
	int r = 0, status = inflateInit2(&z, window_bits);

	if (status != Z_OK)
		return error_set(reterr, -ENOMEM, "zlib cannot begin");
	for (;;) {
		r = make_room(out, max, reterr);
		if (r < 0)
			break;
		z.next_out = (Bytef *)strbuf_tail(out);
		z.avail_out = (uInt)CHUNK;
		status = inflate(&z, Z_NO_FLUSH);
		strbuf_commit(out, CHUNK - z.avail_out);
		/* gzip may have several members, one after the other */
		if (status == Z_STREAM_END && z.avail_in && inflateReset(&z) == Z_OK)
			continue;
		if (status == Z_STREAM_END)
			break;
		if (status != Z_OK || (!z.avail_in && z.avail_out)) {
			r = spoiled(name, z.msg ? z.msg : "it ends too early", reterr);
			break;
		}
	}
	inflateEnd(&z);
	if (r == 0 && out->len > max)
		r = too_large(max, reterr);
	return r;
}

static int unpack_gzip(struct str in, size_t max, struct strbuf *out, struct error *reterr)
{
	return inflate_as(MAX_WBITS + 16, "gzip", in, max, out, reterr);
}

static int unpack_deflate(struct str in, size_t max, struct strbuf *out, struct error *reterr)
{
	/* RFC 1950 2.2: the first two bytes are a multiple of 31, the low half of the first is 8 */
	bool zlib = in.len >= 2 && ((unsigned char)in.ptr[0] & 15) == 8 &&
		    ((unsigned char)in.ptr[0] << 8 | (unsigned char)in.ptr[1]) % 31 == 0;

	return inflate_as(zlib ? MAX_WBITS : -MAX_WBITS, "deflate", in, max, out, reterr);
}

static int deflate_as(int window_bits, struct str in, struct strbuf *out, struct error *reterr)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)in.ptr, .avail_in = (uInt)in.len };
	int status = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8,
				  Z_DEFAULT_STRATEGY);

	if (status != Z_OK)
		return error_set(reterr, -ENOMEM, "zlib cannot begin");
	do {
		if (strbuf_reserve(out, CHUNK) < 0)
			break;
		z.next_out = (Bytef *)strbuf_tail(out);
		z.avail_out = (uInt)CHUNK;
		status = deflate(&z, Z_FINISH);
		strbuf_commit(out, CHUNK - z.avail_out);
	} while (status == Z_OK);
	deflateEnd(&z);
	return status == Z_STREAM_END ? 0 : error_set(reterr, -ENOMEM, "zlib stopped");
}

static int pack_gzip(struct str in, size_t max UNUSED, struct strbuf *out, struct error *reterr)
{
	return deflate_as(MAX_WBITS + 16, in, out, reterr);
}

static int pack_deflate(struct str in, size_t max UNUSED, struct strbuf *out, struct error *reterr)
{
	return deflate_as(MAX_WBITS, in, out, reterr);
}

/* ---- br ---- */

static int unpack_brotli(struct str in, size_t max, struct strbuf *out, struct error *reterr)
{
	BrotliDecoderState *d = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	BrotliDecoderResult status = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
	const uint8_t *next = (const uint8_t *)in.ptr;
	size_t left = in.len;
	int r = d ? 0 : error_set(reterr, -ENOMEM, "brotli cannot begin");

	while (r == 0 && status == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
		uint8_t *to;
		size_t room = CHUNK;

		r = make_room(out, max, reterr);
		if (r < 0)
			break;
		to = (uint8_t *)strbuf_tail(out);
		status = BrotliDecoderDecompressStream(d, &left, &next, &room, &to, NULL);
		strbuf_commit(out, CHUNK - room);
		if (status == BROTLI_DECODER_RESULT_ERROR)
			r = spoiled("br", BrotliDecoderErrorString(BrotliDecoderGetErrorCode(d)),
				    reterr);
		else if (status == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT)
			r = spoiled("br", "it ends too early", reterr);
	}
	if (d)
		BrotliDecoderDestroyInstance(d);
	if (r == 0 && out->len > max)
		r = too_large(max, reterr);
	return r;
}

static int pack_brotli(struct str in, size_t max UNUSED, struct strbuf *out, struct error *reterr)
{
	size_t size = BrotliEncoderMaxCompressedSize(in.len);

	if (!size || strbuf_reserve(out, size) < 0 ||
	    !BrotliEncoderCompress(6, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, in.len,
				   (const uint8_t *)in.ptr, &size, (uint8_t *)strbuf_tail(out)))
		return error_set(reterr, -ENOMEM, "brotli stopped");
	strbuf_commit(out, size);
	return 0;
}

/* ---- zstd ---- */

static int unpack_zstd(struct str in, size_t max, struct strbuf *out, struct error *reterr)
{
	ZSTD_inBuffer from = { in.ptr, in.len, 0 };
	ZSTD_DCtx *d = ZSTD_createDCtx();
	size_t status = 1;
	int r = d ? 0 : error_set(reterr, -ENOMEM, "zstd cannot begin");

	while (r == 0) {
		ZSTD_outBuffer to;

		r = make_room(out, max, reterr);
		if (r < 0)
			break;
		to = (ZSTD_outBuffer){ strbuf_tail(out), CHUNK, 0 };
		status = ZSTD_decompressStream(d, &to, &from);
		strbuf_commit(out, to.pos);
		if (ZSTD_isError(status))
			r = spoiled("zstd", ZSTD_getErrorName(status), reterr);
		else if (from.pos == from.size && to.pos < CHUNK)
			break;
	}
	ZSTD_freeDCtx(d);
	if (r == 0 && status)
		r = spoiled("zstd", "it ends too early", reterr);
	if (r == 0 && out->len > max)
		r = too_large(max, reterr);
	return r;
}

static int pack_zstd(struct str in, size_t max UNUSED, struct strbuf *out, struct error *reterr)
{
	size_t size = ZSTD_compressBound(in.len);

	if (ZSTD_isError(size) || strbuf_reserve(out, size) < 0)
		return error_set(reterr, -ENOMEM, "zstd cannot begin");
	size = ZSTD_compress(strbuf_tail(out), size, in.ptr, in.len, ZSTD_CLEVEL_DEFAULT);
	if (ZSTD_isError(size))
		return error_set(reterr, -ENOMEM, "zstd: %s", ZSTD_getErrorName(size));
	strbuf_commit(out, size);
	return 0;
}

/* ---- lists of them ---- */

static const struct coding {
	const char *name;
	code_fn *unpack, *pack;
} codings_known[] = {
	{ "gzip", unpack_gzip, pack_gzip },	     { "x-gzip", unpack_gzip, pack_gzip },
	{ "deflate", unpack_deflate, pack_deflate }, { "br", unpack_brotli, pack_brotli },
	{ "zstd", unpack_zstd, pack_zstd },
};

static const struct coding *find(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(codings_known); i++)
		if (str_ieq(name, str_from(codings_known[i].name)))
			return &codings_known[i];
	return NULL;
}

/* The names of a list, without blanks; how many there are, at most CODINGS_MAX + 1. */
static size_t split(struct str list, struct str ret[CODINGS_MAX])
{
	struct str part;
	size_t n = 0;

	while (str_split(&list, ',', &part)) {
		part = str_trim(part);
		if (!part.len || str_ieq(part, STR("identity")))
			continue;
		if (n == CODINGS_MAX)
			return n + 1;
		ret[n++] = part;
	}
	return n;
}

static int run(code_fn *fn, size_t max, struct strbuf *body, struct error *reterr)
{
	struct strbuf out = STRBUF_INIT;
	int r = fn(strbuf_str(body), max, &out, reterr);

	if (r < 0) {
		strbuf_release(&out);
		return r;
	}
	strbuf_release(body);
	*body = out;
	return 0;
}

int net_coding_remove(struct str codings, size_t max_bytes, struct strbuf *body,
		      struct error *reterr)
{
	struct str names[CODINGS_MAX];
	size_t n = split(codings, names);

	if (n > CODINGS_MAX)
		return spoiled("more than five", "nobody means that", reterr);
	while (n--) {
		const struct coding *c = find(names[n]);
		int r = c && body->len ? run(c->unpack, max_bytes, body, reterr) : 0;

		if (!c || r < 0)
			return r;
	}
	return 0;
}

int net_coding_apply(struct str codings, struct strbuf *body, struct error *reterr)
{
	struct str names[CODINGS_MAX];
	size_t n = split(codings, names);

	if (n > CODINGS_MAX)
		return error_set(reterr, -EINVAL, "more than %d codings", CODINGS_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct coding *c = find(names[i]);
		int r;

		if (!c)
			return error_set(reterr, -EINVAL,
					 "unknown compression \"%.*s\": gzip, deflate, br or zstd",
					 (int)names[i].len, names[i].ptr);
		r = run(c->pack, SIZE_MAX, body, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}
