/*
 * schedule.h - when things are due, as plain arithmetic on the profile of a scenario: the start of
 * the i-th iteration of an open model (constant or ramping rate), and the number of VUs of a closed
 * one at a time. All times are ns from the scenario's start. Nothing here knows of threads; with
 * several, worker w of n takes the arrivals w, w + n, w + 2n, … of the one global schedule. Numbers
 * of VUs and of shared iterations are those of the scenario's segment; arrivals are the whole's.
 *
 * As k6: a constant rate has arrivals at 0, 1/r, 2/r, …; a ramping one has its i-th arrival (i from
 * 0) where the area under the line of the rate reaches i + 1. Each arrival is computed from its
 * number, never from the one before, so that no error adds up; 3 per second is not 333,333,333 ns
 * times i but i * 10^9 / 3.
 */
#ifndef ASSAY_LOAD_SCHEDULE_H
#define ASSAY_LOAD_SCHEDULE_H

#include "load/plan.h"

/* No such arrival. */
#define LOAD_SCHEDULE_END UINT64_MAX

struct load_schedule;

/* For the two arrival-rate executors; BUG() for others. The scenario is not kept. */
struct load_schedule *load_schedule_new(const struct load_scenario *s);
void load_schedule_free(struct load_schedule *sc);
DEFINE_CLEANUP(load_schedule, struct load_schedule *, load_schedule_free)

/* Number of arrivals in all. */
uint64_t load_schedule_count(const struct load_schedule *sc);

/* Offset of arrival i, or LOAD_SCHEDULE_END. Rises with i. Any thread. */
uint64_t load_schedule_at(const struct load_schedule *sc, uint64_t i);

/* The rate at a time, in arrivals per second. */
double load_schedule_rate(const struct load_schedule *sc, uint64_t t_ns);

/* How many of total (VUs, iterations) belong to worker w of n: total / n and the first total % n
 * workers one more. And the first of them, when they are numbered through by worker. */
uint64_t load_schedule_share(uint64_t total, unsigned w, unsigned n);
uint64_t load_schedule_share_start(uint64_t total, unsigned w, unsigned n);

/* When a scenario plans to end, without graceful stop: the sum of its stages, its duration, or its
 * maximum duration. */
uint64_t load_schedule_length_ns(const struct load_scenario *s);

/* VUs a ramping-vus (or constant-vus) scenario wants at a time; 0 from its end on. */
uint32_t load_schedule_vus_at(const struct load_scenario *s, uint64_t t_ns);

/* A time after t_ns before which load_schedule_vus_at() does not change, the next change at the
 * latest; LOAD_SCHEDULE_END past the end. */
uint64_t load_schedule_vus_next(const struct load_scenario *s, uint64_t t_ns);

/* VUs from the start (preAllocatedVUs for the arrival rates), and iterations that all VUs share. */
uint32_t load_schedule_vus_first(const struct load_scenario *s);
uint64_t load_schedule_iterations(const struct load_scenario *s);

/* The most VUs the scenario can have at once (maxVUs for the arrival rates). */
uint32_t load_schedule_vus_max(const struct load_scenario *s);

#endif
