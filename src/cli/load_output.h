/*
 * load_output.h - `--out json=FILE`: wires the load engine's samples to the exporter of JSON lines,
 * which do not know each other.
 */
#ifndef ASSAY_CLI_LOAD_OUTPUT_H
#define ASSAY_CLI_LOAD_OUTPUT_H

#include "load/load.h"

struct load_json_output {
	const char *path;
	struct k6json *k6json;
	struct load_metrics *metrics;
	const struct load_plan *plan;
	struct strbuf thresholds; /* scratch of the writer's thread */
};

/* arg is a struct load_json_output with path set. */
extern const struct load_output_ops load_json_output_ops;

#endif
