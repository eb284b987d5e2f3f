/*
 * otlp.h - OTLP's ExportMetricsServiceRequest of a table of series, in protocol buffers or as JSON
 * by its mapping. Counters and rates are cumulative monotonic sums, trends histograms with
 * OpenTelemetry's default bounds; a rate is a counter with an attribute "condition" of "zero" or
 * "nonzero".
 *
 * What is to be written is walked once, here, for both forms: a metric, its data points one by one,
 * the next metric.
 */
#ifndef ASSAY_EXPORT_OTLP_H
#define ASSAY_EXPORT_OTLP_H

#include "export/series.h"

#define EXPORT_OTLP_BOUNDS 15
extern const double export_otlp_bounds[EXPORT_OTLP_BOUNDS];

struct export_otlp {
	const char *service, *version, *prefix;
	bool two_counters; /* of a rate: NAME.occurred and NAME.total, as k6 had before 1.4 */
	int64_t start_ns, now_ns; /* since 1970 */
};

void export_otlp_proto(const struct export_otlp *o, const struct export_table *t,
		       struct strbuf *out);
void export_otlp_json(const struct export_otlp *o, const struct export_table *t,
		      struct strbuf *out);

/* --- between the two forms -------------------------------------------------------------------- */

enum export_otlp_kind { EXPORT_OTLP_SUM, EXPORT_OTLP_GAUGE, EXPORT_OTLP_HISTOGRAM };

struct export_otlp_metric {
	const char *name; /* whole */
	const char *unit; /* "ms", "By" or "" */
	enum export_otlp_kind kind;
};

struct export_otlp_point {
	const struct export_series *series;
	const char *condition; /* an attribute of rates; NULL = none */
	bool whole;	       /* number is count, else value */
	uint64_t count;
	double value;
};

struct export_otlp_writer {
	void (*metric_begin)(void *arg, const struct export_otlp_metric *m);
	void (*point)(void *arg, const struct export_otlp_point *p);
	void (*metric_end)(void *arg, const struct export_otlp_metric *m);
	void *arg;
};

void export_otlp_walk(const struct export_otlp *o, const struct export_table *t,
		      const struct export_otlp_writer *w);

#endif
