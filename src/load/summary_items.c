/* Which metrics a summary shows, the tree of groups, and figures as text. */
#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "load/summary_internal.h"

double summary_seconds(const struct load_summary *s)
{
	return (double)s->duration_ns / (double)NS_PER_S;
}

/* --- metrics ---------------------------------------------------------------------------------- */

const struct load_threshold *summary_next_threshold(const struct load_summary *s,
						    const struct summary_item *item,
						    const struct load_threshold *previous)
{
	const struct load_threshold *t, *end;

	if (!s->thresholds)
		return NULL;
	end = s->thresholds->list.ptr + s->thresholds->list.len;
	for (t = previous ? previous + 1 : s->thresholds->list.ptr; t < end; t++)
		if (t->metric == item->metric && t->submetric == item->sub)
			return t;
	return NULL;
}

static void add_item(const struct load_summary *s, struct summary_items *items,
		     struct summary_item item)
{
	if (item.values->count || summary_next_threshold(s, &item, NULL))
		vec_push(items, item);
}

static bool is_shown(const struct load_summary *s, const struct load_metric *m)
{
	return !m->own || (s->thresholds && load_thresholds_on(s->thresholds, m));
}

static int compare_items(const void *a, const void *b)
{
	const struct summary_item *x = a, *y = b;
	int order = strcmp(x->metric->name, y->metric->name);

	if (order)
		return order;
	if (!x->sub || !y->sub)
		return !!x->sub - !!y->sub;
	return strcmp(x->name, y->name);
}

void summary_items_make(const struct load_summary *s, struct summary_items *ret)
{
	struct load_metrics *metrics = load_agg_metrics(s->agg);
	uint32_t count = load_metrics_count(metrics), subs = load_metrics_submetric_count(metrics);

	*ret = (struct summary_items){ 0 };
	for (uint32_t i = 0; i < count; i++) {
		const struct load_metric *m = load_metrics_get(metrics, i);

		if (is_shown(s, m))
			add_item(s, ret,
				 (struct summary_item){ m->name, m, NULL,
							load_agg_metric(s->agg, m) });
	}
	for (uint32_t i = 0; i < subs; i++) {
		const struct load_submetric *sub = load_metrics_submetric(metrics, i);

		add_item(s, ret,
			 (struct summary_item){ sub->name, sub->metric, sub,
						load_agg_submetric(s->agg, sub) });
	}
	if (ret->len)
		qsort(ret->ptr, ret->len, sizeof(*ret->ptr), compare_items);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* Where the last "::" of a path stands. */
static const char *last_part(const char *path)
{
	const char *at = path, *found = path;

	while ((at = strstr(at, "::")) != NULL) {
		found = at;
		at += 2;
	}
	return found;
}

/* The number of the node of a path, made with all above it when it is new. */
static size_t find_node(struct summary_tree *t, struct str path)
{
	size_t known = (uintptr_t)map_get(&t->index, path), parent, node;
	const char *part;
	char *copy;

	if (known)
		return known - 1;
	copy = str_dup(path);
	vec_push(&t->paths, copy);
	part = last_part(copy);
	parent = find_node(t, (struct str){ copy, (size_t)(part - copy) });
	node = t->len;
	vec_push(t, ((struct summary_group){ .path = copy,
					     .name = strncmp(part, "::", 2) ? part : part + 2 }));
	map_put(&t->index, path, (void *)(node + 1));
	vec_push(&t->ptr[parent].groups, node);
	return node;
}

void summary_tree_make(const struct load_agg *agg, struct summary_tree *ret)
{
	*ret = (struct summary_tree){ 0 };
	vec_push(ret, ((struct summary_group){ .path = "", .name = "" }));
	map_put(&ret->index, STR(""), (void *)1);
	for (size_t i = 0; i < load_agg_group_count(agg); i++)
		find_node(ret, str_from(load_agg_group_at(agg, i)));
	for (size_t i = 0; i < load_agg_check_count(agg); i++) {
		size_t node = find_node(ret, str_from(load_agg_check_at(agg, i)->group));

		vec_push(&ret->ptr[node].checks, i);
	}
}

void summary_tree_release(struct summary_tree *t)
{
	vec_for_each (t, g) {
		vec_release(&g->groups);
		vec_release(&g->checks);
	}
	vec_for_each (&t->paths, p)
		free(*p);
	vec_release(&t->paths);
	map_release(&t->index);
	vec_release(t);
}

void summary_id(const char *path, char ret[SUMMARY_ID_BYTES])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (!EVP_Digest(path, strlen(path), digest, &len, EVP_md5(), NULL))
		len = 0; /* a library without MD5, as FIPS wants it: no id, but a summary */
	for (unsigned i = 0; i < len && i < 16; i++)
		snprintf(ret + (size_t)i * 2, 3, "%02x", digest[i]);
	if (!len)
		*ret = '\0';
}

/* --- figures ---------------------------------------------------------------------------------- */

/* With at most that many decimals and no zeros at the end. */
static void add_short(struct strbuf *out, double v, int decimals)
{
	char text[400];
	int n = snprintf(text, sizeof(text), "%.*f", decimals, v);

	while (decimals && n > 1 && text[n - 1] == '0')
		n--;
	if (decimals && text[n - 1] == '.')
		n--;
	if (n == 2 && !memcmp(text, "-0", 2))
		strbuf_addch(out, '0');
	else
		strbuf_add(out, text, (size_t)n);
}

/* Cut, not rounded, but 1.14 * 100 is 113.99999999999999. */
static double cut(double v, double steps)
{
	return trunc(v * steps + 1e-9) / steps;
}

static void add_minutes(struct strbuf *out, double ms)
{
	double minutes = trunc(ms / 60000);

	if (minutes >= 60)
		strbuf_addf(out, "%.0fh", trunc(minutes / 60));
	if (minutes >= 1)
		strbuf_addf(out, "%.0fm", fmod(minutes, 60));
	add_short(out, cut(fmod(ms, 60000) / 1000, ms > 60000 ? 1 : 100), 2);
	strbuf_addch(out, 's');
}

static void add_time(struct strbuf *out, double ms, bool ascii)
{
	if (ms == 0)
		strbuf_addstr(out, "0s");
	else if (ms < 0.001)
		strbuf_addf(out, "%.0fns", trunc(ms * 1e6));
	else if (ms < 1) {
		add_short(out, cut(ms * 1000, 100), 2);
		strbuf_addstr(out, ascii ? "us" : "\xc2\xb5s");
	} else if (ms < 1000) {
		add_short(out, cut(ms, 100), 2);
		strbuf_addstr(out, "ms");
	} else
		add_minutes(out, ms);
}

static void add_bytes(struct strbuf *out, double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	size_t unit = 0;
	double v = bytes;

	while (v >= 1000 && unit + 1 < ARRAY_SIZE(units)) {
		v /= 1000;
		unit++;
	}
	v = floor(v * 10 + 0.5) / 10;
	strbuf_addf(out, "%.*f %s", v < 10 && unit ? 1 : 0, v, units[unit]);
}

void summary_fmt_value(struct strbuf *out, double v, enum load_contains contains,
		       enum load_time_unit unit, bool ascii)
{
	if (contains == LOAD_DATA)
		add_bytes(out, v);
	else if (contains != LOAD_TIME)
		add_short(out, v, 6);
	else if (unit == LOAD_UNIT_S)
		strbuf_addf(out, "%.2fs", v / 1000);
	else if (unit == LOAD_UNIT_MS)
		strbuf_addf(out, "%.2fms", v);
	else if (unit == LOAD_UNIT_US)
		strbuf_addf(out, "%.2f%s", v * 1000, ascii ? "us" : "\xc2\xb5s");
	else
		add_time(out, v, ascii);
}

void summary_fmt_percent(struct strbuf *out, double share)
{
	strbuf_addf(out, "%.2f%%", cut(share * 100, 100));
}
