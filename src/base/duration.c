#include "base/duration.h"

#include <errno.h>

#include "base/num.h"

static const struct unit {
	const char *name;
	double ns;
} units[] = {
	{ "ns", 1 },	      { "us", 1e3 },	{ "\xc2\xb5s", 1e3 }, /* U+00B5, micro sign */
	{ "\xce\xbcs", 1e3 },					      /* U+03BC, Greek mu */
	{ "ms", 1e6 },	      { "s", 1e9 },	{ "m", 60e9 },
	{ "h", 3600e9 },      { "d", 86400e9 },
};

static size_t number_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && ((s.ptr[n] >= '0' && s.ptr[n] <= '9') || s.ptr[n] == '.'))
		n++;
	return n;
}

static size_t unit_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && !((s.ptr[n] >= '0' && s.ptr[n] <= '9') || s.ptr[n] == '.'))
		n++;
	return n;
}

static const struct unit *find_unit(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_eq_c(name, units[i].name))
			return &units[i];
	return NULL;
}

/* Cuts one "12.5ms" off the front; a number alone is milliseconds only if it is the whole text. */
static int parse_part(struct str *s, bool first, double *ret_ns)
{
	size_t n = number_length(*s);
	const struct unit *unit;
	struct str name;
	double v;
	int r;

	r = num_parse_double((struct str){ s->ptr, n }, &v);
	if (r < 0)
		return r;
	*s = (struct str){ s->ptr + n, s->len - n };
	if (!s->len) {
		*ret_ns = v * 1e6;
		return first || v == 0 ? 0 : -EINVAL;
	}
	name = (struct str){ s->ptr, unit_length(*s) };
	unit = find_unit(name);
	if (!unit)
		return -EINVAL;
	*s = (struct str){ s->ptr + name.len, s->len - name.len };
	*ret_ns = v * unit->ns;
	return 0;
}

int duration_parse(struct str s, uint64_t *ret_ns)
{
	double total = 0;

	if (!s.len)
		return -EINVAL;
	if (s.ptr[0] == '-')
		return -ERANGE;
	for (bool first = true; s.len; first = false) {
		double part;
		int r = parse_part(&s, first, &part);

		if (r < 0)
			return r;
		total += part;
	}
	if (total > (double)DURATION_MAX_NS)
		return -ERANGE;
	*ret_ns = (uint64_t)(total + 0.5);
	return 0;
}

/* v/scale with up to 9 decimals, trailing zeros cut. */
static void add_decimal(struct strbuf *sb, uint64_t v, uint64_t scale, const char *unit)
{
	uint64_t rest = v % scale;

	strbuf_addf(sb, "%llu", (unsigned long long)(v / scale));
	if (rest) {
		strbuf_addch(sb, '.');
		while (rest) {
			rest *= 10;
			strbuf_addch(sb, (char)('0' + rest / scale));
			rest %= scale;
		}
	}
	strbuf_addstr(sb, unit);
}

void duration_fmt(struct strbuf *sb, uint64_t ns)
{
	uint64_t minutes = ns / (60 * NS_PER_S);

	if (ns && ns < NS_PER_US)
		add_decimal(sb, ns, 1, "ns");
	else if (ns && ns < NS_PER_MS)
		add_decimal(sb, ns, NS_PER_US, "\xc2\xb5s");
	else if (ns && ns < NS_PER_S)
		add_decimal(sb, ns, NS_PER_MS, "ms");
	else {
		if (minutes >= 60)
			strbuf_addf(sb, "%lluh", (unsigned long long)(minutes / 60));
		if (minutes)
			strbuf_addf(sb, "%llum", (unsigned long long)(minutes % 60));
		add_decimal(sb, ns % (60 * NS_PER_S), NS_PER_S, "s");
	}
}

void duration_fmt_short(struct strbuf *sb, uint64_t ns)
{
	static const struct unit steps[] = { { "s", 1e9 }, { "ms", 1e6 }, { "\xc2\xb5s", 1e3 } };
	size_t i = ns >= NS_PER_S ? 0 : ns >= 100 * NS_PER_US ? 1 : 2;
	double v = (double)ns / steps[i].ns;

	strbuf_addf(sb, "%.*f %s", v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, steps[i].name);
}
