/*
 * worker.h - one thread of the run: an event loop, shards of the script engine, virtual users, the
 * thread's part of every scenario, and figures of its own. The control thread speaks to a worker by
 * load_worker_order() and hears from it by reports, which arrive on the control thread's loop.
 *
 * The control thread has a worker too, one without a thread, on which the options are read and
 * setup(), teardown() and handleSummary() run.
 */
#ifndef ASSAY_LOAD_WORKER_H
#define ASSAY_LOAD_WORKER_H

#include "base/arena.h"
#include "load/vu.h"
#include "stats/hist.h"

/* VMs in one shard: more make a garbage collection longer, fewer cost memory. */
#define LOAD_SHARD_VUS 32

struct load_runner;

struct load_shard {
	struct js_shard *js;
	unsigned vus;
	bool has_atoms;
	struct load_response_atoms atoms;
};

enum load_order { LOAD_ORDER_START, LOAD_ORDER_STOP, LOAD_ORDER_ABORT, LOAD_ORDER_QUIT };

/* A request that was slow, kept whole. */
struct load_slow {
	char *method, *url;
	struct exemplar e;
};

enum { LOAD_SLOW_MAX = 20 }; /* kept of a run, and of each second until it is known which */

/* Figures of one second (or less) of one worker, on their way to the control thread and back. */
struct load_second {
	struct net_task task;
	struct load_worker *worker;
	uint64_t t0_ns, t1_ns;
	struct load_agg *agg;
	struct hist *lag_ms; /* send lag of the measured phase */
	uint64_t cpu_ns;     /* of the thread, within the measured phase */
	struct load_slow slow[LOAD_SLOW_MAX];
	unsigned slow_count;
	bool last; /* the worker's scenarios have ended */
};

struct load_worker {
	struct load_run *run;
	unsigned index; /* 0, 1, … */
	unsigned count; /* of workers that share the scenarios */
	pthread_t thread;
	struct net_loop *loop;
	struct net_stack *stack;
	struct fiber_pool *stacks;
	VEC(struct load_shard *) shards;
	size_t collect_next;  /* the shard to be looked at for garbage */
	struct arena scratch; /* for pages being parsed */

	struct load_tag_pool *tags;
	const struct load_tags *run_tags;
	void *output; /* writer; NULL = none */

	VEC(struct load_vu *) vus;  /* all */
	VEC(struct load_vu *) idle; /* not in a scenario, in the order they will be used */
	VEC(struct load_runner *) runners;
	unsigned runners_left; /* have not ended */

	struct load_second *second;	 /* the present one's figures */
	VEC(struct load_second *) spare; /* come back empty */
	struct net_timer second_over;
	uint64_t second_due_ns;
	uint64_t cpu_last_ns;

	/* for progress and exec.instance: written by this worker, read by all */
	atomic_uint_fast64_t iterations, interrupted, dropped, requests;

	uint64_t no_fds, no_ports; /* connections that failed for want of them */

	struct error err;
	int failed;	    /* of starting: -errno, with what is wrong in err */
	bool script_failed; /* err is of the script's init code */
	bool quit;
	struct net_task started; /* to the control thread: VUs are there, or failed is set */
	bool ready, finished;	 /* control thread: started has come; its last second has */
};

/* A loop, a tag pool and the engine's stacks: enough to run the script's init code. */
int load_worker_init(struct load_worker *w, struct load_run *run, struct error *reterr);
void load_worker_release(struct load_worker *w);

/* What takes the plan: the network, figures, the run's tags. */
void load_worker_equip(struct load_worker *w);

/* Samples go to the run's output from now on. */
void load_worker_open_output(struct load_worker *w);

/* A shard with room for a VU; NULL when there is no memory. */
struct load_shard *load_worker_shard(struct load_worker *w);

/*
 * Makes a VU with the next number and runs its init code; when that is done it is among the idle
 * ones and added is called, with NULL and w->err set if it failed. May be called at once.
 */
typedef void load_worker_added_fn(struct load_worker *w, struct load_vu *vu, void *arg);
void load_worker_add_vu(struct load_worker *w, load_worker_added_fn *added, void *arg);

/* One round of the loop and a look at the garbage. */
void load_worker_turn(struct load_worker *w, uint64_t max_wait_ns);

/* Starts a thread that makes its VUs, tells so by w->started and waits for orders. */
int load_worker_start(struct load_run *run, unsigned index, struct load_worker **ret,
		      struct error *reterr);
void load_worker_order(struct load_worker *w, enum load_order order);

/* From another thread: cuts off the scripts that are computing, for good. */
void load_worker_interrupt(struct load_worker *w);

/* Ends the thread and frees all it had but its tag pool; load_worker_free() does that. */
void load_worker_join(struct load_worker *w);
void load_worker_free(struct load_worker *w);

/* A scenario's part has ended. */
void load_worker_runner_ended(struct load_worker *w);

/* The calling thread's CPU time. */
uint64_t load_thread_cpu_ns(void);

/* Back to the worker, emptied; control thread. */
void load_second_return(struct load_second *s);

/* Gives a second's figures to the control thread (control.c) and begins the next. */
void load_worker_hand_over(struct load_worker *w, bool last);
void load_control_second(struct net_task *t);
void load_control_started(struct net_task *t);

#endif
