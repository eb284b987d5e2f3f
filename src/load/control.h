/*
 * control.h - the calling thread's side of a run, between load.c (the phases in order), control.c
 * (waiting while the load runs), and record.c (what goes into the run file).
 */
#ifndef ASSAY_LOAD_CONTROL_H
#define ASSAY_LOAD_CONTROL_H

#include "load/threshold.h"
#include "load/worker.h"

/* Per worker, of the measured phase. */
struct load_cpu {
	uint64_t cpu_ns, wall_ns;
};

/* What the machine did to us, counted since it started. */
struct load_machine {
	uint64_t steal_ticks, ticks; /* of all CPUs */
	uint64_t periods, throttled; /* of our own CPU quota; 0 without one */
	uint64_t listen_overflows;   /* of our network namespace */
};

struct load_control {
	struct load_run *run;
	struct load_result *result;
	struct load_thresholds *thresholds;
	struct load_agg *total;
	struct hist *lag_ms;
	struct load_cpu *cpu;				/* by worker */
	struct load_machine machine_begin, machine_end; /* of the measured phase */
	struct load_slow slow[LOAD_SLOW_MAX];		/* of the run */
	unsigned slow_count;
	unsigned ready, finished; /* workers */
	const char *phase;
	uint64_t next_progress_ns, next_second_ns, next_thresholds_ns;
	bool joined;	  /* the workers' threads */
	bool sink_failed; /* nothing more can be kept */
	enum load_stop stopped;
	bool ordered_end;
	uint64_t abort_ns; /* when workers were ordered to abort; 0 = not, or long ago */

	/* what the script exports */
	bool has_setup, has_teardown, has_handle_summary;
};

static inline struct load_control *load_control_of(struct load_run *run)
{
	return run->controller;
}

/* Turns the loop once, at most for that long, and shows progress. */
void load_control_turn(struct load_control *c, uint64_t max_wait_ns);

/* Starts the workers, and waits until they have made their VUs. 0, or -errno with the reason. */
int load_control_start_workers(struct load_control *c, struct error *reterr);

/* Lets the load begin and waits until every worker has finished. */
void load_control_run(struct load_control *c);

/* Ends the threads; their tag pools stay. */
void load_control_join(struct load_control *c);

/* Adds the figures of setup() and teardown(), which ran on the control thread. */
void load_control_merge_own(struct load_control *c);

/* record.c: a second's figures, and what is known at the end, into the run file. */
void load_record_second(struct load_control *c, const struct load_second *s);
void load_record_slow(struct load_control *c, struct load_second *s);
void load_record_end(struct load_control *c);

/* output.c: the run's outputs, begun and ended; what they lost goes into the result and the log. */
int load_output_begin(struct load_control *c, struct error *reterr);
void load_output_end(struct load_control *c);
void load_output_release(struct load_summary_outputs *o);

/* generator.c */
void load_machine_read(struct load_machine *ret);

/*
 * A counter of /proc/net/netstat: group with its colon ("TcpExt:"), name as in its first line. 0
 * when it is not there.
 */
uint64_t load_netstat_value(struct str text, struct str group, struct str name);

void load_judge_generator(struct load_control *c, struct load_summary_generator *ret);

#endif
