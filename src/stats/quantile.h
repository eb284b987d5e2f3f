/*
 * quantile.h - order statistics of small samples: quantiles, their rank confidence intervals, the
 * number of values that a percentile needs before it means anything, medians and spreads of runs.
 */
#ifndef ASSAY_STATS_QUANTILE_H
#define ASSAY_STATS_QUANTILE_H

#include "base/util.h"

void quantile_sort(double *values, size_t n);

/* Linear interpolation at rank q * (n - 1) of values in rising order; 0 when n is 0. */
double quantile_sorted(const double *values, size_t n, double q);

/* Median of values in any order (they are left as they are). */
double quantile_median(const double *values, size_t n);

/*
 * The ranks (0-based) whose values enclose the q-quantile with at least the given confidence:
 * distribution-free, from the normal approximation of the binomial (exact enough for n q (1-q) >
 * 5). Returns false when n is too small for an upper bound to exist: P(X_max < quantile) = q^n must
 * be at most (1 - confidence). With confidence 0.95: n >= 59 for p95, 299 for p99, 2,995 for p99.9.
 */
bool quantile_rank_interval(uint64_t n, double q, double confidence, uint64_t *ret_low,
			    uint64_t *ret_high);

/* The smallest n for which the q-quantile lies below the maximum seen with that confidence. */
uint64_t quantile_samples_needed(double q, double confidence);

#endif
