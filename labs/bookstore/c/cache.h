/*
 * cache - quotes by cart, kept for 30 minutes after their last use, without a limit on their
 * number.
 *
 * This is one of the lab's three suspects: carts hardly ever repeat, so it only grows. All
 * functions may be called from any thread but cache_free().
 */
#ifndef BOOKSTORE_CACHE_H
#define BOOKSTORE_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct cache;

struct cache_stats {
	uint64_t entries;
	uint64_t size_bytes; /* keys, values and entries, without the allocator's share */
	uint64_t hits;
	uint64_t misses;
};

/* NULL: out of memory. */
struct cache *cache_new(void);

/*
 * A copy of the value under a key, malloc'ed, the caller frees; counts a hit. NULL: a miss,
 * counted.
 */
char *cache_get(struct cache *c, const char *key, size_t *ret_len);

/* Stores a copy, replacing what was there. Out of memory: nothing is stored. */
void cache_put(struct cache *c, const char *key, const char *value, size_t len);

void cache_stats_get(struct cache *c, struct cache_stats *ret);

void cache_free(struct cache *c);

#endif
