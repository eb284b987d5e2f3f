/*
 * Every sentence that the page can print, with what makes it appear: each row changes one thing
 * about the case of case_rig.h, and the words must be there after the change and not before it.
 */
#include "analyze/case.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "case_rig.h"
#include "model/meta.h"
#include "test.h"

static void add_list(struct strbuf *sb, const struct sentences *s)
{
	vec_for_each (s, text)
		strbuf_addf(sb, "%s\n", *text);
}

/* All that the page says in sentences. */
static char *words_of(const struct case_finding *f)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s\n", f->headline);
	add_list(&sb, &f->reasons);
	add_list(&sb, &f->symptom);
	add_list(&sb, &f->cause);
	add_list(&sb, &f->fix);
	add_list(&sb, &f->proof);
	add_list(&sb, &f->open_items);
	vec_for_each (&f->suspects, s)
		strbuf_addf(&sb, "%s\n", s->sentence);
	for (size_t i = 0; i < CASE_QUESTIONS; i++)
		strbuf_addf(&sb, "Q%zu=%d %s\n", i + 1, (int)f->questions[i].state,
			    f->questions[i].text);
	vec_for_each (&f->watch, w)
		strbuf_addf(&sb, "%s %s\n%s / %s\n", w->metric, w->rule, w->before, w->after);
	return strbuf_detach(&sb);
}

typedef void change_fn(struct rig *r);

struct flip {
	change_fn *change;
	const char *words;
};

static void check(const struct flip *flips, size_t n)
{
	CLEANUP(cleanup_rig) struct rig *plain = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *before = rig_judge(plain);
	CLEANUP(mem_cleanup) char *words_before = words_of(before);

	for (size_t i = 0; i < n; i++) {
		CLEANUP(cleanup_rig) struct rig *r = rig_new();
		CLEANUP(cleanup_case_finding) struct case_finding *f = NULL;
		CLEANUP(mem_cleanup) char *words = NULL;

		flips[i].change(r);
		f = rig_judge(r);
		words = words_of(f);
		ASSERT_HAS(words, flips[i].words);
		ASSERT_LACKS(words_before, flips[i].words);
	}
}

static void set_text(char **text, const char *to)
{
	free(*text);
	*text = to ? xstrdup(to) : NULL;
}

/* ---- verdict ---- */

static void fix_misses(struct rig *r)
{
	rig_scale(r, "fixed", 300);
}

static void base_meets(struct rig *r)
{
	rig_scale(r, "slow", 0.1);
	rig_set(r, "slow", META_LOAD_DROPPED, "0");
}

static void one_run(struct rig *r)
{
	rig_keep_runs(r, 1);
	r->desc->runs_wanted = 1;
}

static void run_missing(struct rig *r)
{
	rig_remove(r, "fixed", 2);
}

static void run_cut_off(struct rig *r)
{
	run_set_meta(rig_run(r, "fixed", 2), META_RUN_STATUS, "the target ended");
}

static void stopped(struct rig *r)
{
	rig_remove(r, "slow", 2);
	set_text(&r->desc->stopped, "interrupted");
}

static void runs_disagree(struct rig *r)
{
	struct run *run = rig_run(r, "fixed", 2);

	vec_for_each (&run->dists, d) {
		hist_clear(d->values);
		for (int i = 0; i < 700; i++)
			hist_add(d->values, 500);
	}
}

static void few_values(struct rig *r)
{
	r->desc->slo.quantile = 0.9999;
}

static void generator_unfit(struct rig *r)
{
	rig_set(r, "fixed", META_GEN_VERDICT, "thread 0 used 97 % of a core");
}

static void limits_differ(struct rig *r)
{
	rig_set(r, "fixed", META_LIMIT_CPUS, "2");
}

static void scripts_differ(struct rig *r)
{
	rig_set(r, "fixed", META_LOAD_SHA256, "0000000000000000");
}

static void warmups_differ(struct rig *r)
{
	rig_set(r, "slow", META_LOAD_WARMUP_S, "99");
}

static void env_differs(struct rig *r)
{
	rig_set(r, "fixed", META_LOAD_ENV, "{\"CARTS\":\"small\"}");
}

static void answers_differ(struct rig *r)
{
	r->desc->answers.result = CASE_ANSWERS_DIFFER;
	set_text(&r->desc->answers.detail, "request 2: slow says 1, fixed says 2");
}

static void answers_unchecked(struct rig *r)
{
	r->desc->answers.result = CASE_ANSWERS_UNCHECKED;
	r->desc->answers.requests = 3;
}

static void answers_not_wanted(struct rig *r)
{
	r->desc->answers.result = CASE_ANSWERS_UNCHECKED;
	r->desc->answers.requests = 0;
}

TEST(sentences_of_the_verdict)
{
	static const struct flip flips[] = {
		{ fix_misses, "misses p99 < 100 ms" },
		{ base_meets, "so the problem did not show at this load" },
		{ one_run, "two runs are the least" },
		{ run_missing, "has 1 of 2 runs" },
		{ run_cut_off, "run 2: the target ended" },
		{ stopped, "the case was stopped: interrupted" },
		{ runs_disagree, "undecided: met in 1, missed in 1" },
		{ few_values, "n too small: p99.99 needs 29956 values a run" },
		{ generator_unfit, "the load generator was not fit" },
		{ generator_unfit, "These runs prove nothing" },
		{ limits_differ, "not measured equally, CPU limit: slow 1: 1 CPU, fixed 1: 2 CPU" },
		{ scripts_differ, "not measured equally" },
		{ warmups_differ, "not measured equally, warm-up" },
		{ env_differs, "differs between" },
		{ answers_differ, "This is no fix: the variants do not give the same answers: "
				  "request 2" },
		{ answers_unchecked, "the answers of the variants were not compared" },
	};

	check(flips, ARRAY_SIZE(flips));
}

/* 0 met, 1 not, 3 when the runs prove nothing or cannot tell. */
TEST(exit_code_follows_the_verdict)
{
	static const struct {
		change_fn *change;
		int exit_code;
	} cases[] = {
		{ fix_misses, 1 },	{ answers_differ, 1 }, { one_run, 3 },
		{ run_missing, 3 },	{ stopped, 3 },	       { runs_disagree, 3 },
		{ generator_unfit, 3 }, { limits_differ, 3 },  { base_meets, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(cleanup_rig) struct rig *r = rig_new();
		CLEANUP(cleanup_case_finding) struct case_finding *f = NULL;

		cases[i].change(r);
		f = rig_judge(r);
		ASSERT_INT(f->exit_code, cases[i].exit_code);
	}
}

/* ---- suspects and root cause ---- */

static void no_suspects(struct rig *r)
{
	vec_for_each (&r->desc->suspects, s) {
		free(s->text);
		free(s->removed_by);
	}
	vec_clear(&r->desc->suspects);
}

static void suspect_without_variant(struct rig *r)
{
	set_text(&r->desc->suspects.ptr[0].removed_by, NULL);
}

static void suspect_without_runs(struct rig *r)
{
	rig_remove(r, "rules", 1);
	rig_remove(r, "rules", 2);
}

static void rules_do_not_help(struct rig *r)
{
	rig_scale(r, "rules", 300);
}

static void options_make_it_worse(struct rig *r)
{
	rig_scale(r, "options", 8);
}

TEST(sentences_of_suspects)
{
	static const struct flip flips[] = {
		{ no_suspects, "The case file lists no suspects, so the data cannot name one." },
		{ no_suspects, "The case file lists no suspects." },
		{ suspect_without_variant, "Not measured: no variant removes it alone." },
		{ suspect_without_runs, "Not measured: complete runs are missing." },
		{ rules_do_not_help, "no suspect removed alone is shown to meet the target" },
		{ rules_do_not_help, "and not the cause: the target is still missed" },
		{ base_meets, "did not miss the target, nothing can be called its cause" },
		{ options_make_it_worse, "Removing it alone makes things worse." },
		{ one_run, "there is no noise to hold this against" },
		{ limits_differ, "Not judged: the runs were not measured equally." },
	};

	check(flips, ARRAY_SIZE(flips));
}

/* What the plain case says of its suspects must go when the data goes. */
TEST(the_cause_is_named_only_while_the_data_name_it)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *plain = rig_judge(r);
	CLEANUP(cleanup_case_finding) struct case_finding *f = NULL;
	CLEANUP(mem_cleanup) char *before = words_of(plain), *after = NULL;

	rules_do_not_help(r);
	f = rig_judge(r);
	after = words_of(f);
	ASSERT_HAS(before, "misses: a cause.");
	ASSERT_HAS(before, "and meets the target.");
	ASSERT_LACKS(after, "misses: a cause.");
	ASSERT_LACKS(after, "and meets the target.");
}

/* ---- the six questions ---- */

static void no_cpu_limit(struct rig *r)
{
	rig_set(r, NULL, META_LIMIT_CPUS, "0");
}

static void below_the_goal(struct rig *r)
{
	r->desc->rate_goal_per_s = 5000;
}

static void no_server_figure(struct rig *r)
{
	rig_set(r, NULL, META_SERVER_P99_MS, "unknown");
}

static void server_agrees(struct rig *r)
{
	rig_set(r, "slow", META_SERVER_P99_MS, "530");
}

static void server_is_larger(struct rig *r)
{
	rig_set(r, "slow", META_SERVER_P99_MS, "5000");
}

static void gap_unexplained(struct rig *r)
{
	rig_drop_series(r, NULL, "cgroup.cpu.nr_throttled");
	rig_drop_series(r, NULL, "cgroup.cpu.nr_periods");
	rig_drop_series(r, NULL, "cgroup.cpu.usage");
	rig_set(r, "slow", META_LOAD_DROPPED, "0");
}

static void no_cache_figures(struct rig *r)
{
	rig_set(r, NULL, META_CACHE_HITS, "none");
	rig_set(r, NULL, META_CACHE_MISSES, "none");
}

static void cache_is_hit(struct rig *r)
{
	rig_set(r, "slow", META_CACHE_HITS, "1000");
	rig_set(r, "slow", META_CACHE_MISSES, "1000");
}

static void one_variant(struct rig *r)
{
	no_suspects(r);
	while (r->desc->variants.len > 1) {
		struct case_desc_variant *v = &vec_last(&r->desc->variants);

		free(v->name);
		free(v->description);
		r->desc->variants.len--;
	}
}

static void no_throttling(struct rig *r)
{
	rig_drop_series(r, NULL, "cgroup.cpu.nr_throttled");
	rig_drop_series(r, NULL, "cgroup.cpu.nr_periods");
}

TEST(sentences_of_the_questions)
{
	static const struct flip flips[] = {
		{ base_meets, "Q1=1 " },
		{ no_cpu_limit, "without a CPU limit: production's was not reproduced" },
		{ below_the_goal, "not at the target of" },
		{ suspect_without_variant, "Q2=2 " },
		{ no_server_figure, "The server's own latency histogram was not read" },
		{ server_agrees, "they agree, within what the steps of a histogram allow" },
		{ server_is_larger, "the server's is the larger one" },
		{ gap_unexplained, "Neither throttling nor CPU use nor dropped arrivals explain" },
		{ no_cache_figures, "No cache figures were read." },
		{ cache_is_hit, "(50 %)" },
		{ one_variant, "There is only one variant: nothing was fixed." },
		{ one_variant,
		  "Without a fix there is nothing that an alert could be held against" },
		{ one_run, "two runs of each are the least" },
		{ limits_differ, "Q5=1 " },
	};

	check(flips, ARRAY_SIZE(flips));
}

TEST(throttling_is_watched_only_where_it_was_seen)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *plain = rig_judge(r);
	CLEANUP(cleanup_case_finding) struct case_finding *f = NULL;
	CLEANUP(mem_cleanup) char *before = words_of(plain), *after = NULL;

	no_throttling(r);
	f = rig_judge(r);
	after = words_of(f);
	ASSERT_HAS(before, "throttled CFS periods");
	ASSERT_HAS(before, "23 % of the periods were throttled");
	ASSERT_LACKS(after, "throttled CFS periods");
	ASSERT_LACKS(after, "of the periods were throttled");
}

/* ---- symptom, proof, open items ---- */

static void no_texts(struct rig *r)
{
	set_text(&r->desc->texts.since, NULL);
	set_text(&r->desc->texts.root_cause, NULL);
	set_text(&r->desc->texts.fix, NULL);
	set_text(&r->desc->texts.fix_commit, NULL);
	set_text(&r->desc->texts.owner, NULL);
}

static void base_not_measured(struct rig *r)
{
	rig_remove(r, "slow", 1);
	rig_remove(r, "slow", 2);
}

static void killed_for_memory(struct rig *r)
{
	struct sink *s = run_sink_new(rig_run(r, "fixed", 1));
	uint32_t id;

	sink_series(s,
		    &(struct series_def){ "cgroup.memory.oom_kill", "{kill}", "", SERIES_COUNTER },
		    &id);
	sink_point(s, id, RIG_LOAD_START - NS_PER_S, 0);
	sink_point(s, id, RIG_LOAD_START + NS_PER_S, 0);
	sink_point(s, id, RIG_LOAD_START + 4 * NS_PER_S, 2);
	run_sink_free(s);
}

static void checks_failed(struct rig *r)
{
	rig_set(r, "fixed", META_CHECKS_FAILED, "17");
}

static void records_lost(struct rig *r)
{
	struct sink *s = run_sink_new(rig_run(r, "fixed", 1));

	sink_loss(s, "host", 3, "samples missed");
	run_sink_free(s);
}

static void goal_missing(struct rig *r)
{
	r->desc->goal_wanted = true;
	r->desc->rate_goal_per_s = 900;
}

static void never_at_the_goal(struct rig *r)
{
	r->desc->goal_wanted = false;
	r->desc->rate_goal_per_s = 900;
}

TEST(sentences_of_the_story)
{
	static const struct flip flips[] = {
		{ no_texts, "Since when: not given in the case file." },
		{ no_texts, "In words: not given in the case file." },
		{ no_texts, "Commit: not given in the case file." },
		{ no_texts, "the commit of the fix (texts.fix_commit)" },
		{ base_not_measured, "the base was not measured" },
		{ run_missing, "Complete runs: slow 2" },
		{ answers_differ, "The variants do not give the same answers: request 2" },
		{ answers_not_wanted, "Answers were not compared." },
		{ limits_differ, "The runs were not measured equally: CPU limit" },
		{ killed_for_memory, "the kernel killed for lack of memory (2)" },
		{ checks_failed, "17 of the script's checks failed" },
		{ records_lost, "3 signals or records were lost" },
		{ run_cut_off, "not complete (the target ended)" },
		{ goal_missing, "The run at the goal's rate is missing." },
		{ never_at_the_goal, "Never driven at the goal of 900/s." },
	};

	check(flips, ARRAY_SIZE(flips));
}
