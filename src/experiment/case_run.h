/*
 * case_run.h - runs a whole case: for every variant, in the order A…E, E…A, …, a fresh target under
 * its limits, a check that it answers as the others do, a warm-up, the same load; and after each
 * run the page again from what there is, so that an interrupted case leaves a readable folder.
 *
 * The folder holds one run file (*.assay) per run, report.html, report.md, case.json, and the
 * target's output of each run (*.log).
 */
#ifndef ASSAY_EXPERIMENT_CASE_RUN_H
#define ASSAY_EXPERIMENT_CASE_RUN_H

#include <stdatomic.h>

#include "analyze/case.h"
#include "experiment/case_file.h"
#include "experiment/vars.h"

/* What is being done, for a line of progress. Text is borrowed for the call. */
struct case_progress {
	const char *step;     /* "slow, run 1 of 2: warm-up" */
	unsigned done, total; /* runs */
	double share;	      /* of the present step, 0..1 */
	const char *detail;   /* "161/s asked, 137/s done, p99 812 ms", or "" */
};

struct case_run_opts {
	const char *out_dir;	     /* created when absent; must hold no other case's runs */
	const char *command_line;    /* for the record */
	const struct case_pair *set; /* given names and values, they win over a variant's */
	size_t n_set;
	atomic_int *stop; /* 0 = go on; 1 = finish the present run early; 2 = at once */
	void (*progress)(void *arg, const struct case_progress *p); /* at most 4 a second */
	void (*note)(void *arg, const char *text); /* a line worth keeping: a warning, a result */
	/* Renders the folder's page from a finding; experiment/ does not know report/. */
	int (*render)(void *arg, const char *dir, const struct case_finding *f,
		      struct error *reterr);
	void *arg;
};

/*
 * Runs the case. Returns 0 when every run was made, or a negative errno with what is missing in
 * words; *ret is set whenever there was at least one run, and freed by the caller with
 * case_finding_free().
 */
int case_run(const struct case_file *c, const struct case_run_opts *o, struct case_finding **ret,
	     struct error *reterr);

#endif
