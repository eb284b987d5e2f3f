#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "profile/diff.h"
#include "profile/export_internal.h"
#include "profile/flame.css.h"
#include "profile/flame.js.h"

struct page {
	const struct export_source *s;
	struct view_diff d;
	struct strbuf *out;
	double least;	/* nodes that weigh less on both sides are left out */
	uint32_t *kept; /* by node: its number in the page; UINT32_MAX = it is left out */
	size_t left_out;
};

static void add_html(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '<')
			strbuf_addstr(out, "&lt;");
		else if (c == '>')
			strbuf_addstr(out, "&gt;");
		else if (c == '&')
			strbuf_addstr(out, "&amp;");
		else if (c == '"')
			strbuf_addstr(out, "&quot;");
		else
			strbuf_addch(out, c < ' ' || c == 0x7f ? ' ' : (char)c);
	}
}

/* ---- what is kept ---- */

static double greatest(const struct diff_node *n)
{
	return MAX(fabs(n->inc[DIFF_BASE]), fabs(n->inc[DIFF_TEST]));
}

static int falling(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

static void choose_nodes(struct page *p)
{
	size_t len = p->d.nodes.len;
	double *weights = xcalloc(len, sizeof(*weights));
	uint32_t next = 0;

	for (size_t i = 0; i < len; i++)
		weights[i] = greatest(&p->d.nodes.ptr[i]);
	qsort(weights, len, sizeof(*weights), falling);
	if (len > EXPORT_HTML_NODES)
		p->least = nextafter(weights[EXPORT_HTML_NODES], INFINITY);
	free(weights);
	p->kept = xcalloc(len, sizeof(*p->kept));
	for (size_t i = 0; i < len; i++) {
		const struct diff_node *n = &p->d.nodes.ptr[i];
		bool keep = !i || (p->kept[n->parent] != UINT32_MAX && greatest(n) >= p->least);

		p->kept[i] = keep ? next++ : UINT32_MAX;
		p->left_out += !keep;
	}
}

/* ---- data for the script ---- */

static void write_names(struct page *p, struct json_writer *w)
{
	json_array_begin(w, "names");
	vec_for_each (&p->d.names, n)
		json_cstr(w, NULL, *n);
	json_array_end(w);
}

static void write_column(struct page *p, struct json_writer *w, const char *key, bool callers)
{
	json_array_begin(w, key);
	for (size_t i = 0; i < p->d.nodes.len; i++)
		if (p->kept[i] != UINT32_MAX)
			json_uint(w, NULL,
				  callers ? p->kept[p->d.nodes.ptr[i].parent]
					  : p->d.nodes.ptr[i].name);
	json_array_end(w);
}

static void write_weights(struct page *p, struct json_writer *w, unsigned side)
{
	json_array_begin(w, NULL);
	for (size_t i = 0; i < p->d.nodes.len; i++)
		if (p->kept[i] != UINT32_MAX)
			json_double(w, NULL, p->d.nodes.ptr[i].inc[side]);
	json_array_end(w);
}

/* JSON within HTML: no '<' that could end the element. */
static void add_data(struct page *p, const struct strbuf *json)
{
	for (size_t i = 0; i < json->len; i++)
		if (json->ptr[i] == '<')
			strbuf_addstr(p->out, "\\u003c");
		else
			strbuf_addch(p->out, json->ptr[i]);
}

static void write_data(struct page *p)
{
	CLEANUP(strbuf_release) struct strbuf json = STRBUF_INIT;
	unsigned first = p->s->baseline ? DIFF_BASE : DIFF_TEST;
	struct json_writer w;

	json_init(&w, &json, JSON_COMPACT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "unit", p->s->view->unit);
	json_array_begin(&w, "total");
	for (unsigned side = first; side < DIFF_SIDES; side++)
		json_double(&w, NULL, p->d.total[side]);
	json_array_end(&w);
	write_names(p, &w);
	write_column(p, &w, "caller", true);
	write_column(p, &w, "name", false);
	json_array_begin(&w, "inc");
	for (unsigned side = first; side < DIFF_SIDES; side++)
		write_weights(p, &w, side);
	json_array_end(&w);
	json_object_end(&w);
	strbuf_addstr(p->out, "<script type=\"application/json\" id=\"data\">");
	add_data(p, &json);
	strbuf_addstr(p->out, "</script>\n");
}

/* ---- the table ---- */

static double share(const struct page *p, double weight, unsigned side)
{
	return p->d.total[side] != 0 ? 100 * weight / p->d.total[side] : 0;
}

static double points(const struct page *p, const double *sides)
{
	return share(p, sides[DIFF_TEST], DIFF_TEST) - share(p, sides[DIFF_BASE], DIFF_BASE);
}

static int by_points(const void *a, const void *b, void *user)
{
	const struct diff_row *x = a, *y = b;
	const struct page *p = user;
	double dx = fabs(points(p, x->exc)), dy = fabs(points(p, y->exc));

	if (dx == dy) {
		dx = fabs(points(p, x->inc));
		dy = fabs(points(p, y->inc));
	}
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static int by_weight(const void *a, const void *b, void *user)
{
	const struct diff_row *x = a, *y = b;

	(void)user;
	if (x->exc[DIFF_TEST] != y->exc[DIFF_TEST])
		return x->exc[DIFF_TEST] > y->exc[DIFF_TEST] ? -1 : 1;
	if (x->inc[DIFF_TEST] != y->inc[DIFF_TEST])
		return x->inc[DIFF_TEST] > y->inc[DIFF_TEST] ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void write_row(struct page *p, const struct diff_row *r)
{
	strbuf_addf(p->out, "<tr><td>%.2f</td><td>%.2f</td>",
		    share(p, r->exc[DIFF_TEST], DIFF_TEST), share(p, r->inc[DIFF_TEST], DIFF_TEST));
	if (p->s->baseline)
		strbuf_addf(p->out, "<td>%+.2f</td><td>%+.2f</td>", points(p, r->exc),
			    points(p, r->inc));
	else
		strbuf_addf(p->out, "<td>%.*f</td><td>%.*f</td>", export_is_timed(p->s),
			    r->exc[DIFF_TEST], export_is_timed(p->s), r->inc[DIFF_TEST]);
	strbuf_addstr(p->out, "<td>");
	add_html(p->out, p->d.names.ptr[r->name]);
	strbuf_addstr(p->out, "</td></tr>\n");
}

static void write_table(struct page *p)
{
	const char *unit = p->s->view->unit;
	size_t rows = MIN(p->d.rows.len, (size_t)EXPORT_HTML_ROWS);

	if (p->d.rows.len)
		qsort_r(p->d.rows.ptr, p->d.rows.len, sizeof(*p->d.rows.ptr),
			p->s->baseline ? by_points : by_weight, p);
	strbuf_addstr(p->out,
		      "<h2>By name</h2>\n<div class=\"scroll\"><table id=\"names\"><thead>"
		      "<tr><th scope=\"col\">Exc&nbsp;%</th><th scope=\"col\">Inc&nbsp;%</th>");
	if (p->s->baseline)
		strbuf_addstr(p->out, "<th scope=\"col\">Exc, points</th>"
				      "<th scope=\"col\">Inc, points</th>");
	else
		strbuf_addf(p->out, "<th scope=\"col\">Exc, %s</th><th scope=\"col\">Inc, %s</th>",
			    unit, unit);
	strbuf_addstr(p->out, "<th scope=\"col\">Name</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < rows; i++)
		write_row(p, &p->d.rows.ptr[i]);
	strbuf_addstr(p->out, "</tbody></table></div>\n");
	if (rows < p->d.rows.len)
		strbuf_addf(p->out, "<p>and %zu more names.</p>\n", p->d.rows.len - rows);
}

/* ---- the page ---- */

static void write_head(struct page *p)
{
	strbuf_addstr(p->out,
		      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'sha256-" FLAME_CSS_HASH "'; script-src 'sha256-" FLAME_JS_HASH
		      "'\">\n<title>");
	add_html(p->out, p->s->title);
	strbuf_addf(p->out, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n", flame_css);
}

/* "1850 samples", or "1850 samples, 2050 ms" */
static void add_amount(struct strbuf *out, const struct profile_view *v)
{
	strbuf_addf(out, "%llu samples", (unsigned long long)v->samples);
	if (strcmp(v->unit, "samples") != 0)
		strbuf_addf(out, ", %.0f %s", v->total, v->unit);
}

static void write_about(struct page *p)
{
	strbuf_addstr(p->out, "<h1>");
	add_html(p->out, p->s->title);
	strbuf_addstr(p->out, "</h1>\n<p>");
	add_amount(p->out, p->s->view);
	strbuf_addch(p->out, '.');
	if (p->s->baseline) {
		strbuf_addstr(p->out, " Compared with ");
		add_amount(p->out, p->s->baseline);
		strbuf_addstr(p->out, " of ");
		add_html(p->out, p->s->baseline_title);
		strbuf_addstr(p->out, ": red and \342\226\262 have a greater share than there, "
				      "blue and \342\226\274 a smaller one; a point is a hundredth "
				      "of all.");
	}
	if (p->left_out)
		strbuf_addf(p->out, " The %zu lightest of %zu nodes are not drawn.", p->left_out,
			    p->d.nodes.len - 1);
	strbuf_addstr(p->out, "</p>\n<noscript><p>The flame graph needs JavaScript; the table does "
			      "not.</p></noscript>\n");
}

static void write_graph(struct page *p)
{
	strbuf_addstr(
		p->out,
		"<section id=\"flame\" hidden aria-label=\"Flame graph\">\n"
		"<div id=\"tools\"><input id=\"search\" type=\"search\" "
		"placeholder=\"Search (text or a regular expression)\" "
		"aria-label=\"Search frames by name\"><span id=\"found\" role=\"status\"></span>"
		"<button id=\"reset\" type=\"button\" disabled>Zoom out</button>"
		"<button id=\"sides\" type=\"button\" hidden>Widths: now</button></div>\n"
		"<p id=\"about\" aria-live=\"polite\"></p>\n"
		"<div id=\"graph\" role=\"tree\" aria-label=\"Call tree: width is weight, callers "
		"above\" aria-describedby=\"keys\"></div>\n"
		"<p id=\"keys\">Click or <kbd>Enter</kbd> zooms in, <kbd>Esc</kbd> out, "
		"<kbd>Backspace</kbd> a step; arrows move, <kbd>/</kbd> searches, <kbd>n</kbd> and "
		"<kbd>N</kbd> go from match to match.</p>\n</section>\n");
}

void export_html(const struct export_source *s, struct strbuf *out)
{
	static const double as_they_are[DIFF_SIDES] = { 1, 1 };
	struct page p = { .s = s, .out = out };

	view_diff_make(s->baseline, s->view, as_they_are, &p.d);
	choose_nodes(&p);
	write_head(&p);
	write_about(&p);
	write_graph(&p);
	write_table(&p);
	strbuf_addstr(out, "</main>\n");
	write_data(&p);
	strbuf_addf(out, "<script>%s</script>\n</body>\n</html>\n", flame_js);
	view_diff_release(&p.d);
	free(p.kept);
}
