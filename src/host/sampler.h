/*
 * sampler.h - what the kernel knows of a target, as series in a sink. Each sample reads /proc and
 *the control group once (some 100 us of our own CPU); what cannot be read is left out and reported
 *once as a loss. Counters stay cumulative: readers take differences, so a missed sample loses
 *nothing.
 *
 * Series (OpenTelemetry's names for processes, the kernel's for control groups):
 *
 *	process.cpu.time{state=user|system}                    s, counter
 *	process.memory.usage                                   By
 *	process.thread.count                                   {thread}
 *	process.context_switches{type=voluntary|involuntary}   {switch}, counter, all live threads
 *	process.paging.faults{type=major|minor}                {fault}, counter
 *	cgroup.cpu.usage                                       s, counter
 *	cgroup.cpu.nr_periods, cgroup.cpu.nr_throttled         {period}, counters, where the quota
 *is cgroup.cpu.throttled_time                              s, counter, summed over CPUs
 *	cgroup.cpu.local.throttled_time                        s, counter, by any ancestor's quota
 *	cgroup.memory.usage                                    By
 *	cgroup.memory.oom_kill                                 {kill}, counter
 *	cgroup.pressure.{cpu,memory,io}.{some,full}            s, counters: wall time waited
 *	system.cpu.steal                                       s, counter, all CPUs of the machine
 *	net.tcp.listen_overflows, net.tcp.retrans_segs         counters, the target's network
 *namespace
 */
#ifndef ASSAY_HOST_SAMPLER_H
#define ASSAY_HOST_SAMPLER_H

#include <sys/types.h>

#include "model/sink.h"
#include "os/cgroup.h"

struct host_sampler;

/* pid 0: only the group. group and sink are borrowed until close. */
int host_sampler_open(pid_t pid, const struct cgroup *group, struct sink *sink,
		      struct host_sampler **ret);
void host_sampler_close(struct host_sampler *s);
DEFINE_CLEANUP(host_sampler, struct host_sampler *, host_sampler_close)

/* One sample at time now_ns. -ESRCH when the process is gone; other failures are losses. */
int host_sampler_sample(struct host_sampler *s, uint64_t now_ns);

#endif
