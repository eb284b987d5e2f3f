/*
 * target_counters.h - what a target counts itself, once a second into the run's sink, by a thread
 * of its own: the metrics page that the case file names, and the .NET runtime in it. What cannot be
 * read is a loss.
 */
#ifndef ASSAY_EXPERIMENT_TARGET_COUNTERS_H
#define ASSAY_EXPERIMENT_TARGET_COUNTERS_H

#include "experiment/case_file.h"
#include "model/sink.h"
#include "target/target.h"

struct target_counters;

/* NULL when the target offers nothing. url: where it answers. All is borrowed until the end. */
struct target_counters *target_counters_start(struct target *t, const struct case_target *wanted,
					      const char *url, struct sink *sink);

/* From now on requests count for the p99. */
void target_counters_begin(struct target_counters *c);

/*
 * Joins the thread and frees c. Returns the server's own p99 in ms, put together from the runtime's
 * quantiles of each second and route (no better than those are); NAN when it told none.
 */
double target_counters_stop(struct target_counters *c);

#endif
