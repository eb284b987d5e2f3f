/*
 * A list under a lock. The thread sleeps until BATCH items wait, or a second has passed since an
 * item came (an idle service gives its memory back), takes the whole list and frees it without the
 * lock. When the thread cannot keep up, a retiring thread frees its own item from MAX_WAITING on,
 * so memory stays bounded: a parsed tree of 2,000 rules is about 2 MB.
 */
#include "reclaim.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define BATCH	    32
#define MAX_WAITING 128
#define MAX_WAIT_S  1

struct reclaim {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct reclaim_item *waiting; /* newest first */
	int n_waiting;
	bool stop;
};

static void destroy_all(struct reclaim_item *item)
{
	while (item) {
		struct reclaim_item *next = item->next;

		item->destroy(item);
		item = next;
	}
}

/* Called with the lock held: waits for a full batch, for old items, or for the end. */
static void wait_for_batch(struct reclaim *r)
{
	struct timespec deadline;

	while (!r->stop && r->n_waiting == 0)
		pthread_cond_wait(&r->wake, &r->lock);

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += MAX_WAIT_S;
	while (!r->stop && r->n_waiting < BATCH) {
		if (pthread_cond_timedwait(&r->wake, &r->lock, &deadline) == ETIMEDOUT)
			return;
	}
}

static void *reclaim_main(void *arg)
{
	struct reclaim *r = arg;
	bool stop = false;

	while (!stop) {
		struct reclaim_item *batch;

		pthread_mutex_lock(&r->lock);
		wait_for_batch(r);
		batch = r->waiting;
		r->waiting = NULL;
		r->n_waiting = 0;
		stop = r->stop;
		pthread_mutex_unlock(&r->lock);

		destroy_all(batch);
	}
	return NULL;
}

int reclaim_new(struct reclaim **ret)
{
	struct reclaim *r = calloc(1, sizeof(*r));
	pthread_condattr_t attr;
	int rc;

	if (!r)
		return -ENOMEM;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->wake, &attr);
	pthread_condattr_destroy(&attr);

	rc = pthread_create(&r->thread, NULL, reclaim_main, r);
	if (rc != 0) {
		free(r);
		return -rc;
	}
	pthread_setname_np(r->thread, "reclaim");

	*ret = r;
	return 0;
}

void reclaim_retire(struct reclaim *r, struct reclaim_item *item,
		    void (*destroy)(struct reclaim_item *item))
{
	bool full;

	item->destroy = destroy;
	item->next = NULL;

	pthread_mutex_lock(&r->lock);
	full = r->n_waiting >= MAX_WAITING;
	if (!full) {
		item->next = r->waiting;
		r->waiting = item;
		r->n_waiting++;
		if (r->n_waiting == 1 || r->n_waiting >= BATCH)
			pthread_cond_signal(&r->wake);
	}
	pthread_mutex_unlock(&r->lock);

	if (full)
		destroy(item);
}

void reclaim_free(struct reclaim *r)
{
	if (!r)
		return;

	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);

	destroy_all(r->waiting);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
