/*
 * compare.h - two runs side by side, and whether holding them against each other is fair. One run
 * of each says nothing of the noise between runs: what is given for percentiles is the error of
 * sampling alone, and the comparison says so.
 */
#ifndef ASSAY_ANALYZE_COMPARE_H
#define ASSAY_ANALYZE_COMPARE_H

#include "analyze/fair.h"

struct compare_side {
	double value;
	double low, high; /* 95 % rank interval of a percentile; NAN otherwise or when n is small */
	char *text;
};

struct compare_row {
	enum figure figure;
	struct compare_side a, b;
	double ratio; /* b / a, NAN when there is none */
	char *change; /* "-67 %", "" */
	char *note; /* "within sampling error", "n too small", …; "" when there is nothing to say */
};

struct comparison {
	struct figures *a, *b;
	struct fair_checks checks;
	bool fair;
	char *headline;
	struct compare_row rows[N_FIGURES];
	size_t n_rows;
};

/*
 * varies names of the script's environment that may differ. Between two variants of one case those
 * that do differ are what is compared, and may. The caller frees the result.
 */
struct comparison *compare_runs(const struct run *a, const struct run *b, const char *const *varies,
				size_t n_varies);
struct comparison *comparison_free(struct comparison *c); /* NULL in, NULL out */
DEFINE_CLEANUP(comparison, struct comparison *, comparison_free)

#endif
