/*
 * What a multipath, a literal or a modifier makes. gjson builds text and goes on in it; here values
 * are built, so that of two members of one name only the later is left, and a modifier that lays
 * text out changes nothing.
 */
#include "load/k6/json_path_selector.h"

#include "base/num.h"
#include "base/strbuf.h"
#include "js/value.h"

#define DIG_DEPTH                                                                                  \
	32 /* of the 64 that walks may nest: one that digs inside of another is enough             \
	    */

static const char *const modifiers[] = { "@dig",  "@flatten", "@fromstr", "@group", "@join",
					 "@keys", "@pretty",  "@reverse", "@this",  "@tostr",
					 "@ugly", "@valid",   "@values" };

/* ---- their texts ---- */

static size_t string_length(struct str s, size_t at)
{
	size_t i = at + 1;

	while (i < s.len && s.ptr[i] != '"')
		i += s.ptr[i] == '\\' ? 2 : 1;
	return MIN(i + 1, s.len) - at;
}

/* False when it does not end. */
static bool group_end(struct str s, size_t at, size_t *ret)
{
	unsigned open = 0;
	size_t i;

	for (i = at; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '\\')
			i++;
		else if (c == '"')
			i += string_length(s, i) - 1;
		else if (c == '(' || c == '[' || c == '{')
			open++;
		else if ((c == ')' || c == ']' || c == '}') && --open == 0)
			break;
	}
	*ret = MIN(i + 1, s.len) - at;
	return i < s.len;
}

size_t load_json_group_length(struct str s, size_t at)
{
	size_t len;

	group_end(s, at, &len);
	return len;
}

static size_t until(struct str s, size_t at, const char *ends)
{
	while (at < s.len && !strchr(ends, s.ptr[at]))
		at++;
	return at;
}

/* A name's length with the '@', or 0 when it is none of a modifier. */
static size_t modifier_name(struct str path)
{
	struct str name = { path.ptr, until(path, 0, ":.|") };

	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++)
		if (str_eq_c(name, modifiers[i]))
			return name.len;
	return 0;
}

static size_t modifier_length(struct str path)
{
	size_t i = modifier_name(path);

	if (!i || i == path.len || path.ptr[i] != ':')
		return i;
	i++;
	if (i < path.len && path.ptr[i] == '"')
		return i + string_length(path, i);
	if (i < path.len && (path.ptr[i] == '{' || path.ptr[i] == '['))
		return i + load_json_group_length(path, i);
	while (i < path.len && path.ptr[i] != '|')
		i += strchr("([{", path.ptr[i]) ? load_json_group_length(path, i) : 1;
	return i;
}

static size_t literal_length(struct str path)
{
	static const char *const words[] = { "true", "false", "null" };
	struct str word = { path.ptr + 1, until(path, 1, ".|") - 1 };
	size_t len;

	if (path.len < 2)
		return 0;
	if (path.ptr[1] == '"')
		return 1 + string_length(path, 1);
	if (path.ptr[1] == '{' || path.ptr[1] == '[')
		return group_end(path, 1, &len) ? 1 + len : 0;
	if (strchr("+-0123456789", path.ptr[1]))
		return until(path, 1, "|");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_eq_c(word, words[i]))
			return 1 + word.len;
	return 0;
}

size_t load_json_selector_length(struct str path)
{
	size_t len;

	if (!path.len)
		return 0;
	if (path.ptr[0] == '@')
		return modifier_length(path);
	if (path.ptr[0] == '!')
		return literal_length(path);
	if (path.ptr[0] == '[' || path.ptr[0] == '{')
		return group_end(path, 0, &len) ? len : 0;
	return 0;
}

/* ---- multipaths ---- */

struct part {
	struct str name, path;
};

/* Cuts the next part off what stands between the brackets. */
static bool next_part(struct str *rest, struct part *ret)
{
	bool colon = false;
	size_t i = 0;

	if (!rest->len)
		return false;
	*ret = (struct part){ { NULL, 0 }, *rest };
	while (i < rest->len && rest->ptr[i] != ',') {
		char c = rest->ptr[i];
		size_t modifier =
			c == '@' ? modifier_length((struct str){ rest->ptr + i, rest->len - i })
				 : 0;

		if (c == ':' && !colon) {
			colon = true;
			ret->name = (struct str){ rest->ptr, i };
			ret->path.ptr = rest->ptr + i + 1;
		}
		if (modifier)
			i += modifier;
		else if (c == '"')
			i += string_length(*rest, i);
		else if (strchr("([{", c))
			i += load_json_group_length(*rest, i);
		else
			i += c == '\\' ? 2 : 1;
	}
	i = MIN(i, rest->len);
	ret->path.len = (size_t)(rest->ptr + i - ret->path.ptr);
	if (i < rest->len)
		i++;
	rest->ptr += i;
	rest->len -= i;
	return true;
}

/* The last name of a path; "_" when it has none. */
static struct str last_name(struct str path)
{
	size_t i = path.len;
	struct str name;

	while (i && !((path.ptr[i - 1] == '.' || path.ptr[i - 1] == '|') &&
		      (i < 2 || path.ptr[i - 2] != '\\')))
		i--;
	name = (struct str){ path.ptr + i, path.len - i };
	return !name.len || until(name, 0, "[]{}()#|!") < name.len ? STR("_") : name;
}

/* A name as it is given: a JSON string, or else taken as it is written. */
static void part_name(JSContext *ctx, const struct part *part, struct strbuf *ret)
{
	struct str given = part->name.len ? part->name : last_name(part->path);
	JSValue parsed = JS_UNDEFINED;

	if (part->name.len && given.ptr[0] == '"')
		parsed = js_json_parse(ctx, given, "a path");
	if (JS_IsException(parsed))
		JS_FreeValue(ctx, JS_GetException(ctx));
	if (!JS_IsString(parsed) || js_to_str(ctx, parsed, ret) < 0)
		strbuf_add(ret, given.ptr, given.len);
	JS_FreeValue(ctx, parsed);
}

static int set_part(JSContext *ctx, JSValueConst out, const struct part *part, JSValue v)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	part_name(ctx, part, &name);
	return js_set(ctx, out, strbuf_cstr(&name), v);
}

/* {a,b} and [a,b]; what is not there is left out. */
static JSValue select_parts(JSContext *ctx, JSValueConst v, struct str text, unsigned depth)
{
	bool object = text.ptr[0] == '{';
	JSValue out = object ? JS_NewObject(ctx) : JS_NewArray(ctx);
	struct str rest = { text.ptr + 1, load_json_group_length(text, 0) - 2 };
	struct part part;
	uint32_t n = 0;

	while (!JS_IsException(out) && next_part(&rest, &part)) {
		JSValue e = JS_UNDEFINED;
		int r = 0;

		if (part.path.len)
			e = load_json_walk(ctx, JS_DupValue(ctx, v), part.path, depth + 1);
		if (JS_IsUndefined(e))
			continue;
		if (JS_IsException(e))
			r = -1;
		else if (object)
			r = set_part(ctx, out, &part, e);
		else
			r = JS_SetPropertyUint32(ctx, out, n++, e);
		if (r < 0) {
			JS_FreeValue(ctx, out);
			out = JS_EXCEPTION;
		}
	}
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

struct list_build {
	JSValue out;
	uint32_t len;
	bool keys, deep;
};

static int list_add(JSContext *ctx, struct list_build *b, JSValue v)
{
	return JS_SetPropertyUint32(ctx, b->out, b->len++, v) < 0 ? -1 : 0;
}

static JSValue list_end(JSContext *ctx, struct list_build *b, int done)
{
	if (done >= 0)
		return b->out;
	JS_FreeValue(ctx, b->out);
	return JS_EXCEPTION;
}

static int list_visit(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct list_build *b = arg;

	return list_add(ctx, b, b->keys ? js_new_str(ctx, key) : JS_DupValue(ctx, value));
}

static int null_visit(JSContext *ctx, struct str key UNUSED, JSValueConst value UNUSED, void *arg)
{
	return list_add(ctx, arg, JS_NULL);
}

/* An array has no keys, but as many of them; what is neither is one value. */
static JSValue list_members(JSContext *ctx, JSValue v, bool keys)
{
	struct list_build b = { .keys = keys };
	bool array = JS_IsArray(ctx, v) > 0;
	int done;

	if (array && !keys)
		return v;
	b.out = JS_NewArray(ctx);
	if (array)
		done = js_each_element(ctx, v, null_visit, &b);
	else if (JS_IsObject(v))
		done = js_each(ctx, v, list_visit, &b);
	else
		done = list_add(ctx, &b, keys ? JS_NULL : JS_DupValue(ctx, v));
	JS_FreeValue(ctx, v);
	return list_end(ctx, &b, done);
}

static int flatten_visit(JSContext *ctx, struct str key UNUSED, JSValueConst value, void *arg)
{
	struct list_build *b = arg;
	struct list_build one = *b;
	int r;

	if (JS_IsArray(ctx, value) <= 0)
		return list_add(ctx, b, JS_DupValue(ctx, value));
	r = js_each_element(ctx, value, b->deep ? flatten_visit : list_visit, &one);
	b->len = one.len;
	return r;
}

/* @flatten and @flatten:{"deep":true}. The document was parsed, so that it is not too deep. */
static JSValue flatten_array(JSContext *ctx, JSValue v, JSValueConst arg)
{
	struct list_build b = { .out = JS_NewArray(ctx) };
	JSValue deep = JS_IsObject(arg) ? JS_GetPropertyStr(ctx, arg, "deep") : JS_UNDEFINED;
	int done;

	b.deep = JS_ToBool(ctx, deep) > 0;
	JS_FreeValue(ctx, deep);
	done = js_each_element(ctx, v, flatten_visit, &b);
	JS_FreeValue(ctx, v);
	return list_end(ctx, &b, done);
}

static int join_member(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	JSValueConst *out = arg;

	strbuf_add(&name, key.ptr, key.len);
	return js_set(ctx, *out, strbuf_cstr(&name), JS_DupValue(ctx, value)) < 0 ? -1 : 0;
}

static int join_visit(JSContext *ctx, struct str key UNUSED, JSValueConst value, void *arg)
{
	if (!JS_IsObject(value) || JS_IsArray(ctx, value) > 0)
		return 0;
	return js_each(ctx, value, join_member, arg) < 0 ? -1 : 0;
}

/* Objects of an array into one. */
static JSValue join_objects(JSContext *ctx, JSValue v)
{
	JSValue out = JS_NewObject(ctx);
	int done = js_each_element(ctx, v, join_visit, &out);

	JS_FreeValue(ctx, v);
	if (done >= 0)
		return out;
	JS_FreeValue(ctx, out);
	return JS_EXCEPTION;
}

struct group_build {
	JSValue out;
	const char *name;
	int64_t at;
};

static int group_element(JSContext *ctx, struct str key UNUSED, JSValueConst value, void *arg)
{
	struct group_build *g = arg;
	JSValue o = JS_GetPropertyUint32(ctx, g->out, (uint32_t)g->at);
	int r;

	if (JS_IsUndefined(o)) {
		o = JS_NewObject(ctx);
		JS_SetPropertyInt64(ctx, g->out, g->at, JS_DupValue(ctx, o));
	}
	g->at++;
	r = js_set(ctx, o, g->name, JS_DupValue(ctx, value));
	JS_FreeValue(ctx, o);
	return r < 0 ? -1 : 0;
}

static int group_member(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct group_build *g = arg;

	if (JS_IsArray(ctx, value) <= 0)
		return 0;
	strbuf_add(&name, key.ptr, key.len);
	g->name = strbuf_cstr(&name);
	g->at = 0;
	return js_each_element(ctx, value, group_element, g) < 0 ? -1 : 0;
}

/* {"a":[1,2],"b":[3,4]} to [{"a":1,"b":3},{"a":2,"b":4}] */
static JSValue group_members(JSContext *ctx, JSValue v)
{
	struct group_build g = { .out = JS_UNDEFINED };
	int done = 0;

	if (JS_IsObject(v) && JS_IsArray(ctx, v) <= 0) {
		g.out = JS_NewArray(ctx);
		done = js_each(ctx, v, group_member, &g);
	}
	JS_FreeValue(ctx, v);
	if (done >= 0)
		return g.out;
	JS_FreeValue(ctx, g.out);
	return JS_EXCEPTION;
}

struct dig {
	struct list_build found;
	struct str path;
	unsigned depth;
};

static int dig_visit(JSContext *ctx, struct str key UNUSED, JSValueConst value, void *arg)
{
	struct dig *d = arg;
	JSValue e = load_json_walk(ctx, JS_DupValue(ctx, value), d->path, d->depth + DIG_DEPTH);

	if (JS_IsException(e) || (!JS_IsUndefined(e) && list_add(ctx, &d->found, e) < 0))
		return -1;
	if (!JS_IsObject(value))
		return 0;
	return js_each(ctx, value, dig_visit, d) < 0 ? -1 : 0;
}

/* What the path gives of the value and of all that is in it. */
static JSValue dig(JSContext *ctx, JSValue v, struct str path, unsigned depth)
{
	struct dig d = { { .out = JS_NewArray(ctx) }, path, depth };
	int done = dig_visit(ctx, STR(""), v, &d);

	JS_FreeValue(ctx, v);
	return list_end(ctx, &d.found, done);
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

static JSValue modify_array(JSContext *ctx, JSValue v, struct str name, struct str arg)
{
	JSValue options = JS_UNDEFINED;

	if (str_eq_c(name, "@reverse"))
		return reverse_array(ctx, v);
	if (str_eq_c(name, "@join"))
		return join_objects(ctx, v);
	if (arg.len) {
		options = js_json_parse(ctx, arg, "@flatten");
		if (JS_IsException(options)) {
			JS_FreeValue(ctx, JS_GetException(ctx));
			options = JS_UNDEFINED;
		}
	}
	v = flatten_array(ctx, v, options);
	JS_FreeValue(ctx, options);
	return v;
}

static JSValue modify(JSContext *ctx, JSValue v, struct str text, unsigned depth)
{
	struct str name = { text.ptr, modifier_name(text) }, arg = { NULL, 0 };

	if (name.len < text.len)
		arg = (struct str){ text.ptr + name.len + 1, text.len - name.len - 1 };
	if (str_eq_c(name, "@dig"))
		return dig(ctx, v, arg, depth);
	if (str_eq_c(name, "@group"))
		return group_members(ctx, v);
	if (str_eq_c(name, "@keys"))
		return list_members(ctx, v, true);
	if (str_eq_c(name, "@values"))
		return list_members(ctx, v, false);
	if (str_eq_c(name, "@tostr"))
		return to_text(ctx, v);
	if (str_eq_c(name, "@fromstr"))
		return from_text(ctx, v);
	if (JS_IsArray(ctx, v) > 0 &&
	    (str_eq_c(name, "@reverse") || str_eq_c(name, "@join") || str_eq_c(name, "@flatten")))
		return modify_array(ctx, v, name, arg);
	return v; /* @this, @valid, @ugly, @pretty, and those above on what is no array */
}

static JSValue literal(JSContext *ctx, struct str text)
{
	JSValue v = js_json_parse(ctx, text, "a path");

	if (!JS_IsException(v))
		return v;
	JS_FreeValue(ctx, JS_GetException(ctx));
	return JS_UNDEFINED;
}

JSValue load_json_select(JSContext *ctx, JSValue v, struct str text, unsigned depth)
{
	JSValue out;

	text.len = load_json_selector_length(text);
	if (text.ptr[0] == '@')
		return modify(ctx, v, text, depth);
	if (text.ptr[0] == '!')
		out = literal(ctx, (struct str){ text.ptr + 1, text.len - 1 });
	else
		out = select_parts(ctx, v, text, depth);
	JS_FreeValue(ctx, v);
	return out;
}
