/*
 * observer.h - watches a target while it is loaded: a thread that samples the process and its
 * control group ten times a second into the run's sink, and another that asks the target's own
 * counters once a second, where it has any. Before and after the load it reads what the target says
 * of itself: its latency histogram and its cache.
 */
#ifndef ASSAY_EXPERIMENT_OBSERVER_H
#define ASSAY_EXPERIMENT_OBSERVER_H

#include "experiment/case_file.h"
#include "model/sink.h"
#include "net/fetch.h"
#include "scrape/prom.h"
#include "target/target.h"

#define OBSERVER_PERIOD_NS (100 * NS_PER_MS)

struct observer;

/* All is borrowed until observer_stop(). url: where the target answers. */
int observer_start(struct target *t, const struct case_target *wanted, const char *url,
		   struct sink *sink, struct observer **ret, struct error *reterr);

/* The warm-up is over. */
void observer_load_begins(struct observer *o);

/*
 * Joins the threads. Returns the p99 in ms as the target's runtime tells it, NAN when it does not.
 * NULL in, nothing done.
 */
double observer_stop(struct observer *o);

/* What the target's own histogram holds now; empty (and a loss in the sink) when it cannot be read.
 */
void observer_scrape(const struct case_target *t, const char *url, struct net_fetch *fetch,
		     struct sink *sink, struct prom_histogram *ret);

/* Writes the cache's figures as facts of the run. */
void observer_cache(const struct case_target *t, const char *url, struct net_fetch *fetch,
		    struct sink *sink);

#endif
