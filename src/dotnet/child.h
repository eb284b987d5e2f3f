/*
 * child.h - a .NET program started by us, with its first managed instruction still to come: nothing
 * of its start is lost.
 *
 *	struct dotnet_child_opts o = { .argv = a->args, .cancel_fd = stop_fd };
 *	r = dotnet_child_start(&o, &child, &err);		 it is suspended now
 *	r = dotnet_session_open(dotnet_child_peer(child), &wish, &s, &err);
 *	r = dotnet_resume(dotnet_child_peer(child), &err);	 its Main begins
 *	... dotnet_session_read() until 0: the program has ended, or we stop the session
 *	dotnet_session_free(s);
 *	dotnet_child_stop(child, 5 * NS_PER_S);			 when it still runs
 *	... dotnet_child_exit_code(child), dotnet_child_outcome(child)
 *	dotnet_child_free(child);				 ends it, removes the port
 *
 * It stays in our process group: a Ctrl-C at the terminal is for both of us, so catch SIGINT and
 * read on; what the program does at its end still comes. Who sends SIGTERM to us alone expects us
 *to end it: dotnet_child_stop().
 */
#ifndef ASSAY_DOTNET_CHILD_H
#define ASSAY_DOTNET_CHILD_H

#include "dotnet/ipc.h"

struct dotnet_child;

struct dotnet_child_opts {
	const char *const *argv; /* ends with NULL */
	bool silent;		 /* without input, its output thrown away */
	const char *temporary;	 /* folder for the port; NULL = /tmp */
	uint64_t wait_ns;	 /* for a runtime to come up in it; 0 = 10 s */
	int cancel_fd;		 /* as in struct dotnet_patience */
};

/*
 * Starts the command and waits until a runtime in it, or in a child of it, dials our port. Those of
 * the SDK (dotnet run, build servers) are passed over for the program they start. -ENOENT and
 * -EACCES the command cannot be run; -ECHILD it ended before, -ETIMEDOUT no runtime came up, and
 * then it is ended: the message says what it may be. -ECANCELED.
 */
int dotnet_child_start(const struct dotnet_child_opts *o, struct dotnet_child **ret,
		       struct error *reterr);

/* Borrowed. */
struct dotnet_peer *dotnet_child_peer(const struct dotnet_child *c);

/* Of the process with the runtime: that of the command, or below it. */
pid_t dotnet_child_pid(const struct dotnet_child *c);

/* Waits until the command has ended, past signals, at most timeout_ns: true when it has. */
bool dotnet_child_wait(struct dotnet_child *c, uint64_t timeout_ns);

/* SIGTERM to the program, SIGKILL when it still runs after grace_ns. */
void dotnet_child_stop(struct dotnet_child *c, uint64_t grace_ns);

/* Of the command, as a shell tells it: its exit code, or 128 and the signal; -EBUSY = it runs. */
int dotnet_child_exit_code(struct dotnet_child *c);

/* "exit code 3", "signal 9"; owned by c. */
const char *dotnet_child_outcome(struct dotnet_child *c);

/* As stop without grace; removes the port and its folder. NULL in, NULL out. */
struct dotnet_child *dotnet_child_free(struct dotnet_child *c);
DEFINE_CLEANUP(dotnet_child, struct dotnet_child *, dotnet_child_free)

#endif
