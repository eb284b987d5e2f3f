/*
 * One hash table under one lock, chained, doubled when it is full; FNV-1a over the key. Expired
 * entries go at the first store of each minute, in one sweep over all entries.
 */
#include "cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define EXPIRY_NS     (30 * 60 * CLOCK_NS_PER_S)
#define SWEEP_NS      (60 * CLOCK_NS_PER_S)
#define FIRST_BUCKETS 1024

struct entry {
	struct entry *next;
	uint64_t hash;
	uint64_t last_use_ns;
	char *value;
	size_t value_len;
	char key[];
};

struct cache {
	pthread_mutex_t lock;
	struct entry **buckets;
	size_t n_buckets; /* a power of two */
	uint64_t next_sweep_ns;
	struct cache_stats stats;
};

static uint64_t hash_key(const char *key)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3u;
	return h;
}

static size_t entry_bytes(const struct entry *e)
{
	return sizeof(*e) + strlen(e->key) + 1 + e->value_len + 1;
}

static void entry_free(struct entry *e)
{
	if (!e)
		return;
	free(e->value);
	free(e);
}

static struct entry *entry_new(const char *key, const char *value, size_t len)
{
	size_t key_size = strlen(key) + 1;
	struct entry *e = calloc(1, sizeof(*e) + key_size);

	if (!e)
		return NULL;
	memcpy(e->key, key, key_size);
	e->hash = hash_key(key);
	e->last_use_ns = clock_now_ns();
	e->value = malloc(len + 1);
	e->value_len = len;
	if (!e->value) {
		entry_free(e);
		return NULL;
	}
	memcpy(e->value, value, len);
	e->value[len] = '\0';
	return e;
}

static bool expired(const struct entry *e, uint64_t now_ns)
{
	return now_ns - e->last_use_ns > EXPIRY_NS;
}

/* The link that points to the key's entry, or the end of the chain it would be in. */
static struct entry **find(struct cache *c, const char *key, uint64_t hash)
{
	struct entry **link = &c->buckets[hash & (c->n_buckets - 1)];

	while (*link && ((*link)->hash != hash || strcmp((*link)->key, key) != 0))
		link = &(*link)->next;
	return link;
}

static void unlink_entry(struct cache *c, struct entry **link)
{
	struct entry *e = *link;

	if (!e)
		return;
	*link = e->next;
	c->stats.entries--;
	c->stats.size_bytes -= entry_bytes(e);
	entry_free(e);
}

static void sweep(struct cache *c, uint64_t now_ns)
{
	if (now_ns < c->next_sweep_ns)
		return;
	c->next_sweep_ns = now_ns + SWEEP_NS;

	for (size_t i = 0; i < c->n_buckets; i++) {
		struct entry **link = &c->buckets[i];

		while (*link) {
			if (expired(*link, now_ns))
				unlink_entry(c, link);
			else
				link = &(*link)->next;
		}
	}
}

/* When there is no memory for more buckets the chains just get longer. */
static void grow(struct cache *c)
{
	size_t n = c->n_buckets * 2;
	struct entry **buckets;

	if (c->stats.entries < c->n_buckets)
		return;
	buckets = calloc(n, sizeof(*buckets));
	if (!buckets)
		return;

	for (size_t i = 0; i < c->n_buckets; i++) {
		struct entry *e = c->buckets[i];

		while (e) {
			struct entry *next = e->next;

			e->next = buckets[e->hash & (n - 1)];
			buckets[e->hash & (n - 1)] = e;
			e = next;
		}
	}
	free(c->buckets);
	c->buckets = buckets;
	c->n_buckets = n;
}

struct cache *cache_new(void)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->n_buckets = FIRST_BUCKETS;
	c->buckets = calloc(c->n_buckets, sizeof(*c->buckets));
	if (!c->buckets) {
		free(c);
		return NULL;
	}
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

char *cache_get(struct cache *c, const char *key, size_t *ret_len)
{
	uint64_t hash = hash_key(key), now_ns = clock_now_ns();
	struct entry *e;
	char *copy = NULL;

	pthread_mutex_lock(&c->lock);
	e = *find(c, key, hash);
	if (e && !expired(e, now_ns))
		copy = malloc(e->value_len + 1);
	if (copy) {
		memcpy(copy, e->value, e->value_len + 1);
		*ret_len = e->value_len;
		e->last_use_ns = now_ns;
		c->stats.hits++;
	} else {
		c->stats.misses++;
	}
	pthread_mutex_unlock(&c->lock);
	return copy;
}

void cache_put(struct cache *c, const char *key, const char *value, size_t len)
{
	struct entry *e = entry_new(key, value, len);
	struct entry **link;

	if (!e)
		return;

	pthread_mutex_lock(&c->lock);
	sweep(c, e->last_use_ns);
	unlink_entry(c, find(c, key, e->hash));
	grow(c);
	link = &c->buckets[e->hash & (c->n_buckets - 1)];
	e->next = *link;
	*link = e;
	c->stats.entries++;
	c->stats.size_bytes += entry_bytes(e);
	pthread_mutex_unlock(&c->lock);
}

void cache_stats_get(struct cache *c, struct cache_stats *ret)
{
	pthread_mutex_lock(&c->lock);
	*ret = c->stats;
	pthread_mutex_unlock(&c->lock);
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_buckets; i++) {
		while (c->buckets[i])
			unlink_entry(c, &c->buckets[i]);
	}
	free(c->buckets);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
