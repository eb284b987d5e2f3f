/*
 * The arrival-rate executors, the open model: iterations start at the times of a schedule, whatever
 * the server does. An arrival that finds no free VU is dropped and counted, and asks for one VU
 * more if the scenario may have it; it never waits, so that no queue hides in the generator. An
 * arrival that comes late, because the thread was busy or not running, starts at once and keeps its
 * intended time: the lag shows in figures of its own.
 *
 * Free VUs are used in the order they became free, as k6 does: each keeps a connection, and the
 * server should see the same number of them.
 */
#include "load/runner.h"

static void push_free(struct load_runner *r, struct load_slot *s)
{
	s->next_free = NULL;
	*r->free_tail = s;
	r->free_tail = &s->next_free;
}

static struct load_slot *pop_free(struct load_runner *r)
{
	struct load_slot *s = r->free_first;

	if (!s)
		return NULL;
	r->free_first = s->next_free;
	if (!r->free_first)
		r->free_tail = &r->free_first;
	return s;
}

static void arrive(struct load_runner *r, uint64_t intended_ns)
{
	struct load_slot *s = pop_free(r);

	if (s) {
		load_slot_run(s, intended_ns);
		return;
	}
	load_runner_drop(r, 1);
	load_runner_grow(r);
}

/* Starts all that is due, then waits for the next. */
static void serve_arrivals(struct load_runner *r)
{
	uint64_t at_ns = 0;

	while (r->phase == LOAD_RUNNER_RUNNING && !load_runner_is_ending(r)) {
		at_ns = load_schedule_at(r->schedule, r->next_arrival);
		if (at_ns == LOAD_SCHEDULE_END)
			return;
		if (r->start_ns + at_ns > net_loop_now_ns())
			break;
		r->next_arrival += r->worker->count;
		arrive(r, r->start_ns + at_ns);
	}
	if (r->phase == LOAD_RUNNER_RUNNING)
		net_timer_set(r->worker->loop, &r->tick, r->start_ns + at_ns);
}

static void start_arrivals(struct load_runner *r)
{
	for (size_t i = 0; i < r->slot_count; i++)
		push_free(r, &r->slots[i]);
	serve_arrivals(r);
}

const struct load_executor_ops load_arrival_rate = {
	.start = start_arrivals,
	.idle = push_free,
	.tick = serve_arrivals,
};
