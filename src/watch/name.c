#include "watch/name.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *watch_type(const struct watch_value *v)
{
	return v->kind == WATCH_RATE ? "Rate" : "Metric";
}

void watch_name(struct strbuf *sb, const struct watch_value *v)
{
	const char *unit = v->unit ? v->unit : "";

	strbuf_addstr(sb, v->display ? v->display : v->name);
	if (v->kind == WATCH_RATE) {
		strbuf_addf(sb, " (%s / ", *unit ? unit : "Count");
		watch_number(sb, v->interval_s);
		strbuf_addstr(sb, " sec)");
	} else if (*unit) {
		strbuf_addf(sb, " (%s)", unit);
	}
}

static void add_tags(struct strbuf *sb, size_t start, const char *tags, char sep)
{
	if (!tags || !*tags)
		return;
	if (sb->len > start)
		strbuf_addch(sb, sep);
	for (const char *p = tags; *p; p++)
		strbuf_addch(sb, *p == ',' ? sep : *p);
}

void watch_tags(struct strbuf *sb, const struct watch_value *v, char sep)
{
	size_t start = sb->len;
	char percentile[48];

	add_tags(sb, start, v->meter_tags, sep);
	add_tags(sb, start, v->instrument_tags, sep);
	add_tags(sb, start, v->tags, sep);
	if (v->kind != WATCH_QUANTILE)
		return;
	snprintf(percentile, sizeof(percentile), "Percentile=%.15g", v->quantile * 100);
	add_tags(sb, start, percentile, sep);
}

/* "d.ddde±NN" of v into its digits and the exponent of the first one. */
static int shortest_digits(double v, char *ret_digits, int *ret_exponent)
{
	char text[40];
	int n = 0;

	for (int precision = 0; precision <= 16; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	for (const char *p = text; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			ret_digits[n++] = *p;
	*ret_exponent = atoi(strchr(text, 'e') + 1);
	while (n > 1 && ret_digits[n - 1] == '0')
		n--;
	return n;
}

static void add_scientific(struct strbuf *sb, const char *digits, int n, int exponent)
{
	strbuf_addch(sb, digits[0]);
	if (n > 1)
		strbuf_addf(sb, ".%.*s", n - 1, digits + 1);
	strbuf_addf(sb, "E%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static void add_plain(struct strbuf *sb, const char *digits, int n, int exponent)
{
	if (exponent < 0) {
		strbuf_addstr(sb, "0.");
		for (int i = -1; i > exponent; i--)
			strbuf_addch(sb, '0');
		strbuf_add(sb, digits, (size_t)n);
		return;
	}
	for (int i = 0; i < MAX(n, exponent + 1); i++) {
		if (i == exponent + 1)
			strbuf_addch(sb, '.');
		strbuf_addch(sb, i < n ? digits[i] : '0');
	}
}

void watch_number(struct strbuf *sb, double value)
{
	char digits[20];
	int n, exponent;

	if (!isfinite(value)) {
		strbuf_addstr(sb, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
		return;
	}
	if (signbit(value))
		strbuf_addch(sb, '-');
	n = shortest_digits(fabs(value), digits, &exponent);
	if (exponent >= 15 || exponent < -4)
		add_scientific(sb, digits, n, exponent);
	else
		add_plain(sb, digits, n, exponent);
}
