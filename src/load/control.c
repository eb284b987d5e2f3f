/*
 * While the load runs the calling thread turns a loop of its own: workers post their figures there
 * once a second, and between rounds it looks at what may end the run: the caller's stop word, a
 * script's test.abort(), a threshold.
 */
#include "load/control.h"

#include <errno.h>
#include <stdlib.h>

#include "load/runner.h"
#include "load/sample.h"

#define PROGRESS_EVERY_NS (250 * NS_PER_MS)
#define TURN_NS		  (50 * NS_PER_MS)

/* How long a worker has to take the order to abort before its scripts are stopped. */
#define ABORT_GRACE_NS (500 * NS_PER_MS)

/* Between the order to start and the first iteration, so that every worker gets it in time. */
#define START_AFTER_NS (2 * NS_PER_MS)

static uint64_t sum_of(const struct load_run *run, size_t offset)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < run->worker_count; i++) {
		char *base = (char *)run->workers[i];

		if (base)
			n += atomic_load_explicit((atomic_uint_fast64_t *)(void *)(base + offset),
						  memory_order_relaxed);
	}
	return n;
}

static void show_progress(struct load_control *c, uint64_t now_ns)
{
	struct load_run *run = c->run;
	struct load_progress p = { .phase = c->phase };

	if (!run->opts->progress || now_ns < c->next_progress_ns)
		return;
	c->next_progress_ns = now_ns + PROGRESS_EVERY_NS;
	p.iterations = sum_of(run, offsetof(struct load_worker, iterations));
	p.interrupted = sum_of(run, offsetof(struct load_worker, interrupted));
	p.dropped = sum_of(run, offsetof(struct load_worker, dropped));
	p.requests = sum_of(run, offsetof(struct load_worker, requests));
	p.vus = atomic_load(&run->vus);
	p.vus_active = atomic_load(&run->vus_active);
	if (run->start_ns && now_ns >= run->start_ns) {
		bool warmup = now_ns < run->measure_ns;
		uint64_t from_ns = warmup ? run->start_ns : run->measure_ns;

		p.elapsed_ns = now_ns - from_ns;
		p.planned_ns =
			warmup ? run->measure_ns - run->start_ns
			       : load_plan_length_ns(run->plan) - (run->measure_ns - run->start_ns);
	}
	run->opts->progress(run->opts->arg, &p);
}

void load_control_turn(struct load_control *c, uint64_t max_wait_ns)
{
	load_worker_turn(c->run->control, max_wait_ns);
	show_progress(c, net_loop_now_ns());
}

/* ---- workers ---- */

void load_control_started(struct net_task *t)
{
	struct load_worker *w = container_of(t, struct load_worker, started);

	w->ready = true;
	load_control_of(w->run)->ready++;
}

static void order_all(struct load_control *c, enum load_order order)
{
	for (unsigned i = 0; i < c->run->worker_count; i++)
		if (c->run->workers[i] && !c->run->workers[i]->finished)
			load_worker_order(c->run->workers[i], order);
}

static bool stop_asked(const struct load_control *c)
{
	return load_run_stop(c->run) || atomic_load(&c->run->ending);
}

static const struct load_worker *first_failed(const struct load_run *run)
{
	for (unsigned i = 0; i < run->worker_count; i++)
		if (run->workers[i] && run->workers[i]->failed)
			return run->workers[i];
	return NULL;
}

int load_control_start_workers(struct load_control *c, struct error *reterr)
{
	struct load_run *run = c->run;
	const struct load_worker *failed;

	for (unsigned i = 0; i < run->worker_count; i++) {
		int r = load_worker_start(run, i, &run->workers[i], reterr);

		if (r < 0)
			return r;
	}
	while (c->ready < run->worker_count && !stop_asked(c))
		load_control_turn(c, TURN_NS);
	if (load_run_stop(c->run))
		return error_set(reterr, -ECANCELED, "stopped by a signal");
	failed = first_failed(run);
	if (!failed)
		return 0;
	*reterr = failed->err;
	return failed->failed;
}

void load_control_join(struct load_control *c)
{
	struct load_run *run = c->run;

	c->joined = true;
	for (unsigned i = 0; i < run->worker_count; i++)
		if (run->workers[i])
			load_worker_join(run->workers[i]);
	/* what they posted last */
	net_loop_run_once(run->control->loop, 0);
}

/* ---- figures ---- */

void load_control_second(struct net_task *t)
{
	struct load_second *s = container_of(t, struct load_second, task);
	struct load_worker *w = s->worker;
	struct load_control *c = load_control_of(w->run);

	load_agg_merge(c->total, s->agg);
	hist_merge(c->lag_ms, s->lag_ms);
	if (s->t0_ns + NS_PER_MS >= w->run->measure_ns) {
		c->cpu[w->index].cpu_ns += s->cpu_ns;
		c->cpu[w->index].wall_ns += s->t1_ns - s->t0_ns;
	}
	load_record_second(c, s);
	load_record_slow(c, s);
	if (s->last && !w->finished) {
		w->finished = true;
		c->finished++;
	}
	load_second_return(s);
}

void load_control_merge_own(struct load_control *c)
{
	struct load_second *s = c->run->control->second;

	load_agg_merge(c->total, s->agg);
	load_agg_clear(s->agg);
}

static void sample_vus(struct load_control *c, uint64_t now_ns)
{
	struct load_run *run = c->run;
	struct load_worker *w = run->control;

	if (now_ns < c->next_second_ns || c->finished == run->worker_count)
		return;
	c->next_second_ns = MAX(c->next_second_ns + NS_PER_S, now_ns);
	load_worker_sample(w, LOAD_M_VUS, w->run_tags, now_ns, atomic_load(&run->vus_active));
	load_worker_sample(w, LOAD_M_VUS_MAX, w->run_tags, now_ns, atomic_load(&run->vus));
	load_control_merge_own(c);
}

/* ---- ends before the time ---- */

static void check_thresholds(struct load_control *c, uint64_t now_ns)
{
	if (now_ns < c->next_thresholds_ns)
		return;
	c->next_thresholds_ns += LOAD_THRESHOLD_EVERY_NS;
	if (load_thresholds_eval(c->thresholds, c->total, now_ns - c->run->measure_ns))
		load_run_end(c->run, LOAD_END_THRESHOLD, "");
}

/* A worker that is stuck in a computing script takes no orders: the engine's own stop reaches it.
 */
static void stop_scripts(struct load_control *c, uint64_t now_ns)
{
	if (!c->abort_ns || now_ns < c->abort_ns + ABORT_GRACE_NS)
		return;
	c->abort_ns = 0;
	for (unsigned i = 0; i < c->run->worker_count; i++)
		load_worker_interrupt(c->run->workers[i]);
}

static void abort_all(struct load_control *c)
{
	order_all(c, LOAD_ORDER_ABORT);
	c->abort_ns = net_loop_now_ns();
}

static void check_stop(struct load_control *c)
{
	enum load_stop stop = load_run_stop(c->run);

	if (stop > c->stopped) {
		c->stopped = stop;
		load_run_end(c->run, LOAD_END_SIGNAL, "stopped by a signal");
		if (stop == LOAD_STOP_NOW)
			abort_all(c);
		else
			order_all(c, LOAD_ORDER_STOP);
	} else if (!c->stopped && !c->ordered_end && atomic_load(&c->run->ending)) {
		c->ordered_end = true;
		abort_all(c);
	}
	stop_scripts(c, net_loop_now_ns());
}

void load_control_run(struct load_control *c)
{
	struct load_run *run = c->run;
	bool measuring = !run->plan->warmup_ns;

	run->start_ns = net_loop_now_ns() + START_AFTER_NS;
	run->measure_ns = run->start_ns + run->plan->warmup_ns;
	c->next_second_ns = run->measure_ns + NS_PER_S;
	c->next_thresholds_ns = run->measure_ns + LOAD_THRESHOLD_EVERY_NS;
	/* before the first connection: a burst at the start may fill a queue */
	load_machine_read(&c->machine_begin);
	order_all(c, LOAD_ORDER_START);
	while (c->finished < run->worker_count) {
		uint64_t now_ns;

		load_control_turn(c, TURN_NS);
		now_ns = net_loop_now_ns();
		c->phase = now_ns < run->measure_ns ? "warmup" : "load";
		if (!measuring && now_ns >= run->measure_ns) {
			load_machine_read(&c->machine_begin);
			measuring = true;
		}
		sample_vus(c, now_ns);
		check_thresholds(c, now_ns);
		check_stop(c);
	}
	run->end_ns = MAX(net_loop_now_ns(), run->measure_ns);
	load_machine_read(&c->machine_end);
	if (!measuring)
		c->machine_begin = c->machine_end;
}
