/*
 * load_limit.h - `assay load --find-limit`: the highest rate, or number of users, at which the
 * thresholds hold. experiment/limit.h searches; here are the probes and what is printed of them.
 */
#ifndef ASSAY_CLI_LOAD_LIMIT_H
#define ASSAY_CLI_LOAD_LIMIT_H

#include "cli/load_flags.h"
#include "load/load.h"

/* 0, or -EINVAL naming a flag that does not go with the search. */
int load_limit_check(const struct load_flags *f, struct error *reterr);

/*
 * Runs probes as o says, but for the load, and prints. Returns the exit code: 0 when a level holds,
 * 99 when none does, 3 when the probes do not tell, 105 at a signal, or that of a probe that failed
 * in another way, with *reterr set for all but 0.
 */
int load_limit_run(const struct load_flags *f, const struct load_opts *o, struct error *reterr);

#endif
