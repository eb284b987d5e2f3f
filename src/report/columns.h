/* columns.h - text in columns of a terminal. Every character we print is one cell wide. */
#ifndef ASSAY_REPORT_COLUMNS_H
#define ASSAY_REPORT_COLUMNS_H

#include "base/strbuf.h"

/* Cells of UTF-8 text. */
size_t columns_width(const char *text);

/* Text padded with blanks to width cells, on its left when right is set. */
void columns_add(struct strbuf *sb, const char *text, size_t width, bool right);

/* Ends a line, without blanks at its end. */
void columns_end(struct strbuf *sb);

/* Text broken at blanks to lines of at most width cells; lines after the first are indented, and
 * the first is taken to begin there. */
void columns_wrap(struct strbuf *sb, const char *text, size_t indent, size_t width);

#endif
