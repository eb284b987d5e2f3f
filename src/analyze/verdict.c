/*
 * The order matters: a run that cannot be trusted says nothing, so validity comes first; then what
 * is missing; then whether the fix does the same work; only then whether it is fast enough. Every
 * reason is kept, the first one makes the headline.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"

#define RUNS_LEAST 2
#define CHECK_RUNS "runs of each variant"

void case_check_equal(struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct {
		struct figures **ptr;
		size_t len, cap;
	} measured = VEC_INIT;
	bool same = true;

	vec_for_each (&f->runs, r)
		if (!(*r)->goal && figures_complete(*r))
			vec_push(&measured, *r);
	fair_compare(&f->checks, measured.ptr, measured.len,
		     &(struct fair_opts){ (const char *const *)f->desc->env_varies.ptr,
					  f->desc->env_varies.len });
	vec_release(&measured);
	vec_for_each (&f->variants, v) {
		same = same && v->runs == case_base(f)->runs;
		strbuf_addf(&sb, "%s%s %zu", sb.len ? ", " : "", v->name, v->runs);
	}
	fair_add(&f->checks, CHECK_RUNS, same, strbuf_detach(&sb));
	f->equal = fair_all_ok(&f->checks);
}

/* ---- reasons ---- */

static bool find_invalid(struct case_finding *f)
{
	size_t before = f->reasons.len;

	vec_for_each (&f->checks, c) {
		if (c->ok || !strcmp(c->name, CHECK_RUNS))
			continue; /* missing runs are not unequal ones: the next reason's business
				   */
		if (!strcmp(c->name, FAIR_GENERATOR))
			case_say(&f->reasons, "the load generator was not fit (%s)", c->detail);
		else
			case_say(&f->reasons, "not measured equally, %s: %s", c->name, c->detail);
	}
	return f->reasons.len > before;
}

static void add_incomplete(struct strbuf *sb, const struct case_finding *f,
			   const struct variant_finding *v)
{
	vec_for_each (&f->runs, r)
		if (!(*r)->goal && !figures_complete(*r) && !strcmp((*r)->variant, v->name))
			strbuf_addf(sb, "; run %u: %s", (*r)->index,
				    (*r)->status ? (*r)->status : "cut off before its end");
}

static bool find_missing(struct case_finding *f)
{
	size_t before = f->reasons.len;

	vec_for_each (&f->variants, v) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		if (v->runs >= v->runs_wanted && v->runs)
			continue;
		case_add_name(&sb, v);
		strbuf_addf(&sb, " has %zu of %zu runs", v->runs, v->runs_wanted);
		add_incomplete(&sb, f, v);
		case_say_sb(&f->reasons, &sb);
	}
	if (f->desc->stopped)
		case_say(&f->reasons, "the case was stopped: %s", f->desc->stopped);
	return f->reasons.len > before;
}

static bool find_undecided(struct case_finding *f)
{
	const struct variant_finding *fix = case_fix(f);
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (fix->runs < RUNS_LEAST) {
		case_add_name(&sb, fix);
		strbuf_addf(&sb, " was measured once (%s); two runs are the least", fix->slo_text);
	} else if (fix->slo != SLO_MET && fix->slo != SLO_MISSED) {
		case_add_name(&sb, fix);
		strbuf_addf(&sb, ": %s", fix->slo_text);
	} else {
		return false;
	}
	case_say_sb(&f->reasons, &sb);
	return true;
}

static bool answers_differ(struct case_finding *f)
{
	if (f->desc->answers.result != CASE_ANSWERS_DIFFER)
		return false;
	case_say(&f->reasons, "the variants do not give the same answers%s%s",
		 f->desc->answers.detail ? ": " : "",
		 f->desc->answers.detail ? f->desc->answers.detail : "");
	return true;
}

/* Only a case that names such requests wants the answers compared. */
static bool answers_unknown(struct case_finding *f)
{
	const struct case_desc_answers *a = &f->desc->answers;

	if (!a->requests || a->result != CASE_ANSWERS_UNCHECKED)
		return false;
	case_say(&f->reasons, "the answers of the variants were not compared%s%s",
		 a->detail ? ": " : "", a->detail ? a->detail : "");
	return true;
}

static enum case_verdict decide(struct case_finding *f)
{
	if (find_invalid(f))
		return CASE_INVALID;
	if (answers_differ(f))
		return CASE_MISSED;
	if (find_missing(f) || answers_unknown(f) || find_undecided(f))
		return CASE_INCONCLUSIVE;
	return case_fix(f)->slo == SLO_MET ? CASE_MET : CASE_MISSED;
}

/* ---- the headline ---- */

/* "“fixed” meets p99 < 100 ms at 161/s in 2 of 2 runs (p99 1.54 ms)" */
static void add_fix(struct strbuf *sb, const struct case_finding *f, const char *does)
{
	const struct variant_finding *fix = case_fix(f);

	case_add_name(sb, fix);
	strbuf_addf(sb, " %s ", does);
	case_add_slo(sb, f);
	case_add_rate(sb, " at ", f);
	strbuf_addf(sb, " in %zu of %zu runs", fix->runs, fix->runs);
	case_add_slo_value(sb, f, fix);
}

static void add_base(struct strbuf *sb, const struct case_finding *f)
{
	const struct variant_finding *base = case_base(f);

	if (case_has_fix(f)) {
		strbuf_addstr(sb, "; ");
		case_add_name(sb, base);
		if (base->slo == SLO_MISSED || base->slo == SLO_MET) {
			strbuf_addf(sb, " %s it in %zu of %zu",
				    base->slo == SLO_MET ? "meets" : "misses", base->runs,
				    base->runs);
			case_add_slo_value(sb, f, base);
		} else {
			strbuf_addf(sb, ": %s", base->slo_text);
		}
		if (f->verdict == CASE_MET && base->slo == SLO_MET)
			strbuf_addstr(sb, ", so the problem did not show at this load");
	}
	strbuf_addch(sb, '.');
}

static char *make_headline(const struct case_finding *f)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *reason = f->reasons.len ? f->reasons.ptr[0] : "";

	switch (f->verdict) {
	case CASE_MET:
		add_fix(&sb, f, "meets");
		add_base(&sb, f);
		break;
	case CASE_MISSED:
		if (*reason) {
			strbuf_addf(&sb, "This is no fix: %s.", reason);
			break;
		}
		add_fix(&sb, f, "misses");
		add_base(&sb, f);
		break;
	case CASE_INVALID:
		strbuf_addf(&sb, "These runs prove nothing: %s.", reason);
		break;
	case CASE_INCONCLUSIVE:
		strbuf_addf(&sb, "These runs cannot tell: %s.", reason);
		break;
	}
	return strbuf_detach(&sb);
}

void case_decide(struct case_finding *f)
{
	static const int exit_codes[] = {
		[CASE_MET] = 0, [CASE_MISSED] = 1, [CASE_INVALID] = 3, [CASE_INCONCLUSIVE] = 3
	};

	f->verdict = decide(f);
	f->exit_code = exit_codes[f->verdict];
	f->headline = make_headline(f);
}
