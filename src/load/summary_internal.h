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

/* ---- text: summary.c, summary_table.c, summary_full.c, summary_legacy.c ---- */

#define SUMMARY_COLUMNS 8 /* of a row; further aggregates are joined without alignment */

/* Rows are collected first and printed when the widths of all columns are known. */
struct summary_row {
	struct strbuf name;
	struct strbuf columns[SUMMARY_COLUMNS];
	unsigned used;
	unsigned block;			 /* the caller's: which of its blocks it stands in */
	bool trend;			 /* its columns align with other trends' */
	const struct summary_item *item; /* or NULL */
};

struct summary_table {
	struct summary_row *ptr; /* a vector */
	size_t len, cap;
	size_t name_width, trend_width[SUMMARY_COLUMNS], other_width[SUMMARY_COLUMNS];
};

struct summary_text {
	const struct load_summary *s;
	struct load_summary_style style;
	struct strbuf *out;
	struct summary_items items;
};

struct summary_row *summary_add_row(struct summary_table *table, const char *name);
struct strbuf *summary_next_column(struct summary_row *row);
void summary_measure(struct summary_table *table);
/* "NAME...: COLUMN COLUMN" and a line's end. */
void summary_print_row(struct strbuf *out, const struct summary_table *table,
		       const struct summary_row *row);
void summary_table_release(struct summary_table *table);

void summary_mark(const struct summary_text *t, bool ok);
void summary_value(const struct summary_text *t, struct strbuf *out, double v,
		   enum load_contains contains);
void summary_per_second(const struct summary_text *t, struct strbuf *out, double sum,
			enum load_contains contains);

/* The columns of a trend, a gauge or a counter; "NAME" or "  { TAGS }". */
void summary_add_columns(const struct summary_text *t, struct summary_row *row,
			 const struct summary_item *item);
void summary_item_name(const struct summary_item *item, struct strbuf *out);
void summary_print_check(const struct summary_text *t, const struct load_check *c);

/* The checks and metrics of t, without a heading. */
void summary_print_results(struct summary_text *t);

void summary_fmt_parts(const struct summary_text *t);  /* full: a block a group and scenario */
void summary_fmt_legacy(const struct summary_text *t); /* instead of all the blocks */

/* summary_own.c: assay's block. */
void summary_fmt_own(const struct load_summary *s, struct load_summary_style style,
		     struct strbuf *out);

#endif
