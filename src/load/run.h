/*
 * run.h - what the threads of one run share: the plan and the script, which do not change while it
 * runs; a few counters that scripts ask for; the log; and the news that workers send to the control
 * thread.
 */
#ifndef ASSAY_LOAD_RUN_H
#define ASSAY_LOAD_RUN_H

#include <pthread.h>

#include "js/shard.h"
#include "load/load.h"
#include "load/script.h"
#include "net/client.h"
#include "net/loop.h"

struct load_worker;
struct load_control;

/* Why a run ends before its time. */
enum load_end_reason {
	LOAD_END_NONE,
	LOAD_END_SIGNAL,
	LOAD_END_THRESHOLD,
	LOAD_END_ABORT,	 /* exec.test.abort() */
	LOAD_END_SCRIPT, /* a VU's init code failed */
};

/* Of one scenario, over all workers. */
struct load_scenario_state {
	atomic_uint_fast64_t started; /* iterations: numbers iterationInTest */
	atomic_uint_fast64_t taken;   /* of the shared iterations */
};

struct load_run {
	const struct load_opts *opts;
	struct load_script *script;
	struct load_metrics *metrics;
	struct load_plan *plan; /* with the warm-up put before it */
	struct net_client_opts client_opts;
	struct net_stack_opts stack_opts;
	const struct load_metric *builtin[LOAD_M_BUILTINS];
	int64_t wall_anchor_ns;

	struct load_control *controller;
	struct load_worker *control;  /* the calling thread's */
	struct load_worker **workers; /* the threads' */
	unsigned worker_count;
	struct load_scenario_state *scenarios; /* as in the plan */
	uint64_t start_ns;		       /* of warm-up and load; 0 = not begun */
	uint64_t measure_ns;		       /* from here on it counts */
	uint64_t end_ns;
	struct strbuf setup_data;   /* JSON; empty = none */
	struct strbuf options_json; /* for exec.test.options */
	bool output_begun;
	struct js_memory_budget script_memory; /* of all shards; any thread */

	atomic_uint_fast64_t slow_floor_ns;   /* faster requests are no exemplars any more */
	atomic_uint_fast64_t next_request_ns; /* with the option rps: when one may be sent again */
	atomic_uint next_vu_id;		      /* the next VU gets this plus 1 */
	atomic_uint vus, vus_active;

	/* from any thread */
	pthread_mutex_t lock; /* of the log and of the two below */
	enum load_end_reason end_reason;
	struct strbuf end_message;
	atomic_bool ending;
	atomic_bool marked_failed; /* exec.test.fail() */
};

/* What the caller of load_run() asks for at this moment. Any thread. */
enum load_stop load_run_stop(const struct load_run *run);

/* A line for people: console.log(), a warning. Any thread. */
void load_log_from(struct load_run *run, enum load_log_source source, enum load_log_level level,
		   const char *text);
void load_log(struct load_run *run, enum load_log_level level, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Asks for the end of the run; the first reason counts. Any thread. */
void load_run_end(struct load_run *run, enum load_end_reason reason, const char *message);

#endif
