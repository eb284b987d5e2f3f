/*
 * What is expected follows the Unicode standard, 3.9, table 3-8 to 3-11 ("U+FFFD substitution of
 * maximal subparts") and the definition of UTF-16 there (3.9, D91).
 */
#include "base/utf.h"

#include <errno.h>

#include "test.h"

#define FFFD "\xef\xbf\xbd"

/* Whole, and byte by byte. */
static void decodes_as(struct utf_decoder d, struct str in, const char *want)
{
	CLEANUP(strbuf_release) struct strbuf whole = STRBUF_INIT, pieces = STRBUF_INIT;

	ASSERT_INT(utf_decode(&d, in, true, &whole), 0);
	ASSERT_STREQ(strbuf_cstr(&whole), want);
	for (size_t i = 0; i < in.len; i++)
		ASSERT_INT(utf_decode(&d, (struct str){ in.ptr + i, 1 }, false, &pieces), 0);
	ASSERT_INT(utf_decode(&d, STR(""), true, &pieces), 0);
	ASSERT_STREQ(strbuf_cstr(&pieces), want);
}

static void refuses(enum utf_form form, struct str in)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct utf_decoder d = { .form = form, .fatal = true };

	ASSERT_INT(utf_decode(&d, in, true, &out), -EILSEQ);
	ASSERT_INT(utf_decode(&d, form == UTF_8 ? STR("a") : STR(""), true, &out), 0);
}

TEST(utf8_that_is_right_stays_as_it_is)
{
	struct utf_decoder d = { .form = UTF_8 };

	decodes_as(d,
		   STR("a\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
		   "a\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(utf8_replaces_each_longest_piece_that_might_have_become_a_character)
{
	struct utf_decoder d = { .form = UTF_8 };

	/* table 3-8: not the shortest form */
	decodes_as(d, STR("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"),
		   FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
	/* table 3-9: surrogates */
	decodes_as(d, STR("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41"),
		   FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
	/* table 3-10: other bytes that never occur */
	decodes_as(d, STR("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"),
		   FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B");
	/* table 3-11: cut off */
	decodes_as(d, STR("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), FFFD FFFD FFFD FFFD "A");
	decodes_as(d, STR("A\xe2\x82"), "A" FFFD);
}

TEST(utf8_that_is_wrong_may_be_fatal)
{
	refuses(UTF_8, STR("\xff"));
	refuses(UTF_8, STR("a\xc0\x80"));
	refuses(UTF_8, STR("\xed\xa0\x80"));
	refuses(UTF_8, STR("\xe2\x82"));
}

TEST(a_byte_order_mark_is_dropped_once)
{
	struct utf_decoder d = { .form = UTF_8 };

	decodes_as(d,
		   STR("\xef\xbb\xbf"
		       "a"),
		   "a");
	decodes_as(d, STR("\xef\xbb\xbf\xef\xbb\xbf"), "\xef\xbb\xbf");
	decodes_as(d, STR("a\xef\xbb\xbf"), "a\xef\xbb\xbf");
	d.keep_bom = true;
	decodes_as(d,
		   STR("\xef\xbb\xbf"
		       "a"),
		   "\xef\xbb\xbf"
		   "a");
	decodes_as((struct utf_decoder){ .form = UTF_16LE }, STR("\xff\xfe\x61\x00"), "a");
	decodes_as((struct utf_decoder){ .form = UTF_16BE }, STR("\xfe\xff\x00\x61"), "a");
}

TEST(utf16_joins_surrogates_and_replaces_lone_ones)
{
	struct utf_decoder le = { .form = UTF_16LE }, be = { .form = UTF_16BE };

	/* U+007A U+6C34 U+1D11E, as RFC 2781 4.3 and Unicode's own examples have them */
	decodes_as(le, STR("\x7a\x00\x34\x6c\x34\xd8\x1e\xdd"), "z\xe6\xb0\xb4\xf0\x9d\x84\x9e");
	decodes_as(be, STR("\x00\x7a\x6c\x34\xd8\x34\xdd\x1e"), "z\xe6\xb0\xb4\xf0\x9d\x84\x9e");
	decodes_as(le, STR("\x34\xd8\x61\x00"), FFFD "a");
	decodes_as(le, STR("\x1e\xdd\x61\x00"), FFFD "a");
	decodes_as(le, STR("\x34\xd8\x34\xd8\x1e\xdd"), FFFD "\xf0\x9d\x84\x9e");
	decodes_as(le, STR("\x61\x00\x62"), "a" FFFD);
	decodes_as(le, STR("\x34\xd8"), FFFD);
	refuses(UTF_16LE, STR("\x34\xd8\x61\x00"));
	refuses(UTF_16BE, STR("\x00"));
}
