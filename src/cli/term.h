/*
 * term.h - what the terminal can show, and what a verb says on stderr. Colour: --color is no option
 * yet; NO_COLOR (not empty) > CLICOLOR_FORCE (not 0) > whether the stream is a terminal.
 */
#ifndef ASSAY_CLI_TERM_H
#define ASSAY_CLI_TERM_H

#include <stdio.h>

#include "base/error.h"

bool term_is_live(FILE *f); /* a terminal that can redraw a line: not dumb, not CI */
bool term_has_colour(FILE *f);
bool term_is_utf8(void);
unsigned term_columns(FILE *f); /* 80 when unknown */

/* "assay VERB: message" on stderr. */
void term_error(const char *verb, const struct error *e);

/*
 * A line of progress on stderr: redrawn in place when stderr is live, else printed at most every
 * five seconds. term_progress_end() clears a redrawn line.
 */
void term_progress(const char *fmt, ...) PRINTF_LIKE(1, 2);
void term_progress_end(void);

#endif
