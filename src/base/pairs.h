/*
 * pairs.h - a few keys with values that never change once made, shared by counting references, so
 * that many records of several threads can carry the same ones and the last frees them.
 */
#ifndef ASSAY_BASE_PAIRS_H
#define ASSAY_BASE_PAIRS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/str.h"

struct pairs_item {
	struct str key, value; /* both terminated */
};

struct pairs {
	atomic_uint users;
	uint32_t len;
	struct pairs_item list[]; /* sorted by key */
};

/* What NULL stands for in all of these is no pairs at all. */
struct pairs *pairs_hold(struct pairs *p);
void pairs_release(struct pairs *p);

/* New ones, the caller's to release: with key set to value, or without it; p stays as it was. */
struct pairs *pairs_with(const struct pairs *p, struct str key, struct str value);
struct pairs *pairs_without(struct pairs *p, struct str key);

/* The value of a key; ptr is NULL when there is none. */
struct str pairs_get(const struct pairs *p, struct str key);

#endif
