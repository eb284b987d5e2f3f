#include "base/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

TEST(strbuf_grows_and_stays_terminated)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	ASSERT_STREQ(strbuf_cstr(&sb), "");
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%d,", i % 10);
	ASSERT_INT(sb.len, 2000);
	ASSERT_INT(strlen(sb.ptr), 2000);
	strbuf_consume(&sb, 1996);
	ASSERT_STREQ(sb.ptr, "8,9,");
}

TEST(strbuf_refuses_what_passes_its_maximum)
{
	CLEANUP(strbuf_release) struct strbuf sb = { .max = 4 };

	ASSERT_INT(strbuf_addstr(&sb, "abcd"), 0);
	ASSERT_INT(strbuf_addch(&sb, 'e'), -E2BIG);
	ASSERT_STREQ(strbuf_cstr(&sb), "abcd");
}

TEST(strbuf_detach_hands_over_and_empties)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	char *text;

	strbuf_addstr(&sb, "x");
	text = strbuf_detach(&sb);
	ASSERT_STREQ(text, "x");
	ASSERT_INT(sb.len, 0);
	free(text);
	text = strbuf_detach(&sb);
	ASSERT_STREQ(text, "");
	free(text);
}

TEST(strbuf_adds_numbers_with_zeros_in_front)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_add_uint(&sb, 0, 1);
	strbuf_addch(&sb, ' ');
	strbuf_add_uint(&sb, 42, 5);
	strbuf_addch(&sb, ' ');
	strbuf_add_uint(&sb, UINT64_MAX, 3);
	ASSERT_STREQ(strbuf_cstr(&sb), "0 00042 18446744073709551615");
	strbuf_release(&sb);
}

/* what fits is written once, what does not is written again: neither leaves a trace of the other */
TEST(strbuf_formats_at_every_fill)
{
	struct strbuf sb = STRBUF_INIT, limited = { .max = 10 };
	char want[400] = "";
	size_t len = 0;

	for (int i = 0; i < 100; i++) {
		ASSERT_OK(strbuf_addf(&sb, "%d-", i));
		len += (size_t)snprintf(want + len, sizeof(want) - len, "%d-", i);
		ASSERT_STREQ(strbuf_cstr(&sb), want);
		ASSERT_INT(sb.len, len);
	}
	ASSERT_OK(strbuf_addf(&limited, "%s", "12345678"));
	ASSERT_INT(strbuf_addf(&limited, "%s", "abc"), -E2BIG);
	ASSERT_STREQ(strbuf_cstr(&limited), "12345678");
	ASSERT_OK(strbuf_addf(&limited, "%s", "ab"));
	strbuf_release(&sb);
	strbuf_release(&limited);
}
