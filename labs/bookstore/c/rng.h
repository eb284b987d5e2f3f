/*
 * rng - the one source of "random" data in the lab: splitmix64, integers only, so that every
 * edition in every language makes the same catalogue and the same campaign rules from the same
 * seed.
 *
 * Algorithm: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
 */
#ifndef BOOKSTORE_RNG_H
#define BOOKSTORE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state; /* the seed to begin with */
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

/* 0 .. n-1 by plain remainder: the tiny bias does not matter here, being easy to repeat does. */
static inline int rng_below(struct rng *r, int n)
{
	return (int)(rng_next(r) % (uint64_t)n);
}

#endif
