/*
 * loop.h - one thread's event loop: descriptors, timers and tasks. A loop and all that hangs on it
 * belong to one thread; only net_loop_post() and net_loop_stop() may be called from another.
 * Watches, timers and tasks are embedded in the caller's structs, so that nothing is allocated
 * while the loop runs. Callbacks may add and remove anything, themselves included.
 *
 * Time is CLOCK_MONOTONIC ns, read afresh by net_loop_now_ns(): the loop keeps no cached "now".
 */
#ifndef ASSAY_NET_LOOP_H
#define ASSAY_NET_LOOP_H

#include <sys/epoll.h>

#include "base/error.h"
#include "os/clock.h"

struct net_loop;

/* A descriptor of interest. Zeroed = not watched. The descriptor stays the caller's. */
struct net_watch {
	int fd;
	bool added;
	void (*ready)(struct net_watch *w, uint32_t events); /* EPOLLIN | EPOLLOUT | EPOLLHUP ... */
};

/* A point in time. Zeroed = never set. */
struct net_timer {
	void (*expired)(struct net_timer *t);
	uint64_t deadline_ns; /* when it is to fire; 0 = cancelled */
	uint64_t queued_ns;   /* private: its key in the heap, never later than deadline_ns */
	uint32_t slot;	      /* private: place in the heap + 1; 0 = not in it */
};

/* Something to do soon. Zeroed = idle; must not be queued twice. */
struct net_task {
	void (*run)(struct net_task *t);
	struct net_task *next; /* private */
};

int net_loop_new(struct net_loop **ret, struct error *reterr);

/* Everything must have been removed before. NULL in, nothing done. */
void net_loop_free(struct net_loop *loop);

/*
 * Sleep until this long before a timer and poll from there on: exact to about a microsecond, for
 * the price of the time spent. 0, the default: sleep all the way.
 */
void net_loop_set_spin_ns(struct net_loop *loop, uint64_t ns);

/*
 * Runs until net_loop_stop(). The calling thread's timer slack is set to 1 ns. A stop that came
 * before the call counts.
 */
void net_loop_run(struct net_loop *loop);

/* One round: waits at most max_wait_ns for something to do, and does it. */
void net_loop_run_once(struct net_loop *loop, uint64_t max_wait_ns);

/* Makes net_loop_run() return after the present round. From any thread. */
void net_loop_stop(struct net_loop *loop);

static inline uint64_t net_loop_now_ns(void)
{
	return clock_now_ns();
}

/* Level triggered. 0 or negative errno (-ENOSPC: the user's limit of watches). */
int net_watch_add(struct net_loop *loop, struct net_watch *w, int fd, uint32_t events);
int net_watch_change(struct net_loop *loop, struct net_watch *w, uint32_t events);

/* Before the descriptor is closed. w->ready is not called any more, not even for events that have
 * been collected already. Does nothing when w is not watched. */
void net_watch_remove(struct net_loop *loop, struct net_watch *w);

/*
 * Fires once, in the order of deadlines, never early. Setting again replaces the deadline. Setting
 * a later one and cancelling cost nothing: the heap is put right when the old deadline comes. A
 * timer that was ever set therefore must be removed before its memory goes.
 */
void net_timer_set(struct net_loop *loop, struct net_timer *t, uint64_t deadline_ns);
static inline void net_timer_cancel(struct net_timer *t)
{
	t->deadline_ns = 0;
}
void net_timer_remove(struct net_loop *loop, struct net_timer *t);

/* Runs t in the next round, before timers and descriptors; first come, first served. */
void net_loop_defer(struct net_loop *loop, struct net_task *t);

/* Takes a deferred task back; false when it was not waiting. Walks the list: for rare use. */
bool net_loop_undefer(struct net_loop *loop, struct net_task *t);

/* From any thread: runs t on the loop's thread. Tasks of one poster keep their order. */
void net_loop_post(struct net_loop *loop, struct net_task *t);

#endif
