/* assay trace threadpool: how many workers the thread pool had, and why. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/term.h"
#include "cli/trace_view.h"
#include "os/clock.h"

struct flags {
	uint64_t rows;
	bool json;
};

struct bounds {
	uint32_t least, most;
};

static struct bounds bounds_of(const struct pool_log *p)
{
	struct bounds b = { p->adjustments.len ? UINT32_MAX : 0, 0 };

	vec_for_each (&p->adjustments, a) {
		b.least = MIN(b.least, a->to.workers);
		b.most = MAX(b.most, a->to.workers);
	}
	return b;
}

/* How often a worker was added because all others blocked; the pool says so of taking it away, too.
 */
static uint64_t starved(const struct pool_log *p)
{
	uint32_t before = 0;
	uint64_t n = 0;

	vec_for_each (&p->adjustments, a) {
		bool blocked = a->to.reason == POOL_STARVATION || a->to.reason == POOL_COOPERATIVE;

		n += blocked && a->to.workers > before;
		before = a->to.workers;
	}
	return n;
}

/* ---- text ---- */

static void add_summary(const struct dotnet_trace *t, struct strbuf *out)
{
	const struct pool_log *p = &t->incidents.pool;
	struct bounds b = bounds_of(p);
	const char *comma = ": ";

	strbuf_addf(out, "%zu adjustments in %.1f s", p->adjustments.len,
		    (double)t->ended_ns / (double)NS_PER_S);
	for (uint32_t i = 0; i < POOL_REASONS; i++)
		if (p->reasons[i]) {
			strbuf_addf(out, "%s%llu %s", comma, (unsigned long long)p->reasons[i],
				    clr_adjustment_name(i));
			comma = ", ";
		}
	if (p->adjustments.len)
		strbuf_addf(out, "; between %u and %u workers", b.least, b.most);
	strbuf_addch(out, '\n');
	if (p->most_workers)
		strbuf_addf(out, "at most %llu workers were active\n",
			    (unsigned long long)p->most_workers);
	if (p->taken)
		strbuf_addf(out, "%llu work items waited %.3f ms on average, %.3f ms at most\n",
			    (unsigned long long)p->taken, p->delay_ms / (double)p->taken,
			    p->longest_delay_ms);
	if (starved(p))
		strbuf_addf(out,
			    "starvation: %llu times a worker was added because work waited "
			    "while all of them blocked\n",
			    (unsigned long long)starved(p));
	else if (p->adjustments.len)
		strbuf_addstr(out,
			      "no adjustment for starvation; that alone does not mean there was "
			      "none: a pool that climbs slowly from few workers while work "
			      "waits says ClimbingMove\n");
}

static void add_rows(const struct flags *f, const struct pool_log *p, struct strbuf *out)
{
	if (p->adjustments.len)
		strbuf_addf(out, "\n%9s %8s %13s  %s\n", "At s", "Workers", "Throughput/s",
			    "Reason");
	for (size_t i = 0; i < p->adjustments.len && i < f->rows; i++) {
		const struct pool_adjustment *a = &p->adjustments.ptr[i];

		strbuf_addf(out, "%9.3f %8u %13.1f  %s\n", (double)a->t_ns / (double)NS_PER_S,
			    a->to.workers, a->to.throughput, clr_adjustment_name(a->to.reason));
	}
	if (p->adjustments.len > f->rows)
		strbuf_addf(out, "%zu more (--rows)\n", (size_t)(p->adjustments.len - f->rows));
}

/* ---- JSON ---- */

static void json_all(const struct flags *f, const struct dotnet_trace *t, struct json_writer *w)
{
	const struct pool_log *p = &t->incidents.pool;
	struct bounds b = bounds_of(p);

	json_object_begin(w, NULL);
	json_double(w, "seconds", (double)t->ended_ns / (double)NS_PER_S);
	json_uint(w, "events_lost", t->counts.lost);
	json_uint(w, "count", p->adjustments.len);
	json_uint(w, "least_workers", b.least);
	json_uint(w, "most_workers", b.most);
	json_uint(w, "most_active_workers", p->most_workers);
	json_uint(w, "starvation", starved(p));
	json_object_begin(w, "reasons");
	for (uint32_t i = 0; i < POOL_REASONS; i++)
		if (p->reasons[i])
			json_uint(w, clr_adjustment_name(i), p->reasons[i]);
	json_object_end(w);
	json_object_begin(w, "work_items");
	json_uint(w, "queued", p->queued);
	json_uint(w, "taken", p->taken);
	json_double(w, "mean_wait_ms", p->taken ? p->delay_ms / (double)p->taken : 0);
	json_double(w, "longest_wait_ms", p->longest_delay_ms);
	json_object_end(w);
	json_array_begin(w, "adjustments");
	for (size_t i = 0; i < p->adjustments.len && i < f->rows; i++) {
		const struct pool_adjustment *a = &p->adjustments.ptr[i];

		json_object_begin(w, NULL);
		json_double(w, "at_ms", (double)a->t_ns / (double)NS_PER_MS);
		json_uint(w, "workers", a->to.workers);
		json_double(w, "throughput", a->to.throughput);
		json_cstr(w, "reason", clr_adjustment_name(a->to.reason));
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
}

/* ---- the verb ---- */

static int run_trace_threadpool(const struct verb_args *a)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	const struct flags *f = a->opts;
	struct error err = ERROR_INIT;
	struct json_writer w;
	struct dotnet_trace t;

	if (dotnet_trace_read(a->args[0], &t, &err) < 0) {
		term_error("trace threadpool", &err);
		return EXIT_USAGE;
	}
	trace_view_warn(&t);
	if (!t.incidents.pool.adjustments.len && !t.incidents.pool.worker_events)
		fprintf(stderr, "assay trace threadpool: it has no events of the thread pool: "
				"nothing changed, or keyword threading was not asked for\n");
	if (f->json) {
		json_init(&w, &out, JSON_INDENT);
		json_all(f, &t, &w);
		strbuf_addch(&out, '\n');
	} else {
		if (t.command_line)
			strbuf_addf(&out, "%s\n", t.command_line);
		add_summary(&t, &out);
		add_rows(f, &t.incidents.pool, &out);
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
	{ "rows", 'n', OPT_UINT, AT(rows), "N", "Adjustments to show (all)" },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "As JSON" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace threadpool app.nettrace", "when it changed its number of workers, and why" },
	{ 0 },
};

const struct verb verb_trace_threadpool = {
	.name = "trace threadpool",
	.summary = "The thread pool's workers in a trace: adjustments, starvation",
	.usage = "[options] FILE.nettrace",
	.about =
		"Shows each change of the number of workers with the pool's reason. Starvation "
		"and\n"
		"CooperativeBlocking mean that work waited while its workers blocked. How long "
		"work\n"
		"items waited is known where the trace has their events (keyword threadtransfer at "
		"level\n"
		"5; adjustments need keyword threading at level 4).\n"
		"\n"
		"Exit codes: 0; 2 the file or an option is wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_threadpool,
};
