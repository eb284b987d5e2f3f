/*
 * verb.h - what a verb is: one descriptor in one file (verb_NAME.c), listed in verbs.c. Dispatch,
 * option parsing, --help and shell completion all come from it, and tools/check-docs holds the man
 * page against it, so an option is written down once.
 *
 * To add a verb: write cli/verb_NAME.c, list it in verbs.c and cli/meson.build, write its man page.
 */
#ifndef ASSAY_CLI_VERB_H
#define ASSAY_CLI_VERB_H

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

/* Exit codes of every verb but `run` (the target's own, 125 to 127) and `load` (k6's, load/load.h).
 */
enum {
	EXIT_OK = 0,
	EXIT_NEGATIVE = 1, /* it worked, and the verdict is no */
	EXIT_USAGE = 2,
	EXIT_UNMEASURED = 3, /* could not measure, inconclusive or refused */
};

enum opt_kind {
	OPT_FLAG,     /* bool */
	OPT_STRING,   /* const char *, borrowed from argv */
	OPT_LIST,     /* struct opt_list: may be given several times */
	OPT_UINT,     /* uint64_t */
	OPT_DOUBLE,   /* double, not negative */
	OPT_DURATION, /* uint64_t ns */
	OPT_BYTES,    /* uint64_t */
	OPT_MAYBE,    /* const char *, "" when given without =VALUE */
};

struct opt_list {
	const char **ptr;
	size_t len, cap;
};

struct opt {
	const char *name; /* without "--" */
	char letter;	  /* 0 = none */
	enum opt_kind kind;
	size_t offset;	       /* of the value in the verb's own struct */
	const char *value;     /* what it takes, for help: "FILE"; NULL for flags */
	const char *help;      /* one sentence, no full stop */
	const char *completes; /* "file", "dir", or words separated by blanks; NULL = nothing */
};

struct example {
	const char *command;
	const char *says;
};

struct verb_args {
	void *opts;		 /* the verb's own struct, defaults set by init() */
	const char *const *args; /* ends with NULL, as exec() wants it */
	size_t n_args;
	const char *command_line; /* as typed, for the record */
};

struct verb {
	const char *name;		/* "load", or two words: "case run" */
	const char *summary;		/* one line */
	const char *usage;		/* what follows the name: "[options] SCRIPT.js" */
	const char *about;		/* a paragraph or two, wrapped by hand at 78 columns */
	const struct opt *opts;		/* ends with a NULL name */
	const struct example *examples; /* ends with a NULL command */
	size_t opts_size;
	size_t min_args, max_args;
	bool rest_is_command;	  /* options end at the first argument: run [options] -- CMD */
	int usage_exit;		  /* exit code of a wrong command line; 0 = EXIT_USAGE */
	const char *completes;	  /* what arguments are: as in struct opt */
	void (*init)(void *opts); /* sets defaults; NULL = zero */
	int (*run)(const struct verb_args *a); /* returns the exit code */
};

/* Every verb in the order of help; ends with NULL. */
extern const struct verb *const verbs[];

/* The verb that argv names and how many words its name has; NULL when there is none. */
const struct verb *verb_find(int argc, char **argv, int *ret_words);

/*
 * Fills a->opts and a->args from the words after the verb's name. opts must be opts_size zeroed
 * bytes that init() has seen. *ret_help is set when --help was met.
 */
int opt_parse(const struct verb *v, int argc, char **argv, struct verb_args *a, bool *ret_help,
	      struct error *reterr);
void opt_release(const struct verb *v, struct verb_args *a);

#endif
