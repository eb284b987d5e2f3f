/*
 * loop.h - the watch itself: waits, asks the sources (source.h), and hands rows on. Rows come at an
 * absolute schedule, or when a driving source ends an interval; when that one is silent, the others
 * are not held up. Beats that were missed are skipped and noted, never made up for. One thread.
 */
#ifndef ASSAY_WATCH_LOOP_H
#define ASSAY_WATCH_LOOP_H

#include "watch/source.h"

/* Why it ended. */
enum watch_end {
	WATCH_END_TIME,	   /* the duration is over */
	WATCH_END_STOPPED, /* a hook said so */
	WATCH_END_GONE,	   /* the target has ended */
	WATCH_END_NOTHING, /* all sources have ended */
	WATCH_END_OUTPUT,  /* nobody takes the values any more */
};

/* A descriptor that is no source: signals, keys. Not 0: end the watch. */
struct watch_hook {
	int fd;
	int (*ready)(void *arg);
	void *arg;
};

struct watch_loop_opts {
	uint64_t interval_ns;
	uint64_t duration_ns; /* 0 = until something ends it */
	struct watch_out *out;
	const struct watch_hook *hooks;
	size_t n_hooks;
	bool optional; /* a source that does not start is noted and left out, if others do */
};

struct watch_result {
	enum watch_end end;
	uint64_t rows;
	int failure; /* of the output: a negative errno, or 0 */
};

/*
 * Starts, watches and closes the sources; out stays open. An interval that was cut short by the end
 * is handed on too. 0, or the failure of a source's start: then nothing was handed on.
 */
int watch_loop_run(struct watch_source *const *sources, size_t n,
		   const struct watch_loop_opts *opts, struct watch_result *ret,
		   struct error *reterr);

#endif
