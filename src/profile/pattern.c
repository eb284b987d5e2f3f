#include "profile/pattern.h"

#include <errno.h>
#include <regex.h>

#include "base/mem.h"
#include "base/vec.h"

#define CAPTURES 10

struct pattern {
	regex_t regex;
};

/* The pattern as a regular expression. */
static int translate(struct str text, struct strbuf *out, struct error *reterr)
{
	unsigned open = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '*')
			strbuf_addstr(out, ".*");
		else if (c == '%')
			strbuf_addstr(out, "[.[:alnum:]_?]*");
		else if (c == '{' || c == '}')
			strbuf_addch(out, c == '{' ? '(' : ')');
		else if (c == '|' || (c == '^' && (i == 0 || text.ptr[i - 1] == '|')))
			strbuf_addch(out, c);
		else if (strchr("\\.+?()[]$^", c))
			strbuf_addf(out, "\\%c", c);
		else
			strbuf_addch(out, c);
		open += c == '{';
		if (c == '}' && !open--)
			return error_set(reterr, -EINVAL,
					 "pattern '%.*s': '}' at %zu has no '{' before it",
					 STR_FMT(text), i + 1);
	}
	if (open)
		return error_set(reterr, -EINVAL, "pattern '%.*s': a '{' is not closed",
				 STR_FMT(text));
	return 0;
}

int pattern_parse(struct str text, struct pattern **ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf regex = STRBUF_INIT;
	struct pattern *p;
	char why[128];
	int r = 0;

	if (text.len && *text.ptr == '@')
		strbuf_add(&regex, text.ptr + 1, text.len - 1);
	else
		r = translate(text, &regex, reterr);
	if (r < 0)
		return r;
	p = xcalloc(1, sizeof(*p));
	r = regcomp(&p->regex, strbuf_cstr(&regex), REG_EXTENDED | REG_ICASE);
	if (r) {
		regerror(r, &p->regex, why, sizeof(why));
		free(p);
		return error_set(reterr, -EINVAL, "pattern '%.*s': %s", STR_FMT(text), why);
	}
	*ret = p;
	return 0;
}

struct pattern *pattern_free(struct pattern *p)
{
	if (p)
		regfree(&p->regex);
	free(p);
	return NULL;
}

bool pattern_matches(const struct pattern *p, const char *name)
{
	return regexec(&p->regex, name, 0, NULL, 0) == 0;
}

bool pattern_replace(const struct pattern *p, const char *name, const char *replacement,
		     struct strbuf *out)
{
	regmatch_t at[CAPTURES];

	if (regexec(&p->regex, name, CAPTURES, at, 0) != 0)
		return false;
	for (const char *c = replacement; *c; c++) {
		unsigned n = *c == '$' && c[1] >= '1' && c[1] <= '9' ? (unsigned)(c[1] - '0') : 0;

		if (!n) {
			strbuf_addch(out, *c);
			continue;
		}
		c++;
		if (n <= p->regex.re_nsub && at[n].rm_so >= 0)
			strbuf_add(out, name + at[n].rm_so, (size_t)(at[n].rm_eo - at[n].rm_so));
	}
	return true;
}

/* ---- lists ---- */

int patterns_add(struct patterns *list, const char *text, struct error *reterr)
{
	struct str rest = str_from(text), part;

	while (str_split(&rest, ';', &part)) {
		struct pattern *p;

		part = str_trim(part);
		if (!part.len)
			continue;
		if (pattern_parse(part, &p, reterr) < 0)
			return -EINVAL;
		vec_push(list, p);
	}
	return 0;
}

void patterns_release(struct patterns *list)
{
	vec_for_each (list, p)
		pattern_free(*p);
	vec_release(list);
}

bool patterns_any(const struct patterns *list, const char *name)
{
	vec_for_each (list, p)
		if (pattern_matches(*p, name))
			return true;
	return false;
}

/* ---- groups ---- */

/* Where "->" or "=>" begins; len when there is neither. */
static size_t find_arrow(struct str s)
{
	for (size_t i = 0; i + 1 < s.len; i++)
		if ((s.ptr[i] == '-' || s.ptr[i] == '=') && s.ptr[i + 1] == '>')
			return i;
	return s.len;
}

static int add_group(struct pattern_groups *list, struct str text, struct error *reterr)
{
	struct pattern_group g = { 0 };
	size_t arrow;

	if (*text.ptr == '[') {
		size_t end = str_find(text, ']');

		if (end == text.len)
			return error_set(reterr, -EINVAL, "group '%.*s': a '[' is not closed",
					 STR_FMT(text));
		text = str_trim((struct str){ text.ptr + end + 1, text.len - end - 1 });
	}
	arrow = find_arrow(text);
	if (arrow == text.len)
		return error_set(reterr, -EINVAL,
				 "group '%.*s': expected PATTERN->NAME or PATTERN=>NAME",
				 STR_FMT(text));
	if (pattern_parse(str_trim((struct str){ text.ptr, arrow }), &g.pattern, reterr) < 0)
		return -EINVAL;
	g.entry = text.ptr[arrow] == '=';
	g.name = str_dup(str_trim((struct str){ text.ptr + arrow + 2, text.len - arrow - 2 }));
	vec_push(list, g);
	return 0;
}

int pattern_groups_add(struct pattern_groups *list, const char *text, struct error *reterr)
{
	struct str rest = str_from(text), part;

	while (str_split(&rest, ';', &part)) {
		part = str_trim(part);
		if (part.len && add_group(list, part, reterr) < 0)
			return -EINVAL;
	}
	return 0;
}

void pattern_groups_release(struct pattern_groups *list)
{
	vec_for_each (list, g) {
		pattern_free(g->pattern);
		free(g->name);
	}
	vec_release(list);
}

const struct pattern_group *pattern_groups_find(const struct pattern_groups *list, const char *name,
						struct strbuf *out)
{
	vec_for_each (list, g)
		if (pattern_replace(g->pattern, name, g->name, out)) {
			if (!*g->name)
				strbuf_addstr(out, name);
			return g;
		}
	return NULL;
}
