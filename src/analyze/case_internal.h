/* case_internal.h - the parts that analyze_case() puts together; each fills its part of f. */
#ifndef ASSAY_ANALYZE_CASE_INTERNAL_H
#define ASSAY_ANALYZE_CASE_INTERNAL_H

#include "analyze/case.h"
#include "base/strbuf.h"

/* variant.c: pools the complete runs of each variant and says how it stands against the SLO. */
void case_pool_variants(struct case_finding *f);

void case_release_variant(struct variant_finding *v);

/* Index of the next run that counts for v (complete, of its kind) or SIZE_MAX. */
size_t case_next_run(const struct case_finding *f, const struct variant_finding *v, size_t from);

#define case_for_each_run(f, v, r)                                                                 \
	for (size_t r = case_next_run(f, v, 0); r != SIZE_MAX; r = case_next_run(f, v, r + 1))

/* effect.c: how a figure changed from one variant to another, against the noise of all runs. */
struct effect case_effect(const struct case_finding *f, const struct variant_finding *before,
			  const struct variant_finding *after, enum figure which);

/* fair.c's checks over all measured runs, and that there are as many as wanted. */
void case_check_equal(struct case_finding *f);

/* gap.c: why client and server differ, at length for one variant; in a few words for all. */
enum question_state case_explain_gap(const struct case_finding *f, const struct variant_finding *v,
				     struct strbuf *sb);
void case_explain_gaps(struct case_finding *f);

/* suspects.c, table.c, steps.c, watch.c, questions.c, story.c, verdict.c */
void case_judge_suspects(struct case_finding *f);
void case_fill_table(struct case_finding *f);
void case_list_environment(struct case_finding *f);
void case_list_steps(struct case_finding *f);
void case_find_watch(struct case_finding *f);
void case_answer_questions(struct case_finding *f);
void case_tell_story(struct case_finding *f);
void case_decide(struct case_finding *f);

/* Adds a formatted sentence. */
void case_say(struct sentences *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void case_say_sb(struct sentences *s, struct strbuf *sb); /* takes the text, empties sb */

/* "p99 < 100 ms" */
void case_add_slo(struct strbuf *sb, const struct case_finding *f);

/* " (p99 537 ms, 15 % of arrivals dropped)", nothing without values */
void case_add_slo_value(struct strbuf *sb, const struct case_finding *f,
			const struct variant_finding *v);

/* " at 161/s" with before = " at "; nothing when the rate is not known */
void case_add_rate(struct strbuf *sb, const char *before, const struct case_finding *f);

/* "“slow”" */
void case_add_name(struct strbuf *sb, const struct variant_finding *v);

/* What all runs were driven with and limited to, NAN when no run says. */
double case_rate(const struct case_finding *f);
double case_limit_cpus(const struct case_finding *f);
double case_limit_memory(const struct case_finding *f);

/* A fact of the first run that knows it, or NULL. */
const char *case_fact(const struct case_finding *f, const char *key);

/* Less than 1 % of what is in use a minute. */
bool case_memory_flat(double growth_per_min, double end);

/* At least two variants: there is something to compare. */
static inline bool case_has_fix(const struct case_finding *f)
{
	return f->variants.len > 1;
}

static inline const struct variant_finding *case_base(const struct case_finding *f)
{
	return &f->variants.ptr[0];
}

static inline const struct variant_finding *case_fix(const struct case_finding *f)
{
	return &vec_last(&f->variants);
}

#endif
