/*
 * summary.h - what a run says at its end: the text on standard output in k6's names, blocks and
 * units with a block of assay's own below; the object handleSummary() gets; and the file of
 * --summary-export. All three are appended to a buffer; nothing is printed here.
 *
 * k6's text and both JSON forms hold k6's metrics only: http_req_duration_corrected and
 * iteration_start_lag appear there when a threshold names them, else in assay's block.
 */
#ifndef ASSAY_LOAD_SUMMARY_H
#define ASSAY_LOAD_SUMMARY_H

#include "load/threshold.h"

/* Why an iteration that was due never began. */
enum load_drop {
	LOAD_DROP_VU_LIMIT,  /* all VUs were busy, and the scenario may have no more (maxVUs) */
	LOAD_DROP_NO_VU_YET, /* all were busy, and one more was still being made */
	LOAD_DROP_LATE,	     /* the generator itself came late with it, and found none free */
	LOAD_DROP_TIME_UP,   /* maxDuration was over */
	LOAD_DROP_COUNT,
};

/* What the engine counted of a scenario. */
struct load_summary_scenario {
	const struct load_scenario *scenario;
	uint64_t iterations; /* complete */
	uint64_t interrupted;
	uint64_t dropped; /* the sum of: */
	uint64_t drops[LOAD_DROP_COUNT];
	double iteration_mean_ms; /* of the complete ones; 0 when none */
};

/* Whether the generator itself was fit. */
struct load_summary_generator {
	const char *verdict; /* "valid", or why not; NULL = not known */
	bool valid;
	double cpu_share;	   /* of the busiest worker thread, 0..1; negative = not known */
	double send_lag_p99_ms;	   /* negative = not known */
	double steal_share;	   /* of the machine's CPU, 0..1; negative = not known */
	double throttled_share;	   /* of our own quota's periods, 0..1; negative = no quota */
	uint64_t no_fds, no_ports; /* connections that failed for want of them */
	uint64_t listen_overflows; /* of this machine's network namespace */
};

/* What became of the samples at one output. */
struct load_summary_output {
	char *name;    /* as the user wrote it */
	uint64_t lost; /* samples */
	char *why;     /* NULL = all went well; else a sentence's end, also when lost is 0 */
};

struct load_summary_outputs { /* a vector */
	struct load_summary_output *ptr;
	size_t len, cap;
};

struct load_summary {
	const struct load_plan *plan;
	const struct load_agg *agg;
	const struct load_thresholds *thresholds; /* evaluated at the end; may be NULL */
	uint64_t duration_ns;			  /* of the load: what rates are divided by */
	const struct load_summary_scenario *scenarios;
	size_t scenario_count;
	struct load_summary_generator generator;
	uint64_t tags_refused;	  /* tag sets given up because there were too many */
	const char *tag_at_fault; /* the tag with the most values, when there were; or NULL */
	const struct load_summary_outputs *outputs; /* filled when the run is over; NULL = none */

	/* for handleSummary() */
	struct str setup_data; /* JSON text; empty = none */
	bool stdout_is_tty, stderr_is_tty, no_colour;
};

struct load_summary_style {
	bool colour; /* ANSI */
	bool ascii;  /* no marks or letters beyond ASCII */
};

void load_summary_fmt(const struct load_summary *s, struct load_summary_style style,
		      struct strbuf *out);

/* The argument of handleSummary(data). */
void load_summary_fmt_data(const struct load_summary *s, struct strbuf *out);

/* k6's old form of --summary-export: values beside each other, thresholds inverted (true = failed).
 */
void load_summary_fmt_export(const struct load_summary *s, struct strbuf *out);

/* All of it, with the generator's verdict and the counts behind percentiles:
 * docs/formats/load-json.md. */
void load_summary_fmt_result(const struct load_summary *s, int exit_code, struct strbuf *out);

/*
 * VUs that would have sufficed for an open scenario that dropped iterations: rate times mean
 * iteration time (Little's law), rounded up; 0 when no iteration came to its end.
 */
uint64_t load_summary_vus_needed(const struct load_summary_scenario *s);

#endif
