/*
 * The text at the end of a run, in the form that people who know k6 look for: thresholds, checks,
 * then the metrics by kind with dotted leaders, figures in columns. The layout was taken from k6's
 * documentation ("End of test") and from outputs people published.
 */
#include "load/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/summary_internal.h"

enum block {
	BLOCK_CUSTOM,
	BLOCK_HTTP,
	BLOCK_EXECUTION,
	BLOCK_NETWORK,
	BLOCK_WEBSOCKET,
	BLOCKS,
	BLOCK_NONE
};

static const char *const block_titles[BLOCKS] = { "CUSTOM", "HTTP", "EXECUTION", "NETWORK",
						  "WEBSOCKET" };

/* --- small parts ------------------------------------------------------------------------------ */

static void print_line(const struct summary_text *t, const struct summary_table *table,
		       const struct summary_row *row)
{
	strbuf_addstr(t->out, "    ");
	summary_print_row(t->out, table, row);
}

static void heading(struct summary_text *t, const char *title)
{
	strbuf_addf(t->out, "\n  %s %s\n\n", t->style.ascii ? "#" : "\xe2\x96\x88", title);
}

/* --- thresholds ------------------------------------------------------------------------------- */

static void print_threshold(struct summary_text *t, const struct load_threshold *th)
{
	const struct load_metric *m = th->metric;
	const char *aggregate = th->expr.aggregate;

	strbuf_addstr(t->out, "    ");
	summary_mark(t, th->ok);
	strbuf_addf(t->out, " '%s' %s=", th->source, aggregate);
	if (m->type == LOAD_RATE)
		summary_fmt_percent(t->out, th->value);
	else
		summary_value(t, t->out, th->value, m->contains);
	if (m->type == LOAD_COUNTER && !strcmp(aggregate, "rate"))
		strbuf_addstr(t->out, "/s");
	strbuf_addstr(t->out, th->empty ? " (no samples)\n" : "\n");
}

static void print_thresholds(struct summary_text *t)
{
	if (!t->s->thresholds || !t->s->thresholds->list.len)
		return;
	heading(t, "THRESHOLDS");
	vec_for_each (&t->items, item) {
		const struct load_threshold *th = summary_next_threshold(t->s, item, NULL);

		if (!th)
			continue;
		strbuf_addf(t->out, "    %s\n", item->name);
		for (; th; th = summary_next_threshold(t->s, item, th))
			print_threshold(t, th);
		strbuf_addch(t->out, '\n');
	}
}

/* --- checks ----------------------------------------------------------------------------------- */

static void add_share(struct summary_row *row, uint64_t part, uint64_t all)
{
	summary_fmt_percent(summary_next_column(row), all ? (double)part / (double)all : 0);
	strbuf_addf(summary_next_column(row), "%llu out of %llu", (unsigned long long)part,
		    (unsigned long long)all);
}

void summary_print_check(const struct summary_text *t, const struct load_check *c)
{
	uint64_t all = c->passes + c->fails;

	strbuf_addstr(t->out, "    ");
	summary_mark(t, !c->fails);
	strbuf_addf(t->out, " %s\n", c->name);
	if (!c->fails)
		return;
	strbuf_addf(t->out, "      %s  %llu%% %s ", t->style.ascii ? "->" : "\xe2\x86\xb3",
		    (unsigned long long)(c->passes * 100 / all),
		    t->style.ascii ? "-" : "\xe2\x80\x94");
	summary_mark(t, true);
	strbuf_addf(t->out, " %llu / ", (unsigned long long)c->passes);
	summary_mark(t, false);
	strbuf_addf(t->out, " %llu\n", (unsigned long long)c->fails);
}

static void print_checks(struct summary_text *t)
{
	CLEANUP(summary_table_release) struct summary_table table = { 0 };
	const struct load_metric *m =
		load_metrics_builtin(load_agg_metrics(t->s->agg), LOAD_M_CHECKS);
	const struct load_values *v = load_agg_metric(t->s->agg, m);
	struct summary_row *row;

	if (!v->count)
		return;
	row = summary_add_row(&table, "checks_total");
	strbuf_addf(summary_next_column(row), "%llu", (unsigned long long)v->count);
	summary_per_second(t, summary_next_column(row), (double)v->count, LOAD_DEFAULT);
	add_share(summary_add_row(&table, "checks_succeeded"), v->passes, v->count);
	add_share(summary_add_row(&table, "checks_failed"), v->count - v->passes, v->count);
	summary_measure(&table);
	vec_for_each (&table, r)
		print_line(t, &table, r);
	strbuf_addch(t->out, '\n');
	for (size_t i = 0; i < load_agg_check_count(t->s->agg); i++)
		summary_print_check(t, load_agg_check_at(t->s->agg, i));
	strbuf_addch(t->out, '\n');
}

/* --- metrics ---------------------------------------------------------------------------------- */

/* Phases of a request; the compact form shows them only when a threshold names them. */
static bool is_phase(const char *name)
{
	static const char *const phases[] = { "blocked", "connecting", "tls_handshaking",
					      "sending", "waiting",    "receiving" };

	for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
		if (!strcmp(name + strlen("http_req_"), phases[i]))
			return true;
	return false;
}

static enum block block_of(const struct summary_text *t, const struct summary_item *item)
{
	const struct load_metric *m = item->metric;

	if (m->id == LOAD_M_CHECKS)
		return BLOCK_NONE;
	if (m->custom)
		return BLOCK_CUSTOM;
	if (t->s->plan->summary_mode == LOAD_SUMMARY_COMPACT && !strncmp(m->name, "http_req_", 9) &&
	    is_phase(m->name) && !summary_next_threshold(t->s, item, NULL))
		return BLOCK_NONE;
	if (!strncmp(m->name, "http_", 5))
		return BLOCK_HTTP;
	if (!strncmp(m->name, "ws_", 3))
		return BLOCK_WEBSOCKET;
	return m->contains == LOAD_DATA ? BLOCK_NETWORK : BLOCK_EXECUTION;
}

static void add_metric(const struct summary_text *t, struct summary_table *table,
		       const struct summary_item *item)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	enum block block = block_of(t, item);
	struct summary_row *row;

	if (block == BLOCK_NONE)
		return;
	summary_item_name(item, &name);
	row = summary_add_row(table, strbuf_cstr(&name));
	row->block = block;
	if (item->metric->type == LOAD_RATE)
		add_share(row, item->values->passes, item->values->count);
	else
		summary_add_columns(t, row, item);
}

static void print_block(const struct summary_text *t, const struct summary_table *table,
			enum block block)
{
	bool any = false;

	vec_for_each (table, row) {
		if (row->block != (unsigned)block)
			continue;
		if (!any)
			strbuf_addf(t->out, "    %s\n", block_titles[block]);
		any = true;
		print_line(t, table, row);
	}
	if (any)
		strbuf_addch(t->out, '\n');
}

static void print_metrics(struct summary_text *t)
{
	CLEANUP(summary_table_release) struct summary_table table = { 0 };

	vec_for_each (&t->items, item)
		add_metric(t, &table, item);
	summary_measure(&table);
	for (int block = 0; block < BLOCKS; block++)
		print_block(t, &table, (enum block)block);
}

void summary_print_results(struct summary_text *t)
{
	print_checks(t);
	print_metrics(t);
}

void load_summary_fmt(const struct load_summary *s, struct load_summary_style style,
		      struct strbuf *out)
{
	struct summary_text t = { .s = s, .style = style, .out = out };

	summary_items_make(s, &t.items);
	if (s->plan->summary_mode == LOAD_SUMMARY_LEGACY) {
		summary_fmt_legacy(&t);
	} else {
		print_thresholds(&t);
		heading(&t, "TOTAL RESULTS");
		summary_print_results(&t);
		if (s->plan->summary_mode == LOAD_SUMMARY_FULL)
			summary_fmt_parts(&t);
	}
	summary_fmt_own(s, style, out);
	vec_release(&t.items);
}
