/* export_internal.h - what the writers of export.h share. */
#ifndef ASSAY_PROFILE_EXPORT_INTERNAL_H
#define ASSAY_PROFILE_EXPORT_INTERNAL_H

#include "profile/export.h"

static inline bool export_is_timed(const struct export_source *s)
{
	return s->opts->charge != PROFILE_CHARGE_OWN;
}

/* "Thread (12)", with its name when it has one. */
static inline void export_thread_name(const struct profile_thread *t, struct strbuf *out)
{
	if (t->name)
		strbuf_addf(out, "%s ", t->name);
	strbuf_addf(out, "Thread (%llu)", (unsigned long long)t->id);
}

/* Names that stand in the view, numbered in their order from 0: by number of name; UINT32_MAX = it
 * does not occur. The caller frees it. */
uint32_t *export_number_names(const struct profile_view *v, uint32_t *ret_count);

#endif
