/*
 * arena.h - many small objects that are freed together. Memory is taken in blocks; nothing is given
 * back before arena_reset() or arena_release(), and a limit bounds what a hostile input can make of
 * it.
 */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H

#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks, *spare;
	char *at, *end;	    /* what is left of the newest block */
	size_t bytes;	    /* in blocks, the spare ones not counted */
	size_t limit_bytes; /* 0 = no limit */
};

/* Aligned for any object. NULL when the limit or memory is reached. */
void *arena_alloc(struct arena *a, size_t bytes) __attribute__((malloc));
void *arena_zalloc(struct arena *a, size_t bytes) __attribute__((malloc)); /* zeroed */

/* A terminated copy; ptr is NULL when arena_alloc() has failed. */
struct str arena_str(struct arena *a, struct str s);

/* Empties it, but keeps up to keep_bytes of memory for what comes next. */
void arena_reset(struct arena *a, size_t keep_bytes);

void arena_release(struct arena *a);

#endif
