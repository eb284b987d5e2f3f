/*
 * counters.h - meters and EventCounters of a runtime, from its events to the values of a watch.
 *
 * Sources: dotnet/runtime, MetricsEventSource.cs and CounterGroup.cs; dotnet/diagnostics,
 * dotnet-counters, for what is asked and how names are meant. Meters come through the provider
 * System.Diagnostics.Metrics, whose one shared session is joined, so that nobody else's is in the
 * way: all see what any has asked for, and what was not asked for here is left out. A series'
 * `rate` is what was added within an interval; an empty one, as that of observed counters in their
 * first, is no value.
 */
#ifndef ASSAY_DOTNET_COUNTERS_H
#define ASSAY_DOTNET_COUNTERS_H

#include "dotnet/command.h"
#include "watch/wish.h"

/* Zeroed: the defaults. All is borrowed. */
struct dotnet_counters_opts {
	/* NULL or empty: System.Runtime and Microsoft.AspNetCore.Hosting. */
	const struct watch_wishes *wishes;
	double interval_s;	  /* 0 = 1 */
	unsigned max_time_series; /* 0 = 1000 */
	unsigned max_histograms;  /* 0 = 10 */
	const char *version;	  /* of the runtime, "9.0.20"; NULL = unknown */
};

/* ---- what to ask of the runtime ---- */

/*
 * The session that yields what is wished. A meter and an EventSource may have the same name: both
 * are asked for unless the version says which it is. Runtime metrics that .NET 9 renamed are found
 * under either name: those of System.Runtime that begin with "dotnet." are meters from 9 on, others
 * its EventCounters; before, the EventCounters that stand for them.
 */
struct dotnet_counters_plan {
	struct dotnet_session_wish wish; /* borrows from the rest */
	VEC(struct dotnet_provider) providers;
	VEC(char *) texts;
	VEC(char *) notes; /* what cannot be had of this version */
	char client_id[37];
};

void dotnet_counters_plan(const struct dotnet_counters_opts *o, struct dotnet_counters_plan *ret);
void dotnet_counters_plan_release(struct dotnet_counters_plan *p);

/* ---- its events ---- */

struct dotnet_counters;

/*
 * out is borrowed, of the plan some is copied. Values are handed over as they come, then tick(),
 * when the meters of an interval are through and the EventCounters too; see
 * dotnet_counters_is_open(). Notes say what limits trust, each once: limits reached, failing
 * callbacks, clashing sessions, lost events.
 */
struct dotnet_counters *dotnet_counters_new(const struct dotnet_counters_opts *o,
					    const struct dotnet_counters_plan *plan,
					    struct watch_out *out);

/* NULL in, NULL out. */
struct dotnet_counters *dotnet_counters_free(struct dotnet_counters *c);

/*
 * Bytes of the stream. now_ns is CLOCK_MONOTONIC, for when the target's clock is another (a time
 * namespace). A negative result is final: out's, or nettrace_feed()'s, with an error then.
 */
int dotnet_counters_feed(struct dotnet_counters *c, struct str bytes, uint64_t now_ns,
			 struct error *reterr);

/* Nothing more is there for the moment: takes what was held back. */
int dotnet_counters_flush(struct dotnet_counters *c, struct error *reterr);

/*
 * A row is open of which EventCounters may still come: the caller waits a little for them (runtimes
 * write ten times a second), and closes it.
 */
bool dotnet_counters_is_open(const struct dotnet_counters *c);
int dotnet_counters_close_row(struct dotnet_counters *c);

/*
 * Another tool began the shared session with other settings: a session must be opened anew with
 * these to get all. True once for each such event.
 */
bool dotnet_counters_must_reopen(struct dotnet_counters *c, struct dotnet_counters_opts *ret);

/* The stream is over and another begins, by the same options. */
void dotnet_counters_restart(struct dotnet_counters *c);

/* Notes which wished providers gave nothing; at the end. */
int dotnet_counters_note_missing(struct dotnet_counters *c, uint64_t t_ns);

#endif
