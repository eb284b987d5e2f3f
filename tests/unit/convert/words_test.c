/* Expected words: what a POSIX shell (and bash, for $'') makes of the text. */
#include "convert/words.h"

#include <errno.h>

#include "base/vec.h"
#include "test.h"

/* Words joined by '|', ends of commands as ';', pipes as '!'. */
static void joined(const char *text, char *ret, size_t size)
{
	CLEANUP(convert_words_release) struct convert_words words = { 0 };
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(convert_words_split(str_from(text), "t", &words, &err), err);
	vec_for_each (&words, w) {
		strbuf_addstr(&sb, sb.len ? "|" : "");
		strbuf_addstr(&sb, w->kind == CONVERT_END    ? ";"
				   : w->kind == CONVERT_PIPE ? "!"
							     : strbuf_cstr(&w->text));
	}
	ASSERT_TRUE(sb.len < size);
	strcpy(ret, strbuf_cstr(&sb));
}

static const char *refusal(const char *text)
{
	static struct error err;
	CLEANUP(convert_words_release) struct convert_words words = { 0 };

	err = (struct error)ERROR_INIT;
	ASSERT_INT(convert_words_split(str_from(text), "t", &words, &err), -EINVAL);
	return err.msg;
}

TEST(words_are_split_as_a_shell_does)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "a b  c\t d", "a|b|c|d" },
		{ "'a b' \"c d\"'e'f", "a b|c def" },
		{ "a\\ b \\'", "a b|'" },
		{ "'it'\\''s'", "it's" },
		{ "\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d" },
		{ "a \\\n  b", "a|b" },
		{ "a \\\r\n  b", "a|b" },
		{ "ab\\\ncd", "abcd" },
		{ "\"a\\\nb\"", "ab" },
		{ "'a\\\nb'", "a\\\nb" },
		{ "''", "" },
		{ "a ; b & c && d || e", "a|;|b|;|c|;|d|;|e" },
		{ "a | b", "a|!|b" },
		{ "a\nb", "a|;|b" },
		{ "a >f b 2>&1 2>/dev/null c", "a|b|c" },
		{ "a # no", "a" },
		{ "a#b", "a#b" },
		{ "a \\", "a" },
		{ "$ a$", "$|a$" },
		{ "$'a\\nb\\'c\\x41\\101\\u00e9\\U0001F600\\t\\e'",
		  "a\nb'cAA\xc3\xa9\xf0\x9f\x98\x80\t\033" },
		{ "$'\\q\\xzz'", "\\q\\xzz" },
		{ "$NAME ${A_1}x \"$B\" '$C' \\$D", "\xfeNAME\xff|\xfe"
						    "A_1\xffx|\xfe"
						    "B\xff|$C|$D" },
	};
	char got[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		joined(cases[i].text, got, sizeof(got));
		ASSERT_STREQ(got, cases[i].words);
	}
}

TEST(words_know_their_place)
{
	CLEANUP(convert_words_release) struct convert_words words = { 0 };

	ASSERT_OK(convert_words_split(STR("curl \\\n  'x\ny' z"), "t", &words, NULL));
	ASSERT_INT(words.len, 3);
	ASSERT_INT(words.ptr[1].line, 2);
	ASSERT_INT(words.ptr[1].column, 3);
	ASSERT_INT(words.ptr[2].line, 3);
	ASSERT_INT(words.ptr[2].column, 4);
}

TEST(words_that_only_a_shell_has_are_refused_at_their_place)
{
	ASSERT_STREQ(refusal("a 'b\nc"), "t:1:3: this quote (') has no end");
	ASSERT_HAS(refusal("a\n \"b"), "t:2:2: this quote (\") has no end");
	ASSERT_HAS(refusal("$'b"), "t:1:1: this quote ($') has no end");
	ASSERT_HAS(refusal("a $(date)"), "t:1:4: $(...)");
	ASSERT_HAS(refusal("\"`date`\""), "`...`");
	ASSERT_HAS(refusal("${a:-b}"), "only ${NAME}");
	ASSERT_HAS(refusal("curl ^\"http"), "cmd");
	ASSERT_HAS(refusal("a <<E"), "<<");
}
