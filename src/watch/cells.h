/*
 * cells.h - text in a terminal's cells. Widths are by ranges of Unicode: two for East Asian wide
 * characters and emoji, none for combining marks; what a terminal would obey (control characters)
 * or not understand (bytes that are no UTF-8) is shown as '?'.
 */
#ifndef ASSAY_WATCH_CELLS_H
#define ASSAY_WATCH_CELLS_H

#include "base/strbuf.h"

unsigned watch_cells(struct str text);

/* Appends text cut to at most `cells`, the middle replaced by "…" ("~" without utf8). Returns the
 * cells that were used. */
unsigned watch_add_cut(struct strbuf *sb, struct str text, unsigned cells, bool utf8);

/* The same filled up with blanks on the right, or on the left. */
void watch_add_left(struct strbuf *sb, struct str text, unsigned cells, bool utf8);
void watch_add_right(struct strbuf *sb, struct str text, unsigned cells, bool utf8);

/* Three significant digits or more, "12,345", "6.68 M": never wider than 10 cells. "-" for NAN. */
void watch_add_short_number(struct strbuf *sb, double value);

#endif
