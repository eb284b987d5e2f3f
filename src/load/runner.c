/*
 * A scenario's part on a worker. Slots are numbered through by worker: slot k of worker w of n is
 * the scenario's VU k * n + w, so that a ramp that goes up by one VU reaches all workers in turn.
 */
#include "load/runner.h"

#include <stdlib.h>

#include "load/sample.h"

static const struct load_executor_ops *const executors[] = {
	[LOAD_CONSTANT_VUS] = &load_constant_vus,
	[LOAD_RAMPING_VUS] = &load_ramping_vus,
	[LOAD_SHARED_ITERATIONS] = &load_shared_iterations,
	[LOAD_PER_VU_ITERATIONS] = &load_per_vu_iterations,
	[LOAD_CONSTANT_ARRIVAL_RATE] = &load_arrival_rate,
	[LOAD_RAMPING_ARRIVAL_RATE] = &load_arrival_rate,
};

static void runner_end(struct load_runner *r)
{
	struct load_worker *w = r->worker;

	if (r->phase == LOAD_RUNNER_ENDED)
		return;
	r->phase = LOAD_RUNNER_ENDED;
	net_timer_cancel(&r->begin);
	net_timer_cancel(&r->end);
	net_timer_cancel(&r->cut);
	net_timer_cancel(&r->tick);
	for (size_t i = 0; i < r->slot_count; i++) {
		struct load_slot *s = &r->slots[i];

		if (s->queued)
			net_loop_undefer(w->loop, &s->next);
		s->queued = false;
		net_timer_cancel(&s->cut);
		load_vu_assign(s->vu, NULL);
		vec_push(&w->idle, s->vu);
		atomic_fetch_sub(&w->run->vus_active, 1);
	}
	if (r->grow_queued)
		net_loop_undefer(w->loop, &r->grow);
	if (r->serve_queued)
		net_loop_undefer(w->loop, &r->serve);
	load_worker_runner_ended(w);
}

void load_runner_check_end(struct load_runner *r)
{
	if (r->phase == LOAD_RUNNER_STOPPING && !r->running)
		runner_end(r);
}

void load_runner_stop(struct load_runner *r)
{
	if (r->phase == LOAD_RUNNER_WAITING) {
		runner_end(r);
		return;
	}
	if (r->phase != LOAD_RUNNER_RUNNING)
		return;
	r->phase = LOAD_RUNNER_STOPPING;
	net_timer_cancel(&r->end);
	net_timer_cancel(&r->tick);
	if (r->ops->stopped)
		r->ops->stopped(r);
	if (r->running)
		net_timer_set(r->worker->loop, &r->cut,
			      net_loop_now_ns() + r->scenario->graceful_stop_ns);
	load_runner_check_end(r);
}

void load_runner_abort(struct load_runner *r)
{
	load_runner_stop(r);
	for (size_t i = 0; i < r->slot_count && r->phase != LOAD_RUNNER_ENDED; i++)
		if (r->slots[i].running)
			load_vu_abort(r->slots[i].vu);
	load_runner_check_end(r);
}

bool load_runner_in_warmup(const struct load_runner *r, uint64_t t_ns)
{
	return t_ns < r->worker->run->measure_ns;
}

void load_runner_drop(struct load_runner *r, enum load_drop why, uint64_t n)
{
	struct load_worker *w = r->worker;

	if (!n || load_runner_in_warmup(r, net_loop_now_ns()))
		return;
	r->dropped[why] += n;
	atomic_fetch_add_explicit(&w->dropped, n, memory_order_relaxed);
	load_worker_sample(w, LOAD_M_DROPPED_ITERATIONS, r->tags, net_loop_now_ns(), (double)n);
}

/* ---- slots ---- */

static void count_iteration(struct load_slot *s, enum load_vu_end end)
{
	struct load_runner *r = s->runner;
	struct load_vu *vu = s->vu;

	if (vu->warmup)
		return;
	if (end == LOAD_VU_INTERRUPTED) {
		r->interrupted++;
		atomic_fetch_add_explicit(&r->worker->interrupted, 1, memory_order_relaxed);
		return;
	}
	r->iterations++;
	r->duration_sum_ms += vu->iteration_ms;
	atomic_fetch_add_explicit(&r->worker->iterations, 1, memory_order_relaxed);
}

static void iteration_done(struct load_vu *vu, enum load_vu_end end)
{
	struct load_slot *s = vu->slot;
	struct load_runner *r = s->runner;

	s->running = false;
	r->running--;
	net_timer_cancel(&s->cut);
	count_iteration(s, end);
	if (end == LOAD_VU_THREW)
		load_vu_log_error(vu);
	if (r->phase == LOAD_RUNNER_RUNNING)
		r->ops->idle(r, s);
	else
		load_runner_check_end(r);
}

bool load_runner_is_ending(const struct load_runner *r)
{
	return atomic_load_explicit(&r->worker->run->ending, memory_order_relaxed);
}

void load_slot_run(struct load_slot *s, uint64_t intended_ns)
{
	struct load_runner *r = s->runner;
	struct load_vu *vu = s->vu;
	uint64_t now_ns = net_loop_now_ns();

	s->running = true;
	r->running++;
	vu->warmup = load_runner_in_warmup(r, intended_ns ? intended_ns : now_ns);
	vu->iteration_in_scenario = s->begun++;
	if (!vu->warmup)
		s->counted++;
	vu->iteration_in_instance =
		atomic_fetch_add_explicit(&r->state->started, 1, memory_order_relaxed);
	vu->iteration_in_test =
		load_segment_number(r->scenario->segment, vu->iteration_in_instance);
	load_vu_iterate(vu, intended_ns, r->cut_ns, iteration_done);
}

static void run_queued(struct net_task *t)
{
	struct load_slot *s = container_of(t, struct load_slot, next);

	s->queued = false;
	s->runner->queued--;
	if (s->runner->phase == LOAD_RUNNER_RUNNING && !s->leaving)
		load_slot_run(s, 0);
}

void load_slot_queue(struct load_slot *s)
{
	if (s->queued || s->running || load_runner_is_ending(s->runner))
		return;
	s->queued = true;
	s->runner->queued++;
	s->next.run = run_queued;
	net_loop_defer(s->runner->worker->loop, &s->next);
}

static void cut_slot(struct net_timer *t)
{
	load_vu_abort(container_of(t, struct load_slot, cut)->vu);
}

/* Takes an idle VU of the worker as the runner's next slot; false when there is none. */
static bool add_slot(struct load_runner *r)
{
	struct load_worker *w = r->worker;
	struct load_slot *s = &r->slots[r->slot_count];

	if (!w->idle.len || r->slot_count == r->slot_max)
		return false;
	s->runner = r;
	s->index = r->slot_count * w->count + w->index;
	s->cut.expired = cut_slot;
	s->vu = w->idle.ptr[0];
	memmove(w->idle.ptr, w->idle.ptr + 1, --w->idle.len * sizeof(w->idle.ptr[0]));
	load_vu_assign(s->vu, s);
	r->slot_count++;
	atomic_fetch_add(&w->run->vus_active, 1);
	return true;
}

/* ---- VUs beyond the planned ones (arrival rates) ---- */

static void use_idle_vu(struct load_runner *r)
{
	if (r->phase == LOAD_RUNNER_RUNNING && add_slot(r))
		r->ops->idle(r, &r->slots[r->slot_count - 1]);
}

static void grown(struct load_worker *w, struct load_vu *vu, void *arg)
{
	struct load_runner *r = arg;

	r->growing = false;
	if (vu)
		use_idle_vu(r);
	else
		load_log(w->run, LOAD_LOG_WARN, "no more virtual users: %s", w->err.msg);
}

static void grow_now(struct net_task *t)
{
	struct load_runner *r = container_of(t, struct load_runner, grow);
	struct load_worker *w = r->worker;

	r->grow_queued = false;
	if (!w->idle.len) {
		load_worker_add_vu(w, grown, r);
		return;
	}
	r->growing = false;
	use_idle_vu(r);
}

/* One at a time: making a VU takes a fraction of a millisecond in which nothing else runs. */
void load_runner_grow(struct load_runner *r)
{
	if (r->growing || r->slot_count == r->slot_max)
		return;
	r->growing = r->grow_queued = true;
	r->grow.run = grow_now;
	net_loop_defer(r->worker->loop, &r->grow);
}

/* ---- from start to end ---- */

static void begin_now(struct net_timer *t)
{
	struct load_runner *r = container_of(t, struct load_runner, begin);
	uint64_t planned = load_runner_planned(r->worker, r->scenario);

	r->phase = LOAD_RUNNER_RUNNING;
	while (r->slot_count < planned && add_slot(r))
		;
	net_timer_set(r->worker->loop, &r->end, r->end_ns);
	r->ops->start(r);
}

static void end_now(struct net_timer *t)
{
	struct load_runner *r = container_of(t, struct load_runner, end);

	/* an arrival at the very end is still one */
	if (r->schedule)
		r->ops->tick(r);
	load_runner_stop(r);
}

static void cut_now(struct net_timer *t)
{
	load_runner_abort(container_of(t, struct load_runner, cut));
}

static void tick_now(struct net_timer *t)
{
	struct load_runner *r = container_of(t, struct load_runner, tick);

	r->ops->tick(r);
}

uint64_t load_runner_planned(const struct load_worker *w, const struct load_scenario *s)
{
	return load_schedule_share(load_schedule_vus_first(s), w->index, w->count);
}

uint64_t load_runner_most(const struct load_worker *w, const struct load_scenario *s)
{
	return load_schedule_share(load_schedule_vus_max(s), w->index, w->count);
}

struct load_runner *load_runner_new(struct load_worker *w, size_t i)
{
	const struct load_scenario *s = &w->run->plan->scenarios.ptr[i];
	struct load_runner *r;
	uint64_t most = load_runner_most(w, s);

	if (!most)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->worker = w;
	r->scenario = s;
	r->state = &w->run->scenarios[i];
	r->ops = executors[s->executor];
	r->slots = xcalloc(most, sizeof(*r->slots));
	r->slot_max = most;
	r->free_tail = &r->free_first;
	r->begin.expired = begin_now;
	r->end.expired = end_now;
	r->cut.expired = cut_now;
	r->tick.expired = tick_now;
	if (load_executor_is_open(s->executor)) {
		r->schedule = load_schedule_new(s);
		r->next_arrival = w->index;
	}
	r->tags = load_worker_scenario_tags(w, s);
	return r;
}

void load_runner_free(struct load_runner *r)
{
	struct net_loop *loop;

	if (!r)
		return;
	loop = r->worker->loop;
	net_timer_remove(loop, &r->begin);
	net_timer_remove(loop, &r->end);
	net_timer_remove(loop, &r->cut);
	net_timer_remove(loop, &r->tick);
	for (size_t i = 0; i < r->slot_count; i++)
		net_timer_remove(loop, &r->slots[i].cut);
	load_schedule_free(r->schedule);
	free(r->slots);
	free(r);
}

void load_runner_schedule(struct load_runner *r)
{
	const struct load_scenario *s = r->scenario;

	r->start_ns = r->worker->run->start_ns + s->start_time_ns;
	r->end_ns = r->start_ns + load_schedule_length_ns(s);
	r->cut_ns = r->end_ns + s->graceful_stop_ns;
	net_timer_set(r->worker->loop, &r->begin, r->start_ns);
}
