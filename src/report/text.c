/* The summary for a terminal: verdict, table, suspects, what is open. */
#include "report/columns.h"
#include "report/page.h"
#include "report/report.h"

#define LEAST_WIDTH 60

static void add_prefixed(struct strbuf *sb, const char *prefix, const char *text, size_t width)
{
	strbuf_addstr(sb, prefix);
	columns_wrap(sb, text, columns_width(prefix), width);
}

static void add_table(struct strbuf *sb, const struct case_finding *f)
{
	const char *base = f->variants.ptr[0].name;
	size_t label = columns_width("measurement"), before = columns_width(base);
	bool two = f->variants.len > 1;

	vec_for_each (&f->rows, row) {
		label = MAX(label, columns_width(row->label));
		before = MAX(before, columns_width(row->before.text));
	}
	columns_add(sb, "measurement", label + 2, false);
	columns_add(sb, base, two ? before + 3 : 0, false);
	strbuf_addf(sb, "%s\n", two ? vec_last(&f->variants).name : "");
	vec_for_each (&f->rows, row) {
		columns_add(sb, row->label, label + 2, false);
		columns_add(sb, row->before.text, two ? before + 3 : 0, false);
		strbuf_addf(sb, "%s\n", two ? row->after.text : "");
	}
}

static void add_suspects(struct strbuf *sb, const struct case_finding *f, size_t width)
{
	if (f->suspects.len)
		strbuf_addstr(sb, "\nWhat removing each suspect alone was worth:\n");
	vec_for_each (&f->suspects, s) {
		CLEANUP(mem_cleanup) char *head = xasprintf("  %s  ", s->id);

		add_prefixed(sb, head, s->text, width);
		add_prefixed(sb, "      ", s->sentence, width);
	}
}

void report_text(struct strbuf *sb, const struct case_finding *f, unsigned width)
{
	CLEANUP(mem_cleanup) char *word = xasprintf("%s: ", page_verdict_word(f));
	size_t columns = MAX(width, (unsigned)LEAST_WIDTH);

	add_prefixed(sb, word, f->headline, columns);
	for (size_t i = 1; i < f->reasons.len; i++)
		add_prefixed(sb, "  also: ", f->reasons.ptr[i], columns);
	strbuf_addch(sb, '\n');
	add_table(sb, f);
	add_suspects(sb, f, columns);
	if (f->goal_text) {
		strbuf_addch(sb, '\n');
		columns_wrap(sb, f->goal_text, 0, columns);
	}
	if (f->open_items.len)
		strbuf_addstr(sb, "\nOpen:\n");
	vec_for_each (&f->open_items, item)
		add_prefixed(sb, "  - ", *item, columns);
}
