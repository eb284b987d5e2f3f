/*
 * Elements against selectors, from the right to the left. Where a combinator has many candidates,
 * the outcome tells how far it is worth trying: if what stands left of a descendant combinator was
 * not found above, no higher start will find it either. That keeps "a b c d" linear in the depth.
 */
#include "load/k6/html_select.h"

enum outcome {
	MATCHED,
	FAILED_HERE,	 /* another candidate may do */
	FAILED_SIBLINGS, /* none among the earlier siblings will */
	FAILED_ABOVE,	 /* none above either */
};

static bool match_group(const struct load_html_group *g, const struct load_html_node *n,
			uint64_t *steps);

/* ---- attributes ---- */

static bool equal(struct str a, struct str b, bool ignore_case)
{
	return ignore_case ? str_ieq(a, b) : str_eq(a, b);
}

static struct str head(struct str s, size_t len)
{
	return (struct str){ s.ptr, MIN(len, s.len) };
}

static struct str tail(struct str s, size_t len)
{
	len = MIN(len, s.len);
	return (struct str){ s.ptr + s.len - len, len };
}

static bool has_part(struct str s, struct str part, bool ignore_case)
{
	if (!ignore_case)
		return memmem(s.ptr, s.len, part.ptr, part.len) != NULL;
	for (size_t i = 0; i + part.len <= s.len; i++)
		if (str_ieq((struct str){ s.ptr + i, part.len }, part))
			return true;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool has_word(struct str s, struct str word, bool ignore_case)
{
	size_t i = 0;

	while (i < s.len) {
		size_t start;

		while (i < s.len && is_blank(s.ptr[i]))
			i++;
		start = i;
		while (i < s.len && !is_blank(s.ptr[i]))
			i++;
		if (i > start && equal((struct str){ s.ptr + start, i - start }, word, ignore_case))
			return true;
	}
	return false;
}

static bool test_attr(const struct html_simple *s, const struct load_html_node *n)
{
	const struct load_html_attr *a = load_html_attr(n, s->name.ptr);
	struct str have, want = s->value;

	if (!a)
		return s->test == HTML_TEST_DIFFERS;
	have = a->value;
	switch (s->test) {
	case HTML_TEST_EQUALS:
		return equal(have, want, s->ignore_case);
	case HTML_TEST_DIFFERS:
		return !equal(have, want, s->ignore_case);
	case HTML_TEST_WORD:
		return has_word(have, want, s->ignore_case);
	case HTML_TEST_DASH:
		return equal(head(have, want.len), want, s->ignore_case) &&
		       (have.len == want.len || have.ptr[want.len] == '-');
	case HTML_TEST_PREFIX:
		return want.len && equal(head(have, want.len), want, s->ignore_case);
	case HTML_TEST_SUFFIX:
		return want.len && equal(tail(have, want.len), want, s->ignore_case);
	case HTML_TEST_PART:
		return want.len && has_part(have, want, s->ignore_case);
	default:
		return true;
	}
}

/* ---- place among siblings ---- */

/* 1, 2, ... */
static long place(const struct html_simple *s, const struct load_html_node *n, uint64_t *steps)
{
	const struct load_html_node *at = n;
	long i = 0;

	if (!s->of_type)
		return s->from_end ? (long)n->parent->elements - n->place : (long)n->place + 1;
	while (at) {
		++*steps;
		i += str_eq(at->name, n->name);
		at = s->from_end ? load_html_next_element(at) : load_html_prev_element(at);
	}
	return i;
}

static bool test_nth(const struct html_simple *s, const struct load_html_node *n, uint64_t *steps)
{
	long i;

	if (!n->parent)
		return false;
	i = place(s, n, steps) - s->b;
	if (!s->a)
		return i == 0;
	return i % s->a == 0 && i / s->a >= 0;
}

static bool test_only(const struct html_simple *s, const struct load_html_node *n, uint64_t *steps)
{
	struct html_simple first = { .of_type = s->of_type, .b = 1 };
	struct html_simple last = { .of_type = s->of_type, .b = 1, .from_end = true };

	return test_nth(&first, n, steps) && test_nth(&last, n, steps);
}

/* ---- content ---- */

/* The case is folded, of ASCII letters. */
static bool test_contains(const struct html_simple *s, const struct load_html_node *n,
			  uint64_t *steps)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (s->test == HTML_TEST_CONTAINS) {
		load_html_text(n, &sb);
	} else {
		for (const struct load_html_node *c = n->first; c; c = c->next)
			if (c->type == LOAD_HTML_TEXT)
				strbuf_add(&sb, c->text.ptr, c->text.len);
	}
	*steps += sb.len / 8;
	return has_part(strbuf_str(&sb), s->value, true);
}

static bool test_has(const struct html_simple *s, const struct load_html_node *n, uint64_t *steps)
{
	bool children = s->test == HTML_TEST_HAS_CHILD;
	const struct load_html_node *at = n->first;

	while (at && *steps <= LOAD_HTML_STEPS_MAX) {
		++*steps;
		if (at->type == LOAD_HTML_ELEMENT && match_group(s->sub, at, steps))
			return true;
		at = children ? at->next : load_html_next(at, n);
	}
	return false;
}

static bool test_empty(const struct load_html_node *n)
{
	for (const struct load_html_node *c = n->first; c; c = c->next)
		if (c->type == LOAD_HTML_ELEMENT || c->type == LOAD_HTML_TEXT)
			return false;
	return true;
}

static bool test_lang(const struct html_simple *s, const struct load_html_node *n)
{
	struct html_simple lang = {
		.test = HTML_TEST_DASH, .name = STR("lang"), .value = s->value, .ignore_case = true
	};

	while (n && n->type == LOAD_HTML_ELEMENT && !load_html_attr(n, "lang"))
		n = n->parent;
	return n && n->type == LOAD_HTML_ELEMENT && test_attr(&lang, n);
}

/* ---- forms ---- */

static bool in_disabled(const struct load_html_node *n, const char *tag)
{
	for (n = n->parent; n; n = n->parent)
		if (load_html_is(n, tag) && load_html_attr(n, "disabled"))
			return true;
	return false;
}

/* Controls in the first <legend> of a disabled <fieldset> are taken as disabled too. */
static bool test_disabled(const struct load_html_node *n)
{
	if (!load_html_is_any(n, "optgroup menuitem fieldset button input select textarea option"))
		return false;
	if (load_html_attr(n, "disabled"))
		return true;
	if (load_html_is(n, "option"))
		return in_disabled(n, "optgroup");
	return load_html_is_any(n, "fieldset button input select textarea") &&
	       in_disabled(n, "fieldset");
}

static bool test_enabled(const struct load_html_node *n)
{
	if (load_html_is_any(n, "a area link"))
		return load_html_attr(n, "href");
	return load_html_is_any(n, "optgroup menuitem fieldset button input select textarea "
				   "option") &&
	       !test_disabled(n);
}

static bool test_checked(const struct load_html_node *n)
{
	const struct load_html_attr *type = load_html_attr(n, "type");

	if (load_html_is(n, "option"))
		return load_html_attr(n, "selected");
	return load_html_is_any(n, "input menuitem") && load_html_attr(n, "checked") && type &&
	       (str_ieq(type->value, STR("checkbox")) || str_ieq(type->value, STR("radio")));
}

/* ---- all of them ---- */

/* Pseudo-classes without an argument. */
static bool test_state(enum html_test test, const struct load_html_node *n)
{
	switch (test) {
	case HTML_TEST_INPUT:
		return load_html_is_any(n, "input select textarea button");
	case HTML_TEST_EMPTY:
		return test_empty(n);
	case HTML_TEST_ROOT:
		return n->parent && n->parent->type == LOAD_HTML_DOCUMENT;
	case HTML_TEST_LINK:
		return load_html_is_any(n, "a area link") && load_html_attr(n, "href");
	case HTML_TEST_ENABLED:
		return test_enabled(n);
	case HTML_TEST_DISABLED:
		return test_disabled(n);
	case HTML_TEST_CHECKED:
		return test_checked(n);
	default: /* required, optional */
		return load_html_is_any(n, "input select textarea") &&
		       (load_html_attr(n, "required") != NULL) == (test == HTML_TEST_REQUIRED);
	}
}

static bool test_one(const struct html_simple *s, const struct load_html_node *n, uint64_t *steps)
{
	switch (s->test) {
	case HTML_TEST_ANY:
		return true;
	case HTML_TEST_TAG:
		return str_eq(n->name, s->name);
	case HTML_TEST_NOT:
		return !match_group(s->sub, n, steps);
	case HTML_TEST_MATCHES:
		return match_group(s->sub, n, steps);
	case HTML_TEST_HAS:
	case HTML_TEST_HAS_CHILD:
		return test_has(s, n, steps);
	case HTML_TEST_CONTAINS:
	case HTML_TEST_CONTAINS_OWN:
		return test_contains(s, n, steps);
	case HTML_TEST_LANG:
		return test_lang(s, n);
	case HTML_TEST_NTH:
		return test_nth(s, n, steps);
	case HTML_TEST_ONLY:
		return test_only(s, n, steps);
	default:
		return s->test < HTML_TEST_NOT ? test_attr(s, n) : test_state(s->test, n);
	}
}

static bool match_compound(const struct html_compound *c, const struct load_html_node *n,
			   uint64_t *steps)
{
	for (const struct html_simple *s = c->tests; s; s = s->next) {
		++*steps;
		if (!test_one(s, n, steps))
			return false;
	}
	return true;
}

static const struct load_html_node *candidate(char combinator, const struct load_html_node *n)
{
	if (combinator == '+' || combinator == '~')
		return load_html_prev_element(n);
	return n->parent && n->parent->type == LOAD_HTML_ELEMENT ? n->parent : NULL;
}

/* The recursion is as deep as the selector has compounds. */
static enum outcome match_complex(const struct html_compound *c, const struct load_html_node *n,
				  uint64_t *steps)
{
	bool siblings = c->combinator == '+' || c->combinator == '~';
	enum outcome o;

	if (!match_compound(c, n, steps))
		return FAILED_HERE;
	if (!c->before)
		return MATCHED;
	for (n = candidate(c->combinator, n); n; n = candidate(c->combinator, n)) {
		if (++*steps > LOAD_HTML_STEPS_MAX)
			return FAILED_ABOVE;
		o = match_complex(c->before, n, steps);
		if (o == MATCHED || o == FAILED_ABOVE)
			return o;
		if (siblings && o == FAILED_SIBLINGS)
			return o;
		if (c->combinator == '>' || c->combinator == '+')
			return FAILED_HERE;
	}
	return siblings ? FAILED_SIBLINGS : FAILED_ABOVE;
}

static bool match_group(const struct load_html_group *g, const struct load_html_node *n,
			uint64_t *steps)
{
	for (; g; g = g->next)
		if (match_complex(g->last, n, steps) == MATCHED)
			return true;
	return false;
}

bool load_html_match(const struct load_html_selector *s, const struct load_html_node *n,
		     uint64_t *steps)
{
	return n->type == LOAD_HTML_ELEMENT && *steps <= LOAD_HTML_STEPS_MAX &&
	       match_group(s->group, n, steps);
}
