#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/fmt.h"
#include "stats/quantile.h"

void page_table_release(struct page_table *t)
{
	vec_for_each (&t->cells, c) {
		free(c->text);
		free(c->note);
	}
	vec_release(&t->cells);
}

size_t page_table_columns(const struct page_table *t)
{
	size_t n = 0;

	while (t->columns[n])
		n++;
	return n;
}

void page_table_add(struct page_table *t, char *text, char *note, enum page_state state)
{
	vec_push(&t->cells, ((struct page_cell){ text, note, state }));
}

/* ---- words ---- */

const char *page_verdict_word(const struct case_finding *f)
{
	switch (f->verdict) {
	case CASE_MET:
		if (f->variants.len == 1)
			return "TARGET MET";
		return f->variants.ptr[0].slo == SLO_MISSED ? "PROVEN" : "TARGET MET";
	case CASE_MISSED:
		if (f->reasons.len)
			return "NOT PROVEN";
		return f->variants.len == 1 ? "TARGET MISSED" : "NOT FIXED";
	case CASE_INVALID:
		return "INVALID";
	default:
		return "INCONCLUSIVE";
	}
}

enum page_state page_verdict_state(const struct case_finding *f)
{
	return f->verdict == CASE_MET	   ? PAGE_GOOD
	       : f->verdict == CASE_MISSED ? PAGE_BAD
					   : PAGE_OPEN;
}

const char *page_question_word(enum question_state s)
{
	static const char *const words[] = { [QUESTION_YES] = "yes",
					     [QUESTION_NO] = "no",
					     [QUESTION_PARTLY] = "partly",
					     [QUESTION_OPEN] = "open" };

	return words[s];
}

enum page_state page_question_state(enum question_state s)
{
	return s == QUESTION_YES ? PAGE_GOOD : s == QUESTION_NO ? PAGE_BAD : PAGE_OPEN;
}

static enum page_state slo_state(enum slo_result slo)
{
	return slo == SLO_MET ? PAGE_GOOD : slo == SLO_MISSED ? PAGE_BAD : PAGE_OPEN;
}

/* ---- helpers ---- */

static char *figure_text(enum figure which, double v)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	fmt_figure(&sb, figure_defs[which].unit, v);
	return strbuf_detach(&sb);
}

static char *copy(const char *text)
{
	return xstrdup(text ? text : "");
}

static void say(struct page *p, const struct sentences *s)
{
	vec_for_each (s, text)
		p->ops->paragraph(p, *text);
}

static char *goal_title(const struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s at ", vec_last(&f->variants).name);
	vec_for_each (&f->runs, r)
		if ((*r)->goal) {
			fmt_figure(&sb, UNIT_PER_S, (*r)->rate_asked_per_s);
			break;
		}
	return strbuf_detach(&sb);
}

/* ---- the table of before and after ---- */

static void add_cell(struct page_table *t, const struct case_cell *c)
{
	page_table_add(t, copy(c->text), c->runs && *c->runs ? copy(c->runs) : NULL, PAGE_PLAIN);
}

static void write_before_after(struct page *p)
{
	const struct case_finding *f = p->f;
	CLEANUP(mem_cleanup) char *goal = f->goal.runs ? goal_title(f) : NULL;
	CLEANUP(mem_cleanup) char *before = xasprintf("before: %s", f->variants.ptr[0].name);
	CLEANUP(mem_cleanup) char *after = xasprintf("after: %s", vec_last(&f->variants).name);
	CLEANUP(page_table_release)
	struct page_table t = {
		.caption =
			"All runs together (server's p99: the worst run; memory: the median one); "
			"below, each run by itself.",
		.columns = { "measurement", before, after, goal },
		.numbers_from = 1,
		.numbers_to = 16,
	};

	if (f->variants.len == 1) {
		t.columns[1] = f->variants.ptr[0].name;
		t.columns[2] = goal;
		t.columns[3] = NULL;
	}
	vec_for_each (&f->rows, row) {
		page_table_add(&t, copy(row->label), NULL, PAGE_PLAIN);
		add_cell(&t, &row->before);
		if (f->variants.len > 1)
			add_cell(&t, &row->after);
		if (goal)
			add_cell(&t, &row->goal);
	}
	p->ops->table(p, &t);
}

/* ---- the sections ---- */

static void write_steps(struct page *p)
{
	CLEANUP(page_table_release)
	struct page_table t = {
		.columns = { "#", "command", "result", "file" },
	};
	unsigned number = 0;

	vec_for_each (&p->f->steps, s) {
		page_table_add(&t, xasprintf("%u", ++number), NULL, PAGE_PLAIN);
		page_table_add(&t, copy(s->command), NULL, PAGE_PLAIN);
		page_table_add(&t, copy(s->result), NULL, PAGE_PLAIN);
		page_table_add(&t, copy(s->file), NULL, PAGE_PLAIN);
	}
	if (number)
		p->ops->table(p, &t);
	else
		p->ops->paragraph(p, "Nothing was measured yet.");
}

static void write_variants(struct page *p)
{
	static const enum figure figures[] = { FIGURE_ACHIEVED, FIGURE_DROPPED, FIGURE_P99,
					       FIGURE_CPU_PER_REQUEST, FIGURE_THROTTLED };
	CLEANUP(page_table_release)
	struct page_table t = {
		.caption = "Every variant under the same load.",
		.columns = { "variant", "achieved", "dropped", "p99", "CPU per request",
			     "throttled periods", "target" },
		.numbers_from = 1,
		.numbers_to = 6,
	};

	vec_for_each (&p->f->variants, v) {
		page_table_add(&t, copy(v->name), v->description ? copy(v->description) : NULL,
			       PAGE_PLAIN);
		for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
			page_table_add(&t, figure_text(figures[i], v->spread[figures[i]].value),
				       NULL, PAGE_PLAIN);
		page_table_add(&t, copy(v->slo_text), NULL, slo_state(v->slo));
	}
	p->ops->table(p, &t);
}

static char *change_text(const struct effect *e)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	fmt_change(&sb, e->known ? e->ratio : NAN);
	return strbuf_detach(&sb);
}

static char *interval_text(const struct effect *e)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!e->known || !figure_known(e->ratio_low))
		return NULL;
	fmt_change(&sb, e->ratio_low);
	strbuf_addstr(&sb, " to ");
	fmt_change(&sb, e->ratio_high);
	return strbuf_detach(&sb);
}

static char *pair_text(const struct case_finding *f, const struct suspect_finding *s)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (s->variant == SIZE_MAX)
		return copy("\xe2\x80\x93");
	fmt_figure(&sb, UNIT_PER_S, f->variants.ptr[0].spread[FIGURE_ACHIEVED].value);
	strbuf_addstr(&sb, " \xe2\x86\x92 ");
	fmt_figure(&sb, UNIT_PER_S, f->variants.ptr[s->variant].spread[FIGURE_ACHIEVED].value);
	return strbuf_detach(&sb);
}

static char *share_text(double share)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	fmt_share(&sb, share);
	return strbuf_detach(&sb);
}

/* Whether any variant knows it. */
static bool is_known(const struct case_finding *f, enum figure which)
{
	vec_for_each (&f->variants, v)
		if (v->spread[which].n)
			return true;
	return false;
}

static char *heap_text(const struct spread *s)
{
	CLEANUP(mem_cleanup)
	char *start = figure_text(FIGURE_HEAP_START, s[FIGURE_HEAP_START].value);
	CLEANUP(mem_cleanup) char *end = figure_text(FIGURE_HEAP_END, s[FIGURE_HEAP_END].value);

	return xasprintf("%s \xe2\x86\x92 %s", start, end);
}

static void add_server_row(struct page_table *t, const struct variant_finding *v, const char *name,
			   bool has_runtime)
{
	static const enum figure both[] = { FIGURE_P99, FIGURE_SERVER_P99 };
	static const enum figure runtime[] = { FIGURE_ALLOCATION, FIGURE_GC_PAUSE };

	page_table_add(t, copy(name), NULL, PAGE_PLAIN);
	for (size_t i = 0; i < ARRAY_SIZE(both); i++)
		page_table_add(t, figure_text(both[i], v->spread[both[i]].value), NULL, PAGE_PLAIN);
	for (size_t i = 0; i < ARRAY_SIZE(runtime) && has_runtime; i++)
		page_table_add(t, figure_text(runtime[i], v->spread[runtime[i]].value), NULL,
			       PAGE_PLAIN);
	if (has_runtime)
		page_table_add(t, heap_text(v->spread), NULL, PAGE_PLAIN);
	page_table_add(t, copy(v->gap_text), NULL, PAGE_PLAIN);
}

/* What the target says of itself, beside what its clients saw; for every variant. */
static void write_server(struct page *p)
{
	const struct case_finding *f = p->f;
	bool has_runtime = is_known(f, FIGURE_ALLOCATION) || is_known(f, FIGURE_GC_PAUSE) ||
			   is_known(f, FIGURE_HEAP_END);
	CLEANUP(mem_cleanup) char *goal = f->goal.runs ? goal_title(f) : NULL;
	CLEANUP(page_table_release)
	struct page_table t = { .caption = "What the target said of itself during the load, beside "
					   "what its clients saw.",
				.columns = { "variant", "client's p99", "server's p99" },
				.numbers_from = 1,
				.numbers_to = has_runtime ? 6 : 3 };
	size_t n = 3;

	if (!is_known(f, FIGURE_SERVER_P99) && !has_runtime)
		return;
	if (has_runtime) {
		t.columns[n++] = "allocation";
		t.columns[n++] = "GC pauses";
		t.columns[n++] = "GC heap, start \xe2\x86\x92 end";
	}
	t.columns[n] = "why the two p99 differ";
	vec_for_each (&f->variants, v)
		if (v->runs)
			add_server_row(&t, v, v->name, has_runtime);
	if (goal)
		add_server_row(&t, &f->goal, goal, has_runtime);
	p->ops->subsection(p, "Seen from the server");
	p->ops->table(p, &t);
}

static void write_suspects(struct page *p)
{
	static const struct {
		const char *word;
		enum page_state state;
	} classes[] = {
		[SUSPECT_UNKNOWN] = { "not judged", PAGE_OPEN },
		[SUSPECT_CAUSE] = { "a cause", PAGE_BAD },
		[SUSPECT_PART] = { "real, not the cause", PAGE_PLAIN },
		[SUSPECT_NOTHING] = { "within the noise", PAGE_PLAIN },
		[SUSPECT_WORSE] = { "makes it worse", PAGE_PLAIN },
	};
	CLEANUP(page_table_release)
	struct page_table t = {
		.caption = "What removing each suspect alone was worth, end to end.",
		.columns = { "suspect", "achieved", "p99", "CPU per request",
			     "of the CPU the fix saves", "verdict" },
		.numbers_from = 1,
		.numbers_to = 5,
	};

	if (!p->f->suspects.len)
		return;
	vec_for_each (&p->f->suspects, s) {
		page_table_add(&t, xasprintf("%s: %s", s->id, s->text),
			       s->removed_by ? xasprintf("removed in: %s", s->removed_by) : NULL,
			       PAGE_PLAIN);
		page_table_add(&t, pair_text(p->f, s), NULL, PAGE_PLAIN);
		page_table_add(&t, change_text(&s->p99), interval_text(&s->p99), PAGE_PLAIN);
		page_table_add(&t, change_text(&s->cpu), interval_text(&s->cpu), PAGE_PLAIN);
		page_table_add(&t, share_text(s->cpu_gap_share), NULL, PAGE_PLAIN);
		page_table_add(&t, copy(classes[s->class].word), copy(s->conclusion),
			       classes[s->class].state);
	}
	p->ops->subsection(p, "What each suspect was worth");
	p->ops->table(p, &t);
}

/* A percentile that so few values cannot tell is not printed. */
static char *percentile_text(struct hist *h, double q)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (hist_count(h) < quantile_samples_needed(q, 0.95))
		return copy("n too small");
	fmt_ms(&sb, hist_quantile(h, q));
	return strbuf_detach(&sb);
}

static void write_percentiles(struct page *p)
{
	static const double quantiles[] = { 0.5, 0.9, 0.95, 0.99, 0.999 };
	CLEANUP(page_table_release)
	struct page_table t = {
		.caption = "Latency in ms as the client saw it, all runs of a variant merged.",
		.columns = { "variant", "n", "p50", "p90", "p95", "p99", "p99.9", "max" },
		.numbers_from = 1,
		.numbers_to = 16,
	};

	vec_for_each (&p->f->variants, v) {
		CLEANUP(strbuf_release) struct strbuf n = STRBUF_INIT, max = STRBUF_INIT;

		if (!v->samples)
			continue;
		fmt_count(&n, (double)v->samples);
		fmt_ms(&max, v->spread[FIGURE_MAX].value);
		page_table_add(&t, copy(v->name), NULL, PAGE_PLAIN);
		page_table_add(&t, strbuf_detach(&n), NULL, PAGE_PLAIN);
		for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
			page_table_add(&t, percentile_text(v->latency, quantiles[i]), NULL,
				       PAGE_PLAIN);
		page_table_add(&t, strbuf_detach(&max), NULL, PAGE_PLAIN);
	}
	if (t.cells.len)
		p->ops->table(p, &t);
}

static void add_run(struct page_table *t, const struct figures *r)
{
	static const enum figure figures[] = { FIGURE_ACHIEVED,	 FIGURE_DROPPED,
					       FIGURE_P50,	 FIGURE_P95,
					       FIGURE_P99,	 FIGURE_SERVER_P99,
					       FIGURE_CPU_CORES, FIGURE_CPU_PER_REQUEST,
					       FIGURE_THROTTLED, FIGURE_MEMORY_END };
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	const char *note = !figures_complete(r) ? (r->status ? r->status : "cut off before its end")
			   : !figures_valid(r)
				   ? (r->generator ? r->generator : "generator not judged")
				   : NULL;

	fair_name_run(&name, r);
	page_table_add(t, strbuf_detach(&name), note ? copy(note) : NULL,
		       note ? PAGE_OPEN : PAGE_PLAIN);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		page_table_add(t, figure_text(figures[i], r->value[figures[i]]), NULL, PAGE_PLAIN);
}

static void write_runs(struct page *p)
{
	CLEANUP(page_table_release)
	struct page_table t = {
		.caption = "Every run, in the order in which they were made.",
		.columns = { "run", "achieved", "dropped", "p50", "p95", "p99", "server's p99",
			     "CPU", "CPU per request", "throttled", "memory at the end" },
		.numbers_from = 1,
		.numbers_to = 16,
	};

	vec_for_each (&p->f->runs, r)
		add_run(&t, *r);
	if (!t.cells.len)
		return;
	p->ops->subsection(p, "Every run");
	p->ops->table(p, &t);
}

static void write_checks(struct page *p)
{
	CLEANUP(page_table_release)
	struct page_table t = {
		.columns = { "what", "equal?", "value" },
	};

	vec_for_each (&p->f->checks, c) {
		page_table_add(&t, copy(c->name), NULL, PAGE_PLAIN);
		page_table_add(&t, copy(c->ok ? "yes" : "no"), NULL, c->ok ? PAGE_GOOD : PAGE_BAD);
		page_table_add(&t, copy(c->detail), NULL, PAGE_PLAIN);
	}
	p->ops->subsection(p, "Was everything measured equally?");
	p->ops->table(p, &t);
}

static void write_proof(struct page *p)
{
	p->ops->section(p, "Proof");
	say(p, &p->f->proof);
	write_variants(p);
	p->ops->figure(p, PAGE_LATENCY);
	write_percentiles(p);
	write_server(p);
	write_suspects(p);
	p->ops->subsection(p, "Second by second");
	p->ops->figure(p, PAGE_SECONDS);
	write_runs(p);
	write_checks(p);
}

static void write_watch(struct page *p)
{
	CLEANUP(page_table_release)
	struct page_table t = {
		.caption = "Each rule tried on these runs.",
		.columns = { "metric", "rule", "before", "after" },
	};

	vec_for_each (&p->f->watch, w) {
		page_table_add(&t, copy(w->metric), NULL, PAGE_PLAIN);
		page_table_add(&t, copy(w->rule), NULL, PAGE_PLAIN);
		page_table_add(&t, copy(w->before), NULL, w->fires_before ? PAGE_BAD : PAGE_PLAIN);
		page_table_add(&t, copy(w->after), NULL, w->fires_after ? PAGE_BAD : PAGE_PLAIN);
	}
	p->ops->section(p, "Metric to watch");
	if (t.cells.len)
		p->ops->table(p, &t);
	else
		p->ops->paragraph(p, "Open: these runs name none.");
}

void page_write(struct page *p)
{
	const struct case_finding *f = p->f;

	p->ops->begin(p);
	p->ops->verdict(p);
	write_before_after(p);
	p->ops->section(p, "Symptom");
	say(p, &f->symptom);
	p->ops->section(p, "Environment");
	p->ops->facts(p, f->environment.ptr, f->environment.len);
	p->ops->section(p, "Findings, step by step");
	write_steps(p);
	p->ops->section(p, "Root cause");
	say(p, &f->cause);
	p->ops->section(p, "Fix");
	say(p, &f->fix);
	write_proof(p);
	p->ops->section(p, "Open items");
	if (f->open_items.len)
		p->ops->list(p, &f->open_items);
	else
		p->ops->paragraph(p, "None.");
	write_watch(p);
	p->ops->section(p, "The six questions");
	for (unsigned i = 0; i < CASE_QUESTIONS; i++)
		p->ops->question(p, i + 1, &f->questions[i]);
	p->ops->end(p);
}
