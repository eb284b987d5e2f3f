/*
 * counters.h - what `assay counters collect` and `monitor` share: which process, which sources, how
 * long, and the watch itself.
 */
#ifndef ASSAY_CLI_COUNTERS_H
#define ASSAY_CLI_COUNTERS_H

#include <sys/types.h>

#include "cli/reach.h"
#include "cli/verb.h"
#include "dotnet/ipc.h"
#include "store/writer.h"
#include "watch/loop.h"
#include "watch/wish.h"

/* The flags of both, as given. */
struct counters_flags {
	uint64_t pid;
	const char *name;
	double refresh_s;
	const char *duration;
	const char *counters;
	const char *prometheus;
	const char *run_file;
	uint64_t max_histograms, max_time_series;
	bool no_host;
	struct reach_flags reach;
};

void counters_flags_init(struct counters_flags *f);

/* A watch being set up; zeroed, then counters_open(), then counters_watch(), then release. */
struct counters {
	const struct counters_flags *flags;
	pid_t pid;    /* 0: only a page of its own */
	char *target; /* what it is called */
	struct watch_wishes wishes;
	uint64_t duration_ns;
	int64_t wall_anchor_ns;		 /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	struct watch_source *sources[4]; /* until counters_watch() takes them over */
	size_t n_sources;
	struct reach reach;	       /* by a port or a command, else zeroed */
	struct dotnet_peer *peer;      /* by the pid; NULL: no .NET, or nothing of it is wanted */
	struct store_writer *run_file; /* NULL: none */
	struct watch_hook hooks[3];    /* the first is for signals that end it */
	size_t n_hooks;		       /* of others, from the second on */
};

/* Reads the flags and opens the sources. Returns 0 or an exit code, with the error said. */
int counters_open(struct counters *c, const struct counters_flags *f, const struct verb_args *a,
		  const char *verb);

/*
 * Watches until the time is over, a signal comes or the target ends; writes the run file, if one
 * was asked for; closes out in any case.
 * Returns the exit code, with what is to be said on standard error said.
 */
int counters_watch(struct counters *c, struct watch_out *out, const char *verb);

void counters_release(struct counters *c);

#endif
