/*
 * labelled.h - events that have a stack and a word that belongs below it: the type that was
 * allocated, the exception that was thrown. They become a profile in which that word is the
 * innermost frame, as PerfView shows them.
 */
#ifndef ASSAY_DOTNET_LABELLED_H
#define ASSAY_DOTNET_LABELLED_H

#include "dotnet/stacks.h"

struct labelled_sample {
	uint32_t node; /* stacks_node() */
	uint32_t label;
	uint64_t thread;
	int64_t t_ns;
	double weight;
};

struct labelled {
	struct map index; /* of labels, by the key they came with */
	VEC(char *) labels;
	VEC(struct labelled_sample) samples;
};

/* The number of a label; text is UTF-16 and gets the prefix. */
uint32_t labelled_utf16(struct labelled *l, const char *prefix, struct str text);
uint32_t labelled_text(struct labelled *l, struct str text);

/* The profile of what was added, in order; inits *to. */
void labelled_profile(const struct labelled *l, const struct stacks *s, const char *unit,
		      struct profile *to);
void labelled_release(struct labelled *l);

#endif
