#include "profile/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void profile_view_opts_release(struct profile_view_opts *o)
{
	pattern_groups_release(&o->groups);
	patterns_release(&o->fold);
	patterns_release(&o->inc);
	patterns_release(&o->exc);
}

/* What becomes of a frame's name. */
struct mapped {
	uint32_t name;
	bool known, folded, entry;
};

/* A node of the profile, mapped: where it lies in the tree, and in which entry group. */
struct placed {
	uint32_t node;	/* of the view */
	uint32_t entry; /* the group that was entered above it and not left; 0 = none */
	bool known;
};

struct build {
	const struct profile *p;
	const struct profile_view_opts *o;
	struct profile_view *v;
	struct map names;
	struct mapped *frames;
	struct placed *placed;
	struct profile tree; /* only its nodes: (parent, name) -> node of the view */
	/* by name: bit i is set when inc's i-th pattern matches it; the last says exc does */
	uint64_t *matches;
	size_t matches_len;
	uint64_t *seen; /* by node of the view: the bits of its frames and of its callers' */
	size_t seen_len;
	double *charges; /* what samples weigh; NULL = what they say */
};

#define EXC_BIT 63 /* so many patterns of inc, and one bit for exc */

static uint32_t intern(struct build *b, const char *name)
{
	uintptr_t known = (uintptr_t)map_get(&b->names, str_from(name));

	if (known)
		return (uint32_t)known - 1;
	vec_push(&b->v->names, xstrdup(name));
	map_put(&b->names, str_from(name), (void *)b->v->names.len);
	return (uint32_t)b->v->names.len - 1;
}

static const struct mapped *map_frame(struct build *b, uint32_t frame)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct mapped *m = &b->frames[frame];
	const struct pattern_group *g;
	const char *name;

	if (m->known)
		return m;
	g = pattern_groups_find(&b->o->groups, profile_frame_name(b->p, frame), &out);
	name = g ? strbuf_cstr(&out) : profile_frame_name(b->p, frame);
	m->known = true;
	m->entry = g && g->entry && *g->name;
	m->name = intern(b, name);
	m->folded = patterns_any(&b->o->fold, name);
	return m;
}

/* "NAME <<frame>>" */
static uint32_t entry_name(struct build *b, uint32_t group, uint32_t frame)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s <<%s>>", b->v->names.ptr[group], profile_frame_name(b->p, frame));
	return intern(b, strbuf_cstr(&out));
}

static uint64_t match_bits(struct build *b, uint32_t name)
{
	uint64_t bits = UINT64_C(1) << (EXC_BIT - 1); /* known */

	while (b->matches_len <= name) {
		size_t len = MAX(b->matches_len * 2, (size_t)1024);

		b->matches = xrealloc(b->matches, len * sizeof(*b->matches));
		memset(b->matches + b->matches_len, 0,
		       (len - b->matches_len) * sizeof(*b->matches));
		b->matches_len = len;
	}
	if (b->matches[name])
		return b->matches[name];
	for (size_t i = 0; i < b->o->inc.len && i < EXC_BIT - 1; i++)
		if (pattern_matches(b->o->inc.ptr[i], b->v->names.ptr[name]))
			bits |= UINT64_C(1) << i;
	if (patterns_any(&b->o->exc, b->v->names.ptr[name]))
		bits |= UINT64_C(1) << EXC_BIT;
	b->matches[name] = bits;
	return bits;
}

/* The child of a view's node; direct recursion stays in it. */
static uint32_t child_of(struct build *b, uint32_t parent, uint32_t name)
{
	size_t before = b->tree.nodes.len;
	uint32_t node;

	if (parent && b->v->nodes.ptr[parent].name == name)
		return parent;
	node = profile_child(&b->tree, parent, name);
	if (b->tree.nodes.len > before)
		vec_push(&b->v->nodes, ((struct view_node){ .parent = parent, .name = name }));
	while (b->seen_len <= node) {
		size_t len = MAX(b->seen_len * 2, (size_t)1024);

		b->seen = xrealloc(b->seen, len * sizeof(*b->seen));
		b->seen_len = len;
	}
	b->seen[node] = b->seen[parent] | match_bits(b, name);
	return node;
}

static struct placed place_below(struct build *b, struct placed above, uint32_t frame)
{
	const struct mapped *m = map_frame(b, frame);
	struct placed at = { above.node, m->entry ? m->name + 1 : 0, true };

	if (m->folded)
		return (struct placed){ above.node, above.entry, true };
	if (m->entry && above.entry == at.entry)
		return at; /* still within the group */
	at.node = child_of(b, above.node, m->entry ? entry_name(b, m->name, frame) : m->name);
	return at;
}

/* Stacks may be thousands of frames deep: no recursion. Callers stand before callees. */
static void place_all(struct build *b)
{
	b->placed[0] = (struct placed){ 0, 0, true };
	for (size_t i = 1; i < b->p->nodes.len; i++) {
		const struct profile_node *n = &b->p->nodes.ptr[i];

		b->placed[i] = place_below(b, b->placed[n->parent], n->frame);
	}
}

static bool is_wanted(const struct build *b, const struct profile_sample *s)
{
	const struct profile_view_opts *o = b->o;

	if (!s->node && !o->without_stack)
		return false;
	if (s->t_ns < o->from_ns || (o->to_ns && s->t_ns >= o->to_ns))
		return false;
	if (o->state && (int)s->state != o->state)
		return false;
	return !o->thread || b->p->threads.ptr[s->thread].id == o->thread;
}

static bool is_chosen(const struct build *b, uint32_t node)
{
	uint64_t bits = b->seen[node], inc = 0;

	if (b->o->inc.len)
		inc = (UINT64_C(1) << MIN(b->o->inc.len, (size_t)EXC_BIT - 1)) - 1;
	return !(bits >> EXC_BIT) && (bits & inc) == inc;
}

static void add_sample(struct build *b, const struct profile_sample *s)
{
	double weight = b->charges ? b->charges[s - b->p->samples.ptr] : s->weight;
	static const char *const leaves[] = { NULL, "CPU_TIME", "UNMANAGED_CODE_TIME" };
	uint32_t node = b->placed[s->node].node;
	struct view_node *n;

	if (b->o->pseudo_leaves && leaves[s->state])
		node = child_of(b, node, intern(b, leaves[s->state]));
	if (!is_chosen(b, node) || weight < 0)
		return;
	n = &b->v->nodes.ptr[node];
	n->exc += weight;
	n->exc_count++;
	b->v->first_ns = b->v->samples ? MIN(b->v->first_ns, s->t_ns) : s->t_ns;
	b->v->last_ns = b->v->samples ? MAX(b->v->last_ns, s->t_ns) : s->t_ns;
	b->v->total += weight;
	b->v->samples++;
	if (b->o->keep_samples)
		vec_push(&b->v->kept, ((struct view_sample){ node, s->thread, s->t_ns, weight }));
}

/* In ms; -1 = it does not count. NULL when samples say themselves what they weigh. */
static double *make_charges(const struct profile *p, const struct profile_view_opts *o)
{
	double *charges, tick = (double)o->interval_ns / 1e6;
	size_t *last;

	if (o->charge == PROFILE_CHARGE_OWN)
		return NULL;
	charges = xcalloc(p->samples.len + 1, sizeof(*charges));
	last = xcalloc(p->threads.len + 1, sizeof(*last)); /* of a thread, from 1 */
	for (size_t i = 0; i < p->samples.len; i++) {
		const struct profile_sample *s = &p->samples.ptr[i];
		size_t *before = &last[s->thread];

		charges[i] = o->charge == PROFILE_CHARGE_TICK ? tick : -1;
		if (o->charge == PROFILE_CHARGE_GAP && *before)
			charges[*before - 1] =
				(double)MAX(s->t_ns - p->samples.ptr[*before - 1].t_ns, 0) / 1e6;
		*before = i + 1;
	}
	free(last);
	return charges;
}

/* From the leaves up, as callers stand before callees. */
static void add_up(struct profile_view *v)
{
	vec_for_each (&v->nodes, n) {
		n->inc = n->exc;
		n->inc_count = n->exc_count;
	}
	for (size_t i = v->nodes.len; i-- > 1;) {
		struct view_node *n = &v->nodes.ptr[i], *caller = &v->nodes.ptr[n->parent];

		caller->inc += n->inc;
		caller->inc_count += n->inc_count;
	}
}

/* Nodes below a share of the total become part of their callers, and so do all below them. */
static void fold_small(struct profile_view *v, double percent)
{
	double least = fabs(v->total) * percent / 100;

	if (percent <= 0)
		return;
	for (size_t i = v->nodes.len; i-- > 1;) {
		struct view_node *n = &v->nodes.ptr[i], *caller = &v->nodes.ptr[n->parent];

		if (fabs(n->inc) >= least || !n->inc_count)
			continue;
		caller->exc += n->exc;
		caller->exc_count += n->exc_count;
		n->exc = n->inc = 0;
		n->exc_count = n->inc_count = 0;
	}
	vec_for_each (&v->kept, s)
		while (s->node && !v->nodes.ptr[s->node].inc_count)
			s->node = v->nodes.ptr[s->node].parent;
}

static int by_exc(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;

	if (x->exc != y->exc)
		return fabs(x->exc) > fabs(y->exc) ? -1 : 1;
	if (x->inc != y->inc)
		return fabs(x->inc) > fabs(y->inc) ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Is there a caller of the same name above it? */
static bool is_within_itself(const struct profile_view *v, uint32_t node)
{
	uint32_t name = v->nodes.ptr[node].name;

	while (node) {
		node = v->nodes.ptr[node].parent;
		if (node && v->nodes.ptr[node].name == name)
			return true;
	}
	return false;
}

static void make_rows(struct profile_view *v)
{
	struct view_row *rows = xcalloc(v->names.len, sizeof(*rows));

	for (uint32_t i = 1; i < v->nodes.len; i++) {
		const struct view_node *n = &v->nodes.ptr[i];
		struct view_row *r = &rows[n->name];

		if (!n->inc_count)
			continue;
		r->exc += n->exc;
		r->exc_count += n->exc_count;
		if (is_within_itself(v, i))
			continue;
		r->inc += n->inc;
		r->inc_count += n->inc_count;
	}
	for (uint32_t i = 0; i < v->names.len; i++) {
		rows[i].name = i;
		if (rows[i].inc_count)
			vec_push(&v->rows, rows[i]);
	}
	free(rows);
	if (v->rows.len)
		qsort(v->rows.ptr, v->rows.len, sizeof(*v->rows.ptr), by_exc);
}

/* Frames that are now called the same are one, and so are nodes of them below the same caller. */
static void rename_all(struct build *b)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	uint32_t *names = xcalloc(b->v->names.len, sizeof(*names));
	uint32_t *nodes = xcalloc(b->v->nodes.len, sizeof(*nodes));
	struct profile_view old = *b->v;

	profile_release(&b->tree);
	profile_init(&b->tree, "");
	b->v->nodes = (__typeof__(b->v->nodes))VEC_INIT;
	vec_push(&b->v->nodes, old.nodes.ptr[0]);
	for (uint32_t i = 0; i < old.names.len; i++) {
		strbuf_clear(&out);
		profile_written_name(&out, b->v->names.ptr[i], false);
		names[i] = intern(b, strbuf_cstr(&out));
	}
	for (uint32_t i = 1; i < old.nodes.len; i++) {
		const struct view_node *from = &old.nodes.ptr[i];
		struct view_node *to;

		nodes[i] = child_of(b, nodes[from->parent], names[from->name]);
		to = &b->v->nodes.ptr[nodes[i]];
		to->exc += from->exc;
		to->exc_count += from->exc_count;
	}
	vec_for_each (&b->v->kept, s)
		s->node = nodes[s->node];
	vec_release(&old.nodes);
	add_up(b->v);
	free(names);
	free(nodes);
}

void profile_view_make(const struct profile *p, const struct profile_view_opts *o,
		       struct profile_view *ret)
{
	struct build b = { .p = p, .o = o, .v = ret };

	*ret = (struct profile_view){ .unit = o->charge ? "ms" : p->unit };
	b.charges = make_charges(p, o);
	b.frames = xcalloc(p->frames.len, sizeof(*b.frames));
	b.placed = xcalloc(p->nodes.len, sizeof(*b.placed));
	b.seen = xcalloc(1024, sizeof(*b.seen));
	b.seen_len = 1024;
	profile_init(&b.tree, "");
	intern(&b, "");
	vec_push(&ret->nodes, ((struct view_node){ 0 }));
	place_all(&b);
	vec_for_each (&p->samples, s)
		if (is_wanted(&b, s))
			add_sample(&b, s);
	add_up(ret);
	fold_small(ret, o->fold_percent);
	if (o->written)
		rename_all(&b);
	make_rows(ret);
	profile_release(&b.tree);
	map_release(&b.names);
	free(b.frames);
	free(b.placed);
	free(b.matches);
	free(b.seen);
	free(b.charges);
}

void profile_view_release(struct profile_view *v)
{
	vec_for_each (&v->names, n)
		free(*n);
	vec_release(&v->names);
	vec_release(&v->nodes);
	vec_release(&v->kept);
	vec_release(&v->rows);
}

/* ---- callers and callees ---- */

static int by_inc(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;

	if (x->inc != y->inc)
		return fabs(x->inc) > fabs(y->inc) ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void add_to(struct view_row *rows, uint32_t name, const struct view_node *n)
{
	rows[name].inc += n->inc;
	rows[name].inc_count += n->inc_count;
	rows[name].exc += n->exc;
	rows[name].exc_count += n->exc_count;
}

static void collect(struct view_rows *list, struct view_row *rows, size_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		rows[i].name = i;
		if (rows[i].inc_count)
			vec_push(list, rows[i]);
	}
	if (list->len)
		qsort(list->ptr, list->len, sizeof(*list->ptr), by_inc);
	free(rows);
}

void profile_view_neighbours(const struct profile_view *v, uint32_t name,
			     struct view_neighbours *ret)
{
	struct view_row *callers = xcalloc(v->names.len, sizeof(*callers));
	struct view_row *callees = xcalloc(v->names.len, sizeof(*callees));

	*ret = (struct view_neighbours){ 0 };
	for (uint32_t i = 1; i < v->nodes.len; i++) {
		const struct view_node *n = &v->nodes.ptr[i];
		const struct view_node *caller = &v->nodes.ptr[n->parent];

		if (n->name == name && !is_within_itself(v, i))
			add_to(callers, caller->name, n);
		if (n->parent && caller->name == name && n->name != name &&
		    !is_within_itself(v, n->parent))
			add_to(callees, n->name, n);
	}
	collect(&ret->callers, callers, v->names.len);
	collect(&ret->callees, callees, v->names.len);
}

void view_neighbours_release(struct view_neighbours *n)
{
	vec_release(&n->callers);
	vec_release(&n->callees);
}
