#include <stdlib.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"

static double gap_share(const struct case_finding *f, const struct variant_finding *alone,
			enum figure which)
{
	double base = case_base(f)->spread[which].value, fix = case_fix(f)->spread[which].value;
	struct effect whole = case_effect(f, case_base(f), case_fix(f), which);

	if (!whole.beyond_noise || whole.ratio >= 1)
		return NAN;
	return (base - alone->spread[which].value) / (base - fix);
}

static enum suspect_class classify(const struct case_finding *f, const struct suspect_finding *s,
				   const struct variant_finding *alone)
{
	bool p99_helps = s->p99.beyond_noise && s->p99.ratio < 1;
	bool cpu_helps = s->cpu.beyond_noise && s->cpu.ratio < 1;

	if (case_base(f)->slo == SLO_MISSED && alone->slo == SLO_MET)
		return SUSPECT_CAUSE;
	if (p99_helps || cpu_helps)
		return SUSPECT_PART;
	return s->p99.beyond_noise || s->cpu.beyond_noise ? SUSPECT_WORSE : SUSPECT_NOTHING;
}

/* ---- the sentence ---- */

static void add_pair(struct strbuf *sb, const struct case_finding *f,
		     const struct variant_finding *alone, enum figure which)
{
	fmt_figure(sb, figure_defs[which].unit, case_base(f)->spread[which].value);
	strbuf_addstr(sb, " \xe2\x86\x92 ");
	fmt_figure(sb, figure_defs[which].unit, alone->spread[which].value);
}

/* " (-3.6 %, 95 % interval -5.1 to -2.0 %)" */
static void add_effect(struct strbuf *sb, const struct effect *e)
{
	if (!e->known)
		return;
	strbuf_addstr(sb, " (");
	fmt_change(sb, e->ratio);
	if (figure_known(e->ratio_low)) {
		strbuf_addstr(sb, "; 95 % interval ");
		fmt_change(sb, e->ratio_low);
		strbuf_addstr(sb, " to ");
		fmt_change(sb, e->ratio_high);
	}
	strbuf_addch(sb, ')');
}

static void add_figures(struct strbuf *sb, const struct case_finding *f,
			const struct suspect_finding *s, const struct variant_finding *alone)
{
	strbuf_addstr(sb, "Removed alone (");
	fmt_quoted(sb, alone->name);
	strbuf_addstr(sb, "): achieved ");
	add_pair(sb, f, alone, FIGURE_ACHIEVED);
	strbuf_addstr(sb, ", p99 ");
	add_pair(sb, f, alone, FIGURE_P99);
	add_effect(sb, &s->p99);
	if (s->cpu.known) {
		strbuf_addstr(sb, ", CPU per request ");
		add_pair(sb, f, alone, FIGURE_CPU_PER_REQUEST);
		add_effect(sb, &s->cpu);
	}
	if (figure_known(s->cpu_gap_share)) {
		strbuf_addstr(sb, ": ");
		fmt_share(sb, s->cpu_gap_share);
		strbuf_addstr(sb, " of the CPU that the fix saves");
	}
	strbuf_addstr(sb, ". ");
}

static void add_part(struct strbuf *sb, const struct case_finding *f,
		     const struct suspect_finding *s, const struct variant_finding *alone)
{
	bool p99_helps = s->p99.beyond_noise && s->p99.ratio < 1;
	bool cpu_helps = s->cpu.beyond_noise && s->cpu.ratio < 1;

	strbuf_addstr(sb, p99_helps && cpu_helps ? "Real in p99 and in CPU"
			  : p99_helps		 ? "Real in p99, not in CPU"
						 : "Real in CPU, not in p99");
	if (case_base(f)->slo != SLO_MISSED) {
		strbuf_addstr(sb, "; since ");
		fmt_quoted(sb, case_base(f)->name);
		strbuf_addstr(sb, " did not miss the target, nothing can be called its cause.");
	} else if (alone->slo == SLO_MISSED) {
		strbuf_addstr(sb, ", and not the cause: the target is still missed.");
	} else {
		strbuf_addstr(sb, "; whether it alone meets the target these runs cannot tell.");
	}
}

static void add_nothing(struct strbuf *sb, const struct suspect_finding *s)
{
	const struct effect *e = s->cpu.known ? &s->cpu : &s->p99;

	strbuf_addstr(sb, "Within the noise of the runs");
	if (figure_known(e->visible)) {
		strbuf_addf(sb, ", which would have shown a change of ");
		fmt_share(sb, e->visible);
		strbuf_addf(sb, " in %s", s->cpu.known ? "CPU per request" : "p99");
	}
	strbuf_addch(sb, '.');
}

static void add_conclusion(struct strbuf *sb, const struct case_finding *f,
			   const struct suspect_finding *s, const struct variant_finding *alone)
{
	switch (s->class) {
	case SUSPECT_UNKNOWN:
		break;
	case SUSPECT_CAUSE:
		strbuf_addstr(sb, "This alone meets the target that ");
		fmt_quoted(sb, case_base(f)->name);
		strbuf_addstr(sb, " misses: a cause.");
		break;
	case SUSPECT_PART:
		add_part(sb, f, s, alone);
		break;
	case SUSPECT_NOTHING:
		add_nothing(sb, s);
		break;
	case SUSPECT_WORSE:
		strbuf_addstr(sb, "Removing it alone makes things worse.");
		break;
	}
}

static void judge(struct case_finding *f, struct suspect_finding *s)
{
	const struct variant_finding *alone = &f->variants.ptr[s->variant];
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	s->p99 = case_effect(f, case_base(f), alone, FIGURE_P99);
	s->cpu = case_effect(f, case_base(f), alone, FIGURE_CPU_PER_REQUEST);
	s->p99_gap_share = gap_share(f, alone, FIGURE_P99);
	s->cpu_gap_share = gap_share(f, alone, FIGURE_CPU_PER_REQUEST);
	if (!alone->runs || !case_base(f)->runs) {
		s->conclusion = xstrdup("Not measured: complete runs are missing.");
		return;
	}
	if (!f->equal) {
		strbuf_addstr(&sb, "Not judged: the runs were not measured equally.");
	} else if (alone->runs < 2 || case_base(f)->runs < 2) {
		strbuf_addstr(&sb,
			      "Measured once: without a second run of both there is no noise to "
			      "hold this against.");
	} else {
		s->class = classify(f, s, alone);
		add_conclusion(&sb, f, s, alone);
	}
	s->conclusion = strbuf_detach(&sb);
	add_figures(&sb, f, s, alone);
	strbuf_addstr(&sb, s->conclusion);
	s->sentence = strbuf_detach(&sb);
}

void case_judge_suspects(struct case_finding *f)
{
	vec_for_each (&f->desc->suspects, d) {
		struct suspect_finding s = {
			.id = xasprintf("S%zu", f->suspects.len + 1),
			.text = xstrdup(d->text),
			.removed_by = d->removed_by ? xstrdup(d->removed_by) : NULL,
			.variant = case_desc_variant_index(f->desc, d->removed_by),
			.p99_gap_share = NAN,
			.cpu_gap_share = NAN,
		};

		if (s.variant == SIZE_MAX)
			s.conclusion = xstrdup("Not measured: no variant removes it alone.");
		else
			judge(f, &s);
		if (!s.sentence)
			s.sentence = xstrdup(s.conclusion);
		vec_push(&f->suspects, s);
	}
}
