/*
 * The module "k6/html": parseHTML() and Selection. A Selection holds a reference to its document
 * and the nodes; elements are made into objects only when a script asks for them.
 */
#include "load/k6/html.h"

#include <errno.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/modules.h"
#include "load/worker.h"

struct selection {
	struct load_html_doc *doc;
	struct load_html_list nodes;
	JSValue prev; /* what end() gives */
};

static void finalize(JSRuntime *rt, JSValue val)
{
	struct selection *s = JS_GetOpaque(val, LOAD_CLASS_HTML_SELECTION);

	if (!s)
		return;
	JS_FreeValueRT(rt, s->prev);
	load_html_list_release(&s->nodes);
	load_html_doc_unref(s->doc);
	free(s);
}

static void mark(JSRuntime *rt, JSValueConst val, JS_MarkFunc *mark_func)
{
	struct selection *s = JS_GetOpaque(val, LOAD_CLASS_HTML_SELECTION);

	if (s)
		JS_MarkValue(rt, s->prev, mark_func);
}

const struct js_class load_html_selection_class = {
	.id = LOAD_CLASS_HTML_SELECTION,
	.def = { .class_name = "Selection", .finalizer = finalize, .gc_mark = mark },
};

JSValue load_html_selection(JSContext *ctx, struct load_html_doc *doc, struct load_html_list *nodes,
			    JSValueConst prev)
{
	JSValue obj = load_html_setup(ctx) < 0 ? JS_EXCEPTION
					       : JS_NewObjectClass(ctx, LOAD_CLASS_HTML_SELECTION);
	struct selection *s;

	if (JS_IsException(obj)) {
		load_html_list_release(nodes);
		return obj;
	}
	s = xcalloc(1, sizeof(*s));
	s->doc = load_html_doc_ref(doc);
	s->nodes = *nodes;
	s->prev = JS_DupValue(ctx, prev);
	*nodes = (struct load_html_list){ 0 };
	JS_SetOpaque(obj, s);
	return obj;
}

static JSValue selection_of_one(JSContext *ctx, struct load_html_doc *doc, struct load_html_node *n,
				JSValueConst prev)
{
	struct load_html_list one = { 0 };

	if (n)
		vec_push(&one, n);
	return load_html_selection(ctx, doc, &one, prev);
}

static struct selection *self(JSContext *ctx, JSValueConst this)
{
	return JS_GetOpaque2(ctx, this, LOAD_CLASS_HTML_SELECTION);
}

const struct load_html_list *load_html_list_of(JSValueConst v)
{
	struct selection *s = JS_GetOpaque(v, LOAD_CLASS_HTML_SELECTION);

	return s ? &s->nodes : NULL;
}

static struct load_html_node *first_of(const struct selection *s)
{
	return s->nodes.len ? s->nodes.ptr[0] : NULL;
}

int load_html_check(JSContext *ctx, uint64_t steps)
{
	if (steps <= LOAD_HTML_STEPS_MAX)
		return 0;
	js_throw(ctx, "searching the page takes too long: more than %llu steps",
		 (unsigned long long)LOAD_HTML_STEPS_MAX);
	return -1;
}

int load_html_selector_of(JSContext *ctx, JSValueConst v, struct load_html_selector **ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;
	int r;

	if (js_to_str(ctx, v, &text) < 0)
		return -1;
	r = load_html_selector_new(ret, strbuf_str(&text), &err);
	if (r == -ENOTSUP) {
		js_throw(ctx, "%s", err.msg);
		return -1;
	}
	return r == 0;
}

/* ---- which nodes: a selector, a Selection, an Element, a function ---- */

struct picker {
	struct load_html_filter filter;
	struct load_html_selector *selector;
	uint64_t *marks;
	bool absent;	  /* undefined or null */
	bool is_function; /* then by calling it */
	JSValueConst fn;
	uint64_t steps;
};

static void picker_release(struct picker *p)
{
	load_html_selector_free(p->selector);
	free(p->marks);
}

/* Marks what is of this document: nodes of another one are nowhere in it. */
static bool pick_nodes(struct picker *p, struct load_html_doc *doc, JSValueConst v)
{
	struct selection *s = JS_GetOpaque(v, LOAD_CLASS_HTML_SELECTION);
	struct load_html_doc *of = NULL;
	struct load_html_list nodes = { 0 };
	struct load_html_node *one;

	if (s) {
		of = s->doc;
		nodes = s->nodes;
	} else {
		one = load_html_node_of(v, &of);
		if (!one)
			return false;
		nodes = (struct load_html_list){ &one, 1, 1 };
	}
	if (of == doc)
		p->filter.marks = p->marks = load_html_marks(doc, &nodes);
	return true;
}

/* 0, or -1 with an exception. */
static int pick(JSContext *ctx, struct picker *p, struct load_html_doc *doc, JSValueConst v)
{
	int r;

	p->fn = JS_UNDEFINED;
	p->absent = JS_IsUndefined(v) || JS_IsNull(v);
	if (p->absent || pick_nodes(p, doc, v))
		return 0;
	if (JS_IsFunction(ctx, v)) {
		p->is_function = true;
		p->fn = v;
		return 0;
	}
	if (!JS_IsString(v)) {
		JS_ThrowTypeError(ctx, "this cannot be used as a selector");
		return -1;
	}
	r = load_html_selector_of(ctx, v, &p->selector);
	p->filter.selector = p->selector;
	return r < 0 ? -1 : 0;
}

/* As pick(), for methods that need one and take no function. */
static int pick_some(JSContext *ctx, struct picker *p, struct load_html_doc *doc, int argc,
		     JSValueConst *argv)
{
	if (pick(ctx, p, doc, argc > 0 ? argv[0] : JS_UNDEFINED) < 0)
		return -1;
	if (!p->absent && !p->is_function)
		return 0;
	JS_ThrowTypeError(ctx, "this needs a selector, a selection or an element");
	return -1;
}

/* 1, 0, or -1 with an exception. */
static int picked(JSContext *ctx, struct picker *p, struct selection *s, size_t i)
{
	JSValue args[2], result;
	int r;

	if (!p->is_function)
		return load_html_pass(&p->filter, s->nodes.ptr[i], &p->steps);
	args[0] = JS_NewInt64(ctx, (int64_t)i);
	args[1] = selection_of_one(ctx, s->doc, s->nodes.ptr[i], JS_UNDEFINED);
	if (JS_IsException(args[1]))
		return -1;
	result = JS_Call(ctx, p->fn, JS_UNDEFINED, 2, args);
	JS_FreeValue(ctx, args[1]);
	r = JS_IsException(result) ? -1 : JS_ToBool(ctx, result);
	JS_FreeValue(ctx, result);
	return r;
}

/* ---- from nodes to nodes ---- */

/* The result of a walk, or the exception if it went too far. */
static JSValue finish(JSContext *ctx, struct load_html_doc *doc, struct load_html_list *out,
		      JSValueConst prev, uint64_t steps)
{
	if (load_html_check(ctx, steps) < 0) {
		load_html_list_release(out);
		return JS_EXCEPTION;
	}
	return load_html_selection(ctx, doc, out, prev);
}

/* step(only) and stepUntil(until, only) */
static JSValue walk(JSContext *ctx, JSValueConst this, enum load_html_step step,
		    JSValueConst until_arg, JSValueConst only_arg)
{
	CLEANUP(picker_release) struct picker until = { .selector = NULL };
	CLEANUP(picker_release) struct picker only = { .selector = NULL };
	struct selection *s = self(ctx, this);
	struct load_html_list out = { 0 };
	uint64_t steps = 0;
	struct load_html_walk w = { .steps = &steps };

	if (!s || pick(ctx, &until, s->doc, until_arg) < 0 ||
	    pick(ctx, &only, s->doc, only_arg) < 0)
		return JS_EXCEPTION;
	w.doc = s->doc;
	w.from = &s->nodes;
	w.until = until.absent ? NULL : &until.filter;
	w.only = only.absent ? NULL : &only.filter;
	load_html_step(&w, step, &out);
	return finish(ctx, s->doc, &out, this, steps);
}

static JSValue arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

static JSValue step(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv, int magic)
{
	return walk(ctx, this, magic, JS_UNDEFINED, arg(argc, argv, 0));
}

static JSValue step_until(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv,
			  int magic)
{
	return walk(ctx, this, magic, arg(argc, argv, 0), arg(argc, argv, 1));
}

enum search { FIND, CLOSEST };

static JSValue search(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv, int magic)
{
	CLEANUP(picker_release) struct picker only = { .selector = NULL };
	struct selection *s = self(ctx, this);
	struct load_html_list out = { 0 };
	uint64_t steps = 0;
	struct load_html_walk w = { .steps = &steps, .only = &only.filter };

	if (!s || pick_some(ctx, &only, s->doc, argc, argv) < 0)
		return JS_EXCEPTION;
	w.doc = s->doc;
	w.from = &s->nodes;
	if (magic == FIND)
		load_html_find(&w, &out);
	else
		load_html_closest(&w, &out);
	return finish(ctx, s->doc, &out, this, steps);
}

/* What the selector finds in the whole document, or the nodes given, after those there are. */
static JSValue add(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(picker_release) struct picker more = { .selector = NULL };
	struct selection *s = self(ctx, this);
	struct load_html_list out = { 0 }, top = { 0 }, found = { 0 };
	struct load_html_walk w = { .steps = &more.steps, .only = &more.filter, .from = &top };
	uint64_t *have;

	if (!s || pick_some(ctx, &more, s->doc, argc, argv) < 0)
		return JS_EXCEPTION;
	have = load_html_marks(s->doc, &s->nodes);
	vec_push(&top, s->doc->root);
	w.doc = s->doc;
	load_html_find(&w, &found);
	vec_for_each (&s->nodes, n)
		vec_push(&out, *n);
	vec_for_each (&found, n)
		if (!load_html_marked(have, *n))
			vec_push(&out, *n);
	free(have);
	load_html_list_release(&top);
	load_html_list_release(&found);
	return finish(ctx, s->doc, &out, this, more.steps);
}

static bool has_picked(const struct load_html_node *top, struct picker *p)
{
	const struct load_html_node *n = top->first;

	for (; n && p->steps <= LOAD_HTML_STEPS_MAX; n = load_html_next(n, top)) {
		p->steps++;
		if (load_html_pass(&p->filter, n, &p->steps))
			return true;
	}
	return false;
}

static JSValue has(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(picker_release) struct picker p = { .selector = NULL };
	struct selection *s = self(ctx, this);
	struct load_html_list out = { 0 };

	if (!s || pick_some(ctx, &p, s->doc, argc, argv) < 0)
		return JS_EXCEPTION;
	vec_for_each (&s->nodes, n)
		if (has_picked(*n, &p))
			vec_push(&out, *n);
	return finish(ctx, s->doc, &out, this, p.steps);
}

/* filter() and not(), by magic. A script's function may do what it likes, but never frees this. */
static JSValue filter(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv, int want)
{
	CLEANUP(picker_release) struct picker p = { .selector = NULL };
	struct selection *s = self(ctx, this);
	struct load_html_list out = { 0 };

	if (!s || pick(ctx, &p, s->doc, arg(argc, argv, 0)) < 0)
		return JS_EXCEPTION;
	if (p.absent)
		return JS_ThrowTypeError(ctx, "this needs a function, a selector or a selection");
	for (size_t i = 0; i < s->nodes.len; i++) {
		int r = picked(ctx, &p, s, i);

		if (r < 0) {
			load_html_list_release(&out);
			return JS_EXCEPTION;
		}
		if (r == want)
			vec_push(&out, s->nodes.ptr[i]);
	}
	return finish(ctx, s->doc, &out, this, p.steps);
}

static JSValue is(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(picker_release) struct picker p = { .selector = NULL };
	struct selection *s = self(ctx, this);
	int r = 0;

	if (!s || pick(ctx, &p, s->doc, arg(argc, argv, 0)) < 0)
		return JS_EXCEPTION;
	if (p.absent)
		return JS_ThrowTypeError(ctx, "is() needs a function, a selector or a selection");
	for (size_t i = 0; i < s->nodes.len && !r; i++)
		r = picked(ctx, &p, s, i);
	if (r < 0 || load_html_check(ctx, p.steps) < 0)
		return JS_EXCEPTION;
	return JS_NewBool(ctx, r);
}

/* ---- by position ---- */

/* From the end when negative; outside, nothing. */
static struct load_html_node *at(const struct selection *s, int64_t i)
{
	if (i < 0)
		i += (int64_t)s->nodes.len;
	return i >= 0 && i < (int64_t)s->nodes.len ? s->nodes.ptr[i] : NULL;
}

static JSValue eq(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct selection *s = self(ctx, this);
	int64_t i = 0;

	if (!s || JS_ToInt64(ctx, &i, arg(argc, argv, 0)) < 0)
		return JS_EXCEPTION;
	return selection_of_one(ctx, s->doc, at(s, i), this);
}

static JSValue end_of(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv UNUSED,
		      int index)
{
	struct selection *s = self(ctx, this);

	return s ? selection_of_one(ctx, s->doc, at(s, index), this) : JS_EXCEPTION;
}

static int bound(JSContext *ctx, JSValueConst v, size_t len, int64_t *ret)
{
	if (JS_IsUndefined(v))
		return 0;
	if (JS_ToInt64(ctx, ret, v) < 0)
		return -1;
	if (*ret < 0)
		*ret += (int64_t)len;
	*ret = MAX(0, MIN(*ret, (int64_t)len));
	return 0;
}

static JSValue slice(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct selection *s = self(ctx, this);
	struct load_html_list out = { 0 };
	int64_t from = 0, to;

	if (!s)
		return JS_EXCEPTION;
	to = (int64_t)s->nodes.len;
	if (bound(ctx, arg(argc, argv, 0), s->nodes.len, &from) < 0 ||
	    bound(ctx, arg(argc, argv, 1), s->nodes.len, &to) < 0)
		return JS_EXCEPTION;
	for (int64_t i = from; i < to; i++)
		vec_push(&out, s->nodes.ptr[i]);
	return load_html_selection(ctx, s->doc, &out, this);
}

static JSValue end(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv UNUSED)
{
	struct selection *s = self(ctx, this);

	if (!s)
		return JS_EXCEPTION;
	return JS_IsUndefined(s->prev) ? selection_of_one(ctx, s->doc, NULL, JS_UNDEFINED)
				       : JS_DupValue(ctx, s->prev);
}

static JSValue size(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv UNUSED)
{
	struct selection *s = self(ctx, this);

	return s ? JS_NewInt64(ctx, (int64_t)s->nodes.len) : JS_EXCEPTION;
}

/* get(i): an Element or undefined; get(): all of them */
static JSValue get(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct selection *s = self(ctx, this);
	int64_t i = 0;
	JSValue list;

	if (!s)
		return JS_EXCEPTION;
	if (argc > 0) {
		if (JS_ToInt64(ctx, &i, argv[0]) < 0)
			return JS_EXCEPTION;
		return load_html_element(ctx, s->doc, at(s, i));
	}
	list = JS_NewArray(ctx);
	for (size_t k = 0; k < s->nodes.len; k++)
		JS_SetPropertyUint32(ctx, list, (uint32_t)k,
				     load_html_element(ctx, s->doc, s->nodes.ptr[k]));
	return list;
}

static JSValue to_array(JSContext *ctx, JSValueConst this, int argc UNUSED,
			JSValueConst *argv UNUSED)
{
	struct selection *s = self(ctx, this);
	JSValue list;

	if (!s)
		return JS_EXCEPTION;
	list = JS_NewArray(ctx);
	for (size_t k = 0; k < s->nodes.len; k++)
		JS_SetPropertyUint32(ctx, list, (uint32_t)k,
				     selection_of_one(ctx, s->doc, s->nodes.ptr[k], this));
	return list;
}

static int64_t index_in(const struct load_html_list *l, const struct load_html_node *n)
{
	for (size_t i = 0; n && i < l->len; i++)
		if (l->ptr[i] == n)
			return (int64_t)i;
	return -1;
}

/* index(): among its siblings; index("li"): among what that finds; index(x): where x is in this */
static JSValue index_of(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct selection *s = self(ctx, this);
	const struct load_html_list *of;
	struct load_html_node *n;
	JSValue all;
	int64_t i;

	if (!s)
		return JS_EXCEPTION;
	n = first_of(s);
	if (argc == 0 || JS_IsUndefined(argv[0]))
		return JS_NewInt64(ctx, n ? (int64_t)n->place : -1);
	if (JS_IsString(argv[0])) {
		all = load_html_document(ctx, s->doc, argv[0]);
		if (JS_IsException(all))
			return all;
		i = index_in(load_html_list_of(all), n);
		JS_FreeValue(ctx, all);
		return JS_NewInt64(ctx, i);
	}
	of = load_html_list_of(argv[0]);
	n = of ? (of->len ? of->ptr[0] : NULL) : load_html_node_of(argv[0], NULL);
	return JS_NewInt64(ctx, index_in(&s->nodes, n));
}

/* ---- with a function ---- */

static JSValue each(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct selection *s = self(ctx, this);

	if (!s)
		return JS_EXCEPTION;
	if (!JS_IsFunction(ctx, arg(argc, argv, 0)))
		return JS_ThrowTypeError(ctx, "the argument of each() must be a function");
	for (size_t i = 0; i < s->nodes.len; i++) {
		JSValue args[2] = { JS_NewInt64(ctx, (int64_t)i),
				    load_html_element(ctx, s->doc, s->nodes.ptr[i]) };
		JSValue r = JS_Call(ctx, argv[0], JS_UNDEFINED, 2, args);

		JS_FreeValue(ctx, args[1]);
		JS_FreeValue(ctx, r);
		if (JS_IsException(r))
			return r;
	}
	return JS_DupValue(ctx, this);
}

static JSValue map(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct selection *s = self(ctx, this);
	JSValue list;

	if (!s)
		return JS_EXCEPTION;
	if (!JS_IsFunction(ctx, arg(argc, argv, 0)))
		return JS_ThrowTypeError(ctx, "the argument of map() must be a function");
	list = JS_NewArray(ctx);
	for (size_t i = 0; i < s->nodes.len; i++) {
		JSValue args[2] = { JS_NewInt64(ctx, (int64_t)i),
				    selection_of_one(ctx, s->doc, s->nodes.ptr[i], JS_UNDEFINED) };
		JSValue r = JS_Call(ctx, argv[0], JS_UNDEFINED, 2, args);

		JS_FreeValue(ctx, args[1]);
		if (JS_IsException(r)) {
			JS_FreeValue(ctx, list);
			return r;
		}
		JS_SetPropertyUint32(ctx, list, (uint32_t)i, r);
	}
	return list;
}

/* ---- values ---- */

static JSValue text(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv UNUSED)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct selection *s = self(ctx, this);

	if (!s)
		return JS_EXCEPTION;
	vec_for_each (&s->nodes, n)
		load_html_text(*n, &sb);
	return js_new_str(ctx, strbuf_str(&sb));
}

static JSValue html(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv UNUSED)
{
	struct selection *s = self(ctx, this);

	if (!s)
		return JS_EXCEPTION;
	return first_of(s) ? load_html_inner_value(ctx, first_of(s)) : JS_NewString(ctx, "");
}

static JSValue attr(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct selection *s = self(ctx, this);
	JSValue v = JS_UNDEFINED;

	if (!s || js_to_str(ctx, arg(argc, argv, 0), &name) < 0)
		return JS_EXCEPTION;
	if (first_of(s))
		v = load_html_attr_value(ctx, first_of(s), strbuf_cstr(&name));
	return JS_IsUndefined(v) ? JS_DupValue(ctx, arg(argc, argv, 1)) : v;
}

static JSValue val(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv UNUSED)
{
	struct selection *s = self(ctx, this);

	if (!s)
		return JS_EXCEPTION;
	return first_of(s) ? load_html_val(ctx, first_of(s)) : JS_UNDEFINED;
}

static const JSCFunctionListEntry methods[] = {
	JS_CFUNC_MAGIC_DEF("find", 1, search, FIND),
	JS_CFUNC_MAGIC_DEF("closest", 1, search, CLOSEST),
	JS_CFUNC_DEF("add", 1, add),
	JS_CFUNC_DEF("has", 1, has),
	JS_CFUNC_MAGIC_DEF("filter", 1, filter, true),
	JS_CFUNC_MAGIC_DEF("not", 1, filter, false),
	JS_CFUNC_DEF("is", 1, is),
	JS_CFUNC_MAGIC_DEF("children", 1, step, LOAD_HTML_CHILDREN),
	JS_CFUNC_MAGIC_DEF("contents", 0, step, LOAD_HTML_CONTENTS),
	JS_CFUNC_MAGIC_DEF("parent", 1, step, LOAD_HTML_PARENT),
	JS_CFUNC_MAGIC_DEF("parents", 1, step, LOAD_HTML_PARENTS),
	JS_CFUNC_MAGIC_DEF("next", 1, step, LOAD_HTML_NEXT),
	JS_CFUNC_MAGIC_DEF("nextAll", 1, step, LOAD_HTML_NEXT_ALL),
	JS_CFUNC_MAGIC_DEF("prev", 1, step, LOAD_HTML_PREV),
	JS_CFUNC_MAGIC_DEF("prevAll", 1, step, LOAD_HTML_PREV_ALL),
	JS_CFUNC_MAGIC_DEF("siblings", 1, step, LOAD_HTML_SIBLINGS),
	JS_CFUNC_MAGIC_DEF("parentsUntil", 2, step_until, LOAD_HTML_PARENTS),
	JS_CFUNC_MAGIC_DEF("nextUntil", 2, step_until, LOAD_HTML_NEXT_ALL),
	JS_CFUNC_MAGIC_DEF("prevUntil", 2, step_until, LOAD_HTML_PREV_ALL),
	JS_CFUNC_DEF("eq", 1, eq),
	JS_CFUNC_MAGIC_DEF("first", 0, end_of, 0),
	JS_CFUNC_MAGIC_DEF("last", 0, end_of, -1),
	JS_CFUNC_DEF("slice", 2, slice),
	JS_CFUNC_DEF("end", 0, end),
	JS_CFUNC_DEF("size", 0, size),
	JS_CFUNC_DEF("get", 1, get),
	JS_CFUNC_DEF("toArray", 0, to_array),
	JS_CFUNC_DEF("index", 1, index_of),
	JS_CFUNC_DEF("each", 1, each),
	JS_CFUNC_DEF("map", 1, map),
	JS_CFUNC_DEF("text", 0, text),
	JS_CFUNC_DEF("html", 0, html),
	JS_CFUNC_DEF("attr", 2, attr),
	JS_CFUNC_DEF("val", 0, val),
	JS_CFUNC_DEF("data", 1, load_html_data),
	JS_CFUNC_DEF("serialize", 0, load_html_serialize),
	JS_CFUNC_DEF("serializeArray", 0, load_html_serialize_array),
	JS_CFUNC_DEF("serializeObject", 0, load_html_serialize_object),
};

/* ---- documents and the module ---- */

struct load_html_doc *load_html_doc_new(JSContext *ctx, struct str source, const char *url)
{
	struct load_html_doc *doc = NULL;
	struct error err = ERROR_INIT;

	if (load_html_parse(&doc, source, url, &load_vu_of(ctx)->worker->scratch, &err) < 0)
		js_throw(ctx, "parsing HTML: %s", err.msg);
	return doc;
}

JSValue load_html_document(JSContext *ctx, struct load_html_doc *doc, JSValueConst selector)
{
	JSValue all = selection_of_one(ctx, doc, doc->root, JS_UNDEFINED), found;

	if (JS_IsException(all) || JS_IsUndefined(selector))
		return all;
	found = search(ctx, all, 1, &selector, FIND);
	JS_FreeValue(ctx, all);
	return found;
}

int load_html_setup(JSContext *ctx)
{
	JSValue proto = JS_GetClassProto(ctx, LOAD_CLASS_HTML_SELECTION);
	bool done = JS_IsObject(proto);

	JS_FreeValue(ctx, proto);
	if (done)
		return 0;
	proto = JS_NewObject(ctx);
	if (JS_IsException(proto))
		return -1;
	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetClassProto(ctx, LOAD_CLASS_HTML_SELECTION, proto);
	load_html_element_setup(ctx);
	return 0;
}

static JSValue parse_html(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(cleanup_load_html_doc) struct load_html_doc *doc = NULL;
	CLEANUP(strbuf_release) struct strbuf source = STRBUF_INIT;

	if (js_to_str(ctx, arg(argc, argv, 0), &source) < 0)
		return JS_EXCEPTION;
	doc = load_html_doc_new(ctx, strbuf_str(&source), "");
	return doc ? load_html_document(ctx, doc, JS_UNDEFINED) : JS_EXCEPTION;
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_DEF("parseHTML", 1, parse_html),
};

const struct js_native_module load_k6_html = {
	.name = "k6/html",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
};
