#include "base/map.h"

#include <stdlib.h>

#include "base/mem.h"

/* FNV-1a: short keys, no hostile ones (keys are names from our own scripts and case files). */
static uint64_t hash_of(struct str key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < key.len; i++)
		h = (h ^ (unsigned char)key.ptr[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* The slot that holds key, or the free slot where it belongs. */
static uint32_t *find_slot(const struct map *m, struct str key, uint64_t hash)
{
	size_t mask = m->slot_count - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		const struct map_entry *e;

		if (!m->slots[i])
			return &m->slots[i];
		e = &m->entries[m->slots[i] - 1];
		if (e->hash == hash && str_eq(key, (struct str){ e->key, e->key_len }))
			return &m->slots[i];
	}
}

static void grow(struct map *m)
{
	m->slot_count = m->slot_count ? m->slot_count * 2 : 16;
	free(m->slots);
	m->slots = xcalloc(m->slot_count, sizeof(*m->slots));
	for (size_t i = 0; i < m->len; i++) {
		struct map_entry *e = &m->entries[i];

		*find_slot(m, (struct str){ e->key, e->key_len }, e->hash) = (uint32_t)i + 1;
	}
}

void map_release(struct map *m)
{
	for (size_t i = 0; i < m->len; i++)
		free(m->entries[i].key);
	free(m->entries);
	free(m->slots);
	*m = (struct map)MAP_INIT;
}

void *map_get(const struct map *m, struct str key)
{
	uint32_t *slot;

	if (!m->len)
		return NULL;
	slot = find_slot(m, key, hash_of(key));
	return *slot ? m->entries[*slot - 1].value : NULL;
}

void *map_get_c(const struct map *m, const char *key)
{
	return map_get(m, str_from(key));
}

void *map_put(struct map *m, struct str key, void *value)
{
	uint64_t hash = hash_of(key);
	uint32_t *slot;

	if ((m->len + 1) * 4 > m->slot_count * 3)
		grow(m);
	slot = find_slot(m, key, hash);
	if (*slot) {
		void *old = m->entries[*slot - 1].value;

		m->entries[*slot - 1].value = value;
		return old;
	}
	if (m->len == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 8;
		m->entries = xrealloc(m->entries, m->cap * sizeof(*m->entries));
	}
	m->entries[m->len++] = (struct map_entry){ str_dup(key), key.len, hash, value };
	*slot = (uint32_t)m->len;
	return NULL;
}
