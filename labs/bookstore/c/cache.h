/*
 * cache - quotes by cart, kept for 30 minutes after their last use, without any limit of size: the
 * second suspect. It is a good cache for carts that come again; random ones only make it grow.
 * All functions may be called from any thread.
 */
#ifndef BOOKSTORE_CACHE_H
#define BOOKSTORE_CACHE_H

#include <stddef.h>

#define CACHE_SLIDING_S (30 * 60)

struct cache;

struct cache_stats {
	unsigned long long entries, bytes, hits, misses;
};

/* NULL when out of memory. */
struct cache *cache_new(void);

/* A malloc'ed copy of the value, or NULL; counts a hit or a miss. */
char *cache_get(struct cache *c, const char *key);

/* Copies both. What is there already is replaced. */
void cache_put(struct cache *c, const char *key, const char *value);

struct cache_stats cache_stats(struct cache *c);
void cache_free(struct cache *c);

#endif
