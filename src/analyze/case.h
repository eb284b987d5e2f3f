/*
 * case.h - judges a case: from its description and its runs to everything the page says, as plain
 * data. Pure: no I/O, no clock. Every sentence that can be printed is made here, once, so that all
 * renderings say the same.
 */
#ifndef ASSAY_ANALYZE_CASE_H
#define ASSAY_ANALYZE_CASE_H

#include "analyze/fair.h"
#include "analyze/figures.h"

enum case_verdict {
	CASE_MET,	   /* the last variant meets the SLO, answers equal: exit code 0 */
	CASE_MISSED,	   /* it does not, or it answers differently: 1 */
	CASE_INVALID,	   /* generator unfit, or not measured equally: 3 */
	CASE_INCONCLUSIVE, /* runs are missing, disagree or are too short to tell: 3 */
};

struct sentences {
	char **ptr;
	size_t len, cap;
};

/* A figure over the runs of a variant. */
struct spread {
	double value;	  /* pooled: quantiles of all values, shares and rates of all counts */
	double low, high; /* smallest and largest of the runs */
	size_t n;	  /* runs that know it; 0 = all NAN */
};

/* What changed between two variants, on the log scale, so that it reads as a factor. */
struct effect {
	bool known;
	double ratio;		      /* after / before */
	double ratio_low, ratio_high; /* 95 % interval from the run-to-run noise; NAN = unknown */
	double visible;		      /* the smallest change these runs can tell, as a share; NAN */
	bool beyond_noise; /* the interval excludes 1 and the runs' ranges do not touch */
};

struct variant_finding {
	char *name, *description;
	bool goal;		  /* at the goal's rate */
	size_t runs, runs_wanted; /* complete ones */
	struct spread spread[N_FIGURES];
	uint64_t samples, iterations, dropped, requests, failed;
	double cache_hits, cache_misses; /* sums, NAN unknown */
	double cache_entries;		 /* most in a run */
	double bad_share; /* mean of the runs: arrivals above the limit, failed or dropped */
	enum slo_result slo;
	char *slo_text; /* "met in 2 of 2 runs" */
	char *gap_text; /* why the server's own p99 differs from the client's, in a few words */
	struct hist *latency;
};

enum suspect_class {
	SUSPECT_UNKNOWN, /* not measured alone, or once only */
	SUSPECT_CAUSE,	 /* removing it alone meets the SLO that the base misses */
	SUSPECT_PART,	 /* beyond the noise, but the SLO is still missed */
	SUSPECT_NOTHING, /* within the noise */
	SUSPECT_WORSE,	 /* removing it costs */
};

struct suspect_finding {
	char *id; /* "S1" */
	char *text, *removed_by;
	size_t variant; /* SIZE_MAX when there is none */
	enum suspect_class class;
	struct effect p99, cpu;		     /* base against the variant */
	double p99_gap_share, cpu_gap_share; /* of what the fix is worth; NAN unknown */
	char *sentence;			     /* figures and conclusion */
	char *conclusion;		     /* of it, alone */
};

/* A cell of the table of proof: the pooled figure, and every run's with their spread. */
struct case_cell {
	char *text, *runs;
};

/* before: the first variant; after: the last, empty when there is only one; goal: likewise. */
struct case_row {
	char *label;
	struct case_cell before, after, goal;
};

struct case_step {
	char *command, *result, *file; /* file may be NULL */
};

struct case_fact {
	char *name, *value;
};

enum question_state { QUESTION_YES, QUESTION_NO, QUESTION_PARTLY, QUESTION_OPEN };

struct case_question {
	const char *question; /* static */
	enum question_state state;
	char *text;
};

/* A rule that would have told early, with what it does on these runs. */
struct case_watch {
	char *metric, *rule;
	char *before, *after; /* "23 %: fires" */
	bool fires_before, fires_after;
};

#define CASE_QUESTIONS 6

struct case_finding {
	struct case_desc *desc; /* a copy */
	enum case_verdict verdict;
	int exit_code;
	char *headline;		  /* the verdict in one sentence */
	struct sentences reasons; /* what makes it invalid or inconclusive, or qualifies it */

	VEC(struct figures *) runs; /* measured runs in order, then goal runs */
	VEC(struct variant_finding) variants;
	VEC(struct suspect_finding) suspects;
	VEC(struct case_row) rows;
	/* the last variant at the goal's rate: runs is 0 without such a run */
	struct variant_finding goal;
	char *goal_text; /* NULL without */
	struct fair_checks checks;
	bool equal; /* every check is ok */

	VEC(struct case_fact) environment;
	VEC(struct case_step) steps;
	struct sentences symptom, cause, fix, proof, open_items;
	VEC(struct case_watch) watch;
	struct case_question questions[CASE_QUESTIONS];
};

/*
 * Judges. Runs whose variant the description does not know are ignored (and said so). The result
 * owns copies of all it needs; the caller frees it. -EINVAL when the description has no variant.
 */
int analyze_case(const struct case_desc *desc, struct run *const *runs, size_t n,
		 struct case_finding **ret, struct error *reterr);
struct case_finding *case_finding_free(struct case_finding *f); /* NULL in, NULL out */
DEFINE_CLEANUP(case_finding, struct case_finding *, case_finding_free)

#endif
