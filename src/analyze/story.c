/* The prose of the page: symptom, root cause, fix, proof, open items. */
#include <stdlib.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"
#include "model/meta.h"

static void say_given(struct sentences *s, const char *before, const char *text)
{
	if (text)
		case_say(s, "%s%s", before, text);
	else
		case_say(s, "%snot given in the case file.", before);
}

/* ---- symptom ---- */

static void add_client_side(struct strbuf *sb, const struct case_finding *f,
			    const struct variant_finding *v)
{
	const struct spread *s = v->spread;

	case_add_name(sb, v);
	case_add_rate(sb, " at ", f);
	strbuf_addstr(sb, ", as the client sees it: p50 ");
	fmt_ms(sb, s[FIGURE_P50].value);
	strbuf_addstr(sb, ", p95 ");
	fmt_ms(sb, s[FIGURE_P95].value);
	strbuf_addstr(sb, ", p99 ");
	fmt_ms(sb, s[FIGURE_P99].value);
	strbuf_addstr(sb, ", max ");
	fmt_figure(sb, UNIT_MS, s[FIGURE_MAX].value);
	strbuf_addstr(sb, " (n = ");
	fmt_count(sb, (double)v->samples);
	strbuf_addf(sb, " in %zu run%s); ", v->runs, v->runs == 1 ? "" : "s");
	fmt_figure(sb, UNIT_PER_S, s[FIGURE_ACHIEVED].value);
	strbuf_addstr(sb, " achieved, ");
	fmt_count(sb, (double)v->dropped);
	strbuf_addstr(sb, " of ");
	fmt_count(sb, (double)(v->iterations + v->dropped));
	strbuf_addstr(sb, " arrivals dropped (");
	fmt_share(sb, s[FIGURE_DROPPED].value);
	strbuf_addstr(sb, ").");
}

static void tell_symptom(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf slo = STRBUF_INIT, client = STRBUF_INIT;

	if (f->desc->texts.symptom)
		case_say(&f->symptom, "%s", f->desc->texts.symptom);
	strbuf_addstr(&slo, "Target: ");
	case_add_slo(&slo, f);
	strbuf_addf(&slo, " (%s).", f->desc->slo.metric);
	case_say_sb(&f->symptom, &slo);
	say_given(&f->symptom, "Since when: ", f->desc->texts.since);
	if (case_base(f)->samples) {
		add_client_side(&client, f, case_base(f));
		case_say_sb(&f->symptom, &client);
	} else {
		case_say(&f->symptom,
			 "The client-side figure is missing: the base was not measured.");
	}
}

/* ---- root cause and fix ---- */

static void tell_cause(struct case_finding *f)
{
	size_t causes = 0;

	say_given(&f->cause,
		  f->desc->texts.root_cause ? "" : "In words: ", f->desc->texts.root_cause);
	vec_for_each (&f->suspects, s) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		if (s->class != SUSPECT_CAUSE)
			continue;
		strbuf_addf(&sb, "The data: removing only %s (%s) takes p99 from ", s->id, s->text);
		fmt_figure(&sb, UNIT_MS, case_base(f)->spread[FIGURE_P99].value);
		strbuf_addstr(&sb, " to ");
		fmt_figure(&sb, UNIT_MS, f->variants.ptr[s->variant].spread[FIGURE_P99].value);
		strbuf_addstr(&sb, " and meets the target.");
		case_say_sb(&f->cause, &sb);
		causes++;
	}
	if (!f->suspects.len)
		case_say(&f->cause,
			 "The case file lists no suspects, so the data cannot name one.");
	else if (!causes)
		case_say(&f->cause,
			 "The data: no suspect removed alone is shown to meet the target.");
}

static void tell_fix(struct case_finding *f)
{
	say_given(&f->fix, f->desc->texts.fix ? "" : "In words: ", f->desc->texts.fix);
	say_given(&f->fix, "Commit: ", f->desc->texts.fix_commit);
}

/* ---- proof ---- */

static void tell_gain(struct case_finding *f)
{
	static const enum figure figures[] = { FIGURE_P99, FIGURE_CPU_PER_REQUEST };
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		struct effect e = case_effect(f, case_base(f), case_fix(f), figures[i]);

		if (!e.known)
			continue;
		strbuf_addf(&sb, "%s%s: ", sb.len ? "; " : "From before to after, ",
			    figure_defs[figures[i]].label);
		fmt_change(&sb, e.ratio);
		if (figure_known(e.ratio_low)) {
			strbuf_addstr(&sb, " (95 % interval ");
			fmt_change(&sb, e.ratio_low);
			strbuf_addstr(&sb, " to ");
			fmt_change(&sb, e.ratio_high);
			strbuf_addf(&sb, "%s)", e.beyond_noise ? "" : ", so it may be nothing");
		}
	}
	if (!sb.len)
		return;
	strbuf_addch(&sb, '.');
	case_say_sb(&f->proof, &sb);
}

static void tell_answers(struct case_finding *f)
{
	const struct case_desc_answers *a = &f->desc->answers;
	const char *colon = a->detail ? ": " : "", *detail = a->detail ? a->detail : "";

	if (a->result == CASE_ANSWERS_EQUAL)
		case_say(&f->proof,
			 "Same answers: %u request%s to every variant gave equal answers.",
			 a->requests, a->requests == 1 ? "" : "s");
	else if (a->result == CASE_ANSWERS_DIFFER)
		case_say(&f->proof, "The variants do not give the same answers%s%s.", colon,
			 detail);
	else
		case_say(&f->proof, "Answers were not compared%s%s.", colon, detail);
}

static void tell_equal(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (f->equal) {
		case_say(&f->proof, "All runs were measured equally (%zu checks).", f->checks.len);
		return;
	}
	vec_for_each (&f->checks, c)
		if (!c->ok)
			strbuf_addf(&sb, "%s%s (%s)", sb.len ? "; " : "", c->name, c->detail);
	case_say(&f->proof, "The runs were not measured equally: %s.", strbuf_cstr(&sb));
}

static void tell_goal(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	double rate = NAN;
	bool valid = true;

	case_for_each_run (f, &f->goal, i) {
		rate = f->runs.ptr[i]->rate_asked_per_s;
		valid = valid && figures_valid(f->runs.ptr[i]);
	}
	if (!f->goal.runs)
		return;
	strbuf_addstr(&sb, "The fix once more at ");
	fmt_figure(&sb, UNIT_PER_S, rate);
	strbuf_addf(&sb, ": %s", f->goal.slo_text);
	case_add_slo_value(&sb, f, &f->goal);
	strbuf_addf(&sb, "%s.",
		    valid ? "" : "; the load generator was not fit, so this proves nothing");
	f->goal_text = xstrdup(strbuf_cstr(&sb));
	case_say_sb(&f->proof, &sb);
}

static void tell_proof(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	bool same = true;

	vec_for_each (&f->variants, v) {
		same = same && v->runs == case_base(f)->runs;
		strbuf_addf(&sb, "%s%s %zu", sb.len ? ", " : "", v->name, v->runs);
	}
	if (same)
		case_say(&f->proof, "Each variant ran %zu time%s, with a fresh target each time.",
			 case_base(f)->runs, case_base(f)->runs == 1 ? "" : "s");
	else
		case_say(&f->proof, "Complete runs: %s; a fresh target each time.",
			 strbuf_cstr(&sb));
	if (case_has_fix(f))
		tell_gain(f);
	tell_equal(f);
	tell_answers(f);
	tell_goal(f);
}

/* ---- open items ---- */

static void open_texts(struct case_finding *f)
{
	const struct case_desc_texts *t = &f->desc->texts;
	const struct {
		const char *text, *name, *key;
	} wanted[] = {
		{ t->since, "since when", "since" },
		{ t->root_cause, "the root cause in words", "root_cause" },
		{ t->fix_commit, "the commit of the fix", "fix_commit" },
		{ t->owner, "who owns what is left", "owner" },
	};
	CLEANUP(strbuf_release) struct strbuf names = STRBUF_INIT;

	vec_for_each (&t->open_items, item)
		case_say(&f->open_items, "%s", *item);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!wanted[i].text)
			strbuf_addf(&names, "%s%s (texts.%s)", names.len ? ", " : "",
				    wanted[i].name, wanted[i].key);
	if (names.len)
		case_say(&f->open_items, "Not given in the case file: %s.", strbuf_cstr(&names));
}

static void open_runs(struct case_finding *f)
{
	vec_for_each (&f->runs, r) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		if (figures_complete(*r) && !(*r)->oom_kills && !(*r)->checks_failed &&
		    !(*r)->losses)
			continue;
		fair_name_run(&sb, *r);
		strbuf_addch(&sb, ':');
		if (!figures_complete(*r))
			strbuf_addf(&sb, " not complete (%s);",
				    (*r)->status ? (*r)->status : "cut off before its end");
		if ((*r)->oom_kills)
			strbuf_addf(&sb, " the kernel killed for lack of memory (%llu);",
				    (unsigned long long)(*r)->oom_kills);
		if ((*r)->checks_failed)
			strbuf_addf(&sb, " %llu of the script's checks failed;",
				    (unsigned long long)(*r)->checks_failed);
		if ((*r)->losses)
			strbuf_addf(&sb, " %llu signals or records were lost;",
				    (unsigned long long)(*r)->losses);
		sb.ptr[sb.len - 1] = '.';
		case_say_sb(&f->open_items, &sb);
	}
}

static void open_memory(struct case_finding *f)
{
	const struct spread *s = case_fix(f)->spread;
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	double growth = s[FIGURE_MEMORY_GROWTH].low, end = s[FIGURE_MEMORY_END].value;

	if (!(growth > 0) || case_memory_flat(growth, end))
		return;
	strbuf_addstr(&sb, "Memory of ");
	case_add_name(&sb, case_fix(f));
	strbuf_addstr(&sb, " grows in every run, by ");
	fmt_figure(&sb, UNIT_BYTES, s[FIGURE_MEMORY_GROWTH].value);
	strbuf_addstr(&sb, "/min: run it longer.");
	case_say_sb(&f->open_items, &sb);
}

static void open_goal(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (f->desc->goal_wanted && !f->goal.runs)
		case_say(&f->open_items, "The run at the goal's rate is missing.");
	else if (f->goal.runs && f->goal.slo != SLO_MET)
		case_say(&f->open_items, "%s", f->goal_text);
	else if (!f->desc->goal_wanted && f->desc->rate_goal_per_s > case_rate(f) * 1.005) {
		strbuf_addstr(&sb, "Never driven at the goal of ");
		fmt_figure(&sb, UNIT_PER_S, f->desc->rate_goal_per_s);
		strbuf_addch(&sb, '.');
		case_say_sb(&f->open_items, &sb);
	}
}

static void open_questions(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < CASE_QUESTIONS; i++)
		if (f->questions[i].state != QUESTION_YES)
			strbuf_addf(&sb, "%s%zu", sb.len ? ", " : "", i + 1);
	if (sb.len)
		case_say(&f->open_items, "Questions not answered with yes: %s (below).",
			 strbuf_cstr(&sb));
}

void case_tell_story(struct case_finding *f)
{
	tell_symptom(f);
	tell_cause(f);
	tell_fix(f);
	tell_proof(f);
	open_texts(f);
	open_goal(f);
	open_runs(f);
	open_memory(f);
	open_questions(f);
}
