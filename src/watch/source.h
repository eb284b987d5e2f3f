/*
 * source.h - one of the places that the values of a watched process come from. The loop (loop.h)
 * asks all of them and puts what they say of one moment into one row.
 *
 * A polled source is asked at the end of each interval (poll). A driving one has a descriptor and
 * decides itself when an interval is over: it calls tick() of the out it was given, and the polled
 * ones are asked at that moment, so that their figures cover the same time. A source may also have
 * a descriptor without driving: one that tells of the target's end.
 *
 * Results: 0; -ESRCH the target is gone; -ENODATA this source has ended, the others go on; any
 * other negative errno means the same, and the source said why in a note.
 */
#ifndef ASSAY_WATCH_SOURCE_H
#define ASSAY_WATCH_SOURCE_H

#include "watch/value.h"

struct watch_source;

struct watch_source_ops {
	/*
	 * Takes what the first differences are counted from. out is borrowed until close and takes
	 * value(), note() and, of a driving source, tick(). A failure ends the whole watch.
	 */
	int (*start)(struct watch_source *s, struct watch_out *out, uint64_t t_ns,
		     struct error *reterr);
	/* The values of the interval that ends now, for t_ns. NULL: nothing to poll. */
	int (*poll)(struct watch_source *s, uint64_t t_ns);
	/* A descriptor to wait for, or -1; asked anew for each wait. NULL: none. */
	int (*fd)(struct watch_source *s);
	/* Something is to be read from it; must not block. */
	int (*ready)(struct watch_source *s);
	/* Ends what it has open at the target; frees s. Called once, also when start failed. */
	void (*close)(struct watch_source *s);
};

struct watch_source {
	const struct watch_source_ops *ops;
	const char *name; /* for notes: "the runtime" */
	bool drives;
};

#endif
