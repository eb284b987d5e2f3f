/*
 * page.h - the page of a case, once: page_write() walks a finding and says what comes when;
 * Markdown and HTML implement how it looks. Text that page.c hands over is plain: whoever writes it
 * out escapes it.
 */
#ifndef ASSAY_REPORT_PAGE_H
#define ASSAY_REPORT_PAGE_H

#include "analyze/case.h"
#include "base/strbuf.h"

/* Never shown by colour alone: each state has a word or a mark. */
enum page_state { PAGE_PLAIN, PAGE_GOOD, PAGE_BAD, PAGE_OPEN };

struct page_cell {
	char *text, *note; /* note: smaller, below; may be NULL */
	enum page_state state;
};

struct page_table {
	const char *caption;
	const char *columns[16];	 /* titles; ends with NULL */
	size_t numbers_from, numbers_to; /* columns [from, to) hold figures */
	struct {
		struct page_cell *ptr;
		size_t len, cap;
	} cells; /* row by row */
};

void page_table_release(struct page_table *t);
size_t page_table_columns(const struct page_table *t);

static inline bool page_table_is_number(const struct page_table *t, size_t column)
{
	return column >= t->numbers_from && column < t->numbers_to;
}

/* Adds a cell; text and note are taken over. */
void page_table_add(struct page_table *t, char *text, char *note, enum page_state state);

enum page_figure { PAGE_LATENCY, PAGE_SECONDS };

struct page;

struct page_ops {
	void (*begin)(struct page *p);
	void (*verdict)(struct page *p); /* headline, reasons */
	void (*section)(struct page *p, const char *title);
	void (*subsection)(struct page *p, const char *title);
	void (*paragraph)(struct page *p, const char *text);
	void (*list)(struct page *p, const struct sentences *items);
	void (*facts)(struct page *p, const struct case_fact *facts, size_t n);
	void (*table)(struct page *p, const struct page_table *t);
	void (*figure)(struct page *p, enum page_figure which);
	void (*question)(struct page *p, unsigned number, const struct case_question *q);
	void (*end)(struct page *p);
};

struct page {
	const struct page_ops *ops;
	const struct case_finding *f;
	struct strbuf *out;
	bool in_section, in_list; /* what HTML has open; list: of questions */
};

void page_write(struct page *p);

/* "PROVEN", "NOT FIXED", … and how it is to be seen. */
const char *page_verdict_word(const struct case_finding *f);
enum page_state page_verdict_state(const struct case_finding *f);
const char *page_question_word(enum question_state s);
enum page_state page_question_state(enum question_state s);

#endif
