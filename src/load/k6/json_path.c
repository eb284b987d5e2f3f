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

#define DEPTH_MAX 64

struct component {
	struct str text;
	char sep; /* what follows: '.', '|' or 0 at the end */
};

static JSValue walk(JSContext *ctx, JSValue v, struct str path, unsigned depth);

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

/* Length of the group that starts with '(' at s.ptr[at], both brackets included. */
static size_t group_len(struct str s, size_t at)
{
	unsigned open = 0;
	bool quoted = false;
	size_t i;

	for (i = at; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '(' || c == '['))
			open++;
		else if (!quoted && (c == ')' || c == ']') && --open == 0)
			return i + 1 - at;
	}
	return s.len - at;
}

/* Cuts the first component off *path. */
static struct component component_next(struct str *path)
{
	struct component c = { { path->ptr, 0 }, 0 };
	size_t i = 0;

	while (i < path->len && path->ptr[i] != '.' && path->ptr[i] != '|') {
		if (path->ptr[i] == '\\' && i + 1 < path->len)
			i += 2;
		else if (i == 1 && path->ptr[0] == '#' && path->ptr[1] == '(')
			i += group_len(*path, i);
		else
			i++;
	}
	c.text.len = i;
	if (i < path->len)
		c.sep = path->ptr[i++];
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
	size_t len = group_len(text, 1), i = 0;
	struct str in = { text.ptr + 2, len >= 2 ? len - 2 : 0 };

	*ret = (struct query){ .path = in, .all = text.len > len + 1 };
	while (i < in.len && !strchr("=!<>%", in.ptr[i]))
		i += in.ptr[i] == '\\' ? 2 : in.ptr[i] == '(' ? group_len(in, i) : 1;
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

static bool match_text(const struct query *q, struct str left)
{
	CLEANUP(strbuf_release) struct strbuf right = STRBUF_INIT;
	struct str value = q->value;
	size_t common;
	int order;

	if (value.len >= 2 && value.ptr[0] == '"') {
		value.ptr++;
		value.len -= 2;
	}
	if (str_eq_c(q->op, "%"))
		return load_json_path_like(left, value);
	if (str_eq_c(q->op, "!%"))
		return !load_json_path_like(left, value);
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '\\' && i + 1 < value.len)
			i++;
		strbuf_addch(&right, value.ptr[i]);
	}
	common = MIN(left.len, right.len);
	order = common ? memcmp(left.ptr, strbuf_cstr(&right), common) : 0;
	if (!order)
		order = (left.len > right.len) - (left.len < right.len);
	return compare_ok(q->op, order);
}

static bool match_number(const struct query *q, double left)
{
	double right;

	if (num_parse_double(q->value, &right) < 0)
		return false;
	return compare_ok(q->op, (left > right) - (left < right));
}

/* 1 or 0; -1 with an exception. */
static int query_match(JSContext *ctx, const struct query *q, JSValueConst element, unsigned depth)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	JSValue left = walk(ctx, JS_DupValue(ctx, element), q->path, depth + 1);
	double number;
	int match = 0;

	if (JS_IsException(left))
		return -1;
	if (!q->op.len) {
		match = !JS_IsUndefined(left);
	} else if (JS_IsString(left)) {
		match = js_to_str(ctx, left, &text) < 0 ? -1 : match_text(q, strbuf_str(&text));
	} else if (JS_IsNumber(left)) {
		match = JS_ToFloat64(ctx, &number, left) < 0 ? -1 : match_number(q, number);
	} else if (JS_IsBool(left)) {
		number = str_eq_c(q->value, "true") ? 1 : 0;
		match = compare_ok(q->op, JS_VALUE_GET_BOOL(left) - (number > 0));
	} else if (JS_IsNull(left)) {
		match = compare_ok(q->op, str_eq_c(q->value, "null") ? 0 : -1);
	}
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
			e = walk(ctx, e, inner, depth + 1);
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

/* ---- modifiers ---- */

static JSValue reverse_array(JSContext *ctx, JSValue v)
{
	int64_t n = js_array_length(ctx, v);
	JSValue out = JS_NewArray(ctx);

	for (int64_t i = 0; i < n; i++)
		JS_SetPropertyInt64(ctx, out, i,
				    JS_GetPropertyUint32(ctx, v, (uint32_t)(n - 1 - i)));
	JS_FreeValue(ctx, v);
	return out;
}

static JSValue flatten_array(JSContext *ctx, JSValue v)
{
	int64_t n = js_array_length(ctx, v), kept = 0;
	JSValue out = JS_NewArray(ctx);

	for (int64_t i = 0; i < n; i++) {
		JSValue e = JS_GetPropertyUint32(ctx, v, (uint32_t)(i));

		if (!JS_IsArray(ctx, e)) {
			JS_SetPropertyInt64(ctx, out, kept++, e);
			continue;
		}
		for (int64_t j = 0, m = js_array_length(ctx, e); j < m; j++)
			JS_SetPropertyInt64(ctx, out, kept++,
					    JS_GetPropertyUint32(ctx, e, (uint32_t)(j)));
		JS_FreeValue(ctx, e);
	}
	JS_FreeValue(ctx, v);
	return out;
}

struct list_build {
	JSValue out;
	uint32_t len;
	bool keys;
};

static int list_visit(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct list_build *b = arg;
	JSValue item = b->keys ? js_new_str(ctx, key) : JS_DupValue(ctx, value);

	return JS_SetPropertyUint32(ctx, b->out, b->len++, item) < 0 ? -1 : 0;
}

static JSValue list_members(JSContext *ctx, JSValue v, bool keys)
{
	struct list_build b = { JS_NewArray(ctx), 0, keys };
	int done = JS_IsObject(v) ? js_each(ctx, v, list_visit, &b) : 0;

	JS_FreeValue(ctx, v);
	if (done >= 0)
		return b.out;
	JS_FreeValue(ctx, b.out);
	return JS_EXCEPTION;
}

static JSValue to_text(JSContext *ctx, JSValue v)
{
	JSValue out = JS_JSONStringify(ctx, v, JS_UNDEFINED, JS_UNDEFINED);

	JS_FreeValue(ctx, v);
	return out;
}

static JSValue from_text(JSContext *ctx, JSValue v)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	JSValue out = JS_EXCEPTION;

	if (js_to_str(ctx, v, &text) == 0)
		out = js_json_parse(ctx, strbuf_str(&text), "@fromstr");
	JS_FreeValue(ctx, v);
	if (!JS_IsException(out))
		return out;
	JS_FreeValue(ctx, JS_GetException(ctx));
	return JS_UNDEFINED;
}

static JSValue step_modifier(JSContext *ctx, JSValue v, struct str name)
{
	bool array = JS_IsArray(ctx, v) > 0;

	name.len = str_find(name, ':'); /* arguments only say how text is laid out */
	if (str_eq_c(name, "@reverse"))
		return array ? reverse_array(ctx, v) : v;
	if (str_eq_c(name, "@flatten"))
		return array ? flatten_array(ctx, v) : v;
	if (str_eq_c(name, "@keys"))
		return list_members(ctx, v, true);
	if (str_eq_c(name, "@values"))
		return list_members(ctx, v, false);
	if (str_eq_c(name, "@tostr"))
		return to_text(ctx, v);
	if (str_eq_c(name, "@fromstr"))
		return from_text(ctx, v);
	if (str_eq_c(name, "@this") || str_eq_c(name, "@valid") || str_eq_c(name, "@ugly") ||
	    str_eq_c(name, "@pretty"))
		return v;
	JS_FreeValue(ctx, v);
	return JS_UNDEFINED;
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

static JSValue walk(JSContext *ctx, JSValue v, struct str path, unsigned depth)
{
	if (depth > DEPTH_MAX) {
		JS_FreeValue(ctx, v);
		return JS_UNDEFINED;
	}
	while (path.len && !JS_IsException(v) && !JS_IsUndefined(v)) {
		struct component c = component_next(&path);
		bool array = JS_IsArray(ctx, v) > 0;

		if (c.text.len && c.text.ptr[0] == '@') {
			v = step_modifier(ctx, v, c.text);
		} else if (array && c.text.len && c.text.ptr[0] == '#' &&
			   (c.text.len == 1 || c.text.ptr[1] == '(')) {
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
	return walk(ctx, JS_DupValue(ctx, root), path, 0);
}
