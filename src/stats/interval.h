/*
 * interval.h - intervals from few values: Student's t, and the gamma distribution.
 */
#ifndef ASSAY_STATS_INTERVAL_H
#define ASSAY_STATS_INTERVAL_H

#include "base/util.h"

/* The point t with P(|T| < t) = 0.95 for so many degrees of freedom; infinity for none. */
double interval_t95(size_t degrees);

/*
 * The points of a gamma distribution (scale 1) between which 95 % of it lie. With shape n it is the
 * sum of n waiting times: how much goes by until the n-th of events that come at random, one a unit
 * on average, so the two points bound what n sampled events stand for. Zeros for a shape of 0.
 */
void interval_gamma95(double shape, double *ret_low, double *ret_high);

#endif
