/*
 * prom.h - Prometheus text (exposition format 0.0.4): samples one by one, and a histogram put
 * together from them. Quantiles are computed as Prometheus' histogram_quantile() does: linear
 * within the bucket, the first bucket from 0, and the highest finite bound when the rank lies
 * beyond it.
 */
#ifndef ASSAY_SCRAPE_PROM_H
#define ASSAY_SCRAPE_PROM_H

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

#define PROM_TEXT_MAX (16 * 1024 * 1024)

struct prom_sample {
	struct str name;
	struct str labels; /* between the braces, as written; "" when none */
	double value;
};

/* Calls fn for each sample; a non-zero result of fn ends the walk and is returned. A line that is
 * not as the format says is an error with its number; text before it has been handed over. */
typedef int prom_sample_fn(void *arg, const struct prom_sample *s);
int prom_parse(struct str text, prom_sample_fn *fn, void *arg, struct error *reterr);

/* A number as the format writes it, "+Inf" and "NaN" too: 0 or -EINVAL. */
int prom_value(struct str s, double *ret);

/* Value of a label: unescaped text is not made, so values with escapes do not match. */
bool prom_label(struct str labels, const char *name, struct str *ret);

struct prom_bucket {
	double le;    /* upper bound; INFINITY for the last */
	double count; /* cumulative */
};

struct prom_histogram {
	VEC(struct prom_bucket) buckets; /* in rising order */
};

#define PROM_HISTOGRAM_INIT                                                                        \
	{                                                                                          \
		VEC_INIT                                                                           \
	}

void prom_histogram_release(struct prom_histogram *h);

/* Puts buckets in rising order. */
void prom_histogram_sort(struct prom_histogram *h);

/*
 * Adds up NAME_bucket over all label sets but those in which some label has the value `except` (the
 * route of our own requests; NULL: none). 0, -ENOENT when the text has no such histogram, or a
 * parse error.
 */
int prom_histogram_read(struct str text, const char *name, const char *except,
			struct prom_histogram *ret, struct error *reterr);

/*
 * The q-quantile of what came between two scrapes of the same histogram; before may be empty (since
 * the start). NAN when nothing came or the buckets differ.
 */
double prom_quantile(const struct prom_histogram *before, const struct prom_histogram *after,
		     double q);

#endif
