/*
 * child.h - a command as a child of ours: started, waited for, ended. It stays in our process
 * group, so that a Ctrl-C at the terminal reaches it too, and it ends when we are killed. Limits
 * and whole groups of processes are target/'s.
 *
 * Starting forks: for a process with few threads.
 */
#ifndef ASSAY_OS_CHILD_H
#define ASSAY_OS_CHILD_H

#include <sys/types.h>

#include "base/error.h"

struct child;

struct child_opts {
	const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
	const char *const *env;	 /* "NAME=value" put over ours; NULL-ended or NULL */
	bool silent;		 /* without input, its output thrown away */
};

/* -ENOENT and -EACCES are about the command, all else about us. */
int child_start(const struct child_opts *o, struct child **ret, struct error *reterr);

/* Kills it if it still runs. NULL in, NULL out. */
struct child *child_free(struct child *c);
DEFINE_CLEANUP(child, struct child *, child_free)

pid_t child_pid(const struct child *c);
const char *child_name(const struct child *c); /* argv[0] */

/* Waits until it has ended, past signals, at most timeout_ns: true when it has. */
bool child_wait(struct child *c, uint64_t timeout_ns);

/* SIGTERM, and SIGKILL when that did not end it in grace_ns. */
void child_stop(struct child *c, uint64_t grace_ns);

/* How it ended, as a shell tells it: its exit code, or 128 and the signal. -EBUSY = it runs. */
int child_exit_code(struct child *c);

/* "exit code 3", "signal 9"; owned by c. */
const char *child_outcome(struct child *c);

/* Our environment with `over` put over it; ends with NULL. The texts are borrowed, the array is the
 * caller's. */
char **child_environment(const char *const *over);

#endif
