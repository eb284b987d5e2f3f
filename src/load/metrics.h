/*
 * metrics.h - the metrics a run knows: k6's built-in ones, assay's own two, and those a script
 * makes in its init context; and the submetrics, which are the samples of a metric whose tags
 * match ("http_req_duration{scenario:buy}"). Names, types and units are k6's.
 *
 * Every VU runs the init context, so the same metric is registered many times, from many threads:
 * registration takes a lock and gives the same object for the same definition. Objects never move
 * or change and live as long as the registry. Submetrics are added before the load starts, by one
 * thread, while no aggregate (agg.h) exists.
 */
#ifndef ASSAY_LOAD_METRICS_H
#define ASSAY_LOAD_METRICS_H

#include "base/error.h"
#include "load/tags.h"

enum load_metric_type { LOAD_COUNTER, LOAD_GAUGE, LOAD_RATE, LOAD_TREND };

/* What the values are: "default", "time" (ms), "data" (bytes). */
enum load_contains { LOAD_DEFAULT, LOAD_TIME, LOAD_DATA };

/* Ids of the built-in metrics; those of a script follow. */
enum load_builtin {
	LOAD_M_VUS,
	LOAD_M_VUS_MAX,
	LOAD_M_ITERATIONS,
	LOAD_M_ITERATION_DURATION,
	LOAD_M_DROPPED_ITERATIONS,
	LOAD_M_CHECKS,
	LOAD_M_GROUP_DURATION,
	LOAD_M_HTTP_REQS,
	LOAD_M_HTTP_REQ_FAILED,
	LOAD_M_HTTP_REQ_DURATION,
	LOAD_M_HTTP_REQ_BLOCKED,
	LOAD_M_HTTP_REQ_CONNECTING,
	LOAD_M_HTTP_REQ_TLS_HANDSHAKING,
	LOAD_M_HTTP_REQ_SENDING,
	LOAD_M_HTTP_REQ_WAITING,
	LOAD_M_HTTP_REQ_RECEIVING,
	LOAD_M_WS_SESSIONS,
	LOAD_M_WS_CONNECTING,
	LOAD_M_WS_SESSION_DURATION,
	LOAD_M_WS_MSGS_SENT,
	LOAD_M_WS_MSGS_RECEIVED,
	LOAD_M_WS_PING,
	LOAD_M_DATA_SENT,
	LOAD_M_DATA_RECEIVED,
	/* assay's: duration counted from the intended start; start minus intended start */
	LOAD_M_HTTP_REQ_DURATION_CORRECTED,
	LOAD_M_ITERATION_START_LAG,
	LOAD_M_BUILTINS,
};

/* Distinct metrics of a script: more are a script that makes names at run time. */
#define LOAD_METRICS_MAX 4096
/* Submetrics of one metric: a set of them is a 64-bit mask, with a bit to spare. */
#define LOAD_SUBMETRICS_MAX 63

struct load_metric {
	uint32_t id;
	const char *name;
	enum load_metric_type type;
	enum load_contains contains;
	bool custom; /* made by the script */
	bool own;    /* assay's: left out of k6's outputs unless a threshold names it */
};

struct load_submetric {
	uint32_t id;  /* 0, 1, … over all metrics */
	uint32_t bit; /* 0, 1, … within its metric */
	const struct load_metric *metric;
	const char *name;   /* as the script wrote it: "hits{zone:north, level:1}" */
	const char *suffix; /* what stands between the braces */
	struct load_tag *tags;
	size_t tag_count;
};

struct load_metrics;

struct load_metrics *load_metrics_new(void); /* with the built-in ones */

/* From now on aggregates also keep the figures of each scenario and group (agg.h). */
void load_metrics_split(struct load_metrics *r);
bool load_metrics_are_split(const struct load_metrics *r);
void load_metrics_free(struct load_metrics *r);
DEFINE_CLEANUP(load_metrics, struct load_metrics *, load_metrics_free)

/*
 * A metric of a script. -EINVAL when the name is not one k6 takes (a letter or '_', then letters,
 * digits and '_', 2 to 128 in all) or is in use with another type or content; -E2BIG. Any thread.
 */
int load_metrics_register(struct load_metrics *r, const struct load_metric *def,
			  const struct load_metric **ret, struct error *reterr);

/* Any thread. NULL when there is none; _lookup() says so: -ENOENT with the nearest name. */
const struct load_metric *load_metrics_find(struct load_metrics *r, struct str name);
int load_metrics_lookup(struct load_metrics *r, struct str name, const struct load_metric **ret,
			struct error *reterr);
const struct load_metric *load_metrics_get(struct load_metrics *r, uint32_t id);
uint32_t load_metrics_count(struct load_metrics *r);

static inline const struct load_metric *load_metrics_builtin(struct load_metrics *r,
							     enum load_builtin id)
{
	return load_metrics_get(r, id);
}

/*
 * The submetric a threshold's key names; the same one for the same metric and tags. key is
 * "metric{tag:value, tag2:value2}"; blanks around tags and values and one pair of quotes around
 * either are dropped, as k6 does. -ENOENT when there is no such metric (with the nearest name),
 * -EINVAL when the key is malformed, -E2BIG.
 */
int load_metrics_add_submetric(struct load_metrics *r, struct str key,
			       const struct load_submetric **ret, struct error *reterr);

uint32_t load_metrics_submetric_count(const struct load_metrics *r);
const struct load_submetric *load_metrics_submetric(const struct load_metrics *r, uint32_t id);

/* The submetrics of one metric, by their bit; and those whose every tag is in the set, as a mask.
 */
uint32_t load_metrics_submetrics_of(const struct load_metric *m);
const struct load_submetric *load_metrics_submetric_of(const struct load_metric *m, uint32_t bit);
uint64_t load_metrics_match(const struct load_metric *m, const struct load_tags *tags);

const char *load_metric_type_name(enum load_metric_type t); /* "counter", … */
const char *load_contains_name(enum load_contains c);	    /* "default", "time", "data" */

#endif
