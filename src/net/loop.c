/*
 * A loop made for load generation: what matters is when things happen and how few system calls
 * they cost.
 *
 * - epoll_pwait2() takes ns; epoll_wait() takes ms and would send up to 1 ms late. The kernel may
 *   still round a sleep by the thread's timer slack (50 us by default), hence PR_SET_TIMERSLACK.
 *   Where the call is missing (before Linux 5.11, or filtered by seccomp) the loop falls back to
 *   epoll_wait() rounded down and polls the rest.
 * - Descriptors are level triggered and stay registered: a request on a warm connection costs one
 *   write, one read and a share of one wait. Edge triggering would need a second read to see
 *   EAGAIN.
 * - Timers are a binary heap with lazy deletion. Nearly every timer here is a time limit that is
 *   set again and again and never fires; moving it in the heap twice a request would cost more
 *   than the request's parsing. A timer whose deadline moved back or away stays where it is and is
 *   put right when its old place comes up.
 * - A batch of events can take a millisecond to work off, so timers are looked at in the middle of
 *   it too.
 */
#include "net/loop.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"

enum {
	BATCH = 256,		/* events taken from the kernel at once */
	EVENTS_PER_TIMERS = 16, /* events worked off between two looks at the timers */
};

struct net_loop {
	int epoll_fd;
	struct net_watch wakeup; /* an eventfd */
	uint64_t spin_ns;
	bool no_pwait2;
	bool prepared; /* the thread's timer slack has been set */

	VEC(struct net_timer *) heap; /* by queued_ns */

	struct net_task *deferred;
	struct net_task **deferred_tail;

	struct epoll_event events[BATCH];
	int event_next, event_count; /* the part of the batch still to be worked off */

	atomic_bool stopping;
	_Atomic(struct net_task *) posted; /* newest first */
};

static void take_posted(struct net_watch *w, uint32_t events UNUSED)
{
	struct net_loop *loop = container_of(w, struct net_loop, wakeup);
	struct net_task *newest, *oldest = NULL, *next;
	uint64_t count;

	if (read(w->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		BUG("eventfd cannot be read");
	newest = atomic_exchange(&loop->posted, NULL);
	for (; newest; newest = next) {
		next = newest->next;
		newest->next = oldest;
		oldest = newest;
	}
	for (; oldest; oldest = next) {
		next = oldest->next;
		oldest->next = NULL;
		oldest->run(oldest);
	}
}

static void wake(struct net_loop *loop)
{
	uint64_t one = 1;

	if (write(loop->wakeup.fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		BUG("eventfd cannot be written");
}

int net_loop_new(struct net_loop **ret, struct error *reterr)
{
	struct net_loop *loop = xcalloc(1, sizeof(*loop));
	int r = 0;

	loop->deferred_tail = &loop->deferred;
	loop->wakeup.ready = take_posted;
	loop->wakeup.fd = -1;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0)
		r = -errno;
	else if ((loop->wakeup.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0)
		r = -errno;
	else
		r = net_watch_add(loop, &loop->wakeup, loop->wakeup.fd, EPOLLIN);
	if (r < 0) {
		net_loop_free(loop);
		return error_errno(reterr, r,
				   "opening an event loop (two descriptors; see ulimit -n)");
	}
	*ret = loop;
	return 0;
}

void net_loop_free(struct net_loop *loop)
{
	if (!loop)
		return;
	if (loop->wakeup.fd >= 0)
		close(loop->wakeup.fd);
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	vec_release(&loop->heap);
	free(loop);
}

void net_loop_set_spin_ns(struct net_loop *loop, uint64_t ns)
{
	loop->spin_ns = ns;
}

/* --- descriptors --- */

static int control(struct net_loop *loop, int op, struct net_watch *w, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = w };

	return epoll_ctl(loop->epoll_fd, op, w->fd, &ev) < 0 ? -errno : 0;
}

int net_watch_add(struct net_loop *loop, struct net_watch *w, int fd, uint32_t events)
{
	int r;

	w->fd = fd;
	r = control(loop, EPOLL_CTL_ADD, w, events);
	w->added = r == 0;
	return r;
}

int net_watch_change(struct net_loop *loop, struct net_watch *w, uint32_t events)
{
	return control(loop, EPOLL_CTL_MOD, w, events);
}

void net_watch_remove(struct net_loop *loop, struct net_watch *w)
{
	if (!w->added)
		return;
	w->added = false;
	control(loop, EPOLL_CTL_DEL, w, 0);
	for (int i = loop->event_next; i < loop->event_count; i++)
		if (loop->events[i].data.ptr == w)
			loop->events[i].data.ptr = NULL;
}

/* --- timers --- */

static void heap_put(struct net_loop *loop, size_t i, struct net_timer *t)
{
	loop->heap.ptr[i] = t;
	t->slot = (uint32_t)i + 1;
}

static void sift_up(struct net_loop *loop, size_t i, struct net_timer *t)
{
	while (i > 0) {
		size_t parent = (i - 1) / 2;

		if (loop->heap.ptr[parent]->queued_ns <= t->queued_ns)
			break;
		heap_put(loop, i, loop->heap.ptr[parent]);
		i = parent;
	}
	heap_put(loop, i, t);
}

static void sift_down(struct net_loop *loop, size_t i, struct net_timer *t)
{
	struct net_timer **heap = loop->heap.ptr;
	size_t len = loop->heap.len;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= len)
			break;
		if (child + 1 < len && heap[child + 1]->queued_ns < heap[child]->queued_ns)
			child++;
		if (t->queued_ns <= heap[child]->queued_ns)
			break;
		heap_put(loop, i, heap[child]);
		i = child;
	}
	heap_put(loop, i, t);
}

void net_timer_remove(struct net_loop *loop, struct net_timer *t)
{
	size_t i = t->slot;
	struct net_timer *last;

	t->deadline_ns = 0;
	t->slot = 0;
	if (!i--)
		return;
	last = vec_last(&loop->heap);
	loop->heap.len--;
	if (last == t)
		return;
	if (last->queued_ns < t->queued_ns)
		sift_up(loop, i, last);
	else
		sift_down(loop, i, last);
}

void net_timer_set(struct net_loop *loop, struct net_timer *t, uint64_t deadline_ns)
{
	t->deadline_ns = deadline_ns ? deadline_ns : 1;
	if (t->slot && t->queued_ns <= t->deadline_ns)
		return;
	t->queued_ns = t->deadline_ns;
	if (!t->slot) {
		vec_push(&loop->heap, t);
		t->slot = (uint32_t)loop->heap.len;
	}
	sift_up(loop, t->slot - 1, t);
}

static void run_timers(struct net_loop *loop)
{
	uint64_t now_ns;

	if (!loop->heap.len)
		return;
	now_ns = clock_now_ns();
	while (loop->heap.len && loop->heap.ptr[0]->queued_ns <= now_ns) {
		struct net_timer *t = loop->heap.ptr[0];
		bool due;

		if (t->deadline_ns > t->queued_ns) {
			t->queued_ns = t->deadline_ns;
			sift_down(loop, 0, t);
			continue;
		}
		due = t->deadline_ns != 0;
		net_timer_remove(loop, t);
		if (due)
			t->expired(t);
	}
}

/* --- tasks --- */

void net_loop_defer(struct net_loop *loop, struct net_task *t)
{
	t->next = NULL;
	*loop->deferred_tail = t;
	loop->deferred_tail = &t->next;
}

bool net_loop_undefer(struct net_loop *loop, struct net_task *t)
{
	for (struct net_task **p = &loop->deferred; *p; p = &(*p)->next) {
		if (*p != t)
			continue;
		*p = t->next;
		if (loop->deferred_tail == &t->next)
			loop->deferred_tail = p;
		return true;
	}
	return false;
}

/* Only what waited when the round began: a task that defers itself must not starve descriptors. The
 * list stays in place, so that a task may take back one that waits behind it. */
static void run_deferred(struct net_loop *loop)
{
	struct net_task marker = { 0 };

	if (!loop->deferred)
		return;
	net_loop_defer(loop, &marker);
	while (loop->deferred != &marker) {
		struct net_task *t = loop->deferred;

		loop->deferred = t->next;
		t->next = NULL;
		t->run(t);
	}
	net_loop_undefer(loop, &marker);
}

void net_loop_post(struct net_loop *loop, struct net_task *t)
{
	struct net_task *head = atomic_load(&loop->posted);

	do
		t->next = head;
	while (!atomic_compare_exchange_weak(&loop->posted, &head, t));
	if (!head)
		wake(loop);
}

/* --- running --- */

static uint64_t time_to_sleep(const struct net_loop *loop, uint64_t max_wait_ns)
{
	uint64_t now_ns, due_ns;

	if (loop->deferred)
		return 0;
	if (!loop->heap.len)
		return max_wait_ns;
	now_ns = clock_now_ns();
	due_ns = loop->heap.ptr[0]->queued_ns;
	if (due_ns <= now_ns + loop->spin_ns)
		return 0;
	return MIN(due_ns - now_ns - loop->spin_ns, max_wait_ns);
}

static int wait_for_events(struct net_loop *loop, uint64_t sleep_ns)
{
	struct timespec ts = clock_timespec(sleep_ns);
	int n = -1;

	if (!loop->no_pwait2) {
		n = epoll_pwait2(loop->epoll_fd, loop->events, BATCH, &ts, NULL);
		if (n < 0 && (errno == ENOSYS || errno == EPERM))
			loop->no_pwait2 = true;
	}
	if (loop->no_pwait2) {
		uint64_t ms = MIN(sleep_ns / NS_PER_MS, UINT64_C(60000));

		n = epoll_wait(loop->epoll_fd, loop->events, BATCH, (int)ms);
	}
	if (n < 0 && errno != EINTR)
		BUG("epoll_pwait2 failed");
	return MAX(n, 0);
}

static void run_events(struct net_loop *loop)
{
	while (loop->event_next < loop->event_count) {
		int i = loop->event_next++;
		struct net_watch *w = loop->events[i].data.ptr;

		if (w)
			w->ready(w, loop->events[i].events);
		if (loop->event_next % EVENTS_PER_TIMERS == 0)
			run_timers(loop);
	}
}

void net_loop_run_once(struct net_loop *loop, uint64_t max_wait_ns)
{
	if (!loop->prepared) {
		prctl(PR_SET_TIMERSLACK, 1UL);
		loop->prepared = true;
	}
	run_deferred(loop);
	loop->event_next = 0;
	loop->event_count = wait_for_events(loop, time_to_sleep(loop, max_wait_ns));
	run_timers(loop);
	run_events(loop);
}

void net_loop_run(struct net_loop *loop)
{
	const uint64_t long_time_ns = 3600 * NS_PER_S;

	while (!atomic_load_explicit(&loop->stopping, memory_order_acquire))
		net_loop_run_once(loop, long_time_ns);
	atomic_store(&loop->stopping, false);
}

void net_loop_stop(struct net_loop *loop)
{
	atomic_store_explicit(&loop->stopping, true, memory_order_release);
	wake(loop);
}
