/*
 * The packed forms here were made by python's gzip and zlib, by node's brotli and by the tool zstd
 * from TEXT; what this side packs is checked by unpacking it.
 */
#include "net/coding.h"

#include <errno.h>

#include "test.h"

#define TEXT	  "hello hello hello hello\n"
#define MAX_BYTES ((size_t)1 << 20)

static const char gzipped[] =
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40"
	"\x27\xb9\x00\x00\x88\x59\x0b\x18\x00\x00\x00";
static const char deflated[] =
	"\x78\x9c\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\xb9\x00\x70\xbe\x08\xbb";
static const char deflated_raw[] = "\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\xb9\x00";
static const char brotlied[] =
	"\x1b\x17\x00\xf8\x8d\x94\x6e\xde\x44\x55\x86\xd6\x0a\x20\x6c\x6f\x4a\x11"
	"\x79\xe2\x80\xae\x16";
static const char zstded[] =
	"\x28\xb5\x2f\xfd\x04\x58\x6d\x00\x00\x38\x68\x65\x6c\x6c\x6f\x20\x0a\x01"
	"\x00\x99\x4b\x11\xa8\x7c\x2e\xa8";

#define UNPACKS(codings, packed) unpacks(codings, packed, sizeof(packed) - 1)

static void unpacks(const char *codings, const char *packed, size_t len)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;
	struct error err = ERROR_INIT;

	strbuf_add(&body, packed, len);
	ASSERT_OK_ERR(net_coding_remove(str_from(codings), MAX_BYTES, &body, &err), err);
	ASSERT_STREQ(strbuf_cstr(&body), TEXT);
}

static int removed(const char *codings, const char *packed, size_t len, size_t max,
		   struct error *err)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;
	int r;

	strbuf_add(&body, packed, len);
	r = net_coding_remove(str_from(codings), max, &body, err);
	if (r < 0)
		ASSERT_INT(body.len, len); /* what it held */
	return r;
}

TEST(coding_unpacks_what_others_packed)
{
	UNPACKS("gzip", gzipped);
	UNPACKS("GZIP", gzipped);
	UNPACKS("deflate", deflated);
	UNPACKS("deflate", deflated_raw);
	UNPACKS("br", brotlied);
	UNPACKS("zstd", zstded);
	UNPACKS("identity, gzip", gzipped);
}

TEST(coding_unpacks_members_of_gzip_one_after_the_other)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	strbuf_add(&body, gzipped, sizeof(gzipped) - 1);
	strbuf_add(&body, gzipped, sizeof(gzipped) - 1);
	ASSERT_INT(net_coding_remove(STR("gzip"), MAX_BYTES, &body, NULL), 0);
	ASSERT_STREQ(strbuf_cstr(&body), TEXT TEXT);
}

TEST(coding_leaves_what_it_does_not_know)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	strbuf_addstr(&body, "as it is");
	ASSERT_INT(net_coding_remove(STR("gzip, aes128gcm"), MAX_BYTES, &body, NULL), 0);
	ASSERT_STREQ(strbuf_cstr(&body), "as it is");
}

TEST(coding_tells_what_is_spoiled_or_cut)
{
	static const struct {
		const char *name, *packed;
		size_t len;
	} rows[] = {
		{ "gzip", gzipped, sizeof(gzipped) - 1 },
		{ "deflate", deflated, sizeof(deflated) - 1 },
		{ "br", brotlied, sizeof(brotlied) - 1 },
		{ "zstd", zstded, sizeof(zstded) - 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;

		ASSERT_INT(removed(rows[i].name, "not packed at all", 17, MAX_BYTES, &err),
			   -EBADMSG);
		ASSERT_HAS(err.msg, rows[i].name);
		for (size_t len = 1; len < rows[i].len; len++)
			ASSERT_TRUE(removed(rows[i].name, rows[i].packed, len, MAX_BYTES, &err) <
				    0);
	}
}

TEST(coding_bounds_what_grows)
{
	static const char *const names[] = { "gzip", "deflate", "br", "zstd" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;
		struct error err = ERROR_INIT;

		for (int k = 0; k < 1000; k++)
			strbuf_addstr(
				&body,
				"0123456789012345678901234567890123456789012345678901234567890123");
		ASSERT_INT(net_coding_apply(str_from(names[i]), &body, &err), 0);
		ASSERT_TRUE(body.len < 4000);
		ASSERT_INT(removed(names[i], body.ptr, body.len, 63999, &err), -E2BIG);
		ASSERT_HAS(err.msg, "63999");
		ASSERT_INT(removed(names[i], body.ptr, body.len, 64000, &err), 0);
	}
}

TEST(coding_applies_lists_in_their_order)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;
	struct error err = ERROR_INIT;

	strbuf_addstr(&body, TEXT);
	ASSERT_INT(net_coding_apply(STR("gzip, br,zstd , deflate"), &body, &err), 0);
	ASSERT_INT(net_coding_remove(STR("gzip,br, zstd, deflate"), MAX_BYTES, &body, &err), 0);
	ASSERT_STREQ(strbuf_cstr(&body), TEXT);
	ASSERT_INT(net_coding_apply(STR("lzw"), &body, &err), -EINVAL);
	ASSERT_HAS(err.msg, "\"lzw\": gzip, deflate, br or zstd");
	ASSERT_STREQ(strbuf_cstr(&body), TEXT);
}
