/*
 * phase.h - script code on the calling thread: the init code that options are read from, setup(),
 * teardown() and handleSummary(). Each has a virtual user of its own and a limit in time. What goes
 * wrong is told in the log and, except of handleSummary(), in the result.
 */
#ifndef ASSAY_LOAD_PHASE_H
#define ASSAY_LOAD_PHASE_H

#include "load/control.h"

/* The result's exit code and reason; the first call counts. */
void load_phase_fail(struct load_control *c, enum load_exit code, const char *reason);

/* A VU that has run the init code; NULL when that failed. */
struct load_vu *load_phase_init(struct load_control *c);

/* Runs code of ours on the VU's fiber. what names it when it fails. */
bool load_phase_do(struct load_control *c, struct load_vu *vu, load_vu_action_fn *action, void *arg,
		   const char *what);

/* Its result goes into run->setup_data. False when the load is not to begin. */
bool load_phase_setup(struct load_control *c);

void load_phase_teardown(struct load_control *c);

/* What it returns goes into the result's files. */
void load_phase_summary(struct load_control *c);

#endif
