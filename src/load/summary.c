/*
 * The text at the end of a run, in the form that people who know k6 look for: thresholds, checks,
 * then the metrics by kind with dotted leaders, figures in columns. The layout was taken from k6's
 * documentation ("End of test") and from outputs people published. Rows are collected first and
 * printed when the widths of all columns are known.
 */
#include "load/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/summary_internal.h"

#define COLUMNS 8 /* of a row; further aggregates are joined without alignment */

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

struct row {
	struct strbuf name;
	struct strbuf columns[COLUMNS];
	unsigned used;
	bool trend; /* its columns align with other trends' */
	enum block block;
};

struct table {
	struct row *ptr; /* a vector */
	size_t len, cap;
	size_t name_width, trend_width[COLUMNS], other_width[COLUMNS];
};

struct text {
	const struct load_summary *s;
	struct load_summary_style style;
	struct strbuf *out;
	struct summary_items items;
};

/* --- small parts ------------------------------------------------------------------------------ */

/* Code points, which is what a terminal shows in columns for nearly all names. */
static size_t width(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
	return n;
}

static void pad(struct strbuf *out, size_t n, char c)
{
	for (; n; n--)
		strbuf_addch(out, c);
}

static void heading(struct text *t, const char *title)
{
	strbuf_addf(t->out, "\n  %s %s\n\n", t->style.ascii ? "#" : "\xe2\x96\x88", title);
}

static void mark(struct text *t, bool ok)
{
	const char *sign =
		t->style.ascii ? (ok ? "+" : "x") : (ok ? "\xe2\x9c\x93" : "\xe2\x9c\x97");

	if (t->style.colour)
		strbuf_addf(t->out, "\033[%dm%s\033[0m", ok ? 32 : 31, sign);
	else
		strbuf_addstr(t->out, sign);
}

static void value(struct text *t, struct strbuf *out, double v, enum load_contains contains)
{
	summary_fmt_value(out, v, contains, t->s->plan->summary_time_unit, t->style.ascii);
}

static void per_second(struct text *t, struct strbuf *out, double sum, enum load_contains contains)
{
	double seconds = summary_seconds(t->s);

	value(t, out, seconds > 0 ? sum / seconds : 0, contains);
	strbuf_addstr(out, "/s");
}

/* --- tables ----------------------------------------------------------------------------------- */

static struct row *add_row(struct table *table, enum block block, const char *name)
{
	vec_push(table, ((struct row){ .block = block }));
	strbuf_addstr(&vec_last(table).name, name);
	return &vec_last(table);
}

static struct strbuf *next_column(struct row *row)
{
	if (row->used < COLUMNS)
		return &row->columns[row->used++];
	strbuf_addch(&row->columns[COLUMNS - 1], ' ');
	return &row->columns[COLUMNS - 1];
}

static void measure(struct table *table)
{
	vec_for_each (table, row) {
		size_t *widths = row->trend ? table->trend_width : table->other_width;

		table->name_width = MAX(table->name_width, width(strbuf_str(&row->name)));
		for (unsigned i = 0; i < row->used; i++)
			widths[i] = MAX(widths[i], width(strbuf_str(&row->columns[i])));
	}
}

static void print_row(const struct text *t, const struct table *table, const struct row *row)
{
	const size_t *widths = row->trend ? table->trend_width : table->other_width;

	strbuf_addf(t->out, "    %s", strbuf_cstr(&row->name));
	pad(t->out, table->name_width + 3 - width(strbuf_str(&row->name)), '.');
	strbuf_addstr(t->out, ": ");
	for (unsigned i = 0; i < row->used; i++) {
		strbuf_addstr(t->out, strbuf_cstr(&row->columns[i]));
		if (i + 1 < row->used)
			pad(t->out, widths[i] + 1 - width(strbuf_str(&row->columns[i])), ' ');
	}
	strbuf_addch(t->out, '\n');
}

static void table_release(struct table *table)
{
	vec_for_each (table, row) {
		strbuf_release(&row->name);
		for (unsigned i = 0; i < COLUMNS; i++)
			strbuf_release(&row->columns[i]);
	}
	vec_release(table);
}

/* --- thresholds ------------------------------------------------------------------------------- */

static void print_threshold(struct text *t, const struct load_threshold *th)
{
	const struct load_metric *m = th->metric;
	const char *aggregate = th->expr.aggregate;

	strbuf_addstr(t->out, "    ");
	mark(t, th->ok);
	strbuf_addf(t->out, " '%s' %s=", th->source, aggregate);
	if (m->type == LOAD_RATE)
		summary_fmt_percent(t->out, th->value);
	else
		value(t, t->out, th->value, m->contains);
	if (m->type == LOAD_COUNTER && !strcmp(aggregate, "rate"))
		strbuf_addstr(t->out, "/s");
	strbuf_addstr(t->out, th->empty ? " (no samples)\n" : "\n");
}

static void print_thresholds(struct text *t)
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

static void add_share(struct row *row, uint64_t part, uint64_t all)
{
	summary_fmt_percent(next_column(row), all ? (double)part / (double)all : 0);
	strbuf_addf(next_column(row), "%llu out of %llu", (unsigned long long)part,
		    (unsigned long long)all);
}

static void print_check(struct text *t, const struct load_check *c)
{
	uint64_t all = c->passes + c->fails;

	strbuf_addstr(t->out, "    ");
	mark(t, !c->fails);
	strbuf_addf(t->out, " %s\n", c->name);
	if (!c->fails)
		return;
	strbuf_addf(t->out, "      %s  %llu%% %s ", t->style.ascii ? "->" : "\xe2\x86\xb3",
		    (unsigned long long)(c->passes * 100 / all),
		    t->style.ascii ? "-" : "\xe2\x80\x94");
	mark(t, true);
	strbuf_addf(t->out, " %llu / ", (unsigned long long)c->passes);
	mark(t, false);
	strbuf_addf(t->out, " %llu\n", (unsigned long long)c->fails);
}

static void print_checks(struct text *t)
{
	CLEANUP(table_release) struct table table = { 0 };
	const struct load_metric *m =
		load_metrics_builtin(load_agg_metrics(t->s->agg), LOAD_M_CHECKS);
	const struct load_values *v = load_agg_metric(t->s->agg, m);
	struct row *row;

	if (!v->count)
		return;
	row = add_row(&table, BLOCK_NONE, "checks_total");
	strbuf_addf(next_column(row), "%llu", (unsigned long long)v->count);
	per_second(t, next_column(row), (double)v->count, LOAD_DEFAULT);
	add_share(add_row(&table, BLOCK_NONE, "checks_succeeded"), v->passes, v->count);
	add_share(add_row(&table, BLOCK_NONE, "checks_failed"), v->count - v->passes, v->count);
	measure(&table);
	vec_for_each (&table, r)
		print_row(t, &table, r);
	strbuf_addch(t->out, '\n');
	for (size_t i = 0; i < load_agg_check_count(t->s->agg); i++)
		print_check(t, load_agg_check_at(t->s->agg, i));
	strbuf_addch(t->out, '\n');
}

/* --- metrics ---------------------------------------------------------------------------------- */

/* Phases of a request; shown only when a threshold names them. */
static bool is_phase(const char *name)
{
	static const char *const phases[] = { "blocked", "connecting", "tls_handshaking",
					      "sending", "waiting",    "receiving" };

	for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
		if (!strcmp(name + strlen("http_req_"), phases[i]))
			return true;
	return false;
}

static enum block block_of(const struct text *t, const struct summary_item *item)
{
	const struct load_metric *m = item->metric;

	if (m->id == LOAD_M_CHECKS)
		return BLOCK_NONE;
	if (m->custom)
		return BLOCK_CUSTOM;
	if (!strncmp(m->name, "http_req_", 9) && is_phase(m->name) &&
	    !summary_next_threshold(t->s, item, NULL))
		return BLOCK_NONE;
	if (!strncmp(m->name, "http_", 5))
		return BLOCK_HTTP;
	if (!strncmp(m->name, "ws_", 3))
		return BLOCK_WEBSOCKET;
	return m->contains == LOAD_DATA ? BLOCK_NETWORK : BLOCK_EXECUTION;
}

static void add_trend(struct text *t, struct row *row, const struct summary_item *item)
{
	row->trend = true;
	vec_for_each (&t->s->plan->summary_trend_stats, stat) {
		struct strbuf *out = next_column(row);
		double v = 0;

		load_values_get(item->values, LOAD_TREND, str_from(*stat), 1, &v);
		strbuf_addf(out, "%s=", *stat);
		value(t, out, v, strcmp(*stat, "count") ? item->metric->contains : LOAD_DEFAULT);
	}
}

static void add_gauge(struct text *t, struct row *row, const struct summary_item *item)
{
	const struct load_values *v = item->values;
	struct strbuf *out;

	value(t, next_column(row), v->last, item->metric->contains);
	out = next_column(row);
	strbuf_addstr(out, "min=");
	value(t, out, v->min, item->metric->contains);
	out = next_column(row);
	strbuf_addstr(out, "max=");
	value(t, out, v->max, item->metric->contains);
}

static void add_metric(struct text *t, struct table *table, const struct summary_item *item)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	const struct load_values *v = item->values;
	enum block block = block_of(t, item);
	struct row *row;

	if (block == BLOCK_NONE)
		return;
	if (item->sub)
		strbuf_addf(&name, "  { %s }", item->sub->suffix);
	else
		strbuf_addstr(&name, item->name);
	row = add_row(table, block, strbuf_cstr(&name));
	switch (item->metric->type) {
	case LOAD_TREND:
		add_trend(t, row, item);
		break;
	case LOAD_GAUGE:
		add_gauge(t, row, item);
		break;
	case LOAD_RATE:
		add_share(row, v->passes, v->count);
		break;
	case LOAD_COUNTER:
		value(t, next_column(row), v->sum, item->metric->contains);
		per_second(t, next_column(row), v->sum, item->metric->contains);
		break;
	}
}

static void print_block(const struct text *t, const struct table *table, enum block block)
{
	bool any = false;

	vec_for_each (table, row) {
		if (row->block != block)
			continue;
		if (!any)
			strbuf_addf(t->out, "    %s\n", block_titles[block]);
		any = true;
		print_row(t, table, row);
	}
	if (any)
		strbuf_addch(t->out, '\n');
}

static void print_metrics(struct text *t)
{
	CLEANUP(table_release) struct table table = { 0 };

	vec_for_each (&t->items, item)
		add_metric(t, &table, item);
	measure(&table);
	for (int block = 0; block < BLOCKS; block++)
		print_block(t, &table, (enum block)block);
}

void load_summary_fmt(const struct load_summary *s, struct load_summary_style style,
		      struct strbuf *out)
{
	struct text t = { .s = s, .style = style, .out = out };

	summary_items_make(s, &t.items);
	print_thresholds(&t);
	heading(&t, "TOTAL RESULTS");
	print_checks(&t);
	print_metrics(&t);
	summary_fmt_own(s, style, out);
	vec_release(&t.items);
}
