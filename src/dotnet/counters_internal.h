/* counters_internal.h - what the files of the counters share. */
#ifndef ASSAY_DOTNET_COUNTERS_INTERNAL_H
#define ASSAY_DOTNET_COUNTERS_INTERNAL_H

#include "base/map.h"
#include "dotnet/counters.h"
#include "dotnet/payload.h"

#define DOTNET_METRICS	      "System.Diagnostics.Metrics"
#define DOTNET_SHARED	      "SHARED"
#define DOTNET_DEFAULT_WISHES "System.Runtime,Microsoft.AspNetCore.Hosting"

/* ---- names (counters_plan.c) ---- */

/* Whether a name of System.Runtime is one of the meter, not of the EventCounters. */
bool dotnet_is_runtime_meter(const char *provider, const char *name);

/* Whether the EventCounter stands for what the meter calls so. */
bool dotnet_counter_is(const char *provider, const char *event_counter, const char *wished);

/* 9 of "9.0.20"; 0 = unknown. */
unsigned dotnet_major(const char *version);

/* ---- the decoder ---- */

struct dotnet_counters {
	struct dotnet_counters_opts opts;
	struct watch_wishes defaults;
	const struct watch_wishes *wishes;
	struct watch_out *out;
	struct nettrace *reader;
	char client_id[37];
	char *session; /* whose events are taken */

	/* time: ticks plus this are ours */
	int64_t offset_ns;
	bool has_offset;
	uint64_t now_ns;

	/* the interval being told */
	uint64_t row_ns, last_ns;
	double row_s;
	bool collecting; /* meters end intervals */
	bool collected;	 /* those of this row are through */
	bool open;	 /* something since the last tick */
	struct map row;	 /* EventCounters in it */
	size_t expected; /* how many there were in the row before */
	unsigned rows;
	bool got_events;
	struct map asked;      /* providers of EventCounters */
	struct map row_given;  /* those that have given in this row */
	uint64_t collected_ns; /* when meters were before; 0 = not yet */
	struct map batches;    /* the same of EventCounters, by provider */

	struct map instruments; /* their tags, by number or by name */
	struct map meters;	/* names of those that report */
	struct map given;	/* providers that have given values */
	struct map said;	/* notes */
	uint64_t lost;
	bool reopen;
	struct dotnet_counters_opts theirs;

	struct strbuf text[10]; /* of the event at hand */
};

int dotnet_counters_hand(struct dotnet_counters *c, const struct watch_value *v);
int dotnet_counters_tick(struct dotnet_counters *c);

/* Ends the row when nothing more of it can come. */
int dotnet_counters_end_row(struct dotnet_counters *c);

/* Once for each text. */
int dotnet_counters_say(struct dotnet_counters *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* An event's time on our clock. */
uint64_t dotnet_counters_time(struct dotnet_counters *c, const struct nettrace_event *e);

/*
 * The length of an interval. What the runtime says goes by the clock on the wall, which may have
 * been set meanwhile; since_ns is by the other, 0 = unknown.
 */
double dotnet_counters_interval(const struct dotnet_counters *c, double told_s, uint64_t since_ns);

/* Whether a meter's instrument is wished; EventCounters likewise. */
bool dotnet_wants_meter(const struct dotnet_counters *c, const char *meter, const char *name);
bool dotnet_wants_counter(const struct dotnet_counters *c, const char *provider, const char *name);

/* An event of the provider DOTNET_METRICS (metrics.c). */
int dotnet_metrics_event(struct dotnet_counters *c, const struct nettrace_event *e);

void dotnet_instruments_release(struct dotnet_counters *c);

/* "0.5 0.95 0.99" of an exponential histogram whose last bucket holds the maximum. */
struct dotnet_exponential {
	int scale;
	uint64_t count, zeros;
	double min, max;
	const uint64_t *buckets;
	size_t n_buckets;
};
double dotnet_exponential_quantile(const struct dotnet_exponential *h, double q);

#endif
