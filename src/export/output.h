/*
 * output.h - what an output of samples (a file, a receiver) is, and what it is given. An output is
 * made from `NAME=ARGUMENT` and our environment (outputs.h), then run by a hub (hub.h) on a thread
 * of its own, so that it may wait for the world outside; a VU never waits for it.
 *
 * This folder does not know the load engine: a point names its metric by an index and its tags by a
 * pointer that means something to the callbacks of struct export_run only.
 */
#ifndef ASSAY_EXPORT_OUTPUT_H
#define ASSAY_EXPORT_OUTPUT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/pairs.h"
#include "base/strbuf.h"

enum export_type { EXPORT_COUNTER, EXPORT_GAUGE, EXPORT_RATE, EXPORT_TREND };

/* What values are: as they are, ms, bytes. */
enum export_contains { EXPORT_DEFAULT, EXPORT_TIME, EXPORT_DATA };

struct export_metric {
	const char *name;
	enum export_type type;
	enum export_contains contains;
};

struct export_tag {
	struct str key, value;
};

struct export_point {
	uint32_t metric;
	uint32_t vu; /* 0 = not of a VU: neither this nor iter has a meaning */
	uint64_t iter;
	const void *tags;
	uint64_t t_ns; /* CLOCK_MONOTONIC */
	double value;
	struct pairs *metadata; /* that a script has set; NULL = none */
};

/* The run. The callbacks come from any thread; what they give lives until the hub is closed. */
struct export_run {
	void (*metric)(void *arg, uint32_t metric, struct export_metric *ret);
	/* Appends a JSON array of the texts of a metric's own thresholds. */
	void (*thresholds)(void *arg, uint32_t metric, struct strbuf *out);
	/* The i-th tag of a set, in the order of keys; false when there are no more. */
	bool (*tag)(const void *tags, uint32_t i, struct export_tag *ret);
	void *arg;
	int64_t wall_anchor_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	bool vu, iter;		/* points are to show them */
	const char *const
		*system_tags; /* that are on, without vu and iter, in the order of names */
	size_t n_system_tags;
};

struct export_output;

struct export_ops {
	/* Opens what there is to open, before the first point; the hub's caller's thread. */
	int (*begin)(struct export_output *o, struct error *reterr);
	/* On the output's thread; of one worker in their order. */
	void (*points)(struct export_output *o, const struct export_point *p, size_t n);
	/* About every interval_ns, on the same thread. */
	void (*tick)(struct export_output *o);
	/* After the last point, on the same thread: writes the rest and closes, in bounded time. */
	void (*end)(struct export_output *o);
	/* Also when it was never begun. */
	void (*free)(struct export_output *o);
};

/* The head of every output; zero but for what create() sets. */
struct export_output {
	const struct export_ops *ops;
	char *label; /* as the user named it: "json=out.json" */
	uint64_t interval_ns;

	const struct export_run *run;	 /* from before begin() on */
	atomic_uint_fast64_t closing_ns; /* when the last point had come; 0 = not yet */

	/* the hub's */
	struct export_hub *hub;
	struct export_block **queue; /* a ring */
	unsigned first, queued;
	pthread_cond_t more;
	pthread_t thread;
	uint64_t slow;	 /* points lost because the queue was full */
	uint64_t failed; /* lost for why; the first reason is kept */
	char *why;
};

/* Counts points that will never arrive; why is a sentence's end: "writing it failed: ...". With 0
 * points: something went wrong that cost none. The output's threads only. */
void export_lose(struct export_output *o, uint64_t points, const char *why);

/* What was lost in all, and appends the reason; the text stays empty when all went well. */
uint64_t export_output_lost(const struct export_output *o, struct strbuf *why);

/* NULL in, nothing done. */
void export_output_free(struct export_output *o);

/* ns since 1970 of a point's time. */
static inline int64_t export_wall_ns(const struct export_run *run, uint64_t t_ns)
{
	return (int64_t)t_ns + run->wall_anchor_ns;
}

#endif
