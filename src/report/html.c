/*
 * One HTML file that needs nothing else: no script, no font, no picture from anywhere. The content
 * security policy says so and allows the one style sheet by its hash, so that whatever a text from
 * outside might smuggle past the escaping would not run.
 */
#include "report/html.h"

#include <string.h>

#include "analyze/fmt.h"
#include "report/report.h"
#include "report/style.css.h"

void html_escape(struct strbuf *sb, const char *text)
{
	for (const char *c = text; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		switch (byte) {
		case '&':
			strbuf_addstr(sb, "&amp;");
			break;
		case '<':
			strbuf_addstr(sb, "&lt;");
			break;
		case '>':
			strbuf_addstr(sb, "&gt;");
			break;
		case '"':
			strbuf_addstr(sb, "&quot;");
			break;
		case '\'':
			strbuf_addstr(sb, "&#39;");
			break;
		case ' ':
			strbuf_addstr(sb, fmt_is_glue(text, c) ? "\xc2\xa0" : " ");
			break;
		default:
			strbuf_addch(sb, byte < ' ' || byte == 0x7f ? ' ' : *c);
		}
	}
}

static const char *state_class(enum page_state s)
{
	static const char *const classes[] = { "", "good", "bad", "open" };

	return classes[s];
}

/* A mark beside the colour; blank for plain cells. */
static const char *state_mark(enum page_state s)
{
	static const char *const marks[] = { "", "\xe2\x9c\x93 ", "\xe2\x9c\x97 ", "? " };

	return marks[s];
}

static void h_begin(struct page *p)
{
	strbuf_addstr(p->out,
		      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		      "'none'; style-src 'sha256-" STYLE_HASH
		      "'; base-uri 'none'; form-action 'none'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, "
		      "initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	html_escape(p->out, page_verdict_word(p->f));
	strbuf_addstr(p->out, ": ");
	html_escape(p->out, p->f->desc->name);
	strbuf_addf(p->out, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
}

static void h_list(struct page *p, const struct sentences *items)
{
	strbuf_addstr(p->out, "<ul>\n");
	vec_for_each (items, text) {
		strbuf_addstr(p->out, "<li>");
		html_escape(p->out, *text);
		strbuf_addstr(p->out, "</li>\n");
	}
	strbuf_addstr(p->out, "</ul>\n");
}

static void h_verdict(struct page *p)
{
	const char *class = state_class(page_verdict_state(p->f));

	strbuf_addstr(p->out, "<header>\n<h1>");
	html_escape(p->out, p->f->desc->name);
	strbuf_addf(p->out, "</h1>\n<div class=\"verdict %s\">\n<p class=\"word %s\">%s%s</p>\n",
		    class, class, state_mark(page_verdict_state(p->f)), page_verdict_word(p->f));
	strbuf_addstr(p->out, "<p class=\"headline\">");
	html_escape(p->out, p->f->headline);
	strbuf_addstr(p->out, "</p>\n");
	if (p->f->reasons.len > 1)
		h_list(p, &p->f->reasons);
	strbuf_addstr(p->out, "</div>\n</header>\n<main>\n");
}

static void close_open(struct page *p)
{
	if (p->in_list)
		strbuf_addstr(p->out, "</ol>\n");
	if (p->in_section)
		strbuf_addstr(p->out, "</section>\n");
	p->in_list = p->in_section = false;
}

static void h_section(struct page *p, const char *title)
{
	close_open(p);
	strbuf_addf(p->out, "<section>\n<h2>%s</h2>\n", title);
	p->in_section = true;
}

static void h_subsection(struct page *p, const char *title)
{
	strbuf_addf(p->out, "<h3>%s</h3>\n", title);
}

static void h_paragraph(struct page *p, const char *text)
{
	strbuf_addstr(p->out, "<p>");
	html_escape(p->out, text);
	strbuf_addstr(p->out, "</p>\n");
}

static void h_facts(struct page *p, const struct case_fact *facts, size_t n)
{
	if (!n) {
		h_paragraph(p, "Nothing was measured yet.");
		return;
	}
	strbuf_addstr(p->out, "<dl>\n");
	for (size_t i = 0; i < n; i++) {
		strbuf_addf(p->out, "<dt>%s</dt><dd>", facts[i].name);
		html_escape(p->out, facts[i].value);
		strbuf_addstr(p->out, "</dd>\n");
	}
	strbuf_addstr(p->out, "</dl>\n");
}

/* ---- tables ---- */

static void add_head(struct page *p, const struct page_table *t)
{
	strbuf_addstr(p->out, "<thead><tr>");
	for (size_t i = 0; t->columns[i]; i++) {
		strbuf_addf(p->out, "<th scope=\"col\"%s>",
			    page_table_is_number(t, i) ? " class=\"n\"" : "");
		html_escape(p->out, t->columns[i]);
		strbuf_addstr(p->out, "</th>");
	}
	strbuf_addstr(p->out, "</tr></thead>\n<tbody>\n");
}

/* A command: no line ends behind the hyphen of an option. */
static void add_code(struct strbuf *sb, const char *text)
{
	struct str rest = str_from(text), word;
	const char *space = "";

	while (str_split(&rest, ' ', &word)) {
		CLEANUP(mem_cleanup) char *copy = str_dup(word);
		bool option = str_starts_with(word, STR("-"));

		strbuf_addf(sb, "%s%s", space, option ? "<span>" : "");
		html_escape(sb, copy);
		strbuf_addstr(sb, option ? "</span>" : "");
		space = " ";
	}
}

static void add_cell(struct page *p, const struct page_table *t, size_t column,
		     const struct page_cell *c)
{
	const char *tag = column == 0 ? "th" : "td";
	bool number = page_table_is_number(t, column);
	bool code = t->columns[column] &&
		    (!strcmp(t->columns[column], "command") || !strcmp(t->columns[column], "rule"));

	strbuf_addf(p->out, "<%s%s%s%s%s%s>", tag, column ? "" : " scope=\"row\"",
		    number || c->state ? " class=\"" : "", number ? "n " : "",
		    state_class(c->state), number || c->state ? "\"" : "");
	strbuf_addstr(p->out, code ? "<code>" : "");
	strbuf_addstr(p->out, state_mark(c->state));
	if (code)
		add_code(p->out, c->text);
	else
		html_escape(p->out, c->text);
	strbuf_addstr(p->out, code ? "</code>" : "");
	if (c->note) {
		strbuf_addstr(p->out, "<small>");
		html_escape(p->out, c->note);
		strbuf_addstr(p->out, "</small>");
	}
	strbuf_addf(p->out, "</%s>", tag);
}

static void h_table(struct page *p, const struct page_table *t)
{
	size_t columns = page_table_columns(t);

	/* before the first section stands the one table that matters most */
	strbuf_addf(p->out, "<div class=\"scroll\">\n<table%s>\n",
		    p->in_section ? "" : " class=\"main\"");
	if (t->caption)
		strbuf_addf(p->out, "<caption>%s</caption>\n", t->caption);
	add_head(p, t);
	for (size_t i = 0; i < t->cells.len; i++) {
		strbuf_addstr(p->out, i % columns ? "" : "<tr>");
		add_cell(p, t, i % columns, &t->cells.ptr[i]);
		strbuf_addstr(p->out, i % columns == columns - 1 ? "</tr>\n" : "");
	}
	strbuf_addstr(p->out, "</tbody>\n</table>\n</div>\n");
}

static void h_figure(struct page *p, enum page_figure which)
{
	strbuf_addstr(p->out, "<figure>\n<div class=\"scroll\">\n");
	if (which == PAGE_LATENCY)
		html_draw_latency(p->out, p->f);
	else
		html_draw_seconds(p->out, p->f);
	strbuf_addstr(p->out, "</div>\n<figcaption>");
	strbuf_addstr(
		p->out,
		which == PAGE_LATENCY
			? "Share of requests slower than a latency, both scales logarithmic. A "
			  "variant meets the target when its curve passes below the marked corner."
			: "p99 of each second (line, logarithmic), the target (dashed), and the "
			  "share of quota periods throttled in that second (bars, 0 to 100 %).");
	strbuf_addstr(p->out, "</figcaption>\n</figure>\n");
}

static void h_question(struct page *p, unsigned number, const struct case_question *q)
{
	enum page_state state = page_question_state(q->state);

	if (!p->in_list)
		strbuf_addstr(p->out, "<ol class=\"questions\">\n");
	p->in_list = true;
	(void)number;
	strbuf_addf(p->out, "<li><p class=\"q\">%s</p>\n<p><span class=\"badge %s\">%s%s.</span> ",
		    q->question, state_class(state), state_mark(state),
		    page_question_word(q->state));
	html_escape(p->out, q->text);
	strbuf_addstr(p->out, "</p></li>\n");
}

static void h_end(struct page *p)
{
	close_open(p);
	strbuf_addstr(p->out, "</main>\n<footer>");
	if (p->f->desc->command_line) {
		strbuf_addstr(p->out, "Made by <code>");
		html_escape(p->out, p->f->desc->command_line);
		strbuf_addstr(p->out, "</code>. ");
	}
	strbuf_addstr(p->out,
		      "The raw figures are in the run files and in case.json beside this page; "
		      "<code>assay report</code> makes it again from them.</footer>\n"
		      "</body>\n</html>\n");
}

static const struct page_ops html_ops = {
	.begin = h_begin,
	.verdict = h_verdict,
	.section = h_section,
	.subsection = h_subsection,
	.paragraph = h_paragraph,
	.list = h_list,
	.facts = h_facts,
	.table = h_table,
	.figure = h_figure,
	.question = h_question,
	.end = h_end,
};

void report_html(struct strbuf *sb, const struct case_finding *f)
{
	struct page p = { .ops = &html_ops, .f = f, .out = sb };

	page_write(&p);
}
