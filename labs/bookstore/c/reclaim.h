/*
 * reclaim - deferred freeing: what is retired is freed later, many at a time, by one thread.
 *
 * Services defer frees to keep them off the request path (or because readers may still look). The
 * price shows under a CPU quota: the work is not gone, it comes in bursts on one more busy thread.
 * All functions may be called from any thread, reclaim_free() from one and last.
 */
#ifndef BOOKSTORE_RECLAIM_H
#define BOOKSTORE_RECLAIM_H

/* Embedded in what is to be retired. */
struct reclaim_item {
	struct reclaim_item *next;
	void (*destroy)(struct reclaim_item *item);
};

struct reclaim;

/* 0 or negative errno. The caller owns *ret. */
int reclaim_new(struct reclaim **ret);

/* Hands the item over; destroy is called once, on some thread. */
void reclaim_retire(struct reclaim *r, struct reclaim_item *item,
		    void (*destroy)(struct reclaim_item *item));

/* Frees what is left and ends the thread. NULL is fine. */
void reclaim_free(struct reclaim *r);

#endif
