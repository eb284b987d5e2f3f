/*
 * segment.h - a part of a test, for one of several machines that run it: k6's execution segments.
 * The whole is 0 to 1; a sequence of cuts divides it; the segment is what lies between two of them.
 * Every whole number of the test (users, iterations, the i-th arrival) belongs to one segment, so
 * that the parts add up exactly without anybody talking to anybody.
 *
 * How: with L the least common denominator, the numbers 0..L-1 are dealt out, and so on with period
 * L. Each goes to the first segment, larger ones first, that is behind its share.
 */
#ifndef ASSAY_LOAD_SEGMENT_H
#define ASSAY_LOAD_SEGMENT_H

#include "base/error.h"
#include "base/vec.h"

/* The largest common denominator. */
#define LOAD_SEGMENT_PERIOD_MAX 1000000

struct load_segment {
	uint64_t period;       /* 0 = the whole */
	VEC(uint64_t) offsets; /* within a period, rising */
};

/*
 * "1/4:1/2", "10%" (from 0), "0.25:0.5"; sequence "0,1/4,1/2,1", which must hold the segment's
 * ends, or NULL: what lies before and behind is then one segment each. -EINVAL names what is wrong.
 */
int load_segment_parse(const char *segment, const char *sequence, struct load_segment *ret,
		       struct error *reterr);
void load_segment_release(struct load_segment *s);

/* How many of the numbers 0..total-1 belong to it; s NULL or the whole: all. */
uint64_t load_segment_share(const struct load_segment *s, uint64_t total);

/* The k-th of the numbers that belong to it. */
uint64_t load_segment_number(const struct load_segment *s, uint64_t k);

#endif
