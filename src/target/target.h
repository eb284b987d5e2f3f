/*
 * target.h - a service under limits: started in a control group of its own, waited for, ended with
 * everything it started. Also when the process that started it is itself killed: a small reaper
 * process holds one end of a pipe whose other end dies with us, and then clears the group.
 *
 * Needs a process with few threads: launching forks.
 */
#ifndef ASSAY_TARGET_TARGET_H
#define ASSAY_TARGET_TARGET_H

#include <sys/types.h>

#include "base/error.h"
#include "os/cgroup.h"

struct target;

struct target_opts {
	const char *const *argv; /* ends with NULL */
	const char *const *env;	 /* "NAME=value" added to or replacing ours; NULL-ended or NULL */
	const char *cwd;	 /* NULL = ours */
	const char *output;	 /* file for stdout and stderr; NULL = ours */
	bool foreground;	 /* hands our terminal on to it, so that Ctrl-C is its own */
	struct cgroup_limits_wanted limits;
};

/* How it went, from the kernel's own counters. */
struct target_usage {
	uint64_t wall_ns;
	int exit_code; /* -1 when a signal ended it */
	int signal;
	struct cgroup_stat stat; /* at the end */
	double throttled_share;	 /* of the periods; 0 without a quota */
};

/*
 * Starts argv[0] (looked up in PATH) inside its group: it is there before its first instruction.
 * -ENOENT and -EACCES are about the command, all else about us.
 */
int target_launch(const struct target_opts *o, struct target **ret, struct error *reterr);

/* Observes a process that is there already, or a group; it is not ended by target_free(). */
int target_attach_pid(pid_t pid, struct target **ret, struct error *reterr);
int target_attach_cgroup(const char *path, struct target **ret, struct error *reterr);

/* Ends what is still there, removes the group. NULL in, NULL out. */
struct target *target_free(struct target *t);
DEFINE_CLEANUP(target, struct target *, target_free)

pid_t target_pid(const struct target *t); /* 0 for a group without a known process */
const struct cgroup *target_cgroup(const struct target *t);
struct cgroup_limits target_limits(const struct target *t); /* effective */

int target_signal(const struct target *t, int signal);

/*
 * Waits until the main process has ended, at most timeout_ns (UINT64_MAX = for ever): 1 ended,
 * 0 still there, -EINTR when a signal came in between.
 */
int target_wait(struct target *t, uint64_t timeout_ns);

/* True while the main process runs. */
bool target_alive(struct target *t);

/* SIGTERM, then after grace_ns SIGKILL to all in the group; fills in the usage if asked. */
int target_stop(struct target *t, uint64_t grace_ns, struct target_usage *ret,
		struct error *reterr);

#endif
