/*
 * The lock is held for a few instructions per block and output: at 1,024 points a block it is taken
 * a few times a millisecond at most, which is why a lock-free ring was rejected. Blocks that were
 * taken by all come back by the same way, so that a busy run allocates nothing.
 */
#include "export/hub.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "os/clock.h"

struct export_block {
	struct export_block *next; /* while spare */
	unsigned users;		   /* queues it stands in, and outputs that read it */
	uint32_t len;
	struct export_point points[EXPORT_BATCH];
};

struct export_hub {
	struct export_output *const *outputs;
	size_t count;
	pthread_mutex_t lock; /* of the queues and of what follows */
	struct export_block *spare;
	bool closing;
};

struct export_batch {
	struct export_hub *hub;
	struct export_block *block; /* NULL = none yet */
};

/* --- the workers' side ------------------------------------------------------------------------ */

struct export_batch *export_batch_new(struct export_hub *h)
{
	struct export_batch *b = xcalloc(1, sizeof(*b));

	b->hub = h;
	return b;
}

static struct export_block *take_block(struct export_hub *h)
{
	struct export_block *b;

	pthread_mutex_lock(&h->lock);
	b = h->spare;
	if (b)
		h->spare = b->next;
	pthread_mutex_unlock(&h->lock);
	if (!b)
		b = xmalloc(sizeof(*b));
	b->users = 0;
	b->len = 0;
	return b;
}

/* Of a block nobody uses any more. The lock is held. */
static void give_back(struct export_hub *h, struct export_block *b)
{
	for (uint32_t i = 0; i < b->len; i++)
		pairs_release(b->points[i].metadata);
	b->next = h->spare;
	h->spare = b;
}

static void enqueue(struct export_output *o, struct export_block *b)
{
	if (o->queued == EXPORT_QUEUE_LIMIT) {
		o->slow += b->len;
		return;
	}
	o->queue[(o->first + o->queued++) % EXPORT_QUEUE_LIMIT] = b;
	b->users++;
	pthread_cond_signal(&o->more);
}

void export_flush(struct export_batch *b)
{
	struct export_hub *h = b->hub;

	if (!b->block || !b->block->len)
		return;
	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < h->count; i++)
		enqueue(h->outputs[i], b->block);
	if (!b->block->users)
		give_back(h, b->block);
	pthread_mutex_unlock(&h->lock);
	b->block = NULL;
}

void export_add(struct export_batch *b, const struct export_point *p)
{
	if (!b->block)
		b->block = take_block(b->hub);
	pairs_hold(p->metadata);
	b->block->points[b->block->len++] = *p;
	if (b->block->len == EXPORT_BATCH)
		export_flush(b);
}

void export_batch_free(struct export_batch *b)
{
	if (!b)
		return;
	export_flush(b);
	free(b->block);
	free(b);
}

/* --- the outputs' side ------------------------------------------------------------------------ */

static void put_back(struct export_hub *h, struct export_block *b)
{
	if (b && --b->users == 0)
		give_back(h, b);
}

/* The next block, or NULL when there is none and it is due_ns or the end. */
static struct export_block *next_block(struct export_output *o, struct export_block *done,
				       uint64_t due_ns, bool *ret_last)
{
	struct timespec due = clock_timespec(due_ns);
	struct export_hub *h = o->hub;
	struct export_block *b = NULL;
	int timed_out = 0;

	pthread_mutex_lock(&h->lock);
	put_back(h, done);
	while (!o->queued && !h->closing && !timed_out)
		timed_out = pthread_cond_timedwait(&o->more, &h->lock, &due);
	if (o->queued) {
		b = o->queue[o->first];
		o->first = (o->first + 1) % EXPORT_QUEUE_LIMIT;
		o->queued--;
	}
	*ret_last = h->closing && !b;
	pthread_mutex_unlock(&h->lock);
	return b;
}

static void *run_output(void *arg)
{
	struct export_output *o = arg;
	uint64_t due_ns = clock_now_ns() + o->interval_ns;
	struct export_block *b = NULL;
	bool last = false;

	for (;;) {
		b = next_block(o, b, due_ns, &last);
		if (last)
			break;
		if (b)
			o->ops->points(o, b->points, b->len);
		if (clock_now_ns() < due_ns)
			continue;
		o->ops->tick(o);
		due_ns = clock_now_ns() + o->interval_ns;
	}
	o->ops->end(o);
	return NULL;
}

void export_lose(struct export_output *o, uint64_t points, const char *why)
{
	pthread_mutex_lock(&o->hub->lock);
	o->failed += points;
	if (!o->why)
		o->why = xstrdup(why);
	pthread_mutex_unlock(&o->hub->lock);
}

uint64_t export_output_lost(const struct export_output *o, struct strbuf *why)
{
	if (o->why)
		strbuf_addstr(why, o->why);
	if (o->slow && o->why)
		strbuf_addf(why, "; %llu of them came faster than it took them",
			    (unsigned long long)o->slow);
	else if (o->slow)
		strbuf_addstr(why, "they came faster than it took them");
	return o->failed + o->slow;
}

void export_output_free(struct export_output *o)
{
	char *label, *why;

	if (!o)
		return;
	label = o->label;
	why = o->why;
	o->ops->free(o); /* with the struct */
	free(label);
	free(why);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static int start(struct export_hub *h, const struct export_run *run, struct export_output *o,
		 struct error *reterr)
{
	pthread_condattr_t attr;
	int r;

	o->hub = h;
	o->run = run;
	r = o->ops->begin(o, reterr);
	if (r < 0)
		return error_wrap(reterr, "output %s", o->label);
	o->queue = xcalloc(EXPORT_QUEUE_LIMIT, sizeof(struct export_block *));
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&o->more, &attr);
	pthread_condattr_destroy(&attr);
	r = pthread_create(&o->thread, NULL, run_output, o);
	if (!r)
		return 0;
	o->ops->end(o);
	pthread_cond_destroy(&o->more);
	free(o->queue);
	return error_errno(reterr, -r, "starting the thread of output %s", o->label);
}

/* All at once, so that the slowest alone decides how long it takes. */
static void stop(struct export_hub *h)
{
	pthread_mutex_lock(&h->lock);
	h->closing = true;
	for (size_t i = 0; i < h->count; i++) {
		atomic_store(&h->outputs[i]->closing_ns, clock_now_ns());
		pthread_cond_signal(&h->outputs[i]->more);
	}
	pthread_mutex_unlock(&h->lock);
	for (size_t i = 0; i < h->count; i++) {
		pthread_join(h->outputs[i]->thread, NULL);
		pthread_cond_destroy(&h->outputs[i]->more);
		free(h->outputs[i]->queue);
	}
}

void export_hub_close(struct export_hub *h)
{
	if (!h)
		return;
	stop(h);
	for (struct export_block *b = h->spare, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	pthread_mutex_destroy(&h->lock);
	free(h);
}

int export_hub_open(struct export_hub **ret, const struct export_run *run,
		    struct export_output *const *outputs, size_t n, struct error *reterr)
{
	struct export_hub *h = xcalloc(1, sizeof(*h));

	h->outputs = outputs;
	pthread_mutex_init(&h->lock, NULL);
	for (h->count = 0; h->count < n; h->count++) {
		int r = start(h, run, outputs[h->count], reterr);

		if (r < 0) {
			export_hub_close(h);
			return r;
		}
	}
	*ret = h;
	return 0;
}
