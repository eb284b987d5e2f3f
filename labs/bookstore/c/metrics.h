/*
 * metrics - the service's own figures as Prometheus text (format 0.0.4). The latency histogram
 * starts when a worker has read the request: what waits in the kernel before that is not in it, as
 * in most servers, which is one of the things the lab shows.
 */
#ifndef BOOKSTORE_METRICS_H
#define BOOKSTORE_METRICS_H

#include "cache.h"

enum route { ROUTE_CHECKOUT, ROUTE_CHECKOUT_V2, ROUTE_OTHER, N_ROUTES };

/* Counts one answered request. Any thread. */
void metrics_observe(enum route route, int status, double seconds);

/* The whole text; malloc'ed. */
char *metrics_text(const struct cache_stats *cache);

#endif
