/*
 * plan.h - what a run is to do: the scenarios and test-wide options, consolidated from k6's tiers
 * (defaults, the script's `options`, flags) and checked whole. Plain data that owns its memory and
 * does not change once made; every thread may read it.
 */
#ifndef ASSAY_LOAD_PLAN_H
#define ASSAY_LOAD_PLAN_H

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "load/network.h"
#include "load/segment.h"

/* Limits of a plan. */
#define LOAD_VUS_MAX	   100000
#define LOAD_SCENARIOS_MAX 256
#define LOAD_STAGES_MAX	   10000
/* Ten years; the sum of a few fits 64 bits. */
#define LOAD_DURATION_MAX_NS (3650 * 86400 * NS_PER_S)

enum load_executor {
	LOAD_CONSTANT_VUS,
	LOAD_RAMPING_VUS,
	LOAD_SHARED_ITERATIONS,
	LOAD_PER_VU_ITERATIONS,
	LOAD_CONSTANT_ARRIVAL_RATE,
	LOAD_RAMPING_ARRIVAL_RATE,
};

struct load_stage {
	uint64_t duration_ns; /* 0 = jump */
	uint32_t target;      /* VUs, or arrivals per time unit */
};

struct load_stages { /* a vector of base/vec.h, as are the others below */
	struct load_stage *ptr;
	size_t len, cap;
};

/* A name and a text: a tag, a variable of the environment. */
struct load_pair {
	char *key, *value;
};

struct load_pairs {
	struct load_pair *ptr;
	size_t len, cap;
};

struct load_texts {
	char **ptr;
	size_t len, cap;
};

struct load_scenario {
	char *name;
	enum load_executor executor;
	char *exec; /* the exported function: "default" */
	uint64_t start_time_ns;
	uint64_t graceful_stop_ns;
	struct load_pairs env;
	struct load_pairs tags;

	/* what the executor takes; the rest is zero */
	uint32_t vus;			/* constant-vus, the iterations; startVUs of ramping-vus */
	uint64_t iterations;		/* in all (shared), or of each VU */
	uint64_t duration_ns;		/* constant-vus, constant-arrival-rate */
	uint64_t max_duration_ns;	/* the iterations */
	uint64_t graceful_ramp_down_ns; /* ramping-vus */
	struct load_stages stages;
	uint32_t rate; /* per time unit; startRate of ramping-arrival-rate */
	uint64_t time_unit_ns;
	uint32_t pre_allocated_vus, max_vus; /* the arrival rates */
	const struct load_segment *segment;  /* the plan's: what of all this is ours; NULL = all */
};

/* One expression of `thresholds`, as text: threshold.h reads it. */
struct load_plan_threshold {
	char *metric;	  /* "http_req_duration{scenario:buy}" */
	char *expression; /* "p(95)<500" */
	bool abort_on_fail;
	uint64_t delay_abort_eval_ns;
};

enum load_time_unit { LOAD_UNIT_AUTO, LOAD_UNIT_S, LOAD_UNIT_MS, LOAD_UNIT_US };

/* Tags assay and k6 set by themselves on samples; load_plan.system_tags is a set of them. */
enum load_system_tag {
	LOAD_TAG_PROTO = 1 << 0,
	LOAD_TAG_SUBPROTO = 1 << 1,
	LOAD_TAG_STATUS = 1 << 2,
	LOAD_TAG_METHOD = 1 << 3,
	LOAD_TAG_URL = 1 << 4,
	LOAD_TAG_NAME = 1 << 5,
	LOAD_TAG_GROUP = 1 << 6,
	LOAD_TAG_CHECK = 1 << 7,
	LOAD_TAG_ERROR = 1 << 8,
	LOAD_TAG_ERROR_CODE = 1 << 9,
	LOAD_TAG_TLS_VERSION = 1 << 10,
	LOAD_TAG_SCENARIO = 1 << 11,
	LOAD_TAG_SERVICE = 1 << 12,
	LOAD_TAG_EXPECTED_RESPONSE = 1 << 13,
	/* not on by default; vu and iter go into the metadata */
	LOAD_TAG_ITER = 1 << 14,
	LOAD_TAG_VU = 1 << 15,
	LOAD_TAG_IP = 1 << 16,
	LOAD_TAG_OCSP_STATUS = 1 << 17,
};
#define LOAD_TAGS_DEFAULT (LOAD_TAG_ITER - 1)

/* The summary's text: k6's present form, without or with the phases of requests and a block for
 * each group and scenario; and the form k6 had until 0.57. */
enum load_summary_mode { LOAD_SUMMARY_COMPACT, LOAD_SUMMARY_FULL, LOAD_SUMMARY_LEGACY };

/* What is logged of every request and answer. */
enum load_http_debug { LOAD_HTTP_DEBUG_NONE, LOAD_HTTP_DEBUG_HEADERS, LOAD_HTTP_DEBUG_FULL };

struct load_plan {
	VEC(struct load_scenario) scenarios; /* at least one; in the order of their names */
	VEC(struct load_plan_threshold) thresholds;
	struct load_pairs tags; /* of the run: on every sample */

	struct load_texts summary_trend_stats; /* "avg", "min", "med", "max", "p(90)", "p(95)" */
	enum load_time_unit summary_time_unit;
	enum load_summary_mode summary_mode;
	uint32_t system_tags;

	char *user_agent; /* never NULL */
	uint32_t max_redirects;
	uint32_t batch, batch_per_host;
	bool throw_errors;
	bool insecure_skip_tls_verify;
	bool discard_response_bodies;
	bool no_connection_reuse;    /* a new connection for every request */
	bool no_vu_connection_reuse; /* none survives the iteration */
	bool no_cookies_reset;
	uint64_t min_iteration_duration_ns;
	struct load_network network;

	bool no_setup, no_teardown;
	uint64_t setup_timeout_ns, teardown_timeout_ns, handle_summary_timeout_ns;
	bool no_thresholds, no_summary;

	char *execution_segment, *execution_segment_sequence; /* NULL = the whole */
	struct load_segment segment;
	enum load_http_debug http_debug;
	uint32_t rps; /* requests per second of the whole run; 0 = no limit */

	/* assay's own */
	uint64_t warmup_ns;  /* sent before the load, not counted */
	bool queue_arrivals; /* one that finds no free VU waits for it; it is not dropped */
	bool h2_only;	     /* HTTP/2, without TLS by prior knowledge; no fallback */
	bool http1_only;     /* HTTP/2 is not offered */
	bool tls_resumption; /* a VU's later handshakes continue its earlier sessions */
	bool precise;	     /* spin for a millisecond before each arrival */
	bool auto_vus;	     /* arrival rates may have VUs up to LOAD_AUTO_VUS_MAX */
};

/* At the 100 KB of a VU of a small script: 1 GB. */
#define LOAD_AUTO_VUS_MAX 10000u

struct load_options; /* options.h: one tier */

/*
 * The plan from the script's options and the flags; either may be NULL. Warnings (an option that
 * does not matter here, an unknown one) are appended to warnings, one line each, when it is not
 * NULL. On failure -EINVAL with a message that names the option: the run's exit code is then
 * LOAD_EXIT_CONFIG.
 */
int load_plan_new(const struct load_options *script, const struct load_options *flags,
		  struct strbuf *warnings, struct load_plan **ret, struct error *reterr);
void load_plan_free(struct load_plan *p);
DEFINE_CLEANUP(load_plan, struct load_plan *, load_plan_free)

/* A load that does not change: so many arrivals a second, or so many users. */
struct load_hold {
	double rate;  /* of all scenarios together */
	uint32_t vus; /* 0 = the rate */
	uint64_t duration_ns;
};

/*
 * Puts it in place of what the scenarios do over time: what they run, their names, tags and
 * environment stay. Several must have arrival rates, whose proportions stay. -EINVAL when that is
 * not so, or when there is no threshold that could tell whether the load holds.
 */
int load_plan_hold(struct load_plan *p, const struct load_hold *h, struct error *reterr);

const char *load_executor_name(enum load_executor e); /* "constant-vus" */
bool load_executor_is_open(enum load_executor e);     /* an arrival rate */
const char *load_system_tag_name(enum load_system_tag t);

/* The first scenario of that name, or NULL. */
const struct load_scenario *load_plan_scenario(const struct load_plan *p, struct str name);

/* When the last scenario plans to end, without and with graceful stop, from the start of the load
 * (the warm-up not included). And the most VUs needed at once. */
uint64_t load_plan_length_ns(const struct load_plan *p);
uint64_t load_plan_limit_ns(const struct load_plan *p);
uint32_t load_plan_vus_max(const struct load_plan *p);

/* The consolidated options as k6/execution's test.options shows them: one JSON object. */
void load_plan_fmt_json(const struct load_plan *p, struct strbuf *out);

/* "scenario: 10.00 iterations/s for 1m0s (maxVUs: 200, gracefulStop: 30s)": one line, no newline.
 */
void load_scenario_fmt(const struct load_scenario *s, struct strbuf *out);

#endif
