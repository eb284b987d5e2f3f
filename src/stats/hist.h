/*
 * hist.h - the values of one metric. Up to HIST_EXACT_MAX values are kept as they are, so that
 * small runs have exact percentiles; beyond that they move into buckets of a fixed number and the
 * memory no longer grows. Buckets are log-linear: HIST_SUB steps per power of two, so a percentile
 * read from them is within HIST_REL_ERROR of the true one. Count, sum, minimum and maximum stay
 * exact.
 *
 * Any finite double is taken, zero and negative ones too; magnitudes below 2^-30 count as zero and
 * above 2^50 as 2^50 (in ms: from a picosecond to 35,000 years). Two histograms merge without loss
 * beyond the bucket width. One thread at a time.
 */
#ifndef ASSAY_STATS_HIST_H
#define ASSAY_STATS_HIST_H

#include "base/error.h"
#include "base/strbuf.h"

#define HIST_EXACT_MAX 10000
#define HIST_SUB       256
#define HIST_REL_ERROR (1.0 / (2 * HIST_SUB)) /* half a bucket: 0.2 % */

struct hist;

struct hist *hist_new(void);
struct hist *hist_free(struct hist *h); /* NULL in, NULL out */
void hist_clear(struct hist *h);
DEFINE_CLEANUP(hist, struct hist *, hist_free)

void hist_add(struct hist *h, double v);

/* Adds all of src to dst. */
void hist_merge(struct hist *dst, const struct hist *src);

uint64_t hist_count(const struct hist *h);
double hist_sum(const struct hist *h);
double hist_min(const struct hist *h); /* 0 when empty, as all below */
double hist_max(const struct hist *h);
double hist_mean(const struct hist *h);

/*
 * The q-quantile, 0 <= q <= 1, by linear interpolation at rank q * (n - 1) (type 7 of Hyndman and
 * Fan, as k6 does). Never outside [min, max].
 */
double hist_quantile(struct hist *h, double q);

/* Share of values above limit, 0..1; interpolates inside a bucket. */
double hist_share_above(struct hist *h, double limit);

/* True while every value is kept exactly. */
bool hist_is_exact(const struct hist *h);

/*
 * Calls fn for each run of equal buckets in rising order: low and high edge and the count; an exact
 * histogram reports each value as a bucket of no width.
 */
typedef void hist_bucket_fn(void *arg, double low, double high, uint64_t count);
void hist_for_each(struct hist *h, hist_bucket_fn *fn, void *arg);

/*
 * The stored form (docs/formats/run-file.md): a version byte, the moments, then either the exact
 * values or (bucket, count) pairs as varints. hist_read() accepts only what hist_write() can have
 * written and says at which offset it is not.
 */
void hist_write(struct hist *h, struct strbuf *out);
int hist_read(struct str blob, struct hist **ret, struct error *reterr);

#endif
