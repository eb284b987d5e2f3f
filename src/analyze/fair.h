/*
 * fair.h - were runs measured equally? The same script with the same environment, rate, duration,
 * warm-up and virtual users, the same limits on the same machine, by the same version, and each
 * with a generator that was fit.
 */
#ifndef ASSAY_ANALYZE_FAIR_H
#define ASSAY_ANALYZE_FAIR_H

#include "analyze/figures.h"
#include "base/strbuf.h"

/* Names of checks that callers ask for. */
#define FAIR_GENERATOR	 "generator fit"
#define FAIR_ENVIRONMENT "script's environment"

struct fair_check {
	char *name;
	bool ok;
	char *detail; /* the common value, or what differs where */
};

struct fair_checks {
	struct fair_check *ptr;
	size_t len, cap;
};

/* What of the script's environment may differ between runs. */
struct fair_opts {
	const char *const *varies; /* names */
	size_t n_varies;
	bool any_env; /* every name: the runs are variants whose difference that is */
};

/*
 * Adds a check for each thing that at least one run knows; a thing that only some know is not
 * equal.
 */
void fair_compare(struct fair_checks *checks, struct figures *const *runs, size_t n,
		  const struct fair_opts *o);

/* Adds one; detail is taken over. */
void fair_add(struct fair_checks *checks, const char *name, bool ok, char *detail);

bool fair_all_ok(const struct fair_checks *checks);
void fair_release(struct fair_checks *checks);

/* "slow 2" of a run of a case, else its file's name. */
void fair_name_run(struct strbuf *sb, const struct figures *f);

#endif
