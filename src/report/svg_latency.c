/*
 * The latency distributions as shares of requests that were slower than x, both sides logarithmic:
 * there the tail that an SLO is about has as much room as the middle, and the SLO is a corner that
 * a curve either runs through or passes below. (A cumulative curve on a linear side squeezes p95 to
 * p99.9 into a few pixels; a histogram hides them altogether.)
 */
#include <string.h>

#include "analyze/fmt.h"
#include "report/html.h"

#define WIDTH	    780.0
#define HEIGHT	    380.0
#define LEFT	    56.0
#define RIGHT	    600.0
#define TOP	    16.0
#define BOTTOM	    338.0
#define LEGEND	    616.0
#define LEAST_SHARE 1e-4

struct drawing {
	struct strbuf *sb;
	const struct case_finding *f;
	struct html_axis x, y;
	/* of the curve that is being drawn */
	uint64_t n, above;
	double last_x, last_y;
	bool started;
};

static bool find_axes(struct drawing *d)
{
	double low = INFINITY, high = 0;

	vec_for_each (&d->f->variants, v) {
		if (!v->samples)
			continue;
		low = fmin(low, hist_quantile(v->latency, 0.001));
		high = fmax(high, hist_max(v->latency));
	}
	if (!(high > 0))
		return false;
	low = fmin(fmax(low, 1e-3), d->f->desc->slo.limit_ms);
	high = fmax(high, d->f->desc->slo.limit_ms * 1.5);
	d->x = html_axis_log(low, high, LEFT, RIGHT);
	d->y = (struct html_axis){ 0, log10(LEAST_SHARE), TOP, BOTTOM, true };
	return true;
}

static void draw_grid(struct drawing *d)
{
	static const struct {
		double share;
		const char *label;
	} rows[] = { { 1, "all" },    { 0.5, "p50" },	  { 0.1, "p90" },      { 0.05, "p95" },
		     { 0.01, "p99" }, { 0.001, "p99.9" }, { 0.0001, "p99.99" } };
	double ticks[32];
	size_t n = html_axis_ticks(&d->x, ticks, ARRAY_SIZE(ticks));

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double y = html_axis_px(&d->y, rows[i].share);

		html_svg_line(d->sb, "grid", LEFT, y, RIGHT, y);
		html_svg_text(d->sb, LEFT - 8, y + 4, "text-anchor=\"end\"", rows[i].label);
	}
	for (size_t i = 0; i < n; i++) {
		CLEANUP(strbuf_release) struct strbuf label = STRBUF_INIT;
		double x = html_axis_px(&d->x, ticks[i]);

		html_tick_text(&label, ticks[i]);
		html_svg_line(d->sb, "grid", x, TOP, x, BOTTOM);
		html_svg_text(d->sb, x, BOTTOM + 18, "text-anchor=\"middle\"", strbuf_cstr(&label));
	}
	html_svg_text(d->sb, (LEFT + RIGHT) / 2, HEIGHT - 6, "text-anchor=\"middle\"",
		      "latency seen by the client");
}

static void draw_slo(struct drawing *d)
{
	const struct case_desc_slo *slo = &d->f->desc->slo;
	double x = html_axis_px(&d->x, slo->limit_ms), y = html_axis_px(&d->y, 1 - slo->quantile);
	CLEANUP(strbuf_release) struct strbuf label = STRBUF_INIT;

	strbuf_addf(d->sb,
		    "<rect class=\"zone\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
		    x, TOP, RIGHT - x, y - TOP);
	strbuf_addf(d->sb, "<path class=\"slo\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x, TOP, y, RIGHT);
	fmt_quantile(&label, slo->quantile);
	strbuf_addf(&label, " \xe2\x89\xa5 %.6g ms", slo->limit_ms);
	html_svg_text(d->sb, RIGHT - 6, TOP + 16, "class=\"strong\" text-anchor=\"end\"",
		      "target missed");
	html_svg_text(d->sb, RIGHT - 6, TOP + 31, "text-anchor=\"end\"", strbuf_cstr(&label));
}

/* One step of the curve: values up to high are no longer above. Points closer than a pixel merge.
 */
static void add_step(void *arg, double low, double high, uint64_t count)
{
	struct drawing *d = arg;
	double x = html_axis_px(&d->x, high), y;

	if (!d->started)
		strbuf_addf(d->sb, "M%.1f %.1f", html_axis_px(&d->x, low), TOP);
	d->above -= count;
	y = html_axis_px(&d->y, fmax((double)d->above / (double)d->n, LEAST_SHARE / 10));
	if (!d->started || x - d->last_x >= 1 || y - d->last_y >= 1 || !d->above) {
		strbuf_addf(d->sb, "H%.1fV%.1f", x, y);
		d->last_x = x;
		d->last_y = y;
	}
	d->started = true;
}

static void draw_marks(struct drawing *d, struct hist *h, const char *class)
{
	static const double quantiles[] = { 0.5, 0.95, 0.99 };

	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		strbuf_addf(d->sb, "<circle class=\"mark %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
			    class, html_axis_px(&d->x, hist_quantile(h, quantiles[i])),
			    html_axis_px(&d->y, 1 - quantiles[i]));
}

static void draw_curve(struct drawing *d, size_t variant)
{
	struct hist *h = d->f->variants.ptr[variant].latency;
	const char *class = html_variant_class(d->f, variant);

	d->n = d->above = hist_count(h);
	d->started = false;
	if (!d->n)
		return;
	strbuf_addf(d->sb, "<path class=\"line %s\" d=\"", class);
	hist_for_each(h, add_step, d);
	strbuf_addstr(d->sb, "\"/>\n");
	draw_marks(d, h, class);
}

static void draw_legend(struct drawing *d)
{
	double y = TOP + 12;

	html_svg_text(d->sb, LEGEND, y, "", "p50, p95, p99 are marked");
	for (size_t i = 0; i < d->f->variants.len; i++) {
		const struct variant_finding *v = &d->f->variants.ptr[i];
		CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT, text = STRBUF_INIT;

		y += 34;
		strbuf_addf(&line, "line %s", html_variant_class(d->f, i));
		html_svg_line(d->sb, strbuf_cstr(&line), LEGEND, y - 4, LEGEND + 28, y - 4);
		html_svg_text(d->sb, LEGEND + 36, y, "class=\"strong\"", v->name);
		strbuf_addstr(&text, "p99 ");
		fmt_figure(&text, UNIT_MS, v->spread[FIGURE_P99].value);
		html_svg_text(d->sb, LEGEND + 36, y + 14, "", strbuf_cstr(&text));
	}
}

static void describe(struct drawing *d)
{
	strbuf_addstr(d->sb, "<title id=\"latency-title\">Latency distributions</title>\n"
			     "<desc id=\"latency-desc\">");
	vec_for_each (&d->f->variants, v) {
		CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s: p50 ", v->name);
		fmt_ms(&text, v->spread[FIGURE_P50].value);
		strbuf_addstr(&text, ", p95 ");
		fmt_ms(&text, v->spread[FIGURE_P95].value);
		strbuf_addstr(&text, ", p99 ");
		fmt_ms(&text, v->spread[FIGURE_P99].value);
		strbuf_addstr(&text, " ms. ");
		html_escape(d->sb, strbuf_cstr(&text));
	}
	strbuf_addstr(d->sb, "</desc>\n");
}

void html_draw_latency(struct strbuf *sb, const struct case_finding *f)
{
	struct drawing d = { .sb = sb, .f = f };
	double height = fmax(HEIGHT, TOP + 46 + 34.0 * (double)f->variants.len);

	if (!find_axes(&d)) {
		strbuf_addstr(sb, "<p>No latencies were measured.</p>\n");
		return;
	}
	strbuf_addf(sb,
		    "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		    "aria-labelledby=\"latency-title latency-desc\">\n",
		    WIDTH, height);
	describe(&d);
	draw_grid(&d);
	draw_slo(&d);
	for (size_t i = 1; i < f->variants.len; i++)
		draw_curve(&d, i);
	draw_curve(&d, 0);
	draw_legend(&d);
	strbuf_addstr(sb, "</svg>\n");
}
