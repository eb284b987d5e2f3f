#include "export/native.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/proto.h"

#define SCHEMA 3
#define SUB    8 /* buckets a power of two: 2^SCHEMA */
/* Smaller values are zeros: 2^-128, as Prometheus' own library has it. */
#define ZERO_THRESHOLD 0x1p-128

void export_native_release(struct export_native *h)
{
	vec_release(&h->counts);
}

/* The bucket (2^((i-1)/8), 2^(i/8)] that holds v. */
static int index_of(double v)
{
	int exponent, sub = 0;
	double fraction = frexp(v, &exponent); /* 0.5 <= fraction < 1 */

	while (sub < SUB && fraction > exp2((double)sub / SUB - 1))
		sub++;
	return (exponent - 1) * SUB + sub;
}

static void put(struct export_native *h, int i)
{
	int before;

	if (!h->counts.len)
		h->first = i;
	before = h->first - i;
	for (int k = 0; k < before; k++)
		vec_push(&h->counts, 0);
	if (before > 0) {
		memmove(h->counts.ptr + before, h->counts.ptr,
			(h->counts.len - (size_t)before) * sizeof(uint64_t));
		memset(h->counts.ptr, 0, (size_t)before * sizeof(uint64_t));
		h->first = i;
	}
	while (h->counts.len <= (size_t)(i - h->first))
		vec_push(&h->counts, 0);
	h->counts.ptr[i - h->first]++;
}

int export_native_add(struct export_native *h, double v)
{
	if (v < 0 || !isfinite(v))
		return -EDOM;
	h->count++;
	h->sum += v;
	if (v <= ZERO_THRESHOLD)
		h->zero++;
	else
		put(h, index_of(v));
	return 0;
}

/* BucketSpan{offset 1 sint32, length 2 uint32}: the first offset is an index, the others gaps. */
static void add_spans(const struct export_native *h, struct strbuf *out)
{
	size_t n = h->counts.len, end = 0;
	int from = 0;

	for (size_t i = 0; i < n; i = end) {
		size_t span;

		for (end = i; end < n && h->counts.ptr[end];)
			end++;
		if (end == i) {
			end++;
			continue;
		}
		span = proto_begin(out, 11);
		proto_sint(out, 1, h->first + (int)i - from);
		proto_uint(out, 2, end - i);
		proto_end(out, span);
		from = h->first + (int)end;
	}
}

void export_native_proto(const struct export_native *h, int64_t t_ms, struct strbuf *out)
{
	int64_t last = 0;
	size_t packed;

	proto_uint(out, 1, h->count);
	proto_double(out, 3, h->sum);
	proto_sint(out, 4, SCHEMA);
	proto_double(out, 5, ZERO_THRESHOLD);
	proto_uint(out, 6, h->zero);
	add_spans(h, out);
	packed = proto_begin(out, 12);
	vec_for_each (&h->counts, count) {
		if (!*count)
			continue;
		proto_raw_sint(out, (int64_t)*count - last);
		last = (int64_t)*count;
	}
	proto_end(out, packed);
	proto_uint(out, 15, (uint64_t)t_ms);
}
