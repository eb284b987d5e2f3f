/*
 * error.h - what a script threw, as text with its place. The engine gives runtime errors only a
 * `stack` text and syntax errors also fileName, lineNumber and columnNumber; thrown values that are
 * no Error (throw 'x') have no place at all. Lines and columns count from 1.
 */
#ifndef ASSAY_JS_ERROR_H
#define ASSAY_JS_ERROR_H

#include "base/error.h"
#include "base/strbuf.h"
#include "js/engine.h"

struct js_error {
	char *message; /* "TypeError: not a function"; never NULL once set */
	char *stack;   /* the engine's lines "    at f (file:line:column)\n"; NULL = none */
	char *file;    /* innermost script position; NULL = unknown, then line and column are 0 */
	unsigned line, column;
	bool out_of_memory; /* the memory limit was hit; the engine then may throw null */
};

#define JS_ERROR_INIT                                                                              \
	{                                                                                          \
		.message = NULL                                                                    \
	}

void js_error_release(struct js_error *e);

/* Takes the exception pending in ctx (there need not be one) and describes it. Replaces what *ret
 * holds; ret may be NULL: the exception is dropped. May run script code (getters, toString). */
void js_error_take(JSContext *ctx, struct js_error *ret);

/* Describes a thrown value, such as the reason of a rejected promise. The value stays the caller's.
 */
void js_error_from(JSContext *ctx, JSValueConst thrown, struct js_error *ret);

/* Appends "message" and the stack lines below it, as an uncaught error is shown to people. */
void js_error_fmt(const struct js_error *e, struct strbuf *out);

/* Sets *reterr to "file:line:column: message" and returns code. */
int js_error_set(struct error *reterr, int code, const struct js_error *e);

#endif
