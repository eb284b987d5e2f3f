/*
 * The module "k6/experimental/csv": parse() reads a whole file into a SharedArray, once for all
 * VUs; a Parser gives one record after the other. Both read files of "k6/experimental/fs", in the
 * init context. Lines are counted from 0, and a record is one line whatever breaks are in its
 * quotes.
 */
#include "load/csv.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "js/value.h"
#include "load/k6/data.h"
#include "load/k6/fs.h"
#include "load/k6/modules.h"
#include "load/k6/promise.h"

struct options {
	char delimiter;
	bool skip_first, as_objects, has_to;
	int64_t from, to; /* to is read, too */
};

struct reader {
	struct load_csv csv;
	struct options o;
	int64_t line; /* of the next record */
	VEC(char *) columns;
};

static void reader_release(struct reader *r)
{
	vec_for_each (&r->columns, c)
		free(*c);
	vec_release(&r->columns);
	load_csv_release(&r->csv);
}

/* ---- options ---- */

static int read_delimiter(JSContext *ctx, JSValueConst v, struct options *o)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int r = js_get_str(ctx, v, "delimiter", &text);

	if (r < 0)
		return -1;
	o->delimiter = ',';
	if (r == 0)
		return 0;
	o->delimiter = strbuf_cstr(&text)[0];
	if (text.len == 1 && !strchr("\"\r\n", o->delimiter) && !(o->delimiter & 0x80))
		return 0;
	js_throw(ctx, "the delimiter of a CSV file must be one ASCII character and no quote");
	return -1;
}

static int check_options(JSContext *ctx, const struct options *o)
{
	const char *why = NULL;

	if (o->from < 0 || (o->has_to && o->to < 0))
		why = "fromLine and toLine must not be negative";
	else if (o->has_to && o->from >= o->to)
		why = "fromLine must be less than toLine";
	else if (o->as_objects && (o->skip_first || o->from > 0))
		why = "asObjects needs the first line: neither skipFirstLine nor fromLine may be "
		      "set";
	if (!why)
		return 0;
	js_throw(ctx, "reading CSV: %s", why);
	return -1;
}

/* 0, or -1 with an exception. */
static int read_options(JSContext *ctx, JSValueConst v, struct options *o)
{
	int to = 0;

	*o = (struct options){ .delimiter = ',' };
	if (!JS_IsObject(v))
		return 0;
	if (read_delimiter(ctx, v, o) < 0 ||
	    js_get_bool(ctx, v, "skipFirstLine", &o->skip_first) < 0 ||
	    js_get_bool(ctx, v, "asObjects", &o->as_objects) < 0 ||
	    js_get_int64(ctx, v, "fromLine", &o->from) < 0)
		return -1;
	to = js_get_int64(ctx, v, "toLine", &o->to);
	o->has_to = to > 0;
	return to < 0 ? -1 : check_options(ctx, o);
}

/* ---- records ---- */

/* 1, 0 at the end, -1 with an exception. */
static int next_record(JSContext *ctx, struct reader *r)
{
	struct error err = ERROR_INIT;
	int n;

	if (r->o.has_to && r->line > r->o.to)
		return 0;
	n = load_csv_next(&r->csv, &err);
	if (n < 0) {
		js_throw(ctx, "reading CSV: %s", err.msg);
		return -1;
	}
	r->line += n;
	return n;
}

/* Takes the names of columns, or skips lines. 0, or -1 with an exception. */
static int begin(JSContext *ctx, struct reader *r)
{
	int64_t first = r->o.from > 0 ? r->o.from : r->o.skip_first || r->o.as_objects;
	int n = 1;

	while (r->line < first && n > 0)
		n = next_record(ctx, r);
	if (n < 0)
		return -1;
	if (!r->o.as_objects)
		return 0;
	if (!r->csv.fields.len) {
		js_throw(ctx, "reading CSV: asObjects needs a first line with the columns' names");
		return -1;
	}
	vec_for_each (&r->csv.fields, f)
		vec_push(&r->columns, str_dup(*f));
	return 0;
}

/* The record as JSON: an array of texts, or an object. */
static void write_record(const struct reader *r, struct strbuf *out)
{
	bool object = r->o.as_objects;

	strbuf_addch(out, object ? '{' : '[');
	for (size_t i = 0; i < r->csv.fields.len; i++) {
		if (i)
			strbuf_addch(out, ',');
		if (object) {
			json_add_quoted(out, str_from(r->columns.ptr[i]));
			strbuf_addch(out, ':');
		}
		json_add_quoted(out, r->csv.fields.ptr[i]);
	}
	strbuf_addch(out, object ? '}' : ']');
}

/* ---- parse() ---- */

static int read_all(JSContext *ctx, struct reader *r, struct load_shared *items)
{
	size_t cap = 0;
	int n = begin(ctx, r);

	if (n < 0)
		return -1;
	while ((n = next_record(ctx, r)) > 0) {
		struct strbuf text = STRBUF_INIT;

		if (items->len == cap) {
			cap = cap ? cap * 2 : 64;
			items->items = xrealloc(items->items, cap * sizeof(*items->items));
			items->lens = xrealloc(items->lens, cap * sizeof(*items->lens));
		}
		write_record(r, &text);
		items->lens[items->len] = text.len;
		items->items[items->len++] = strbuf_detach(&text);
	}
	return n;
}

/* Arrays of the same file, read in the same way, are one. */
static void share_name(const char *path, const struct options *o, struct strbuf *out)
{
	strbuf_addf(out, "csv\n%s\n%d %d %d %d %lld %lld", path, o->delimiter, o->skip_first,
		    o->as_objects, o->has_to, (long long)o->from, (long long)o->to);
}

static int fill(JSContext *ctx, const char *name, struct str content, const struct options *o,
		const struct load_shared **ret)
{
	CLEANUP(reader_release) struct reader r = { .o = *o };
	struct load_script *script = load_vu_of(ctx)->run->script;
	struct load_shared items = { 0 };

	load_csv_init(&r.csv, content, o->delimiter);
	if (read_all(ctx, &r, &items) < 0) {
		load_script_share_fail(script, name);
		load_shared_release(&items);
		return -1;
	}
	load_script_share_fill(script, name, items, ret);
	return 0;
}

static JSValue arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

static JSValue parse_file(JSContext *ctx, JSValueConst file, JSValueConst options)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);
	const struct load_shared *items = NULL;
	struct options o;
	struct str content;
	const char *path;
	int r;

	if (vu->phase != LOAD_VU_INIT)
		return js_throw(ctx, "csv.parse() can be used in the init context only");
	if (!load_fs_file(file, &path, &content))
		return JS_ThrowTypeError(ctx, "csv.parse() takes a file that fs.open() gave");
	if (read_options(ctx, options, &o) < 0)
		return JS_EXCEPTION;
	share_name(path, &o, &name);
	r = load_script_share(vu->run->script, strbuf_cstr(&name), &items);
	if (r == -ECANCELED)
		return js_throw(ctx, "reading CSV from \"%s\" failed", path);
	if (r > 0 && fill(ctx, strbuf_cstr(&name), content, &o, &items) < 0)
		return JS_EXCEPTION;
	return load_shared_array(ctx, items);
}

static JSValue csv_parse(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	return load_promise(ctx, parse_file(ctx, arg(argc, argv, 0), arg(argc, argv, 1)));
}

/* ---- Parser ---- */

static void finalize(JSRuntime *rt UNUSED, JSValue val)
{
	struct reader *r = JS_GetOpaque(val, LOAD_CLASS_CSV_PARSER);

	if (!r)
		return;
	reader_release(r);
	free(r);
}

const struct js_class load_csv_parser_class = {
	.id = LOAD_CLASS_CSV_PARSER,
	.def = { .class_name = "Parser", .finalizer = finalize },
};

static JSValue new_parser(JSContext *ctx, JSValueConst target UNUSED, int argc, JSValueConst *argv)
{
	struct options o;
	struct reader *r;
	struct str content;
	const char *path;
	JSValue obj;

	if (load_vu_of(ctx)->phase != LOAD_VU_INIT)
		return js_throw(ctx, "a csv.Parser must be made in the init context");
	if (!load_fs_file(arg(argc, argv, 0), &path, &content))
		return JS_ThrowTypeError(ctx, "new csv.Parser() takes a file that fs.open() gave");
	if (read_options(ctx, arg(argc, argv, 1), &o) < 0)
		return JS_EXCEPTION;
	obj = JS_NewObjectClass(ctx, LOAD_CLASS_CSV_PARSER);
	if (JS_IsException(obj))
		return obj;
	r = xcalloc(1, sizeof(*r));
	r->o = o;
	load_csv_init(&r->csv, content, o.delimiter);
	JS_SetOpaque(obj, r);
	if (begin(ctx, r) == 0)
		return obj;
	JS_FreeValue(ctx, obj);
	return JS_EXCEPTION;
}

static JSValue next_result(JSContext *ctx, struct reader *r)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int n = next_record(ctx, r);
	JSValue result, value;

	if (n < 0)
		return JS_EXCEPTION;
	if (n > 0)
		write_record(r, &text);
	value = n > 0 ? js_json_parse(ctx, strbuf_str(&text), "a record") : JS_NewArray(ctx);
	if (JS_IsException(value))
		return value;
	result = JS_NewObject(ctx);
	js_set_bool(ctx, result, "done", n == 0);
	js_set(ctx, result, "value", value);
	return result;
}

static JSValue parser_next(JSContext *ctx, JSValueConst this, int argc UNUSED,
			   JSValueConst *argv UNUSED)
{
	struct reader *r = JS_GetOpaque2(ctx, this, LOAD_CLASS_CSV_PARSER);

	return r ? load_promise(ctx, next_result(ctx, r)) : JS_EXCEPTION;
}

static const JSCFunctionListEntry parser_methods[] = {
	JS_CFUNC_DEF("next", 0, parser_next),
};

static int init(JSContext *ctx, JSValueConst exports)
{
	JSValue proto = JS_NewObject(ctx);
	JSValue parser = JS_NewCFunction2(ctx, new_parser, "Parser", 2, JS_CFUNC_constructor, 0);

	JS_SetPropertyFunctionList(ctx, proto, parser_methods, ARRAY_SIZE(parser_methods));
	JS_SetConstructor(ctx, parser, proto);
	JS_SetClassProto(ctx, LOAD_CLASS_CSV_PARSER, proto);
	return js_set(ctx, exports, "Parser", parser);
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_DEF("parse", 2, csv_parse),
};

static const char *const names[] = { "Parser", NULL };

const struct js_native_module load_k6_csv = {
	.name = "k6/experimental/csv",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
	.names = names,
	.init = init,
};
