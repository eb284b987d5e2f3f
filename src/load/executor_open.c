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

static enum load_drop why_dropped(const struct load_runner *r, uint64_t intended_ns)
{
	if (net_loop_now_ns() > intended_ns + LATE_NS)
		return LOAD_DROP_LATE;
	return r->slot_count < r->slot_max ? LOAD_DROP_NO_VU_YET : LOAD_DROP_VU_LIMIT;
}

static void arrive(struct load_runner *r, uint64_t intended_ns)
{
	struct load_slot *s = pop_free(r);

	if (s) {
		load_slot_run(s, intended_ns);
		return;
	}
	load_runner_drop(r, why_dropped(r, intended_ns), 1);
	load_runner_grow(r);
}

/* When the next arrival of ours is due, or LOAD_SCHEDULE_END. */
static uint64_t arrival_at(const struct load_runner *r)
{
	return load_schedule_at(r->schedule,
				load_segment_number(r->scenario->segment, r->next_arrival));
}

/* Starts all that is due, then waits for the next. */
static void serve_arrivals(struct load_runner *r)
{
	uint64_t at_ns = 0;

	while (r->phase == LOAD_RUNNER_RUNNING && !load_runner_is_ending(r)) {
		at_ns = arrival_at(r);
		if (at_ns == LOAD_SCHEDULE_END)
			return;
		if (r->start_ns + at_ns > net_loop_now_ns())
			break;
		r->arrivals_wait = !r->free_first && r->worker->run->plan->queue_arrivals;
		if (r->arrivals_wait) {
			load_runner_grow(r);
			return;
		}
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

static void serve_next(struct net_task *t)
{
	struct load_runner *r = container_of(t, struct load_runner, serve);

	r->serve_queued = false;
	if (r->phase == LOAD_RUNNER_RUNNING)
		serve_arrivals(r);
}

/* What waits is served in the loop's next round, not deep in the iteration that has just ended. */
static void free_again(struct load_runner *r, struct load_slot *s)
{
	push_free(r, s);
	if (!r->arrivals_wait || r->serve_queued)
		return;
	r->serve_queued = true;
	r->serve.run = serve_next;
	net_loop_defer(r->worker->loop, &r->serve);
}

/* Arrivals that were due and still wait never begin. */
static void count_waiting(struct load_runner *r)
{
	uint64_t n = 0, at_ns;

	while (r->arrivals_wait && (at_ns = arrival_at(r)) != LOAD_SCHEDULE_END &&
	       r->start_ns + at_ns <= net_loop_now_ns()) {
		r->next_arrival += r->worker->count;
		n++;
	}
	load_runner_drop(r, LOAD_DROP_TIME_UP, n);
}

const struct load_executor_ops load_arrival_rate = {
	.start = start_arrivals,
	.idle = free_again,
	.tick = serve_arrivals,
	.stopped = count_waiting,
};
