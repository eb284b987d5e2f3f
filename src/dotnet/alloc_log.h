/*
 * alloc_log.h - what a trace says of allocations: by the runtime's sampled events (303, from .NET
 * 10 on), which give unbiased estimates, else by its ticks (10), one about every 100 KB.
 *
 * Each allocated byte is sampled with probability 1 / ALLOC_PER_SAMPLE, so an object of s bytes
 * with 1 - (1 - that)^s; a sampled object stands for one over it. The formulas: dotnet/runtime,
 * docs/design/features/RandomizedAllocationSampling.md. A tick stands for all bytes since the one
 * before it on that heap, and names only the type that crossed the line.
 */
#ifndef ASSAY_DOTNET_ALLOC_LOG_H
#define ASSAY_DOTNET_ALLOC_LOG_H

#include "dotnet/clr.h"
#include "dotnet/labelled.h"

#define ALLOC_PER_SAMPLE 102400.0
#define ALLOC_TYPE	 "Type " /* before a type's name, as an innermost frame */

struct alloc_log {
	struct labelled sampled, ticks;
	VEC(double) objects; /* that each of sampled stands for */
	uint64_t ticks_without_type;
};

/* What allocations were, named. */
struct alloc_result {
	bool sampled;		/* estimates are unbiased; else ticks */
	struct profile profile; /* weight: bytes; the innermost frame is ALLOC_TYPE and the type */
	VEC(double) objects;	/* parallel to the profile's samples; of ticks: none */
	size_t events, without_stack;
};

void alloc_log_take(struct alloc_log *l, struct stacks *s, const struct nettrace_event *e);
void alloc_log_finish(struct alloc_log *l, const struct stacks *s, struct alloc_result *ret);
void alloc_log_release(struct alloc_log *l);
void alloc_result_release(struct alloc_result *r);

/* How many objects of so many bytes one sampled object stands for. */
double alloc_weight(double object_size);

/* 95 % of the truth behind an estimate of bytes lies within: of so many samples in sum. */
void alloc_range(double bytes, double samples, double *ret_low, double *ret_high);

#endif
