/*
 * profile.h - stacks and what they weigh: samples of where threads were, or of what was allocated.
 * Frames are interned by name; stacks are nodes of one tree, each a frame and its caller, so that a
 * sample is a node and a few numbers.
 */
#ifndef ASSAY_PROFILE_PROFILE_H
#define ASSAY_PROFILE_PROFILE_H

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

/* "Module!Namespace.Type.Method(args)"; "Module!?" or "?!?" when nobody knows. */
#define PROFILE_UNKNOWN "?!?"

struct profile_node {
	uint32_t parent; /* its caller; the root's is itself */
	uint32_t frame;
};

/* What is known of a sample beside its stack. */
enum profile_state {
	PROFILE_STATE_NONE,
	PROFILE_MANAGED,  /* the runtime's sampler found it in managed code: CPU_TIME */
	PROFILE_EXTERNAL, /* outside of it: blocked, or running native code: UNMANAGED_CODE_TIME */
};

struct profile_sample {
	uint32_t node; /* the innermost frame; 0 = without a stack */
	uint32_t thread;
	enum profile_state state;
	int64_t t_ns; /* since the session began */
	double weight;
};

struct profile_thread {
	uint64_t id;
	char *name; /* or NULL */
};

struct profile {
	const char *unit; /* of weights: "samples", "ms", "B" */
	struct map frame_index;
	VEC(char *) frames;		/* names, by number */
	VEC(struct profile_node) nodes; /* 0 = the root, of frame 0, which is called "" */
	VEC(struct profile_sample) samples;
	VEC(struct profile_thread) threads;

	/* private: children found by parent and frame, and threads by id */
	uint32_t *slots;
	size_t slot_count;
};

void profile_init(struct profile *p, const char *unit);
void profile_release(struct profile *p);

uint32_t profile_frame(struct profile *p, const char *name);
uint32_t profile_child(struct profile *p, uint32_t parent, uint32_t frame);
uint32_t profile_thread(struct profile *p, uint64_t id);

static inline const char *profile_frame_name(const struct profile *p, uint32_t frame)
{
	return p->frames.ptr[frame];
}

/*
 * The name a person wrote: of an async state machine ("Ns.Type+<Pay>d__4.MoveNext()" ->
 * "Ns.Type.Pay() async"), a lambda ("<>c.<Pay>b__4_0()" -> "Pay() lambda") or a local function
 * ("<Pay>g__Sum|4_0()" -> "Pay.Sum()"), without argument types when brief. Others are appended as
 * they are.
 */
void profile_written_name(struct strbuf *out, const char *name, bool brief);

#endif
