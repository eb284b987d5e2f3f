/*
 * Equal tag sets of two workers are two pointers: a table by pointer finds the series at the cost
 * of a hash, and what it has not met yet is looked up by its content.
 */
#include "export/series.h"

#include <stdlib.h>

#include "base/mem.h"

#define FIRST_SLOTS 1024

struct export_slot {
	const void *tags; /* NULL = free */
	uint32_t metric;
	struct export_series *series; /* NULL = it was one too many */
};

static size_t hash_of(uint32_t metric, const void *tags)
{
	uint64_t h =
		((uint64_t)(uintptr_t)tags ^ (uint64_t)metric << 48) * UINT64_C(0x9E3779B97F4A7C15);

	return (size_t)(h >> 20);
}

static struct export_slot *find_slot(struct export_slot *slots, size_t n, uint32_t metric,
				     const void *tags)
{
	size_t i = hash_of(metric, tags) & (n - 1);

	while (slots[i].tags && (slots[i].tags != tags || slots[i].metric != metric))
		i = (i + 1) & (n - 1);
	return &slots[i];
}

static void grow(struct export_table *t)
{
	size_t n = t->slot_count ? t->slot_count * 2 : FIRST_SLOTS;
	struct export_slot *slots = xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < t->slot_count; i++) {
		struct export_slot *old = &t->slots[i];

		if (old->tags)
			*find_slot(slots, n, old->metric, old->tags) = *old;
	}
	free(t->slots);
	t->slots = slots;
	t->slot_count = n;
}

static void make_key(struct export_table *t, const struct export_point *p)
{
	struct export_tag tag;

	strbuf_clear(&t->key);
	strbuf_addf(&t->key, "%u", p->metric);
	for (uint32_t i = 0; t->run->tag(p->tags, i, &tag); i++)
		strbuf_addf(&t->key, "%c%.*s%c%.*s", 0, STR_FMT(tag.key), 0, STR_FMT(tag.value));
}

static struct export_series *series_new(struct export_table *t, const struct export_point *p)
{
	struct export_series *s = xcalloc(1, sizeof(*s));

	s->id = p->metric;
	s->tags = p->tags;
	t->run->metric(t->run->arg, p->metric, &s->metric);
	if (s->metric.type == EXPORT_TREND && t->with_hist)
		s->hist = hist_new();
	if (s->metric.type == EXPORT_TREND && t->with_native)
		s->native = xcalloc(1, sizeof(*s->native));
	if (s->metric.type == EXPORT_TREND && t->bounds)
		s->buckets = xcalloc(t->n_bounds + 1, sizeof(*s->buckets));
	vec_push(&t->list, s);
	map_put(&t->by_content, strbuf_str(&t->key), s);
	return s;
}

static struct export_series *lookup(struct export_table *t, const struct export_point *p)
{
	struct export_series *s;

	make_key(t, p);
	s = map_get(&t->by_content, strbuf_str(&t->key));
	if (!s && t->list.len < EXPORT_SERIES_MAX)
		s = series_new(t, p);
	return s;
}

static struct export_series *find(struct export_table *t, const struct export_point *p)
{
	struct export_slot *slot;

	if (t->slots_used * 2 >= t->slot_count)
		grow(t);
	slot = find_slot(t->slots, t->slot_count, p->metric, p->tags);
	if (!slot->tags) {
		*slot = (struct export_slot){ p->tags, p->metric, lookup(t, p) };
		t->slots_used++;
	}
	return slot->series;
}

static void add_to_trend(const struct export_table *t, struct export_series *s, double v)
{
	size_t i = 0;

	if (s->hist)
		hist_add(s->hist, v);
	if (!s->buckets)
		return;
	while (i < t->n_bounds && v > t->bounds[i])
		i++;
	s->buckets[i]++;
}

struct export_series *export_table_add(struct export_table *t, const struct export_point *p)
{
	struct export_series *s = find(t, p);

	if (!s)
		return NULL;
	s->min = s->count ? MIN(s->min, p->value) : p->value;
	s->max = s->count ? MAX(s->max, p->value) : p->value;
	s->count++;
	s->sum += p->value;
	s->nonzero += p->value != 0;
	/* of several workers they do not come in order */
	if (p->t_ns >= s->latest_ns) {
		s->latest_ns = p->t_ns;
		s->last = p->value;
	}
	if (s->metric.type == EXPORT_TREND)
		add_to_trend(t, s, p->value);
	s->fresh = true;
	return s;
}

void export_table_release(struct export_table *t)
{
	vec_for_each (&t->list, at) {
		hist_free((*at)->hist);
		free((*at)->buckets);
		if ((*at)->native)
			export_native_release((*at)->native);
		free((*at)->native);
		free(*at);
	}
	vec_release(&t->list);
	map_release(&t->by_content);
	free(t->slots);
	strbuf_release(&t->key);
}
