/*
 * num.h - numbers from text, strictly: the whole text must be a number in range, no blanks, no
 * locale. Results are 0, -EINVAL (not a number) or -ERANGE.
 */
#ifndef ASSAY_BASE_NUM_H
#define ASSAY_BASE_NUM_H

#include "base/str.h"

int num_parse_u64(struct str s, uint64_t *ret);
int num_parse_i64(struct str s, int64_t *ret);
int num_parse_double(struct str s, double *ret); /* finite; decimal or exponent form */

/* A size: bytes, or a number with k, m, g, t (powers of 1024, any case, optional "b" or "ib"). */
int num_parse_bytes(struct str s, uint64_t *ret);

/*
 * Whether v is the double nearest to a number of millionths, as ns told in ms are: then *ret is
 * that number, without the sign, and its decimal digits are v's. Not above 10^15.
 */
bool num_millionths(double v, uint64_t *ret);

#endif
