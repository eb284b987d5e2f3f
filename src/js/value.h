/*
 * value.h - between script values and C. Unless stated otherwise a JSValueConst parameter stays the
 * caller's and a returned JSValue is owned by the caller. "-1" always means: an exception is
 * pending in ctx; the native function then returns JS_EXCEPTION.
 */
#ifndef ASSAY_JS_VALUE_H
#define ASSAY_JS_VALUE_H

#include "base/strbuf.h"
#include "js/engine.h"

/*
 * Property `key` of obj, converted as the language does. 1: *ret set; 0: the property is absent,
 * undefined or null, and *ret is untouched; -1. Getters and conversions may run script code.
 * js_get_str() appends to *ret.
 */
int js_get_str(JSContext *ctx, JSValueConst obj, const char *key, struct strbuf *ret);
int js_get_double(JSContext *ctx, JSValueConst obj, const char *key, double *ret);
int js_get_int64(JSContext *ctx, JSValueConst obj, const char *key, int64_t *ret);
int js_get_bool(JSContext *ctx, JSValueConst obj, const char *key, bool *ret);

/* The property itself: 1 with *ret owned by the caller, 0 as above, -1. */
int js_get_value(JSContext *ctx, JSValueConst obj, const char *key, JSValue *ret);

/* Appends String(v) as UTF-8: 0 or -1. */
int js_to_str(JSContext *ctx, JSValueConst v, struct strbuf *out);

/* A string; bytes that are not UTF-8 become U+FFFD. */
JSValue js_new_str(JSContext *ctx, struct str text);

/* Defines a plain property; the value is taken over. 0 or -1. */
int js_set(JSContext *ctx, JSValueConst obj, const char *key, JSValue value);
int js_set_str(JSContext *ctx, JSValueConst obj, const char *key, struct str value);
int js_set_double(JSContext *ctx, JSValueConst obj, const char *key, double value);
int js_set_bool(JSContext *ctx, JSValueConst obj, const char *key, bool value);

/*
 * Calls fn for each own enumerable property with a string key, in the language's order. key is the
 * callee's for the call, value stays js_each()'s. fn returns 0 to go on, 1 to stop, -1. Returns
 * what the last fn returned.
 */
typedef int js_each_fn(JSContext *ctx, struct str key, JSValueConst value, void *arg);
int js_each(JSContext *ctx, JSValueConst obj, js_each_fn *fn, void *arg);

/* The same for the elements of an array; key is the index in decimal. */
int js_each_element(JSContext *ctx, JSValueConst array, js_each_fn *fn, void *arg);

/* Number of elements of an array; -1. */
int64_t js_array_length(JSContext *ctx, JSValueConst array);

/* JSON.stringify(v): 1 appended to *out, 0 when it gives undefined (a function), -1. */
int js_json_write(JSContext *ctx, JSValueConst v, struct strbuf *out);

/* JSON.parse(text); where names the text in the error's position. JS_EXCEPTION on failure. */
JSValue js_json_parse(JSContext *ctx, struct str text, const char *where);

/* Object.freeze() on v and on all it holds: 0 or -1. v must have no cycles. */
int js_freeze_deep(JSContext *ctx, JSValueConst v);

/* Bytes of an ArrayBuffer or of a view on one, borrowed from v; false (and no exception) when it is
 * neither. */
bool js_bytes(JSContext *ctx, JSValueConst v, struct str *ret);

/* Appends those bytes, or String(v) as UTF-8: 0 or -1. */
int js_to_bytes(JSContext *ctx, JSValueConst v, struct strbuf *out);

/* A new ArrayBuffer with a copy. */
JSValue js_new_buffer(JSContext *ctx, struct str bytes);

/* Throws a new Error with that message, of any length (JS_ThrowTypeError() and its kin cut at 255
 * bytes); returns JS_EXCEPTION. */
JSValue js_throw(JSContext *ctx, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The same with a name of its own: scripts look at err.name. */
JSValue js_throw_named(JSContext *ctx, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
