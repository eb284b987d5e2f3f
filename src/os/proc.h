/*
 * proc.h - what /proc says of a process and of the machine (proc(5)). Counters are cumulative.
 */
#ifndef ASSAY_OS_PROC_H
#define ASSAY_OS_PROC_H

#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"

struct proc_stat {
	char state; /* 'R', 'S', 'Z', … */
	uint64_t user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t threads;
	uint64_t rss_bytes;
	uint64_t voluntary_switches, involuntary_switches; /* of all threads that live */
};

/* Parses /proc/PID/stat; the command's name may hold blanks and parentheses. */
int proc_parse_stat(struct str text, struct proc_stat *ret, struct error *reterr);

/* Reads stat, and the context switches of all threads from task/TID/status. */
int proc_read(pid_t pid, struct proc_stat *ret, struct error *reterr);

struct proc_cpu {
	uint64_t busy_ns, idle_ns, steal_ns; /* summed over CPUs */
};

/* The "cpu" line of /proc/stat. */
int proc_parse_cpu(struct str text, struct proc_cpu *ret, struct error *reterr);
int proc_read_cpu(struct proc_cpu *ret, struct error *reterr);

/* A counter of /proc/PID/net/netstat or snmp: pairs of header and value lines, looked up by name.
 */
int proc_parse_netstat(struct str text, const char *group, const char *name, uint64_t *ret);

/* The machine, for the record. Text is the caller's to free. */
char *proc_cpu_model(void); /* "unknown" where /proc/cpuinfo does not say */
uint64_t proc_memory_bytes(void);

/* What of it this process may have: the smallest of the machine's, its control group's and that of
 * its resource limits. */
uint64_t proc_memory_allowed_bytes(void);

#endif
