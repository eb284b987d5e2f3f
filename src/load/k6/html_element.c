/*
 * Elements as objects. Their properties are methods, as k6 has them. A tag that has methods of its
 * own (html_typed.c) gets a prototype when its first element is looked at; these are kept in a
 * table, which takes the place of a prototype of a class that has no objects.
 */
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/html.h"
#include "load/k6/modules.h"

struct element {
	struct load_html_doc *doc;
	struct load_html_node *node;
};

static void finalize(JSRuntime *rt UNUSED, JSValue val)
{
	struct element *e = JS_GetOpaque(val, LOAD_CLASS_HTML_ELEMENT);

	if (!e)
		return;
	load_html_doc_unref(e->doc);
	free(e);
}

const struct js_class load_html_element_class = {
	.id = LOAD_CLASS_HTML_ELEMENT,
	.def = { .class_name = "Element", .finalizer = finalize },
};

const struct js_class load_html_tags_class = {
	.id = LOAD_CLASS_HTML_TAGS,
	.def = { .class_name = "ElementPrototypes" },
};

/* ---- objects ---- */

static JSValue tag_proto(JSContext *ctx, const struct load_html_node *n)
{
	JSValue table = JS_GetClassProto(ctx, LOAD_CLASS_HTML_TAGS);
	JSAtom tag = JS_NewAtomLen(ctx, n->name.ptr, n->name.len);
	JSValue proto = JS_GetProperty(ctx, table, tag), base;

	if (JS_IsUndefined(proto)) {
		base = JS_GetClassProto(ctx, LOAD_CLASS_HTML_ELEMENT);
		proto = JS_NewObjectProto(ctx, base);
		load_html_typed_attrs(ctx, proto, n);
		load_html_typed(ctx, proto, n);
		JS_SetProperty(ctx, table, tag, JS_DupValue(ctx, proto));
		JS_FreeValue(ctx, base);
	}
	JS_FreeAtom(ctx, tag);
	JS_FreeValue(ctx, table);
	return proto;
}

/* Tags with methods of their own; others share the prototype of the class. */
static bool is_typed(const struct load_html_node *n)
{
	return load_html_is_any(n, "a area audio base button canvas data datalist del embed "
				   "fieldset form iframe img input ins keygen label legend li "
				   "link map meta meter object ol optgroup option output param "
				   "pre progress q blockquote quote script select source style "
				   "table tbody td tfoot th thead tr col colgroup caption textarea "
				   "time title track ul video");
}

JSValue load_html_element(JSContext *ctx, struct load_html_doc *doc, const struct load_html_node *n)
{
	struct element *e;
	JSValue obj, proto;

	if (!n)
		return JS_UNDEFINED;
	if (load_html_setup(ctx) < 0)
		return JS_EXCEPTION;
	proto = is_typed(n) ? tag_proto(ctx, n) : JS_GetClassProto(ctx, LOAD_CLASS_HTML_ELEMENT);
	obj = JS_NewObjectProtoClass(ctx, proto, LOAD_CLASS_HTML_ELEMENT);
	JS_FreeValue(ctx, proto);
	if (JS_IsException(obj))
		return obj;
	e = xcalloc(1, sizeof(*e));
	e->doc = load_html_doc_ref(doc);
	e->node = (struct load_html_node *)(uintptr_t)n;
	JS_SetOpaque(obj, e);
	return obj;
}

struct load_html_node *load_html_node_of(JSValueConst v, struct load_html_doc **ret_doc)
{
	struct element *e = JS_GetOpaque(v, LOAD_CLASS_HTML_ELEMENT);

	if (e && ret_doc)
		*ret_doc = e->doc;
	return e ? e->node : NULL;
}

static struct element *self(JSContext *ctx, JSValueConst this)
{
	return JS_GetOpaque2(ctx, this, LOAD_CLASS_HTML_ELEMENT);
}

static JSValue arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

/* ---- relatives ---- */

enum relative {
	PARENT_NODE,
	PARENT_ELEMENT,
	FIRST_CHILD,
	LAST_CHILD,
	FIRST_ELEMENT,
	LAST_ELEMENT,
	NEXT_NODE,
	NEXT_ELEMENT,
	PREV_NODE,
	PREV_ELEMENT,
	OWNER,
};

static struct load_html_node *last_element(const struct load_html_node *n)
{
	struct load_html_node *last = n->last;

	return !last || last->type == LOAD_HTML_ELEMENT ? last : load_html_prev_element(last);
}

static struct load_html_node *element_or_none(struct load_html_node *n)
{
	return n && n->type == LOAD_HTML_ELEMENT ? n : NULL;
}

static struct load_html_node *find_relative(const struct element *e, enum relative which)
{
	struct load_html_node *n = e->node;

	switch (which) {
	case PARENT_NODE:
		return n->parent;
	case PARENT_ELEMENT:
		return element_or_none(n->parent);
	case FIRST_CHILD:
		return n->first;
	case LAST_CHILD:
		return n->last;
	case FIRST_ELEMENT:
		return load_html_first_element(n);
	case LAST_ELEMENT:
		return last_element(n);
	case NEXT_NODE:
		return n->next;
	case NEXT_ELEMENT:
		return load_html_next_element(n);
	case PREV_NODE:
		return n->prev;
	case PREV_ELEMENT:
		return load_html_prev_element(n);
	default:
		return e->doc->root;
	}
}

static JSValue relative(JSContext *ctx, JSValueConst this, int argc UNUSED,
			JSValueConst *argv UNUSED, int which)
{
	struct element *e = self(ctx, this);

	return e ? load_html_element(ctx, e->doc, find_relative(e, which)) : JS_EXCEPTION;
}

/* children() and, with magic, childNodes() */
static JSValue children(JSContext *ctx, JSValueConst this, int argc UNUSED,
			JSValueConst *argv UNUSED, int all)
{
	struct element *e = self(ctx, this);
	JSValue list;
	uint32_t count = 0;

	if (!e)
		return JS_EXCEPTION;
	list = JS_NewArray(ctx);
	for (struct load_html_node *n = e->node->first; n; n = n->next)
		if (all || n->type == LOAD_HTML_ELEMENT)
			JS_SetPropertyUint32(ctx, list, count++, load_html_element(ctx, e->doc, n));
	return list;
}

/* ---- by selector ---- */

/* The elements inside that match, or the first one; s NULL = none. */
static JSValue query(JSContext *ctx, const struct element *e, const struct load_html_selector *s,
		     bool all)
{
	JSValue list = all ? JS_NewArray(ctx) : JS_UNDEFINED;
	const struct load_html_node *n = s ? e->node->first : NULL;
	uint64_t steps = 0;
	uint32_t count = 0;

	for (; n && steps <= LOAD_HTML_STEPS_MAX; n = load_html_next(n, e->node)) {
		steps++;
		if (!load_html_match(s, n, &steps))
			continue;
		if (!all)
			return load_html_element(ctx, e->doc, n);
		JS_SetPropertyUint32(ctx, list, count++, load_html_element(ctx, e->doc, n));
	}
	if (load_html_check(ctx, steps) == 0)
		return list;
	JS_FreeValue(ctx, list);
	return JS_EXCEPTION;
}

static JSValue query_selector(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv,
			      int all)
{
	CLEANUP(cleanup_load_html_selector) struct load_html_selector *s = NULL;
	struct element *e = self(ctx, this);

	if (!e || load_html_selector_of(ctx, arg(argc, argv, 0), &s) < 0)
		return JS_EXCEPTION;
	return query(ctx, e, s, all);
}

/* getElementsByTagName("p"), and with magic the prefix of a selector: getElementsByClassName("c")
 */
static JSValue by_name(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv, int prefix)
{
	CLEANUP(cleanup_load_html_selector) struct load_html_selector *s = NULL;
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct element *e = self(ctx, this);

	if (prefix)
		strbuf_addch(&text, (char)prefix);
	if (!e || js_to_str(ctx, arg(argc, argv, 0), &text) < 0)
		return JS_EXCEPTION;
	load_html_selector_new(&s, strbuf_str(&text), NULL);
	return query(ctx, e, s, true);
}

static JSValue matches(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(cleanup_load_html_selector) struct load_html_selector *s = NULL;
	struct element *e = self(ctx, this);
	uint64_t steps = 0;
	bool match;

	if (!e || load_html_selector_of(ctx, arg(argc, argv, 0), &s) < 0)
		return JS_EXCEPTION;
	match = s && load_html_match(s, e->node, &steps);
	return load_html_check(ctx, steps) < 0 ? JS_EXCEPTION : JS_NewBool(ctx, match);
}

/* ---- attributes ---- */

static const char *namespace_uri(enum load_html_ns ns)
{
	switch (ns) {
	case LOAD_HTML_NS_SVG:
		return "http://www.w3.org/2000/svg";
	case LOAD_HTML_NS_MATHML:
		return "http://www.w3.org/1998/Math/MathML";
	default:
		return "http://www.w3.org/1999/xhtml";
	}
}

/* Methods of an attribute; data[0] is what it gives. */
static JSValue attr_method(JSContext *ctx, JSValueConst this UNUSED, int argc UNUSED,
			   JSValueConst *argv UNUSED, int magic UNUSED, JSValue *data)
{
	return JS_DupValue(ctx, data[0]);
}

static void set_attr_method(JSContext *ctx, JSValueConst o, const char *name, struct str value)
{
	JSValue v = js_new_str(ctx, value);

	js_set(ctx, o, name, JS_NewCFunctionData(ctx, attr_method, 0, 0, 1, &v));
	JS_FreeValue(ctx, v);
}

static JSValue attr_object(JSContext *ctx, struct load_html_doc *doc,
			   const struct load_html_node *n, const struct load_html_attr *a)
{
	JSValue o = JS_NewObject(ctx);

	js_set_str(ctx, o, "name", a->name);
	js_set_str(ctx, o, "value", a->value);
	js_set(ctx, o, "ownerElement", load_html_element(ctx, doc, n));
	set_attr_method(ctx, o, "localName", a->name);
	set_attr_method(ctx, o, "prefix", str_from(a->prefix));
	set_attr_method(ctx, o, "namespaceURI", str_from(namespace_uri(n->ns)));
	return o;
}

static JSValue attributes(JSContext *ctx, JSValueConst this, int argc UNUSED,
			  JSValueConst *argv UNUSED)
{
	struct element *e = self(ctx, this);
	JSValue o;

	if (!e)
		return JS_EXCEPTION;
	o = JS_NewObject(ctx);
	for (uint32_t i = 0; i < e->node->attr_count; i++)
		js_set(ctx, o, e->node->attrs[i].name.ptr,
		       attr_object(ctx, e->doc, e->node, &e->node->attrs[i]));
	return o;
}

enum attr_question { ATTR_VALUE, ATTR_NODE, ATTR_THERE };

/* getAttribute(), getAttributeNode(), hasAttribute() */
static JSValue attribute(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv,
			 int question)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct element *e = self(ctx, this);
	const struct load_html_attr *a;

	if (!e || js_to_str(ctx, arg(argc, argv, 0), &name) < 0)
		return JS_EXCEPTION;
	a = load_html_attr(e->node, strbuf_cstr(&name));
	if (question == ATTR_THERE)
		return JS_NewBool(ctx, a != NULL);
	if (!a)
		return JS_UNDEFINED;
	return question == ATTR_VALUE ? js_new_str(ctx, a->value)
				      : attr_object(ctx, e->doc, e->node, a);
}

static JSValue class_list(JSContext *ctx, JSValueConst this, int argc UNUSED,
			  JSValueConst *argv UNUSED)
{
	struct element *e = self(ctx, this);
	const struct load_html_attr *a;
	struct str rest, word;
	uint32_t count = 0;
	JSValue list;

	if (!e)
		return JS_EXCEPTION;
	list = JS_NewArray(ctx);
	a = load_html_attr(e->node, "class");
	rest = a ? a->value : (struct str){ NULL, 0 };
	while (str_split(&rest, ' ', &word)) {
		word = str_trim(word);
		if (word.len)
			JS_SetPropertyUint32(ctx, list, count++, js_new_str(ctx, word));
	}
	return list;
}

/* ---- what it is ---- */

enum property {
	NODE_NAME,
	NODE_TYPE,
	NODE_VALUE,
	ID,
	CLASS_NAME,
	LANG,
	INNER_HTML,
	TEXT_CONTENT,
	TO_STRING,
	NAMESPACE_URI,
	IS_DEFAULT_NAMESPACE,
	HAS_ATTRIBUTES,
	HAS_CHILD_NODES,
	CHILD_ELEMENT_COUNT,
};

static JSValue node_name(JSContext *ctx, const struct load_html_node *n)
{
	switch (n->type) {
	case LOAD_HTML_TEXT:
		return JS_NewString(ctx, "#text");
	case LOAD_HTML_COMMENT:
		return JS_NewString(ctx, "#comment");
	case LOAD_HTML_DOCUMENT:
		return JS_NewString(ctx, "#document");
	default:
		return js_new_str(ctx, n->name);
	}
}

static JSValue to_string(JSContext *ctx, const struct load_html_node *n)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	JSValue name = node_name(ctx, n);

	strbuf_addstr(&sb, "[object ");
	if (n->type == LOAD_HTML_ELEMENT)
		strbuf_addstr(&sb, "html.Node");
	else
		js_to_str(ctx, name, &sb);
	strbuf_addch(&sb, ']');
	JS_FreeValue(ctx, name);
	return js_new_str(ctx, strbuf_str(&sb));
}

static JSValue text_property(JSContext *ctx, const struct load_html_node *n, enum property which)
{
	JSValue v;

	switch (which) {
	case NODE_NAME:
		return node_name(ctx, n);
	case NODE_VALUE:
		return n->type == LOAD_HTML_TEXT || n->type == LOAD_HTML_COMMENT
			       ? js_new_str(ctx, n->text)
			       : JS_UNDEFINED;
	case ID:
		v = load_html_attr_value(ctx, n, "id");
		return JS_IsUndefined(v) ? JS_NewString(ctx, "") : v;
	case CLASS_NAME:
		return load_html_attr_value(ctx, n, "class");
	case LANG:
		return load_html_attr_value(ctx, n, "lang");
	case INNER_HTML:
		return load_html_inner_value(ctx, n);
	case TEXT_CONTENT:
		return load_html_text_value(ctx, n);
	case TO_STRING:
		return to_string(ctx, n);
	default:
		return JS_NewString(ctx, namespace_uri(n->ns));
	}
}

static JSValue property(JSContext *ctx, JSValueConst this, int argc UNUSED,
			JSValueConst *argv UNUSED, int which)
{
	struct element *e = self(ctx, this);

	if (!e)
		return JS_EXCEPTION;
	switch (which) {
	case NODE_TYPE:
		return JS_NewInt32(ctx, (int)e->node->type);
	case IS_DEFAULT_NAMESPACE:
		return JS_NewBool(ctx, e->node->ns == LOAD_HTML_NS_HTML);
	case HAS_ATTRIBUTES:
		return JS_NewBool(ctx, e->node->attr_count > 0);
	case HAS_CHILD_NODES:
		return JS_NewBool(ctx, e->node->first != NULL);
	case CHILD_ELEMENT_COUNT:
		return JS_NewInt64(ctx, e->node->elements);
	default:
		return text_property(ctx, e->node, which);
	}
}

/* ---- against another ---- */

static bool equal_nodes(const struct load_html_node *a, const struct load_html_node *b)
{
	CLEANUP(strbuf_release) struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;

	if (a->type != b->type)
		return false;
	load_html_outer(a, &x);
	load_html_outer(b, &y);
	return str_eq(strbuf_str(&x), strbuf_str(&y));
}

enum comparison { CONTAINS, SAME, EQUAL };

static JSValue compare(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv, int how)
{
	struct element *e = self(ctx, this);
	struct load_html_node *other;

	if (!e)
		return JS_EXCEPTION;
	other = load_html_node_of(arg(argc, argv, 0), NULL);
	if (!other)
		return JS_ThrowTypeError(ctx, "this needs an element");
	if (how == CONTAINS)
		return JS_NewBool(ctx, load_html_inside(other, e->node));
	return JS_NewBool(ctx, how == SAME ? other == e->node : equal_nodes(e->node, other));
}

static const JSCFunctionListEntry methods[] = {
	JS_CFUNC_MAGIC_DEF("parentNode", 0, relative, PARENT_NODE),
	JS_CFUNC_MAGIC_DEF("parentElement", 0, relative, PARENT_ELEMENT),
	JS_CFUNC_MAGIC_DEF("firstChild", 0, relative, FIRST_CHILD),
	JS_CFUNC_MAGIC_DEF("lastChild", 0, relative, LAST_CHILD),
	JS_CFUNC_MAGIC_DEF("firstElementChild", 0, relative, FIRST_ELEMENT),
	JS_CFUNC_MAGIC_DEF("lastElementChild", 0, relative, LAST_ELEMENT),
	JS_CFUNC_MAGIC_DEF("nextSibling", 0, relative, NEXT_NODE),
	JS_CFUNC_MAGIC_DEF("nextElementSibling", 0, relative, NEXT_ELEMENT),
	JS_CFUNC_MAGIC_DEF("previousSibling", 0, relative, PREV_NODE),
	JS_CFUNC_MAGIC_DEF("previousElementSibling", 0, relative, PREV_ELEMENT),
	JS_CFUNC_MAGIC_DEF("ownerDocument", 0, relative, OWNER),
	JS_CFUNC_MAGIC_DEF("children", 0, children, false),
	JS_CFUNC_MAGIC_DEF("childNodes", 0, children, true),
	JS_CFUNC_MAGIC_DEF("querySelector", 1, query_selector, false),
	JS_CFUNC_MAGIC_DEF("querySelectorAll", 1, query_selector, true),
	JS_CFUNC_MAGIC_DEF("getElementsByTagName", 1, by_name, 0),
	JS_CFUNC_MAGIC_DEF("getElementsByClassName", 1, by_name, '.'),
	JS_CFUNC_DEF("matches", 1, matches),
	JS_CFUNC_DEF("attributes", 0, attributes),
	JS_CFUNC_MAGIC_DEF("getAttribute", 1, attribute, ATTR_VALUE),
	JS_CFUNC_MAGIC_DEF("getAttributeNode", 1, attribute, ATTR_NODE),
	JS_CFUNC_MAGIC_DEF("hasAttribute", 1, attribute, ATTR_THERE),
	JS_CFUNC_DEF("classList", 0, class_list),
	JS_CFUNC_MAGIC_DEF("nodeName", 0, property, NODE_NAME),
	JS_CFUNC_MAGIC_DEF("nodeType", 0, property, NODE_TYPE),
	JS_CFUNC_MAGIC_DEF("nodeValue", 0, property, NODE_VALUE),
	JS_CFUNC_MAGIC_DEF("id", 0, property, ID),
	JS_CFUNC_MAGIC_DEF("className", 0, property, CLASS_NAME),
	JS_CFUNC_MAGIC_DEF("lang", 0, property, LANG),
	JS_CFUNC_MAGIC_DEF("innerHTML", 0, property, INNER_HTML),
	JS_CFUNC_MAGIC_DEF("textContent", 0, property, TEXT_CONTENT),
	JS_CFUNC_MAGIC_DEF("toString", 0, property, TO_STRING),
	JS_CFUNC_MAGIC_DEF("namespaceURI", 0, property, NAMESPACE_URI),
	JS_CFUNC_MAGIC_DEF("isDefaultNamespace", 0, property, IS_DEFAULT_NAMESPACE),
	JS_CFUNC_MAGIC_DEF("hasAttributes", 0, property, HAS_ATTRIBUTES),
	JS_CFUNC_MAGIC_DEF("hasChildNodes", 0, property, HAS_CHILD_NODES),
	JS_CFUNC_MAGIC_DEF("childElementCount", 0, property, CHILD_ELEMENT_COUNT),
	JS_CFUNC_MAGIC_DEF("contains", 1, compare, CONTAINS),
	JS_CFUNC_MAGIC_DEF("isSameNode", 1, compare, SAME),
	JS_CFUNC_MAGIC_DEF("isEqualNode", 1, compare, EQUAL),
};

void load_html_element_setup(JSContext *ctx)
{
	JSValue proto = JS_NewObject(ctx);

	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetClassProto(ctx, LOAD_CLASS_HTML_ELEMENT, proto);
	JS_SetClassProto(ctx, LOAD_CLASS_HTML_TAGS, JS_NewObjectProto(ctx, JS_NULL));
}
