/*
 * name.h - how dotnet-counters writes a value: scripts made for its files read ours. Measured on
 * its version 10; facts of form are named at each function.
 */
#ifndef ASSAY_WATCH_NAME_H
#define ASSAY_WATCH_NAME_H

#include "watch/value.h"

/* "dotnet.gc.pause.time (s / 1 sec)", "working-set (MB)", "orders (Count / 2 sec)". */
void watch_name(struct strbuf *sb, const struct watch_value *v);

/* The tags of meter, instrument and series and a "Percentile=95", with sep between them. */
void watch_tags(struct strbuf *sb, const struct watch_value *v, char sep);

/* As .NET's double.ToString() in the invariant culture: the shortest digits that read back, with
 * an exponent ("1E+15", "1E-05") from 1e15 on and below 1e-5; "NaN", "Infinity". */
void watch_number(struct strbuf *sb, double value);

/* "Rate" or "Metric". */
const char *watch_type(const struct watch_value *v);

#endif
