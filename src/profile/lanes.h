/*
 * lanes.h - a view along time: for each thread the spans in which it was in one stack. A sampler
 * knows moments; a sample stands for one interval from its moment on, at most, and where nobody
 * looked there is no span. Samples come a little early or late: a span may begin up to half an
 * interval before its sample so that it joins the one before.
 */
#ifndef ASSAY_PROFILE_LANES_H
#define ASSAY_PROFILE_LANES_H

#include "profile/view.h"

struct lane_span {
	int64_t from_ns, to_ns; /* of the session's clock; from < to */
	uint32_t node;		/* of the view */
};

struct lane {
	uint32_t thread; /* number in the profile */
	VEC(struct lane_span) spans;
};

struct lanes { /* a vector, by their first samples */
	struct lane *ptr;
	size_t len, cap;
};

/* view was made with keep_samples and these options, of which charge is not PROFILE_CHARGE_OWN. */
void lanes_make(const struct profile_view *v, const struct profile_view_opts *o, struct lanes *ret);
void lanes_release(struct lanes *l);

/* A frame that begins or ends. */
struct lane_event {
	bool open;
	uint32_t node;
	int64_t at_ns;
};

/* Those of a lane: nested, ends in the reverse order of beginnings, times never falling; a frame
 * that goes on from one span to the next which joins it does not end. */
void lane_events(const struct profile_view *v, const struct lane *l,
		 void (*each)(void *user, const struct lane_event *e), void *user);

#endif
