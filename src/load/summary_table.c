/* Rows of names, dotted leaders and aligned columns; and the figures and marks in them. */
#include "load/summary_internal.h"

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

struct summary_row *summary_add_row(struct summary_table *table, const char *name)
{
	vec_push(table, ((struct summary_row){ 0 }));
	strbuf_addstr(&vec_last(table).name, name);
	return &vec_last(table);
}

struct strbuf *summary_next_column(struct summary_row *row)
{
	if (row->used < SUMMARY_COLUMNS)
		return &row->columns[row->used++];
	strbuf_addch(&row->columns[SUMMARY_COLUMNS - 1], ' ');
	return &row->columns[SUMMARY_COLUMNS - 1];
}

void summary_measure(struct summary_table *table)
{
	vec_for_each (table, row) {
		size_t *widths = row->trend ? table->trend_width : table->other_width;

		table->name_width = MAX(table->name_width, width(strbuf_str(&row->name)));
		for (unsigned i = 0; i < row->used; i++)
			widths[i] = MAX(widths[i], width(strbuf_str(&row->columns[i])));
	}
}

void summary_print_row(struct strbuf *out, const struct summary_table *table,
		       const struct summary_row *row)
{
	const size_t *widths = row->trend ? table->trend_width : table->other_width;

	strbuf_addstr(out, strbuf_cstr(&row->name));
	pad(out, table->name_width + 3 - width(strbuf_str(&row->name)), '.');
	strbuf_addstr(out, ": ");
	for (unsigned i = 0; i < row->used; i++) {
		strbuf_addstr(out, strbuf_cstr(&row->columns[i]));
		if (i + 1 < row->used)
			pad(out, widths[i] + 1 - width(strbuf_str(&row->columns[i])), ' ');
	}
	strbuf_addch(out, '\n');
}

void summary_table_release(struct summary_table *table)
{
	vec_for_each (table, row) {
		strbuf_release(&row->name);
		for (unsigned i = 0; i < SUMMARY_COLUMNS; i++)
			strbuf_release(&row->columns[i]);
	}
	vec_release(table);
}

void summary_mark(const struct summary_text *t, bool ok)
{
	const char *sign =
		t->style.ascii ? (ok ? "+" : "x") : (ok ? "\xe2\x9c\x93" : "\xe2\x9c\x97");

	if (t->style.colour)
		strbuf_addf(t->out, "\033[%dm%s\033[0m", ok ? 32 : 31, sign);
	else
		strbuf_addstr(t->out, sign);
}

void summary_value(const struct summary_text *t, struct strbuf *out, double v,
		   enum load_contains contains)
{
	summary_fmt_value(out, v, contains, t->s->plan->summary_time_unit, t->style.ascii);
}

void summary_per_second(const struct summary_text *t, struct strbuf *out, double sum,
			enum load_contains contains)
{
	double seconds = summary_seconds(t->s);

	summary_value(t, out, seconds > 0 ? sum / seconds : 0, contains);
	strbuf_addstr(out, "/s");
}

void summary_item_name(const struct summary_item *item, struct strbuf *out)
{
	if (item->sub)
		strbuf_addf(out, "  { %s }", item->sub->suffix);
	else
		strbuf_addstr(out, item->name);
}

static void add_trend(const struct summary_text *t, struct summary_row *row,
		      const struct summary_item *item)
{
	row->trend = true;
	vec_for_each (&t->s->plan->summary_trend_stats, stat) {
		struct strbuf *out = summary_next_column(row);
		double v = 0;

		load_values_get(item->values, LOAD_TREND, str_from(*stat), 1, &v);
		strbuf_addf(out, "%s=", *stat);
		summary_value(t, out, v,
			      strcmp(*stat, "count") ? item->metric->contains : LOAD_DEFAULT);
	}
}

static void add_gauge(const struct summary_text *t, struct summary_row *row,
		      const struct summary_item *item)
{
	const struct load_values *v = item->values;
	struct strbuf *out;

	summary_value(t, summary_next_column(row), v->last, item->metric->contains);
	out = summary_next_column(row);
	strbuf_addstr(out, "min=");
	summary_value(t, out, v->min, item->metric->contains);
	out = summary_next_column(row);
	strbuf_addstr(out, "max=");
	summary_value(t, out, v->max, item->metric->contains);
}

void summary_add_columns(const struct summary_text *t, struct summary_row *row,
			 const struct summary_item *item)
{
	const struct load_values *v = item->values;

	row->item = item;
	if (item->metric->type == LOAD_TREND) {
		add_trend(t, row, item);
	} else if (item->metric->type == LOAD_GAUGE) {
		add_gauge(t, row, item);
	} else if (item->metric->type == LOAD_COUNTER) {
		summary_value(t, summary_next_column(row), v->sum, item->metric->contains);
		summary_per_second(t, summary_next_column(row), v->sum, item->metric->contains);
	}
}
