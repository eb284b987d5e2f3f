/*
 * threshold.h - k6's thresholds: what a metric must satisfy for the run to pass.
 *
 *	expression = aggregate op number
 *	aggregate  = "count" | "rate" (counter), "value" (gauge), "rate" (rate),
 *	             "avg" | "min" | "max" | "med" | "p(" number ")" (trend)
 *	op         = "<" | "<=" | ">" | ">=" | "==" | "===" | "!="
 *
 * Blanks may stand between the parts. The key is a metric or "metric{tag:value,…}". A threshold of
 * a metric without samples holds. All of a run's thresholds are evaluated every two seconds and at
 * the end; one with abort_on_fail that fails, delay_abort_eval_ns after the start or later, asks
 * for the end of the run.
 */
#ifndef ASSAY_LOAD_THRESHOLD_H
#define ASSAY_LOAD_THRESHOLD_H

#include "load/agg.h"
#include "load/plan.h"

#define LOAD_THRESHOLD_EVERY_NS (2 * NS_PER_S)

enum load_op { LOAD_LT, LOAD_LE, LOAD_GT, LOAD_GE, LOAD_EQ, LOAD_NE };

/* An expression, read. */
struct load_expr {
	char aggregate[16]; /* "count", "p(99.9)" */
	bool percentile;
	double q; /* of a percentile: 0.999 */
	enum load_op op;
	double limit;
};

/* -EINVAL, with what was expected and where. */
int load_expr_parse(struct str text, struct load_expr *ret, struct error *reterr);

/* -EINVAL when a metric of that type has no such aggregate, with those it has. */
int load_expr_check(const struct load_expr *e, enum load_metric_type type, struct error *reterr);

/* Does the value satisfy it? */
bool load_expr_holds(const struct load_expr *e, double value);

struct load_threshold {
	const struct load_metric *metric;
	const struct load_submetric *submetric; /* NULL = the metric itself */
	const char *key;			/* the metric as the script names it; borrowed */
	const char *source;			/* the expression as written; borrowed */
	struct load_expr expr;
	bool abort_on_fail;
	uint64_t delay_abort_eval_ns;

	/* of the last evaluation */
	bool ok;    /* true before the first */
	bool empty; /* the metric had no samples */
	double value;
};

struct load_thresholds {
	VEC(struct load_threshold) list; /* in the order of the options */
	const struct load_plan *plan;	 /* borrowed */
};

/*
 * Reads the plan's thresholds after the script's init code has made its metrics, and adds the
 * submetrics they name to the registry. None when plan->no_thresholds. -ENOENT for an unknown
 * metric, -EINVAL: configuration errors both. The plan must live longer.
 */
int load_thresholds_new(const struct load_plan *plan, struct load_metrics *metrics,
			struct load_thresholds **ret, struct error *reterr);
void load_thresholds_free(struct load_thresholds *t);
DEFINE_CLEANUP(load_thresholds, struct load_thresholds *, load_thresholds_free)

/*
 * Evaluates all against the figures so far. elapsed_ns is the time since the start of the load (for
 * the rates of counters, and for delay_abort_eval_ns). Returns true when one of those that fail
 * asks for the end of the run.
 */
bool load_thresholds_eval(struct load_thresholds *t, const struct load_agg *agg,
			  uint64_t elapsed_ns);

/* The number that failed at the last evaluation. */
size_t load_thresholds_failed(const struct load_thresholds *t);

/* "thresholds on metrics 'a, b' have been crossed", appended when any has failed. */
void load_thresholds_fmt_failed(const struct load_thresholds *t, struct strbuf *out);

/* Is there one on the metric, or on one of its submetrics? */
bool load_thresholds_on(const struct load_thresholds *t, const struct load_metric *m);

#endif
