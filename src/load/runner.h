/*
 * runner.h - one scenario's part on one worker: the VUs it has, and when their iterations start.
 * What differs between executors is in load_executor_ops; starting at its time, stopping
 * gracefully, cutting off and giving the VUs back are the same for all and in runner.c.
 */
#ifndef ASSAY_LOAD_RUNNER_H
#define ASSAY_LOAD_RUNNER_H

#include "load/schedule.h"
#include "load/worker.h"

enum load_runner_state {
	LOAD_RUNNER_WAITING, /* for its start time */
	LOAD_RUNNER_RUNNING,
	LOAD_RUNNER_STOPPING, /* no new iterations; those that run may finish */
	LOAD_RUNNER_ENDED,
};

/* A VU's place in a scenario. */
struct load_slot {
	struct load_runner *runner;
	struct load_vu *vu;
	uint64_t index;	  /* among the scenario's VUs over all workers, from 0 */
	uint64_t begun;	  /* iterations in this scenario */
	uint64_t counted; /* those of the measured phase */
	bool running;
	bool queued;  /* its next iteration begins in the loop's next round */
	bool leaving; /* the ramp went down below it */
	struct net_task next;
	struct net_timer cut; /* end of its graceful ramp-down */
	struct load_slot *next_free;
	uint64_t free_ns; /* since when it is among the free ones */
};

struct load_executor_ops {
	/* The start has come: all planned slots are there. */
	void (*start)(struct load_runner *r);
	/* A slot's iteration has ended and the scenario goes on. */
	void (*idle)(struct load_runner *r, struct load_slot *s);
	/* r->tick has fired; may be NULL. */
	void (*tick)(struct load_runner *r);
	/* No new iterations from now on: count what will never begin; may be NULL. */
	void (*stopped)(struct load_runner *r);
};

struct load_runner {
	struct load_worker *worker;
	const struct load_scenario *scenario;
	struct load_scenario_state *state;
	const struct load_executor_ops *ops;
	const struct load_tags *tags; /* of dropped iterations */
	enum load_runner_state phase;
	uint64_t start_ns, end_ns, cut_ns; /* absolute; cut = end + graceful stop */
	struct net_timer begin, end, cut, tick;

	struct load_slot *slots;
	size_t slot_count, slot_max;
	unsigned running, queued;

	/* arrival rates */
	struct load_schedule *schedule;
	uint64_t next_arrival; /* its number in the whole scenario */
	struct load_slot *free_first, **free_tail;
	struct net_task grow;  /* makes one more VU */
	struct net_task serve; /* begins what waits */
	bool growing, grow_queued, serve_queued;
	bool arrivals_wait; /* the next one is due and no VU is free (queue_arrivals) */

	/* counted for the summary; of the measured phase */
	uint64_t iterations, interrupted, dropped[LOAD_DROP_COUNT];
	double duration_sum_ms;
};

/* The part of scenario i of the run's plan; NULL when it has none on this worker. */
struct load_runner *load_runner_new(struct load_worker *w, size_t i);
void load_runner_free(struct load_runner *r);

/* VUs of a scenario that a worker has from the start, and at most. */
uint64_t load_runner_planned(const struct load_worker *w, const struct load_scenario *s);
uint64_t load_runner_most(const struct load_worker *w, const struct load_scenario *s);

/* Sets its timers; the run's start_ns is known. */
void load_runner_schedule(struct load_runner *r);

/* No new iterations. Then ends when those that run have finished, at the latest after the
 * scenario's graceful stop. */
void load_runner_stop(struct load_runner *r);

/* Ends at once: what runs is interrupted. */
void load_runner_abort(struct load_runner *r);

/* For executors. */
void load_slot_run(struct load_slot *s, uint64_t intended_ns); /* an iteration, now */
void load_slot_queue(struct load_slot *s);		       /* one in the next round */
void load_runner_drop(struct load_runner *r, enum load_drop why, uint64_t n);
void load_runner_grow(struct load_runner *r);		 /* one VU more, unless it has the most */
bool load_runner_is_ending(const struct load_runner *r); /* the order to stop is on its way */
bool load_runner_in_warmup(const struct load_runner *r, uint64_t t_ns);
void load_runner_check_end(struct load_runner *r);

extern const struct load_executor_ops load_constant_vus, load_ramping_vus, load_shared_iterations,
	load_per_vu_iterations, load_arrival_rate;

#endif
