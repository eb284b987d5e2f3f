/*
 * table.h - one line an interval, as a person would reduce all the figures: what the clients feel,
 * and the few things that mostly explain it. Columns appear when the target offers them; a figure
 * that is missing in an interval is "-".
 */
#ifndef ASSAY_WATCH_TABLE_H
#define ASSAY_WATCH_TABLE_H

#include <stdio.h>

#include "watch/value.h"

struct watch_table_opts {
	FILE *file;		/* borrowed */
	int64_t wall_anchor_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	const char *latency;	/* the histogram of the server's requests; NULL = the well-known */
	const char *own_route; /* of requests that are ours and do not count: "/metrics"; or NULL */
};

struct watch_out *watch_table_new(const struct watch_table_opts *opts);

#endif
