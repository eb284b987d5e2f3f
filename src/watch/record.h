/*
 * record.h - values into a sink: the run file of a watch. Gauges are series of levels; rates are
 * counters that only grow, with what the source says is their total or else what came since the
 * watch began; a quantile is a series of its own with the label quantile=0.99, and how many values
 * it is of the counter NAME.count. The labels of the runtime's series name their meter. Intervals
 * that are missing become spans of the kind "gap", notes become losses.
 */
#ifndef ASSAY_WATCH_RECORD_H
#define ASSAY_WATCH_RECORD_H

#include "model/sink.h"
#include "watch/value.h"

/* The sink is borrowed until close(), which leaves it open. interval_s: what was asked for. */
struct watch_out *watch_record_new(struct sink *sink, double interval_s);

#endif
