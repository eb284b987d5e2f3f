/* Expected texts: ECMAScript's grammar of literals and identifiers. */
#include "convert/js.h"

#include "test.h"

static const char *made(void (*fn)(struct strbuf *, struct str), struct str s)
{
	static struct strbuf sb;

	strbuf_clear(&sb);
	fn(&sb, s);
	return strbuf_cstr(&sb);
}

TEST(js_strings_are_escaped)
{
	ASSERT_STREQ(made(convert_js_string, STR("")), "''");
	ASSERT_STREQ(made(convert_js_string, STR("it's \\ `${x}`")), "'it\\'s \\\\ `${x}`'");
	ASSERT_STREQ(made(convert_js_string, STR("a\r\nb\0c\x1b\x7f")),
		     "`a\\r\nb\\x00c\\x1b\\x7f`");
	ASSERT_STREQ(made(convert_js_string, STR("a\n")), "'a\\n'");
	ASSERT_STREQ(made(convert_js_string, STR("a\n`${x}\\")), "`a\n\\`\\${x}\\\\`");
	ASSERT_STREQ(made(convert_js_string, STR("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6\xc3\xa9")),
		     "'\\u2028\\u2029\xe2\x80\xa6\xc3\xa9'");
	ASSERT_STREQ(made(convert_js_string, STR("a\xc0\xaf\xf5")), "'a\\ufffd\\ufffd\\ufffd'");
}

TEST(js_variables_stand_in_templates)
{
	ASSERT_STREQ(made(convert_js_string, STR("a $ \xfeX_1\xff'")), "`a \\$ ${__ENV.X_1}'`");
	ASSERT_STREQ(made(convert_js_string, STR("\xfeX")), "`\\ufffdX`");
}

TEST(js_keys_are_bare_where_they_may_be)
{
	ASSERT_STREQ(made(convert_js_key, STR("Accept")), "Accept");
	ASSERT_STREQ(made(convert_js_key, STR("Content-Type")), "'Content-Type'");
	ASSERT_STREQ(made(convert_js_key, STR("1a")), "'1a'");
	ASSERT_STREQ(made(convert_js_key, STR("")), "''");
	ASSERT_STREQ(made(convert_js_key, STR("__proto__")), "['__proto__']");
}

TEST(js_names_are_made_of_any_text)
{
	ASSERT_STREQ(made(convert_js_name, STR("get pets by-id")), "getPetsById");
	ASSERT_STREQ(made(convert_js_name, STR("GET /pets/{petId}/v2")), "gETPetsPetIdV2");
	ASSERT_STREQ(made(convert_js_name, STR("delete")), "delete_");
	ASSERT_STREQ(made(convert_js_name, STR("42")), "request");
	ASSERT_STREQ(made(convert_js_name, STR("\xc3\xa9t\xc3\xa9")), "t");
}

TEST(js_comments_end_where_their_text_ends)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	convert_js_comment(&sb, 2,
			   STR("a\nb\xe2\x80\xa8"
			       "c\r\nd\xff\n"));
	ASSERT_STREQ(strbuf_cstr(&sb), "  "
				       "// a\n"
				       "  "
				       "// b?c\n"
				       "  "
				       "// d?\n");
}
