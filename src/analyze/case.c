#include "analyze/case.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/case_internal.h"

static bool is_known(const struct case_desc *desc, const struct figures *f)
{
	return case_desc_variant_index(desc, f->variant) != SIZE_MAX;
}

static void take_runs(struct case_finding *f, struct run *const *runs, size_t n, bool goal)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(cleanup_figures) struct figures *r = figures_new(runs[i], &f->desc->slo);

		if (r->goal == goal && is_known(f->desc, r))
			vec_push(&f->runs, TAKE(r));
	}
}

static int by_order(const void *a, const void *b)
{
	const struct figures *const *x = a, *const *y = b;

	if ((*x)->goal != (*y)->goal)
		return (*x)->goal - (*y)->goal;
	return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static void say_ignored(struct case_finding *f, size_t n)
{
	if (n)
		case_say(&f->open_items,
			 "%zu run file%s of a variant that the case does not know %s left out.", n,
			 n == 1 ? "" : "s", n == 1 ? "was" : "were");
}

int analyze_case(const struct case_desc *desc, struct run *const *runs, size_t n,
		 struct case_finding **ret, struct error *reterr)
{
	struct case_finding *f;

	if (!desc->variants.len)
		return error_set(reterr, -EINVAL, "judging case %s: it names no variant",
				 desc->name);
	f = xcalloc(1, sizeof(*f));
	f->desc = case_desc_copy(desc);
	take_runs(f, runs, n, false);
	take_runs(f, runs, n, true);
	if (f->runs.len)
		qsort(f->runs.ptr, f->runs.len, sizeof(struct figures *), by_order);
	case_pool_variants(f);
	case_check_equal(f);
	case_decide(f);
	case_judge_suspects(f);
	case_fill_table(f);
	case_explain_gaps(f);
	case_list_environment(f);
	case_list_steps(f);
	case_find_watch(f);
	case_answer_questions(f);
	case_tell_story(f);
	say_ignored(f, n - f->runs.len);
	*ret = f;
	return 0;
}

/* ---- the end of a finding ---- */

static void release_sentences(struct sentences *s)
{
	vec_for_each (s, text)
		free(*text);
	vec_release(s);
}

static void release_cell(struct case_cell *c)
{
	free(c->text);
	free(c->runs);
}

static void release_evidence(struct case_finding *f)
{
	vec_for_each (&f->runs, r)
		figures_free(*r);
	vec_release(&f->runs);
	vec_for_each (&f->variants, v)
		case_release_variant(v);
	vec_release(&f->variants);
	case_release_variant(&f->goal);
	vec_for_each (&f->suspects, s) {
		free(s->id);
		free(s->text);
		free(s->removed_by);
		free(s->sentence);
		free(s->conclusion);
	}
	vec_release(&f->suspects);
	vec_for_each (&f->rows, row) {
		free(row->label);
		release_cell(&row->before);
		release_cell(&row->after);
		release_cell(&row->goal);
	}
	vec_release(&f->rows);
	fair_release(&f->checks);
}

static void release_lists(struct case_finding *f)
{
	vec_for_each (&f->environment, fact) {
		free(fact->name);
		free(fact->value);
	}
	vec_release(&f->environment);
	vec_for_each (&f->steps, step) {
		free(step->command);
		free(step->result);
		free(step->file);
	}
	vec_release(&f->steps);
	vec_for_each (&f->watch, w) {
		free(w->metric);
		free(w->rule);
		free(w->before);
		free(w->after);
	}
	vec_release(&f->watch);
	for (size_t i = 0; i < CASE_QUESTIONS; i++)
		free(f->questions[i].text);
}

struct case_finding *case_finding_free(struct case_finding *f)
{
	if (!f)
		return NULL;
	release_evidence(f);
	release_lists(f);
	release_sentences(&f->reasons);
	release_sentences(&f->symptom);
	release_sentences(&f->cause);
	release_sentences(&f->fix);
	release_sentences(&f->proof);
	release_sentences(&f->open_items);
	case_desc_free(f->desc);
	free(f->headline);
	free(f->goal_text);
	free(f);
	return NULL;
}
