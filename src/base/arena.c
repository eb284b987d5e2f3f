#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#define BLOCK_BYTES_MIN ((size_t)4096)
#define BLOCK_BYTES_MAX ((size_t)64 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t bytes;
	alignas(max_align_t) char data[];
};

/* A kept block if the first one is large enough, else a new one. Blocks grow with what there is
 * already, so that small arenas stay small. */
static struct arena_block *get_block(struct arena *a, size_t need)
{
	size_t bytes = MAX(a->bytes, BLOCK_BYTES_MIN);
	size_t left = a->limit_bytes ? a->limit_bytes - a->bytes : SIZE_MAX;
	struct arena_block *b = a->spare;

	bytes = MIN(bytes, BLOCK_BYTES_MAX);
	bytes = MIN(bytes, left);
	bytes = MAX(bytes, need);
	if (b && b->bytes >= need && b->bytes <= left) {
		a->spare = b->next;
		return b;
	}
	b = malloc(sizeof(*b) + bytes);
	if (b)
		b->bytes = bytes;
	return b;
}

static bool add_block(struct arena *a, size_t need)
{
	struct arena_block *b;

	if (need > SIZE_MAX / 2 || (a->limit_bytes && a->bytes + need > a->limit_bytes))
		return false;
	b = get_block(a, need);
	if (!b)
		return false;
	b->next = a->blocks;
	a->blocks = b;
	a->bytes += b->bytes;
	a->at = b->data;
	a->end = b->data + b->bytes;
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

void *arena_zalloc(struct arena *a, size_t bytes)
{
	void *p = arena_alloc(a, bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.len + 1);

	if (!p)
		return (struct str){ NULL, 0 };
	if (s.len)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return (struct str){ p, s.len };
}

static void free_blocks(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
}

/* Blocks of unusual size are not worth keeping. */
void arena_reset(struct arena *a, size_t keep_bytes)
{
	struct arena_block *b = a->spare;
	size_t kept = 0;

	for (; b; b = b->next)
		kept += b->bytes;
	while ((b = a->blocks)) {
		a->blocks = b->next;
		if (b->bytes == BLOCK_BYTES_MAX && kept + b->bytes <= keep_bytes) {
			b->next = a->spare;
			a->spare = b;
			kept += b->bytes;
		} else {
			free(b);
		}
	}
	a->at = a->end = NULL;
	a->bytes = 0;
}

void arena_release(struct arena *a)
{
	free_blocks(a->blocks);
	free_blocks(a->spare);
	a->blocks = a->spare = NULL;
	a->at = a->end = NULL;
	a->bytes = 0;
}
