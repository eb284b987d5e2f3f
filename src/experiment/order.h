/*
 * order.h - in which order variants are measured: A…E, E…A, A…E, …. Every variant has the same mean
 * place in the sequence (for an even number of runs exactly), so that a machine that slows down
 * over the minutes favours none.
 */
#ifndef ASSAY_EXPERIMENT_ORDER_H
#define ASSAY_EXPERIMENT_ORDER_H

#include "base/util.h"

/* Variant (0-based) of the i-th run (0-based) of variants * runs in all. */
static inline size_t order_variant(size_t variants, size_t i)
{
	size_t round = i / variants, place = i % variants;

	return round % 2 ? variants - 1 - place : place;
}

/* Which run of its variant that is (0-based). */
static inline size_t order_round(size_t variants, size_t i)
{
	return i / variants;
}

#endif
