#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#define BLOCK_BYTES_MIN ((size_t)4096)
#define BLOCK_BYTES_MAX ((size_t)256 * 1024)

struct arena_block {
	struct arena_block *next;
	alignas(max_align_t) char data[];
};

/* Blocks grow with what there is already, so that small arenas stay small. */
static bool add_block(struct arena *a, size_t need)
{
	size_t bytes = MIN(MAX(a->bytes, BLOCK_BYTES_MIN), BLOCK_BYTES_MAX);
	struct arena_block *b;

	bytes = MAX(bytes, need);
	if (a->limit_bytes && bytes > a->limit_bytes - MIN(a->bytes, a->limit_bytes))
		return false;
	b = calloc(1, sizeof(*b) + bytes);
	if (!b)
		return false;
	b->next = a->blocks;
	a->blocks = b;
	a->bytes += bytes;
	a->at = b->data;
	a->end = b->data + bytes;
	return true;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	size_t aligned = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	char *p;

	if (aligned < bytes)
		return NULL;
	if (aligned > (size_t)(a->end - a->at) && !add_block(a, aligned))
		return NULL;
	p = a->at;
	a->at += aligned;
	return p;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.len + 1);

	if (p && s.len)
		memcpy(p, s.ptr, s.len);
	return (struct str){ p, p ? s.len : 0 };
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->at = a->end = NULL;
	a->bytes = 0;
}
