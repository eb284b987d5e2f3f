/*
 * map.h - a hash map from text to pointers. Keys are copied; values are borrowed. Iteration is in
 * the order of insertion, so that output made from a map does not depend on the hash.
 */
#ifndef ASSAY_BASE_MAP_H
#define ASSAY_BASE_MAP_H

#include "base/str.h"

struct map_entry {
	char *key;
	size_t key_len;
	uint64_t hash;
	void *value;
};

struct map {
	struct map_entry *entries; /* in order of insertion */
	size_t len, cap;
	uint32_t *slots; /* index + 1 into entries; 0 = free */
	size_t slot_count;
};

#define MAP_INIT                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}

void map_release(struct map *m); /* the values are the caller's to free first */

/* NULL when absent. */
void *map_get(const struct map *m, struct str key);
void *map_get_c(const struct map *m, const char *key);

/* Adds or replaces; returns the value that was there before, or NULL. */
void *map_put(struct map *m, struct str key, void *value);

#define map_for_each(m, e)                                                                         \
	for (struct map_entry *e = (m)->entries; e && e < (m)->entries + (m)->len; e++)

#endif
