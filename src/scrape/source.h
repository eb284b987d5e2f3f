/*
 * source.h - a target's own /metrics page as a source of a live watch (figures.h). A page that does
 * not come is noted when that begins and when it ends; the watch goes on meanwhile, and what was
 * counted in between stands in the next values, with their true interval.
 */
#ifndef ASSAY_SCRAPE_SOURCE_H
#define ASSAY_SCRAPE_SOURCE_H

#include "watch/source.h"

struct scrape_source_opts {
	const char *url; /* without a scheme http; without a path /metrics */
	uint64_t timeout_ns;
	size_t max_series;
};

/* -EINVAL: no URL. The first page is read by start(). The caller hands *ret to the loop. */
int scrape_source_new(const struct scrape_source_opts *opts, struct watch_source **ret,
		      struct error *reterr);

#endif
