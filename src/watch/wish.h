/*
 * wish.h - which figures are wanted, in dotnet-counters' syntax:
 *
 *	System.Runtime,Microsoft.AspNetCore.Hosting[http.server.request.duration],Shop*,
 *	EventCounters\Old.Provider
 *
 * A provider without a list means all of its counters; a star at the end of a name stands for any
 * rest. Names are compared without regard to case.
 */
#ifndef ASSAY_WATCH_WISH_H
#define ASSAY_WATCH_WISH_H

#include "base/vec.h"
#include "watch/value.h"

struct watch_wish {
	char *provider;	      /* may end with a star */
	bool event_counters;  /* asked for as EventCounters by name */
	VEC(char *) counters; /* empty = all */
};

/* Empty: everything is wanted. */
struct watch_wishes {
	VEC(struct watch_wish) list;
};

/* -EINVAL with the place of the fault. The caller releases *ret in any case. */
int watch_wishes_parse(const char *text, struct watch_wishes *ret, struct error *reterr);
void watch_wishes_release(struct watch_wishes *w);

/* Whether a name is meant by a pattern, which may end with a star. */
bool watch_wish_is(const char *pattern, const char *name);

bool watch_wishes_provider(const struct watch_wishes *w, const char *provider);
bool watch_wishes_counter(const struct watch_wishes *w, const char *provider, const char *name);

/*
 * An out that passes on what is wanted. Of the kernel's figures and those of a /metrics page, all
 * are when no wish names one of their providers. The runtime's pass: its source was told the wishes
 * and knows what counters are called in which version. Takes to over; w is borrowed.
 */
struct watch_out *watch_filter_new(const struct watch_wishes *w, struct watch_out *to);

#endif
