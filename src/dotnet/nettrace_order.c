/*
 * Order and losses. Events of one thread come in order; those of different threads do not. An event
 * marked as sorted says that nothing older than it can follow, a sequence point says so of all that
 * came: what is older goes out, from a heap by time. Sorted events go out at once.
 *
 * Each thread numbers its events, those that were thrown away too. A thread's first event of ours
 * may have any number: its id may be one that was used before.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dotnet/nettrace_internal.h"

/* ---- the table ---- */

static size_t slot_of(const struct nettrace_table *t, uint64_t key)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(h >> 32) & (t->cap - 1);

	while (t->slots[i].value && t->slots[i].key != key)
		i = (i + 1) & (t->cap - 1);
	return i;
}

void *nettrace_table_get(const struct nettrace_table *t, uint64_t key)
{
	return t->cap ? t->slots[slot_of(t, key)].value : NULL;
}

static void grow(struct nettrace_table *t)
{
	struct nettrace_table bigger = { .cap = t->cap ? t->cap * 2 : 64 };

	bigger.slots = xcalloc(bigger.cap, sizeof(*bigger.slots));
	nettrace_table_for_each(t, s) bigger.slots[slot_of(&bigger, s->key)] = *s;
	bigger.len = t->len;
	free(t->slots);
	*t = bigger;
}

void nettrace_table_put(struct nettrace_table *t, uint64_t key, void *value)
{
	struct nettrace_slot *s;

	if (t->len * 2 >= t->cap)
		grow(t);
	s = &t->slots[slot_of(t, key)];
	t->len += !s->value;
	*s = (struct nettrace_slot){ key, value };
}

/* Those behind it may have been put further back because of it. */
void nettrace_table_remove(struct nettrace_table *t, uint64_t key)
{
	size_t i = t->cap ? slot_of(t, key) : 0;

	if (!t->cap || !t->slots[i].value)
		return;
	t->slots[i].value = NULL;
	t->len--;
	for (i = (i + 1) & (t->cap - 1); t->slots[i].value; i = (i + 1) & (t->cap - 1)) {
		struct nettrace_slot s = t->slots[i];

		t->slots[i].value = NULL;
		t->slots[slot_of(t, s.key)] = s;
	}
}

void nettrace_table_clear(struct nettrace_table *t)
{
	free(t->slots);
	*t = (struct nettrace_table){ 0 };
}

/* ---- threads ---- */

void nettrace_forget_threads(struct nettrace *r)
{
	nettrace_table_for_each(&r->threads, s) free(s->value);
	nettrace_table_clear(&r->threads);
}

struct nettrace_thread *nettrace_thread(struct nettrace *r, uint64_t id)
{
	struct nettrace_thread *t = nettrace_table_get(&r->threads, id);

	if (t || r->info.version == 6)
		return t;
	if (r->threads.len >= NETTRACE_THREADS_MAX) {
		nettrace_forget_threads(r);
		r->threads_dropped = true;
	}
	t = xcalloc(1, sizeof(*t));
	t->id = id;
	nettrace_table_put(&r->threads, id, t);
	return t;
}

static int lose(struct nettrace *r, uint64_t id, uint64_t n)
{
	r->counts.lost += n;
	return r->handler.lost ? r->handler.lost(r->handler.user, id, n) : 0;
}

int nettrace_saw_sequence(struct nettrace *r, uint64_t id, uint32_t sequence)
{
	struct nettrace_thread *t = nettrace_thread(r, id);
	int32_t missing = t ? (int32_t)(sequence - t->sequence) : 0;

	if (missing <= 0)
		return 0;
	t->sequence = sequence;
	t->begun = true;
	/* a thread that was forgotten has lost nothing */
	return r->threads_dropped && missing == (int32_t)sequence ? 0
								  : lose(r, id, (uint32_t)missing);
}

/* The number of an event that is there. */
static int see_event(struct nettrace *r, const struct nettrace_event *e)
{
	struct nettrace_thread *t = nettrace_thread(r, e->capture_thread);
	int32_t missing;

	if (!t || r->info.version == 3)
		return 0;
	missing = (int32_t)(e->sequence - t->sequence - 1);
	if (r->info.version < 6 && !t->begun)
		missing = 0;
	t->sequence = e->sequence;
	t->begun = true;
	return missing > 0 ? lose(r, e->capture_thread, (uint32_t)missing) : 0;
}

/* ---- the heap ---- */

static bool is_before(const struct nettrace_order *a, const struct nettrace_order *b)
{
	if (a->ticks != b->ticks)
		return (int64_t)(a->ticks - b->ticks) < 0;
	return a->order < b->order;
}

static void sift_up(struct nettrace *r, size_t i)
{
	struct nettrace_order moving = r->heap.ptr[i];

	while (i && is_before(&moving, &r->heap.ptr[(i - 1) / 2])) {
		r->heap.ptr[i] = r->heap.ptr[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	r->heap.ptr[i] = moving;
}

static struct nettrace_order pop(struct nettrace *r)
{
	struct nettrace_order first = r->heap.ptr[0], moving = vec_last(&r->heap);
	size_t n = --r->heap.len, i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && is_before(&r->heap.ptr[child + 1], &r->heap.ptr[child]))
			child++;
		if (!is_before(&r->heap.ptr[child], &moving))
			break;
		r->heap.ptr[i] = r->heap.ptr[child];
		i = child;
	}
	if (n)
		r->heap.ptr[i] = moving;
	return first;
}

static void hold(struct nettrace *r, struct nettrace_block *b, const struct nettrace_event *e)
{
	struct nettrace_pending p = { *e, b };
	uint32_t slot;

	b->users++;
	if (!b->held++)
		r->held_bytes += b->len;
	if (r->free_slots.len) {
		slot = r->free_slots.ptr[--r->free_slots.len];
		r->pending.ptr[slot] = p;
	} else {
		slot = (uint32_t)r->pending.len;
		vec_push(&r->pending, p);
	}
	vec_push(&r->heap, ((struct nettrace_order){ e->ticks, r->order++, slot }));
	sift_up(r, r->heap.len - 1);
}

static int hand_over(struct nettrace *r, const struct nettrace_event *e)
{
	r->counts.events++;
	return r->handler.event(r->handler.user, e);
}

static int emit_first(struct nettrace *r)
{
	struct nettrace_order o = pop(r);
	struct nettrace_pending p = r->pending.ptr[o.slot];
	int code;

	vec_push(&r->free_slots, o.slot);
	code = hand_over(r, &p.event);
	if (!--p.block->held)
		r->held_bytes -= p.block->len;
	nettrace_block_drop(p.block);
	return code;
}

int nettrace_emit_before(struct nettrace *r, uint64_t ticks)
{
	int code = 0;

	while (code >= 0 && r->heap.len && (int64_t)(r->heap.ptr[0].ticks - ticks) < 0)
		code = emit_first(r);
	return code;
}

int nettrace_emit_all(struct nettrace *r)
{
	int code = 0;

	while (code >= 0 && r->heap.len)
		code = emit_first(r);
	return code;
}

/* A writer that never says "sorted" would fill all memory. */
static int limit(struct nettrace *r)
{
	int code = 0;

	while (code >= 0 && r->heap.len &&
	       (r->heap.len > NETTRACE_PENDING_MAX || r->held_bytes > NETTRACE_HELD_MAX)) {
		r->counts.disordered++;
		code = emit_first(r);
	}
	return code;
}

int nettrace_take(struct nettrace *r, struct nettrace_block *b, struct nettrace_event *e,
		  bool sorted)
{
	int code = see_event(r, e);

	if (code < 0)
		return code;
	if (!sorted) {
		hold(r, b, e);
		return limit(r);
	}
	code = nettrace_emit_before(r, e->ticks);
	return code < 0 ? code : hand_over(r, e);
}
