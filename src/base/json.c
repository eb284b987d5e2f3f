#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

void json_init(struct json_writer *w, struct strbuf *out, enum json_style style)
{
	*w = (struct json_writer){ .out = out, .style = style };
}

static void newline(struct json_writer *w)
{
	strbuf_addch(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		strbuf_addstr(w->out, "  ");
}

/* Comma, line break and key that come before every value. */
static void begin_value(struct json_writer *w, const char *key)
{
	bool *has_items = &w->has_items[w->depth];

	if (*has_items)
		strbuf_addch(w->out, ',');
	if (w->style == JSON_INDENT && w->depth)
		newline(w);
	*has_items = true;
	if (!key)
		return;
	json_add_quoted(w->out, str_from(key));
	strbuf_addstr(w->out, w->style == JSON_INDENT ? ": " : ":");
}

static void begin_container(struct json_writer *w, const char *key, char bracket)
{
	begin_value(w, key);
	strbuf_addch(w->out, bracket);
	w->depth++;
	BUG_ON(w->depth >= JSON_DEPTH_MAX);
	w->has_items[w->depth] = false;
}

static void end_container(struct json_writer *w, char bracket)
{
	bool had_items = w->has_items[w->depth];

	BUG_ON(!w->depth);
	w->depth--;
	if (had_items && w->style == JSON_INDENT)
		newline(w);
	strbuf_addch(w->out, bracket);
}

void json_object_begin(struct json_writer *w, const char *key)
{
	begin_container(w, key, '{');
}

void json_object_end(struct json_writer *w)
{
	end_container(w, '}');
}

void json_array_begin(struct json_writer *w, const char *key)
{
	begin_container(w, key, '[');
}

void json_array_end(struct json_writer *w)
{
	end_container(w, ']');
}

void json_cstr(struct json_writer *w, const char *key, const char *value)
{
	if (!value)
		json_none(w, key);
	else
		json_str(w, key, str_from(value));
}

void json_str(struct json_writer *w, const char *key, struct str value)
{
	begin_value(w, key);
	json_add_quoted(w->out, value);
}

void json_int(struct json_writer *w, const char *key, int64_t value)
{
	begin_value(w, key);
	strbuf_addf(w->out, "%lld", (long long)value);
}

void json_uint(struct json_writer *w, const char *key, uint64_t value)
{
	begin_value(w, key);
	strbuf_addf(w->out, "%llu", (unsigned long long)value);
}

void json_double(struct json_writer *w, const char *key, double value)
{
	begin_value(w, key);
	json_add_double(w->out, value);
}

void json_bool(struct json_writer *w, const char *key, bool value)
{
	begin_value(w, key);
	strbuf_addstr(w->out, value ? "true" : "false");
}

void json_none(struct json_writer *w, const char *key)
{
	begin_value(w, key);
	strbuf_addstr(w->out, "null");
}

void json_raw(struct json_writer *w, const char *key, struct str text)
{
	begin_value(w, key);
	strbuf_add(w->out, text.ptr, text.len);
}

static void add_escaped_ascii(struct strbuf *sb, char c)
{
	static const char from[] = "\"\\\n\r\t\b\f", to[] = "\"\\nrtbf";
	const char *known = c ? strchr(from, c) : NULL;

	if (known)
		strbuf_addf(sb, "\\%c", to[known - from]);
	else if ((unsigned char)c < 0x20 || c == 0x7f)
		strbuf_addf(sb, "\\u%04x", (unsigned char)c);
	else
		strbuf_addch(sb, c);
}

void json_add_quoted(struct strbuf *sb, struct str s)
{
	strbuf_addch(sb, '"');
	for (size_t i = 0; i < s.len;) {
		size_t n = str_utf8_length(s, i);

		if (n == 1)
			add_escaped_ascii(sb, s.ptr[i]);
		else if (n)
			strbuf_add(sb, s.ptr + i, n);
		else
			strbuf_addstr(sb, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	strbuf_addch(sb, '"');
}

/* Millionths, to which durations are rounded, go without printf. Below 0.0001 "%g" has an exponent.
 */
static bool add_millionths(struct strbuf *sb, double v)
{
	uint64_t k;
	unsigned width = 6;

	if (!num_millionths(v, &k) || (k && k < 100) || (!k && signbit(v)))
		return false;
	if (v < 0)
		strbuf_addch(sb, '-');
	strbuf_add_uint(sb, k / 1000000, 1);
	k %= 1000000;
	if (!k)
		return true;
	for (; k % 10 == 0; k /= 10)
		width--;
	strbuf_addch(sb, '.');
	strbuf_add_uint(sb, k, width);
	return true;
}

void json_add_double(struct strbuf *sb, double v)
{
	char text[32];

	if (!isfinite(v)) {
		strbuf_addstr(sb, "null");
		return;
	}
	if (add_millionths(sb, v))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	strbuf_addstr(sb, text);
}
