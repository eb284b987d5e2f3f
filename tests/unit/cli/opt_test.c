#include "cli/verb.h"

#include <stdlib.h>

#include "test.h"

struct options {
	bool quiet;
	const char *out;
	struct opt_list env;
	uint64_t vus, duration_ns, memory_bytes;
	double cpus;
};

static const struct opt table[] = {
	{ "quiet", 'q', OPT_FLAG, offsetof(struct options, quiet), NULL, "say less", NULL },
	{ "out", 'o', OPT_STRING, offsetof(struct options, out), "FILE", "where to", "file" },
	{ "env", 'e', OPT_LIST, offsetof(struct options, env), "K=V", "set", NULL },
	{ "vus", 'u', OPT_UINT, offsetof(struct options, vus), "N", "users", NULL },
	{ "duration", 'd', OPT_DURATION, offsetof(struct options, duration_ns), "TIME", "x", NULL },
	{ "memory", 0, OPT_BYTES, offsetof(struct options, memory_bytes), "SIZE", "x", NULL },
	{ "cpus", 0, OPT_DOUBLE, offsetof(struct options, cpus), "N", "x", NULL },
	{ 0 },
};

static const struct verb plain = {
	.name = "thing",
	.usage = "FILE",
	.opts = table,
	.min_args = 1,
	.max_args = 1,
};
static const struct verb command = {
	.name = "run",
	.usage = "-- CMD",
	.opts = table,
	.min_args = 1,
	.max_args = 99,
	.rest_is_command = true,
};

static int parse(const struct verb *v, struct verb_args *a, struct error *err,
		 const char *const *words)
{
	int n = 0;
	bool help;

	while (words[n])
		n++;
	*a = (struct verb_args){ .opts = calloc(1, sizeof(struct options)) };
	return opt_parse(v, n, (char **)(uintptr_t)words, a, &help, err);
}

TEST(opt_takes_every_kind_in_every_form)
{
	static const char *const words[] = { "-qu5",   "--duration=1m", "file.js",  "-e",
					     "A=1",    "--env=B=2",	"--memory", "1g",
					     "--cpus", "0.5",		NULL };
	struct error err = ERROR_INIT;
	struct verb_args a;
	struct options *o;

	ASSERT_OK_ERR(parse(&plain, &a, &err, words), err);
	o = a.opts;
	ASSERT_TRUE(o->quiet);
	ASSERT_INT(o->vus, 5);
	ASSERT_INT(o->duration_ns, 60 * NS_PER_S);
	ASSERT_INT(o->memory_bytes, 1 << 30);
	ASSERT_NEAR(o->cpus, 0.5, 0);
	ASSERT_INT(o->env.len, 2);
	ASSERT_STREQ(o->env.ptr[1], "B=2");
	ASSERT_STREQ(a.args[0], "file.js");
	opt_release(&plain, &a);
}

TEST(opt_leaves_a_commands_own_options_alone)
{
	static const char *const words[] = { "--cpus", "1", "ls", "-l", "--help", NULL };
	struct error err = ERROR_INIT;
	struct verb_args a;

	ASSERT_OK_ERR(parse(&command, &a, &err, words), err);
	ASSERT_INT(a.n_args, 3);
	ASSERT_STREQ(a.args[2], "--help");
	ASSERT_TRUE(a.args[3] == NULL);
	opt_release(&command, &a);
}

TEST(opt_errors_say_what_was_expected)
{
	static const struct {
		const char *words[4];
		const char *says;
	} cases[] = {
		{ { "--vsu", "1", "f", NULL }, "no option --vsu; did you mean --vus?" },
		{ { "--vus", "many", "f", NULL }, "--vus takes a whole number, not \"many\"" },
		{ { "f", "--vus", NULL }, "--vus needs a value: N" },
		{ { "--quiet=1", "f", NULL },
		  "--quiet takes no value, or =true or =false, not \"1\"" },
		{ { NULL }, "something is missing: assay thing FILE" },
		{ { "a", "b", NULL }, "\"b\" is one argument too many" },
		{ { "--cpus", "-1", "f", NULL }, "out of range" },
		{ { "-z", "f", NULL }, "no option -z; see assay thing --help" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = ERROR_INIT;
		struct verb_args a;

		ASSERT_TRUE(parse(&plain, &a, &err, cases[i].words) < 0);
		ASSERT_HAS(err.msg, cases[i].says);
		opt_release(&plain, &a);
	}
}
