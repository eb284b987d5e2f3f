/*
 * The two JSON forms, which k6 keeps from its early versions. handleSummary()'s: values in an
 * object of their own, groups and checks as lists, thresholds as {ok}. --summary-export's: values
 * beside type-less, groups and checks as maps, a rate called "value", and a threshold's boolean
 * inverted, true for one that failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "load/summary_internal.h"

struct form {
	const struct load_summary *s;
	struct summary_tree tree;
	struct json_writer w;
	bool old; /* --summary-export */
};

/* --- metrics ---------------------------------------------------------------------------------- */

static void put(struct form *f, const struct summary_item *item, const char *key,
		const char *aggregate)
{
	double v = 0;

	if (load_values_get(item->values, item->metric->type, str_from(aggregate),
			    summary_seconds(f->s), &v) == 0)
		json_double(&f->w, key, v);
}

static void put_values(struct form *f, const struct summary_item *item)
{
	switch (item->metric->type) {
	case LOAD_COUNTER:
		put(f, item, "count", "count");
		put(f, item, "rate", "rate");
		break;
	case LOAD_GAUGE:
		put(f, item, "value", "value");
		put(f, item, "min", "min");
		put(f, item, "max", "max");
		break;
	case LOAD_RATE:
		put(f, item, f->old ? "value" : "rate", "rate");
		put(f, item, "passes", "passes");
		put(f, item, "fails", "fails");
		break;
	case LOAD_TREND:
		vec_for_each (&f->s->plan->summary_trend_stats, stat)
			put(f, item, *stat, *stat);
		break;
	}
}

/* Is there a later one of the same text? A key may stand only once in an object. */
static bool repeated(const struct form *f, const struct summary_item *item,
		     const struct load_threshold *t)
{
	const struct load_threshold *next = t;

	while ((next = summary_next_threshold(f->s, item, next)) != NULL)
		if (!strcmp(next->source, t->source))
			return true;
	return false;
}

static void put_thresholds(struct form *f, const struct summary_item *item)
{
	const struct load_threshold *t = summary_next_threshold(f->s, item, NULL);

	if (!t)
		return;
	json_object_begin(&f->w, "thresholds");
	for (; t; t = summary_next_threshold(f->s, item, t)) {
		if (repeated(f, item, t))
			continue;
		if (f->old) {
			json_bool(&f->w, t->source, !t->ok);
			continue;
		}
		json_object_begin(&f->w, t->source);
		json_bool(&f->w, "ok", t->ok);
		json_object_end(&f->w);
	}
	json_object_end(&f->w);
}

static void put_metric(struct form *f, const struct summary_item *item)
{
	json_object_begin(&f->w, item->name);
	if (f->old) {
		put_values(f, item);
	} else {
		json_cstr(&f->w, "type", load_metric_type_name(item->metric->type));
		json_cstr(&f->w, "contains", load_contains_name(item->metric->contains));
		json_object_begin(&f->w, "values");
		put_values(f, item);
		json_object_end(&f->w);
	}
	put_thresholds(f, item);
	json_object_end(&f->w);
}

static void put_metrics(struct form *f)
{
	struct summary_items items;

	summary_items_make(f->s, &items);
	json_object_begin(&f->w, "metrics");
	vec_for_each (&items, item)
		put_metric(f, item);
	json_object_end(&f->w);
	vec_release(&items);
}

/* --- groups ----------------------------------------------------------------------------------- */

static void put_identity(struct form *f, const char *name, const char *path)
{
	char id[SUMMARY_ID_BYTES];

	summary_id(path, id);
	json_cstr(&f->w, "name", name);
	json_cstr(&f->w, "path", path);
	json_cstr(&f->w, "id", id);
}

static void put_check(struct form *f, const struct load_check *c)
{
	char *path = xasprintf("%s::%s", c->group, c->name);

	json_object_begin(&f->w, f->old ? c->name : NULL);
	put_identity(f, c->name, path);
	json_uint(&f->w, "passes", c->passes);
	json_uint(&f->w, "fails", c->fails);
	json_object_end(&f->w);
	free(path);
}

static void begin_children(struct form *f, const char *key)
{
	if (f->old)
		json_object_begin(&f->w, key);
	else
		json_array_begin(&f->w, key);
}

static void end_children(struct form *f)
{
	if (f->old)
		json_object_end(&f->w);
	else
		json_array_end(&f->w);
}

/* Each level takes two of the writer's: deeper ones are left out, as is what hangs below them. */
static bool has_room(const struct form *f)
{
	return f->w.depth + 4 < JSON_DEPTH_MAX;
}

static void put_group(struct form *f, size_t node, const char *key)
{
	const struct summary_group *g = &f->tree.ptr[node];

	json_object_begin(&f->w, key);
	put_identity(f, g->name, g->path);
	begin_children(f, "groups");
	vec_for_each (&g->groups, child)
		if (has_room(f))
			put_group(f, *child, f->old ? f->tree.ptr[*child].name : NULL);
	end_children(f);
	begin_children(f, "checks");
	vec_for_each (&g->checks, check)
		put_check(f, load_agg_check_at(f->s->agg, *check));
	end_children(f);
	json_object_end(&f->w);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void put_options(struct form *f)
{
	static const char *const units[] = { "", "s", "ms", "us" };

	json_object_begin(&f->w, "options");
	json_array_begin(&f->w, "summaryTrendStats");
	vec_for_each (&f->s->plan->summary_trend_stats, stat)
		json_cstr(&f->w, NULL, *stat);
	json_array_end(&f->w);
	json_cstr(&f->w, "summaryTimeUnit", units[f->s->plan->summary_time_unit]);
	json_bool(&f->w, "noColor", f->s->no_colour);
	json_object_end(&f->w);
}

static void put_state(struct form *f)
{
	json_object_begin(&f->w, "state");
	json_bool(&f->w, "isStdOutTTY", f->s->stdout_is_tty);
	json_bool(&f->w, "isStdErrTTY", f->s->stderr_is_tty);
	json_double(&f->w, "testRunDurationMs", (double)f->s->duration_ns / (double)NS_PER_MS);
	json_object_end(&f->w);
}

static void write_form(const struct load_summary *s, bool old, struct strbuf *out)
{
	struct form f = { .s = s, .old = old };

	summary_tree_make(s->agg, &f.tree);
	json_init(&f.w, out, old ? JSON_INDENT : JSON_COMPACT);
	json_object_begin(&f.w, NULL);
	put_group(&f, 0, "root_group");
	if (!old) {
		put_options(&f);
		put_state(&f);
	}
	put_metrics(&f);
	if (!old && s->setup_data.len)
		json_raw(&f.w, "setup_data", s->setup_data);
	else if (!old)
		json_none(&f.w, "setup_data");
	json_object_end(&f.w);
	summary_tree_release(&f.tree);
}

void load_summary_fmt_data(const struct load_summary *s, struct strbuf *out)
{
	write_form(s, false, out);
}

void load_summary_fmt_export(const struct load_summary *s, struct strbuf *out)
{
	write_form(s, true, out);
	strbuf_addch(out, '\n');
}
