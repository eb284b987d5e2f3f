/*
 * Paths into JSON are walked over parsed values, one component at a time. gjson itself scans text
 * without parsing it; a script that selects nearly always selects more than once from a reply, and
 * then one parse is cheaper than many scans.
 *
 * Everything a path can ask for is bounded: components nest at most DEPTH_MAX deep (queries hold
 * paths, "every element" starts a walk of its own).
 */
#include "load/k6/json_path.h"

#include "base/num.h"
#include "base/strbuf.h"
#include "js/value.h"
#include "load/k6/json_path_selector.h"

#define DEPTH_MAX 64

struct component {
	struct str text;
	char sep; /* what follows: '.', '|' or 0 at the end */
};

bool load_json_path_like(struct str text, struct str pattern)
{
	size_t t = 0, p = 0, star_p = SIZE_MAX, star_t = 0;

	while (t < text.len) {
		bool escaped = p + 1 < pattern.len && pattern.ptr[p] == '\\';

		if (p < pattern.len && !escaped && pattern.ptr[p] == '*') {
			star_p = ++p;
			star_t = t;
		} else if (p < pattern.len && ((!escaped && pattern.ptr[p] == '?') ||
					       pattern.ptr[p + (escaped ? 1 : 0)] == text.ptr[t])) {
			p += escaped ? 2 : 1;
			t++;
		} else if (star_p != SIZE_MAX) {
			p = star_p;
			t = ++star_t;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

/* Cuts the first component off *path. A selector at its start is one whatever is in it. */
static struct component component_next(struct str *path)
{
	struct component c = { { path->ptr, 0 }, 0 };
	size_t i = load_json_selector_length(*path);

	while (i < path->len && path->ptr[i] != '.' && path->ptr[i] != '|') {
		if (path->ptr[i] == '\\' && i + 1 < path->len)
			i += 2;
		else if (i == 1 && path->ptr[0] == '#' && strchr("([", path->ptr[1]))
			i += load_json_group_length(*path, i);
		else
			i++;
	}
	c.text.len = MIN(i, path->len);
	if (i < path->len)
		c.sep = path->ptr[i++];
	i = MIN(i, path->len);
	path->ptr += i;
	path->len -= i;
	return c;
}

/* Splits off what applies to every element: up to a '|' outside of brackets. */
static struct str cut_until_pipe(struct str *path)
{
	struct str inner = { path->ptr, 0 };

	for (;;) {
		struct component c = component_next(path);

		inner.len = (size_t)(c.text.ptr + c.text.len - inner.ptr);
		if (c.sep != '.')
			return inner;
	}
}

/* ---- queries ---- */

struct query {
	struct str path, op, value;
	bool all; /* a '#' follows: every element that matches */
};

static void query_parse(struct str text, struct query *ret)
{
	size_t len = load_json_group_length(text, 1), i = 0;
	struct str in = { text.ptr + 2, len >= 2 ? len - 2 : 0 };

	*ret = (struct query){ .path = in, .all = text.len > len + 1 };
	while (i < in.len && !strchr("=!<>%", in.ptr[i]))
		i += in.ptr[i] == '\\'		? 2
		     : strchr("([{", in.ptr[i]) ? load_json_group_length(in, i)
						: 1;
	if (i >= in.len) {
		ret->path = str_trim(in);
		return;
	}
	ret->path = str_trim((struct str){ in.ptr, i });
	ret->op = (struct str){ in.ptr + i, 1 };
	if (i + 1 < in.len && (in.ptr[i + 1] == '=' || (in.ptr[i] == '!' && in.ptr[i + 1] == '%')))
		ret->op.len = 2;
	i += ret->op.len;
	ret->value = str_trim((struct str){ in.ptr + i, in.len - i });
}

static bool compare_ok(struct str op, int order)
{
	if (str_eq_c(op, "=") || str_eq_c(op, "=="))
		return order == 0;
	if (str_eq_c(op, "!="))
		return order != 0;
	if (str_eq_c(op, "<"))
		return order < 0;
	if (str_eq_c(op, "<="))
		return order <= 0;
	if (str_eq_c(op, ">"))
		return order > 0;
	return str_eq_c(op, ">=") && order >= 0;
}

/* The value without its quotes and without '\\' before a character. */
static void plain_value(const struct query *q, struct strbuf *ret)
{
	struct str value = q->value;

	if (value.len >= 2 && value.ptr[0] == '"') {
		value.ptr++;
		value.len -= 2;
	}
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '\\' && i + 1 < value.len)
			i++;
		strbuf_addch(ret, value.ptr[i]);
	}
}

static bool match_text(const struct query *q, struct str left)
{
	CLEANUP(strbuf_release) struct strbuf right = STRBUF_INIT;
	struct str pattern = q->value;

	if (pattern.len >= 2 && pattern.ptr[0] == '"')
		pattern = (struct str){ pattern.ptr + 1, pattern.len - 2 };
	if (str_eq_c(q->op, "%"))
		return load_json_path_like(left, pattern);
	if (str_eq_c(q->op, "!%"))
		return !load_json_path_like(left, pattern);
	plain_value(q, &right);
	return compare_ok(q->op, str_cmp(left, strbuf_str(&right)));
}

/* What is no number counts as 0. */
static bool match_number(const struct query *q, double left)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	double right;

	plain_value(q, &text);
	if (num_parse_double(strbuf_str(&text), &right) < 0)
		right = 0;
	return compare_ok(q->op, (left > right) - (left < right));
}

/* What is neither true nor false differs from both. */
static bool match_bool(const struct query *q, bool left)
{
	bool is_true = str_eq_c(q->value, "true");

	if (!is_true && !str_eq_c(q->value, "false"))
		return str_eq_c(q->op, "!=");
	return compare_ok(q->op, left - is_true);
}

/* "~true", "~false", "~null" and "~*": what counts as one of them; absent is null. */
static bool is_like(JSContext *ctx, JSValueConst v, struct str kind)
{
	bool truth = false, falsehood = JS_IsNull(v) || JS_IsUndefined(v);
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	double number;

	if (str_eq_c(kind, "~*"))
		return !JS_IsUndefined(v);
	if (str_eq_c(kind, "~null"))
		return falsehood;
	if (JS_IsBool(v)) {
		truth = JS_VALUE_GET_BOOL(v);
		falsehood = !truth;
	} else if (JS_IsNumber(v) && JS_ToFloat64(ctx, &number, v) == 0) {
		truth = number != 0;
		falsehood = !truth;
	} else if (JS_IsString(v) && js_to_str(ctx, v, &text) == 0) {
		struct str s = strbuf_str(&text);

		truth = str_ieq(s, STR("true")) || str_ieq(s, STR("t")) || str_eq_c(s, "1");
		falsehood = str_ieq(s, STR("false")) || str_ieq(s, STR("f")) || str_eq_c(s, "0");
	}
	return str_eq_c(kind, "~true") ? truth : str_eq_c(kind, "~false") && falsehood;
}

/* 1 or 0; -1 with an exception. */
static int compare_value(JSContext *ctx, const struct query *q, JSValueConst left)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	double number;

	if (q->value.len && q->value.ptr[0] == '~')
		return compare_ok(q->op, is_like(ctx, left, q->value) - 1);
	if (!q->op.len)
		return !JS_IsUndefined(left);
	if (JS_IsString(left))
		return js_to_str(ctx, left, &text) < 0 ? -1 : match_text(q, strbuf_str(&text));
	if (JS_IsNumber(left))
		return JS_ToFloat64(ctx, &number, left) < 0 ? -1 : match_number(q, number);
	if (JS_IsBool(left))
		return match_bool(q, JS_VALUE_GET_BOOL(left));
	return 0; /* null, objects and arrays equal nothing, and differ from nothing */
}

static int query_match(JSContext *ctx, const struct query *q, JSValueConst element, unsigned depth)
{
	JSValue left;
	int match;

	/* without a path it is the element itself that is asked, but not what holds others */
	if (!q->path.len && JS_IsObject(element))
		left = JS_UNDEFINED;
	else
		left = load_json_walk(ctx, JS_DupValue(ctx, element), q->path, depth + 1);
	match = JS_IsException(left) ? -1 : compare_value(ctx, q, left);
	JS_FreeValue(ctx, left);
	return match;
}

/* ---- steps: each takes v over and returns an owned value ---- */

/* Every element (that q selects, if given) through the path inner; absent results are left out. */
static JSValue step_each(JSContext *ctx, JSValue v, const struct query *q, struct str inner,
			 unsigned depth)
{
	JSValue out = JS_NewArray(ctx);
	int64_t n = js_array_length(ctx, v);
	uint32_t kept = 0;

	for (int64_t i = 0; i < n && !JS_IsException(out); i++) {
		JSValue e = JS_GetPropertyUint32(ctx, v, (uint32_t)(i));
		int match = q ? query_match(ctx, q, e, depth) : 1;

		if (match > 0)
			e = load_json_walk(ctx, e, inner, depth + 1);
		if (match < 0 || JS_IsException(e)) {
			JS_FreeValue(ctx, out);
			out = JS_EXCEPTION;
		}
		if (match > 0 && !JS_IsException(e) && !JS_IsUndefined(e))
			JS_SetPropertyUint32(ctx, out, kept++, JS_DupValue(ctx, e));
		JS_FreeValue(ctx, e);
	}
	JS_FreeValue(ctx, v);
	return out;
}

static JSValue step_first(JSContext *ctx, JSValue v, const struct query *q, unsigned depth)
{
	int64_t n = js_array_length(ctx, v);
	JSValue out = JS_UNDEFINED;

	for (int64_t i = 0; i < n && JS_IsUndefined(out); i++) {
		JSValue e = JS_GetPropertyUint32(ctx, v, (uint32_t)(i));
		int match = query_match(ctx, q, e, depth);

		if (match)
			out = match < 0 ? JS_EXCEPTION : JS_DupValue(ctx, e);
		JS_FreeValue(ctx, e);
	}
	JS_FreeValue(ctx, v);
	return out;
}

struct member_search {
	struct str pattern;
	JSValue found;
};

static int member_visit(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct member_search *s = arg;

	if (!load_json_path_like(key, s->pattern))
		return 0;
	s->found = JS_DupValue(ctx, value);
	return 1;
}

static JSValue step_member(JSContext *ctx, JSValue v, struct str name)
{
	struct member_search s = { name, JS_UNDEFINED };
	int done = js_each(ctx, v, member_visit, &s);

	JS_FreeValue(ctx, v);
	return done < 0 ? JS_EXCEPTION : s.found;
}

static JSValue step_element(JSContext *ctx, JSValue v, struct str index)
{
	JSValue out = JS_UNDEFINED;
	uint64_t i;

	if (num_parse_u64(index, &i) == 0 && i < UINT32_MAX)
		out = JS_GetPropertyUint32(ctx, v, (uint32_t)i);
	JS_FreeValue(ctx, v);
	return out;
}

/* A component that begins with '#', on an array. */
static JSValue step_hash(JSContext *ctx, JSValue v, const struct component *c, struct str *path,
			 unsigned depth)
{
	struct str inner = STR("");
	struct query q;
	int64_t n;

	if (c->text.len == 1) {
		if (c->sep == '.')
			return step_each(ctx, v, NULL, cut_until_pipe(path), depth);
		n = js_array_length(ctx, v);
		JS_FreeValue(ctx, v);
		return n < 0 ? JS_EXCEPTION : JS_NewInt64(ctx, n);
	}
	query_parse(c->text, &q);
	if (!q.all)
		return step_first(ctx, v, &q, depth);
	if (c->sep == '.')
		inner = cut_until_pipe(path);
	return step_each(ctx, v, &q, inner, depth);
}

JSValue load_json_walk(JSContext *ctx, JSValue v, struct str path, unsigned depth)
{
	if (depth > DEPTH_MAX) {
		JS_FreeValue(ctx, v);
		return JS_UNDEFINED;
	}
	while (path.len && !JS_IsException(v) && !JS_IsUndefined(v)) {
		struct component c = component_next(&path);
		bool array = JS_IsArray(ctx, v) > 0;

		if (load_json_selector_length(c.text)) {
			v = load_json_select(ctx, v, c.text, depth);
		} else if (array && c.text.len && c.text.ptr[0] == '#' &&
			   (c.text.len == 1 || strchr("([", c.text.ptr[1]))) {
			v = step_hash(ctx, v, &c, &path, depth);
		} else if (array) {
			v = step_element(ctx, v, c.text);
		} else if (JS_IsObject(v)) {
			v = step_member(ctx, v, c.text);
		} else {
			JS_FreeValue(ctx, v);
			v = JS_UNDEFINED;
		}
	}
	return v;
}

JSValue load_json_path(JSContext *ctx, JSValueConst root, struct str path)
{
	JSValue v;

	/* ".." makes an array of a document of lines; what parses as a whole is one line */
	if (!str_starts_with(path, STR("..")))
		return load_json_walk(ctx, JS_DupValue(ctx, root), path, 0);
	path = (struct str){ path.ptr + 2, path.len - 2 };
	v = JS_NewArray(ctx);
	JS_SetPropertyUint32(ctx, v, 0, JS_DupValue(ctx, root));
	return load_json_walk(ctx, v, path, 0);
}
