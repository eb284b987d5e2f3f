#include "conf/conf.h"

#include <errno.h>

#include "test.h"

static struct conf *parsed(const char *text)
{
	struct error err = ERROR_INIT;
	struct conf *c = NULL;

	ASSERT_OK_ERR(conf_parse(str_from(text), "case.yaml", &c, &err), err);
	return c;
}

TEST(conf_keeps_places_and_values)
{
	CLEANUP(cleanup_conf)
	struct conf *c = parsed("name: x\n"
				"target:\n"
				"  cpus: 1.5\n"
				"  memory: 1g\n"
				"  command: [a, \"b c\"]\n"
				"load: {duration: 60s, vus: 200}\n");
	const struct conf_node *target = conf_get(&c->root, "target");
	struct error err = ERROR_INIT;
	uint64_t u = 0;
	double d = 0;

	ASSERT_INT(conf_get(target, "memory")->line, 4);
	ASSERT_INT(conf_get(target, "memory")->column, 11);
	ASSERT_STREQ(conf_get(target, "command")->children[1].text, "b c");
	ASSERT_OK_ERR(conf_get_double(c, target, "cpus", &d, &err), err);
	ASSERT_NEAR(d, 1.5, 0);
	ASSERT_OK_ERR(conf_get_bytes(c, target, "memory", &u, &err), err);
	ASSERT_INT(u, 1 << 30);
	ASSERT_OK_ERR(conf_get_duration(c, conf_get(&c->root, "load"), "duration", &u, &err), err);
	ASSERT_INT(u, 60 * NS_PER_S);
	ASSERT_OK_ERR(conf_get_uint(c, conf_get(&c->root, "load"), "absent", &u, &err), err);
	ASSERT_INT(u, 60 * NS_PER_S);
}

TEST(conf_wrong_key_names_the_place_and_the_nearest)
{
	static const char *const known[] = { "name", "target", "variants", NULL };
	CLEANUP(cleanup_conf) struct conf *c = parsed("name: x\n\nvaraints: []\n");
	struct error err = ERROR_INIT;

	ASSERT_INT(conf_check_keys(c, &c->root, known, &err), -EINVAL);
	ASSERT_STREQ(err.msg,
		     "case.yaml:3:1: no key \"varaints\" here; did you mean \"variants\"?");
}

TEST(conf_wrong_values_say_what_was_expected)
{
	CLEANUP(cleanup_conf) struct conf *c = parsed("cpus: many\nmemory: [1]\n");
	struct error err = ERROR_INIT;
	const struct conf_node *none;
	double d = 7;
	uint64_t u;

	ASSERT_INT(conf_get_double(c, &c->root, "cpus", &d, &err), -EINVAL);
	ASSERT_STREQ(err.msg, "case.yaml:1:7: cpus takes a number, not \"many\"");
	ASSERT_INT(conf_get_bytes(c, &c->root, "memory", &u, &err), -EINVAL);
	ASSERT_STREQ(err.msg, "case.yaml:2:9: memory takes one value, not a list or map");
	ASSERT_INT(conf_need(c, &c->root, "name", &none, &err), -EINVAL);
	ASSERT_HAS(err.msg, "the key \"name\" is missing");
}

TEST(conf_refuses_what_it_does_not_read)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "the file is empty" },
		{ "a: [1, 2", "case.yaml:2:1: not YAML" },
		{ "a: 1\na: 2\n", "case.yaml:2:1: this key is already given above" },
		{ "a: &x 1\nb: 2\n", "anchors" },
		{ "a: 1\n---\nb: 2\n", "one document" },
		{ "? [a]\n: 1\n", "a key must be plain text" },
		{ "\xff\xfe\xfd", "not YAML" },
		{ "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "nested too deeply" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;
		struct conf *c = NULL;

		ASSERT_TRUE(conf_parse(str_from(cases[i].text), "case.yaml", &c, &err) < 0);
		ASSERT_HAS(err.msg, cases[i].says);
	}
}
