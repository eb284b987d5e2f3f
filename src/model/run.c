#include "model/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

struct run *run_new(void)
{
	return xcalloc(1, sizeof(struct run));
}

static void free_lists(struct run *r)
{
	vec_for_each (&r->series, s)
		series_release(s);
	vec_for_each (&r->dists, d) {
		free(d->metric);
		free(d->tags);
		free(d->unit);
		hist_free(d->values);
	}
	vec_for_each (&r->spans, s) {
		free(s->kind);
		free(s->name);
	}
	vec_for_each (&r->exemplars, e) {
		free(e->method);
		free(e->url);
	}
	vec_for_each (&r->losses, l) {
		free(l->source);
		free(l->what);
	}
}

struct run *run_free(struct run *r)
{
	if (!r)
		return NULL;
	free_lists(r);
	vec_release(&r->series);
	vec_release(&r->dists);
	vec_release(&r->spans);
	vec_release(&r->exemplars);
	vec_release(&r->losses);
	map_for_each (&r->meta, e)
		free(e->value);
	map_release(&r->meta);
	free(r->path);
	free(r);
	return NULL;
}

const char *run_meta(const struct run *r, const char *key)
{
	return map_get_c(&r->meta, key);
}

double run_meta_double(const struct run *r, const char *key, double def)
{
	const char *text = run_meta(r, key);
	double v;

	return text && num_parse_double(str_from(text), &v) == 0 ? v : def;
}

void run_set_meta(struct run *r, const char *key, const char *value)
{
	free(map_put(&r->meta, str_from(key), xstrdup(value)));
}

const struct series *run_series(const struct run *r, const char *name)
{
	vec_for_each (&r->series, s)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

const struct run_span *run_span(const struct run *r, const char *kind, const char *name)
{
	vec_for_each (&r->spans, s)
		if (!strcmp(s->kind, kind) && !strcmp(s->name, name))
			return s;
	return NULL;
}

struct hist *run_merged(const struct run *r, const char *metric, uint64_t t0_ns, uint64_t t1_ns)
{
	struct hist *all = hist_new();

	vec_for_each (&r->dists, d)
		if (!strcmp(d->metric, metric) && d->t0_ns >= t0_ns && d->t0_ns < t1_ns)
			hist_merge(all, d->values);
	return all;
}

/* ---- the sink that fills a run ---- */

struct run_sink {
	struct sink base;
	struct run *run;
	pthread_mutex_t lock;
};

static struct run *lock_run(struct sink *s)
{
	struct run_sink *rs = container_of(s, struct run_sink, base);

	pthread_mutex_lock(&rs->lock);
	return rs->run;
}

static int unlock_run(struct sink *s)
{
	pthread_mutex_unlock(&container_of(s, struct run_sink, base)->lock);
	return 0;
}

static int take_meta(struct sink *s, const char *key, const char *value)
{
	run_set_meta(lock_run(s), key, value);
	return unlock_run(s);
}

static int take_series(struct sink *s, const struct series_def *def, uint32_t *ret_id)
{
	struct run *r = lock_run(s);
	uint32_t id = 0;

	while (id < r->series.len && (strcmp(r->series.ptr[id].name, def->name) != 0 ||
				      strcmp(r->series.ptr[id].labels, def->labels) != 0))
		id++;
	if (id == r->series.len) {
		struct series series = { .name = xstrdup(def->name),
					 .unit = xstrdup(def->unit),
					 .labels = xstrdup(def->labels),
					 .kind = def->kind };

		vec_push(&r->series, series);
	}
	*ret_id = id;
	return unlock_run(s);
}

static int take_point(struct sink *s, uint32_t series_id, uint64_t t_ns, double value)
{
	struct run *r = lock_run(s);

	BUG_ON(series_id >= r->series.len);
	vec_push(&r->series.ptr[series_id].points, ((struct series_point){ t_ns, value }));
	return unlock_run(s);
}

static int take_dist(struct sink *s, const struct dist *d)
{
	struct run *r = lock_run(s);
	struct run_dist copy = { xstrdup(d->metric), xstrdup(d->tags), xstrdup(d->unit),
				 d->t0_ns,	     d->t1_ns,	       hist_new() };

	hist_merge(copy.values, d->values);
	vec_push(&r->dists, copy);
	return unlock_run(s);
}

static int take_span(struct sink *s, const struct span *sp)
{
	struct run *r = lock_run(s);
	struct run_span copy = { xstrdup(sp->kind), xstrdup(sp->name), sp->t0_ns, sp->t1_ns };

	vec_push(&r->spans, copy);
	return unlock_run(s);
}

static int take_exemplar(struct sink *s, const struct exemplar *e)
{
	struct run *r = lock_run(s);
	struct run_exemplar copy = { xstrdup(e->method), xstrdup(e->url), *e };

	copy.e.method = copy.method;
	copy.e.url = copy.url;
	vec_push(&r->exemplars, copy);
	return unlock_run(s);
}

static int take_loss(struct sink *s, const char *source, uint64_t count, const char *what)
{
	struct run *r = lock_run(s);
	struct run_loss copy = { xstrdup(source), xstrdup(what), count };

	vec_push(&r->losses, copy);
	return unlock_run(s);
}

static const struct sink_ops run_sink_ops = {
	.meta = take_meta,
	.series = take_series,
	.point = take_point,
	.dist = take_dist,
	.span = take_span,
	.exemplar = take_exemplar,
	.loss = take_loss,
};

struct sink *run_sink_new(struct run *r)
{
	struct run_sink *rs = xcalloc(1, sizeof(*rs));

	rs->base.ops = &run_sink_ops;
	rs->run = r;
	pthread_mutex_init(&rs->lock, NULL);
	return &rs->base;
}

void run_sink_free(struct sink *s)
{
	struct run_sink *rs = container_of(s, struct run_sink, base);

	pthread_mutex_destroy(&rs->lock);
	free(rs);
}
