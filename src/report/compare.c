#include "report/compare.h"

#include <string.h>

#include "base/json.h"
#include "report/columns.h"
#include "report/json_internal.h"

static void add_runs(struct strbuf *sb, const struct comparison *c)
{
	const struct figures *const both[] = { c->a, c->b };

	for (size_t i = 0; i < 2; i++) {
		strbuf_addf(sb, "%c  ", "AB"[i]);
		fair_name_run(sb, both[i]);
		if (both[i]->file[0] && both[i]->variant[0])
			strbuf_addf(sb, " (%s)", both[i]->file);
		strbuf_addf(sb, ", n = %llu\n", (unsigned long long)both[i]->samples);
	}
}

static size_t widest(const struct comparison *c, size_t column)
{
	size_t width = 8;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];
		const char *text = column == 0	 ? figure_defs[row->figure].label
				   : column == 1 ? row->a.text
				   : column == 2 ? row->b.text
						 : row->change;

		width = MAX(width, columns_width(text));
	}
	return width + 2;
}

void report_compare_text(struct strbuf *sb, const struct comparison *c)
{
	size_t widths[4];

	add_runs(sb, c);
	strbuf_addf(sb, "\n%s\n", c->headline);
	vec_for_each (&c->checks, check)
		if (!check->ok)
			strbuf_addf(sb, "  %s: %s\n", check->name, check->detail);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		widths[i] = widest(c, i);
	strbuf_addch(sb, '\n');
	columns_add(sb, "", widths[0], false);
	columns_add(sb, "A", widths[1], true);
	columns_add(sb, "B", widths[2], true);
	columns_add(sb, "change", widths[3], true);
	strbuf_addch(sb, '\n');
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];

		columns_add(sb, figure_defs[row->figure].label, widths[0], false);
		columns_add(sb, row->a.text, widths[1], true);
		columns_add(sb, row->b.text, widths[2], true);
		columns_add(sb, row->change, widths[3], true);
		strbuf_addf(sb, "  %s", row->note);
		columns_end(sb);
	}
}

static void write_side(struct json_writer *w, const char *key, const struct compare_side *s)
{
	json_object_begin(w, key);
	json_double(w, "value", s->value);
	json_double(w, "low", s->low);
	json_double(w, "high", s->high);
	json_object_end(w);
}

void report_compare_json(struct strbuf *sb, const struct comparison *c)
{
	struct json_writer w;

	json_init(&w, sb, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_bool(&w, "fair", c->fair);
	json_cstr(&w, "headline", c->headline);
	report_write_checks(&w, &c->checks);
	json_array_begin(&w, "rows");
	for (size_t i = 0; i < c->n_rows; i++) {
		json_object_begin(&w, NULL);
		json_cstr(&w, "figure", figure_defs[c->rows[i].figure].key);
		write_side(&w, "a", &c->rows[i].a);
		write_side(&w, "b", &c->rows[i].b);
		json_double(&w, "ratio", c->rows[i].ratio);
		json_cstr(&w, "note", c->rows[i].note);
		json_object_end(&w);
	}
	json_array_end(&w);
	report_write_figures(&w, "a", c->a);
	report_write_figures(&w, "b", c->b);
	json_object_end(&w);
	strbuf_addch(sb, '\n');
}
