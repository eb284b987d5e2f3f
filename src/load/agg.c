/*
 * Figures lie in arrays indexed by metric and submetric. Which submetrics a sample belongs to is
 * decided once for a metric and tag set and kept as a mask, found by the set's number: a threshold
 * on tags costs a look and an addition a sample, not comparisons of text.
 */
#include "load/agg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "base/vec.h"

#define MASK_KNOWN (UINT64_C(1) << LOAD_SUBMETRICS_MAX)

/* Of one metric: by number of tag set, 0 = not decided yet. */
struct masks {
	uint64_t *ptr;
	uint32_t len;
};

struct load_agg {
	struct load_metrics *registry;
	VEC(struct load_values) metrics; /* by id, as are the next two */
	VEC(struct load_values) subs;
	VEC(struct masks) masks;
	struct map check_index; /* "group\0name" -> struct load_check */
	VEC(struct load_check *) checks;
	struct map groups;     /* path -> itself */
	struct map part_index; /* "scenario\0group" -> struct load_part */
	VEC(struct load_part *) parts;
	VEC(struct load_part *) part_of; /* by number of tag set; NULL = not decided yet */
	bool is_part;
	struct strbuf key; /* scratch */
};

static const struct load_values no_values;

struct load_agg *load_agg_new(struct load_metrics *metrics)
{
	struct load_agg *a = xcalloc(1, sizeof(*a));

	a->registry = metrics;
	return a;
}

static void clear_checks(struct load_agg *a)
{
	vec_for_each (&a->checks, c) {
		free((*c)->group);
		free((*c)->name);
		free(*c);
	}
	vec_clear(&a->checks);
	map_release(&a->check_index);
	map_release(&a->groups);
}

static void parts_release(struct load_agg *a)
{
	vec_for_each (&a->parts, p) {
		load_agg_free((*p)->agg);
		free((*p)->scenario);
		free((*p)->group);
		free(*p);
	}
	vec_release(&a->parts);
	vec_release(&a->part_of);
	map_release(&a->part_index);
}

void load_agg_free(struct load_agg *a)
{
	if (!a)
		return;
	parts_release(a);
	vec_for_each (&a->metrics, v)
		hist_free(v->hist);
	vec_for_each (&a->subs, v)
		hist_free(v->hist);
	vec_for_each (&a->masks, m)
		free(m->ptr);
	clear_checks(a);
	vec_release(&a->metrics);
	vec_release(&a->subs);
	vec_release(&a->masks);
	vec_release(&a->checks);
	strbuf_release(&a->key);
	free(a);
}

static void clear_values(struct load_values *v)
{
	struct hist *h = v->hist;

	if (h)
		hist_clear(h);
	*v = (struct load_values){ .hist = h };
}

void load_agg_clear(struct load_agg *a)
{
	vec_for_each (&a->metrics, v)
		clear_values(v);
	vec_for_each (&a->subs, v)
		clear_values(v);
	vec_for_each (&a->parts, p)
		load_agg_clear((*p)->agg);
	clear_checks(a);
}

struct load_metrics *load_agg_metrics(const struct load_agg *a)
{
	return a->registry;
}

static struct load_values *metric_values(struct load_agg *a, uint32_t id)
{
	while (a->metrics.len <= id)
		vec_push(&a->metrics, (struct load_values){ 0 });
	return &a->metrics.ptr[id];
}

static struct load_values *sub_values(struct load_agg *a, uint32_t id)
{
	while (a->subs.len <= id)
		vec_push(&a->subs, (struct load_values){ 0 });
	return &a->subs.ptr[id];
}

static void add_gauge(struct load_values *v, uint64_t t_ns, double value)
{
	v->min = v->count ? fmin(v->min, value) : value;
	v->max = v->count ? fmax(v->max, value) : value;
	if (!v->count || t_ns >= v->last_ns) {
		v->last = value;
		v->last_ns = t_ns;
	}
}

static void add_value(struct load_values *v, enum load_metric_type type, uint64_t t_ns,
		      double value)
{
	switch (type) {
	case LOAD_COUNTER:
		v->sum += value;
		break;
	case LOAD_GAUGE:
		add_gauge(v, t_ns, value);
		break;
	case LOAD_RATE:
		v->passes += value != 0;
		break;
	case LOAD_TREND:
		if (!v->hist)
			v->hist = hist_new();
		hist_add(v->hist, value);
		break;
	}
	v->count++;
}

/* The place of a set's mask among those of a metric. */
static uint64_t *mask_slot(struct load_agg *a, uint32_t metric, uint32_t tags)
{
	struct masks *m;

	while (a->masks.len <= metric)
		vec_push(&a->masks, (struct masks){ 0 });
	m = &a->masks.ptr[metric];
	if (tags >= m->len) {
		uint32_t len = MAX(tags + 1, m->len * 2);

		m->ptr = xrealloc(m->ptr, len * sizeof(*m->ptr));
		memset(m->ptr + m->len, 0, (len - m->len) * sizeof(*m->ptr));
		m->len = len;
	}
	return &m->ptr[tags];
}

static uint64_t mask_of(struct load_agg *a, const struct load_metric *m,
			const struct load_tags *tags)
{
	uint64_t *mask = mask_slot(a, m->id, tags->id);

	if (!*mask)
		*mask = load_metrics_match(m, tags) | MASK_KNOWN;
	return *mask & ~MASK_KNOWN;
}

/* ---- parts ---- */

static struct load_part *find_part(struct load_agg *a, struct str scenario, struct str group)
{
	struct load_part *p;

	strbuf_clear(&a->key);
	strbuf_add(&a->key, scenario.ptr, scenario.len);
	strbuf_addch(&a->key, '\0');
	strbuf_add(&a->key, group.ptr, group.len);
	p = map_get(&a->part_index, strbuf_str(&a->key));
	if (p)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->scenario = str_dup(scenario);
	p->group = str_dup(group);
	p->agg = load_agg_new(a->registry);
	p->agg->is_part = true;
	map_put(&a->part_index, strbuf_str(&a->key), p);
	vec_push(&a->parts, p);
	return p;
}

static struct load_agg *part_of(struct load_agg *a, const struct load_tags *tags)
{
	struct load_part **place;

	while (a->part_of.len <= tags->id)
		vec_push(&a->part_of, NULL);
	place = &a->part_of.ptr[tags->id];
	if (!*place)
		*place = find_part(a, load_tags_get(tags, STR("scenario")),
				   load_tags_get(tags, STR("group")));
	return (*place)->agg;
}

static bool keeps_parts(const struct load_agg *a)
{
	return !a->is_part && load_metrics_are_split(a->registry);
}

void load_agg_check_part(struct load_agg *a, const struct load_tags *tags, struct str name, bool ok)
{
	if (keeps_parts(a))
		load_agg_check(part_of(a, tags), load_tags_get(tags, STR("group")), name, ok);
}

size_t load_agg_part_count(const struct load_agg *a)
{
	return a->parts.len;
}

const struct load_part *load_agg_part_at(const struct load_agg *a, size_t i)
{
	return a->parts.ptr[i];
}

void load_agg_add(struct load_agg *a, const struct load_metric *m, const struct load_tags *tags,
		  uint64_t t_ns, double value)
{
	uint64_t mask;

	if (!isfinite(value))
		return;
	add_value(metric_values(a, m->id), m->type, t_ns, value);
	if (keeps_parts(a))
		add_value(metric_values(part_of(a, tags), m->id), m->type, t_ns, value);
	if (!load_metrics_submetrics_of(m))
		return;
	for (mask = mask_of(a, m, tags); mask; mask &= mask - 1) {
		uint32_t bit = (uint32_t)__builtin_ctzll(mask);

		add_value(sub_values(a, load_metrics_submetric_of(m, bit)->id), m->type, t_ns,
			  value);
	}
}

static void merge_values(struct load_values *dst, const struct load_values *src)
{
	if (!src->count)
		return;
	if (!dst->count || src->last_ns >= dst->last_ns) {
		dst->last = src->last;
		dst->last_ns = src->last_ns;
	}
	dst->min = dst->count ? fmin(dst->min, src->min) : src->min;
	dst->max = dst->count ? fmax(dst->max, src->max) : src->max;
	dst->count += src->count;
	dst->sum += src->sum;
	dst->passes += src->passes;
	if (!src->hist)
		return;
	if (!dst->hist)
		dst->hist = hist_new();
	hist_merge(dst->hist, src->hist);
}

/* The check of that group and name, made when it is new. */
static struct load_check *find_check(struct load_agg *a, struct str group, struct str name)
{
	struct load_check *c;

	strbuf_clear(&a->key);
	strbuf_add(&a->key, group.ptr, group.len);
	strbuf_addch(&a->key, '\0');
	strbuf_add(&a->key, name.ptr, name.len);
	c = map_get(&a->check_index, strbuf_str(&a->key));
	if (c)
		return c;
	c = xcalloc(1, sizeof(*c));
	c->group = str_dup(group);
	c->name = str_dup(name);
	map_put(&a->check_index, strbuf_str(&a->key), c);
	vec_push(&a->checks, c);
	return c;
}

void load_agg_check(struct load_agg *a, struct str group, struct str name, bool ok)
{
	struct load_check *c = find_check(a, group, name);

	c->passes += ok;
	c->fails += !ok;
}

void load_agg_group(struct load_agg *a, struct str group)
{
	if (group.len && !map_get(&a->groups, group))
		map_put(&a->groups, group, a);
}

void load_agg_merge(struct load_agg *dst, const struct load_agg *src)
{
	for (size_t i = 0; i < src->metrics.len; i++)
		merge_values(metric_values(dst, (uint32_t)i), &src->metrics.ptr[i]);
	for (size_t i = 0; i < src->subs.len; i++)
		merge_values(sub_values(dst, (uint32_t)i), &src->subs.ptr[i]);
	map_for_each (&src->groups, e)
		load_agg_group(dst, (struct str){ e->key, e->key_len });
	vec_for_each (&src->checks, c) {
		struct load_check *to =
			find_check(dst, str_from((*c)->group), str_from((*c)->name));

		to->passes += (*c)->passes;
		to->fails += (*c)->fails;
	}
	vec_for_each (&src->parts, p)
		load_agg_merge(find_part(dst, str_from((*p)->scenario), str_from((*p)->group))->agg,
			       (*p)->agg);
}

const struct load_values *load_agg_metric(const struct load_agg *a, const struct load_metric *m)
{
	return m->id < a->metrics.len ? &a->metrics.ptr[m->id] : &no_values;
}

const struct load_values *load_agg_submetric(const struct load_agg *a,
					     const struct load_submetric *s)
{
	return s->id < a->subs.len ? &a->subs.ptr[s->id] : &no_values;
}

size_t load_agg_check_count(const struct load_agg *a)
{
	return a->checks.len;
}

const struct load_check *load_agg_check_at(const struct load_agg *a, size_t i)
{
	return a->checks.ptr[i];
}

size_t load_agg_group_count(const struct load_agg *a)
{
	return a->groups.len;
}

const char *load_agg_group_at(const struct load_agg *a, size_t i)
{
	return a->groups.entries[i].key;
}

/* --- aggregates by name ----------------------------------------------------------------------- */

int load_aggregate_quantile(struct str aggregate, double *ret_q)
{
	double percent;

	if (!str_starts_with(aggregate, STR("p(")) || !str_ends_with(aggregate, STR(")")))
		return -EINVAL;
	if (num_parse_double((struct str){ aggregate.ptr + 2, aggregate.len - 3 }, &percent) < 0 ||
	    percent < 0 || percent > 100)
		return -EINVAL;
	*ret_q = percent / 100;
	return 0;
}

static int trend_get(const struct load_values *v, struct str aggregate, double *ret)
{
	CLEANUP(cleanup_hist) struct hist *empty = NULL;
	struct hist *h = v->hist;
	double q;

	if (!h)
		h = empty = hist_new();
	if (str_eq(aggregate, STR("avg")))
		*ret = hist_mean(h);
	else if (str_eq(aggregate, STR("min")))
		*ret = hist_min(h);
	else if (str_eq(aggregate, STR("med")))
		*ret = hist_quantile(h, 0.5);
	else if (str_eq(aggregate, STR("max")))
		*ret = hist_max(h);
	else if (str_eq(aggregate, STR("count")))
		*ret = (double)hist_count(h);
	else if (load_aggregate_quantile(aggregate, &q) == 0)
		*ret = hist_quantile(h, q);
	else
		return -EINVAL;
	return 0;
}

static int counter_get(const struct load_values *v, struct str aggregate, double seconds,
		       double *ret)
{
	if (str_eq(aggregate, STR("count")))
		*ret = v->sum;
	else if (str_eq(aggregate, STR("rate")))
		*ret = seconds > 0 ? v->sum / seconds : 0;
	else
		return -EINVAL;
	return 0;
}

static int gauge_get(const struct load_values *v, struct str aggregate, double *ret)
{
	if (str_eq(aggregate, STR("value")))
		*ret = v->last;
	else if (str_eq(aggregate, STR("min")))
		*ret = v->min;
	else if (str_eq(aggregate, STR("max")))
		*ret = v->max;
	else
		return -EINVAL;
	return 0;
}

static int rate_get(const struct load_values *v, struct str aggregate, double *ret)
{
	if (str_eq(aggregate, STR("rate")))
		*ret = v->count ? (double)v->passes / (double)v->count : 0;
	else if (str_eq(aggregate, STR("passes")))
		*ret = (double)v->passes;
	else if (str_eq(aggregate, STR("fails")))
		*ret = (double)(v->count - v->passes);
	else
		return -EINVAL;
	return 0;
}

int load_values_get(const struct load_values *v, enum load_metric_type type, struct str aggregate,
		    double seconds, double *ret)
{
	switch (type) {
	case LOAD_COUNTER:
		return counter_get(v, aggregate, seconds, ret);
	case LOAD_GAUGE:
		return gauge_get(v, aggregate, ret);
	case LOAD_RATE:
		return rate_get(v, aggregate, ret);
	case LOAD_TREND:
		return trend_get(v, aggregate, ret);
	}
	return -EINVAL;
}
