/*
 * sampler.h - what the kernel knows of a target, as series in a sink. Each sample reads /proc and
 * the control group once (some 200 us of our own CPU, and 30 us a thread); what cannot be read is
 * left out and reported once as a loss. Counters stay cumulative: readers take differences, so a
 * missed sample loses nothing.
 *
 * Series (OpenTelemetry's names for processes, the kernel's for control groups):
 *
 *	process.cpu.time{state=user|system}                    s, counter
 *	process.memory.usage                                   By
 *	process.thread.count                                   {thread}
 *	process.context_switches{type=voluntary|involuntary}   {switch}, counter
 *	process.paging.faults{type=major|minor}                {fault}, counter
 *	process.runqueue.delay                                 s, counter: ready, but not running
 *	process.runqueue.contention                            s, counter: less what was throttling
 *	process.thread.cpu.time{thread=NAME}                   s, counter; with per_thread
 *	process.thread.runqueue.delay{thread=NAME}             s, counter; with per_thread
 *	cgroup.cpu.limit                                       {cpu}, where there is one
 *	cgroup.cpu.usage                                       s, counter
 *	cgroup.cpu.nr_periods, cgroup.cpu.nr_throttled         {period}, counters, where the quota
 *is cgroup.cpu.throttled_time                              s, counter, summed over CPUs
 *	cgroup.cpu.local.throttled_time                        s, counter, by any ancestor's quota
 *	cgroup.memory.usage, cgroup.memory.limit               By
 *	cgroup.memory.limit_hits, .high, .oom_kill             {event}, counters
 *	cgroup.pressure.{cpu,memory,io}.{some,full}            s, counters: wall time waited
 *	system.pressure.{cpu,memory,io}.{some,full}            the machine's, where groups have none
 *	system.cpu.steal, system.cpu.busy                      s, counters, all CPUs of the machine
 *	net.tcp.listen_overflows, net.tcp.listen_drops,
 *	net.tcp.retrans_segs, net.tcp.timeouts                 counters, the target's network
 *namespace
 *
 * Three traps that were met. Throttled time is summed over CPUs and may exceed wall time: how hard
 * a quota bites is nr_throttled / nr_periods, and the wall time it cost is pressure.cpu.full. The
 * scheduler's wait includes throttling: contention is what exceeds the group's own throttled time
 * (at least that much, when others of the group were throttled too). A group below the one that
 * has the quota counts nothing itself.
 */
#ifndef ASSAY_HOST_SAMPLER_H
#define ASSAY_HOST_SAMPLER_H

#include <sys/types.h>

#include "model/sink.h"
#include "os/cgroup.h"

struct host_sampler;

/* root, group and sink are borrowed until close. */
struct host_sampler_opts {
	const char *root; /* the folder /proc lies in; NULL or "" for the real one */
	pid_t pid;	  /* 0: only the group and the machine */
	const struct cgroup *group;
	struct sink *sink;
	bool per_thread; /* series by the threads' names: at most 24, and the others together */
};

struct host_sampler *host_sampler_new(const struct host_sampler_opts *opts);
struct host_sampler *host_sampler_free(struct host_sampler *s); /* NULL in, NULL out */
DEFINE_CLEANUP(host_sampler, struct host_sampler *, host_sampler_free)

/* One sample at time now_ns. -ESRCH when the process is gone; other failures are losses. */
int host_sampler_sample(struct host_sampler *s, uint64_t now_ns);

/* As ps(1) shows it at the last sample: 'R', 'S', 'T' (stopped), …; 0 before the first. */
char host_sampler_state(const struct host_sampler *s);

#endif
