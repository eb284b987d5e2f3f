/*
 * The summary for a terminal: verdict, table, suspects, what is open. Columns are aligned by
 * display cells; every character that is printed here is one cell wide.
 */
#include <string.h>

#include "report/page.h"
#include "report/report.h"

#define LEAST_WIDTH 60

/* Cells of UTF-8 text: its bytes without the continuation bytes. */
static size_t cells(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Text at a column, padded to width (at least one blank follows when it is not the last). */
static void add_padded(struct strbuf *sb, const char *text, size_t width)
{
	size_t n = cells(text, strlen(text));

	strbuf_addstr(sb, text);
	for (size_t i = n; i < width; i++)
		strbuf_addch(sb, ' ');
}

/* Breaks text at blanks; lines after the first are indented. */
static void add_wrapped(struct strbuf *sb, const char *text, size_t indent, size_t width)
{
	size_t used = indent;

	while (*text) {
		size_t len = strcspn(text, " "), n = cells(text, len);

		if (used > indent && used + 1 + n > width) {
			strbuf_addf(sb, "\n%*s", (int)indent, "");
			used = indent;
		} else if (used > indent) {
			strbuf_addch(sb, ' ');
			used++;
		}
		strbuf_add(sb, text, len);
		used += n;
		text += len + strspn(text + len, " ");
	}
	strbuf_addch(sb, '\n');
}

static void add_prefixed(struct strbuf *sb, const char *prefix, const char *text, size_t width)
{
	strbuf_addstr(sb, prefix);
	add_wrapped(sb, text, cells(prefix, strlen(prefix)), width);
}

static size_t widest(const struct case_finding *f, size_t column)
{
	size_t width = 0;

	vec_for_each (&f->rows, row) {
		const char *text = column == 0 ? row->label : row->before.text;

		width = MAX(width, cells(text, strlen(text)));
	}
	return width;
}

static void add_table(struct strbuf *sb, const struct case_finding *f)
{
	size_t label = MAX(widest(f, 0), sizeof("measurement") - 1) + 2;
	size_t before =
		MAX(widest(f, 1), cells(f->variants.ptr[0].name, strlen(f->variants.ptr[0].name))) +
		3;
	bool two = f->variants.len > 1;

	add_padded(sb, "measurement", label);
	add_padded(sb, f->variants.ptr[0].name, two ? before : 0);
	strbuf_addf(sb, "%s\n", two ? vec_last(&f->variants).name : "");
	vec_for_each (&f->rows, row) {
		add_padded(sb, row->label, label);
		add_padded(sb, row->before.text, two ? before : 0);
		strbuf_addf(sb, "%s\n", two ? row->after.text : "");
	}
}

void report_text(struct strbuf *sb, const struct case_finding *f, unsigned width)
{
	CLEANUP(strbuf_release) struct strbuf head = STRBUF_INIT;
	size_t columns = MAX(width, (unsigned)LEAST_WIDTH);

	strbuf_addf(&head, "%s: ", page_verdict_word(f));
	add_prefixed(sb, strbuf_cstr(&head), f->headline, columns);
	for (size_t i = 1; i < f->reasons.len; i++)
		add_prefixed(sb, "  also: ", f->reasons.ptr[i], columns);
	strbuf_addch(sb, '\n');
	add_table(sb, f);
	if (f->suspects.len)
		strbuf_addstr(sb, "\nWhat removing each suspect alone was worth:\n");
	vec_for_each (&f->suspects, s) {
		strbuf_clear(&head);
		strbuf_addf(&head, "  %s  ", s->id);
		add_prefixed(sb, strbuf_cstr(&head), s->text, columns);
		add_prefixed(sb, "      ", s->sentence, columns);
	}
	if (f->goal_text) {
		strbuf_addch(sb, '\n');
		add_wrapped(sb, f->goal_text, 0, columns);
	}
	if (f->open_items.len)
		strbuf_addstr(sb, "\nOpen:\n");
	vec_for_each (&f->open_items, item)
		add_prefixed(sb, "  - ", *item, columns);
}
