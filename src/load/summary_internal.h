/*
 * summary_internal.h - what the forms of the summary share: which metrics appear, in which order;
 * the tree of groups; figures as text. Used by summary*.c only.
 */
#ifndef ASSAY_LOAD_SUMMARY_INTERNAL_H
#define ASSAY_LOAD_SUMMARY_INTERNAL_H

#include "base/map.h"
#include "load/summary.h"

/* A metric or submetric that appears: it has samples, or a threshold names it. */
struct summary_item {
	const char *name;
	const struct load_metric *metric;
	const struct load_submetric *sub; /* NULL = the metric itself */
	const struct load_values *values;
};

struct summary_items {
	struct summary_item *ptr; /* a vector, sorted by metric, submetrics after their metric */
	size_t len, cap;
};

void summary_items_make(const struct load_summary *s, struct summary_items *ret);

/* The thresholds of an item, in their order: start with NULL; NULL after the last. */
const struct load_threshold *summary_next_threshold(const struct load_summary *s,
						    const struct summary_item *item,
						    const struct load_threshold *previous);

double summary_seconds(const struct load_summary *s);

/* Groups as a tree; node 0 is the root. */
struct summary_group {
	const char *path, *name; /* borrowed: "::a::b" and "b" */
	struct {
		size_t *ptr;
		size_t len, cap;
	} groups, checks; /* numbers of nodes, and of checks in the aggregate */
};

struct summary_tree {
	struct summary_group *ptr; /* a vector */
	size_t len, cap;
	struct map index; /* path -> number of the node + 1 */
	struct load_texts paths;
};

void summary_tree_make(const struct load_agg *agg, struct summary_tree *ret);
void summary_tree_release(struct summary_tree *t);

/* md5 in hex of a path: k6's id of a group or check. */
#define SUMMARY_ID_BYTES 33
void summary_id(const char *path, char ret[SUMMARY_ID_BYTES]);

/* A figure as k6 writes it; µ becomes u when ascii. */
void summary_fmt_value(struct strbuf *out, double v, enum load_contains contains,
		       enum load_time_unit unit, bool ascii);
void summary_fmt_percent(struct strbuf *out, double share); /* "83.33%", cut, not rounded */

/* summary_own.c: assay's block. */
void summary_fmt_own(const struct load_summary *s, struct load_summary_style style,
		     struct strbuf *out);

#endif
