/*
 * sink.h - where collectors put what they see. A collector knows only this: not SQLite, not the
 * report. Calls may come from any thread of the process that owns the run; an implementation
 * serialises them. Text and histograms are borrowed for the duration of the call. Every call
 * returns 0 or a negative errno; -ENOSPC and -EPIPE mean that nothing more can be kept and the
 * collector should stop.
 */
#ifndef ASSAY_MODEL_SINK_H
#define ASSAY_MODEL_SINK_H

#include "model/series.h"
#include "stats/hist.h"

/* All values of one metric and tag set within [t0, t1). */
struct dist {
	const char *metric; /* k6's name: "http_req_duration" */
	const char *tags;   /* "k=v,k2=v2" sorted by key, "" when none */
	const char *unit;
	uint64_t t0_ns, t1_ns;
	struct hist *values; /* borrowed */
};

/* Something that lasted: a phase of the run, a GC pause, a throttled stretch. */
struct span {
	const char *kind; /* "phase", "gc", … */
	const char *name;
	uint64_t t0_ns, t1_ns;
};

/* One of the slowest requests, with its phases. */
struct exemplar {
	const char *method, *url;
	uint64_t intended_ns, start_ns, end_ns; /* intended = start in a closed loop */
	uint64_t blocked_ns, connecting_ns, tls_ns, sending_ns, waiting_ns, receiving_ns;
	int status;
};

struct sink;

struct sink_ops {
	/* A fact of the run: command, version, limit, verdict of the generator; replaces. */
	int (*meta)(struct sink *s, const char *key, const char *value);
	/* Names a series before its first point; the same definition gives the same id. */
	int (*series)(struct sink *s, const struct series_def *def, uint32_t *ret_id);
	int (*point)(struct sink *s, uint32_t series_id, uint64_t t_ns, double value);
	int (*dist)(struct sink *s, const struct dist *d);
	int (*span)(struct sink *s, const struct span *sp);
	int (*exemplar)(struct sink *s, const struct exemplar *e);
	/* Something that limits trust in the run: lost records, a signal that could not be read. */
	int (*loss)(struct sink *s, const char *source, uint64_t count, const char *what);
};

struct sink {
	const struct sink_ops *ops;
};

/* A sink that takes everything and keeps nothing. */
extern struct sink sink_null;

static inline int sink_meta(struct sink *s, const char *key, const char *value)
{
	return s->ops->meta(s, key, value);
}

/* meta with a formatted value */
int sink_metaf(struct sink *s, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);

static inline int sink_series(struct sink *s, const struct series_def *def, uint32_t *ret_id)
{
	return s->ops->series(s, def, ret_id);
}

static inline int sink_point(struct sink *s, uint32_t series_id, uint64_t t_ns, double value)
{
	return s->ops->point(s, series_id, t_ns, value);
}

static inline int sink_dist(struct sink *s, const struct dist *d)
{
	return s->ops->dist(s, d);
}

static inline int sink_span(struct sink *s, const struct span *sp)
{
	return s->ops->span(s, sp);
}

static inline int sink_exemplar(struct sink *s, const struct exemplar *e)
{
	return s->ops->exemplar(s, e);
}

static inline int sink_loss(struct sink *s, const char *source, uint64_t count, const char *what)
{
	return s->ops->loss(s, source, count, what);
}

#endif
