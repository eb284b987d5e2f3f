#include "watch/cells.h"

#include <math.h>
#include <stdio.h>

/* The character at text[at]: its bytes in *ret_bytes and its width, or -1 when it is not shown. */
static int width_at(struct str text, size_t at, size_t *ret_bytes)
{
	static const struct {
		uint32_t first, last;
		int width;
	} ranges[] = {
		{ 0x00, 0x1f, -1 },	 { 0x7f, 0x9f, -1 },	 { 0x300, 0x36f, 0 },
		{ 0x1100, 0x115f, 2 },	 { 0x200b, 0x200f, -1 }, { 0x2028, 0x202e, -1 },
		{ 0x2066, 0x2069, -1 },	 { 0x2e80, 0xa4cf, 2 },	 { 0xac00, 0xd7a3, 2 },
		{ 0xf900, 0xfaff, 2 },	 { 0xfe30, 0xfe6f, 2 },	 { 0xfeff, 0xfeff, -1 },
		{ 0xff00, 0xff60, 2 },	 { 0xffe0, 0xffe6, 2 },	 { 0x1f300, 0x1faff, 2 },
		{ 0x20000, 0x3fffd, 2 },
	};
	size_t n = str_utf8_length(text, at);
	uint32_t c = (unsigned char)text.ptr[at];

	*ret_bytes = n ? n : 1;
	if (!n)
		return -1;
	if (n > 1)
		c &= 0xffu >> (n + 1);
	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)text.ptr[at + i] & 0x3f);
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

unsigned watch_cells(struct str text)
{
	unsigned cells = 0;
	size_t bytes;

	for (size_t at = 0; at < text.len; at += bytes) {
		int width = width_at(text, at, &bytes);

		cells += width < 0 ? 1 : (unsigned)width;
	}
	return cells;
}

/* Appends characters from *at on while they fit. */
static unsigned add_while(struct strbuf *sb, struct str text, size_t *at, unsigned cells)
{
	unsigned used = 0;
	size_t bytes;

	for (; *at < text.len; *at += bytes) {
		int width = width_at(text, *at, &bytes);
		unsigned takes = width < 0 ? 1 : (unsigned)width;

		if (used + takes > cells)
			break;
		if (width < 0)
			strbuf_addch(sb, '?');
		else
			strbuf_add(sb, text.ptr + *at, bytes);
		used += takes;
	}
	return used;
}

unsigned watch_add_cut(struct strbuf *sb, struct str text, unsigned cells, bool utf8)
{
	unsigned all = watch_cells(text), used, head, tail, skip;
	size_t at = 0, bytes;

	if (all <= cells)
		return add_while(sb, text, &at, cells);
	if (!cells)
		return 0;
	head = cells * 2 / 3; /* names begin with what they are about */
	tail = cells - head - 1;
	used = add_while(sb, text, &at, head);
	strbuf_addstr(sb, utf8 ? "…" : "~");
	skip = used;
	while (at < text.len && all - skip > tail) {
		int width = width_at(text, at, &bytes);

		skip += width < 0 ? 1 : (unsigned)width;
		at += bytes;
	}
	return used + 1 + add_while(sb, text, &at, tail);
}

static void add_blanks(struct strbuf *sb, unsigned n)
{
	while (n--)
		strbuf_addch(sb, ' ');
}

void watch_add_left(struct strbuf *sb, struct str text, unsigned cells, bool utf8)
{
	add_blanks(sb, cells - watch_add_cut(sb, text, cells, utf8));
}

void watch_add_right(struct strbuf *sb, struct str text, unsigned cells, bool utf8)
{
	unsigned width = watch_cells(text);

	if (width < cells)
		add_blanks(sb, cells - width);
	watch_add_cut(sb, text, cells, utf8);
}

static int decimals_of(double v)
{
	return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
}

static void add_small(struct strbuf *sb, double v, bool negative)
{
	if (v == 0)
		strbuf_addstr(sb, "0");
	else if (v < 0.0005)
		strbuf_addf(sb, "%s%.0e", negative ? "-" : "", v);
	else if (v < 0.9995)
		strbuf_addf(sb, "%s%.3f", negative ? "-" : "", v);
	else if (v == floor(v) || v >= 99.95)
		strbuf_addf(sb, "%s%.0f", negative ? "-" : "", v);
	else
		strbuf_addf(sb, "%s%.*f", negative ? "-" : "", decimals_of(v), v);
}

void watch_add_short_number(struct strbuf *sb, double value)
{
	static const char units[] = "kMGTPE";
	double v = fabs(value);
	size_t unit = 0;

	if (!isfinite(value)) {
		strbuf_addstr(sb, isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
		return;
	}
	if (v < 9999.5) {
		add_small(sb, v, value < 0);
		return;
	}
	for (v /= 1000; v >= 999.5 && units[unit + 1]; unit++)
		v /= 1000;
	if (v >= 999.5)
		strbuf_addf(sb, "%.2e", value);
	else
		strbuf_addf(sb, "%s%.*f %c", value < 0 ? "-" : "", decimals_of(v), v, units[unit]);
}
