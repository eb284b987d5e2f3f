/*
 * fmt.h - figures as people read them: three significant digits, a fixed unit per kind, thousands
 * set apart; "–" for what is unknown.
 */
#ifndef ASSAY_ANALYZE_FMT_H
#define ASSAY_ANALYZE_FMT_H

#include "analyze/figures.h"
#include "base/strbuf.h"

/* With its unit: "1.54 ms", "15 %", "594/s", "0.62 cores", "83.1 MiB", "+12.4 MiB/min". */
void fmt_figure(struct strbuf *sb, enum figure_unit unit, double v);

/* Without: "1.54", "1,230". */
void fmt_ms(struct strbuf *sb, double ms);
void fmt_count(struct strbuf *sb, double n); /* whole, "42,000" */

/* A share of 0..1 in per cent: "0 %", "0.003 %", "4.2 %", "23 %". Rounds to 100 only from 1. */
void fmt_share(struct strbuf *sb, double share);

/* A factor as a change: "−67 %", "+3.4 %", "±0 %"; from ten times on as "÷349", "×12". */
void fmt_change(struct strbuf *sb, double ratio);

/* "p99" of 0.99, "p99.9" of 0.999. */
void fmt_quantile(struct strbuf *sb, double q);

/* For names and texts inside a sentence: "slow" in typographic quotes. */
void fmt_quoted(struct strbuf *sb, const char *text);

/* True for the blank of "15 %" or "1.5 ms", where no line should break. */
bool fmt_is_glue(const char *text, const char *blank);

#endif
