/*
 * sample.h - how samples are made: into the worker's figures of the present second and, when the
 * run has an output, to that. What happens in the warm-up is dropped here.
 */
#ifndef ASSAY_LOAD_SAMPLE_H
#define ASSAY_LOAD_SAMPLE_H

#include "load/agg.h"
#include "load/worker.h"

/* Of the run as a whole (vus, dropped_iterations). */
void load_worker_sample(struct load_worker *w, enum load_builtin metric,
			const struct load_tags *tags, uint64_t t_ns, double value);

/* Of a VU. */
void load_vu_sample_at(struct load_vu *vu, const struct load_metric *m,
		       const struct load_tags *tags, uint64_t t_ns, double value);

static inline void load_vu_sample(struct load_vu *vu, enum load_builtin metric,
				  const struct load_tags *tags, double value)
{
	load_vu_sample_at(vu, vu->run->builtin[metric], tags, net_loop_now_ns(), value);
}

static inline const struct load_tags *load_vu_tags_with(struct load_vu *vu,
							const struct load_tags *tags,
							struct str key, struct str value)
{
	return load_tags_with(vu->worker->tags, tags, key, value);
}

/* Adds the properties of a script's object of tags to *tags. 0, or -1 with an exception: values are
 * text, numbers and booleans. null and undefined add nothing. */
int load_vu_tags_from(struct load_vu *vu, JSValueConst obj, const struct load_tags **tags);

/* data_sent and data_received since the last time. */
void load_vu_sample_data(struct load_vu *vu, uint64_t now_ns);

static inline bool load_system_tag(const struct load_vu *vu, enum load_system_tag tag)
{
	return vu->run->plan && (vu->run->plan->system_tags & tag);
}

/* The tags of a scenario's samples, outside of groups. */
const struct load_tags *load_worker_scenario_tags(struct load_worker *w,
						  const struct load_scenario *s);

#endif
