/* Selectors from text. */
#include "load/k6/html_select.h"

#include <errno.h>
#include <stdlib.h>

/* :not(:not(:not(...))) */
#define NESTING_MAX 16

struct reader {
	struct arena *arena;
	struct str rest;
	unsigned nesting;
	bool refused; /* a selector k6 knows and we do not */
};

static struct load_html_group *read_group(struct reader *r, bool nested);

static char peek(const struct reader *r)
{
	return r->rest.len ? r->rest.ptr[0] : '\0';
}

static void skip(struct reader *r, size_t n)
{
	r->rest.ptr += n;
	r->rest.len -= n;
}

static bool take(struct reader *r, char c)
{
	if (peek(r) != c || !r->rest.len)
		return false;
	skip(r, 1);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool skip_blanks(struct reader *r)
{
	bool any = false;

	while (r->rest.len && is_blank(peek(r))) {
		skip(r, 1);
		any = true;
	}
	return any;
}

static bool is_name_start(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || (c & 0x80);
}

static bool is_name_char(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9') || c == '-';
}

static void add_utf8(struct strbuf *out, uint32_t c)
{
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		strbuf_addch(out, (char)c);
	} else if (c < 0x800) {
		strbuf_addch(out, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		strbuf_addch(out, (char)(0xe0 | c >> 12));
		strbuf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		strbuf_addch(out, (char)(0xf0 | c >> 18));
		strbuf_addch(out, (char)(0x80 | (c >> 12 & 0x3f)));
		strbuf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	if (c >= 0x80)
		strbuf_addch(out, (char)(0x80 | (c & 0x3f)));
}

/* What a backslash begins (CSS Syntax 4.3.7): up to six hex digits and one blank, or a character
 * that stands for itself. */
static bool read_escape(struct reader *r, struct strbuf *out)
{
	uint32_t c = 0;
	int digits = 0;

	skip(r, 1);
	while (digits < 6 && r->rest.len && str_hex_digit(peek(r)) >= 0) {
		c = c * 16 + (uint32_t)str_hex_digit(peek(r));
		skip(r, 1);
		digits++;
	}
	if (digits) {
		if (r->rest.len && is_blank(peek(r)))
			skip(r, 1);
		add_utf8(out, c);
		return true;
	}
	if (!r->rest.len || peek(r) == '\n')
		return false;
	strbuf_addch(out, peek(r));
	skip(r, 1);
	return true;
}

static bool keep(struct reader *r, const struct strbuf *sb, struct str *ret)
{
	*ret = arena_str(r->arena, strbuf_str(sb));
	return ret->ptr != NULL;
}

/* any: what may begin with a digit, as in "#1st" */
static bool read_name(struct reader *r, bool any, struct str *ret)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	while (take(r, '-'))
		strbuf_addch(&sb, '-');
	if (!r->rest.len)
		return false;
	if (!(any ? is_name_char(peek(r)) : is_name_start(peek(r))) && peek(r) != '\\')
		return false;
	while (r->rest.len && (is_name_char(peek(r)) || peek(r) == '\\')) {
		if (peek(r) == '\\') {
			if (!read_escape(r, &sb))
				return false;
			continue;
		}
		strbuf_addch(&sb, peek(r));
		skip(r, 1);
	}
	return keep(r, &sb, ret);
}

static bool read_string(struct reader *r, struct str *ret)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	char quote = peek(r);

	skip(r, 1);
	while (r->rest.len && peek(r) != quote) {
		if (peek(r) == '\\' && r->rest.len > 1 && r->rest.ptr[1] == '\n') {
			skip(r, 2);
		} else if (peek(r) == '\\') {
			if (!read_escape(r, &sb))
				return false;
		} else {
			strbuf_addch(&sb, peek(r));
			skip(r, 1);
		}
	}
	return take(r, quote) && keep(r, &sb, ret);
}

static bool read_value(struct reader *r, struct str *ret)
{
	return peek(r) == '"' || peek(r) == '\'' ? read_string(r, ret) : read_name(r, false, ret);
}

static void lower(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')
			((char *)(uintptr_t)s.ptr)[i] = (char)(s.ptr[i] | 0x20);
}

static struct html_simple *new_simple(struct reader *r, enum html_test test)
{
	struct html_simple *s = arena_zalloc(r->arena, sizeof(*s));

	if (s)
		s->test = test;
	return s;
}

/* ---- [a=b], #id, .class ---- */

static bool read_operator(struct reader *r, enum html_test *ret)
{
	static const struct {
		char c;
		enum html_test test;
	} all[] = {
		{ '!', HTML_TEST_DIFFERS }, { '~', HTML_TEST_WORD },   { '|', HTML_TEST_DASH },
		{ '^', HTML_TEST_PREFIX },  { '$', HTML_TEST_SUFFIX }, { '*', HTML_TEST_PART },
	};

	*ret = HTML_TEST_EQUALS;
	if (take(r, '='))
		return true;
	r->refused |= peek(r) == '#';
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (peek(r) == all[i].c) {
			*ret = all[i].test;
			skip(r, 1);
			return take(r, '=');
		}
	}
	return false;
}

static struct html_simple *read_attr(struct reader *r)
{
	struct html_simple *s = new_simple(r, HTML_TEST_ATTR);

	skip_blanks(r);
	if (!s || !read_name(r, false, &s->name))
		return NULL;
	lower(s->name);
	skip_blanks(r);
	if (take(r, ']'))
		return s;
	if (!read_operator(r, &s->test))
		return NULL;
	skip_blanks(r);
	if (!read_value(r, &s->value))
		return NULL;
	if (skip_blanks(r) && (peek(r) | 0x20) == 'i') {
		s->ignore_case = true;
		skip(r, 1);
		skip_blanks(r);
	}
	return take(r, ']') ? s : NULL;
}

static struct html_simple *read_named(struct reader *r, enum html_test test, struct str attr)
{
	struct html_simple *s = new_simple(r, test);

	if (!s || !read_name(r, test == HTML_TEST_EQUALS, &s->value))
		return NULL;
	s->name = attr;
	return s;
}

/* ---- pseudo-classes ---- */

enum argument { ARG_NONE, ARG_GROUP, ARG_TEXT, ARG_NTH };

static const struct pseudo {
	const char *name;
	enum html_test test;
	enum argument arg;
	bool from_end, of_type;
} pseudos[] = {
	{ "not", HTML_TEST_NOT, ARG_GROUP },
	{ "is", HTML_TEST_MATCHES, ARG_GROUP },
	{ "where", HTML_TEST_MATCHES, ARG_GROUP },
	{ "has", HTML_TEST_HAS, ARG_GROUP },
	{ "haschild", HTML_TEST_HAS_CHILD, ARG_GROUP },
	{ "contains", HTML_TEST_CONTAINS, ARG_TEXT },
	{ "containsown", HTML_TEST_CONTAINS_OWN, ARG_TEXT },
	{ "lang", HTML_TEST_LANG, ARG_TEXT },
	{ "nth-child", HTML_TEST_NTH, ARG_NTH },
	{ "nth-last-child", HTML_TEST_NTH, ARG_NTH, .from_end = true },
	{ "nth-of-type", HTML_TEST_NTH, ARG_NTH, .of_type = true },
	{ "nth-last-of-type", HTML_TEST_NTH, ARG_NTH, .from_end = true, .of_type = true },
	{ "first-child", HTML_TEST_NTH, ARG_NONE },
	{ "last-child", HTML_TEST_NTH, ARG_NONE, .from_end = true },
	{ "first-of-type", HTML_TEST_NTH, ARG_NONE, .of_type = true },
	{ "last-of-type", HTML_TEST_NTH, ARG_NONE, .from_end = true, .of_type = true },
	{ "only-child", HTML_TEST_ONLY, ARG_NONE },
	{ "only-of-type", HTML_TEST_ONLY, ARG_NONE, .of_type = true },
	{ "input", HTML_TEST_INPUT, ARG_NONE },
	{ "empty", HTML_TEST_EMPTY, ARG_NONE },
	{ "root", HTML_TEST_ROOT, ARG_NONE },
	{ "link", HTML_TEST_LINK, ARG_NONE },
	{ "enabled", HTML_TEST_ENABLED, ARG_NONE },
	{ "disabled", HTML_TEST_DISABLED, ARG_NONE },
	{ "checked", HTML_TEST_CHECKED, ARG_NONE },
	{ "required", HTML_TEST_REQUIRED, ARG_NONE },
	{ "optional", HTML_TEST_OPTIONAL, ARG_NONE },
};

static bool read_int(struct reader *r, int *ret)
{
	int n = 0, digits = 0;

	for (; r->rest.len && peek(r) >= '0' && peek(r) <= '9'; digits++) {
		if (digits == 8)
			return false;
		n = n * 10 + (peek(r) - '0');
		skip(r, 1);
	}
	*ret = n;
	return digits > 0;
}

static bool take_word(struct reader *r, const char *word)
{
	struct str head = { r->rest.ptr, MIN(r->rest.len, strlen(word)) };

	if (!str_ieq(head, str_from(word)))
		return false;
	skip(r, head.len);
	return true;
}

/* an+b, odd, even, b */
static bool read_nth(struct reader *r, struct html_simple *s)
{
	int sign, n = 1;
	bool has_number;

	s->a = 2;
	s->b = 1;
	if (take_word(r, "odd"))
		return true;
	s->b = 0;
	if (take_word(r, "even"))
		return true;
	sign = take(r, '-') ? -1 : 1;
	if (sign == 1)
		take(r, '+');
	has_number = read_int(r, &n);
	if (!take(r, 'n') && !take(r, 'N')) {
		s->a = 0;
		s->b = sign * n;
		return has_number;
	}
	s->a = has_number ? sign * n : sign;
	skip_blanks(r);
	if (peek(r) != '+' && peek(r) != '-')
		return true;
	sign = peek(r) == '-' ? -1 : 1;
	skip(r, 1);
	skip_blanks(r);
	if (!read_int(r, &n))
		return false;
	s->b = sign * n;
	return true;
}

static bool read_argument(struct reader *r, struct html_simple *s, enum argument arg)
{
	bool ok;

	if (!take(r, '('))
		return false;
	skip_blanks(r);
	switch (arg) {
	case ARG_GROUP:
		s->sub = read_group(r, true);
		ok = s->sub != NULL;
		break;
	case ARG_TEXT:
		ok = read_value(r, &s->value);
		break;
	default:
		ok = read_nth(r, s);
	}
	skip_blanks(r);
	return ok && take(r, ')');
}

static struct html_simple *read_pseudo(struct reader *r)
{
	struct html_simple *s;
	struct str name;

	if (!read_name(r, false, &name))
		return NULL;
	lower(name);
	r->refused |= str_eq_c(name, "matches") || str_eq_c(name, "matchesown");
	for (size_t i = 0; i < ARRAY_SIZE(pseudos); i++) {
		const struct pseudo *p = &pseudos[i];

		if (!str_eq_c(name, p->name))
			continue;
		s = new_simple(r, p->test);
		if (!s)
			return NULL;
		s->from_end = p->from_end;
		s->of_type = p->of_type;
		s->b = 1; /* of :first-child */
		return p->arg == ARG_NONE || read_argument(r, s, p->arg) ? s : NULL;
	}
	return NULL;
}

/* ---- compounds and groups ---- */

static struct html_simple *read_simple(struct reader *r)
{
	if (take(r, '#'))
		return read_named(r, HTML_TEST_EQUALS, STR("id"));
	if (take(r, '.'))
		return read_named(r, HTML_TEST_WORD, STR("class"));
	if (take(r, '['))
		return read_attr(r);
	return take(r, ':') ? read_pseudo(r) : NULL;
}

static struct html_simple *read_tag(struct reader *r)
{
	struct html_simple *s = new_simple(r, HTML_TEST_TAG);

	if (!s || !read_name(r, false, &s->name))
		return NULL;
	lower(s->name);
	return s;
}

static bool begins_simple(const struct reader *r)
{
	return r->rest.len && strchr("#.[:", peek(r));
}

static struct html_simple *read_tests(struct reader *r)
{
	struct html_simple *first = NULL, **end = &first;

	if (take(r, '*')) {
		first = new_simple(r, HTML_TEST_ANY);
		end = first ? &first->next : NULL;
	} else if (!begins_simple(r)) {
		first = read_tag(r);
		end = first ? &first->next : NULL;
	}
	while (end && begins_simple(r)) {
		*end = read_simple(r);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return first;
}

/* The combinator before the next compound; '\0' at the end of this alternative. */
static char read_combinator(struct reader *r)
{
	bool blanks = skip_blanks(r);
	char c = peek(r);

	if (r->rest.len && strchr(">+~", c) && c) {
		skip(r, 1);
		skip_blanks(r);
		return c;
	}
	return blanks && r->rest.len && c != ',' && c != ')' ? ' ' : '\0';
}

static struct html_compound *read_complex(struct reader *r)
{
	struct html_compound *last = NULL, *c;
	char combinator = '\0';

	do {
		c = arena_zalloc(r->arena, sizeof(*c));
		if (!c)
			return NULL;
		c->tests = read_tests(r);
		if (!c->tests)
			return NULL;
		c->before = last;
		c->combinator = combinator;
		last = c;
		combinator = read_combinator(r);
	} while (combinator);
	return last;
}

/* NULL = not a selector. A nested one ends before its ")". */
static struct load_html_group *read_group(struct reader *r, bool nested)
{
	struct load_html_group *first = NULL, **end = &first;

	if (r->nesting == NESTING_MAX)
		return NULL;
	r->nesting++;
	do {
		skip_blanks(r);
		*end = arena_zalloc(r->arena, sizeof(**end));
		if (!*end)
			return NULL;
		(*end)->last = read_complex(r);
		if (!(*end)->last)
			return NULL;
		end = &(*end)->next;
	} while (take(r, ','));
	r->nesting--;
	return nested || !r->rest.len ? first : NULL;
}

int load_html_selector_new(struct load_html_selector **ret, struct str text, struct error *reterr)
{
	CLEANUP(cleanup_load_html_selector) struct load_html_selector *s = NULL;
	struct reader r = { .rest = text };

	if (text.len > LOAD_HTML_SELECTOR_BYTES_MAX)
		return error_set(reterr, -EINVAL, "a selector of more than %d bytes",
				 LOAD_HTML_SELECTOR_BYTES_MAX);
	s = xcalloc(1, sizeof(*s));
	r.arena = &s->arena;
	s->group = read_group(&r, false);
	if (s->group) {
		*ret = TAKE(s);
		return 0;
	}
	if (r.refused)
		return error_set(reterr, -ENOTSUP,
				 "regular expressions in selectors are not "
				 "available: \"%.*s\"",
				 STR_FMT(text));
	return error_set(reterr, -EINVAL, "not a selector: \"%.*s\", at \"%.*s\"", STR_FMT(text),
			 STR_FMT(r.rest));
}

void load_html_selector_free(struct load_html_selector *s)
{
	if (!s)
		return;
	arena_release(&s->arena);
	free(s);
}
