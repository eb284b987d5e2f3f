/*
 * value.h - one figure of a watched process, as its source gave it: the runtime's meters and
 * EventCounters, the kernel, a /metrics page. Times are CLOCK_MONOTONIC, ns. Text is borrowed.
 */
#ifndef ASSAY_WATCH_VALUE_H
#define ASSAY_WATCH_VALUE_H

#include "base/error.h"
#include "base/strbuf.h"

enum watch_origin { WATCH_DOTNET, WATCH_HOST, WATCH_SCRAPE };

enum watch_kind {
	WATCH_GAUGE,	/* a level */
	WATCH_RATE,	/* what was added within the interval; not per second */
	WATCH_QUANTILE, /* of what was measured within the interval */
};

struct watch_value {
	uint64_t t_ns;	   /* the end of the interval */
	double interval_s; /* that it covers */
	enum watch_origin source;
	enum watch_kind kind;
	const char *provider;	     /* meter or EventSource, "process", "cgroup", … */
	const char *name;	     /* the instrument's: "dotnet.gc.pause.time" */
	const char *display;	     /* how people call it; NULL = name */
	const char *unit;	     /* "" when none */
	const char *tags;	     /* of the series: "k=v,k=v", "" when none */
	const char *meter_tags;	     /* of the meter, likewise */
	const char *instrument_tags; /* of the instrument, likewise */
	double value;
	double total;	 /* of a rate: all that was added since the process, or the watch, began;
			  * NAN when the source does not say */
	double quantile; /* of WATCH_QUANTILE: 0.5 */
	double count;	 /* of WATCH_QUANTILE: measurements in the interval; NAN = unknown */
};

/*
 * Who gets the values. All values of one moment come in a row, then tick(). What limits trust in
 * them (a series limit, a gap, lost events) comes as a note. Results are 0 or a negative errno
 * after which nothing more is handed over.
 */
struct watch_out;

struct watch_out_ops {
	int (*value)(struct watch_out *o, const struct watch_value *v);
	int (*tick)(struct watch_out *o, uint64_t t_ns);
	int (*note)(struct watch_out *o, uint64_t t_ns, const char *text);
	/* What is still held back; the last call. Frees o. */
	int (*close)(struct watch_out *o, struct error *reterr);
};

struct watch_out {
	const struct watch_out_ops *ops;
};

#endif
