#include "base/strbuf.h"

#include <errno.h>
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
