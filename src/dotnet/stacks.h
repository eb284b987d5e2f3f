/*
 * stacks.h - the stacks of a trace's events, each kept once: as addresses while events come, with
 * names when the rundown at the end has been read.
 */
#ifndef ASSAY_DOTNET_STACKS_H
#define ASSAY_DOTNET_STACKS_H

#include "dotnet/methods.h"
#include "dotnet/nettrace.h"
#include "profile/profile.h"

struct stacks;

struct stacks *stacks_new(void);
struct stacks *stacks_free(struct stacks *s); /* NULL in, NULL out */

/* The number of an event's stack, for stacks_copy_node(); 0 = it has none. */
uint32_t stacks_node(struct stacks *s, const struct nettrace_event *e);

/* Gives addresses their names; nothing is added afterwards. */
void stacks_name(struct stacks *s, struct methods *m);

/* Different addresses, and those with a name. */
size_t stacks_frames(const struct stacks *s, uint64_t *ret_known);

/* Named stacks on their way into a profile: those that are asked for. */
struct stacks_copy {
	/* private */
	const struct stacks *from;
	struct profile *to;
	uint32_t *nodes, *frames;
	VEC(uint32_t) path;
};

void stacks_copy_begin(const struct stacks *s, struct profile *to, struct stacks_copy *c);
uint32_t stacks_copy_node(struct stacks_copy *c, uint32_t node);
void stacks_copy_end(struct stacks_copy *c);

#endif
