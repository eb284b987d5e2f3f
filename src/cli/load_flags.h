/*
 * load_flags.h - the flags of `assay load`, and what they and the environment mean: options for the
 * engine, variables for the script.
 */
#ifndef ASSAY_CLI_LOAD_FLAGS_H
#define ASSAY_CLI_LOAD_FLAGS_H

#include "cli/load_url.h"
#include "load/options.h"

struct load_flags {
	const char *vus, *duration, *iterations, *warmup, *user_agent, *max_redirects;
	const char *summary_trend_stats, *summary_time_unit, *system_tags, *min_iteration_duration;
	const char *summary_export, *run_file, *json;
	const char *dns, *local_ips, *unix_socket, *rps, *segment, *segments, *batch,
		*batch_per_host, *config;
	const char *summary_mode, *ignored;
	const char *log_output, *log_format, *console_output,
		*http_debug;	   /* http_debug: "" = headers */
	struct load_url_flags url; /* without a script */
	struct opt_list stages, tags, env, outputs, blacklist_ips, block_hostnames;
	const char *find_limit; /* "" = without a range; NULL = not given */
	double resolution;	/* percent; 0 = not given */
	uint64_t probe_ns;	/* 0 = not given */
	uint64_t threads;
	bool quiet, no_setup, no_teardown, no_thresholds, no_summary, no_connection_reuse,
		no_vu_connection_reuse, queue, auto_vus, precise, h2, http1, tls_resumption, strict,
		system_env, insecure, discard_bodies, throw_errors, verbose, no_colour, no_report,
		linger;
};

/* Options by tier; config is NULL when there is no config file. */
struct load_tiers {
	struct load_options *config; /* below the script's */
	struct load_options *flags;  /* above: the environment with the flags over it */
};

/* 0, or -EINVAL naming the flag or the variable. */
int load_flags_read(const struct load_flags *f, struct load_tiers *ret, struct error *reterr);
void load_tiers_release(struct load_tiers *t);

/* A flag that is not an option in k6, but has a variable too; NULL when neither is given. */
const char *load_flags_or_variable(const char *flag, const char *variable);

/* __ENV: what -e says, and below it our own environment unless that is switched off. */
struct load_env {
	VEC(struct load_pair) list;
	VEC(struct load_pair) system;
};

#define LOAD_ENV_INIT                                                                              \
	{                                                                                          \
		.list = VEC_INIT, .system = VEC_INIT                                               \
	}

int load_env_read(const struct load_flags *f, struct load_env *ret, struct error *reterr);
void load_env_release(struct load_env *e);

#endif
