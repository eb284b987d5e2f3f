/*
 * find.h - the .NET processes of this machine, whether they can be talked to, and if not, why.
 *
 * A runtime listens on TMPDIR/dotnet-diagnostic-PID-KEY-socket: TMPDIR of its environment or /tmp,
 * seen from its own root; PID in its own pid namespace; KEY its start time, field 22 of its
 * /proc/PID/stat. So a process of a container is found through /proc/PID/root and NSpid, and a
 * socket that an earlier process of the same pid left has another key. Where keys differ because
 * of a time namespace, the kernel tells who listens (SO_PEERCRED). Source: dotnet/diagnostics,
 * documentation/design-docs/ipc-protocol.md; dotnet/runtime, ds-ipc-pal-socket.c.
 */
#ifndef ASSAY_DOTNET_FIND_H
#define ASSAY_DOTNET_FIND_H

#include "base/vec.h"
#include "dotnet/ipc.h"

/*
 * The runtime of a process, ready for commands. pid is as we see it. -ESRCH there is no such
 * process; -ENOENT it runs no .NET or has no socket, -EACCES another user's, -EOPNOTSUPP switched
 * off: the message says what to do. The peer is the caller's.
 */
int dotnet_find_pid(pid_t pid, const struct dotnet_patience *p, struct dotnet_peer **ret,
		    struct error *reterr);

/*
 * As above by what it is called: its entry assembly or program, without folder, any case. -ENOENT
 * nobody is, -ENOTUNIQ several are: the message lists them. *ret_pid is as we see it, 0 when only
 * its socket is in our sight (a volume shared between containers); ret_pid may be NULL.
 */
int dotnet_find_name(const char *name, const struct dotnet_patience *p, struct dotnet_peer **ret,
		     pid_t *ret_pid, struct error *reterr);

/* A word of a command line: digits are a pid, a path with '/' is a socket, others are a name. */
int dotnet_find(const char *word, const struct dotnet_patience *p, struct dotnet_peer **ret,
		pid_t *ret_pid, struct error *reterr);

/* ---- all of them ---- */

enum dotnet_kind {
	DOTNET_KIND_NATIVE, /* no .NET in it that we can see */
	DOTNET_KIND_CORECLR,
	DOTNET_KIND_AOT, /* compiled ahead of time: counters and events, no samples, no heap */
};

/* All text is owned; NULL = unknown. */
struct dotnet_process {
	pid_t pid;	 /* as we see it; 0 = out of sight, see dotnet_find_name() */
	pid_t inner_pid; /* in its own namespace */
	enum dotnet_kind kind;
	char *name; /* entry assembly, else program; never NULL */
	char *command_line;
	char *version;	       /* of the runtime: "10.0.12" */
	char *arch;	       /* as the runtime says: "x64", "arm64" */
	double cpus;	       /* limit of its control group; 0 = none */
	uint64_t memory_bytes; /* likewise */

	/* How it is reached: the file `socket` in `dir` below `root`; socket NULL = it is not. */
	char *root, *dir, *socket;
	char *problem; /* why it cannot be observed, and what to do; NULL = it can */
};

struct dotnet_processes {
	VEC(struct dotnet_process) list; /* by pid */
};

void dotnet_processes_release(struct dotnet_processes *all);

/*
 * Every .NET process, asked for its version with a patience of one second each; with_native: every
 * other process that has a command line too. Zeroed *ret; the caller releases it.
 */
int dotnet_find_all(bool with_native, struct dotnet_processes *ret, struct error *reterr);

#endif
