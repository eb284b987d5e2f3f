/*
 * file.h - values as files: dotnet-counters' CSV and JSON, and JSON Lines. The last are valid after
 * every line, JSON also when it was cut off at close() only; nothing is held back longer than a
 * tick.
 */
#ifndef ASSAY_WATCH_FILE_H
#define ASSAY_WATCH_FILE_H

#include "watch/value.h"

enum watch_format { WATCH_CSV, WATCH_JSON, WATCH_JSON_LINES };

struct watch_file_opts {
	enum watch_format format;
	const char *path;	/* "-" or NULL = standard output */
	const char *target;	/* the process' name, for JSON */
	int64_t wall_anchor_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	/*
	 * The interval that was asked for; 0 = unknown. dotnet-counters' forms write the interval
	 * into the name of a rate, which must not change with each row: there the nearest multiple
	 * of this stands, and a value that is more than a tenth off is made one of that interval.
	 * JSON Lines have the true interval and what came in it.
	 */
	double interval_s;
};

/* Creates or replaces the file; a negative errno names it. Times are local ones, as dotnet-counters
 * writes them (in JSON Lines UTC). */
int watch_file_open(const struct watch_file_opts *opts, struct watch_out **ret,
		    struct error *reterr);

#endif
