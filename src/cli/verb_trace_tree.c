/* assay trace tree: who calls whom, with the hot path unfolded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/term.h"
#include "cli/trace_view.h"
#include "profile/tree.h"
#include "report/columns.h"

struct flags {
	struct trace_flags view; /* first: TRACE_VIEW_OPTS */
	uint64_t depth;
	double percent;
	const char *root, *callers;
	bool json, long_names;
};

#define FIGURE_CELLS	 28 /* what stands before the tree */
#define NAME_CELLS_MIN	 16 /* a name is not cut below that, however deep it stands */
#define PREFIX_BYTES_MAX 96 /* nor does the tree grow wider than that */

/* Siblings that are being printed. Stacks may be thousands of frames deep: no recursion. */
struct level {
	uint32_t at; /* the next of them; 0 = none is left */
	uint32_t caller;
	size_t prefix; /* length of it */
	bool several;
};

struct printer {
	const struct flags *f;
	const struct view_tree *tree;
	const struct profile_view *v;
	VEC(struct level) levels;
	struct strbuf prefix;	  /* the lines of the tree left of a level */
	struct json_writer *json; /* NULL = text */
	bool utf8, in_ms;
	size_t columns; /* 0 = no limit */
};

static double percent_of(const struct profile_view *v, double part)
{
	return v->total != 0 ? 100 * part / v->total : 0;
}

static uint32_t if_shown(const struct printer *p, uint32_t node)
{
	return node && percent_of(p->v, p->v->nodes.ptr[node].inc) >= p->f->percent ? node : 0;
}

static size_t count_children(const struct printer *p, uint32_t node)
{
	size_t n = 0;

	for (uint32_t c = p->tree->first[node]; if_shown(p, c); c = p->tree->next[c])
		n++;
	return n;
}

static bool is_expanded(const struct printer *p, uint32_t node)
{
	return p->tree->hot[node] || p->levels.len < p->f->depth;
}

/* ---- as text ---- */

static void add_prefix(const struct printer *p, const struct level *l, bool last,
		       struct strbuf *out)
{
	strbuf_add(out, strbuf_cstr(&p->prefix), l->prefix);
	if (l->several && p->utf8)
		strbuf_addstr(out, last ? "\u2514 " : "\u251c ");
	else if (l->several)
		strbuf_addstr(out, last ? "`-" : "|-");
}

static void add_figures(const struct printer *p, const struct view_node *n, bool hot,
			struct strbuf *out)
{
	strbuf_addf(out, "%7.2f %7.2f ", percent_of(p->v, n->inc), percent_of(p->v, n->exc));
	if (p->in_ms)
		strbuf_addf(out, "%9.1f", n->inc);
	else
		strbuf_addf(out, "%9llu", (unsigned long long)n->inc_count);
	strbuf_addstr(out, hot ? " * " : "   ");
}

static void print_line(const struct printer *p, const struct level *l, uint32_t node, bool last)
{
	CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT, tail = STRBUF_INIT;
	const struct view_node *n = &p->v->nodes.ptr[node];
	size_t below = is_expanded(p, node) ? 0 : count_children(p, node), used, room = 0;

	add_figures(p, n, p->tree->hot[node], &line);
	add_prefix(p, l, last, &line);
	if (below)
		strbuf_addf(&tail, " [+%zu]", below);
	used = columns_width(strbuf_cstr(&line)) + tail.len;
	if (p->columns)
		room = MAX(used + NAME_CELLS_MIN, p->columns) - used;
	trace_view_name(p->v->names.ptr[n->name], room, p->f->long_names, &line);
	printf("%s%s\n", strbuf_cstr(&line), strbuf_cstr(&tail));
}

/* What the siblings that are not shown weigh together; 0 when that is below the cut-off, too. */
static double weight_hidden(const struct printer *p, uint32_t caller, size_t *ret_count)
{
	double hidden = 0;

	*ret_count = 0;
	for (uint32_t c = p->tree->first[caller]; c; c = p->tree->next[c]) {
		if (if_shown(p, c))
			continue;
		hidden += p->v->nodes.ptr[c].inc;
		++*ret_count;
	}
	return percent_of(p->v, hidden) >= p->f->percent ? hidden : 0;
}

static void print_hidden(const struct printer *p, const struct level *l)
{
	CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
	struct view_node sum = { 0 };
	size_t count;

	sum.inc = weight_hidden(p, l->caller, &count);
	if (p->json || sum.inc == 0 || !count)
		return;
	strbuf_addf(&line, "%7.2f %20s", percent_of(p->v, sum.inc), "");
	add_prefix(p, l, true, &line);
	printf("%s(%zu smaller ones)\n", strbuf_cstr(&line), count);
}

/* ---- as JSON: a list, as it may be deeper than others can read ---- */

static void write_node(const struct printer *p, uint32_t node)
{
	const struct view_node *n = &p->v->nodes.ptr[node];

	json_object_begin(p->json, NULL);
	json_uint(p->json, "id", node);
	json_uint(p->json, "caller", n->parent);
	json_uint(p->json, "depth", p->levels.len);
	json_cstr(p->json, "name", p->v->names.ptr[n->name]);
	json_double(p->json, "exc", n->exc);
	json_double(p->json, "inc", n->inc);
	json_uint(p->json, "exc_samples", n->exc_count);
	json_uint(p->json, "inc_samples", n->inc_count);
	json_double(p->json, "exc_percent", percent_of(p->v, n->exc));
	json_double(p->json, "inc_percent", percent_of(p->v, n->inc));
	json_bool(p->json, "hot", p->tree->hot[node]);
	json_object_end(p->json);
}

/* ---- both ---- */

static void enter(struct printer *p, uint32_t caller, size_t prefix)
{
	size_t count, hidden;
	struct level l = { .caller = caller, .prefix = prefix };

	count = count_children(p, caller);
	l.at = count ? p->tree->first[caller] : 0;
	l.several = count + (weight_hidden(p, caller, &hidden) != 0) > 1;
	vec_push(&p->levels, l);
}

/* Below one of several a line goes down to the next of them; an only child stands below its caller.
 */
static void enter_below(struct printer *p, const struct level *l, uint32_t node, bool last)
{
	size_t prefix = l->prefix;

	strbuf_truncate(&p->prefix, prefix);
	if (l->several && prefix < PREFIX_BYTES_MAX)
		strbuf_addstr(&p->prefix, last ? "  " : p->utf8 ? "\u2502 " : "| ");
	enter(p, node, p->prefix.len);
}

static void step(struct printer *p)
{
	struct level *top = &vec_last(&p->levels), l = *top;
	uint32_t node = l.at;
	size_t hidden;
	bool last;

	if (!node) {
		print_hidden(p, &l);
		p->levels.len--;
		return;
	}
	top->at = if_shown(p, p->tree->next[node]);
	last = !top->at && weight_hidden(p, l.caller, &hidden) == 0;
	if (p->json)
		write_node(p, node);
	else
		print_line(p, &l, node, last);
	if (is_expanded(p, node))
		enter_below(p, &l, node, last);
}

static void print_tree(struct printer *p)
{
	enter(p, 0, 0);
	while (p->levels.len)
		step(p);
	vec_release(&p->levels);
	strbuf_release(&p->prefix);
}

static void print_text(struct printer *p, const struct dotnet_trace *t)
{
	CLEANUP(strbuf_release) struct strbuf about = STRBUF_INIT;

	trace_view_about(t, &about);
	printf("%s", strbuf_cstr(&about));
	printf("Total %.0f %s\n\n", p->v->total, p->v->unit);
	printf("  Inc %%   Exc %%       %s   Name (* hot path, [+n] calls n more)\n",
	       p->in_ms ? " ms" : "Inc");
	print_tree(p);
}

static void print_json(struct printer *p, const struct dotnet_trace *t)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	json_init(&w, &out, JSON_INDENT);
	p->json = &w;
	json_object_begin(&w, NULL);
	json_cstr(&w, "unit", p->v->unit);
	json_double(&w, "total", p->v->total);
	json_uint(&w, "samples", p->v->samples);
	json_uint(&w, "events_lost", t->counts.lost);
	json_double(&w, "interval_ms", t->interval_ms);
	json_array_begin(&w, "nodes");
	print_tree(p);
	json_array_end(&w);
	json_object_end(&w);
	puts(strbuf_cstr(&out));
}

static void print(const struct flags *f, const struct dotnet_trace *t, const struct profile_view *v)
{
	CLEANUP(view_tree_release) struct view_tree tree;
	struct printer p = {
		.f = f,
		.tree = &tree,
		.v = v,
		.utf8 = term_is_utf8(),
		.in_ms = !strcmp(v->unit, "ms"),
		.columns = f->long_names ? 0 : term_columns(stdout),
	};

	view_tree_make(v, &tree);
	if (f->json)
		print_json(&p, t);
	else
		print_text(&p, t);
}

static int show(const struct flags *f, const struct dotnet_trace *t,
		const struct profile_view_opts *o, struct error *reterr)
{
	CLEANUP(profile_view_release) struct profile_view v = { 0 }, around = { 0 };
	const char *pattern = f->callers ? f->callers : f->root;
	uint32_t name = 0;
	int r;

	profile_view_make(&t->cpu, o, &v);
	if (!pattern) {
		print(f, t, &v);
		return 0;
	}
	r = trace_view_find(&v, pattern, f->callers ? "callers" : "root", &name, reterr);
	if (r < 0)
		return r;
	profile_view_around(&v, name, f->callers, &around);
	print(f, t, &around);
	return 0;
}

static int run_trace_tree(const struct verb_args *a)
{
	CLEANUP(profile_view_opts_release) struct profile_view_opts o = { 0 };
	CLEANUP(dotnet_trace_release) struct dotnet_trace t = { 0 };
	const struct flags *f = a->opts;
	struct error err = ERROR_INIT;
	int r = 0;

	if (f->root && f->callers)
		r = error_set(&err, -EINVAL, "--root and --callers: one of them");
	if (r < 0 || trace_view_open(&f->view, a->args[0], &o, &t, &err) < 0) {
		term_error("trace tree", &err);
		return EXIT_USAGE;
	}
	o.written = !f->view.names || strcmp(f->view.names, "raw") != 0;
	r = show(f, &t, &o, &err);
	if (r < 0)
		term_error("trace tree", &err);
	return r == -ENOENT ? EXIT_NEGATIVE : r < 0 ? EXIT_USAGE : EXIT_OK;
}

static void init_flags(void *opts)
{
	((struct flags *)opts)->percent = 1;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "depth", 'd', OPT_UINT, AT(depth), "N",
	  "Unfold all down to this depth, not only the hot path" },
	{ "percent", 0, OPT_DOUBLE, AT(percent), "N", "Leave out what has below N % of all (1)" },
	{ "root", 0, OPT_STRING, AT(root), "PATTERN",
	  "Only below the heaviest frame that matches, from wherever it is called" },
	{ "callers", 0, OPT_STRING, AT(callers), "PATTERN",
	  "Turned over: who calls the heaviest frame that matches, and who calls them" },
	TRACE_VIEW_OPTS,
	{ "long", 'v', OPT_FLAG, AT(long_names), NULL,
	  "Whole names with their arguments, however wide" },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "As JSON: the same nodes as a list" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace tree app.nettrace --state managed", "the hot path of what ran" },
	{ "assay trace tree app.nettrace --root CheckoutAsync -d 6", "below one method" },
	{ "assay trace tree app.nettrace --callers Monitor.Wait", "who waits there" },
	{ 0 },
};

const struct verb verb_trace_tree = {
	.name = "trace tree",
	.summary = "Who calls whom in a trace, with the hot path unfolded",
	.usage = "[options] FILE.nettrace",
	.about = "Reads a trace of a .NET process and shows its call tree: callers above, what "
		 "they\n"
		 "call below, the heaviest first. The hot path (*) is unfolded: the heaviest child "
		 "of\n"
		 "the heaviest child, until none has half of its caller's weight. A frame that "
		 "alone\n"
		 "lies below its caller stands right under it; several are joined by lines.\n"
		 "\n"
		 "Exit codes: 0; 1 no frame matches --root or --callers; 2 the file or an option "
		 "is\n"
		 "wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_tree,
};
