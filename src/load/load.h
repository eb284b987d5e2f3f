/*
 * load.h - runs a k6 script as load and says what came of it. load_run() does the whole: reads the
 * script, makes the virtual users, setup(), the scenarios, teardown(), handleSummary(). It blocks
 * until all is over, starts threads of its own, prints nothing and touches no signal; progress,
 * messages and samples go through the callbacks below.
 *
 * The shape: each worker thread has an event loop, a part of every scenario's VUs and arrivals, and
 * figures of its own; nothing is shared while a request runs. Once a second the workers hand their
 * figures to the calling thread, which adds them up, evaluates thresholds every two seconds and
 * writes the run file's records.
 */
#ifndef ASSAY_LOAD_LOAD_H
#define ASSAY_LOAD_LOAD_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/pairs.h"
#include "base/strbuf.h"
#include "load/options.h"
#include "load/summary.h"
#include "model/sink.h"

/* k6's exit codes of a run. */
enum load_exit {
	LOAD_EXIT_OK = 0,
	LOAD_EXIT_THRESHOLDS = 99,
	LOAD_EXIT_SETUP_TIMEOUT = 100,
	LOAD_EXIT_TEARDOWN_TIMEOUT = 101,
	LOAD_EXIT_TIMEOUT = 102, /* the init code */
	LOAD_EXIT_CONFIG = 104,
	LOAD_EXIT_SIGNAL = 105,
	LOAD_EXIT_SCRIPT = 107,
	LOAD_EXIT_ABORTED = 108,
	LOAD_EXIT_FAILED = 110,
};

enum load_log_level { LOAD_LOG_DEBUG, LOAD_LOG_INFO, LOAD_LOG_WARN, LOAD_LOG_ERROR };

enum load_log_source {
	LOAD_LOG_ENGINE,
	LOAD_LOG_CONSOLE,    /* console.log() and its kin */
	LOAD_LOG_HTTP_DEBUG, /* the option httpDebug: several lines */
};

struct load_log_line {
	enum load_log_level level;
	enum load_log_source source;
	const char *text; /* without a newline at its end */
};

/* What load_opts.stop says. */
enum load_stop {
	LOAD_STOP_NONE,
	LOAD_STOP_GRACEFUL, /* end init code and setup() at once, iterations as at a scenario's
			     * end, then teardown and summary */
	LOAD_STOP_NOW,	    /* end at once; there still is a result */
};

struct load_progress {
	const char *phase;		 /* "init", "setup", "warmup", "load", "teardown" */
	uint64_t elapsed_ns, planned_ns; /* of the phases warmup and load; 0 = not known */
	uint64_t iterations, interrupted, dropped, requests;
	unsigned vus_active, vus;
};

/* One sample, as an output gets it. Pointers live until load_output_ops.end(). */
struct load_sample {
	const struct load_metric *metric;
	const struct load_tags *tags;
	uint64_t t_ns;
	double value;
	unsigned vu;
	uint64_t iteration;
	struct pairs *metadata; /* that the script has set; hold them to keep them */
};

/* What an output may want to know of the run. */
struct load_output_run {
	struct load_metrics *metrics;
	const struct load_plan *plan;
	int64_t wall_anchor_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
};

/*
 * Something that takes every sample. Each thread has a writer of its own; nothing here may wait for
 * the world outside.
 */
struct load_output_ops {
	/* Before the first sample, after the script's init code. */
	int (*begin)(void *arg, const struct load_output_run *run, struct error *reterr);
	void *(*writer_new)(void *arg);
	void (*add)(void *writer, const struct load_sample *s);
	void (*flush)(void *writer); /* about once a second */
	void (*writer_free)(void *writer);
	/* After the last sample. Called if begin() was and succeeded; says what each output lost.
	 */
	void (*end)(void *arg, struct load_summary_outputs *ret);
};

/* What to send when there is no script. */
struct load_target {
	const char *method, *url;
	const struct load_pair *headers;
	size_t n_headers;
	struct str body;
	uint64_t timeout_ns;	 /* 0 = 60 s */
	struct str options_json; /* what a script would export as options; an object */
};

struct load_opts {
	const struct load_target *target; /* in place of a script; path then only names it */
	const char *path;		  /* of the script */
	struct str source;		  /* its text; ptr NULL = read the file */
	const char *module_dir; /* copies of modules from the network: HOST/PATH; NULL = none */
	const struct load_pair *env; /* of the script, kept with the run */
	size_t n_env;
	const struct load_pair *system_env; /* below env; not kept: it may hold secrets */
	size_t n_system_env;
	const struct load_options *config;    /* below the script's; borrowed; NULL = none */
	const struct load_options *flags;     /* borrowed; NULL = none */
	const struct net_proxies *proxies;    /* borrowed; NULL = none */
	const struct load_hold *hold;	      /* in place of the scenarios' load; NULL = none */
	unsigned threads;		      /* 0 = as many as seem right */
	struct sink *sink;		      /* the run file's; NULL = none */
	const struct load_output_ops *output; /* NULL = none */
	void *output_arg;
	bool stdout_is_tty, stderr_is_tty, no_colour; /* for handleSummary() */

	/* From any thread, one call at a time. */
	void (*log)(void *arg, const struct load_log_line *line);
	/* From the calling thread, at most four times a second. */
	void (*progress)(void *arg, const struct load_progress *p);
	void *arg;
	atomic_int *stop; /* enum load_stop, set by a signal handler or another thread; NULL = none
			   */
};

/* What handleSummary() wants written; "stdout" and "stderr" are the streams. */
struct load_file {
	char *path;
	struct strbuf content;
};

/* Figures of one trend, ms. */
struct load_trend {
	uint64_t count;
	double p50, p95, p99, max;
};

struct load_result {
	int exit_code;	  /* enum load_exit */
	char *reason;	  /* why it is not 0; NULL when it is */
	bool has_summary; /* the load began: all below is set */

	uint64_t start_ns, end_ns; /* of the measured load */
	uint64_t iterations, interrupted, dropped;
	uint64_t requests, requests_failed, checks_failed;
	struct load_trend duration, corrected;
	bool generator_valid;
	char *generator_verdict; /* "valid", or why not */

	char *tag_at_fault; /* the tag with the most values when series were refused; or NULL */
	struct load_summary_outputs outputs;

	VEC(struct load_file) files;  /* what handleSummary() returned; empty = none */
	struct load_summary *summary; /* for load_summary_fmt() and its kin */

	/* what the summary points into */
	struct load_plan *plan;
	struct load_metrics *metrics;
	struct load_agg *agg;
	struct load_thresholds *thresholds;
	struct load_summary_scenario *scenarios;
	struct strbuf setup_data;
};

/*
 * Runs the load. 0 whenever there is a result, also when the run failed: its exit code then tells.
 * A negative errno only when nothing could begin (no script, no memory, no descriptors).
 */
int load_run(const struct load_opts *opts, struct load_result **ret, struct error *reterr);

void load_result_free(struct load_result *r); /* NULL in, nothing done */
DEFINE_CLEANUP(load_result, struct load_result *, load_result_free)

#endif
