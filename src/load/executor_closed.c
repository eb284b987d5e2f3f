/*
 * The executors of the closed model: a VU begins its next iteration when it has finished one.
 */
#include "load/runner.h"

/* ---- constant-vus ---- */

static void queue_all(struct load_runner *r)
{
	for (size_t i = 0; i < r->slot_count; i++)
		load_slot_queue(&r->slots[i]);
}

static void queue_slot(struct load_runner *r UNUSED, struct load_slot *s)
{
	load_slot_queue(s);
}

const struct load_executor_ops load_constant_vus = {
	.start = queue_all,
	.idle = queue_slot,
};

/* ---- ramping-vus ---- */

static void slot_join(struct load_slot *s)
{
	s->leaving = false;
	net_timer_cancel(&s->cut);
	load_slot_queue(s);
}

static void slot_leave(struct load_runner *r, struct load_slot *s)
{
	if (s->leaving)
		return;
	s->leaving = true;
	if (!s->running)
		return;
	if (r->scenario->graceful_ramp_down_ns)
		net_timer_set(r->worker->loop, &s->cut,
			      net_loop_now_ns() + r->scenario->graceful_ramp_down_ns);
	else
		load_vu_abort(s->vu);
}

/* Brings the number of active VUs to what the ramp says now. */
static void ramp(struct load_runner *r)
{
	uint64_t elapsed_ns = net_loop_now_ns() - r->start_ns, next_ns;
	uint32_t wanted = load_schedule_vus_at(r->scenario, elapsed_ns);

	for (size_t i = 0; i < r->slot_count; i++) {
		struct load_slot *s = &r->slots[i];

		if (s->index >= wanted)
			slot_leave(r, s);
		else if (s->leaving || !s->begun)
			slot_join(s);
	}
	next_ns = load_schedule_vus_next(r->scenario, elapsed_ns);
	if (next_ns != LOAD_SCHEDULE_END && r->phase == LOAD_RUNNER_RUNNING)
		net_timer_set(r->worker->loop, &r->tick, r->start_ns + next_ns);
}

static void queue_unless_leaving(struct load_runner *r UNUSED, struct load_slot *s)
{
	if (!s->leaving)
		load_slot_queue(s);
}

const struct load_executor_ops load_ramping_vus = {
	.start = ramp,
	.idle = queue_unless_leaving,
	.tick = ramp,
};

/* Iterations that an end from outside kept from beginning are not called dropped. */
static bool time_is_up(const struct load_runner *r)
{
	return net_loop_now_ns() >= r->end_ns;
}

/* ---- shared-iterations: all VUs take from one number ---- */

static bool take_shared(struct load_runner *r)
{
	if (load_runner_in_warmup(r, net_loop_now_ns()))
		return true;
	return atomic_fetch_add_explicit(&r->state->taken, 1, memory_order_relaxed) <
	       load_schedule_iterations(r->scenario);
}

static void shared_next(struct load_runner *r, struct load_slot *s)
{
	if (take_shared(r))
		load_slot_queue(s);
	else if (!r->running && !r->queued)
		load_runner_stop(r);
}

static void shared_start(struct load_runner *r)
{
	for (size_t i = 0; i < r->slot_count && r->phase == LOAD_RUNNER_RUNNING; i++)
		shared_next(r, &r->slots[i]);
}

/* The first worker that stops counts what nobody has begun. */
static void shared_stopped(struct load_runner *r)
{
	uint64_t total = load_schedule_iterations(r->scenario);
	uint64_t taken = atomic_exchange(&r->state->taken, total);

	if (taken < total && time_is_up(r))
		load_runner_drop(r, LOAD_DROP_TIME_UP, total - taken);
}

const struct load_executor_ops load_shared_iterations = {
	.start = shared_start,
	.idle = shared_next,
	.stopped = shared_stopped,
};

/* ---- per-vu-iterations ---- */

static void per_vu_next(struct load_runner *r, struct load_slot *s)
{
	bool any_left = r->running || r->queued;

	if (s->counted < r->scenario->iterations) {
		load_slot_queue(s);
		return;
	}
	for (size_t i = 0; i < r->slot_count && !any_left; i++)
		any_left = r->slots[i].counted < r->scenario->iterations;
	if (!any_left)
		load_runner_stop(r);
}

static void per_vu_stopped(struct load_runner *r)
{
	uint64_t left = 0;

	for (size_t i = 0; i < r->slot_count; i++)
		left += r->scenario->iterations - MIN(r->slots[i].counted, r->scenario->iterations);
	if (time_is_up(r))
		load_runner_drop(r, LOAD_DROP_TIME_UP, left);
}

const struct load_executor_ops load_per_vu_iterations = {
	.start = queue_all,
	.idle = per_vu_next,
	.stopped = per_vu_stopped,
};
