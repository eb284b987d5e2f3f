/* assay: finds the verb, parses its options, runs it. Only this folder prints or exits. */
#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "cli/help.h"
#include "cli/term.h"

static int unknown_verb(char **argv)
{
	struct error err = ERROR_INIT;
	const char *names[64] = { 0 }, *near;
	size_t n = 0;

	for (const struct verb *const *v = verbs; *v && n < ARRAY_SIZE(names); v++)
		names[n++] = (*v)->name;
	near = str_nearest(argv[0], names, n);
	for (const struct verb *const *v = verbs; *v && !near; v++)
		if (str_starts_with(str_from((*v)->name), str_from(argv[0])))
			near = (*v)->name;
	error_set(&err, -EINVAL,
		  near ? "no verb \"%s\"; did you mean \"%s\"? See assay --help"
		       : "no verb \"%s\"; see assay --help",
		  argv[0], near);
	term_error("", &err);
	return EXIT_USAGE;
}

/* The words as typed, those with blanks or signs quoted, so that it can be pasted again. */
static void join_command(struct strbuf *sb, int argc, char **argv)
{
	strbuf_addstr(sb, "assay");
	for (int i = 1; i < argc; i++) {
		bool plain = argv[i][0] && !argv[i][strcspn(argv[i], " \t\n\"'\\$&;|<>()*?`#")];

		strbuf_addch(sb, ' ');
		if (plain) {
			strbuf_addstr(sb, argv[i]);
			continue;
		}
		strbuf_addch(sb, '\'');
		for (const char *c = argv[i]; *c; c++)
			strbuf_addstr(sb, *c == '\'' ? "'\\''" : (char[2]){ *c, '\0' });
		strbuf_addch(sb, '\'');
	}
}

static int run_verb(const struct verb *v, int words, int argc, char **argv)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct verb_args a = { .opts = xcalloc(1, v->opts_size) };
	bool help = false;
	int exit_code;

	join_command(&command, argc, argv);
	a.command_line = strbuf_cstr(&command);
	if (v->init)
		v->init(a.opts);
	if (opt_parse(v, argc - 1 - words, argv + 1 + words, &a, &help, &err) < 0) {
		term_error(v->name, &err);
		exit_code = v->usage_exit ? v->usage_exit : EXIT_USAGE;
	} else if (help) {
		help_verb(stdout, v);
		exit_code = EXIT_OK;
	} else {
		exit_code = v->run(&a);
	}
	opt_release(v, &a);
	return exit_code;
}

/* Output that could not be written is a failure, even if all else went well. */
static int finish(int exit_code)
{
	struct error err = ERROR_INIT;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return exit_code;
	error_errno(&err, -errno, "writing to standard output");
	term_error("", &err);
	return exit_code ? exit_code : EXIT_UNMEASURED;
}

int main(int argc, char **argv)
{
	const struct verb *v;
	int words;

	if (argc < 2) {
		help_overview(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		puts("assay " ASSAY_VERSION);
		return finish(EXIT_OK);
	}
	if (!strcmp(argv[1], "help") && argc > 2) {
		argv++;
		argc--;
		v = verb_find(argc - 1, argv + 1, &words);
		if (!v)
			return unknown_verb(argv + 1);
		help_verb(stdout, v);
		return finish(EXIT_OK);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help_overview(stdout);
		return finish(EXIT_OK);
	}
	v = verb_find(argc - 1, argv + 1, &words);
	return v ? finish(run_verb(v, words, argc, argv)) : unknown_verb(argv + 1);
}
