/*
 * The form k6 printed until 0.57, which its module k6-summary still makes: the tree of groups with
 * their checks, then every metric in the order of names, with a mark where thresholds are.
 */
#include "load/summary_internal.h"

/* A check or group, with so many blanks before each line of it. */
static void print_indented(const struct summary_text *t, const struct strbuf *text, unsigned indent)
{
	struct str rest = strbuf_str(text), line;

	while (str_split(&rest, '\n', &line) && rest.ptr)
		strbuf_addf(t->out, "%*s%.*s\n", (int)indent, "", STR_FMT(line));
}

static void print_group(const struct summary_text *t, const struct summary_tree *tree, size_t node,
			unsigned indent)
{
	const struct summary_group *g = &tree->ptr[node];
	unsigned inner = node ? indent + 2 : indent;

	if (node)
		strbuf_addf(t->out, "\n%*s%s %s\n\n", (int)indent, "",
			    t->style.ascii ? "#" : "\xe2\x96\x88", g->name);
	for (size_t i = 0; i < g->checks.len; i++) {
		CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
		struct summary_text one = *t;

		one.out = &text;
		summary_print_check(&one, load_agg_check_at(t->s->agg, g->checks.ptr[i]));
		print_indented(t, &text, inner - 4); /* which it has of itself */
	}
	for (size_t i = 0; i < g->groups.len; i++)
		print_group(t, tree, g->groups.ptr[i], inner);
}

static void add_rate(const struct summary_text *t, struct summary_row *row,
		     const struct load_values *v)
{
	const char *yes = t->style.ascii ? "+" : "\xe2\x9c\x93";
	const char *no = t->style.ascii ? "x" : "\xe2\x9c\x97";

	summary_fmt_percent(summary_next_column(row),
			    v->count ? (double)v->passes / (double)v->count : 0);
	strbuf_addf(summary_next_column(row), "%s %llu", yes, (unsigned long long)v->passes);
	strbuf_addf(summary_next_column(row), "%s %llu", no,
		    (unsigned long long)(v->count - v->passes));
}

/* 1 all its thresholds are met, 0 one is not, -1 it has none. */
static int outcome(const struct summary_text *t, const struct summary_item *item)
{
	const struct load_threshold *th = summary_next_threshold(t->s, item, NULL);
	int ok = th ? 1 : -1;

	for (; th; th = summary_next_threshold(t->s, item, th))
		ok &= th->ok;
	return ok;
}

static void print_metrics(const struct summary_text *t)
{
	CLEANUP(summary_table_release) struct summary_table table = { 0 };

	vec_for_each (&t->items, item) {
		CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
		struct summary_row *row;

		summary_item_name(item, &name);
		row = summary_add_row(&table, strbuf_cstr(&name));
		summary_add_columns(t, row, item);
		if (item->metric->type == LOAD_RATE)
			add_rate(t, row, item->values);
	}
	summary_measure(&table);
	vec_for_each (&table, row) {
		int ok = outcome(t, row->item);

		strbuf_addstr(t->out, "   ");
		if (ok < 0)
			strbuf_addch(t->out, ' ');
		else
			summary_mark(t, ok);
		strbuf_addch(t->out, ' ');
		summary_print_row(t->out, &table, row);
	}
}

void summary_fmt_legacy(const struct summary_text *t)
{
	struct summary_tree tree;

	summary_tree_make(t->s->agg, &tree);
	if (tree.len > 1 || tree.ptr[0].checks.len) {
		strbuf_addch(t->out, '\n');
		print_group(t, &tree, 0, 5);
	}
	strbuf_addch(t->out, '\n');
	print_metrics(t);
	strbuf_addch(t->out, '\n');
	summary_tree_release(&tree);
}
