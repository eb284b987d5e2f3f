/*
 * series.h - numbers over time: what collectors record and analysis reads. Times are ns of
 * CLOCK_MONOTONIC; names follow OpenTelemetry and the kernel ("process.cpu.time",
 * "cgroup.cpu.nr_throttled"); units are UCUM's ("s", "By", "1", "{period}").
 */
#ifndef ASSAY_MODEL_SERIES_H
#define ASSAY_MODEL_SERIES_H

#include "base/vec.h"

enum series_kind {
	SERIES_GAUGE,	/* a level: memory in use */
	SERIES_COUNTER, /* only grows: CPU seconds, periods; readers take differences */
};

/* Identity of a series; text is borrowed. */
struct series_def {
	const char *name;
	const char *unit;
	const char *labels; /* "k=v,k2=v2" sorted by key, "" when none */
	enum series_kind kind;
};

struct series_point {
	uint64_t t_ns;
	double value;
};

/* A series read back: owns its text and points, which are in order of time. */
struct series {
	char *name, *unit, *labels;
	enum series_kind kind;
	VEC(struct series_point) points;
};

void series_release(struct series *s);

/* Growth of a counter over [from, to], from the points nearest inside; 0 without two points. */
double series_growth(const struct series *s, uint64_t from_ns, uint64_t to_ns);

/* Value of the last point at or before t, or def when there is none. */
double series_at(const struct series *s, uint64_t t_ns, double def);

#endif
