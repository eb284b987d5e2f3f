/*
 * load_log.h - where the lines of a load's log go, and in which form: --log-output, --log-format
 * and --console-output with their variables, as k6 has them.
 */
#ifndef ASSAY_CLI_LOAD_LOG_H
#define ASSAY_CLI_LOAD_LOG_H

#include <stdio.h>

#include "cli/load_flags.h"
#include "load/load.h"

enum load_log_format { LOAD_LOG_TEXT, LOAD_LOG_RAW, LOAD_LOG_JSON };

struct load_log_out {
	FILE *file;    /* NULL = nowhere */
	FILE *console; /* for console.log() and its kin; NULL = with the others */
	enum load_log_format format;
	enum load_log_level lowest;
	bool live;	   /* a terminal that is watched */
	uint64_t start_ns; /* what its lines count from */
};

#define LOAD_LOG_OUT_INIT                                                                          \
	{                                                                                          \
		.file = NULL                                                                       \
	}

/* Opens files; -EINVAL for a place or form that is not known, or that assay has not. */
int load_log_open(const struct load_flags *f, struct load_log_out *ret, struct error *reterr);
void load_log_close(struct load_log_out *o);

/* For struct load_opts; arg is a struct load_log_out. */
void load_log_line(void *arg, const struct load_log_line *line);

#endif
