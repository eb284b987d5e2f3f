#include <string.h>

#include "report/html.h"

static double position(const struct html_axis *a, double v)
{
	return a->logarithmic ? log10(fmax(v, 1e-12)) : v;
}

/* The next of 1, 2, 5 times a power of ten at or below (above) v. */
static double round_down(double v)
{
	double unit = pow(10, floor(log10(v) + 1e-9)), digit = v / unit + 1e-9;

	return unit * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static double round_up(double v)
{
	double unit = pow(10, floor(log10(v) + 1e-9)), digit = v / unit - 1e-9;

	return unit * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

struct html_axis html_axis_log(double low, double high, double px_from, double px_to)
{
	low = round_down(fmax(low, 1e-6));
	high = round_up(fmax(high, low * 2));
	return (struct html_axis){ log10(low), log10(high), px_from, px_to, true };
}

double html_axis_px(const struct html_axis *a, double v)
{
	double share = (position(a, v) - a->from) / (a->to - a->from);

	return a->px_from + fmin(fmax(share, 0), 1) * (a->px_to - a->px_from);
}

size_t html_axis_ticks(const struct html_axis *a, double *ret, size_t max)
{
	static const double digits[] = { 1, 2, 5 };
	bool wide = a->to - a->from > 2.5;
	size_t n = 0;

	for (int decade = (int)floor(a->from); decade <= (int)ceil(a->to); decade++)
		for (size_t i = 0; i < (wide ? 1 : 3); i++) {
			double v = digits[i] * pow(10, decade);

			if (n < max && log10(v) > a->from - 1e-6 && log10(v) < a->to + 1e-6)
				ret[n++] = v;
		}
	return n;
}

void html_tick_text(struct strbuf *sb, double ms)
{
	if (ms >= 1000)
		strbuf_addf(sb, "%.6g s", ms / 1000);
	else
		strbuf_addf(sb, "%.6g ms", ms);
}

void html_svg_text(struct strbuf *sb, double x, double y, const char *attributes, const char *text)
{
	strbuf_addf(sb, "<text x=\"%.1f\" y=\"%.1f\"%s%s>", x, y, *attributes ? " " : "",
		    attributes);
	html_escape(sb, text);
	strbuf_addstr(sb, "</text>\n");
}

void html_svg_line(struct strbuf *sb, const char *class, double x1, double y1, double x2, double y2)
{
	strbuf_addf(sb, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		    class, x1, y1, x2, y2);
}

const char *html_variant_class(const struct case_finding *f, size_t variant)
{
	static const char *const others[] = { "o0", "o1", "o2", "o3", "o4" };

	if (variant == 0)
		return "base";
	if (variant == f->variants.len - 1)
		return "fix";
	return others[(variant - 1) % ARRAY_SIZE(others)];
}
