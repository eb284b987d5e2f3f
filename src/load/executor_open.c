/*
 * The arrival-rate executors, the open model: iterations start at the times of a schedule, whatever
 * the server does. An arrival that finds no free VU is dropped and counted, and asks for one VU
 * more if the scenario may have it; it never waits, so that no queue hides in the generator. An
 * arrival that comes late, because the thread was busy or not running, starts at once and keeps its
 * intended time: the lag shows in figures of its own.
 *
 * Free VUs are used in the order they became free, as k6 does: each keeps a connection, and the
 * server should see the same number of them.
 *
 * With queue_arrivals an arrival that finds no free VU waits for one, as users at a fixed number of
 * tills do, and the next wait behind it: since a schedule is a list of times, the queue is only how
 * far the schedule has been served. Latency from when requests were due then holds the wait.
 */
#include "load/runner.h"

static void push_free(struct load_runner *r, struct load_slot *s)
{
	s->next_free = NULL;
	s->free_ns = net_loop_now_ns();
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

/*
 * An arrival later than this came in a burst with others that were due in between: they compete for
 * VUs that would have been enough, had each come in its time.
 */
#define LATE_NS (10 * NS_PER_MS)

/* Served at once at most. */
#define ROUND_MAX 1000

static void serve_next(struct net_task *t);

/* When arrival k of ours from the next one on is due, or LOAD_SCHEDULE_END. */
static uint64_t arrival_at(const struct load_runner *r, uint64_t k)
{
	uint64_t i = r->next_arrival + k * r->worker->count;

	return load_schedule_at(r->schedule, load_segment_number(r->scenario->segment, i));
}

/* How many arrivals of ours, from the next one on, are due by then: a search, there may be 10^9. */
static uint64_t due_by(const struct load_runner *r, uint64_t t_ns)
{
	uint64_t low = 0, high = 1;

	while (t_ns >= r->start_ns && arrival_at(r, high - 1) <= t_ns - r->start_ns) {
		low = high;
		high *= 2;
	}
	while (low + 1 < high) {
		uint64_t middle = low + (high - low) / 2;

		if (arrival_at(r, middle - 1) <= t_ns - r->start_ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void drop_due(struct load_runner *r, uint64_t t_ns, enum load_drop why)
{
	uint64_t n = due_by(r, t_ns);

	r->next_arrival += n * r->worker->count;
	load_runner_drop(r, why, n);
}

/* Nobody is free, and nobody will be in this moment: all that is due goes. */
static void drop_all_due(struct load_runner *r)
{
	uint64_t now_ns = net_loop_now_ns();

	drop_due(r, now_ns - LATE_NS - 1, LOAD_DROP_LATE);
	drop_due(r, now_ns, r->slot_count < r->slot_max ? LOAD_DROP_NO_VU_YET : LOAD_DROP_VU_LIMIT);
	load_runner_grow(r);
}

/* The loop's next round serves on: nothing is served deep in an iteration that has just ended, nor
 * so much at once that signals, figures and the scenario's end have to wait. */
static void serve_soon(struct load_runner *r)
{
	if (r->serve_queued)
		return;
	r->serve_queued = true;
	r->serve.run = serve_next;
	net_loop_defer(r->worker->loop, &r->serve);
}

/* False when no more than the loop's other work is to be done now. */
static bool serve_one(struct load_runner *r, uint64_t at_ns)
{
	struct load_slot *s;

	r->arrivals_wait = !r->free_first && r->worker->run->plan->queue_arrivals;
	if (r->arrivals_wait) {
		load_runner_grow(r);
		return false;
	}
	s = pop_free(r);
	if (!s) {
		drop_all_due(r);
		return true;
	}
	r->next_arrival += r->worker->count;
	load_slot_run(s, r->start_ns + at_ns);
	return true;
}

/* Starts what is due, then waits for the next. */
static void serve_arrivals(struct load_runner *r)
{
	unsigned served = 0;

	while (r->phase == LOAD_RUNNER_RUNNING && !load_runner_is_ending(r)) {
		uint64_t at_ns = arrival_at(r, 0);

		if (at_ns == LOAD_SCHEDULE_END)
			return;
		if (r->start_ns + at_ns > net_loop_now_ns()) {
			net_timer_set(r->worker->loop, &r->tick, r->start_ns + at_ns);
			return;
		}
		if (++served > ROUND_MAX) {
			serve_soon(r);
			return;
		}
		if (!serve_one(r, at_ns))
			return;
	}
}

static void start_arrivals(struct load_runner *r)
{
	for (size_t i = 0; i < r->slot_count; i++)
		push_free(r, &r->slots[i]);
	serve_arrivals(r);
}

static void serve_next(struct net_task *t)
{
	struct load_runner *r = container_of(t, struct load_runner, serve);

	r->serve_queued = false;
	if (r->phase == LOAD_RUNNER_RUNNING)
		serve_arrivals(r);
}

static void free_again(struct load_runner *r, struct load_slot *s)
{
	push_free(r, s);
	if (r->arrivals_wait)
		serve_soon(r);
}

/* Arrivals that were due and still wait, or were behind, never begin. */
static void drop_rest(struct load_runner *r)
{
	drop_due(r, MIN(net_loop_now_ns(), r->end_ns),
		 r->arrivals_wait ? LOAD_DROP_TIME_UP : LOAD_DROP_LATE);
}

const struct load_executor_ops load_arrival_rate = {
	.start = start_arrivals,
	.idle = free_again,
	.tick = serve_arrivals,
	.stopped = drop_rest,
};
