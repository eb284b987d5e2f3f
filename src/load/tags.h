/*
 * tags.h - tag sets of samples, interned: within a pool, equal sets are the same pointer, so that
 * adding a sample to its series costs no comparison of text. A pool belongs to one thread, which
 * alone adds to it; the sets themselves never change and other threads may read those they were
 * handed, as long as the pool lives.
 */
#ifndef ASSAY_LOAD_TAGS_H
#define ASSAY_LOAD_TAGS_H

#include "base/strbuf.h"

/* Sets a pool takes before it refuses new ones: each distinct URL without a name makes one. */
#define LOAD_TAGS_MAX 100000

struct load_tag {
	struct str key, value; /* both terminated */
};

struct load_tags {
	uint64_t hash; /* of the content: equal in every pool */
	uint32_t id;   /* 0, 1, … within the pool */
	uint32_t len;
	struct load_tag list[]; /* sorted by key */
};

struct load_tag_pool;

struct load_tag_pool *load_tag_pool_new(void);
void load_tag_pool_free(struct load_tag_pool *p); /* NULL in, nothing done */

/* The empty set; its id is 0. */
const struct load_tags *load_tags_none(struct load_tag_pool *p);

/*
 * tags with key set to value, replacing what it had. When the pool is full the result is tags as it
 * was, and load_tags_refused() counts it.
 */
const struct load_tags *load_tags_with(struct load_tag_pool *p, const struct load_tags *tags,
				       struct str key, struct str value);
const struct load_tags *load_tags_without(struct load_tag_pool *p, const struct load_tags *tags,
					  struct str key);
uint64_t load_tags_refused(const struct load_tag_pool *p);

/* The key with the most values, and how many: what fills the pool. NULL when there are no tags. */
const char *load_tags_widest(const struct load_tag_pool *p, size_t *ret_values);

/* The same set in this pool. */
const struct load_tags *load_tags_import(struct load_tag_pool *p, const struct load_tags *foreign);

/* The value of a key; ptr is NULL when the set has none. */
struct str load_tags_get(const struct load_tags *tags, struct str key);

/* Same content, whatever the pools. */
bool load_tags_equal(const struct load_tags *a, const struct load_tags *b);

/* Appends "k=v,k2=v2". */
void load_tags_fmt(const struct load_tags *tags, struct strbuf *out);

#endif
