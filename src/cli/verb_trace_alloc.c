/* assay trace alloc: what was allocated, by type, by type and stack, and per request. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/term.h"
#include "cli/trace_labels.h"
#include "cli/trace_view.h"
#include "os/clock.h"

struct flags {
	struct trace_flags view; /* first: TRACE_VIEW_OPTS */
	uint64_t rows, frames;
	double requests;
	bool stacks, json;
};

/* All that is shown of one trace. */
struct shown {
	const struct flags *f;
	const struct dotnet_trace *t;
	struct profile_view v;	     /* weights: bytes */
	struct profile_view objects; /* the same with numbers of objects; when estimated */
	struct label_rows types, stacks;
	double seconds;
	double requests;      /* 0 = unknown */
	double request_bytes; /* that those requests account for */
	enum request_source source;
};

static double kib(double bytes)
{
	return bytes / 1024;
}

static double mib(double bytes)
{
	return bytes / (1 << 20);
}

/* ---- what is shown ---- */

/* Bytes that were allocated while requests were counted, of those in the view. */
static double bytes_until(const struct alloc_result *a, const struct profile_view_opts *o,
			  int64_t until_ns)
{
	struct profile_view_opts part = *o;
	struct profile_view v = { 0 };
	double total;

	if (!part.to_ns || part.to_ns > until_ns)
		part.to_ns = until_ns;
	profile_view_make(&a->profile, &part, &v);
	total = v.total;
	profile_view_release(&v);
	return total;
}

static void count_requests(struct shown *s, const struct profile_view_opts *o)
{
	const struct request_log *l = &s->t->requests;

	s->requests = s->f->requests;
	s->request_bytes = s->v.total;
	/* what was counted is of the whole trace: it says nothing of a part of it in time */
	if (s->requests > 0 || o->from_ns || o->to_ns)
		return;
	s->source = request_log_source(l);
	s->requests = l->count[s->source];
	if (s->requests > 0 && l->until_ns[s->source] < INT64_MAX)
		s->request_bytes = bytes_until(&s->t->alloc, o, l->until_ns[s->source]);
}

/* The numbers of objects are the same samples with other weights. */
static void count_objects(struct shown *s, struct profile *p, const struct profile_view_opts *o)
{
	const double *objects = s->t->alloc.objects.ptr;

	if (!s->t->alloc.sampled)
		return;
	for (size_t i = 0; i < p->samples.len; i++)
		p->samples.ptr[i].weight = objects[i];
	profile_view_make(p, o, &s->objects);
}

static void make(struct shown *s, struct dotnet_trace *t, const struct profile_view_opts *o)
{
	int64_t to = o->to_ns && o->to_ns < t->ended_ns ? o->to_ns : t->ended_ns;

	profile_view_make(&t->alloc.profile, o, &s->v);
	label_rows_sums(&s->v, ALLOC_TYPE, &s->types);
	label_rows_stacks(&s->v, ALLOC_TYPE, &s->stacks);
	s->seconds = (double)(to - o->from_ns) / (double)NS_PER_S;
	count_requests(s, o);
	count_objects(s, &t->alloc.profile, o);
}

static void release(struct shown *s)
{
	profile_view_release(&s->v);
	profile_view_release(&s->objects);
	free(s->types.ptr);
	free(s->stacks.ptr);
}

static double objects_of(const struct shown *s, const char *type)
{
	vec_for_each (&s->objects.rows, r)
		if (!strcmp(s->objects.names.ptr[r->name], type))
			return r->exc;
	return 0;
}

static double per_request(const struct shown *s, double bytes)
{
	return s->v.total > 0 ? bytes / s->v.total * s->request_bytes / s->requests : 0;
}

static const char *type_of(const struct shown *s, const struct label_row *r)
{
	return s->v.names.ptr[r->name] + strlen(ALLOC_TYPE);
}

/* ---- text ---- */

static double plus_minus(double bytes, uint64_t samples)
{
	double low, high;

	alloc_range(bytes, (double)samples, &low, &high);
	return (high - low) / 2;
}

static void add_total(const struct shown *s, struct strbuf *out)
{
	double total = s->v.total;

	strbuf_addf(out, "%.1f MiB", mib(total));
	if (s->t->alloc.sampled && total > 0)
		strbuf_addf(out, " ± %.1f %%", 100 * plus_minus(total, s->v.samples) / total);
	strbuf_addf(out, " in %.1f s", s->seconds);
	if (s->seconds > 0)
		strbuf_addf(out, ", %.1f MiB/s", mib(total) / s->seconds);
	strbuf_addf(out, "; %llu %s\n", (unsigned long long)s->v.samples,
		    s->t->alloc.sampled ? "sampled objects" : "ticks");
	if (s->requests > 0)
		strbuf_addf(out, "%.1f KiB per request: %.0f requests (%s)\n",
			    kib(s->request_bytes / s->requests), s->requests,
			    s->f->requests > 0 ? "--requests" : request_source_name(s->source));
}

static void add_figures(const struct shown *s, const struct label_row *r, struct strbuf *out)
{
	strbuf_addf(out, "%7.2f %10.2f", s->v.total > 0 ? 100 * r->weight / s->v.total : 0,
		    mib(r->weight));
	if (s->t->alloc.sampled)
		strbuf_addf(out, " %9.2f", mib(plus_minus(r->weight, r->samples)));
	strbuf_addf(out, " %8llu", (unsigned long long)r->samples);
	if (s->requests > 0)
		strbuf_addf(out, " %10.2f", kib(per_request(s, r->weight)));
}

static void add_head(const struct shown *s, bool objects, struct strbuf *out)
{
	strbuf_addf(out, "\n%7s %10s", "Share %", "MiB");
	if (s->t->alloc.sampled)
		strbuf_addstr(out, "    ± 95 %");
	strbuf_addf(out, " %8s", s->t->alloc.sampled ? "Samples" : "Ticks");
	if (s->requests > 0)
		strbuf_addf(out, " %10s", "KiB/req");
	if (objects)
		strbuf_addf(out, " %11s %8s", "Objects", "Avg B");
	strbuf_addstr(out, objects || !s->f->stacks ? "  Type\n" : "  Type and stack\n");
}

static void add_types(const struct shown *s, struct strbuf *out)
{
	add_head(s, s->t->alloc.sampled, out);
	for (size_t i = 0; i < s->types.len && i < s->f->rows; i++) {
		const struct label_row *r = &s->types.ptr[i];
		double objects = objects_of(s, s->v.names.ptr[r->name]);

		add_figures(s, r, out);
		if (s->t->alloc.sampled)
			strbuf_addf(out, " %11.0f %8.0f", objects,
				    objects > 0 ? r->weight / objects : 0);
		strbuf_addf(out, "  %s\n", type_of(s, r));
	}
	if (s->types.len > s->f->rows)
		strbuf_addf(out, "%zu more types (--rows)\n", s->types.len - s->f->rows);
}

static void add_stacks(const struct shown *s, struct strbuf *out)
{
	add_head(s, false, out);
	for (size_t i = 0; i < s->stacks.len && i < s->f->rows; i++) {
		const struct label_row *r = &s->stacks.ptr[i];

		add_figures(s, r, out);
		strbuf_addf(out, "  %s\n", type_of(s, r));
		label_add_callers(out, &s->v, r->node, s->f->frames, 12);
	}
	if (s->stacks.len > s->f->rows)
		strbuf_addf(out, "%zu more stacks (--rows)\n", s->stacks.len - s->f->rows);
}

/* ---- JSON ---- */

static void json_range(const struct shown *s, struct json_writer *w, double bytes, uint64_t samples)
{
	double low, high;

	json_double(w, "bytes", bytes);
	if (s->t->alloc.sampled) {
		alloc_range(bytes, (double)samples, &low, &high);
		json_double(w, "bytes_low", low);
		json_double(w, "bytes_high", high);
	}
	json_uint(w, "samples", samples);
}

static void json_row(const struct shown *s, struct json_writer *w, const struct label_row *r)
{
	json_object_begin(w, NULL);
	json_cstr(w, "type", type_of(s, r));
	json_range(s, w, r->weight, r->samples);
	if (!r->node && s->t->alloc.sampled)
		json_double(w, "objects", objects_of(s, s->v.names.ptr[r->name]));
	if (s->requests > 0)
		json_double(w, "bytes_per_request", per_request(s, r->weight));
	if (r->node)
		label_json_callers(w, &s->v, r->node);
	json_object_end(w);
}

static void json_all(const struct shown *s, struct json_writer *w)
{
	const struct label_rows *rows = s->f->stacks ? &s->stacks : &s->types;

	json_object_begin(w, NULL);
	json_cstr(w, "source", s->t->alloc.sampled ? "AllocationSampled" : "AllocationTick");
	json_bool(w, "unbiased", s->t->alloc.sampled);
	json_range(s, w, s->v.total, s->v.samples);
	json_double(w, "seconds", s->seconds);
	json_uint(w, "events", s->t->alloc.events);
	json_uint(w, "events_without_stack", s->t->alloc.without_stack);
	json_uint(w, "events_lost", s->t->counts.lost);
	if (s->requests > 0) {
		json_double(w, "requests", s->requests);
		json_cstr(w, "requests_from",
			  s->f->requests > 0 ? "--requests" : request_source_name(s->source));
		json_double(w, "bytes_per_request", s->request_bytes / s->requests);
	}
	json_uint(w, "types_count", s->types.len);
	json_array_begin(w, s->f->stacks ? "stacks" : "types");
	for (size_t i = 0; i < rows->len && i < s->f->rows; i++)
		json_row(s, w, &rows->ptr[i]);
	json_array_end(w);
	json_object_end(w);
}

/* ---- the verb ---- */

/* What limits trust. */
static void warn(const struct dotnet_trace *t)
{
	if (!t->alloc.events)
		fprintf(stderr, "assay trace alloc: it has no events of allocations (keyword "
				"allocationsampling of .NET 10, or gc at level 5)\n");
	else if (!t->alloc.sampled)
		fprintf(stderr,
			"assay trace alloc: by the runtime's ticks, one about every 100 KB, each "
			"charged to the type that crossed the line: the sum is right, the shares "
			"of "
			"types are biased\n");
	else if (t->alloc.without_stack)
		fprintf(stderr, "assay trace alloc: %zu of %zu samples have no stack\n",
			t->alloc.without_stack, t->alloc.events);
}

static void show(const struct shown *s)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	if (s->f->json) {
		json_init(&w, &out, JSON_INDENT);
		json_all(s, &w);
		strbuf_addch(&out, '\n');
	} else {
		if (s->t->command_line)
			strbuf_addf(&out, "%s\n", s->t->command_line);
		add_total(s, &out);
		if (s->types.len && s->f->stacks)
			add_stacks(s, &out);
		else if (s->types.len)
			add_types(s, &out);
	}
	fputs(strbuf_cstr(&out), stdout);
}

static int run_trace_alloc(const struct verb_args *a)
{
	CLEANUP(profile_view_opts_release) struct profile_view_opts o = { 0 };
	const struct flags *f = a->opts;
	struct error err = ERROR_INIT;
	struct dotnet_trace t;
	struct shown s = { .f = f, .t = &t };

	if (trace_view_opts(&f->view, &o, &err) < 0 ||
	    dotnet_trace_read(a->args[0], &t, &err) < 0) {
		term_error("trace alloc", &err);
		return EXIT_USAGE;
	}
	o.charge = PROFILE_CHARGE_OWN; /* bytes, not time */
	trace_view_warn(&t);
	warn(&t);
	make(&s, &t, &o);
	show(&s);
	release(&s);
	dotnet_trace_release(&t);
	return EXIT_OK;
}

static void init_flags(void *opts)
{
	struct flags *f = opts;

	f->rows = 30;
	f->frames = 8;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "rows", 'n', OPT_UINT, AT(rows), "N", "Rows to show (30)" },
	{ "stacks", 's', OPT_FLAG, AT(stacks), NULL, "By type and stack" },
	{ "frames", 0, OPT_UINT, AT(frames), "N", "So many frames of a stack (8)" },
	{ "requests", 0, OPT_DOUBLE, AT(requests), "N",
	  "Requests it answered meanwhile, when the trace does not say" },
	TRACE_VIEW_OPTS,
	{ "json", 0, OPT_FLAG, AT(json), NULL, "As JSON" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace alloc app.nettrace", "bytes by type" },
	{ "assay trace alloc app.nettrace --stacks -n 5 --requests 601",
	  "who allocates, per request" },
	{ "assay trace alloc app.nettrace --inc CheckoutAsync", "below one method" },
	{ 0 },
};

const struct verb verb_trace_alloc = {
	.name = "trace alloc",
	.summary = "What a program allocated, by type and stack, per request",
	.usage = "[options] FILE.nettrace",
	.about = "Bytes by type. From the runtime's sampled events (keyword allocationsampling,\n"
		 ".NET 10 and later) they are unbiased estimates, and 95 % of such estimates lie\n"
		 "within ± of the truth; else they are sums of its ticks (keyword gc at level 5),\n"
		 "whose shares by type are biased. Requests are counted from the server's own "
		 "events\n"
		 "in the trace. Types are innermost frames, called \"Type NAME\", for the view "
		 "options.\n"
		 "\n"
		 "Exit codes: 0; 2 the file or an option is wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_alloc,
};
