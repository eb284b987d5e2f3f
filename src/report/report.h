/*
 * report.h - a case's finding as text for a terminal, as Markdown, as one HTML file that needs
 * nothing else, and as JSON (docs/formats/case-json.md), from which the case's description can be
 * read back.
 */
#ifndef ASSAY_REPORT_REPORT_H
#define ASSAY_REPORT_REPORT_H

#include "analyze/case.h"

/* Appends to sb. width in columns, at least 60 are assumed. */
void report_text(struct strbuf *sb, const struct case_finding *f, unsigned width);
void report_markdown(struct strbuf *sb, const struct case_finding *f);
void report_html(struct strbuf *sb, const struct case_finding *f);
void report_json(struct strbuf *sb, const struct case_finding *f);

/* Writes report.html, report.md and case.json into dir, each whole or not at all. */
int report_write_folder(const char *dir, const struct case_finding *f, struct error *reterr);

/* The description of the case out of the text of a case.json; the caller frees *ret. */
int report_read_desc(struct str json, const char *name, struct case_desc **ret,
		     struct error *reterr);

#endif
