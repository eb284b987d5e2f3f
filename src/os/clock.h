/*
 * clock.h - the one clock of every figure: CLOCK_MONOTONIC in ns. A fresh reading each time (about
 * 25 ns through the vDSO), never the coarse variant and never a clock that can be set.
 */
#ifndef ASSAY_OS_CLOCK_H
#define ASSAY_OS_CLOCK_H

#include <time.h>

#include "base/util.h"

static inline uint64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

#endif
