/* assay trace gc: the collections of a trace, one by one and in sum. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/term.h"
#include "cli/trace_view.h"
#include "os/clock.h"

#define GENERATIONS 3

struct flags {
	uint64_t rows;
	bool longest, json;
};

struct sum {
	uint64_t count, background, pause_ns, longest_ns;
};

static double ms(uint64_t ns)
{
	return (double)ns / (double)NS_PER_MS;
}

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static double share(const struct dotnet_trace *t)
{
	return t->ended_ns > 0 ? (double)t->gc.pause_ns / (double)t->ended_ns : 0;
}

static void sum_up(const struct gc_log *g, struct sum *sums)
{
	vec_for_each (&g->list, r) {
		struct sum *s = &sums[MIN(r->generation, (uint32_t)GENERATIONS - 1)];

		s->count++;
		s->background += r->type == CLR_GC_BACKGROUND;
		s->pause_ns += r->pause_ns;
		s->longest_ns = MAX(s->longest_ns, r->pause_ns);
	}
}

/* ---- text ---- */

/* Why there is nothing to see. */
static void warn(const struct dotnet_trace *t)
{
	if (!t->gc.list.len && !t->gc.pauses.len)
		fprintf(stderr,
			"assay trace gc: it has no events of collections: there was none, or "
			"keyword gc was not asked for\n");
	else if (!t->gc.pauses.len)
		fprintf(stderr, "assay trace gc: it has no events of suspensions: how long the "
				"program stood still is not known\n");
}

static void add_sums(struct strbuf *out, const struct dotnet_trace *t)
{
	struct sum sums[GENERATIONS] = { 0 };

	sum_up(&t->gc, sums);
	strbuf_addf(out,
		    "%zu collections in %.1f s; %zu pauses, %.2f ms in sum, longest %.2f ms: "
		    "%.2f %% of the time\n",
		    t->gc.list.len, (double)t->ended_ns / (double)NS_PER_S, t->gc.pauses.len,
		    ms(t->gc.pause_ns), ms(t->gc.longest_ns), 100 * share(t));
	if (t->gc.others)
		strbuf_addf(out, "%llu stops for other reasons (a sampler, a debugger), %.2f ms\n",
			    (unsigned long long)t->gc.others, ms(t->gc.other_ns));
	if (t->gc.pauses_of_none)
		strbuf_addf(out, "%llu of the pauses belong to none of these collections\n",
			    (unsigned long long)t->gc.pauses_of_none);
	if (!t->gc.list.len)
		return;
	strbuf_addstr(out, "\n  Gen   Count  Background  Pause ms  Longest ms\n");
	for (unsigned i = 0; i < GENERATIONS; i++)
		strbuf_addf(out, "%5u %7llu %11llu %9.2f %11.2f\n", i,
			    (unsigned long long)sums[i].count,
			    (unsigned long long)sums[i].background, ms(sums[i].pause_ns),
			    ms(sums[i].longest_ns));
}

static void add_bytes(struct strbuf *out, bool known, uint64_t bytes)
{
	if (known)
		strbuf_addf(out, " %10.2f", mib(bytes));
	else
		strbuf_addf(out, " %10s", "-");
}

static void add_row(struct strbuf *out, const struct gc_record *r)
{
	strbuf_addf(out, "%7u %4u  %-10s  %-21s %9.3f", r->number, r->generation,
		    clr_gc_type_name(r->type), clr_gc_reason_name(r->reason),
		    (double)r->start_ns / (double)NS_PER_S);
	if (r->pauses)
		strbuf_addf(out, " %9.3f", ms(r->pause_ns));
	else
		strbuf_addf(out, " %9s", "-");
	add_bytes(out, r->has_before, r->before);
	add_bytes(out, r->has_after, r->after);
	add_bytes(out, r->has_after, r->promoted);
	strbuf_addstr(out, r->end_ns ? "\n" : "  (not ended)\n");
}

static void add_rows(struct strbuf *out, const struct flags *f, const struct gc_log *g)
{
	if (!g->list.len)
		return;
	strbuf_addf(out, "\n%7s %4s  %-10s  %-21s %9s %9s %10s %10s %10s\n", "Number", "Gen",
		    "Type", "Reason", "At s", "Pause ms", "Before MiB", "After MiB", "Promoted");
	for (size_t i = 0; i < g->list.len && i < f->rows; i++)
		add_row(out, &g->list.ptr[i]);
	if (g->list.len > f->rows)
		strbuf_addf(out, "%zu more (--rows)\n", (size_t)(g->list.len - f->rows));
}

/* ---- JSON ---- */

static void json_bytes(struct json_writer *w, const char *key, bool known, uint64_t bytes)
{
	if (known)
		json_uint(w, key, bytes);
	else
		json_none(w, key);
}

static void json_record(struct json_writer *w, const struct gc_record *r)
{
	static const char *const sizes[CLR_GENERATIONS] = { "gen0", "gen1", "gen2", "loh", "poh" };

	json_object_begin(w, NULL);
	json_uint(w, "number", r->number);
	json_uint(w, "generation", r->generation);
	json_cstr(w, "type", clr_gc_type_name(r->type));
	json_cstr(w, "reason", clr_gc_reason_name(r->reason));
	json_double(w, "start_ms", (double)r->start_ns / (double)NS_PER_MS);
	if (r->end_ns)
		json_double(w, "end_ms", (double)r->end_ns / (double)NS_PER_MS);
	else
		json_none(w, "end_ms");
	json_uint(w, "pauses", r->pauses);
	if (r->pauses)
		json_double(w, "pause_ms", ms(r->pause_ns));
	else
		json_none(w, "pause_ms");
	json_bytes(w, "heap_before", r->has_before, r->before);
	json_bytes(w, "heap_after", r->has_after, r->after);
	json_bytes(w, "promoted", r->has_after, r->promoted);
	if (r->has_after) {
		json_object_begin(w, "sizes_after");
		for (size_t i = 0; i < CLR_GENERATIONS; i++)
			json_uint(w, sizes[i], r->size[i]);
		json_object_end(w);
	}
	json_object_end(w);
}

static void json_all(struct json_writer *w, const struct flags *f, const struct dotnet_trace *t)
{
	struct sum sums[GENERATIONS] = { 0 };

	sum_up(&t->gc, sums);
	json_object_begin(w, NULL);
	json_uint(w, "collections", t->gc.list.len);
	json_double(w, "seconds", (double)t->ended_ns / (double)NS_PER_S);
	json_uint(w, "events_lost", t->counts.lost);
	json_object_begin(w, "pauses");
	json_uint(w, "count", t->gc.pauses.len);
	json_uint(w, "of_no_collection", t->gc.pauses_of_none);
	json_double(w, "total_ms", ms(t->gc.pause_ns));
	json_double(w, "longest_ms", ms(t->gc.longest_ns));
	json_double(w, "share", share(t));
	json_object_end(w);
	json_object_begin(w, "other_suspensions");
	json_uint(w, "count", t->gc.others);
	json_double(w, "total_ms", ms(t->gc.other_ns));
	json_object_end(w);
	json_array_begin(w, "generations");
	for (unsigned i = 0; i < GENERATIONS; i++) {
		json_object_begin(w, NULL);
		json_uint(w, "generation", i);
		json_uint(w, "count", sums[i].count);
		json_uint(w, "background", sums[i].background);
		json_double(w, "pause_ms", ms(sums[i].pause_ns));
		json_double(w, "longest_ms", ms(sums[i].longest_ns));
		json_object_end(w);
	}
	json_array_end(w);
	json_array_begin(w, "list");
	for (size_t i = 0; i < t->gc.list.len && i < f->rows; i++)
		json_record(w, &t->gc.list.ptr[i]);
	json_array_end(w);
	json_object_end(w);
}

/* ---- the verb ---- */

static int by_pause(const void *a, const void *b)
{
	const struct gc_record *x = a, *y = b;

	if (x->pause_ns != y->pause_ns)
		return x->pause_ns > y->pause_ns ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int run_trace_gc(const struct verb_args *a)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	const struct flags *f = a->opts;
	struct error err = ERROR_INIT;
	struct json_writer w;
	struct dotnet_trace t;

	if (dotnet_trace_read(a->args[0], &t, &err) < 0) {
		term_error("trace gc", &err);
		return EXIT_USAGE;
	}
	trace_view_warn(&t);
	warn(&t);
	if (f->longest && t.gc.list.len)
		qsort(t.gc.list.ptr, t.gc.list.len, sizeof(*t.gc.list.ptr), by_pause);
	if (f->json) {
		json_init(&w, &out, JSON_INDENT);
		json_all(&w, f, &t);
		strbuf_addch(&out, '\n');
	} else {
		if (t.command_line)
			strbuf_addf(&out, "%s\n", t.command_line);
		add_sums(&out, &t);
		add_rows(&out, f, &t.gc);
	}
	fputs(strbuf_cstr(&out), stdout);
	dotnet_trace_release(&t);
	return EXIT_OK;
}

static void init_flags(void *opts)
{
	((struct flags *)opts)->rows = UINT64_MAX;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "rows", 'n', OPT_UINT, AT(rows), "N", "Collections to show (all)" },
	{ "longest", 0, OPT_FLAG, AT(longest), NULL, "Those with the longest pauses first" },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "As JSON" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace gc app.nettrace", "every collection, and what they cost in sum" },
	{ "assay trace gc app.nettrace --longest -n 10",
	  "the ten that stopped the program longest" },
	{ 0 },
};

const struct verb verb_trace_gc = {
	.name = "trace gc",
	.summary = "The garbage collections of a trace and their pauses",
	.usage = "[options] FILE.nettrace",
	.about = "Shows of each collection why it was, how long it stopped the program, and what "
		 "the\n"
		 "heap held before and after. A background collection runs beside the program and\n"
		 "stops it twice, shortly; its pause is the sum. The trace needs the runtime's GC\n"
		 "events (keyword gc; dotnet-trace's profiles gc-collect and gc-verbose).\n"
		 "\n"
		 "Exit codes: 0; 2 the file or an option is wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_gc,
};
