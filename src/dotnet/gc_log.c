#include "dotnet/gc_log.h"

/* Foreign bytes must not make us search forever. */
#define ENDS_WITHIN	4096 /* collections that began since */
#define SUSPENSIONS_MAX 1024

/* ---- collections ---- */

static void on_start(struct gc_log *g, const struct nettrace_event *e)
{
	struct clr_gc_start s;
	struct gc_record r = { .start_ns = e->t_ns };

	if (!clr_read_gc_start(e, &s))
		return;
	r.number = s.number;
	r.generation = s.generation;
	r.reason = s.reason;
	r.type = s.type;
	vec_push(&g->list, r);
}

static void on_heap_stats(struct gc_log *g, const struct nettrace_event *e)
{
	struct gc_record *r = g->ended ? &g->list.ptr[g->ended - 1] : NULL;
	struct clr_heap_stats s;

	if (!r || r->has_after || !clr_read_heap_stats(e, &s))
		return;
	r->has_after = true;
	for (size_t i = 0; i < CLR_GENERATIONS; i++) {
		r->size[i] = s.size[i];
		r->after += s.size[i];
		r->promoted += s.promoted[i];
	}
}

/* The background collection that ended last, when its history may still come: a server's does. */
static struct gc_record *late_background(struct gc_log *g)
{
	struct gc_record *r = g->ended ? &g->list.ptr[g->ended - 1] : NULL;

	if (!r || r->type != CLR_GC_BACKGROUND || !vec_last(&g->list).end_ns)
		return NULL;
	return !r->has_before || g->late == g->ended ? r : NULL;
}

/* What the heaps held before: as a rule it comes just before the collection's end. */
static void on_heap_history(struct gc_log *g, const struct nettrace_event *e)
{
	struct clr_heap_history h;
	struct gc_record *late = late_background(g);
	uint64_t sum = 0;

	if (!clr_read_heap_history(e, &h))
		return;
	for (size_t i = 0; i < h.generations; i++)
		sum += h.before[i];
	if (late) {
		late->has_before = true;
		late->before += sum;
		g->late = g->ended;
	} else {
		g->has_before = true;
		g->before += sum;
	}
}

static void forget_history(struct gc_log *g)
{
	g->has_before = false;
	g->before = 0;
}

static void on_end(struct gc_log *g, const struct nettrace_event *e)
{
	struct clr_gc_end end;

	if (!clr_read_gc_end(e, &end))
		return;
	for (size_t i = g->list.len, n = 0; i-- > 0 && n < ENDS_WITHIN; n++) {
		struct gc_record *r = &g->list.ptr[i];

		if (r->number == end.number && !r->end_ns) {
			r->end_ns = e->t_ns;
			r->generation = end.generation;
			r->has_before = g->has_before;
			r->before = g->before;
			g->ended = i + 1;
			break;
		}
	}
	forget_history(g);
}

/* ---- pauses ---- */

static struct gc_record *background_under_way(struct gc_log *g)
{
	for (size_t i = g->list.len, n = 0; i-- > 0 && n < ENDS_WITHIN; n++)
		if (g->list.ptr[i].type == CLR_GC_BACKGROUND)
			return g->list.ptr[i].end_ns ? NULL : &g->list.ptr[i];
	return NULL;
}

static void charge(struct gc_record *r, uint64_t ns)
{
	r->pauses++;
	r->pause_ns += ns;
}

/* Whose a pause is. */
static void assign(struct gc_log *g, const struct gc_pause *p)
{
	uint64_t rest = (uint64_t)(p->end_ns - p->start_ns);
	struct gc_record *first = NULL;

	for (size_t i = g->in_pause; i < g->list.len; i++) {
		struct gc_record *r = &g->list.ptr[i];
		int64_t end = r->end_ns && r->end_ns < p->end_ns ? r->end_ns : p->end_ns;

		if (r->start_ns < p->start_ns)
			continue;
		if (!first) {
			first = r;
			continue;
		}
		charge(r, MIN((uint64_t)(end - r->start_ns), rest));
		rest -= MIN((uint64_t)(end - r->start_ns), rest);
	}
	g->in_pause = g->list.len;
	if (!first)
		first = background_under_way(g);
	if (first)
		charge(first, rest);
	else
		g->pauses_of_none++;
}

static void on_suspend_begin(struct gc_log *g, const struct nettrace_event *e)
{
	struct gc_suspension s = { .thread = e->thread_id, .begin_ns = e->t_ns };
	struct clr_suspend suspend;

	if (!clr_read_suspend(e, &suspend))
		return;
	s.reason = suspend.reason;
	vec_for_each (&g->open, o)
		if (o->thread == s.thread) {
			*o = s;
			return;
		}
	if (g->open.len < SUSPENSIONS_MAX)
		vec_push(&g->open, s);
}

static void on_suspend_end(struct gc_log *g, const struct nettrace_event *e)
{
	vec_for_each (&g->open, o)
		if (o->thread == e->thread_id)
			o->held_ns = e->t_ns;
}

static bool is_for_gc(uint32_t reason)
{
	return reason == CLR_SUSPEND_GC || reason == CLR_SUSPEND_GC_PREP;
}

/* The one that a thread's restart ends: its own, else the one that was handed over to it. */
static struct gc_suspension *find_open(struct gc_log *g, uint64_t thread)
{
	struct gc_suspension *best = NULL;

	vec_for_each (&g->open, o) {
		if (o->thread == thread)
			return o;
		if (is_for_gc(o->reason) && o->held_ns && (!best || o->held_ns > best->held_ns))
			best = o;
	}
	return best;
}

static void on_restart_end(struct gc_log *g, const struct nettrace_event *e)
{
	struct gc_suspension *s = find_open(g, e->thread_id);
	struct gc_pause p;

	if (!s)
		return;
	p = (struct gc_pause){ s->begin_ns, e->t_ns, s->reason };
	*s = vec_last(&g->open);
	g->open.len--;
	if (p.end_ns < p.start_ns)
		return;
	if (!is_for_gc(p.reason)) {
		g->others++;
		g->other_ns += (uint64_t)(p.end_ns - p.start_ns);
		return;
	}
	vec_push(&g->pauses, p);
	g->pause_ns += (uint64_t)(p.end_ns - p.start_ns);
	g->longest_ns = MAX(g->longest_ns, (uint64_t)(p.end_ns - p.start_ns));
	assign(g, &p);
}

void gc_log_take(struct gc_log *g, const struct nettrace_event *e)
{
	switch (e->meta->event_id) {
	case CLR_GC_START:
		on_start(g, e);
		break;
	case CLR_GC_END:
		on_end(g, e);
		break;
	case CLR_HEAP_STATS:
		on_heap_stats(g, e);
		break;
	case CLR_GLOBAL_HISTORY:
		forget_history(g);
		break;
	case CLR_HEAP_HISTORY:
		on_heap_history(g, e);
		break;
	case CLR_SUSPEND_BEGIN:
		on_suspend_begin(g, e);
		break;
	case CLR_SUSPEND_END:
		on_suspend_end(g, e);
		break;
	case CLR_RESTART_END:
		on_restart_end(g, e);
		break;
	default:
		break;
	}
}

void gc_log_release(struct gc_log *g)
{
	vec_release(&g->list);
	vec_release(&g->pauses);
	vec_release(&g->open);
}
