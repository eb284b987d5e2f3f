/*
 * interval.h - intervals from few values: Student's t.
 */
#ifndef ASSAY_STATS_INTERVAL_H
#define ASSAY_STATS_INTERVAL_H

#include "base/util.h"

/* The point t with P(|T| < t) = 0.95 for so many degrees of freedom; infinity for none. */
double interval_t95(size_t degrees);

#endif
