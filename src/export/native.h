/*
 * native.h - a Prometheus native histogram of schema 3: buckets grow by 2^(1/8), so that a value
 * read back is within 4.5 % of the true one. Only the range that was met takes memory.
 */
#ifndef ASSAY_EXPORT_NATIVE_H
#define ASSAY_EXPORT_NATIVE_H

#include "base/strbuf.h"
#include "base/vec.h"

struct export_native {
	uint64_t count, zero; /* of all; of those too small for a bucket */
	double sum;
	int first; /* index of counts.ptr[0]; bucket i ends at 2^(i/8) */
	VEC(uint64_t) counts;
};

void export_native_release(struct export_native *h);

/* -EDOM for a negative value, which is not added. */
int export_native_add(struct export_native *h, double v);

/* Appends prometheus.Histogram's fields. */
void export_native_proto(const struct export_native *h, int64_t t_ms, struct strbuf *out);

#endif
