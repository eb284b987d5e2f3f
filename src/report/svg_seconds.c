/*
 * Small multiples: a band per variant, its runs side by side, all bands on one scale. Above, the
 * p99 of each second; below it, on the same clock, the share of the second's quota periods that
 * were throttled. A run with more seconds than there is room for shows the worst of a few at a
 * time.
 */
#include <string.h>

#include "report/html.h"

#define WIDTH	   780.0
#define LEFT	   110.0
#define RIGHT	   772.0
#define BAND	   106.0 /* height of a variant */
#define PLOT	   54.0
#define BARS	   18.0 /* height of 100 % */
#define RUN_GAP	   14.0
#define TOP	   22.0
#define POINTS_MAX 150

struct drawing {
	struct strbuf *sb;
	const struct case_finding *f;
	struct html_axis y; /* of the first band */
	size_t runs;	    /* most that a variant has */
	size_t seconds;	    /* most that a run has */
};

static bool is_of(const struct figures *r, const struct variant_finding *v)
{
	return !r->goal && !strcmp(r->variant, v->name) && r->seconds.len;
}

static bool find_extent(struct drawing *d)
{
	double low = INFINITY, high = 0;

	vec_for_each (&d->f->variants, v) {
		size_t runs = 0;

		vec_for_each (&d->f->runs, run) {
			if (!is_of(*run, v))
				continue;
			runs++;
			d->seconds = MAX(d->seconds, (*run)->seconds.len);
			vec_for_each (&(*run)->seconds, s) {
				low = fmin(low, s->p99_ms);
				high = fmax(high, s->p99_ms);
			}
		}
		d->runs = MAX(d->runs, runs);
	}
	if (!(high > 0))
		return false;
	d->y = html_axis_log(fmin(low, d->f->desc->slo.limit_ms),
			     fmax(high, d->f->desc->slo.limit_ms), TOP + PLOT, TOP);
	return true;
}

static double run_width(const struct drawing *d)
{
	return (RIGHT - LEFT - RUN_GAP * (double)(d->runs - 1)) / (double)d->runs;
}

/* The seconds from i on that make one point: worst p99, mean throttled share. */
static struct figures_second group(const struct figures *r, size_t i, size_t step)
{
	struct figures_second g = { .t_s = r->seconds.ptr[i].t_s, .p99_ms = NAN, .throttled = NAN };
	double sum = 0;
	size_t n = 0;

	for (size_t k = i; k < MIN(i + step, r->seconds.len); k++) {
		const struct figures_second *s = &r->seconds.ptr[k];

		g.p99_ms = fmax(g.p99_ms, s->p99_ms);
		if (!figure_known(s->throttled))
			continue;
		sum += s->throttled;
		n++;
	}
	if (n)
		g.throttled = sum / (double)n;
	return g;
}

static void draw_run(struct drawing *d, const struct figures *r, const char *class, double x0,
		     double dy)
{
	double width = run_width(d) / (double)d->seconds;
	size_t step = (d->seconds + POINTS_MAX - 1) / POINTS_MAX;
	double floor_y = dy + TOP + PLOT + 6 + BARS;
	bool down = false;

	for (size_t i = 0; i < r->seconds.len; i += step) {
		struct figures_second g = group(r, i, step);
		double h = fmin(fmax(g.throttled, 0), 1) * BARS;

		if (figure_known(g.throttled) && h > 0)
			strbuf_addf(d->sb,
				    "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				    "height=\"%.1f\"/>\n",
				    x0 + (double)i * width, floor_y - h,
				    fmax(width * (double)step - 0.6, 0.8), h);
	}
	strbuf_addf(d->sb, "<path class=\"line %s\" d=\"", class);
	for (size_t i = 0; i < r->seconds.len; i += step) {
		struct figures_second g = group(r, i, step);

		if (figure_known(g.p99_ms))
			strbuf_addf(d->sb, "%s%.1f %.1f", down ? "L" : "M",
				    x0 + ((double)i + (double)step / 2) * width,
				    html_axis_px(&d->y, g.p99_ms) + dy);
		down = figure_known(g.p99_ms);
	}
	strbuf_addstr(d->sb, "\"/>\n");
}

static void draw_scale(struct drawing *d, double dy)
{
	double ticks[32], slo = html_axis_px(&d->y, d->f->desc->slo.limit_ms) + dy;
	size_t n = html_axis_ticks(&d->y, ticks, ARRAY_SIZE(ticks));
	double last = INFINITY;

	for (size_t i = 0; i < n; i++) {
		CLEANUP(strbuf_release) struct strbuf label = STRBUF_INIT;
		double y = html_axis_px(&d->y, ticks[i]) + dy;

		html_svg_line(d->sb, "grid", LEFT, y, RIGHT, y);
		if (last - y < 12)
			continue;
		last = y;
		html_tick_text(&label, ticks[i]);
		html_svg_text(d->sb, LEFT - 6, y + 4, "text-anchor=\"end\"", strbuf_cstr(&label));
	}
	html_svg_line(d->sb, "slo", LEFT, slo, RIGHT, slo);
	html_svg_line(d->sb, "grid", LEFT, dy + TOP + PLOT + 6 + BARS, RIGHT,
		      dy + TOP + PLOT + 6 + BARS);
	html_svg_text(d->sb, LEFT - 6, dy + TOP + PLOT + 4 + BARS, "text-anchor=\"end\"",
		      "throttled");
}

static void draw_band(struct drawing *d, size_t variant)
{
	const struct variant_finding *v = &d->f->variants.ptr[variant];
	double dy = BAND * (double)variant, x0 = LEFT;

	html_svg_text(d->sb, 0, dy + TOP + 10, "class=\"strong\"", v->name);
	draw_scale(d, dy);
	vec_for_each (&d->f->runs, run) {
		CLEANUP(strbuf_release) struct strbuf label = STRBUF_INIT;

		if (!is_of(*run, v))
			continue;
		strbuf_addf(&label, "run %u", (*run)->index);
		html_svg_text(d->sb, x0, dy + TOP - 5, "", strbuf_cstr(&label));
		draw_run(d, *run, html_variant_class(d->f, variant), x0, dy);
		x0 += run_width(d) + RUN_GAP;
	}
}

void html_draw_seconds(struct strbuf *sb, const struct case_finding *f)
{
	struct drawing d = { .sb = sb, .f = f };

	if (!find_extent(&d)) {
		strbuf_addstr(sb, "<p>No second was measured.</p>\n");
		return;
	}
	strbuf_addf(sb,
		    "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		    "aria-labelledby=\"seconds-title seconds-desc\">\n",
		    WIDTH, BAND * (double)f->variants.len + 12);
	strbuf_addstr(sb,
		      "<title id=\"seconds-title\">p99 of every second and the throttled share "
		      "under it</title>\n<desc id=\"seconds-desc\">A band per variant, its runs "
		      "side by side; the figures of the runs are in the tables.</desc>\n");
	for (size_t i = 0; i < f->variants.len; i++)
		draw_band(&d, i);
	strbuf_addstr(sb, "</svg>\n");
}
