/*
 * figures.h - what happened between two readings of a /metrics page, as values: counters as what
 * was added, gauges as they are, classic histograms as the quantiles 0.5, 0.95 and 0.99 of what
 * came within the interval, one set for each set of labels, with their _count and _sum as rates. A
 * summary's own quantiles, which look back as long as the target pleases, stay gauges. Types come
 * from # TYPE lines; without one, *_bucket with an le is a histogram and *_total a counter.
 *
 * A series that is new began at zero, for the reading before was whole. One that went back began
 * anew, as it does when the target restarts.
 */
#ifndef ASSAY_SCRAPE_FIGURES_H
#define ASSAY_SCRAPE_FIGURES_H

#include "base/str.h"
#include "watch/value.h"

struct scrape_figures;

/* Series and histograms above max_series are left out, and that is noted. */
struct scrape_figures *scrape_figures_new(size_t max_series);
struct scrape_figures *scrape_figures_free(struct scrape_figures *f); /* NULL in, NULL out */
DEFINE_CLEANUP(scrape_figures, struct scrape_figures *, scrape_figures_free)

/*
 * Takes a page that was read at t_ns and hands on what came since the one before; of the first,
 * nothing. -EBADMSG: the text is no such page, and changes nothing. Other codes are out's.
 */
int scrape_figures_take(struct scrape_figures *f, struct str text, uint64_t t_ns,
			struct watch_out *out, struct error *reterr);

#endif
