#include "watch/feed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct feed_series {
	char *name, *unit, *labels, *provider;
	enum series_kind kind;
	bool has_last;
	uint64_t last_ns;
	double last;
};

struct watch_feed {
	struct sink sink;
	enum watch_origin origin;
	struct watch_out *out;
	VEC(struct feed_series) series;
	uint64_t now_ns; /* of the latest point */
	bool quiet;
};

static struct watch_feed *feed_of(struct sink *s)
{
	return container_of(s, struct watch_feed, sink);
}

static int take_series(struct sink *s, const struct series_def *def, uint32_t *ret_id)
{
	struct watch_feed *f = feed_of(s);
	uint32_t id = 0;

	while (id < f->series.len && (strcmp(f->series.ptr[id].name, def->name) != 0 ||
				      strcmp(f->series.ptr[id].labels, def->labels) != 0))
		id++;
	if (id == f->series.len)
		vec_push(&f->series,
			 ((struct feed_series){
				 .name = xstrdup(def->name),
				 .unit = xstrdup(def->unit),
				 .labels = xstrdup(def->labels),
				 .provider = xstrndup(def->name, strcspn(def->name, ".")),
				 .kind = def->kind,
			 }));
	*ret_id = id;
	return 0;
}

/* What was added; seconds come of whole ns, which the difference of doubles is to the eye only. */
static double added(const struct feed_series *x, double value)
{
	double d = value - x->last;

	return strcmp(x->unit, "s") == 0 ? round(d * 1e9) / 1e9 : d;
}

static int hand_on(struct watch_feed *f, const struct feed_series *x, uint64_t t_ns, double value)
{
	bool counts = x->kind == SERIES_COUNTER;

	return f->out->ops->value(
		f->out, &(struct watch_value){
				.t_ns = t_ns,
				.interval_s = x->has_last ? (double)(t_ns - x->last_ns) / 1e9 : 0,
				.source = f->origin,
				.kind = counts ? WATCH_RATE : WATCH_GAUGE,
				.provider = x->provider,
				.name = x->name,
				.unit = x->unit,
				.tags = x->labels,
				.meter_tags = "",
				.instrument_tags = "",
				.value = counts ? added(x, value) : value,
				.total = counts ? value : NAN,
				.quantile = NAN,
				.count = NAN,
			});
}

/* What was counted may belong to another by now (a limit that was set on another group). */
static int say_back(struct watch_feed *f, const struct feed_series *x, uint64_t t_ns, double value)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s%s%s went back from %.15g to %.15g: counted anew",
		 x->name, *x->labels ? "{" : "", x->labels, *x->labels ? "}" : "", x->last, value);
	return f->out->ops->note(f->out, t_ns, text);
}

static int take_point(struct sink *s, uint32_t series_id, uint64_t t_ns, double value)
{
	struct watch_feed *f = feed_of(s);
	struct feed_series *x = &f->series.ptr[series_id];
	bool counts = x->kind == SERIES_COUNTER;
	int r = 0;

	f->now_ns = t_ns;
	if (counts && x->has_last && value < x->last)
		r = f->quiet ? 0 : say_back(f, x, t_ns, value);
	else if (!f->quiet && (!counts || x->has_last))
		r = hand_on(f, x, t_ns, value);
	x->has_last = true;
	x->last_ns = t_ns;
	x->last = value;
	return r;
}

static int take_loss(struct sink *s, const char *source, uint64_t count, const char *what)
{
	struct watch_feed *f = feed_of(s);
	CLEANUP(mem_cleanup)
	char *text = count > 1 ? xasprintf("%s: %s (%llu)", source, what, (unsigned long long)count)
			       : xasprintf("%s: %s", source, what);

	return f->out->ops->note(f->out, f->now_ns, text);
}

static int no_meta(struct sink *s UNUSED, const char *key UNUSED, const char *value UNUSED)
{
	return 0;
}

static int no_dist(struct sink *s UNUSED, const struct dist *d UNUSED)
{
	return 0;
}

static int no_span(struct sink *s UNUSED, const struct span *sp UNUSED)
{
	return 0;
}

static int no_exemplar(struct sink *s UNUSED, const struct exemplar *e UNUSED)
{
	return 0;
}

static const struct sink_ops ops = {
	.meta = no_meta,
	.series = take_series,
	.point = take_point,
	.dist = no_dist,
	.span = no_span,
	.exemplar = no_exemplar,
	.loss = take_loss,
};

struct watch_feed *watch_feed_new(enum watch_origin origin, struct watch_out *out)
{
	struct watch_feed *f = xcalloc(1, sizeof(*f));

	f->sink.ops = &ops;
	f->origin = origin;
	f->out = out;
	return f;
}

struct watch_feed *watch_feed_free(struct watch_feed *f)
{
	if (!f)
		return NULL;
	vec_for_each (&f->series, x) {
		free(x->name);
		free(x->unit);
		free(x->labels);
		free(x->provider);
	}
	vec_release(&f->series);
	free(f);
	return NULL;
}

struct sink *watch_feed_sink(struct watch_feed *f)
{
	return &f->sink;
}

void watch_feed_set_quiet(struct watch_feed *f, bool quiet)
{
	f->quiet = quiet;
}
