/* assay trace top: the methods of a trace by what they weigh. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/term.h"
#include "cli/trace_view.h"
#include "report/columns.h"

struct flags {
	struct trace_flags view; /* first: TRACE_VIEW_OPTS */
	uint64_t rows;
	const char *callers;
	bool inclusive, json, long_names;
};

/* ---- the table ---- */

static double percent(double part, double total)
{
	return total > 0 ? 100 * part / total : 0;
}

static void add_name(const struct flags *f, const char *name, struct strbuf *out)
{
	struct str s = str_from(name);

	if (f->view.names && !strcmp(f->view.names, "written"))
		profile_written_name(out, name, !f->long_names);
	else
		strbuf_add(out, s.ptr, f->long_names ? s.len : str_find(s, '('));
}

/* What the columns Exc and Inc hold: samples, or time. */
static void add_amount(const struct profile_view *v, double weight, uint64_t count,
		       struct strbuf *out)
{
	if (strcmp(v->unit, "ms") != 0)
		strbuf_addf(out, "%llu", (unsigned long long)count);
	else
		strbuf_addf(out, "%.1f", weight);
}

static void print_row(const struct flags *f, const struct profile_view *v, const struct view_row *r)
{
	CLEANUP(strbuf_release) struct strbuf exc = STRBUF_INIT, inc = STRBUF_INIT;
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	add_name(f, v->names.ptr[r->name], &name);
	add_amount(v, r->exc, r->exc_count, &exc);
	add_amount(v, r->inc, r->inc_count, &inc);
	printf("%7.2f %7.2f %9s %9s  %s\n", percent(r->exc, v->total), percent(r->inc, v->total),
	       strbuf_cstr(&exc), strbuf_cstr(&inc), strbuf_cstr(&name));
}

static void print_rows(const struct flags *f, const struct profile_view *v,
		       const struct view_rows *rows)
{
	printf("  Exc %%   Inc %%       Exc       Inc  Name\n");
	for (size_t i = 0; i < rows->len && i < f->rows; i++)
		print_row(f, v, &rows->ptr[i]);
	if (rows->len > f->rows)
		printf("%36s%zu more\n", "", (size_t)(rows->len - f->rows));
}

static int by_inclusive(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;

	if (x->inc != y->inc)
		return x->inc > y->inc ? -1 : 1;
	if (x->exc != y->exc)
		return x->exc > y->exc ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* ---- callers and callees of one method ---- */

static int print_neighbours(const struct flags *f, const struct profile_view *v,
			    struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct view_neighbours n;
	uint32_t method = 0;

	int r = trace_view_find(v, f->callers, "callers", &method, reterr);

	if (r < 0)
		return r;
	add_name(f, v->names.ptr[method], &name);
	profile_view_neighbours(v, method, &n);
	printf("Callers of %s\n", strbuf_cstr(&name));
	print_rows(f, v, &n.callers);
	printf("\nIt calls\n");
	print_rows(f, v, &n.callees);
	view_neighbours_release(&n);
	return 0;
}

/* ---- JSON ---- */

static void print_json(const struct flags *f, const struct dotnet_trace *t,
		       const struct profile_view *v)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	json_init(&w, &out, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "unit", v->unit);
	json_double(&w, "total", v->total);
	json_uint(&w, "samples", v->samples);
	json_uint(&w, "samples_without_stack", t->without_stack);
	json_uint(&w, "events_lost", t->counts.lost);
	json_double(&w, "interval_ms", t->interval_ms);
	json_array_begin(&w, "frames");
	for (size_t i = 0; i < v->rows.len && i < f->rows; i++) {
		const struct view_row *r = &v->rows.ptr[i];

		json_object_begin(&w, NULL);
		json_cstr(&w, "name", v->names.ptr[r->name]);
		json_double(&w, "exc", r->exc);
		json_double(&w, "inc", r->inc);
		json_uint(&w, "exc_samples", r->exc_count);
		json_uint(&w, "inc_samples", r->inc_count);
		json_double(&w, "exc_percent", percent(r->exc, v->total));
		json_double(&w, "inc_percent", percent(r->inc, v->total));
		json_object_end(&w);
	}
	json_array_end(&w);
	json_object_end(&w);
	puts(strbuf_cstr(&out));
}

/* ---- the verb ---- */

static int show(const struct flags *f, const struct dotnet_trace *t,
		const struct profile_view_opts *o, struct error *reterr)
{
	CLEANUP(profile_view_release) struct profile_view v = { 0 };
	CLEANUP(strbuf_release) struct strbuf about = STRBUF_INIT;

	profile_view_make(&t->cpu, o, &v);
	if (f->inclusive && v.rows.len)
		qsort(v.rows.ptr, v.rows.len, sizeof(*v.rows.ptr), by_inclusive);
	if (f->json) {
		print_json(f, t, &v);
		return 0;
	}
	trace_view_about(t, &about);
	printf("%s", strbuf_cstr(&about));
	printf("Total %.0f %s\n\n", v.total, v.unit);
	if (f->callers)
		return print_neighbours(f, &v, reterr);
	print_rows(f, &v, &v.rows);
	return 0;
}

static int run_trace_top(const struct verb_args *a)
{
	CLEANUP(profile_view_opts_release) struct profile_view_opts o = { 0 };
	const struct flags *f = a->opts;
	struct error err = ERROR_INIT;
	struct dotnet_trace t;
	int r;

	if (trace_view_open(&f->view, a->args[0], &o, &t, &err) < 0) {
		term_error("trace top", &err);
		dotnet_trace_release(&t);
		return EXIT_USAGE;
	}
	r = show(f, &t, &o, &err);
	dotnet_trace_release(&t);
	if (r < 0)
		term_error("trace top", &err);
	return r < 0 ? EXIT_NEGATIVE : EXIT_OK;
}

static void init_flags(void *opts)
{
	((struct flags *)opts)->rows = 30;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "rows", 'n', OPT_UINT, AT(rows), "N", "Rows to show (30)" },
	{ "inclusive", 'i', OPT_FLAG, AT(inclusive), NULL, "Sorted by what is below a frame, too" },
	{ "callers", 0, OPT_STRING, AT(callers), "PATTERN",
	  "Who calls the heaviest frame that matches, and whom it calls" },
	TRACE_VIEW_OPTS,
	{ "long", 'v', OPT_FLAG, AT(long_names), NULL, "Names with their arguments" },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "As JSON" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace top app.nettrace", "where its threads were" },
	{ "assay trace top app.nettrace --inc CheckoutAsync --state managed -i",
	  "below one method, without what waits" },
	{ "assay trace top app.nettrace --group 'System.%!->framework' --fold ThreadPool",
	  "one's own code first" },
	{ 0 },
};

const struct verb verb_trace_top = {
	.name = "trace top",
	.summary = "The methods of a trace by what they weigh",
	.usage = "[options] FILE.nettrace",
	.about =
		"Reads a trace of a .NET process (from dotnet-trace, PerfView or assay) and shows "
		"its\n"
		"methods: Exc is the share of samples whose innermost frame it is, Inc of those "
		"with\n"
		"it anywhere in their stack. The runtime's sampler looks at every managed thread,\n"
		"running or not, and only where the runtime can stop it: --state managed leaves "
		"out\n"
		"what waits, or runs native code.\n"
		"Frames are grouped, then folded, then stacks are chosen, as in PerfView.\n"
		"\n"
		"Exit codes: 0; 1 no frame matches --callers; 2 the file or an option is wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_top,
};
