/*
 * source.h - the meters and EventCounters of a live runtime as a source of a watch (watch/loop.h).
 * It drives: rows end when the runtime has told an interval. Reading never blocks the loop; the
 * session is ended at close, and the target's death ends the watch with all that was told.
 */
#ifndef ASSAY_DOTNET_SOURCE_H
#define ASSAY_DOTNET_SOURCE_H

#include "dotnet/counters.h"
#include "dotnet/ipc.h"
#include "watch/source.h"

struct dotnet_source_opts {
	struct dotnet_peer *peer;	      /* borrowed until close */
	struct dotnet_counters_opts counters; /* the wishes likewise; the version is asked for */
	bool resume; /* the runtime waits at its start: let it go on when the session is open */
};

/* Whether a process runs .NET, as far as can be seen from outside. */
bool dotnet_is_in(pid_t pid);

void dotnet_source_new(const struct dotnet_source_opts *o, struct watch_source **ret);

#endif
