/*
 * html_walk.h - from some nodes of a document to others: what jQuery's traversal methods do,
 * without the script. Results have no node twice, and are in the order in which they were come
 * upon.
 */
#ifndef ASSAY_LOAD_K6_HTML_WALK_H
#define ASSAY_LOAD_K6_HTML_WALK_H

#include "load/k6/html_select.h"

struct load_html_list {
	struct load_html_node **ptr;
	size_t len, cap;
};

static inline void load_html_list_release(struct load_html_list *l)
{
	vec_release(l);
}

/* A set of a document's nodes, one bit each. */
uint64_t *load_html_marks(const struct load_html_doc *doc, const struct load_html_list *nodes);

static inline bool load_html_marked(const uint64_t *marks, const struct load_html_node *n)
{
	return marks[n->id / 64] >> (n->id % 64) & 1;
}

/* What to let through; neither = nothing. */
struct load_html_filter {
	const struct load_html_selector *selector;
	const uint64_t *marks;
};

bool load_html_pass(const struct load_html_filter *f, const struct load_html_node *n,
		    uint64_t *steps);

enum load_html_step {
	LOAD_HTML_CHILDREN, /* elements */
	LOAD_HTML_CONTENTS, /* all nodes */
	LOAD_HTML_PARENT,
	LOAD_HTML_PARENTS, /* the nearest first */
	LOAD_HTML_NEXT,
	LOAD_HTML_NEXT_ALL,
	LOAD_HTML_PREV,
	LOAD_HTML_PREV_ALL, /* the nearest first */
	LOAD_HTML_SIBLINGS,
};

struct load_html_walk {
	const struct load_html_doc *doc;
	const struct load_html_list *from;
	const struct load_html_filter *until; /* stops *_ALL and PARENTS before it; NULL = never */
	const struct load_html_filter *only;  /* NULL = all */
	uint64_t *steps;
	/* private */
	struct load_html_list *out;
	uint64_t *seen;
};

/* Appends to *out. */
void load_html_step(struct load_html_walk *w, enum load_html_step step, struct load_html_list *out);

/* Appends the descendants of from that `only` lets through. */
void load_html_find(struct load_html_walk *w, struct load_html_list *out);

/* Appends for each of from itself or the nearest ancestor that `only` lets through. */
void load_html_closest(struct load_html_walk *w, struct load_html_list *out);

#endif
