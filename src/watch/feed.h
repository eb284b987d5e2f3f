/*
 * feed.h - a sink whose points become values: what was made for run files, such as the host's
 * sampler, serves a live watch too. Counters become what was added since the point before, gauges
 * stay; the provider is the series' name up to its first dot. Losses become notes. Distributions,
 * spans, exemplars and facts are passed over.
 */
#ifndef ASSAY_WATCH_FEED_H
#define ASSAY_WATCH_FEED_H

#include "model/sink.h"
#include "watch/value.h"

struct watch_feed;

/* out is borrowed. */
struct watch_feed *watch_feed_new(enum watch_origin origin, struct watch_out *out);
struct watch_feed *watch_feed_free(struct watch_feed *f); /* NULL in, NULL out */
DEFINE_CLEANUP(watch_feed, struct watch_feed *, watch_feed_free)

/* Lives as long as f. Its calls return what out returned. */
struct sink *watch_feed_sink(struct watch_feed *f);

/* While quiet, points are only what later ones are counted from. */
void watch_feed_set_quiet(struct watch_feed *f, bool quiet);

#endif
