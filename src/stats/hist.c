/*
 * A bucket is the top of a double's bits: the exponent and the first eight mantissa bits. That
 * makes log-linear buckets without a logarithm, HdrHistogram's idea on floating-point values (a
 * Trend of a script may hold anything, not only integers of a known unit). Counts of one power of
 * two form a row, and rows are allocated when first touched: a latency histogram has some ten rows
 * of 2 KB.
 *
 * A t-digest was rejected: smaller, but its error has no bound that could be stated.
 */
#include "stats/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "stats/quantile.h"

#define EXP_MIN (-30) /* smaller magnitudes are zero */
#define EXP_MAX 50
#define ROWS	(EXP_MAX - EXP_MIN)

#define SIDE_BUCKETS (ROWS * HIST_SUB)
#define ZERO_BUCKET  SIDE_BUCKETS /* negative ones mirrored below, positive ones above */
#define ALL_BUCKETS  (2 * SIDE_BUCKETS + 1)

struct side {
	uint64_t *rows[ROWS]; /* each HIST_SUB counts, or NULL */
};

struct buckets {
	struct side negative, positive;
	uint64_t zero;
};

struct hist {
	uint64_t count;
	double sum, min, max;
	VEC(double) exact;
	bool sorted;
	struct buckets *buckets; /* NULL while exact */
};

struct hist *hist_new(void)
{
	return xcalloc(1, sizeof(struct hist));
}

static void free_buckets(struct buckets *b)
{
	if (!b)
		return;
	for (int i = 0; i < ROWS; i++) {
		free(b->negative.rows[i]);
		free(b->positive.rows[i]);
	}
	free(b);
}

struct hist *hist_free(struct hist *h)
{
	if (!h)
		return NULL;
	vec_release(&h->exact);
	free_buckets(h->buckets);
	free(h);
	return NULL;
}

void hist_clear(struct hist *h)
{
	free_buckets(h->buckets);
	vec_clear(&h->exact);
	h->buckets = NULL;
	h->count = 0;
	h->sum = h->min = h->max = 0;
	h->sorted = false;
}

/* Position of |v| on its side, or -1 for what counts as zero. */
static int side_index(double magnitude)
{
	int exponent;
	double mantissa = frexp(magnitude, &exponent); /* 0.5 <= mantissa < 1 */

	if (magnitude == 0 || exponent <= EXP_MIN)
		return -1;
	if (exponent > EXP_MAX)
		return SIDE_BUCKETS - 1;
	return (exponent - 1 - EXP_MIN) * HIST_SUB + (int)((mantissa - 0.5) * (2 * HIST_SUB));
}

/* Buckets are numbered in rising order of value over both sides. */
static unsigned bucket_of(double v)
{
	int i = side_index(fabs(v));

	if (i < 0)
		return ZERO_BUCKET;
	return (unsigned)(v < 0 ? ZERO_BUCKET - 1 - i : ZERO_BUCKET + 1 + i);
}

static double side_edge(int i)
{
	return ldexp(1 + (double)(i % HIST_SUB) / HIST_SUB, i / HIST_SUB + EXP_MIN);
}

static void bucket_edges(unsigned bucket, double *ret_low, double *ret_high)
{
	int i = (int)bucket - ZERO_BUCKET;

	if (i == 0) {
		*ret_low = *ret_high = 0;
	} else if (i > 0) {
		*ret_low = side_edge(i - 1);
		*ret_high = side_edge(i);
	} else {
		*ret_low = -side_edge(-i);
		*ret_high = -side_edge(-i - 1);
	}
}

static uint64_t *bucket_count(struct buckets *b, unsigned bucket, bool create)
{
	int i = (int)bucket - ZERO_BUCKET;
	struct side *side = i > 0 ? &b->positive : &b->negative;
	uint64_t **row;

	if (i == 0)
		return &b->zero;
	i = abs(i) - 1;
	row = &side->rows[i / HIST_SUB];
	if (!*row && !create)
		return NULL;
	if (!*row)
		*row = xcalloc(HIST_SUB, sizeof(**row));
	return &(*row)[i % HIST_SUB];
}

static void to_buckets(struct hist *h)
{
	h->buckets = xcalloc(1, sizeof(*h->buckets));
	vec_for_each (&h->exact, v)
		++*bucket_count(h->buckets, bucket_of(*v), true);
	vec_release(&h->exact);
}

static void add_moments(struct hist *h, uint64_t n, double sum, double min, double max)
{
	h->min = h->count ? fmin(h->min, min) : min;
	h->max = h->count ? fmax(h->max, max) : max;
	h->count += n;
	h->sum += sum;
}

void hist_add(struct hist *h, double v)
{
	if (!isfinite(v))
		return;
	add_moments(h, 1, v, v, v);
	if (!h->buckets && h->exact.len == HIST_EXACT_MAX)
		to_buckets(h);
	if (h->buckets) {
		++*bucket_count(h->buckets, bucket_of(v), true);
		return;
	}
	h->sorted = false;
	vec_push(&h->exact, v);
}

void hist_merge(struct hist *dst, const struct hist *src)
{
	if (!src->count)
		return;
	if (!dst->buckets && (src->buckets || dst->exact.len + src->exact.len > HIST_EXACT_MAX))
		to_buckets(dst);
	add_moments(dst, src->count, src->sum, src->min, src->max);
	dst->sorted = false;
	vec_for_each (&src->exact, v) {
		if (dst->buckets)
			++*bucket_count(dst->buckets, bucket_of(*v), true);
		else
			vec_push(&dst->exact, *v);
	}
	for (unsigned i = 0; src->buckets && i < ALL_BUCKETS; i++) {
		const uint64_t *n = bucket_count(src->buckets, i, false);

		if (n && *n)
			*bucket_count(dst->buckets, i, true) += *n;
	}
}

uint64_t hist_count(const struct hist *h)
{
	return h->count;
}

double hist_sum(const struct hist *h)
{
	return h->sum;
}

double hist_min(const struct hist *h)
{
	return h->min;
}

double hist_max(const struct hist *h)
{
	return h->max;
}

double hist_mean(const struct hist *h)
{
	return h->count ? h->sum / (double)h->count : 0;
}

bool hist_is_exact(const struct hist *h)
{
	return !h->buckets;
}

static void sort_exact(struct hist *h)
{
	if (!h->sorted)
		quantile_sort(h->exact.ptr, h->exact.len);
	h->sorted = true;
}

/* The value at a whole rank, as if a bucket's values were spread evenly over its width. */
static double value_at_rank(struct hist *h, uint64_t rank)
{
	uint64_t below = 0;

	for (unsigned i = 0; i < ALL_BUCKETS; i++) {
		const uint64_t *n = bucket_count(h->buckets, i, false);
		double low, high;

		if (!n || rank >= below + *n) {
			below += n ? *n : 0;
			continue;
		}
		bucket_edges(i, &low, &high);
		return low + (high - low) * ((double)(rank - below) + 0.5) / (double)*n;
	}
	return h->max;
}

double hist_quantile(struct hist *h, double q)
{
	double rank, v;

	if (!h->count)
		return 0;
	if (q <= 0 || q >= 1)
		return q <= 0 ? h->min : h->max;
	if (!h->buckets) {
		sort_exact(h);
		return quantile_sorted(h->exact.ptr, h->exact.len, q);
	}
	rank = q * (double)(h->count - 1);
	v = value_at_rank(h, (uint64_t)rank);
	v += (value_at_rank(h, (uint64_t)ceil(rank)) - v) * (rank - floor(rank));
	return fmin(fmax(v, h->min), h->max);
}

void hist_for_each(struct hist *h, hist_bucket_fn *fn, void *arg)
{
	if (!h->buckets) {
		sort_exact(h);
		vec_for_each (&h->exact, v)
			fn(arg, *v, *v, 1);
		return;
	}
	for (unsigned i = 0; i < ALL_BUCKETS; i++) {
		const uint64_t *n = bucket_count(h->buckets, i, false);
		double low, high;

		if (!n || !*n)
			continue;
		bucket_edges(i, &low, &high);
		fn(arg, low, high, *n);
	}
}

struct above {
	double limit, count;
};

static void count_above(void *arg, double low, double high, uint64_t count)
{
	struct above *a = arg;

	if (low > a->limit)
		a->count += (double)count;
	else if (high > a->limit)
		a->count += (double)count * (high - a->limit) / (high - low);
}

double hist_share_above(struct hist *h, double limit)
{
	struct above a = { .limit = limit };

	if (!h->count || limit >= h->max)
		return 0;
	hist_for_each(h, count_above, &a);
	return a.count / (double)h->count;
}

/* ---- the stored form ---- */

#define BLOB_VERSION 1

enum { BLOB_EXACT, BLOB_BUCKETS };

static void add_varint(struct strbuf *out, uint64_t v)
{
	while (v >= 0x80) {
		strbuf_addch(out, (char)(v | 0x80));
		v >>= 7;
	}
	strbuf_addch(out, (char)v);
}

static void write_buckets(struct hist *h, struct strbuf *out)
{
	unsigned last = 0;

	for (unsigned i = 0; i < ALL_BUCKETS; i++) {
		const uint64_t *n = bucket_count(h->buckets, i, false);

		if (!n || !*n)
			continue;
		add_varint(out, i - last);
		add_varint(out, *n);
		last = i;
	}
}

void hist_write(struct hist *h, struct strbuf *out)
{
	double moments[] = { h->sum, h->min, h->max };

	strbuf_addch(out, BLOB_VERSION);
	strbuf_addch(out, h->buckets ? BLOB_BUCKETS : BLOB_EXACT);
	add_varint(out, h->count);
	strbuf_add(out, moments, sizeof(moments));
	if (h->buckets) {
		write_buckets(h, out);
	} else {
		sort_exact(h);
		strbuf_add(out, h->exact.ptr, h->exact.len * sizeof(double));
	}
}

static int read_varint(struct str blob, size_t *at, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && *at < blob.len; shift += 7) {
		uint8_t byte = (uint8_t)blob.ptr[(*at)++];

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = v;
			return 0;
		}
	}
	return -EBADMSG;
}

static int read_exact(struct hist *h, struct str blob, size_t at)
{
	if (h->count > HIST_EXACT_MAX || blob.len - at != h->count * sizeof(double))
		return -EBADMSG;
	for (uint64_t i = 0; i < h->count; i++) {
		double v;

		memcpy(&v, blob.ptr + at + i * sizeof(v), sizeof(v));
		if (!isfinite(v))
			return -EBADMSG;
		vec_push(&h->exact, v);
	}
	return 0;
}

static int read_buckets(struct hist *h, struct str blob, size_t *at)
{
	uint64_t total = 0, bucket = 0;

	h->buckets = xcalloc(1, sizeof(*h->buckets));
	while (*at < blob.len) {
		uint64_t step, n;

		if (read_varint(blob, at, &step) < 0 || read_varint(blob, at, &n) < 0 ||
		    step >= ALL_BUCKETS || bucket + step >= ALL_BUCKETS || n > h->count - total)
			return -EBADMSG;
		bucket += step;
		total += n;
		*bucket_count(h->buckets, (unsigned)bucket, true) += n;
	}
	return total == h->count ? 0 : -EBADMSG;
}

static int read_blob(struct hist *h, struct str blob, size_t *at)
{
	double moments[3];

	if (blob.len < 3 || blob.ptr[0] != BLOB_VERSION)
		return -EBADMSG;
	*at = 2;
	if (read_varint(blob, at, &h->count) < 0 || blob.len - *at < sizeof(moments))
		return -EBADMSG;
	memcpy(moments, blob.ptr + *at, sizeof(moments));
	*at += sizeof(moments);
	h->sum = moments[0];
	h->min = moments[1];
	h->max = moments[2];
	if (!isfinite(h->sum) || !isfinite(h->min) || !isfinite(h->max) || h->min > h->max)
		return -EBADMSG;
	if (blob.ptr[1] == BLOB_EXACT)
		return read_exact(h, blob, *at);
	return blob.ptr[1] == BLOB_BUCKETS ? read_buckets(h, blob, at) : -EBADMSG;
}

int hist_read(struct str blob, struct hist **ret, struct error *reterr)
{
	CLEANUP(cleanup_hist) struct hist *h = hist_new();
	size_t at = 0;
	int r = read_blob(h, blob, &at);

	if (r < 0)
		return error_set(reterr, r, "not a stored histogram at byte %zu of %zu", at,
				 blob.len);
	*ret = TAKE(h);
	return 0;
}
