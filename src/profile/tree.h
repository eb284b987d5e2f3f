/*
 * tree.h - a view's call tree in the order people read it: children by weight, and the hot path,
 * the heaviest child of the heaviest child for as long as one has most of its caller's weight.
 */
#ifndef ASSAY_PROFILE_TREE_H
#define ASSAY_PROFILE_TREE_H

#include "profile/view.h"

/* A child has most of it from here on. */
#define TREE_HOT_PERCENT 50

struct view_tree {
	const struct profile_view *view; /* borrowed */
	uint32_t *first, *next;		 /* by node: its heaviest child, and its next lighter
					    sibling; 0 = none */
	bool *hot;			 /* by node: on the hot path */
};

void view_tree_make(const struct profile_view *v, struct view_tree *ret);
void view_tree_release(struct view_tree *t);

/*
 * What lies below a name (or with callers set above it), from its outermost occurrences: a view
 * with that name below the root, whose total it has. Neither rows nor samples are made. The caller
 * releases it.
 */
void profile_view_around(const struct profile_view *v, uint32_t name, bool callers,
			 struct profile_view *ret);

#endif
