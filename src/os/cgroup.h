/*
 * cgroup.h - control groups of versions 1, 2 and hybrids of both: where a process is, what limits
 * it has (the minimum over all ancestors), what the kernel counted, and groups of our own.
 *
 * Formats: the kernel's Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst. On a hybrid machine
 * cpu, cpuacct and memory are version 1 hierarchies while pressure files live in version 2.
 *
 * Everything is reached through a root folder, "" for the real one, so that tests read fixtures.
 */
#ifndef ASSAY_OS_CGROUP_H
#define ASSAY_OS_CGROUP_H

#include <sys/types.h>

#include "base/error.h"

enum cgroup_controller { CGROUP_CPU, CGROUP_CPUACCT, CGROUP_MEMORY, CGROUP_V2, CGROUP_CONTROLLERS };

/*
 * The folders of one group, one per controller; NULL where there is none. On pure version 2 all are
 * the same folder. `mount` is where each hierarchy begins: no ancestor is above it.
 */
struct cgroup {
	char *dir[CGROUP_CONTROLLERS];
	char *mount[CGROUP_CONTROLLERS];
	bool v2[CGROUP_CONTROLLERS]; /* which syntax the controller's files have */
};

#define CGROUP_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

void cgroup_release(struct cgroup *g);

/*
 * The groups of a process; pid 0 is the caller. Where no hierarchy is mounted in our sight they are
 * reached through the root of the process.
 */
int cgroup_of_pid(const char *root, pid_t pid, struct cgroup *ret, struct error *reterr);

/*
 * The group a path names: absolute ("/sys/fs/cgroup/cpu/x", any one of its folders) or relative to
 * every hierarchy ("x/y").
 */
int cgroup_of_path(const char *root, const char *path, struct cgroup *ret, struct error *reterr);

struct cgroup_limits {
	double cpus;	       /* quota / period; 0 = none */
	uint64_t period_ns;    /* of the group that sets the quota; 0 = none */
	uint64_t memory_bytes; /* 0 = none */
	bool cpu_from_ancestor, memory_from_ancestor;
};

/* The effective limits: the smallest on the way up. Files that are missing limit nothing. */
int cgroup_read_limits(const struct cgroup *g, struct cgroup_limits *ret, struct error *reterr);

/* What the kernel counted; fields whose file is missing have their bit unset in `have`. */
enum {
	CGROUP_HAVE_PERIODS = 1 << 0,
	CGROUP_HAVE_LOCAL = 1 << 1, /* cpu.stat.local: throttling by ancestors too */
	CGROUP_HAVE_CPU = 1 << 2,
	CGROUP_HAVE_MEMORY = 1 << 3,
	CGROUP_HAVE_PEAK = 1 << 4,
	CGROUP_HAVE_OOM = 1 << 5,
	CGROUP_HAVE_PRESSURE = 1 << 6,
	CGROUP_HAVE_LIMIT_HITS = 1 << 7,
	CGROUP_HAVE_HIGH = 1 << 8,
};

struct cgroup_stat {
	unsigned have;
	uint64_t periods, throttled; /* of the group that sets the quota, see below */
	uint64_t throttled_ns;	     /* summed over CPUs: may exceed wall time */
	uint64_t throttled_local_ns; /* of the group's own run queues, by whichever ancestor */
	uint64_t cpu_ns;
	uint64_t memory_bytes, memory_peak_bytes;
	uint64_t oom_kills;
	uint64_t memory_limit_hits; /* how often it was at its limit: v2 "max", v1 failcnt */
	uint64_t memory_high;	    /* how often allocations were slowed down at memory.high, v2 */
	uint64_t cpu_some_ns, cpu_full_ns; /* pressure: wall time somebody, everybody waited */
	uint64_t memory_some_ns, memory_full_ns;
	uint64_t io_some_ns, io_full_ns;
};

/*
 * periods, throttled and throttled_ns come from the group on the way up that has the smallest
 * quota: a child's own cpu.stat stays all zero when the limit sits on its parent.
 */
int cgroup_read_stat(const struct cgroup *g, struct cgroup_stat *ret, struct error *reterr);

/* ---- groups of our own ---- */

struct cgroup_limits_wanted {
	double cpus;	    /* 0 = no quota */
	uint64_t period_ns; /* 0 = 100 ms */
	uint64_t memory_bytes;
};

/*
 * Makes a group called name below the caller's own (or, where that is refused, below the top) in
 * each hierarchy that is needed, sets the limits and reads them back. Without the rights the error
 * names what is missing and the alternatives. The caller ends with cgroup_remove().
 */
int cgroup_make(const char *root, const char *name, const struct cgroup_limits_wanted *w,
		struct cgroup *ret, struct error *reterr);

/* Moves a process (0 = the caller) into every folder of g. Safe between fork and exec. */
int cgroup_join(const struct cgroup *g, pid_t pid);

/* Kills every process in the group until it is empty; 0, or -EBUSY after timeout_ns. */
int cgroup_kill(const struct cgroup *g, uint64_t timeout_ns);

/* Removes the (empty) folders. */
int cgroup_remove(const struct cgroup *g);

#endif
