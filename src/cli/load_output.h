/*
 * load_output.h - the outputs of `--out`: makes them of what the user wrote and wires the load
 * engine's samples to them, which do not know each other.
 */
#ifndef ASSAY_CLI_LOAD_OUTPUT_H
#define ASSAY_CLI_LOAD_OUTPUT_H

#include "cli/load_flags.h"
#include "export/hub.h"
#include "load/load.h"

struct load_outputs {
	struct export_output **ptr; /* a vector; none = no --out */
	size_t len, cap;

	struct export_hub *hub;
	struct export_run run;
	struct load_metrics *metrics;
	const struct load_plan *plan;
	VEC(const char *) system_tags;
};

/* From the flags, or else the environment's K6_OUT. -EINVAL or -ENOTSUP names what is wrong. */
int load_outputs_read(const struct load_flags *f, struct load_outputs *ret, struct error *reterr);
void load_outputs_release(struct load_outputs *o);

/* The argument is a struct load_outputs that has some. */
extern const struct load_output_ops load_outputs_ops;

#endif
