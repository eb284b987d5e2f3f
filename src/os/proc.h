/*
 * proc.h - what /proc says of a process and of the machine (proc(5)). Counters are cumulative.
 * `root` is the folder /proc lies in, "" for the real one, so that tests read fixtures.
 */
#ifndef ASSAY_OS_PROC_H
#define ASSAY_OS_PROC_H

#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

struct proc_stat {
	char state; /* 'R', 'S', 'Z', … */
	uint64_t user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t threads;
	uint64_t rss_bytes;
};

/* Parses /proc/PID/stat; the command's name may hold blanks and parentheses. */
int proc_parse_stat(struct str text, struct proc_stat *ret, struct error *reterr);

int proc_read(const char *root, pid_t pid, struct proc_stat *ret, struct error *reterr);

/* One thread that lives. */
struct proc_thread {
	pid_t tid;
	char name[16]; /* as ps(1) shows it, cut to 15 bytes by the kernel */
	uint64_t voluntary_switches, involuntary_switches;
	bool has_schedstat; /* needs CONFIG_SCHED_INFO, not CONFIG_SCHEDSTATS */
	uint64_t run_ns;    /* on a CPU */
	uint64_t wait_ns;   /* ready, but not on a CPU: also while its group was throttled */
};

struct proc_threads {
	VEC(struct proc_thread) list; /* by tid */
};

/* Replaces *ret, from task/TID/status and schedstat; the caller releases the vector. */
int proc_read_threads(const char *root, pid_t pid, struct proc_threads *ret, struct error *reterr);

struct proc_cpu {
	uint64_t busy_ns, idle_ns, steal_ns; /* summed over CPUs */
};

/* The "cpu" line of /proc/stat. */
int proc_parse_cpu(struct str text, struct proc_cpu *ret, struct error *reterr);
int proc_read_cpu(const char *root, struct proc_cpu *ret, struct error *reterr);

/* A counter of /proc/PID/net/netstat or snmp: pairs of header and value lines, looked up by name.
 */
int proc_parse_netstat(struct str text, const char *group, const char *name, uint64_t *ret);

/*
 * Pressure: "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345"
 * (Documentation/accounting/psi.rst); kind is "some" or "full", *ret_ns the total. False when there
 * is no such line.
 */
bool proc_parse_pressure(struct str text, const char *kind, uint64_t *ret_ns);

/* The machine, for the record. Text is the caller's to free. */
char *proc_cpu_model(void); /* "unknown" where /proc/cpuinfo does not say */
uint64_t proc_memory_bytes(void);

/* What of it this process may have: the smallest of the machine's, its control group's and that of
 * its resource limits. */
uint64_t proc_memory_allowed_bytes(void);

#endif
