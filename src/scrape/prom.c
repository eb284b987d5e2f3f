#include "scrape/prom.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static bool is_name_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
	       (!first && c >= '0' && c <= '9');
}

int prom_value(struct str s, double *ret)
{
	if (str_eq_c(s, "+Inf") || str_eq_c(s, "Inf"))
		*ret = INFINITY;
	else if (str_eq_c(s, "-Inf"))
		*ret = -INFINITY;
	else if (str_eq_c(s, "NaN"))
		*ret = NAN;
	else
		return num_parse_double(s, ret);
	return 0;
}

/* Length of the part in braces with its closing one; quotes may hide a brace. 0 = unclosed. */
static size_t labels_length(struct str s)
{
	bool quoted = false;

	for (size_t i = 1; i < s.len; i++) {
		if (quoted && s.ptr[i] == '\\')
			i++;
		else if (s.ptr[i] == '"')
			quoted = !quoted;
		else if (s.ptr[i] == '}' && !quoted)
			return i + 1;
	}
	return 0;
}

/* name{labels} value [timestamp] */
static int parse_line(struct str line, struct prom_sample *ret)
{
	struct str rest = line, value;
	size_t n = 0;

	while (n < rest.len && is_name_char(rest.ptr[n], n == 0))
		n++;
	if (!n)
		return -EINVAL;
	*ret = (struct prom_sample){ .name = { rest.ptr, n } };
	rest = (struct str){ rest.ptr + n, rest.len - n };
	if (rest.len && rest.ptr[0] == '{') {
		n = labels_length(rest);
		if (!n)
			return -EINVAL;
		ret->labels = (struct str){ rest.ptr + 1, n - 2 };
		rest = (struct str){ rest.ptr + n, rest.len - n };
	}
	if (!rest.len || (rest.ptr[0] != ' ' && rest.ptr[0] != '\t'))
		return -EINVAL;
	rest = str_trim(rest);
	str_split(&rest, ' ', &value);
	return prom_value(value, &ret->value);
}

int prom_parse(struct str text, prom_sample_fn *fn, void *arg, struct error *reterr)
{
	struct str line;

	for (unsigned number = 1; str_split(&text, '\n', &line); number++) {
		struct prom_sample s;
		int r;

		line = str_trim(line);
		if (!line.len || line.ptr[0] == '#')
			continue;
		if (parse_line(line, &s) < 0)
			return error_set(reterr, -EINVAL,
					 "line %u is no sample (name{labels} value): %.*s", number,
					 (int)MIN(line.len, (size_t)80), line.ptr);
		r = fn(arg, &s);
		if (r)
			return r;
	}
	return 0;
}

bool prom_label(struct str labels, const char *name, struct str *ret)
{
	while (labels.len) {
		size_t eq = str_find(labels, '='), end = eq + 2;
		struct str key = str_trim((struct str){ labels.ptr, eq });

		if (eq + 1 >= labels.len || labels.ptr[eq + 1] != '"')
			return false;
		while (end < labels.len && labels.ptr[end] != '"')
			end += labels.ptr[end] == '\\' ? 2 : 1;
		if (end >= labels.len)
			return false;
		if (str_eq_c(key, name)) {
			*ret = (struct str){ labels.ptr + eq + 2, end - eq - 2 };
			return true;
		}
		end++;
		while (end < labels.len && (labels.ptr[end] == ',' || labels.ptr[end] == ' '))
			end++;
		labels = (struct str){ labels.ptr + end, labels.len - end };
	}
	return false;
}

void prom_histogram_release(struct prom_histogram *h)
{
	vec_release(&h->buckets);
}

struct collector {
	struct str name;
	char *except; /* as it stands in labels: with its quotes; NULL = none */
	struct prom_histogram *out;
};

static void add_bucket(struct prom_histogram *h, double le, double count)
{
	vec_for_each (&h->buckets, b) {
		if (b->le == le) {
			b->count += count;
			return;
		}
	}
	vec_push(&h->buckets, ((struct prom_bucket){ le, count }));
}

static int collect(void *arg, const struct prom_sample *s)
{
	struct collector *c = arg;
	struct str bound;
	double le;

	if (c->except && s->labels.len &&
	    memmem(s->labels.ptr, s->labels.len, c->except, strlen(c->except)))
		return 0;
	if (str_starts_with(s->name, c->name) && s->name.len == c->name.len + strlen("_bucket") &&
	    str_ends_with(s->name, STR("_bucket")) && prom_label(s->labels, "le", &bound) &&
	    prom_value(bound, &le) == 0 && !isnan(le))
		add_bucket(c->out, le, s->value);
	return 0;
}

static int compare_bounds(const void *a, const void *b)
{
	const struct prom_bucket *x = a, *y = b;

	return (x->le > y->le) - (x->le < y->le);
}

void prom_histogram_sort(struct prom_histogram *h)
{
	if (h->buckets.len)
		qsort(h->buckets.ptr, h->buckets.len, sizeof(*h->buckets.ptr), compare_bounds);
}

int prom_histogram_read(struct str text, const char *name, const char *except,
			struct prom_histogram *ret, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *quoted = except ? xasprintf("\"%s\"", except) : NULL;
	struct collector c = { str_from(name), quoted, ret };
	int r = prom_parse(text, collect, &c, reterr);

	if (r < 0)
		return r;
	if (!ret->buckets.len)
		return error_set(reterr, -ENOENT, "there is no histogram %s", name);
	prom_histogram_sort(ret);
	return 0;
}

/* Cumulative count of bucket i between the scrapes. */
static double grown(const struct prom_histogram *before, const struct prom_histogram *after,
		    size_t i)
{
	return after->buckets.ptr[i].count -
	       (before->buckets.len ? before->buckets.ptr[i].count : 0);
}

double prom_quantile(const struct prom_histogram *before, const struct prom_histogram *after,
		     double q)
{
	size_t n = after->buckets.len, i = 0;
	double total, rank, low, below;

	if (n < 2 || (before->buckets.len && before->buckets.len != n))
		return NAN;
	total = grown(before, after, n - 1);
	if (!(total > 0))
		return NAN;
	rank = q * total;
	while (i < n - 1 && grown(before, after, i) < rank)
		i++;
	if (isinf(after->buckets.ptr[i].le))
		return after->buckets.ptr[n - 2].le;
	low = i ? after->buckets.ptr[i - 1].le : 0;
	below = i ? grown(before, after, i - 1) : 0;
	return low + (after->buckets.ptr[i].le - low) * (rank - below) /
			     (grown(before, after, i) - below);
}
