/* A chained hash table under one lock, doubled as it fills. Expired entries go when they are met.
 */
#include "cache.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct entry {
	struct entry *next;
	uint64_t hash;
	time_t last_used; /* CLOCK_MONOTONIC, s */
	char *key, *value;
};

struct cache {
	pthread_mutex_t lock;
	struct entry **slots;
	size_t n_slots;
	struct cache_stats stats;
};

static uint64_t hash_of(const char *key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return h;
}

static time_t now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static unsigned long long size_of(const struct entry *e)
{
	return sizeof(*e) + strlen(e->key) + strlen(e->value) + 2;
}

static void drop(struct cache *c, struct entry **place)
{
	struct entry *e = *place;

	*place = e->next;
	c->stats.entries--;
	c->stats.bytes -= size_of(e);
	free(e->key);
	free(e->value);
	free(e);
}

struct cache *cache_new(void)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->n_slots = 1024;
	c->slots = calloc(c->n_slots, sizeof(*c->slots));
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void grow(struct cache *c)
{
	size_t n = c->n_slots * 2;
	struct entry **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return; /* longer chains, nothing worse */
	for (size_t i = 0; i < c->n_slots; i++) {
		while (c->slots[i]) {
			struct entry *e = c->slots[i];

			c->slots[i] = e->next;
			e->next = slots[e->hash % n];
			slots[e->hash % n] = e;
		}
	}
	free(c->slots);
	c->slots = slots;
	c->n_slots = n;
}

/* The place of the key's entry, or of the end of its chain; expired entries on the way go. */
static struct entry **find(struct cache *c, const char *key, uint64_t hash)
{
	struct entry **place = &c->slots[hash % c->n_slots];
	time_t oldest = now_s() - CACHE_SLIDING_S;

	while (*place) {
		if ((*place)->last_used < oldest) {
			drop(c, place);
			continue;
		}
		if ((*place)->hash == hash && strcmp((*place)->key, key) == 0)
			return place;
		place = &(*place)->next;
	}
	return place;
}

char *cache_get(struct cache *c, const char *key)
{
	struct entry *e;
	char *value = NULL;

	pthread_mutex_lock(&c->lock);
	e = *find(c, key, hash_of(key));
	if (e) {
		e->last_used = now_s();
		value = strdup(e->value);
		c->stats.hits++;
	} else {
		c->stats.misses++;
	}
	pthread_mutex_unlock(&c->lock);
	return value;
}

void cache_put(struct cache *c, const char *key, const char *value)
{
	struct entry *e = calloc(1, sizeof(*e));
	struct entry **place;

	if (!e)
		return;
	e->hash = hash_of(key);
	e->key = strdup(key);
	e->value = strdup(value);
	e->last_used = now_s();

	pthread_mutex_lock(&c->lock);
	place = find(c, key, e->hash);
	if (*place)
		drop(c, place);
	e->next = *place;
	*place = e;
	c->stats.entries++;
	c->stats.bytes += size_of(e);
	if (c->stats.entries > c->n_slots)
		grow(c);
	pthread_mutex_unlock(&c->lock);
}

struct cache_stats cache_stats(struct cache *c)
{
	struct cache_stats s;

	pthread_mutex_lock(&c->lock);
	s = c->stats;
	pthread_mutex_unlock(&c->lock);
	return s;
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_slots; i++)
		while (c->slots[i])
			drop(c, &c->slots[i]);
	pthread_mutex_destroy(&c->lock);
	free(c->slots);
	free(c);
}
