/*
 * observer.h - watches a target while it is loaded: a thread that samples the process and its
 * control group ten times a second into the run's sink. Before and after the load it reads what the
 * target says of itself: its latency histogram and its cache.
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

/* All is borrowed until observer_stop(). */
int observer_start(struct target *t, struct sink *sink, struct observer **ret,
		   struct error *reterr);

/* Joins the thread. NULL in, nothing done. */
void observer_stop(struct observer *o);

/* What the target's own histogram holds now; empty (and a loss in the sink) when it cannot be read.
 */
void observer_scrape(const struct case_target *t, const char *url, struct net_fetch *fetch,
		     struct sink *sink, struct prom_histogram *ret);

/* Writes the cache's figures as facts of the run. */
void observer_cache(const struct case_target *t, const char *url, struct net_fetch *fetch,
		    struct sink *sink);

#endif
