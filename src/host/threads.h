/*
 * threads.h - what the threads of a process did, added up so that it only grows: the kernel forgets
 * a thread's figures with the thread. What one did between the last sample and its end is lost, and
 * nothing else.
 */
#ifndef ASSAY_HOST_THREADS_H
#define ASSAY_HOST_THREADS_H

#include "os/proc.h"

/* Names above this many are counted together as "(others)". */
#define HOST_THREAD_NAMES_MAX 24

/* Of all threads of a name; digits at its end stand for "#", as in "worker-#". */
struct host_thread_group {
	char name[16];
	unsigned live;
	uint64_t run_ns, wait_ns;
};

/* Zeroed to begin with. */
struct host_threads {
	struct proc_threads last;
	bool has_schedstat;
	uint64_t voluntary_switches, involuntary_switches, run_ns, wait_ns;
	VEC(struct host_thread_group) groups; /* in the order they appeared */
};

/* Adds a sample, which is taken over; the first one is what threads had done before. */
void host_threads_add(struct host_threads *t, struct proc_threads *now);

void host_threads_release(struct host_threads *t);

#endif
