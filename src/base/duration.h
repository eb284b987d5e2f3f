/*
 * duration.h - spans of time as people and k6 scripts write them: "1h30m", "1.5s", "200ms", "2d",
 * Go's units plus days. A bare number means milliseconds (k6's rule). All results in ns.
 */
#ifndef ASSAY_BASE_DURATION_H
#define ASSAY_BASE_DURATION_H

#include "base/strbuf.h"

#define DURATION_MAX_NS (UINT64_C(1000) * 365 * 86400 * NS_PER_S / 4) /* 250 years: fits i64 */

/* 0, -EINVAL, -ERANGE. Negative durations are -ERANGE: no use of ours has any. */
int duration_parse(struct str s, uint64_t *ret_ns);

/* As Go prints it: "1m0s", "1.5s", "200ms", "0s". */
void duration_fmt(struct strbuf *sb, uint64_t ns);

/* For tables: three significant digits and a fixed unit, "1.22 ms", "537 ms", "12.3 s". */
void duration_fmt_short(struct strbuf *sb, uint64_t ns);

#endif
