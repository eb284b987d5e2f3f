/*
 * error.c - from a thrown value to text and place. The place of a runtime error is only in the
 * `stack` text the engine builds, one line per frame, innermost first:
 *
 *	    at NAME (FILE:LINE:COLUMN)
 *	    at NAME (native)
 *	    at FILE:LINE:COLUMN              the first line of a syntax error
 *
 * FILE may itself hold colons (a URL), so a line is read from its end.
 */
#include "js/error.h"

#include <stdlib.h>

#include "base/mem.h"
#include "js/js_internal.h"
#include "js/value.h"

void js_error_release(struct js_error *e)
{
	free(e->message);
	free(e->stack);
	free(e->file);
	*e = (struct js_error)JS_ERROR_INIT;
}

/* Cuts ":NUMBER" off the end of *text. */
static bool cut_number(struct str *text, unsigned *ret)
{
	size_t digits = 0;
	uint64_t value = 0;

	while (digits < text->len && text->ptr[text->len - 1 - digits] >= '0' &&
	       text->ptr[text->len - 1 - digits] <= '9')
		digits++;
	if (!digits || digits > 9 || digits + 1 >= text->len ||
	    text->ptr[text->len - 1 - digits] != ':')
		return false;
	for (size_t i = text->len - digits; i < text->len; i++)
		value = value * 10 + (uint64_t)(text->ptr[i] - '0');
	text->len -= digits + 1;
	*ret = (unsigned)value;
	return true;
}

/* Reads one line of a stack; false when it names no place in a script. */
static bool parse_frame(struct str line, struct js_error *e)
{
	struct str place = str_trim(line);
	unsigned line_no, column;

	if (!str_starts_with(place, STR("at ")))
		return false;
	place.ptr += 3;
	place.len -= 3;
	if (place.len && place.ptr[place.len - 1] == ')') {
		size_t open = place.len;

		while (open && place.ptr[open - 1] != '(')
			open--;
		place = (struct str){ place.ptr + open, place.len - 1 - open };
	}
	if (!cut_number(&place, &column) || !cut_number(&place, &line_no))
		return false;
	e->file = str_dup(place);
	e->line = line_no;
	e->column = column;
	return true;
}

static void parse_stack(struct js_error *e)
{
	struct str rest = str_from(e->stack), line;

	while (str_split(&rest, '\n', &line)) {
		if (parse_frame(line, e))
			return;
	}
}

/* An object without words of its own says more as JSON. */
static void describe_object(JSContext *ctx, JSValueConst v, struct strbuf *sb)
{
	CLEANUP(strbuf_release) struct strbuf json = STRBUF_INIT;
	int r = js_json_write(ctx, v, &json);

	if (r < 0)
		JS_FreeValue(ctx, JS_GetException(ctx));
	if (r <= 0)
		return;
	strbuf_clear(sb);
	strbuf_addstr(sb, strbuf_cstr(&json));
}

/* String(v), or a word for it when even that throws. */
static char *describe(JSContext *ctx, JSValueConst v)
{
	struct strbuf sb = STRBUF_INIT;

	if (js_to_str(ctx, v, &sb) < 0) {
		JS_FreeValue(ctx, JS_GetException(ctx));
		strbuf_clear(&sb);
		strbuf_addstr(&sb, "(a value that cannot be shown)");
	}
	if (!strcmp(strbuf_cstr(&sb), "[object Object]"))
		describe_object(ctx, v, &sb);
	return strbuf_detach(&sb);
}

/* The engine says so; or throws null, when it had no memory for an Error; or the script caught that
 * and went on until it was interrupted. */
static bool ran_out_of_memory(JSContext *ctx, JSValueConst thrown, const char *message)
{
	struct js_vm *vm = js_vm_of(ctx);

	if (JS_IsNull(thrown))
		return vm && vm->shard->memory.refusals != vm->refusals;
	return !strcmp(message, "InternalError: out of memory") ||
	       (vm && vm->over_limit && !strcmp(message, "InternalError: interrupted"));
}

static char *out_of_memory_text(struct js_shard *shard)
{
	const struct js_engine_memory *m = &shard->memory;

	if (m->budget_was_short)
		return xasprintf("out of memory: all virtual users share %zu MB for script objects",
				 m->budget->total_bytes >> 20);
	if (shard->vm_count == 1)
		return xasprintf("out of memory: a virtual user has %zu MB for script objects",
				 m->limit_bytes >> 20);
	return xasprintf("out of memory: %u virtual users share %zu MB for script objects",
			 shard->vm_count, m->limit_bytes >> 20);
}

void js_error_from(JSContext *ctx, JSValueConst thrown, struct js_error *ret)
{
	struct js_shard *shard = JS_GetRuntimeOpaque(JS_GetRuntime(ctx));
	struct strbuf stack = STRBUF_INIT;

	js_error_release(ret);
	ret->message = describe(ctx, thrown);
	ret->out_of_memory = ran_out_of_memory(ctx, thrown, ret->message);
	if (ret->out_of_memory) {
		free(ret->message);
		ret->message = out_of_memory_text(shard);
	}
	if (!JS_IsError(ctx, thrown))
		return;

	if (js_get_str(ctx, thrown, "stack", &stack) < 0)
		JS_FreeValue(ctx, JS_GetException(ctx));
	if (stack.len) {
		ret->stack = strbuf_detach(&stack);
		parse_stack(ret);
	}
	strbuf_release(&stack);
}

void js_error_take(JSContext *ctx, struct js_error *ret)
{
	JSValue thrown = JS_GetException(ctx);

	if (ret)
		js_error_from(ctx, thrown, ret);
	JS_FreeValue(ctx, thrown);
}

void js_error_fmt(const struct js_error *e, struct strbuf *out)
{
	strbuf_addstr(out, e->message ? e->message : "no error");
	if (!e->stack)
		return;
	strbuf_addch(out, '\n');
	strbuf_addstr(out, e->stack);
	while (out->len && out->ptr[out->len - 1] == '\n')
		out->ptr[--out->len] = '\0';
}

int js_error_set(struct error *reterr, int code, const struct js_error *e)
{
	const char *message = e->message ? e->message : "no error";

	if (!e->file)
		return error_set(reterr, code, "%s", message);
	return error_set(reterr, code, "%s:%u:%u: %s", e->file, e->line, e->column, message);
}
