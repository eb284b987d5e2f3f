#include "dotnet/stacks.h"

#include <stdlib.h>

#include "base/mem.h"

/* A stack that came before, found by its bytes. */
struct known_stack {
	uint64_t hash;
	uint32_t node; /* in raw; 0 = a free place */
	uint32_t bytes;
	size_t at; /* in stack_bytes */
};

struct stacks {
	/* Stacks of addresses: a "frame" of raw is an index in addresses. */
	struct profile raw;
	VEC(uint64_t) addresses; /* shifted, the lowest bit: it is the innermost frame */
	VEC(int64_t) seen_ns;	 /* when each was first met */
	struct nettrace_address_index {
		uint32_t *slots;
		size_t count;
	} index;
	struct known_stack *stacks;
	size_t stack_slots, stack_count;
	struct strbuf stack_bytes;

	char **names; /* by index in addresses, once named */
	uint64_t known;
};

static uint64_t hash_of(struct str bytes)
{
	uint64_t h = bytes.len;

	for (size_t i = 0; i + 8 <= bytes.len; i += 8) {
		uint64_t word;

		memcpy(&word, bytes.ptr + i, 8);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h | 1;
}

static void grow_index(struct stacks *s)
{
	size_t count = s->index.count ? s->index.count * 2 : 4096;

	free(s->index.slots);
	s->index.slots = xcalloc(count, sizeof(*s->index.slots));
	s->index.count = count;
	for (uint32_t i = 0; i < s->addresses.len; i++) {
		size_t at = (size_t)(s->addresses.ptr[i] * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
			    (count - 1);

		while (s->index.slots[at])
			at = (at + 1) & (count - 1);
		s->index.slots[at] = i + 1;
	}
}

static uint32_t address_number(struct stacks *s, uint64_t address, int64_t t_ns)
{
	size_t at;

	if (s->addresses.len * 2 >= s->index.count)
		grow_index(s);
	at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (s->index.count - 1);
	for (; s->index.slots[at]; at = (at + 1) & (s->index.count - 1))
		if (s->addresses.ptr[s->index.slots[at] - 1] == address)
			return s->index.slots[at] - 1;
	vec_push(&s->addresses, address);
	vec_push(&s->seen_ns, t_ns);
	s->index.slots[at] = (uint32_t)s->addresses.len;
	return (uint32_t)s->addresses.len - 1;
}

static uint32_t add_stack(struct stacks *s, const struct nettrace_event *e)
{
	size_t depth = nettrace_depth(e);
	uint32_t node = 0;

	for (size_t i = depth; i-- > 0;)
		node = profile_child(&s->raw, node,
				     address_number(s, nettrace_ip(e, i) << 1 | (i == 0), e->t_ns));
	return node;
}

static void grow_stacks(struct stacks *s)
{
	size_t count = s->stack_slots ? s->stack_slots * 2 : 4096;
	struct known_stack *bigger = xcalloc(count, sizeof(*bigger));

	for (size_t i = 0; i < s->stack_slots; i++) {
		size_t at = (size_t)(s->stacks[i].hash >> 8) & (count - 1);

		if (!s->stacks[i].node)
			continue;
		while (bigger[at].node)
			at = (at + 1) & (count - 1);
		bigger[at] = s->stacks[i];
	}
	free(s->stacks);
	s->stacks = bigger;
	s->stack_slots = count;
}

/* The same stack comes again and again: its frames are looked at once. */
uint32_t stacks_node(struct stacks *s, const struct nettrace_event *e)
{
	uint64_t hash = hash_of(e->stack);
	struct known_stack *k;
	size_t at;

	if (!e->stack.len)
		return 0;
	if (s->stack_count * 2 >= s->stack_slots)
		grow_stacks(s);
	at = (size_t)(hash >> 8) & (s->stack_slots - 1);
	for (; s->stacks[at].node; at = (at + 1) & (s->stack_slots - 1)) {
		k = &s->stacks[at];
		if (k->hash == hash && k->bytes == e->stack.len &&
		    !memcmp(s->stack_bytes.ptr + k->at, e->stack.ptr, e->stack.len))
			return k->node;
	}
	s->stacks[at] = (struct known_stack){ hash, add_stack(s, e), (uint32_t)e->stack.len,
					      s->stack_bytes.len };
	strbuf_add(&s->stack_bytes, e->stack.ptr, e->stack.len);
	s->stack_count++;
	return s->stacks[at].node;
}

/* ---- names ---- */

void stacks_name(struct stacks *s, struct methods *m)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	s->names = xcalloc(s->addresses.len + 1, sizeof(*s->names));
	for (size_t i = 0; i < s->addresses.len; i++) {
		uint64_t address = s->addresses.ptr[i] >> 1;
		bool innermost = s->addresses.ptr[i] & 1;

		strbuf_clear(&name);
		s->known += methods_find(m, innermost ? address : address - 1, s->seen_ns.ptr[i],
					 &name);
		s->names[i] = xstrdup(strbuf_cstr(&name));
	}
}

size_t stacks_frames(const struct stacks *s, uint64_t *ret_known)
{
	*ret_known = s->known;
	return s->addresses.len;
}

void stacks_copy_begin(const struct stacks *s, struct profile *to, struct stacks_copy *c)
{
	*c = (struct stacks_copy){
		.from = s,
		.to = to,
		.nodes = xcalloc(s->raw.nodes.len, sizeof(*c->nodes)),
		.frames = xcalloc(s->addresses.len + 1, sizeof(*c->frames)),
	};
}

void stacks_copy_end(struct stacks_copy *c)
{
	free(c->nodes);
	free(c->frames);
	vec_release(&c->path);
}

static uint32_t copied_frame(struct stacks_copy *c, uint32_t address)
{
	if (!c->frames[address])
		c->frames[address] = profile_frame(c->to, c->from->names[address]);
	return c->frames[address];
}

/* Stacks may be thousands of frames deep: no recursion. */
uint32_t stacks_copy_node(struct stacks_copy *c, uint32_t node)
{
	const struct profile_node *nodes = c->from->raw.nodes.ptr;

	vec_clear(&c->path);
	for (uint32_t n = node; n && !c->nodes[n]; n = nodes[n].parent)
		vec_push(&c->path, n);
	while (c->path.len) {
		uint32_t n = c->path.ptr[--c->path.len];

		c->nodes[n] = profile_child(c->to, c->nodes[nodes[n].parent],
					    copied_frame(c, nodes[n].frame));
	}
	return c->nodes[node];
}

struct stacks *stacks_new(void)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	profile_init(&s->raw, "");
	return s;
}

struct stacks *stacks_free(struct stacks *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; s->names && i < s->addresses.len; i++)
		free(s->names[i]);
	free(s->names);
	profile_release(&s->raw);
	vec_release(&s->addresses);
	vec_release(&s->seen_ns);
	free(s->index.slots);
	free(s->stacks);
	strbuf_release(&s->stack_bytes);
	free(s);
	return NULL;
}
