/*
 * Markdown as GitHub and CommonMark read it. Text from outside is escaped so that it stays text: a
 * script called "](javascript:x)" is no link, a variant called "a|b" does not break a table.
 */
#include <string.h>

#include "report/page.h"
#include "report/report.h"

static void add_escaped(struct strbuf *sb, const char *text)
{
	for (const char *c = text; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		if (byte < ' ' || byte == 0x7f) {
			strbuf_addch(sb, ' ');
			continue;
		}
		if (*c == '<')
			strbuf_addstr(sb, "&lt;");
		else if (*c == '&')
			strbuf_addstr(sb, "&amp;");
		else if (strchr("\\`*_[]|#~>", *c))
			strbuf_addf(sb, "\\%c", *c);
		else
			strbuf_addch(sb, *c);
	}
}

static void md_begin(struct page *p)
{
	strbuf_addstr(p->out, "# ");
	add_escaped(p->out, p->f->desc->name);
	strbuf_addstr(p->out, "\n\n");
}

static void md_list(struct page *p, const struct sentences *items)
{
	vec_for_each (items, text) {
		strbuf_addstr(p->out, "- ");
		add_escaped(p->out, *text);
		strbuf_addch(p->out, '\n');
	}
	strbuf_addch(p->out, '\n');
}

static void md_verdict(struct page *p)
{
	strbuf_addf(p->out, "**%s.** ", page_verdict_word(p->f));
	add_escaped(p->out, p->f->headline);
	strbuf_addstr(p->out, "\n\n");
	if (p->f->reasons.len > 1)
		md_list(p, &p->f->reasons);
}

static void md_section(struct page *p, const char *title)
{
	strbuf_addf(p->out, "## %s\n\n", title);
}

static void md_subsection(struct page *p, const char *title)
{
	strbuf_addf(p->out, "### %s\n\n", title);
}

static void md_paragraph(struct page *p, const char *text)
{
	if (*text && strchr("-+=", *text)) /* would begin a list or underline a heading */
		strbuf_addch(p->out, '\\');
	add_escaped(p->out, text);
	strbuf_addstr(p->out, "\n\n");
}

static void md_facts(struct page *p, const struct case_fact *facts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strbuf_addf(p->out, "- %s: ", facts[i].name);
		add_escaped(p->out, facts[i].value);
		strbuf_addch(p->out, '\n');
	}
	strbuf_addstr(p->out, n ? "\n" : "Nothing was measured yet.\n\n");
}

static void md_cell(struct strbuf *sb, const char *text, const char *note)
{
	strbuf_addch(sb, ' ');
	add_escaped(sb, text);
	if (note) {
		strbuf_addstr(sb, *text ? "<br><small>" : "<small>");
		add_escaped(sb, note);
		strbuf_addstr(sb, "</small>");
	}
	strbuf_addstr(sb, " |");
}

static void md_table(struct page *p, const struct page_table *t)
{
	size_t columns = page_table_columns(t);

	strbuf_addch(p->out, '|');
	for (size_t i = 0; i < columns; i++)
		md_cell(p->out, t->columns[i], NULL);
	strbuf_addstr(p->out, "\n|");
	for (size_t i = 0; i < columns; i++)
		strbuf_addstr(p->out, page_table_is_number(t, i) ? "---:|" : "---|");
	for (size_t i = 0; i < t->cells.len; i++) {
		strbuf_addstr(p->out, i % columns ? "" : "\n|");
		md_cell(p->out, t->cells.ptr[i].text, t->cells.ptr[i].note);
	}
	strbuf_addstr(p->out, "\n\n");
	if (t->caption)
		strbuf_addf(p->out, "%s\n\n", t->caption);
}

static void md_figure(struct page *p, enum page_figure which)
{
	strbuf_addf(p->out, "(Figure in report.html: %s.)\n\n",
		    which == PAGE_LATENCY ? "latency distributions of all variants"
					  : "p99 and throttled share of every second");
}

static void md_question(struct page *p, unsigned number, const struct case_question *q)
{
	strbuf_addf(p->out, "%u. %s **%s.** ", number, q->question, page_question_word(q->state));
	add_escaped(p->out, q->text);
	strbuf_addch(p->out, '\n');
}

static void md_end(struct page *p)
{
	strbuf_addstr(p->out, "\n");
	if (p->f->desc->command_line) {
		strbuf_addstr(p->out, "Made by: ");
		add_escaped(p->out, p->f->desc->command_line);
		strbuf_addch(p->out, '\n');
	}
}

static const struct page_ops markdown_ops = {
	.begin = md_begin,
	.verdict = md_verdict,
	.section = md_section,
	.subsection = md_subsection,
	.paragraph = md_paragraph,
	.list = md_list,
	.facts = md_facts,
	.table = md_table,
	.figure = md_figure,
	.question = md_question,
	.end = md_end,
};

void report_markdown(struct strbuf *sb, const struct case_finding *f)
{
	struct page p = { .ops = &markdown_ops, .f = f, .out = sb };

	page_write(&p);
}
