#include "cli/help.h"
#include "cli/term.h"

static int run_completion(const struct verb_args *a)
{
	struct error err = ERROR_INIT;

	if (help_completion(stdout, a->args[0]) == 0)
		return EXIT_OK;
	error_set(&err, -1, "no completion for \"%s\"; there is bash, zsh and fish", a->args[0]);
	term_error("completion", &err);
	return EXIT_USAGE;
}

static const struct example examples[] = {
	{ "source <(assay completion bash)", "completes verbs, options and files in this shell" },
	{ "assay completion fish | source", "the same in fish" },
	{ 0 },
};

const struct verb verb_completion = {
	.name = "completion",
	.summary = "Print the completion script of a shell",
	.usage = "bash|zsh|fish",
	.examples = examples,
	.min_args = 1,
	.max_args = 1,
	.completes = "bash zsh fish",
	.run = run_completion,
};
