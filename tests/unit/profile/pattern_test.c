#include "profile/pattern.h"

#include <errno.h>

#include "test.h"

static bool matches(const char *pattern, const char *name)
{
	CLEANUP(strbuf_release) struct strbuf unused = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct pattern *p;
	bool yes;

	ASSERT_OK_ERR(pattern_parse(str_from(pattern), &p, &err), err);
	yes = pattern_matches(p, name);
	pattern_free(p);
	return yes;
}

/* The rules of PerfView's user's guide. */
TEST(patterns_match_anywhere_in_any_case)
{
	ASSERT_TRUE(matches("PARSE", "System.Text.Json!Utf8Reader.parse(int32)"));
	ASSERT_TRUE(!matches("^parse", "Json!parse"));
	ASSERT_TRUE(matches("^json|^xml", "Xml!Read"));
	ASSERT_TRUE(!matches("^json|^xml", "MyXml!Read"));
	ASSERT_TRUE(matches("A*C", "a b.c"));
}

TEST(patterns_percent_stands_for_a_name)
{
	ASSERT_TRUE(matches("^System.%!", "System.Text.Json!Read"));
	ASSERT_TRUE(!matches("^System.%!", "System.Text Json!Read"));
	ASSERT_TRUE(!matches("a%c", "a+c"));
}

/* What regular expressions take for an operator is a character as any other. */
TEST(patterns_take_operators_as_they_are)
{
	ASSERT_TRUE(matches("List`1[int](a.b)", "List`1[int](a.b)"));
	ASSERT_TRUE(!matches("a.b", "axb"));
	ASSERT_TRUE(matches("<>c+$1?", "x<>c+$1?"));
	ASSERT_TRUE(matches("@^a.b$", "axb"));
}

TEST(patterns_that_are_none_are_refused_with_their_place)
{
	struct error err = ERROR_INIT;
	struct pattern *p;

	ASSERT_INT(pattern_parse(STR("a}b"), &p, &err), -EINVAL);
	ASSERT_STREQ(err.msg, "pattern 'a}b': '}' at 2 has no '{' before it");
	ASSERT_INT(pattern_parse(STR("{a"), &p, &err), -EINVAL);
	ASSERT_HAS(err.msg, "a '{' is not closed");
	ASSERT_INT(pattern_parse(STR("@("), &p, &err), -EINVAL);
}

static const char *grouped(struct pattern_groups *groups, const char *name, struct strbuf *out)
{
	strbuf_clear(out);
	return pattern_groups_find(groups, name, out) ? strbuf_cstr(out) : "";
}

TEST(groups_first_match_wins_and_takes_captures)
{
	struct pattern_groups groups = { 0 };
	struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(pattern_groups_add(
			      &groups, "mine!->; [by module] {%}!->module $1; System=>OTHER", &err),
		      err);
	ASSERT_STREQ(grouped(&groups, "Mine!Run", &out), "Mine!Run");
	ASSERT_STREQ(grouped(&groups, "System.Text!Read", &out), "module System.Text");
	ASSERT_TRUE(pattern_groups_find(&groups, "the system", &out)->entry);
	ASSERT_STREQ(grouped(&groups, "other", &out), "");
	ASSERT_INT(pattern_groups_add(&groups, "no arrow", &err), -EINVAL);
	ASSERT_HAS(err.msg, "expected PATTERN->NAME");
	pattern_groups_release(&groups);
	strbuf_release(&out);
}
