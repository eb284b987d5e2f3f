/* The six questions that a report of this kind has to answer, each from the data or marked open. */
#include <stdlib.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"
#include "model/meta.h"

static void answer(struct case_finding *f, size_t which, enum question_state state,
		   struct strbuf *text)
{
	f->questions[which].state = state;
	f->questions[which].text = strbuf_detach(text);
}

/* ---- 1: reproduced? ---- */

static void add_limits(struct strbuf *sb, const struct case_finding *f)
{
	double cpus = case_limit_cpus(f), memory = case_limit_memory(f);

	if (figure_known(cpus))
		strbuf_addf(sb, "%.3g CPU", cpus);
	if (figure_known(memory)) {
		strbuf_addstr(sb, figure_known(cpus) ? " and " : "");
		fmt_figure(sb, UNIT_BYTES, memory);
	}
}

/* The load that was to be reached: the goal, or the rate the case file gives; NAN when neither. */
static double target_rate(const struct case_finding *f)
{
	if (f->desc->rate_goal_per_s > 0)
		return f->desc->rate_goal_per_s;
	return f->desc->rate_asked_per_s > 0 ? f->desc->rate_asked_per_s : NAN;
}

/* Continues the sentence about the load; true when it was the one asked for. */
static bool add_load(struct strbuf *sb, const struct case_finding *f)
{
	double target = target_rate(f), rate = case_rate(f);

	case_add_rate(sb, ", at ", f);
	if (!figure_known(target)) {
		strbuf_addstr(sb, ", a rate found by search: the case names no target load");
		return false;
	}
	if (rate >= target * 0.995)
		return true;
	if (f->desc->search.done)
		strbuf_addf(sb, " (%.3g times what this machine carries)", f->desc->search.factor);
	strbuf_addstr(sb, ", not at the target of ");
	fmt_figure(sb, UNIT_PER_S, target);
	return false;
}

static void ask_reproduced(struct case_finding *f)
{
	const struct variant_finding *base = case_base(f);
	bool limited = figure_known(case_limit_cpus(f)), loaded;
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	case_add_name(&sb, base);
	if (!f->equal || !base->runs || base->slo != SLO_MISSED) {
		strbuf_addf(&sb, ": %s", base->slo_text);
		case_add_slo_value(&sb, f, base);
		strbuf_addch(&sb, '.');
		if (!f->equal)
			strbuf_addstr(&sb, " The runs are not valid.");
		answer(f, 0, base->runs ? QUESTION_NO : QUESTION_OPEN, &sb);
		return;
	}
	strbuf_addstr(&sb, " missed the target on the client side (p99 ");
	fmt_figure(&sb, UNIT_MS, base->spread[FIGURE_P99].value);
	strbuf_addstr(&sb, ")");
	loaded = add_load(&sb, f);
	if (limited) {
		strbuf_addstr(&sb, ", under a limit of ");
		add_limits(&sb, f);
	} else {
		strbuf_addstr(&sb, ", without a CPU limit: production's was not reproduced");
	}
	strbuf_addch(&sb, '.');
	answer(f, 0, limited && loaded ? QUESTION_YES : QUESTION_PARTLY, &sb);
}

/* ---- 2: each suspect alone? ---- */

static void ask_separately(struct case_finding *f)
{
	static const char *const words[] = {
		[SUSPECT_UNKNOWN] = "not measured",  [SUSPECT_CAUSE] = "meets the target alone",
		[SUSPECT_PART] = "real, not enough", [SUSPECT_NOTHING] = "within the noise",
		[SUSPECT_WORSE] = "makes it worse",
	};
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t known = 0;

	vec_for_each (&f->suspects, s) {
		strbuf_addf(&sb, "%s%s: %s", sb.len ? "; " : "", s->text, words[s->class]);
		if (figure_known(s->cpu_gap_share) && s->class != SUSPECT_UNKNOWN) {
			strbuf_addstr(&sb, ", ");
			fmt_share(&sb, s->cpu_gap_share);
			strbuf_addstr(&sb, " of the CPU saved");
		}
		known += s->class != SUSPECT_UNKNOWN;
	}
	if (!f->suspects.len)
		strbuf_addstr(&sb, "The case file lists no suspects");
	strbuf_addch(&sb, '.');
	answer(f, 1,
	       !f->suspects.len		  ? QUESTION_OPEN
	       : known == f->suspects.len ? QUESTION_YES
	       : known			  ? QUESTION_PARTLY
					  : QUESTION_NO,
	       &sb);
}

/* ---- 3: why client and server differ ---- */

static void ask_difference(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	enum question_state state = case_explain_gap(f, case_base(f), &sb);

	answer(f, 2, state, &sb);
}

/* ---- 4: the cache ---- */

static void add_cache(struct strbuf *sb, const struct variant_finding *v)
{
	double lookups = v->cache_hits + v->cache_misses;

	case_add_name(sb, v);
	if (!figure_known(lookups)) {
		strbuf_addstr(sb, " reports no cache figures");
		return;
	}
	if (lookups <= 0) {
		strbuf_addstr(sb, " looked nothing up");
		return;
	}
	strbuf_addstr(sb, ": ");
	fmt_count(sb, v->cache_hits);
	strbuf_addstr(sb, v->cache_hits == 1 ? " hit in " : " hits in ");
	fmt_count(sb, lookups);
	strbuf_addstr(sb, " lookups (");
	fmt_share(sb, v->cache_hits / lookups);
	strbuf_addch(sb, ')');
	if (figure_known(v->cache_entries)) {
		strbuf_addstr(sb, ", ");
		fmt_count(sb, v->cache_entries);
		strbuf_addstr(sb, " entries at the end");
	}
}

static void ask_cache(struct case_finding *f)
{
	const struct variant_finding *base = case_base(f), *fix = case_fix(f);
	bool known = figure_known(base->cache_hits + base->cache_misses) ||
		     figure_known(fix->cache_hits + fix->cache_misses);
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!known) {
		strbuf_addstr(&sb,
			      "No cache figures were read. If a cache was added or removed, name "
			      "the path of its figures under target.cache in the case file.");
	} else {
		add_cache(&sb, base);
		if (case_has_fix(f)) {
			strbuf_addstr(&sb, "; ");
			add_cache(&sb, fix);
		}
		strbuf_addch(&sb, '.');
	}
	answer(f, 3, known ? QUESTION_YES : QUESTION_OPEN, &sb);
}

/* ---- 5: measured again? ---- */

static void ask_again(struct case_finding *f)
{
	const struct variant_finding *base = case_base(f), *fix = case_fix(f);
	enum question_state state = QUESTION_NO;
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!case_has_fix(f)) {
		strbuf_addstr(&sb, "There is only one variant: nothing was fixed.");
		answer(f, 4, QUESTION_OPEN, &sb);
		return;
	}
	case_add_name(&sb, base);
	strbuf_addf(&sb, " ran %zu time%s, ", base->runs, base->runs == 1 ? "" : "s");
	case_add_name(&sb, fix);
	strbuf_addf(&sb, " %zu", fix->runs);
	if (!f->equal) {
		vec_for_each (&f->checks, c)
			if (!c->ok)
				strbuf_addf(&sb, "; %s: %s", c->name, c->detail);
	} else if (base->runs < 2 || fix->runs < 2) {
		strbuf_addstr(&sb, "; two runs of each are the least");
	} else {
		strbuf_addf(&sb, ", by the same tool under the same load: all %zu checks are equal",
			    f->checks.len);
		state = QUESTION_YES;
	}
	strbuf_addch(&sb, '.');
	answer(f, 4, state, &sb);
}

/* ---- 6: what would have told ---- */

static void ask_watch(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t found = 0;

	vec_for_each (&f->watch, w) {
		if (!w->fires_before || w->fires_after)
			continue;
		strbuf_addf(&sb, "%s%s (%s, then %s)", found++ ? "; " : "", w->metric, w->before,
			    w->after);
	}
	if (!found)
		strbuf_addstr(&sb, case_has_fix(f)
					   ? "No metric here fires on the base and is silent "
					     "on the fix"
					   : "Without a fix there is nothing that an alert "
					     "could be held against");
	strbuf_addch(&sb, '.');
	answer(f, 5, found ? QUESTION_YES : QUESTION_OPEN, &sb);
}

void case_answer_questions(struct case_finding *f)
{
	static const char *const questions[CASE_QUESTIONS] = {
		"Could the problem be reproduced on the client side, at the target load, with a "
		"limit like production's?",
		"Was each suspect measured separately?",
		"Can the difference between the server's and the client's numbers be explained?",
		"Was the hit rate of the cache that was removed or added measured?",
		"Was it measured again after the fix under the same load, at least twice, with the "
		"same tools?",
		"Which metric or alert would catch it early next time?",
	};

	for (size_t i = 0; i < CASE_QUESTIONS; i++)
		f->questions[i].question = questions[i];
	ask_reproduced(f);
	ask_separately(f);
	ask_difference(f);
	ask_cache(f);
	ask_again(f);
	ask_watch(f);
}
