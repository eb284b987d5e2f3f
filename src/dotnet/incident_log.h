/*
 * incident_log.h - what goes wrong or waits in a trace: exceptions that were thrown, waits for
 * locks (the runtime's contention events), and the thread pool's number of workers and its reasons.
 */
#ifndef ASSAY_DOTNET_INCIDENT_LOG_H
#define ASSAY_DOTNET_INCIDENT_LOG_H

#include "dotnet/clr.h"
#include "dotnet/labelled.h"
#include "dotnet/nettrace_internal.h"

#define INCIDENT_THROW "Throw(" /* before "TYPE) MESSAGE", as an innermost frame */
#define INCIDENT_LOCK  "Lock "	/* before a lock's id, as an innermost frame; "Lock ?" */

struct pool_adjustment {
	int64_t t_ns;
	struct clr_adjustment to;
};

#define POOL_REASONS	 9
#define POOL_STARVATION	 6
#define POOL_COOPERATIVE 8 /* a worker was added because another blocks and says so */

struct pool_log {
	VEC(struct pool_adjustment) adjustments;
	uint64_t reasons[POOL_REASONS];	      /* adjustments by reason */
	uint64_t worker_events, most_workers; /* active ones */
	uint64_t queued, taken;		      /* work items */
	double delay_ms, longest_delay_ms;    /* of all that were taken, between both; in sum */
};

struct waiting {
	uint64_t thread;
	int64_t since_ns; /* INT64_MIN = it does not wait */
	uint32_t node, label;
};

struct incident_log {
	struct labelled exceptions, waits;
	struct pool_log pool;
	uint64_t wait_starts, waits_not_over;

	/* private */
	VEC(struct waiting) waiting;
	struct nettrace_table queued; /* work item -> when */
	struct strbuf scratch;
};

/* The same, named. */
struct incidents {
	struct profile exceptions; /* weight: 1 each */
	struct profile waits;	   /* ms */
	uint64_t wait_starts, waits_not_over;
	struct pool_log pool;
};

void incident_log_take(struct incident_log *l, struct stacks *s, const struct nettrace_event *e);
/* Takes what *l holds of the pool with it. */
void incident_log_finish(struct incident_log *l, const struct stacks *s, struct incidents *ret);
void incident_log_release(struct incident_log *l);
void incidents_release(struct incidents *i);

#endif
