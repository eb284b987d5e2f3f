#include "profile/diff.h"

#include <math.h>
#include <stdlib.h>

struct build {
	struct view_diff *d;
	struct map names;    /* -> number + 1 */
	struct profile tree; /* its nodes: (parent, name) -> node */
};

static uint32_t intern(struct build *b, const char *name)
{
	uintptr_t known = (uintptr_t)map_get(&b->names, str_from(name));

	if (!known) {
		vec_push(&b->d->names, xstrdup(name));
		known = b->d->names.len;
		map_put(&b->names, str_from(name), (void *)known);
	}
	return (uint32_t)known - 1;
}

/* names: by number of name in the view, + 1; 0 = it has not occurred yet. */
static uint32_t name_of(struct build *b, const struct profile_view *v, uint32_t *names,
			uint32_t name)
{
	if (!names[name])
		names[name] = intern(b, v->names.ptr[name]) + 1;
	return names[name] - 1;
}

static void add_nodes(struct build *b, const struct profile_view *v, uint32_t *names, unsigned side,
		      double scale)
{
	uint32_t *nodes = xcalloc(v->nodes.len, sizeof(*nodes));

	for (size_t i = 0; i < v->nodes.len; i++) {
		const struct view_node *from = &v->nodes.ptr[i];
		struct diff_node *to;
		uint32_t name;

		if (i && !from->inc_count)
			continue;
		name = name_of(b, v, names, from->name);
		if (i)
			nodes[i] = profile_child(&b->tree, nodes[from->parent], name);
		if (nodes[i] == b->d->nodes.len)
			vec_push(&b->d->nodes, ((struct diff_node){ .parent = nodes[from->parent],
								    .name = name }));
		to = &b->d->nodes.ptr[nodes[i]];
		to->exc[side] = from->exc * scale;
		to->inc[side] = from->inc * scale;
	}
	free(nodes);
}

static void add_view(struct build *b, struct diff_row *rows[], size_t *len,
		     const struct profile_view *v, unsigned side, double scale)
{
	uint32_t *names = xcalloc(v->names.len + 1, sizeof(*names));

	add_nodes(b, v, names, side, scale);
	*rows = xrealloc(*rows, (b->d->names.len + 1) * sizeof(**rows));
	for (; *len < b->d->names.len; ++*len)
		(*rows)[*len] = (struct diff_row){ .name = (uint32_t)*len };
	vec_for_each (&v->rows, r) {
		struct diff_row *row = &(*rows)[name_of(b, v, names, r->name)];

		row->exc[side] = r->exc * scale;
		row->inc[side] = r->inc * scale;
	}
	b->d->total[side] = v->total * scale;
	free(names);
}

static double change(const double *sides)
{
	return fabs(sides[DIFF_TEST] - sides[DIFF_BASE]);
}

static int by_change(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;

	if (change(x->exc) != change(y->exc))
		return change(x->exc) > change(y->exc) ? -1 : 1;
	if (change(x->inc) != change(y->inc))
		return change(x->inc) > change(y->inc) ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static bool is_empty(const struct diff_row *r)
{
	return r->inc[DIFF_BASE] == 0 && r->inc[DIFF_TEST] == 0;
}

void view_diff_make(const struct profile_view *base, const struct profile_view *test,
		    const double scale[DIFF_SIDES], struct view_diff *ret)
{
	struct build b = { .d = ret };
	struct diff_row *rows = NULL;
	size_t len = 0;

	*ret = (struct view_diff){ 0 };
	profile_init(&b.tree, "");
	add_view(&b, &rows, &len, test, DIFF_TEST, scale[DIFF_TEST]);
	if (base)
		add_view(&b, &rows, &len, base, DIFF_BASE, scale[DIFF_BASE]);
	for (size_t i = 0; i < len; i++)
		if (!is_empty(&rows[i]))
			vec_push(&ret->rows, rows[i]);
	if (ret->rows.len)
		qsort(ret->rows.ptr, ret->rows.len, sizeof(*ret->rows.ptr), by_change);
	profile_release(&b.tree);
	map_release(&b.names);
	free(rows);
}

void view_diff_release(struct view_diff *d)
{
	vec_for_each (&d->names, n)
		free(*n);
	vec_release(&d->names);
	vec_release(&d->nodes);
	vec_release(&d->rows);
}

double diff_overweight(const struct view_diff *d, double base, double test)
{
	double all = d->total[DIFF_TEST] - d->total[DIFF_BASE];

	if (all == 0 || base == 0 || d->total[DIFF_BASE] == 0)
		return NAN;
	return 100 * (test - base) / (base * all / d->total[DIFF_BASE]);
}
