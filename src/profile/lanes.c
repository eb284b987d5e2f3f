#include "profile/lanes.h"

#include <math.h>

static struct lane *lane_of(struct lanes *l, uint32_t thread, uint32_t *by_thread)
{
	if (!by_thread[thread]) {
		vec_push(l, ((struct lane){ .thread = thread }));
		by_thread[thread] = (uint32_t)l->len;
	}
	return &l->ptr[by_thread[thread] - 1];
}

/* One interval, from the end of the span before if that is less than half an interval away. */
static struct lane_span tick(const struct lane *l, const struct view_sample *s, int64_t interval)
{
	int64_t from = s->t_ns;

	if (l->spans.len) {
		int64_t end = vec_last(&l->spans).to_ns;

		if (from - end < interval / 2)
			from = end;
	}
	return (struct lane_span){ from, MIN(from + interval, s->t_ns + 2 * interval), s->node };
}

static void add_span(struct lane *l, struct lane_span span)
{
	struct lane_span *before = l->spans.len ? &vec_last(&l->spans) : NULL;

	if (before && span.from_ns < before->to_ns)
		span.from_ns = before->to_ns;
	if (span.from_ns >= span.to_ns)
		return;
	if (before && before->node == span.node && before->to_ns == span.from_ns)
		before->to_ns = span.to_ns;
	else
		vec_push(&l->spans, span);
}

void lanes_make(const struct profile_view *v, const struct profile_view_opts *o, struct lanes *ret)
{
	uint32_t threads = 0, *by_thread;

	*ret = (struct lanes){ 0 };
	vec_for_each (&v->kept, s)
		threads = MAX(threads, s->thread + 1);
	by_thread = xcalloc(threads + 1, sizeof(*by_thread));
	vec_for_each (&v->kept, s) {
		struct lane *l = lane_of(ret, s->thread, by_thread);

		if (o->charge == PROFILE_CHARGE_GAP)
			add_span(l, (struct lane_span){ s->t_ns, s->t_ns + llround(s->weight * 1e6),
							s->node });
		else
			add_span(l, tick(l, s, o->interval_ns));
	}
	free(by_thread);
}

void lanes_release(struct lanes *l)
{
	vec_for_each (l, lane)
		vec_release(&lane->spans);
	vec_release(l);
}

/* ---- events ---- */

struct walk {
	const struct profile_view *v;
	VEC(uint32_t) open, path;
	void (*each)(void *user, const struct lane_event *e);
	void *user;
};

static void emit(struct walk *w, bool open, uint32_t node, int64_t at_ns)
{
	w->each(w->user, &(struct lane_event){ open, node, at_ns });
}

/* Nodes from the outermost in. */
static void set_path(struct walk *w, uint32_t node)
{
	vec_clear(&w->path);
	for (; node; node = w->v->nodes.ptr[node].parent)
		vec_push(&w->path, node);
	for (size_t i = 0, j = w->path.len; i + 1 < j; i++) {
		uint32_t swap = w->path.ptr[--j];

		w->path.ptr[j] = w->path.ptr[i];
		w->path.ptr[i] = swap;
	}
}

static void close_down_to(struct walk *w, size_t depth, int64_t at_ns)
{
	while (w->open.len > depth)
		emit(w, false, w->open.ptr[--w->open.len], at_ns);
}

static void move_to(struct walk *w, const struct lane_span *s)
{
	size_t same = 0;

	set_path(w, s->node);
	while (same < w->open.len && same < w->path.len && w->open.ptr[same] == w->path.ptr[same])
		same++;
	close_down_to(w, same, s->from_ns);
	for (; same < w->path.len; same++) {
		vec_push(&w->open, w->path.ptr[same]);
		emit(w, true, w->path.ptr[same], s->from_ns);
	}
}

void lane_events(const struct profile_view *v, const struct lane *l,
		 void (*each)(void *user, const struct lane_event *e), void *user)
{
	struct walk w = { .v = v, .each = each, .user = user };
	int64_t end_ns = 0;

	vec_for_each (&l->spans, s) {
		if (s->from_ns != end_ns)
			close_down_to(&w, 0, end_ns);
		move_to(&w, s);
		end_ns = s->to_ns;
	}
	close_down_to(&w, 0, end_ns);
	vec_release(&w.open);
	vec_release(&w.path);
}
