/* html.h - the pieces that HTML and its drawings share. */
#ifndef ASSAY_REPORT_HTML_H
#define ASSAY_REPORT_HTML_H

#include "report/page.h"

/* Text from outside as text: & < > " ' become references, control characters blanks. */
void html_escape(struct strbuf *sb, const char *text);

/* Each appends one <svg> with a title and a description. */
void html_draw_latency(struct strbuf *sb, const struct case_finding *f);
void html_draw_seconds(struct strbuf *sb, const struct case_finding *f);

/* ---- drawing: a rectangle of the picture with a logarithmic scale on each side that wants one
 * ---- */

struct html_axis {
	double from, to; /* values, log10 of them when logarithmic */
	double px_from, px_to;
	bool logarithmic;
};

/* The axis over [low, high], widened to steps of 1, 2, 5 when logarithmic. */
struct html_axis html_axis_log(double low, double high, double px_from, double px_to);
double html_axis_px(const struct html_axis *a, double v); /* kept inside the picture */

/* Values of the 1, (2, 5) series within the axis: at most max of them; returns how many. */
size_t html_axis_ticks(const struct html_axis *a, double *ret, size_t max);

/* "0.5 ms", "100 ms", "2 s": a round latency for an axis. */
void html_tick_text(struct strbuf *sb, double ms);

void html_svg_text(struct strbuf *sb, double x, double y, const char *attributes, const char *text);
void html_svg_line(struct strbuf *sb, const char *class, double x1, double y1, double x2,
		   double y2);

/* "base", "fix" or "o0" to "o4": the class of a variant's lines and marks. */
const char *html_variant_class(const struct case_finding *f, size_t variant);

#endif
