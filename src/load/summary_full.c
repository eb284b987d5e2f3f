/* The blocks that the full form adds: each group, then each scenario with the groups within it. */
#include <stdlib.h>

#include "load/summary_internal.h"

/* Which parts belong together. */
struct choice {
	const char *scenario, *group; /* NULL = any */
};

static struct load_agg *merge_parts(const struct load_summary *s, struct choice c)
{
	struct load_agg *all = load_agg_new(load_agg_metrics(s->agg));

	for (size_t i = 0; i < load_agg_part_count(s->agg); i++) {
		const struct load_part *p = load_agg_part_at(s->agg, i);

		if ((!c.scenario || !strcmp(p->scenario, c.scenario)) &&
		    (!c.group || !strcmp(p->group, c.group)))
			load_agg_merge(all, p->agg);
	}
	return all;
}

/* Its checks and metrics, indent further in than those of the whole; nothing when it has none. */
static void print_part(const struct summary_text *t, struct choice c, const char *title,
		       unsigned indent)
{
	CLEANUP(cleanup_load_agg) struct load_agg *agg = merge_parts(t->s, c);
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct load_summary part = *t->s;
	struct summary_text inner = { .s = &part, .style = t->style, .out = &text };
	struct str rest, line;

	part.agg = agg;
	part.thresholds = NULL;
	summary_items_make(&part, &inner.items);
	summary_print_results(&inner);
	vec_release(&inner.items);
	strbuf_addf(t->out, "\n%*s  %s\n\n", (int)indent, "", title);
	rest = strbuf_str(&text);
	while (str_split(&rest, '\n', &line) && rest.ptr)
		strbuf_addf(t->out, "%*s%.*s\n", line.len ? (int)indent : 0, "", STR_FMT(line));
}

static bool has_part(const struct load_summary *s, const char *scenario, const char *group)
{
	for (size_t i = 0; i < load_agg_part_count(s->agg); i++) {
		const struct load_part *p = load_agg_part_at(s->agg, i);

		if ((!scenario || !strcmp(p->scenario, scenario)) && !strcmp(p->group, group))
			return true;
	}
	return false;
}

/* The groups below a node, deeper ones further in; setup's and teardown's are no group of a
 * script's. */
static void print_groups(const struct summary_text *t, const struct summary_tree *tree, size_t node,
			 const char *scenario, unsigned indent)
{
	const char *block = t->style.ascii ? "#" : "\xe2\x96\x88";
	const char *arrow = t->style.ascii ? "->" : "\xe2\x86\xb3";

	for (size_t i = 0; i < tree->ptr[node].groups.len; i++) {
		size_t child = tree->ptr[node].groups.ptr[i];
		const struct summary_group *g = &tree->ptr[child];
		CLEANUP(strbuf_release) struct strbuf title = STRBUF_INIT;

		strbuf_addf(&title, "%s GROUP: %s", indent ? arrow : block, g->name);
		if (has_part(t->s, scenario, g->path))
			print_part(t, (struct choice){ scenario, g->path }, strbuf_cstr(&title),
				   indent);
		print_groups(t, tree, child, scenario, indent + 2);
	}
}

static bool is_first(const struct load_summary *s, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(load_agg_part_at(s->agg, i)->scenario,
			    load_agg_part_at(s->agg, at)->scenario))
			return false;
	return true;
}

void summary_fmt_parts(const struct summary_text *t)
{
	struct summary_tree tree;

	summary_tree_make(t->s->agg, &tree);
	print_groups(t, &tree, 0, NULL, 0);
	for (size_t i = 0; i < load_agg_part_count(t->s->agg); i++) {
		const char *scenario = load_agg_part_at(t->s->agg, i)->scenario;
		CLEANUP(strbuf_release) struct strbuf title = STRBUF_INIT;

		if (!*scenario || !is_first(t->s, i))
			continue;
		strbuf_addf(&title, "%s SCENARIO: %s", t->style.ascii ? "#" : "\xe2\x96\x88",
			    scenario);
		print_part(t, (struct choice){ scenario, NULL }, strbuf_cstr(&title), 0);
		print_groups(t, &tree, 0, scenario, 2);
	}
	summary_tree_release(&tree);
}
