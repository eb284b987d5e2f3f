/*
 * gc_log.h - the collections of a trace, from the runtime's events: when each was, why, how long it
 * stopped the threads of the program, what the heap held before and after.
 *
 * A pause lasts from the beginning of a suspension for a collection to the end of the restart.
 * Suspensions of several threads interleave (a sampler's, a debugger's), so they are paired by
 * thread; a background collection is handed from the thread that began it to its own, which then
 * restarts the program. A pause belongs to the collection that began in it, else to the background
 * collection under way; of several that began in one pause, each later one has its own time and the
 * first the rest.
 */
#ifndef ASSAY_DOTNET_GC_LOG_H
#define ASSAY_DOTNET_GC_LOG_H

#include "base/vec.h"
#include "dotnet/clr.h"

struct gc_record {
	uint32_t number, generation, reason;
	uint32_t type;		  /* enum clr_gc_type */
	int64_t start_ns, end_ns; /* since the session began; end 0 = not in the trace */
	unsigned pauses;	  /* 0 = the trace does not say */
	uint64_t pause_ns;
	bool has_before, has_after;
	uint64_t before, after, promoted; /* bytes; after: with free space within */
	uint64_t size[CLR_GENERATIONS];	  /* after, by generation */
};

struct gc_pause {
	int64_t start_ns, end_ns;
	uint32_t reason;
};

struct gc_suspension {
	uint64_t thread;
	uint32_t reason;
	int64_t begin_ns;
	int64_t held_ns; /* since when all threads stand; 0 = not yet */
};

struct gc_log {
	VEC(struct gc_record) list;    /* by their start */
	VEC(struct gc_pause) pauses;   /* for collections, by their end */
	uint64_t pause_ns, longest_ns; /* of all those pauses */
	uint64_t pauses_of_none;       /* that belong to no collection of the trace */
	uint64_t other_ns, others;     /* suspensions for other reasons: a sampler, a debugger */

	/* private */
	VEC(struct gc_suspension) open;
	size_t in_pause; /* the first that began after the last pause's end */
	size_t ended;	 /* 1 + the one that ended last; 0 = none */
	size_t late;	 /* as ended: whose history came after its end */
	bool has_before; /* of the one that ends next */
	uint64_t before;
};

/* Takes an event of the runtime; others are passed over. */
void gc_log_take(struct gc_log *g, const struct nettrace_event *e);
void gc_log_release(struct gc_log *g);

#endif
