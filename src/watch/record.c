#include "watch/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "watch/name.h"

/* A row that is later than this many intervals after the one before has a gap before it. */
#define GAP_INTERVALS 1.5

struct recorded {
	uint32_t id;
	bool begun;
	double total; /* of a counter */
};

struct record {
	struct watch_out out;
	struct sink *sink;
	double interval_s;
	struct map series; /* "kind name{labels" -> struct recorded, owned */
	uint64_t last_tick_ns;
};

static struct record *record_of(struct watch_out *o)
{
	return container_of(o, struct record, out);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All tags of a value as labels, sorted by key. */
static void add_labels(struct strbuf *sb, const struct watch_value *v)
{
	CLEANUP(strbuf_release) struct strbuf tags = STRBUF_INIT;
	VEC(char *) parts = VEC_INIT;
	struct watch_value plain = *v;
	struct str rest, part;

	plain.kind = WATCH_GAUGE;
	watch_tags(&tags, &plain, ',');
	rest = strbuf_str(&tags);
	while (rest.len && str_split(&rest, ',', &part))
		vec_push(&parts, str_dup(part));
	if (v->source == WATCH_DOTNET)
		vec_push(&parts, xasprintf("meter=%s", v->provider));
	if (v->kind == WATCH_QUANTILE)
		vec_push(&parts, xasprintf("quantile=%.15g", v->quantile));
	if (parts.len)
		qsort(parts.ptr, parts.len, sizeof(*parts.ptr), by_text);
	vec_for_each (&parts, p) {
		strbuf_addf(sb, "%s%s", sb->len ? "," : "", *p);
		free(*p);
	}
	vec_release(&parts);
}

static int series_of(struct record *r, const char *name, const char *unit, const char *labels,
		     enum series_kind kind, struct recorded **ret)
{
	CLEANUP(mem_cleanup) char *key = xasprintf("%d %s{%s", kind, name, labels);
	struct recorded *x = map_get_c(&r->series, key);
	const struct series_def def = { name, unit, labels, kind };
	int err;

	if (!x) {
		x = xcalloc(1, sizeof(*x));
		err = sink_series(r->sink, &def, &x->id);
		if (err < 0) {
			free(x);
			return err;
		}
		map_put(&r->series, str_from(key), x);
	}
	*ret = x;
	return 0;
}

/* Where a counter stood before its first interval is known too: readers take differences. */
static int put_growth(struct record *r, struct recorded *x, const struct watch_value *v,
		      double growth, double total)
{
	uint64_t before_ns = v->t_ns - MIN(v->t_ns, (uint64_t)(v->interval_s * 1e9));
	int err = 0;

	x->total = isnan(total) ? x->total + growth : total;
	if (!x->begun)
		err = sink_point(r->sink, x->id, before_ns, x->total - growth);
	x->begun = true;
	return err < 0 ? err : sink_point(r->sink, x->id, v->t_ns, x->total);
}

static int put_count(struct record *r, const struct watch_value *v)
{
	CLEANUP(mem_cleanup) char *name = xasprintf("%s.count", v->name);
	CLEANUP(strbuf_release) struct strbuf labels = STRBUF_INIT;
	struct watch_value plain = *v;
	struct recorded *x;
	int err;

	plain.kind = WATCH_GAUGE;
	add_labels(&labels, &plain);
	err = series_of(r, name, "1", strbuf_cstr(&labels), SERIES_COUNTER, &x);
	return err < 0 ? err : put_growth(r, x, v, v->count, NAN);
}

static int take_value(struct watch_out *o, const struct watch_value *v)
{
	struct record *r = record_of(o);
	CLEANUP(strbuf_release) struct strbuf labels = STRBUF_INIT;
	bool counts = v->kind == WATCH_RATE;
	struct recorded *x;
	int err;

	if (!isfinite(v->value))
		return 0;
	add_labels(&labels, v);
	err = series_of(r, v->name, v->unit, strbuf_cstr(&labels),
			counts ? SERIES_COUNTER : SERIES_GAUGE, &x);
	if (err < 0)
		return err;
	if (counts)
		return put_growth(r, x, v, v->value, v->total);
	err = sink_point(r->sink, x->id, v->t_ns, v->value);
	if (err == 0 && v->kind == WATCH_QUANTILE && v->quantile == 0.5 && !isnan(v->count))
		err = put_count(r, v);
	return err;
}

static int tick(struct watch_out *o, uint64_t t_ns)
{
	struct record *r = record_of(o);
	uint64_t last_ns = r->last_tick_ns;

	r->last_tick_ns = t_ns;
	if (!last_ns || (double)(t_ns - last_ns) / 1e9 < r->interval_s * GAP_INTERVALS)
		return 0;
	return sink_span(r->sink, &(struct span){ "gap", "nothing was measured", last_ns, t_ns });
}

static int note(struct watch_out *o, uint64_t t_ns UNUSED, const char *text)
{
	return sink_loss(record_of(o)->sink, "watch", 1, text);
}

static int close_record(struct watch_out *o, struct error *reterr UNUSED)
{
	struct record *r = record_of(o);

	map_for_each (&r->series, e)
		free(e->value);
	map_release(&r->series);
	free(r);
	return 0;
}

struct watch_out *watch_record_new(struct sink *sink, double interval_s)
{
	static const struct watch_out_ops ops = { take_value, tick, note, close_record };
	struct record *r = xcalloc(1, sizeof(*r));

	r->out.ops = &ops;
	r->sink = sink;
	r->interval_s = interval_s;
	return &r->out;
}
