#include "scrape/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "scrape/prom.h"

#define PROVIDER "prometheus"

enum family { FAMILY_UNKNOWN, FAMILY_COUNTER, FAMILY_GAUGE, FAMILY_HISTOGRAM, FAMILY_SUMMARY };

/* What a sample is, by its family and the end of its name. */
enum part { PART_GAUGE, PART_COUNTER, PART_BUCKET, PART_NOTHING };

struct series {
	double last;
	uint64_t page; /* the last one that had it */
};

struct histogram {
	char *name, *tags;
	struct prom_histogram now, last;
	uint64_t page;
};

struct scrape_figures {
	struct map series, histograms; /* by name{labels} */
	size_t max_series;
	uint64_t page; /* number of the present one, from 1 */
	uint64_t last_ns;
	bool said_full;
};

/* One page being taken. */
struct page {
	struct scrape_figures *f;
	struct watch_out *out;
	struct map families; /* name -> enum family, as a pointer */
	uint64_t t_ns;
	double interval_s;
	bool restarted, full;
	int failure;
};

struct scrape_figures *scrape_figures_new(size_t max_series)
{
	struct scrape_figures *f = xcalloc(1, sizeof(*f));

	f->max_series = max_series;
	return f;
}

static void histogram_free(struct histogram *h)
{
	prom_histogram_release(&h->now);
	prom_histogram_release(&h->last);
	free(h->name);
	free(h->tags);
	free(h);
}

struct scrape_figures *scrape_figures_free(struct scrape_figures *f)
{
	if (!f)
		return NULL;
	map_for_each (&f->series, e)
		free(e->value);
	map_for_each (&f->histograms, e)
		histogram_free(e->value);
	map_release(&f->series);
	map_release(&f->histograms);
	free(f);
	return NULL;
}

/* --- names --- */

static enum family family_of(const struct page *p, struct str name)
{
	return (enum family)(uintptr_t)map_get(&p->families, name);
}

/* Cuts an ending off the name if it has it. */
static bool cut(struct str *name, const char *ending)
{
	struct str end = str_from(ending);

	if (name->len <= end.len || !str_ends_with(*name, end))
		return false;
	name->len -= end.len;
	return true;
}

static enum part part_of_histogram(struct str name, struct str base)
{
	if (name.len - base.len == strlen("_bucket") && str_ends_with(name, STR("_bucket")))
		return PART_BUCKET;
	return str_ends_with(name, STR("_created")) ? PART_NOTHING : PART_COUNTER;
}

static enum part part_of(const struct page *p, const struct prom_sample *s)
{
	static const char *const endings[] = { "_bucket", "_sum", "_count", "_created", "_total" };
	struct str base = s->name, le;
	enum family family = family_of(p, base);

	for (size_t i = 0; i < ARRAY_SIZE(endings) && !family; i++) {
		base = s->name;
		if (cut(&base, endings[i]))
			family = family_of(p, base);
	}
	switch (family) {
	case FAMILY_COUNTER:
		return str_ends_with(s->name, STR("_created")) ? PART_NOTHING : PART_COUNTER;
	case FAMILY_GAUGE:
		return PART_GAUGE;
	case FAMILY_HISTOGRAM:
		return part_of_histogram(s->name, base);
	case FAMILY_SUMMARY: /* the quantiles have the family's own name */
		return str_eq(s->name, base) ? PART_GAUGE : part_of_histogram(s->name, base);
	default:
		break;
	}
	if (str_ends_with(s->name, STR("_bucket")) && prom_label(s->labels, "le", &le))
		return PART_BUCKET;
	return str_ends_with(s->name, STR("_total")) ? PART_COUNTER : PART_GAUGE;
}

/* "# TYPE name counter" */
static void take_types(struct page *p, struct str text)
{
	static const struct {
		const char *word;
		enum family family;
	} words[] = {
		{ "counter", FAMILY_COUNTER },
		{ "gauge", FAMILY_GAUGE },
		{ "histogram", FAMILY_HISTOGRAM },
		{ "summary", FAMILY_SUMMARY },
	};
	struct str line, name;

	while (str_split(&text, '\n', &line)) {
		if (!str_starts_with(line, STR("# TYPE ")))
			continue;
		line = str_trim((struct str){ line.ptr + 7, line.len - 7 });
		if (!str_split(&line, ' ', &name) || !line.ptr)
			continue;
		line = str_trim(line);
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (str_eq_c(line, words[i].word))
				map_put(&p->families, name, (void *)(uintptr_t)words[i].family);
	}
}

/* From the base units that the format's naming rules ask for. */
static const char *unit_of(struct str name)
{
	static const struct {
		const char *ending, *unit;
	} units[] = {
		{ "_seconds", "s" },
		{ "_milliseconds", "ms" },
		{ "_bytes", "By" },
		{ "_ratio", "1" },
	};

	cut(&name, "_total");
	cut(&name, "_sum");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_ends_with(name, str_from(units[i].ending)))
			return units[i].unit;
	return "";
}

/* Labels as "k=v,k2=v2", without one of them. */
static void add_tags(struct strbuf *sb, struct str labels, const char *without)
{
	while (labels.len) {
		size_t eq = str_find(labels, '='), i = eq + 2;
		struct str key = str_trim((struct str){ labels.ptr, eq });
		size_t start = sb->len;

		if (eq + 1 >= labels.len)
			return;
		strbuf_addf(sb, "%s%.*s=", start ? "," : "", STR_FMT(key));
		for (; i < labels.len && labels.ptr[i] != '"'; i++) {
			char c = labels.ptr[i];

			if (c == '\\' && i + 1 < labels.len) {
				c = labels.ptr[++i];
				c = c == 'n' ? ' ' : c;
			}
			strbuf_addch(sb, c);
		}
		if (without && str_eq_c(key, without))
			strbuf_truncate(sb, start);
		for (i++; i < labels.len && (labels.ptr[i] == ',' || labels.ptr[i] == ' '); i++)
			;
		i = MIN(i, labels.len);
		labels = (struct str){ labels.ptr + i, labels.len - i };
	}
}

/* --- values --- */

static void hand_on(struct page *p, const char *name, const char *tags, const char *unit,
		    struct watch_value v)
{
	if (p->failure || !p->f->last_ns)
		return;
	v.t_ns = p->t_ns;
	v.interval_s = p->interval_s;
	v.source = WATCH_SCRAPE;
	v.provider = PROVIDER;
	v.name = name;
	v.unit = unit;
	v.tags = tags;
	v.meter_tags = v.instrument_tags = "";
	p->failure = p->out->ops->value(p->out, &v);
}

static bool is_full(struct page *p)
{
	bool full = p->f->series.len + p->f->histograms.len >= p->f->max_series;

	p->full = p->full || full;
	return full;
}

/* Growth of a counter; one that the page before had not began at zero. */
static bool grown(struct page *p, struct str key, double value, double *ret)
{
	struct series *x = map_get(&p->f->series, key);

	if (!x) {
		if (is_full(p))
			return false;
		x = xcalloc(1, sizeof(*x));
		map_put(&p->f->series, key, x);
	}
	if (value < x->last) {
		p->restarted = true;
		x->last = 0;
	}
	*ret = value - x->last;
	x->last = value;
	x->page = p->f->page;
	return true;
}

static void take_plain(struct page *p, const struct prom_sample *s, enum part part)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT, tags = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *name = str_dup(s->name);
	double growth = 0;

	add_tags(&tags, s->labels, NULL);
	if (part == PART_GAUGE) {
		hand_on(p, name, strbuf_cstr(&tags), unit_of(s->name),
			(struct watch_value){ .kind = WATCH_GAUGE,
					      .value = s->value,
					      .total = NAN,
					      .quantile = NAN,
					      .count = NAN });
		return;
	}
	strbuf_addf(&key, "%s{%.*s", name, STR_FMT(s->labels));
	if (isnan(s->value) || !grown(p, strbuf_str(&key), s->value, &growth))
		return;
	hand_on(p, name, strbuf_cstr(&tags), unit_of(s->name),
		(struct watch_value){ .kind = WATCH_RATE,
				      .value = growth,
				      .total = s->value,
				      .quantile = NAN,
				      .count = NAN });
}

static struct histogram *histogram_of(struct page *p, struct str name, const struct strbuf *tags)
{
	CLEANUP(mem_cleanup) char *key = xasprintf("%.*s{%s", STR_FMT(name), strbuf_cstr(tags));
	struct histogram *h = map_get_c(&p->f->histograms, key);

	if (h || is_full(p))
		return h;
	h = xcalloc(1, sizeof(*h));
	h->name = str_dup(name);
	h->tags = xstrdup(strbuf_cstr(tags));
	map_put(&p->f->histograms, str_from(key), h);
	return h;
}

static void take_bucket(struct page *p, const struct prom_sample *s)
{
	CLEANUP(strbuf_release) struct strbuf tags = STRBUF_INIT;
	struct str name = s->name, bound;
	struct histogram *h;
	double le;

	if (!prom_label(s->labels, "le", &bound) || prom_value(bound, &le) < 0 || isnan(le))
		return;
	cut(&name, "_bucket");
	add_tags(&tags, s->labels, "le");
	h = histogram_of(p, name, &tags);
	if (!h)
		return;
	if (h->page != p->f->page)
		vec_clear(&h->now.buckets);
	h->page = p->f->page;
	vec_push(&h->now.buckets, ((struct prom_bucket){ le, s->value }));
}

/* Whether no bucket has less than before; other bounds are another histogram. */
static bool goes_on(const struct histogram *h)
{
	if (h->now.buckets.len != h->last.buckets.len)
		return false;
	for (size_t i = 0; i < h->now.buckets.len; i++)
		if (h->now.buckets.ptr[i].le != h->last.buckets.ptr[i].le ||
		    h->now.buckets.ptr[i].count < h->last.buckets.ptr[i].count)
			return false;
	return true;
}

static void hand_quantiles(struct page *p, struct histogram *h)
{
	static const double wanted[] = { 0.5, 0.95, 0.99 };
	const size_t n = h->now.buckets.len;
	double count;

	prom_histogram_sort(&h->now);
	if (h->last.buckets.len && !goes_on(h)) {
		vec_clear(&h->last.buckets);
		p->restarted = true;
	}
	count = h->now.buckets.ptr[n - 1].count -
		(h->last.buckets.len ? h->last.buckets.ptr[n - 1].count : 0);
	for (size_t i = 0; i < ARRAY_SIZE(wanted) && count > 0; i++) {
		double value = prom_quantile(&h->last, &h->now, wanted[i]);

		if (!isnan(value))
			hand_on(p, h->name, h->tags, unit_of(str_from(h->name)),
				(struct watch_value){ .kind = WATCH_QUANTILE,
						      .value = value,
						      .total = NAN,
						      .quantile = wanted[i],
						      .count = count });
	}
}

static int take_sample(void *arg, const struct prom_sample *s)
{
	struct page *p = arg;
	enum part part = part_of(p, s);

	if (part == PART_BUCKET)
		take_bucket(p, s);
	else if (part != PART_NOTHING)
		take_plain(p, s, part);
	return p->failure;
}

static void take_histograms(struct page *p)
{
	map_for_each (&p->f->histograms, e) {
		struct histogram *h = e->value;
		struct prom_histogram swap;

		if (h->page != p->f->page)
			continue;
		hand_quantiles(p, h);
		swap = h->last;
		h->last = h->now;
		h->now = swap;
	}
}

static int count_sample(void *arg, const struct prom_sample *s UNUSED)
{
	++*(size_t *)arg;
	return 0;
}

/* A page is taken whole or not at all. */
static int check(struct str text, struct error *reterr)
{
	struct error err = ERROR_INIT;
	size_t samples = 0;

	if (prom_parse(text, count_sample, &samples, &err) < 0)
		return error_set(reterr, -EBADMSG, "no Prometheus text: %s", err.msg);
	if (!samples)
		return error_set(reterr, -EBADMSG, "no Prometheus text: there is no sample in it");
	return 0;
}

static void say(struct page *p, const char *text)
{
	int r = p->out->ops->note(p->out, p->t_ns, text);

	if (!p->failure)
		p->failure = r;
}

int scrape_figures_take(struct scrape_figures *f, struct str text, uint64_t t_ns,
			struct watch_out *out, struct error *reterr)
{
	struct page p = { .f = f, .out = out, .t_ns = t_ns };
	int r = check(text, reterr);

	if (r < 0)
		return r;
	p.interval_s = f->last_ns ? (double)(t_ns - f->last_ns) / 1e9 : 0;
	f->page++;
	take_types(&p, text);
	prom_parse(text, take_sample, &p, NULL);
	take_histograms(&p);
	if (p.restarted && f->last_ns)
		say(&p,
		    "counters of /metrics began anew: the target restarted, or its metrics did");
	if (p.full && !f->said_full) {
		CLEANUP(mem_cleanup)
		char *note = xasprintf("more than %zu series in /metrics: the others are left out "
				       "(--maxTimeSeries)",
				       f->max_series);

		say(&p, note);
		f->said_full = true;
	}
	f->last_ns = t_ns;
	map_release(&p.families);
	return p.failure;
}
