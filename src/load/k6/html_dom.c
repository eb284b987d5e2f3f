/*
 * What elements of single tags tell by where they stand: a button's form, a table's rows, the parts
 * of a link's URL. After the DOM (html.spec.whatwg.org), as far as k6 has it.
 */
#include <stdlib.h>

#include "base/num.h"
#include "js/value.h"
#include "load/k6/html.h"

struct at {
	JSContext *ctx;
	struct load_html_doc *doc;
	const struct load_html_node *n;
};

typedef bool wanted_fn(const struct load_html_node *n, const void *arg);

static bool of_tags(const struct load_html_node *n, const void *tags)
{
	return load_html_is_any(n, tags);
}

static const struct load_html_node *first_in(const struct load_html_node *top, wanted_fn *wanted,
					     const void *arg)
{
	const struct load_html_node *n = top->first;

	while (n && !wanted(n, arg))
		n = load_html_next(n, top);
	return n;
}

static JSValue all_in(const struct at *at, const struct load_html_node *top, wanted_fn *wanted,
		      const void *arg)
{
	JSValue list = JS_NewArray(at->ctx);
	uint32_t count = 0;

	for (const struct load_html_node *n = top->first; n; n = load_html_next(n, top))
		if (wanted(n, arg))
			JS_SetPropertyUint32(at->ctx, list, count++,
					     load_html_element(at->ctx, at->doc, n));
	return list;
}

static uint32_t count_in(const struct load_html_node *top, wanted_fn *wanted, const void *arg)
{
	uint32_t count = 0;

	for (const struct load_html_node *n = top->first; n; n = load_html_next(n, top))
		count += wanted(n, arg);
	return count;
}

/* Its place among those wanted in top; -1 when it is none of them. */
static int32_t place_in(const struct load_html_node *of, const struct load_html_node *top,
			wanted_fn *wanted, const void *arg)
{
	int32_t i = 0;

	for (const struct load_html_node *n = top->first; n; n = load_html_next(n, top)) {
		if (n == of)
			return i;
		i += wanted(n, arg);
	}
	return -1;
}

static const struct load_html_node *ancestor(const struct load_html_node *n, const char *tags)
{
	for (n = n->parent; n; n = n->parent)
		if (load_html_is_any(n, tags))
			return n;
	return NULL;
}

static bool has_id(const struct load_html_node *n, const void *id)
{
	const struct load_html_attr *a = load_html_attr(n, "id");

	return a && str_eq(a->value, *(const struct str *)id);
}

/* The element whose id the attribute names. */
static const struct load_html_node *named_by(const struct at *at, const char *attr)
{
	const struct load_html_attr *a = load_html_attr(at->n, attr);

	return a ? first_in(at->doc->root, has_id, &a->value) : NULL;
}

static JSValue element(const struct at *at, const struct load_html_node *n)
{
	return load_html_element(at->ctx, at->doc, n);
}

static JSValue string(const struct at *at, const char *s)
{
	return JS_NewString(at->ctx, s);
}

static JSValue attr_or(const struct at *at, const struct load_html_node *n, const char *name,
		       const char *absent)
{
	JSValue v = n ? load_html_attr_value(at->ctx, n, name) : JS_UNDEFINED;

	return JS_IsUndefined(v) ? string(at, absent) : v;
}

static JSValue text_of(const struct at *at)
{
	return load_html_text_value(at->ctx, at->n);
}

/* ---- forms ---- */

#define CONTROLS "button fieldset input keygen object output select textarea"
#define LABELED	 "button input keygen meter output progress select textarea"

static const struct load_html_node *form_of(const struct at *at)
{
	return load_html_attr(at->n, "form") ? named_by(at, "form") : ancestor(at->n, "form");
}

static JSValue form(const struct at *at)
{
	return element(at, form_of(at));
}

static JSValue form_action(const struct at *at)
{
	CLEANUP(strbuf_release) struct strbuf url = STRBUF_INIT;
	const struct load_html_node *f = form_of(at);

	if (!load_html_url(at->doc, at->n, "formaction", &url) && f)
		load_html_url(at->doc, f, "action", &url);
	return js_new_str(at->ctx, strbuf_str(&url));
}

/* What the control says, else what its form says. */
static JSValue form_word(const struct at *at, const char *own, const char *forms,
			 const char *absent)
{
	return load_html_attr(at->n, own) ? attr_or(at, at->n, own, absent)
					  : attr_or(at, form_of(at), forms, absent);
}

static JSValue form_enctype(const struct at *at)
{
	return form_word(at, "formenctype", "enctype", "application/x-www-form-urlencoded");
}

static JSValue form_target(const struct at *at)
{
	return form_word(at, "formtarget", "target", "");
}

static JSValue method_word(const struct at *at, JSValue v)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	bool post = js_to_str(at->ctx, v, &sb) == 0 && str_ieq(strbuf_str(&sb), STR("post"));

	JS_FreeValue(at->ctx, v);
	return string(at, post ? "post" : "get");
}

static JSValue form_method(const struct at *at)
{
	return method_word(at, form_word(at, "formmethod", "method", "get"));
}

static JSValue method(const struct at *at)
{
	return method_word(at, attr_or(at, at->n, "method", "get"));
}

static JSValue form_no_validate(const struct at *at)
{
	const struct load_html_node *f = form_of(at);

	return JS_NewBool(at->ctx, load_html_attr(at->n, "formnovalidate") ||
					   (f && load_html_attr(f, "novalidate")));
}

static bool is_label_for(const struct load_html_node *n, const void *id)
{
	const struct load_html_attr *a = load_html_is(n, "label") ? load_html_attr(n, "for") : NULL;

	return a && str_eq(a->value, *(const struct str *)id);
}

/* The one around it, then those for it. */
static JSValue labels(const struct at *at)
{
	const struct load_html_node *around = ancestor(at->n, "label"), *n = at->doc->root;
	const struct load_html_attr *id = load_html_attr(at->n, "id");
	JSValue list = JS_NewArray(at->ctx);
	uint32_t count = 0;

	if (around)
		JS_SetPropertyUint32(at->ctx, list, count++, element(at, around));
	for (; n && id; n = load_html_next(n, at->doc->root))
		if (n != around && is_label_for(n, &id->value))
			JS_SetPropertyUint32(at->ctx, list, count++, element(at, n));
	return list;
}

static JSValue control(const struct at *at)
{
	return element(at, load_html_attr(at->n, "for") ? named_by(at, "for")
							: first_in(at->n, of_tags, LABELED));
}

static JSValue elements(const struct at *at)
{
	return all_in(at, at->n, of_tags, CONTROLS);
}

static JSValue elements_length(const struct at *at)
{
	return JS_NewInt64(at->ctx, count_in(at->n, of_tags, CONTROLS));
}

static JSValue undefined(const struct at *at UNUSED)
{
	return JS_UNDEFINED;
}

static JSValue list(const struct at *at)
{
	return element(at, named_by(at, "list"));
}

static JSValue value_attr(const struct at *at)
{
	return attr_or(at, at->n, "value", "");
}

static JSValue text_length(const struct at *at)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	load_html_text(at->n, &sb);
	return JS_NewInt64(at->ctx, (int64_t)sb.len);
}

/* ---- options ---- */

static bool is_selected(const struct load_html_node *n, const void *arg UNUSED)
{
	return load_html_is(n, "option") && load_html_attr(n, "selected");
}

static JSValue options(const struct at *at)
{
	return all_in(at, at->n, of_tags, "option");
}

static JSValue options_length(const struct at *at)
{
	return JS_NewInt64(at->ctx, count_in(at->n, of_tags, "option"));
}

static JSValue selected_options(const struct at *at)
{
	return all_in(at, at->n, is_selected, NULL);
}

static JSValue option_disabled(const struct at *at)
{
	const struct load_html_node *group = ancestor(at->n, "optgroup");

	return JS_NewBool(at->ctx, load_html_attr(at->n, "disabled") ||
					   (group && load_html_attr(group, "disabled")));
}

static JSValue option_index(const struct at *at)
{
	const struct load_html_node *top = ancestor(at->n, "select datalist");

	return JS_NewInt32(at->ctx, top ? place_in(at->n, top, of_tags, "option") : 0);
}

static JSValue option_label(const struct at *at)
{
	return load_html_attr(at->n, "label") ? attr_or(at, at->n, "label", "") : text_of(at);
}

static JSValue option_value(const struct at *at)
{
	return load_html_attr(at->n, "value") ? value_attr(at) : text_of(at);
}

/* The selected option; of a list that shows one, the first one when none is. */
static const struct load_html_node *selected(const struct load_html_node *n)
{
	const struct load_html_node *option = first_in(n, is_selected, NULL);

	if (!option && !load_html_attr(n, "multiple"))
		option = first_in(n, of_tags, "option");
	return option;
}

static JSValue selected_index(const struct at *at)
{
	const struct load_html_node *option = selected(at->n);

	return JS_NewInt32(at->ctx, option ? place_in(option, at->n, of_tags, "option") : -1);
}

static JSValue select_value(const struct at *at)
{
	struct at option = { at->ctx, at->doc, selected(at->n) };

	return option.n ? option_value(&option) : string(at, "");
}

static JSValue select_size(const struct at *at)
{
	const struct load_html_attr *a = load_html_attr(at->n, "size");
	int64_t n;

	if (!a || num_parse_i64(a->value, &n) < 0)
		n = load_html_attr(at->n, "multiple") ? 4 : 1;
	return JS_NewInt64(at->ctx, n);
}

static JSValue select_type(const struct at *at)
{
	return string(at, load_html_attr(at->n, "multiple") ? "select-multiple" : "select-one");
}

/* ---- progress ---- */

static double number(const struct load_html_node *n, const char *name, double absent)
{
	const struct load_html_attr *a = load_html_attr(n, name);
	double d;

	return a && num_parse_double(a->value, &d) == 0 ? d : absent;
}

static double progress_part(const struct load_html_node *n)
{
	double max = number(n, "max", 1), value = number(n, "value", 0);

	return max > 0 && value > 0 ? MIN(value / max, 1) : 0;
}

static JSValue progress_max(const struct at *at)
{
	double max = number(at->n, "max", 1);

	return JS_NewFloat64(at->ctx, max > 0 ? max : 1);
}

static JSValue progress_value(const struct at *at)
{
	return JS_NewFloat64(at->ctx, progress_part(at->n));
}

static JSValue progress_position(const struct at *at)
{
	return JS_NewFloat64(at->ctx, load_html_attr(at->n, "value") ? progress_part(at->n) : -1);
}

/* ---- tables, maps, media ---- */

/* Rows and cells are looked for among children, so that inner tables keep theirs. */
struct row_search {
	const struct load_html_node *table;
	const char *sections; /* tags; NULL = rows without a section */
};

static bool is_row(const struct load_html_node *n, const void *arg)
{
	const struct row_search *s = arg;

	if (!load_html_is(n, "tr"))
		return false;
	if (n->parent == s->table)
		return true;
	return n->parent->parent == s->table && load_html_is_any(n->parent, s->sections);
}

static const char *const row_order[] = { "thead", "tbody", "tfoot" };

static JSValue table_rows(const struct at *at)
{
	JSValue list = JS_NewArray(at->ctx);
	uint32_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(row_order); i++) {
		const struct load_html_node *n = at->n->first;

		for (; n; n = load_html_next(n, at->n)) {
			const struct row_search s = { at->n, row_order[i] };

			if (is_row(n, &s) && (n->parent != at->n || i == 1))
				JS_SetPropertyUint32(at->ctx, list, count++, element(at, n));
		}
	}
	return list;
}

static JSValue child_rows(const struct at *at)
{
	const struct row_search s = { at->n, "" };

	return all_in(at, at->n, is_row, &s);
}

static bool is_child(const struct load_html_node *n, const void *parent)
{
	return n->type == LOAD_HTML_ELEMENT && n->parent == parent;
}

static JSValue cells(const struct at *at)
{
	return all_in(at, at->n, is_child, at->n);
}

static JSValue cell_index(const struct at *at)
{
	return JS_NewInt64(at->ctx, at->n->place);
}

static JSValue section_row_index(const struct at *at)
{
	const struct row_search s = { at->n->parent, "" };

	return JS_NewInt32(at->ctx, place_in(at->n, at->n->parent, is_row, &s));
}

static JSValue row_index(const struct at *at)
{
	const struct load_html_node *table = ancestor(at->n, "table");
	struct at from = { at->ctx, at->doc, table };
	JSValue rows, row;
	int64_t len, i;

	if (!table)
		return JS_NewInt32(at->ctx, -1);
	rows = table_rows(&from);
	len = js_array_length(at->ctx, rows);
	for (i = 0; i < len; i++) {
		row = JS_GetPropertyUint32(at->ctx, rows, (uint32_t)i);
		JS_FreeValue(at->ctx, row); /* the list still holds it */
		if (load_html_node_of(row, NULL) == at->n)
			break;
	}
	JS_FreeValue(at->ctx, rows);
	return JS_NewInt64(at->ctx, i < len ? i : -1);
}

static JSValue caption(const struct at *at)
{
	return element(at, first_in(at->n, of_tags, "caption"));
}

static JSValue thead(const struct at *at)
{
	return element(at, first_in(at->n, of_tags, "thead"));
}

static JSValue tfoot(const struct at *at)
{
	return element(at, first_in(at->n, of_tags, "tfoot"));
}

static bool is_tbody(const struct load_html_node *n, const void *table)
{
	return load_html_is(n, "tbody") && n->parent == table;
}

static JSValue tbodies(const struct at *at)
{
	return all_in(at, at->n, is_tbody, at->n);
}

static JSValue areas(const struct at *at)
{
	return all_in(at, at->n, of_tags, "area");
}

static bool uses_map(const struct load_html_node *n, const void *arg)
{
	const struct load_html_node *map = arg;
	const struct load_html_attr *use = load_html_attr(n, "usemap");
	const struct load_html_attr *name = load_html_attr(map, "name");

	if (!name)
		name = load_html_attr(map, "id");
	return use && name && load_html_is_any(n, "img object") && use->value.len &&
	       str_eq((struct str){ use->value.ptr + 1, use->value.len - 1 }, name->value);
}

static JSValue images(const struct at *at)
{
	return all_in(at, at->doc->root, uses_map, at->n);
}

static JSValue tracks(const struct at *at)
{
	return all_in(at, at->n, of_tags, "track");
}

/* ---- URLs (RFC 3986, appendix B) ---- */

struct url_parts {
	struct strbuf text;
	struct str scheme, user, password, host, port, path, query, fragment;
	bool has_host;
};

static struct str cut(struct str *rest, const char *ends)
{
	struct str part = { rest->ptr, 0 };

	while (part.len < rest->len && !strchr(ends, rest->ptr[part.len]))
		part.len++;
	rest->ptr += part.len;
	rest->len -= part.len;
	return part;
}

static void split_authority(struct url_parts *u, struct str s)
{
	const char *userinfo = memrchr(s.ptr, '@', s.len), *colon;

	if (userinfo) {
		struct str rest = { s.ptr, (size_t)(userinfo - s.ptr) };

		s.len -= rest.len + 1;
		s.ptr = userinfo + 1;
		str_split(&rest, ':', &u->user);
		if (rest.ptr)
			u->password = rest;
	}
	u->host = s;
	colon = memrchr(s.ptr, ':', s.len);
	if (colon && !memchr(colon, ']', (size_t)(s.ptr + s.len - colon))) {
		u->port = (struct str){ colon + 1, (size_t)(s.ptr + s.len - colon - 1) };
		u->host.len = (size_t)(colon - s.ptr);
	}
}

static void url_release(struct url_parts *u)
{
	strbuf_release(&u->text);
}

static void url_of(const struct at *at, struct url_parts *u)
{
	struct str rest, part;

	load_html_url(at->doc, at->n, "href", &u->text);
	rest = strbuf_str(&u->text);
	part = cut(&rest, ":/?#");
	if (part.len && rest.len && rest.ptr[0] == ':') {
		u->scheme = part;
		rest.ptr++;
		rest.len--;
	} else {
		rest = strbuf_str(&u->text);
	}
	if (str_starts_with(rest, STR("//"))) {
		rest.ptr += 2;
		rest.len -= 2;
		u->has_host = true;
		split_authority(u, cut(&rest, "/?#"));
	}
	u->path = cut(&rest, "?#");
	u->query = cut(&rest, "#");
	u->fragment = rest;
}

enum url_part {
	URL_HASH,
	URL_HOST,
	URL_HOSTNAME,
	URL_PORT,
	URL_USER,
	URL_PASSWORD,
	URL_ORIGIN,
	URL_PATH,
	URL_PROTOCOL,
	URL_SEARCH
};

static void add_host(const struct url_parts *u, bool plain, struct strbuf *out)
{
	bool usual = (str_eq_c(u->scheme, "http") && str_eq_c(u->port, "80")) ||
		     (str_eq_c(u->scheme, "https") && str_eq_c(u->port, "443"));

	strbuf_add(out, u->host.ptr, u->host.len);
	if (u->port.len && !(plain && usual))
		strbuf_addf(out, ":%.*s", STR_FMT(u->port));
}

static struct str url_slice(const struct url_parts *u, enum url_part which)
{
	switch (which) {
	case URL_HASH:
		return u->fragment.len > 1 ? u->fragment : STR("");
	case URL_SEARCH:
		return u->query.len > 1 ? u->query : STR("");
	case URL_HOSTNAME:
		return u->host;
	case URL_PORT:
		return u->port;
	case URL_USER:
		return u->user;
	case URL_PASSWORD:
		return u->password;
	case URL_PATH:
		return u->path;
	default:
		return u->scheme.len ? u->scheme : STR(":");
	}
}

static JSValue url_part(const struct at *at, enum url_part which)
{
	CLEANUP(url_release) struct url_parts u = { .has_host = false };
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct str part;

	url_of(at, &u);
	if (which == URL_HOST || which == URL_ORIGIN) {
		if (which == URL_ORIGIN && u.has_host)
			strbuf_addf(&sb, "%.*s://", STR_FMT(u.scheme));
		add_host(&u, which == URL_HOST, &sb);
		return js_new_str(at->ctx, strbuf_str(&sb));
	}
	part = url_slice(&u, which);
	return js_new_str(at->ctx, part);
}

#define URL_METHOD(name, which)                                                                    \
	static JSValue name(const struct at *at)                                                   \
	{                                                                                          \
		return url_part(at, which);                                                        \
	}
URL_METHOD(hash, URL_HASH)
URL_METHOD(host, URL_HOST)
URL_METHOD(hostname, URL_HOSTNAME)
URL_METHOD(port, URL_PORT)
URL_METHOD(username, URL_USER)
URL_METHOD(password, URL_PASSWORD)
URL_METHOD(origin, URL_ORIGIN)
URL_METHOD(pathname, URL_PATH)
URL_METHOD(protocol, URL_PROTOCOL)
URL_METHOD(url_search, URL_SEARCH)

static JSValue rel_list(const struct at *at)
{
	const struct load_html_attr *a = load_html_attr(at->n, "rel");
	struct str rest = a ? a->value : (struct str){ NULL, 0 }, word;
	JSValue words = JS_NewArray(at->ctx);
	uint32_t count = 0;

	while (str_split(&rest, ' ', &word))
		if (word.len)
			JS_SetPropertyUint32(at->ctx, words, count++, js_new_str(at->ctx, word));
	return words;
}

/* ---- the table ---- */

static const struct method {
	const char *tags, *name;
	JSValue (*fn)(const struct at *at);
} all_methods[] = {
	{ "a area", "hash", hash },
	{ "a area", "host", host },
	{ "a area", "hostname", hostname },
	{ "a area", "port", port },
	{ "a area", "username", username },
	{ "a area", "password", password },
	{ "a area", "origin", origin },
	{ "a area", "pathname", pathname },
	{ "a area", "protocol", protocol },
	{ "a area", "search", url_search },
	{ "a area link", "relList", rel_list },
	{ "a area option script title", "text", text_of },
	{ "button fieldset input keygen label legend object option output select textarea", "form",
	  form },
	{ "button input", "formAction", form_action },
	{ "button input", "formEnctype", form_enctype },
	{ "button input", "formMethod", form_method },
	{ "button input", "formNoValidate", form_no_validate },
	{ "button input", "formTarget", form_target },
	{ "button input keygen meter output progress select textarea", "labels", labels },
	{ "button", "value", value_attr },
	{ "label", "control", control },
	{ "fieldset form", "elements", elements },
	{ "fieldset", "validity", undefined },
	{ "form", "length", elements_length },
	{ "form", "method", method },
	{ "input", "list", list },
	{ "datalist select", "options", options },
	{ "select", "length", options_length },
	{ "select", "selectedIndex", selected_index },
	{ "select", "selectedOptions", selected_options },
	{ "select", "size", select_size },
	{ "select", "type", select_type },
	{ "select", "value", select_value },
	{ "option", "disabled", option_disabled },
	{ "option", "index", option_index },
	{ "option", "label", option_label },
	{ "option", "value", option_value },
	{ "output", "value", text_of },
	{ "output", "defaultValue", text_of },
	{ "textarea", "length", text_length },
	{ "progress", "max", progress_max },
	{ "progress", "value", progress_value },
	{ "progress", "position", progress_position },
	{ "table", "rows", table_rows },
	{ "table", "caption", caption },
	{ "table", "tHead", thead },
	{ "table", "tFoot", tfoot },
	{ "table", "tBodies", tbodies },
	{ "tbody tfoot thead", "rows", child_rows },
	{ "tr", "cells", cells },
	{ "tr", "rowIndex", row_index },
	{ "tr", "sectionRowIndex", section_row_index },
	{ "td th", "cellIndex", cell_index },
	{ "map", "areas", areas },
	{ "map", "images", images },
	{ "audio video", "textTracks", tracks },
};

static JSValue call(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv UNUSED,
		    int index)
{
	struct at at = { .ctx = ctx };

	at.n = load_html_node_of(this, &at.doc);
	if (!at.n)
		return JS_ThrowTypeError(ctx, "%s() is a method of an element",
					 all_methods[index].name);
	return all_methods[index].fn(&at);
}

void load_html_typed(JSContext *ctx, JSValueConst proto, const struct load_html_node *n)
{
	for (int i = 0; i < (int)ARRAY_SIZE(all_methods); i++)
		if (load_html_is_any(n, all_methods[i].tags))
			js_set(ctx, proto, all_methods[i].name,
			       JS_NewCFunctionMagic(ctx, call, all_methods[i].name, 0,
						    JS_CFUNC_generic_magic, i));
}
