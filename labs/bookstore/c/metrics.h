/*
 * metrics - request durations and process figures in the Prometheus text format, version 0.0.4.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * Names and labels are those of OpenTelemetry's semantic conventions for HTTP, as Prometheus spells
 * them. All functions may be called from any thread but metrics_free().
 */
#ifndef BOOKSTORE_METRICS_H
#define BOOKSTORE_METRICS_H

#include <stdint.h>
#include <stdio.h>

#include "cache.h"

struct metrics;

/* NULL: out of memory. */
struct metrics *metrics_new(void);

/* Counts one request. route and method are not copied and must outlive m; route "": unmatched. */
void metrics_observe(struct metrics *m, const char *route, const char *method, unsigned status,
		     uint64_t duration_ns);

/* Writes everything: durations, the process, the cache. */
void metrics_write(struct metrics *m, const struct cache_stats *cache, FILE *f);

void metrics_free(struct metrics *m);

#endif
