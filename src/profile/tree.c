#include "profile/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

static int by_caller_and_inc(const void *a, const void *b, void *user)
{
	const struct view_tree *t = user;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct view_node *x = &t->view->nodes.ptr[i], *y = &t->view->nodes.ptr[j];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (fabs(x->inc) != fabs(y->inc))
		return fabs(x->inc) > fabs(y->inc) ? -1 : 1;
	return i < j ? -1 : i > j;
}

static void link_children(struct view_tree *t)
{
	size_t n = 0, len = t->view->nodes.len;
	uint32_t *order = xcalloc(len, sizeof(*order));

	for (uint32_t i = 1; i < len; i++)
		if (t->view->nodes.ptr[i].inc_count)
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), by_caller_and_inc, t);
	for (size_t i = n; i-- > 0;) {
		uint32_t caller = t->view->nodes.ptr[order[i]].parent;

		t->next[order[i]] = t->first[caller];
		t->first[caller] = order[i];
	}
	free(order);
}

static void mark_hot(struct view_tree *t)
{
	const struct view_node *nodes = t->view->nodes.ptr;

	t->hot[0] = true;
	for (uint32_t at = 0, child; (child = t->first[at]); at = child) {
		if (fabs(nodes[child].inc) * 100 < fabs(nodes[at].inc) * TREE_HOT_PERCENT)
			break;
		t->hot[child] = true;
	}
}

void view_tree_make(const struct profile_view *v, struct view_tree *ret)
{
	*ret = (struct view_tree){
		.view = v,
		.first = xcalloc(v->nodes.len, sizeof(*ret->first)),
		.next = xcalloc(v->nodes.len, sizeof(*ret->next)),
		.hot = xcalloc(v->nodes.len, sizeof(*ret->hot)),
	};
	link_children(ret);
	mark_hot(ret);
}

void view_tree_release(struct view_tree *t)
{
	free(t->first);
	free(t->next);
	free(t->hot);
}

/* ---- around one name ---- */

struct around {
	struct profile tree; /* its nodes: (parent, name) -> node */
	struct profile_view *ret;
};

static uint32_t child_of(struct around *a, uint32_t parent, uint32_t name)
{
	uint32_t node = profile_child(&a->tree, parent, name);

	if (node == a->ret->nodes.len)
		vec_push(&a->ret->nodes, ((struct view_node){ .parent = parent, .name = name }));
	return node;
}

static void add(struct view_node *n, double weight, uint64_t count)
{
	n->inc += weight;
	n->inc_count += count;
}

/* Is a node of this name above it? */
static bool is_below(const struct profile_view *v, uint32_t node, uint32_t name)
{
	while (node) {
		node = v->nodes.ptr[node].parent;
		if (node && v->nodes.ptr[node].name == name)
			return true;
	}
	return false;
}

static void add_callers(struct around *a, const struct profile_view *v, uint32_t node)
{
	const struct view_node *from = &v->nodes.ptr[node];
	uint32_t at = 0;

	add(&a->ret->nodes.ptr[0], from->inc, from->inc_count);
	for (uint32_t i = node; i; i = v->nodes.ptr[i].parent) {
		at = child_of(a, at, v->nodes.ptr[i].name);
		add(&a->ret->nodes.ptr[at], from->inc, from->inc_count);
	}
	a->ret->nodes.ptr[at].exc += from->inc;
	a->ret->nodes.ptr[at].exc_count += from->inc_count;
}

/* to: where each of the view's nodes lies in the new one, + 1; 0 = nowhere */
static void add_callees(struct around *a, const struct profile_view *v, uint32_t name)
{
	uint32_t *to = xcalloc(v->nodes.len, sizeof(*to));

	for (uint32_t i = 1; i < v->nodes.len; i++) {
		const struct view_node *from = &v->nodes.ptr[i];
		bool inside = to[from->parent] != 0;
		struct view_node *n;

		if (!inside && from->name != name)
			continue;
		if (!inside)
			add(&a->ret->nodes.ptr[0], from->inc, from->inc_count);
		to[i] = child_of(a, inside ? to[from->parent] - 1 : 0, from->name) + 1;
		n = &a->ret->nodes.ptr[to[i] - 1];
		add(n, from->inc, from->inc_count);
		n->exc += from->exc;
		n->exc_count += from->exc_count;
	}
	free(to);
}

void profile_view_around(const struct profile_view *v, uint32_t name, bool callers,
			 struct profile_view *ret)
{
	struct around a = { .ret = ret };

	*ret = (struct profile_view){ .unit = v->unit,
				      .first_ns = v->first_ns,
				      .last_ns = v->last_ns };
	profile_init(&a.tree, "");
	vec_push(&ret->nodes, ((struct view_node){ 0 }));
	vec_for_each (&v->names, n)
		vec_push(&ret->names, xstrdup(*n));
	for (uint32_t i = 1; callers && i < v->nodes.len; i++)
		if (v->nodes.ptr[i].name == name && !is_below(v, i, name))
			add_callers(&a, v, i);
	if (!callers)
		add_callees(&a, v, name);
	ret->total = ret->nodes.ptr[0].inc;
	ret->samples = ret->nodes.ptr[0].inc_count;
	profile_release(&a.tree);
}
