#include "load/k6/html_walk.h"

#include <stdlib.h>

static uint64_t *new_marks(const struct load_html_doc *doc)
{
	return xcalloc(doc->nodes / 64 + 1, sizeof(uint64_t));
}

static void mark(uint64_t *marks, const struct load_html_node *n)
{
	marks[n->id / 64] |= UINT64_C(1) << (n->id % 64);
}

uint64_t *load_html_marks(const struct load_html_doc *doc, const struct load_html_list *nodes)
{
	uint64_t *marks = new_marks(doc);

	vec_for_each (nodes, n)
		mark(marks, *n);
	return marks;
}

bool load_html_pass(const struct load_html_filter *f, const struct load_html_node *n,
		    uint64_t *steps)
{
	if (f->selector)
		return load_html_match(f->selector, n, steps);
	return f->marks && load_html_marked(f->marks, n);
}

/* False when n was there before. */
static bool take(struct load_html_walk *w, struct load_html_node *n)
{
	++*w->steps;
	if (load_html_marked(w->seen, n))
		return false;
	mark(w->seen, n);
	if (!w->only || load_html_pass(w->only, n, w->steps))
		vec_push(w->out, n);
	return true;
}

static struct load_html_node *parent_element(const struct load_html_node *n)
{
	return n->parent && n->parent->type == LOAD_HTML_ELEMENT ? n->parent : NULL;
}

static bool stops(struct load_html_walk *w, const struct load_html_node *n)
{
	return w->until && load_html_pass(w->until, n, w->steps);
}

/* On in one direction. Where somebody has been the rest was taken as well. */
static void take_chain(struct load_html_walk *w, struct load_html_node *n,
		       struct load_html_node *(*on)(const struct load_html_node *))
{
	for (n = on(n); n && !stops(w, n); n = on(n))
		if (!take(w, n))
			return;
}

static void take_one(struct load_html_walk *w, struct load_html_node *n)
{
	if (n)
		take(w, n);
}

static void take_children(struct load_html_walk *w, const struct load_html_node *n,
			  const struct load_html_node *but, bool all)
{
	for (struct load_html_node *c = n->first; c; c = c->next)
		if (c != but && (all || c->type == LOAD_HTML_ELEMENT))
			take(w, c);
}

static void step_from(struct load_html_walk *w, enum load_html_step step, struct load_html_node *n)
{
	switch (step) {
	case LOAD_HTML_CHILDREN:
	case LOAD_HTML_CONTENTS:
		take_children(w, n, NULL, step == LOAD_HTML_CONTENTS);
		break;
	case LOAD_HTML_PARENT:
		take_one(w, parent_element(n));
		break;
	case LOAD_HTML_PARENTS:
		take_chain(w, n, parent_element);
		break;
	case LOAD_HTML_NEXT:
		take_one(w, load_html_next_element(n));
		break;
	case LOAD_HTML_NEXT_ALL:
		take_chain(w, n, load_html_next_element);
		break;
	case LOAD_HTML_PREV:
		take_one(w, load_html_prev_element(n));
		break;
	case LOAD_HTML_PREV_ALL:
		take_chain(w, n, load_html_prev_element);
		break;
	case LOAD_HTML_SIBLINGS:
		if (n->parent)
			take_children(w, n->parent, n, false);
		break;
	}
}

static void begin(struct load_html_walk *w, struct load_html_list *out)
{
	w->out = out;
	w->seen = new_marks(w->doc);
}

static bool goes_on(const struct load_html_walk *w)
{
	return *w->steps <= LOAD_HTML_STEPS_MAX;
}

static void end(struct load_html_walk *w)
{
	free(w->seen);
	w->seen = NULL;
}

void load_html_step(struct load_html_walk *w, enum load_html_step step, struct load_html_list *out)
{
	begin(w, out);
	for (size_t i = 0; i < w->from->len && goes_on(w); i++)
		step_from(w, step, w->from->ptr[i]);
	end(w);
}

static void find_in(struct load_html_walk *w, const struct load_html_node *top)
{
	struct load_html_node *n = top->first;

	for (; n && goes_on(w); n = load_html_next(n, top))
		take(w, n);
}

void load_html_find(struct load_html_walk *w, struct load_html_list *out)
{
	begin(w, out);
	for (size_t i = 0; i < w->from->len && goes_on(w); i++) {
		/* what was come upon was looked through */
		if (!load_html_marked(w->seen, w->from->ptr[i]))
			find_in(w, w->from->ptr[i]);
	}
	end(w);
}

void load_html_closest(struct load_html_walk *w, struct load_html_list *out)
{
	begin(w, out);
	for (size_t i = 0; i < w->from->len && goes_on(w); i++) {
		struct load_html_node *n = w->from->ptr[i];

		for (; n; n = n->parent) {
			++*w->steps;
			if (!load_html_pass(w->only, n, w->steps))
				continue;
			if (!load_html_marked(w->seen, n))
				vec_push(w->out, n);
			mark(w->seen, n);
			break;
		}
	}
	end(w);
}
