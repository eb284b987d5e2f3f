/*
 * trace.h - a trace of a .NET process as profiles and lists: where its threads were, what was
 * allocated, and what the runtime did. One pass over a file or a stream; stacks are kept once each,
 * and get their names when the rundown at the end has been read.
 */
#ifndef ASSAY_DOTNET_TRACE_H
#define ASSAY_DOTNET_TRACE_H

#include "dotnet/alloc_log.h"
#include "dotnet/gc_log.h"
#include "dotnet/incident_log.h"
#include "dotnet/nettrace.h"
#include "dotnet/request_log.h"
#include "profile/profile.h"

struct dotnet_trace {
	struct profile cpu; /* samples of threads; weight: 1 each */
	uint64_t without_stack;
	double interval_ms; /* median of the time between two samples of a thread; 0 = unknown */

	struct gc_log gc;
	struct alloc_result alloc;
	struct request_log requests;
	struct incidents incidents;

	struct nettrace_info info;
	struct nettrace_counts counts;
	int64_t first_ns, last_ns;     /* of all events */
	int64_t ended_ns;	       /* the last event before the rundown */
	char *command_line;	       /* of the process; or NULL */
	size_t methods;		       /* whose names came */
	uint64_t frames_known, frames; /* different addresses in stacks, and those with a name */
	char *truncated;	       /* why the trace is not whole; NULL = it is */
};

struct dotnet_trace_reader;

struct dotnet_trace_reader *dotnet_trace_reader_new(void);
struct dotnet_trace_reader *dotnet_trace_reader_free(struct dotnet_trace_reader *r);
DEFINE_CLEANUP(dotnet_trace_reader, struct dotnet_trace_reader *, dotnet_trace_reader_free)

/* As nettrace_feed(). */
int dotnet_trace_feed(struct dotnet_trace_reader *r, struct str bytes, struct error *reterr);

/* The bytes are over: names the stacks. A trace that was cut off is read as far as it goes. The
 * caller releases *ret. */
int dotnet_trace_end(struct dotnet_trace_reader *r, struct dotnet_trace *ret, struct error *reterr);

void dotnet_trace_release(struct dotnet_trace *t);

/* A whole file; messages name it. */
int dotnet_trace_read(const char *path, struct dotnet_trace *ret, struct error *reterr);

#endif
