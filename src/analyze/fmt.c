#include "analyze/fmt.h"

#include <string.h>

#define UNKNOWN "\xe2\x80\x93"
#define MINUS	"\xe2\x88\x92"

/* Digits of v in groups of three; decimals as given. */
static void add_grouped(struct strbuf *sb, double v, int decimals)
{
	CLEANUP(strbuf_release) struct strbuf digits = STRBUF_INIT;
	size_t whole, first;

	strbuf_addf(&digits, "%.*f", decimals, fabs(v));
	whole = str_find(strbuf_str(&digits), '.');
	if (v < 0 && strspn(strbuf_cstr(&digits), "0.") < digits.len)
		strbuf_addstr(sb, MINUS);
	first = whole % 3 ? whole % 3 : 3;
	for (size_t i = 0; i < whole; i++) {
		if (i >= first && (i - first) % 3 == 0)
			strbuf_addch(sb, ',');
		strbuf_addch(sb, digits.ptr[i]);
	}
	strbuf_addstr(sb, digits.ptr + whole);
}

/* Three significant digits, no more than two decimals. */
static void add_three(struct strbuf *sb, double v)
{
	double size = fabs(v);

	add_grouped(sb, v, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

void fmt_ms(struct strbuf *sb, double ms)
{
	if (!figure_known(ms))
		strbuf_addstr(sb, UNKNOWN);
	else if (ms > 0 && ms < 0.0995)
		strbuf_addf(sb, "%.3f", ms);
	else
		add_three(sb, ms);
}

void fmt_count(struct strbuf *sb, double n)
{
	if (figure_known(n))
		add_grouped(sb, n, 0);
	else
		strbuf_addstr(sb, UNKNOWN);
}

/* Per cent without the sign: whole from 10, one decimal from 1, two digits below. */
static void add_percent(struct strbuf *sb, double percent)
{
	double size = fabs(percent);

	if (size >= 9.95)
		add_grouped(sb, percent, 0);
	else if (size >= 0.95)
		add_grouped(sb, percent, 1);
	else
		strbuf_addf(sb, "%.*g", size >= 0.095 ? 2 : 1, percent);
}

void fmt_share(struct strbuf *sb, double share)
{
	if (!figure_known(share)) {
		strbuf_addstr(sb, UNKNOWN);
		return;
	}
	if (share < 1 && share >= 0.995)
		strbuf_addf(sb, "%.1f", floor(share * 1000) / 10);
	else
		add_percent(sb, share * 100);
	strbuf_addstr(sb, " %");
}

void fmt_change(struct strbuf *sb, double ratio)
{
	double percent = (ratio - 1) * 100, size = fabs(percent);

	if (!figure_known(ratio)) {
		strbuf_addstr(sb, UNKNOWN);
	} else if (size < 0.05) {
		strbuf_addstr(sb, "\xc2\xb1"
				  "0 %");
	} else if (ratio >= 10) {
		strbuf_addstr(sb, "\xc3\x97");
		fmt_count(sb, ratio);
	} else if (ratio > 0 && ratio <= 0.1) {
		strbuf_addstr(sb, "\xc3\xb7");
		fmt_count(sb, 1 / ratio);
	} else {
		strbuf_addstr(sb, percent < 0 ? MINUS : "+");
		strbuf_addf(sb, "%.*f %%", size < 9.95 ? 1 : 0, size);
	}
}

void fmt_quantile(struct strbuf *sb, double q)
{
	strbuf_addf(sb, "p%.6g", q * 100);
}

void fmt_quoted(struct strbuf *sb, const char *text)
{
	strbuf_addf(sb, "\xe2\x80\x9c%s\xe2\x80\x9d", text);
}

static void add_bytes(struct strbuf *sb, double bytes)
{
	static const struct {
		double size;
		const char *name;
	} units[] = { { 1024. * 1024 * 1024, "GiB" }, { 1024. * 1024, "MiB" }, { 1024, "KiB" } };
	size_t i = 0;

	if (fabs(bytes) < 512) {
		strbuf_addstr(sb, "0 KiB");
		return;
	}
	while (i < ARRAY_SIZE(units) - 1 && fabs(bytes) < units[i].size * 0.9995)
		i++;
	add_three(sb, bytes / units[i].size);
	strbuf_addf(sb, " %s", units[i].name);
}

void fmt_figure(struct strbuf *sb, enum figure_unit unit, double v)
{
	if (!figure_known(v)) {
		strbuf_addstr(sb, UNKNOWN);
		return;
	}
	switch (unit) {
	case UNIT_PER_S:
		add_three(sb, v);
		strbuf_addstr(sb, "/s");
		break;
	case UNIT_SHARE:
		fmt_share(sb, v);
		break;
	case UNIT_MS:
		fmt_ms(sb, v);
		strbuf_addstr(sb, " ms");
		break;
	case UNIT_CORES:
		strbuf_addf(sb, "%.2f cores", v);
		break;
	case UNIT_BYTES:
		add_bytes(sb, v);
		break;
	case UNIT_BYTES_PER_MIN:
		if (v >= 512)
			strbuf_addch(sb, '+');
		add_bytes(sb, v);
		strbuf_addstr(sb, "/min");
		break;
	case UNIT_BYTES_PER_S:
		add_bytes(sb, v);
		strbuf_addstr(sb, "/s");
		break;
	case UNIT_MS_PER_S:
		fmt_ms(sb, v);
		strbuf_addstr(sb, " ms/s");
		break;
	}
}

bool fmt_is_glue(const char *text, const char *blank)
{
	static const char *const units[] = { "%", "ms", "KiB", "MiB", "GiB", "CPU", "cores", "s " };

	if (blank == text || blank[-1] < '0' || blank[-1] > '9')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strncmp(blank + 1, units[i], strlen(units[i])))
			return true;
	return false;
}
