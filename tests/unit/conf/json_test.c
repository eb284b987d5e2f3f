/* Expected values: RFC 8259's grammar, and its examples of escapes (section 7). */
#include <errno.h>

#include "conf/conf.h"
#include "test.h"

static struct conf *parsed(struct str text)
{
	struct error err = ERROR_INIT;
	struct conf *c = NULL;

	ASSERT_OK_ERR(conf_parse_document(text, "a.json", &c, &err), err);
	return c;
}

static const char *refusal(const char *text)
{
	static struct error err;
	struct conf *c = NULL;

	err = (struct error)ERROR_INIT;
	ASSERT_INT(conf_parse_document(str_from(text), "a.json", &c, &err), -EINVAL);
	return err.msg;
}

TEST(json_is_a_tree_with_places)
{
	CLEANUP(cleanup_conf)
	struct conf *c = parsed(STR("{\n  \"a\": [1, -0.5e+3, true, null, \"true\"],\n"
				    "  \"b\\n\": {}, \"a\": 2\n}"));
	const struct conf_node *a = conf_get(&c->root, "a");

	ASSERT_INT(a->kind, CONF_LIST);
	ASSERT_INT(a->n_children, 5);
	ASSERT_STREQ(a->children[1].text, "-0.5e+3");
	ASSERT_INT(a->children[1].line, 2);
	ASSERT_INT(a->children[1].column, 12);
	ASSERT_TRUE(!a->children[2].quoted);
	ASSERT_TRUE(a->children[4].quoted);
	ASSERT_INT(conf_get(&c->root, "b\n")->kind, CONF_MAP);
	ASSERT_INT(conf_get(&c->root, "b\n")->key_column, 3);
}

TEST(json_escapes_are_taken)
{
	CLEANUP(cleanup_conf)
	struct conf *c = parsed(STR("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\uD834\\uDD1E\\u00e9\", "
				    "\"a\\u0000b\", \"\\ud834x\", \"\\udd1e\"]"));
	const struct conf_node *n = c->root.children;

	ASSERT_STREQ(n[0].text, "\"\\/\b\f\n\r\t");
	ASSERT_STREQ(n[1].text, "\xf0\x9d\x84\x9e\xc3\xa9"); /* the G clef of RFC 8259 */
	ASSERT_INT(n[2].len, 3);
	ASSERT_TRUE(!memcmp(n[2].text, "a\0b", 4));
	ASSERT_STREQ(n[3].text, "\xef\xbf\xbdx");
	ASSERT_STREQ(n[4].text, "\xef\xbf\xbd");
}

TEST(json_that_is_none_is_refused_at_its_place)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "{\"a\":1,}", "a.json:1:8: not JSON: expected a key" },
		{ "[1,\n 01]", "a.json:2:4: " },
		{ "[1 2]", "a.json:1:4: not JSON: expected , or ]" },
		{ "{\"a\" 1}", "expected :" },
		{ "[.5]", "expected a value" },
		{ "[1.]", "expected a digit" },
		{ "[1e]", "expected a digit" },
		{ "[tru]", "expected a value" },
		{ "[\"a\nb\"]", "in its line" },
		{ "[\"\\x\"]", "no such escape" },
		{ "[\"\\u12g4\"]", "four hexadecimal" },
		{ "[\"\xff\"]", "not UTF-8" },
		{ "[\"", "ends within" },
		{ "[", "ends where a value" },
		{ "[] x", "follows" },
		{ "[truefalse]", "expected" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ASSERT_HAS(refusal(cases[i].text), cases[i].says);
}

TEST(json_depth_is_limited)
{
	char deep[1000];

	memset(deep, '[', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	ASSERT_HAS(refusal(deep), "a.json:1:201: not JSON: nested too deeply");
}

TEST(documents_may_be_yaml_or_have_a_mark_in_front)
{
	CLEANUP(cleanup_conf) struct conf *yaml = parsed(STR("a: 1\nb: '1'\n"));
	CLEANUP(cleanup_conf) struct conf *json = parsed(STR("\xef\xbb\xbf {\"a\": 1}"));

	ASSERT_TRUE(!conf_get(&yaml->root, "a")->quoted);
	ASSERT_TRUE(conf_get(&yaml->root, "b")->quoted);
	ASSERT_STREQ(conf_get(&json->root, "a")->text, "1");
}
