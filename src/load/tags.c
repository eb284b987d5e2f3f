/*
 * Two hash tables: one of the sets by content, one of steps (set, key, value) -> set, so that the
 * step nearly every sample takes again ("status" = "200" on top of the request's tags) is one look
 * by three pointers. Keys and values are interned too: that makes the three pointers.
 */
#include "load/tags.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

struct step {
	const struct load_tags *from, *to; /* from NULL = free */
	const char *key, *value;	   /* value NULL = removed */
};

struct load_tag_pool {
	struct map words;	  /* text -> interned text */
	struct load_tags **slots; /* open addressing by content */
	size_t slot_count;	  /* a power of two */
	VEC(struct load_tags *) sets;
	struct step *steps;
	size_t step_count, step_used; /* a power of two */
	uint64_t refused;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ (h >> 29);
}

static uint64_t hash_text(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(0x100000001b3);
	return mix(h, s.len);
}

static uint64_t hash_set(const struct load_tag *list, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		h = hash_text(hash_text(h, list[i].key), list[i].value);
	return h;
}

static struct str intern(struct load_tag_pool *p, struct str s)
{
	char *word = map_get(&p->words, s);

	if (!word) {
		word = str_dup(s);
		map_put(&p->words, s, word);
	}
	return (struct str){ word, s.len };
}

static struct load_tags **find_slot(struct load_tag_pool *p, uint64_t hash,
				    const struct load_tag *list, size_t len)
{
	for (size_t i = hash & (p->slot_count - 1);; i = (i + 1) & (p->slot_count - 1)) {
		struct load_tags *t = p->slots[i];
		size_t same = 0;

		if (!t)
			return &p->slots[i];
		if (t->hash != hash || t->len != len)
			continue;
		while (same < len && t->list[same].key.ptr == list[same].key.ptr &&
		       t->list[same].value.ptr == list[same].value.ptr)
			same++;
		if (same == len)
			return &p->slots[i];
	}
}

static void grow_slots(struct load_tag_pool *p)
{
	free(p->slots);
	p->slot_count = p->slot_count ? p->slot_count * 2 : 256;
	p->slots = xcalloc(p->slot_count, sizeof(*p->slots));
	vec_for_each (&p->sets, t)
		*find_slot(p, (*t)->hash, (*t)->list, (*t)->len) = *t;
}

/* The set of these interned tags; NULL when the pool is full. */
static const struct load_tags *add_set(struct load_tag_pool *p, const struct load_tag *list,
				       size_t len)
{
	uint64_t hash = hash_set(list, len);
	struct load_tags **slot = find_slot(p, hash, list, len), *t = *slot;

	if (t)
		return t;
	if (p->sets.len >= LOAD_TAGS_MAX) {
		p->refused++;
		return NULL;
	}
	t = xmalloc(sizeof(*t) + len * sizeof(*list));
	t->hash = hash;
	t->id = (uint32_t)p->sets.len;
	t->len = (uint32_t)len;
	if (len)
		memcpy(t->list, list, len * sizeof(*list));
	*slot = t;
	vec_push(&p->sets, t);
	if (p->sets.len * 2 > p->slot_count)
		grow_slots(p);
	return t;
}

struct load_tag_pool *load_tag_pool_new(void)
{
	struct load_tag_pool *p = xcalloc(1, sizeof(*p));

	p->step_count = 1024;
	p->steps = xcalloc(p->step_count, sizeof(*p->steps));
	grow_slots(p);
	add_set(p, NULL, 0);
	return p;
}

void load_tag_pool_free(struct load_tag_pool *p)
{
	if (!p)
		return;
	vec_for_each (&p->sets, t)
		free(*t);
	vec_release(&p->sets);
	map_for_each (&p->words, e)
		free(e->value);
	map_release(&p->words);
	free(p->slots);
	free(p->steps);
	free(p);
}

const struct load_tags *load_tags_none(struct load_tag_pool *p)
{
	return p->sets.ptr[0];
}

uint64_t load_tags_refused(const struct load_tag_pool *p)
{
	return p->refused;
}

/* Interned texts: equal ones are the same pointer, so any fixed order will do. */
static int compare_tags(const void *a, const void *b)
{
	const struct load_tag *x = a, *y = b;
	uintptr_t kx = (uintptr_t)x->key.ptr, ky = (uintptr_t)y->key.ptr;
	uintptr_t vx = (uintptr_t)x->value.ptr, vy = (uintptr_t)y->value.ptr;

	if (kx != ky)
		return kx < ky ? -1 : 1;
	return (vx > vy) - (vx < vy);
}

const char *load_tags_widest(const struct load_tag_pool *p, size_t *ret_values)
{
	VEC(struct load_tag) all = VEC_INIT;
	const char *widest = NULL;
	size_t values = 0, most = 0;

	vec_for_each (&p->sets, t)
		for (uint32_t i = 0; i < (*t)->len; i++)
			vec_push(&all, (*t)->list[i]);
	if (all.len)
		qsort(all.ptr, all.len, sizeof(all.ptr[0]), compare_tags);
	for (size_t i = 0; i < all.len; i++) {
		bool same_key = i && all.ptr[i].key.ptr == all.ptr[i - 1].key.ptr;

		if (!same_key)
			values = 0;
		if (!same_key || all.ptr[i].value.ptr != all.ptr[i - 1].value.ptr)
			values++;
		if (values > most) {
			most = values;
			widest = all.ptr[i].key.ptr;
		}
	}
	vec_release(&all);
	*ret_values = most;
	return widest;
}

static struct step *find_step(struct load_tag_pool *p, const struct load_tags *from,
			      const char *key, const char *value)
{
	uint64_t h = mix(mix(mix(1, (uintptr_t)from), (uintptr_t)key), (uintptr_t)value);
	size_t i = h & (p->step_count - 1);

	while (p->steps[i].from &&
	       (p->steps[i].from != from || p->steps[i].key != key || p->steps[i].value != value))
		i = (i + 1) & (p->step_count - 1);
	return &p->steps[i];
}

static void grow_steps(struct load_tag_pool *p)
{
	struct step *old = p->steps;
	size_t count = p->step_count;

	p->step_count *= 2;
	p->steps = xcalloc(p->step_count, sizeof(*p->steps));
	for (size_t i = 0; i < count; i++)
		if (old[i].from)
			*find_step(p, old[i].from, old[i].key, old[i].value) = old[i];
	free(old);
}

/* Builds the result of a step anew; value.ptr NULL removes the key. */
static const struct load_tags *make_step(struct load_tag_pool *p, const struct load_tags *from,
					 struct str key, struct str value)
{
	struct load_tag *list = xcalloc(from->len + 1, sizeof(*list));
	size_t n = 0, i = 0;
	const struct load_tags *to;

	while (i < from->len && str_cmp(from->list[i].key, key) < 0)
		list[n++] = from->list[i++];
	if (i < from->len && str_eq(from->list[i].key, key))
		i++;
	if (value.ptr)
		list[n++] = (struct load_tag){ key, value };
	while (i < from->len)
		list[n++] = from->list[i++];
	to = add_set(p, list, n);
	free(list);
	return to;
}

static const struct load_tags *take_step(struct load_tag_pool *p, const struct load_tags *tags,
					 struct str key, struct str value)
{
	struct step *step = find_step(p, tags, key.ptr, value.ptr);
	const struct load_tags *to;

	if (step->from)
		return step->to;
	to = make_step(p, tags, key, value);
	if (!to)
		return tags;
	*step = (struct step){ tags, to, key.ptr, value.ptr };
	if (++p->step_used * 2 > p->step_count)
		grow_steps(p);
	return to;
}

const struct load_tags *load_tags_with(struct load_tag_pool *p, const struct load_tags *tags,
				       struct str key, struct str value)
{
	if (p->sets.len >= LOAD_TAGS_MAX && !map_get(&p->words, value)) {
		p->refused++;
		return tags;
	}
	return take_step(p, tags, intern(p, key), intern(p, value));
}

const struct load_tags *load_tags_without(struct load_tag_pool *p, const struct load_tags *tags,
					  struct str key)
{
	return take_step(p, tags, intern(p, key), (struct str){ NULL, 0 });
}

const struct load_tags *load_tags_import(struct load_tag_pool *p, const struct load_tags *foreign)
{
	const struct load_tags *t = load_tags_none(p);

	for (uint32_t i = 0; i < foreign->len; i++)
		t = load_tags_with(p, t, foreign->list[i].key, foreign->list[i].value);
	return t;
}

struct str load_tags_get(const struct load_tags *tags, struct str key)
{
	for (uint32_t i = 0; i < tags->len; i++)
		if (str_eq(tags->list[i].key, key))
			return tags->list[i].value;
	return (struct str){ NULL, 0 };
}

bool load_tags_equal(const struct load_tags *a, const struct load_tags *b)
{
	if (a == b)
		return true;
	if (a->hash != b->hash || a->len != b->len)
		return false;
	for (uint32_t i = 0; i < a->len; i++)
		if (!str_eq(a->list[i].key, b->list[i].key) ||
		    !str_eq(a->list[i].value, b->list[i].value))
			return false;
	return true;
}

void load_tags_fmt(const struct load_tags *tags, struct strbuf *out)
{
	for (uint32_t i = 0; i < tags->len; i++) {
		if (i)
			strbuf_addch(out, ',');
		strbuf_add(out, tags->list[i].key.ptr, tags->list[i].key.len);
		strbuf_addch(out, '=');
		strbuf_add(out, tags->list[i].value.ptr, tags->list[i].value.len);
	}
}
