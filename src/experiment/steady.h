/*
 * steady.h - when is a service warm? Throughput of equal windows, one after another; steady when
 * the last STEADY_WINDOWS lie within STEADY_BAND of their median, and the newest is not the best of
 * a still rising line. A .NET service compiles in tiers: its throughput climbs for tens of seconds.
 */
#ifndef ASSAY_EXPERIMENT_STEADY_H
#define ASSAY_EXPERIMENT_STEADY_H

#include "base/util.h"

#define STEADY_WINDOWS 4
#define STEADY_BAND    0.08

bool steady_reached(const double *throughput, size_t n);

#endif
