#include "profile/profile.h"

#include <stdlib.h>

#include "base/strbuf.h"

void profile_init(struct profile *p, const char *unit)
{
	*p = (struct profile){ .unit = unit };
	profile_frame(p, "");
	vec_push(&p->nodes, ((struct profile_node){ 0, 0 }));
}

void profile_release(struct profile *p)
{
	vec_for_each (&p->frames, f)
		free(*f);
	vec_for_each (&p->threads, t)
		free(t->name);
	map_release(&p->frame_index);
	vec_release(&p->frames);
	vec_release(&p->nodes);
	vec_release(&p->samples);
	vec_release(&p->threads);
	free(p->slots);
}

uint32_t profile_frame(struct profile *p, const char *name)
{
	uintptr_t known = (uintptr_t)map_get(&p->frame_index, str_from(name));

	if (known)
		return (uint32_t)known - 1;
	vec_push(&p->frames, xstrdup(name));
	map_put(&p->frame_index, str_from(name), (void *)p->frames.len);
	return (uint32_t)p->frames.len - 1;
}

static size_t slot_of(const struct profile *p, uint32_t parent, uint32_t frame)
{
	uint64_t h = ((uint64_t)parent << 32 | frame) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(h >> 20) & (p->slot_count - 1);

	for (; p->slots[i]; i = (i + 1) & (p->slot_count - 1)) {
		const struct profile_node *n = &p->nodes.ptr[p->slots[i]];

		if (n->parent == parent && n->frame == frame)
			break;
	}
	return i;
}

static void grow(struct profile *p)
{
	free(p->slots);
	p->slot_count = p->slot_count ? p->slot_count * 2 : 1024;
	p->slots = xcalloc(p->slot_count, sizeof(*p->slots));
	for (uint32_t i = 1; i < p->nodes.len; i++)
		p->slots[slot_of(p, p->nodes.ptr[i].parent, p->nodes.ptr[i].frame)] = i;
}

uint32_t profile_child(struct profile *p, uint32_t parent, uint32_t frame)
{
	size_t i;

	if (p->nodes.len * 2 >= p->slot_count)
		grow(p);
	i = slot_of(p, parent, frame);
	if (!p->slots[i]) {
		p->slots[i] = (uint32_t)p->nodes.len;
		vec_push(&p->nodes, ((struct profile_node){ parent, frame }));
	}
	return p->slots[i];
}

/* Few, and the same ones again and again. */
uint32_t profile_thread(struct profile *p, uint64_t id)
{
	for (size_t i = p->threads.len; i; i--)
		if (p->threads.ptr[i - 1].id == id)
			return (uint32_t)i - 1;
	vec_push(&p->threads, ((struct profile_thread){ id, NULL }));
	return (uint32_t)p->threads.len - 1;
}
