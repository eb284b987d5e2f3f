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

#endif
