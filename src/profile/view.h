/*
 * view.h - a profile as somebody wants to look at it: frames grouped, then folded, then stacks
 * chosen, as PerfView does it and in its order; the result is a call tree, and tables of it.
 */
#ifndef ASSAY_PROFILE_VIEW_H
#define ASSAY_PROFILE_VIEW_H

#include "profile/pattern.h"
#include "profile/profile.h"

/*
 * What samples weigh. A sampler that looks at threads every so often says where a thread was, not
 * for how long: a tick charges each sample one interval, however long the next one took to come; a
 * gap charges it all the time until then, as TraceEvent's SampleProfilerThreadTimeComputer does,
 * which stretches a stack over pauses in which nobody looked. The last sample of a thread has no
 * gap and does not count.
 */
enum profile_charge {
	PROFILE_CHARGE_OWN, /* what they say they weigh, in the profile's unit */
	PROFILE_CHARGE_TICK,
	PROFILE_CHARGE_GAP,
};

struct profile_view_opts {
	struct pattern_groups groups;
	struct patterns fold; /* frames that match vanish: what they weigh is their callers' */
	struct patterns inc;  /* stacks in which each of these matches a frame */
	struct patterns exc;  /* and none of these does */
	double fold_percent;  /* nodes of the tree below so much of the total go into their callers
			       */
	int64_t from_ns, to_ns; /* to 0 = to the end */
	uint64_t thread;	/* 0 = all */
	bool pseudo_leaves;	/* CPU_TIME and UNMANAGED_CODE_TIME as innermost frames */
	bool without_stack;	/* samples that have none count too */
	int state;		/* enum profile_state: only those; 0 = all */
	enum profile_charge charge;
	int64_t interval_ns; /* of PROFILE_CHARGE_TICK */
	bool written;	     /* frames are called as a person wrote them, once all is chosen */
	bool keep_samples;   /* list them, too: for what shows time */
};

void profile_view_opts_release(struct profile_view_opts *o);

/* A node of the call tree; 0 is the root. */
struct view_node {
	uint32_t parent;
	uint32_t name; /* number in names */
	double exc, inc;
	uint64_t exc_count, inc_count; /* samples */
};

/* By name: exc is that of stacks which end in it, inc counts each stack once. */
struct view_row {
	uint32_t name;
	double exc, inc;
	uint64_t exc_count, inc_count;
};

struct view_rows { /* a vector */
	struct view_row *ptr;
	size_t len, cap;
};

/* A sample that is in the view, in the order they came. */
struct view_sample {
	uint32_t node;
	uint32_t thread; /* number in the profile */
	int64_t t_ns;
	double weight;
};

struct profile_view {
	const char *unit; /* of weights: the profile's, or "ms" */
	VEC(char *) names;
	VEC(struct view_sample) kept; /* when asked for */
	VEC(struct view_node) nodes;  /* callers stand before their callees */
	struct view_rows rows;	      /* by exc, falling; then by inc */
	double total;
	uint64_t samples;
	int64_t first_ns, last_ns; /* of the samples in it */
};

/* The profile stays the caller's and is not needed afterwards. */
void profile_view_make(const struct profile *p, const struct profile_view_opts *o,
		       struct profile_view *ret);
void profile_view_release(struct profile_view *v);

/* Who calls a name and whom it calls, outermost occurrences only: rows by inc, falling. */
struct view_neighbours {
	struct view_rows callers, callees;
};

void profile_view_neighbours(const struct profile_view *v, uint32_t name,
			     struct view_neighbours *ret);
void view_neighbours_release(struct view_neighbours *n);

#endif
