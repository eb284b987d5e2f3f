/*
 * JSON into a tree that keeps places. jansson, which reads JSON elsewhere, forgets where a value
 * stood, and a message about the tenth request of a long file has to say it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "conf/conf_internal.h"

struct reader {
	struct str text;
	size_t at, line_start;
	unsigned line, depth;
	const struct conf *conf;
	struct error *reterr;
};

static int refuse(const struct reader *r, const char *what)
{
	struct conf_node at = { .line = r->line, .column = (unsigned)(r->at - r->line_start) + 1 };

	return conf_error(r->conf, &at, r->reterr, "not JSON: %s", what);
}

static bool at_end(const struct reader *r)
{
	return r->at >= r->text.len;
}

static char peek(const struct reader *r)
{
	return at_end(r) ? '\0' : r->text.ptr[r->at];
}

static void skip_blanks(struct reader *r)
{
	while (!at_end(r)) {
		char c = peek(r);

		if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
			return;
		r->at++;
		if (c == '\n') {
			r->line++;
			r->line_start = r->at;
		}
	}
}

/* ---- texts ---- */

/* The four digits of \uXXXX; -1 when they are none. */
static int32_t take_hex(struct reader *r)
{
	int32_t v = 0;

	if (r->text.len - r->at < 4)
		return -1;
	for (unsigned i = 0; i < 4; i++) {
		int digit = str_hex_digit(r->text.ptr[r->at + i]);

		if (digit < 0)
			return -1;
		v = v * 16 + digit;
	}
	r->at += 4;
	return v;
}

/* A pair of surrogates is one character; half of one stands for none. */
static int take_unicode(struct reader *r, struct strbuf *out)
{
	int32_t high = take_hex(r), low;

	if (high < 0)
		return refuse(r, "\\u takes four hexadecimal digits");
	if (high < 0xd800 || high > 0xdfff) {
		strbuf_add_utf8(out, (uint32_t)high);
		return 0;
	}
	if (high < 0xdc00 && r->text.len - r->at >= 6 && r->text.ptr[r->at] == '\\' &&
	    r->text.ptr[r->at + 1] == 'u') {
		size_t before = r->at;

		r->at += 2;
		low = take_hex(r);
		if (low >= 0xdc00 && low <= 0xdfff) {
			strbuf_add_utf8(out, 0x10000 + (((uint32_t)high & 0x3ff) << 10 |
							((uint32_t)low & 0x3ff)));
			return 0;
		}
		r->at = before;
	}
	strbuf_add_utf8(out, 0xfffd);
	return 0;
}

static int take_escape(struct reader *r, struct strbuf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *known = !at_end(r) && peek(r) ? strchr(from, peek(r)) : NULL;

	if (known) {
		r->at++;
		strbuf_addch(out, to[known - from]);
		return 0;
	}
	if (peek(r) != 'u')
		return refuse(r, "there is no such escape");
	r->at++;
	return take_unicode(r, out);
}

static int take_string(struct reader *r, struct strbuf *out)
{
	r->at++;
	while (!at_end(r)) {
		unsigned char c = (unsigned char)peek(r);
		size_t n;
		int err = 0;

		if (c == '"') {
			r->at++;
			return 0;
		}
		if (c < 0x20)
			return refuse(r, "a text ends with \" in its line");
		n = str_utf8_length(r->text, r->at);
		if (!n)
			return refuse(r, "bytes that are not UTF-8");
		if (c == '\\') {
			r->at++;
			err = take_escape(r, out);
		} else {
			strbuf_add(out, r->text.ptr + r->at, n);
			r->at += n;
		}
		if (err < 0)
			return err;
	}
	return refuse(r, "it ends within a text");
}

/* ---- values ---- */

static void take_digits(struct reader *r)
{
	while (peek(r) >= '0' && peek(r) <= '9')
		r->at++;
}

static int take_number(struct reader *r)
{
	size_t start;

	if (peek(r) == '-')
		r->at++;
	start = r->at;
	take_digits(r);
	if (r->at == start || (r->text.ptr[start] == '0' && r->at - start > 1))
		return refuse(r, "expected a value");
	if (peek(r) == '.') {
		start = ++r->at;
		take_digits(r);
		if (r->at == start)
			return refuse(r, "expected a digit");
	}
	if (peek(r) == 'e' || peek(r) == 'E') {
		r->at++;
		if (peek(r) == '+' || peek(r) == '-')
			r->at++;
		start = r->at;
		take_digits(r);
		if (r->at == start)
			return refuse(r, "expected a digit");
	}
	return 0;
}

static int take_plain(struct reader *r, struct conf_node *n)
{
	static const struct str words[] = { STR("null"), STR("true"), STR("false") };
	struct str rest = { r->text.ptr + r->at, r->text.len - r->at };
	size_t start = r->at;
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_starts_with(rest, words[i]))
			r->at += words[i].len;
	if (r->at == start)
		err = take_number(r);
	if (err < 0)
		return err;
	n->len = r->at - start;
	n->text = xstrndup(r->text.ptr + start, n->len);
	return 0;
}

static int take_text(struct reader *r, struct conf_node *n)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = take_string(r, &text);

	if (err < 0)
		return err;
	n->len = text.len;
	n->text = strbuf_detach(&text);
	n->quoted = true;
	return 0;
}

static int take_value(struct reader *r, struct conf_node *n);

static int take_key(struct reader *r, struct conf_node *n)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;
	int err;

	skip_blanks(r);
	n->key_line = r->line;
	n->key_column = (unsigned)(r->at - r->line_start) + 1;
	if (peek(r) != '"')
		return refuse(r, "expected a key in double quotes");
	err = take_string(r, &key);
	if (err < 0)
		return err;
	n->key = strbuf_detach(&key);
	skip_blanks(r);
	if (peek(r) != ':')
		return refuse(r, "expected :");
	r->at++;
	return 0;
}

static int take_items(struct reader *r, struct conf_node *n, char end)
{
	for (;;) {
		struct conf_node *child = conf_add_child(n);
		int err = end == '}' ? take_key(r, child) : 0;

		if (err == 0)
			err = take_value(r, child);
		if (err < 0)
			return err;
		skip_blanks(r);
		if (peek(r) == end) {
			r->at++;
			return 0;
		}
		if (peek(r) != ',')
			return refuse(r, end == '}' ? "expected , or }" : "expected , or ]");
		r->at++;
	}
}

static int take_container(struct reader *r, struct conf_node *n)
{
	char end = peek(r) == '{' ? '}' : ']';
	int err = 0;

	if (r->depth == CONF_DOCUMENT_DEPTH_MAX)
		return refuse(r, "nested too deeply");
	n->kind = end == '}' ? CONF_MAP : CONF_LIST;
	r->at++;
	skip_blanks(r);
	r->depth++;
	if (peek(r) == end)
		r->at++;
	else
		err = take_items(r, n, end);
	r->depth--;
	return err;
}

static int take_value(struct reader *r, struct conf_node *n)
{
	skip_blanks(r);
	n->line = r->line;
	n->column = (unsigned)(r->at - r->line_start) + 1;
	if (at_end(r))
		return refuse(r, "it ends where a value is missing");
	if (peek(r) == '{' || peek(r) == '[')
		return take_container(r, n);
	return peek(r) == '"' ? take_text(r, n) : take_plain(r, n);
}

int conf_parse_json(struct str text, struct conf *c, struct error *reterr)
{
	struct reader r = { .text = text, .line = 1, .conf = c, .reterr = reterr };
	int err = take_value(&r, &c->root);

	if (err < 0)
		return err;
	skip_blanks(&r);
	return at_end(&r) ? 0 : refuse(&r, "something follows the value");
}
