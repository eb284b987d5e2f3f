/* assay trace exceptions and contention: what was thrown, and who waited for locks. */
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
	bool stacks, json;
};

/* What tells one verb from the other. */
struct subject {
	const char *verb, *prefix;
	bool waits; /* weights are ms, else 1 each */
};

static const struct subject exceptions = { "trace exceptions", INCIDENT_THROW, false };
static const struct subject waits = { "trace contention", INCIDENT_LOCK, true };

struct shown {
	const struct subject *of;
	const struct flags *f;
	const struct dotnet_trace *t;
	struct profile_view v;
	struct label_rows sums, stacks;
	double longest; /* of the view's samples */
};

/* "Throw(TYPE) MESSAGE" -> both; "Lock ID" -> the first. */
static void split(const struct shown *s, const struct label_row *r, struct str *ret_what,
		  struct str *ret_message)
{
	struct str text = str_from(s->v.names.ptr[r->name] + strlen(s->of->prefix));
	size_t end = s->of->waits ? text.len : str_find(text, ')');

	*ret_what = (struct str){ text.ptr, end };
	*ret_message = (struct str){ text.ptr + text.len, 0 };
	if (end + 2 <= text.len)
		*ret_message = (struct str){ text.ptr + end + 2, text.len - end - 2 };
}

/* ---- text ---- */

static void add_total(const struct shown *s, struct strbuf *out)
{
	const struct incidents *i = &s->t->incidents;
	double seconds = (double)s->t->ended_ns / (double)NS_PER_S;

	if (s->of->waits) {
		strbuf_addf(out,
			    "%llu waits for locks, %.3f ms in sum, longest %.3f ms, in %.1f s\n",
			    (unsigned long long)s->v.samples, s->v.total, s->longest, seconds);
		if (i->waits_not_over)
			strbuf_addf(out, "%llu waits were not over at the trace's end\n",
				    (unsigned long long)i->waits_not_over);
	} else {
		strbuf_addf(out, "%llu exceptions in %.1f s", (unsigned long long)s->v.samples,
			    seconds);
		if (seconds > 0)
			strbuf_addf(out, ", %.1f a second", (double)s->v.samples / seconds);
		strbuf_addch(out, '\n');
	}
}

static void add_row(const struct shown *s, const struct label_row *r, struct strbuf *out)
{
	struct str what, message;

	split(s, r, &what, &message);
	if (s->of->waits)
		strbuf_addf(out, "%10.3f %9.3f ", r->weight, r->weight / (double)r->samples);
	strbuf_addf(out, "%8llu  ", (unsigned long long)r->samples);
	strbuf_add(out, what.ptr, what.len);
	if (message.len)
		strbuf_addstr(out, ": ");
	for (size_t i = 0; i < message.len; i++) /* one line */
		strbuf_addch(out, (unsigned char)message.ptr[i] < ' ' ? ' ' : message.ptr[i]);
	strbuf_addch(out, '\n');
}

static void add_rows(const struct shown *s, struct strbuf *out)
{
	const struct label_rows *rows = s->f->stacks ? &s->stacks : &s->sums;

	if (!rows->len)
		return;
	if (s->of->waits)
		strbuf_addf(out, "\n%10s %9s %8s  Lock\n", "Sum ms", "Mean ms", "Waits");
	else
		strbuf_addf(out, "\n%8s  Exception\n", "Count");
	for (size_t i = 0; i < rows->len && i < s->f->rows; i++) {
		add_row(s, &rows->ptr[i], out);
		if (s->f->stacks)
			label_add_callers(out, &s->v, rows->ptr[i].node, s->f->frames, 12);
	}
	if (rows->len > s->f->rows)
		strbuf_addf(out, "%zu more (--rows)\n", rows->len - s->f->rows);
}

/* ---- JSON ---- */

static void json_row(const struct shown *s, struct json_writer *w, const struct label_row *r)
{
	struct str what, message;

	split(s, r, &what, &message);
	json_object_begin(w, NULL);
	json_str(w, s->of->waits ? "lock" : "type", what);
	if (!s->of->waits)
		json_str(w, "message", message);
	json_uint(w, "count", r->samples);
	if (s->of->waits)
		json_double(w, "total_ms", r->weight);
	if (r->node)
		label_json_callers(w, &s->v, r->node);
	json_object_end(w);
}

static void json_all(const struct shown *s, struct json_writer *w)
{
	const struct label_rows *rows = s->f->stacks ? &s->stacks : &s->sums;

	json_object_begin(w, NULL);
	json_uint(w, "count", s->v.samples);
	json_double(w, "seconds", (double)s->t->ended_ns / (double)NS_PER_S);
	json_uint(w, "events_lost", s->t->counts.lost);
	if (s->of->waits) {
		json_double(w, "total_ms", s->v.total);
		json_double(w, "longest_ms", s->longest);
		json_uint(w, "starts", s->t->incidents.wait_starts);
		json_uint(w, "not_over", s->t->incidents.waits_not_over);
	}
	json_array_begin(w, s->f->stacks ? "stacks" : s->of->waits ? "locks" : "exceptions");
	for (size_t i = 0; i < rows->len && i < s->f->rows; i++)
		json_row(s, w, &rows->ptr[i]);
	json_array_end(w);
	json_object_end(w);
}

/* ---- the verbs ---- */

static void warn(const struct shown *s, const struct profile *p)
{
	if (!p->samples.len)
		fprintf(stderr, "assay %s: there was none, or keyword %s was not asked for\n",
			s->of->verb, s->of->waits ? "contention" : "exception");
}

static void show(struct shown *s)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	label_rows_sums(&s->v, s->of->prefix, &s->sums);
	label_rows_stacks(&s->v, s->of->prefix, &s->stacks);
	vec_for_each (&s->v.kept, k)
		s->longest = MAX(s->longest, k->weight);
	if (s->f->json) {
		json_init(&w, &out, JSON_INDENT);
		json_all(s, &w);
		strbuf_addch(&out, '\n');
	} else {
		if (s->t->command_line)
			strbuf_addf(&out, "%s\n", s->t->command_line);
		add_total(s, &out);
		add_rows(s, &out);
	}
	fputs(strbuf_cstr(&out), stdout);
	free(s->sums.ptr);
	free(s->stacks.ptr);
}

static int run(const struct verb_args *a, const struct subject *of)
{
	CLEANUP(profile_view_opts_release) struct profile_view_opts o = { 0 };
	const struct flags *f = a->opts;
	struct error err = ERROR_INIT;
	struct dotnet_trace t;
	struct shown s = { .of = of, .f = f, .t = &t };
	const struct profile *p = of->waits ? &t.incidents.waits : &t.incidents.exceptions;

	if (trace_view_opts(&f->view, &o, &err) < 0 ||
	    dotnet_trace_read(a->args[0], &t, &err) < 0) {
		term_error(of->verb, &err);
		return EXIT_USAGE;
	}
	o.charge = PROFILE_CHARGE_OWN;
	o.keep_samples = true;
	trace_view_warn(&t);
	warn(&s, p);
	profile_view_make(p, &o, &s.v);
	show(&s);
	profile_view_release(&s.v);
	dotnet_trace_release(&t);
	return EXIT_OK;
}

static int run_trace_exceptions(const struct verb_args *a)
{
	return run(a, &exceptions);
}

static int run_trace_contention(const struct verb_args *a)
{
	return run(a, &waits);
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
	{ "stacks", 's', OPT_FLAG, AT(stacks), NULL, "With the stacks that led there" },
	{ "frames", 0, OPT_UINT, AT(frames), "N", "So many frames of a stack (8)" },
	TRACE_VIEW_OPTS,
	{ "json", 0, OPT_FLAG, AT(json), NULL, "As JSON" },
	{ 0 },
};

static const struct example exceptions_examples[] = {
	{ "assay trace exceptions app.nettrace", "by type and message" },
	{ "assay trace exceptions app.nettrace --stacks --inc Checkout", "thrown below a method" },
	{ 0 },
};

const struct verb verb_trace_exceptions = {
	.name = "trace exceptions",
	.summary = "The exceptions of a trace, by type, message and stack",
	.usage = "[options] FILE.nettrace",
	.about = "Counts the exceptions that were thrown, caught ones and rethrown ones too. The "
		 "trace\n"
		 "needs the runtime's events of keyword exception. For the view options their\n"
		 "innermost frame is \"Throw(TYPE) MESSAGE\".\n"
		 "\n"
		 "Exit codes: 0; 2 the file or an option is wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = exceptions_examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_exceptions,
};

static const struct example contention_examples[] = {
	{ "assay trace contention app.nettrace", "by lock" },
	{ "assay trace contention app.nettrace --stacks -n 5", "and who waits for it" },
	{ 0 },
};

const struct verb verb_trace_contention = {
	.name = "trace contention",
	.summary = "The waits for locks in a trace",
	.usage = "[options] FILE.nettrace",
	.about = "Sums the time that threads waited for monitors that others held, by lock and by\n"
		 "stack. The trace needs the runtime's events of keyword contention. For the view\n"
		 "options their innermost frame is \"Lock ID\".\n"
		 "\n"
		 "Exit codes: 0; 2 the file or an option is wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = contention_examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_contention,
};
