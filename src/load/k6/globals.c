#include "load/k6/globals.h"

#include "base/json.h"
#include "js/module.h"
#include "js/value.h"
#include "load/k6/webcrypto.h"

/* ---- console ---- */

#define FORMAT_DEPTH_MAX 8

/* The objects that are being written, from the outermost on. */
struct listing {
	struct strbuf *out;
	unsigned depth;
	bool array, any;
	JSValueConst object;
	const struct listing *outer;
};

static int format_value(JSContext *ctx, JSValueConst v, struct strbuf *out,
			const struct listing *in);

static int format_member(JSContext *ctx, struct str key, JSValueConst v, void *arg)
{
	struct listing *l = arg;

	strbuf_addstr(l->out, l->any ? ", " : " ");
	l->any = true;
	if (!l->array) {
		json_add_quoted(l->out, key);
		strbuf_addstr(l->out, ": ");
	}
	return format_value(ctx, v, l->out, l);
}

static int format_object(JSContext *ctx, JSValueConst v, struct strbuf *out,
			 const struct listing *in)
{
	struct listing l = {
		.out = out, .depth = in ? in->depth + 1 : 1, .object = v, .outer = in
	};
	int r;

	l.array = JS_IsArray(ctx, v) > 0;
	for (const struct listing *o = in; o; o = o->outer)
		if (JS_VALUE_GET_PTR(o->object) == JS_VALUE_GET_PTR(v))
			return strbuf_addstr(out, "[Circular]");

	strbuf_addch(out, l.array ? '[' : '{');
	r = l.array ? js_each_element(ctx, v, format_member, &l)
		    : js_each(ctx, v, format_member, &l);
	if (l.any)
		strbuf_addch(out, ' ');
	strbuf_addch(out, l.array ? ']' : '}');
	return r;
}

static bool is_plain(JSContext *ctx, JSValueConst v)
{
	JSValue plain;
	bool same;

	if (!JS_IsObject(v) || JS_IsFunction(ctx, v))
		return false;
	if (JS_IsArray(ctx, v) > 0)
		return true;
	plain = JS_NewObject(ctx);
	same = JS_GetClassID(plain) == JS_GetClassID(v) || JS_GetClassID(v) == LOAD_CLASS_RESPONSE;
	JS_FreeValue(ctx, plain);
	return same;
}

/* A symbol is no text, and says so with an exception, unless it is asked for its description. */
static int format_symbol(JSContext *ctx, JSValueConst v, struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	JSValue about = JS_GetPropertyStr(ctx, v, "description");
	int r = JS_IsString(about) ? js_to_str(ctx, about, &text) : 0;

	JS_FreeValue(ctx, about);
	return r < 0 ? -1 : strbuf_addf(out, "Symbol(%s)", strbuf_cstr(&text));
}

/* Texts inside of lists are quoted, on their own they are not. */
static int format_value(JSContext *ctx, JSValueConst v, struct strbuf *out,
			const struct listing *in)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (in && in->depth > FORMAT_DEPTH_MAX)
		return strbuf_addstr(out, "...");
	if (is_plain(ctx, v))
		return format_object(ctx, v, out, in);
	if (JS_IsFunction(ctx, v))
		return strbuf_addstr(out, "[object Function]");
	if (JS_IsSymbol(v))
		return format_symbol(ctx, v, out);
	if (js_to_str(ctx, v, &text) < 0)
		return -1;
	if (in && JS_IsString(v))
		json_add_quoted(out, strbuf_str(&text));
	else
		strbuf_add(out, strbuf_cstr(&text), text.len);
	return 0;
}

static JSValue console_log(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv,
			   int level)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	for (int i = 0; i < argc; i++) {
		if (i)
			strbuf_addch(&text, ' ');
		if (format_value(ctx, argv[i], &text, NULL) < 0)
			return JS_EXCEPTION;
	}
	load_log_from(load_vu_of(ctx)->run, LOAD_LOG_CONSOLE, (enum load_log_level)level,
		      strbuf_cstr(&text));
	return JS_UNDEFINED;
}

static const JSCFunctionListEntry console_functions[] = {
	JS_CFUNC_MAGIC_DEF("log", 1, console_log, LOAD_LOG_INFO),
	JS_CFUNC_MAGIC_DEF("info", 1, console_log, LOAD_LOG_INFO),
	JS_CFUNC_MAGIC_DEF("debug", 1, console_log, LOAD_LOG_DEBUG),
	JS_CFUNC_MAGIC_DEF("warn", 1, console_log, LOAD_LOG_WARN),
	JS_CFUNC_MAGIC_DEF("error", 1, console_log, LOAD_LOG_ERROR),
};

/* ---- where a VU is ---- */

static JSValue get_iter(JSContext *ctx, JSValueConst this UNUSED)
{
	struct load_vu *vu = load_vu_of(ctx);

	return vu->in_iteration ? JS_NewInt64(ctx, (int64_t)vu->iteration) : JS_UNDEFINED;
}

static JSValue make_env(struct load_vu *vu)
{
	JSContext *ctx = js_vm_context(vu->vm);
	const struct load_opts *o = vu->run->opts;
	JSValue env = JS_NewObject(ctx);

	if (JS_IsException(env))
		return env;
	for (size_t i = 0; i < o->n_system_env; i++)
		js_set_str(ctx, env, o->system_env[i].key, str_from(o->system_env[i].value));
	for (size_t i = 0; i < o->n_env; i++)
		js_set_str(ctx, env, o->env[i].key, str_from(o->env[i].value));
	if (vu->env_of)
		vec_for_each (&vu->env_of->env, e)
			js_set_str(ctx, env, e->key, str_from(e->value));
	return env;
}

/* Made when a script first looks: most VUs never do after the init code. */
static JSValue get_env(JSContext *ctx, JSValueConst this UNUSED)
{
	struct load_vu *vu = load_vu_of(ctx);

	if (JS_IsUndefined(vu->env)) {
		JSValue env = make_env(vu);

		if (JS_IsException(env))
			return env;
		vu->env = env;
	}
	return JS_DupValue(ctx, vu->env);
}

void load_vu_set_env(struct load_vu *vu, const struct load_scenario *s)
{
	if (s && !s->env.len)
		s = NULL;
	if (vu->env_of == s)
		return;
	JS_FreeValue(js_vm_context(vu->vm), vu->env);
	vu->env = JS_UNDEFINED;
	vu->env_of = s;
}

static const JSCFunctionListEntry place[] = {
	JS_CGETSET_DEF("__ITER", get_iter, NULL),
	JS_CGETSET_DEF("__ENV", get_env, NULL),
};

/* ---- open() ---- */

static JSValue global_open(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release)
	struct strbuf path = STRBUF_INIT, mode = STRBUF_INIT, caller = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);
	struct error err = ERROR_INIT;
	struct str content;

	if (vu->phase != LOAD_VU_INIT)
		return js_throw(ctx, "open() can be used in the init context only");
	if (argc < 1)
		return JS_ThrowTypeError(ctx, "open() takes a path");
	if (js_to_str(ctx, argv[0], &path) < 0 || (argc > 1 && js_to_str(ctx, argv[1], &mode) < 0))
		return JS_EXCEPTION;
	js_module_caller(ctx, &caller);
	if (load_script_open(vu->run->script, strbuf_cstr(&caller), strbuf_cstr(&path), &content,
			     &err) < 0)
		return js_throw(ctx, "%s", err.msg);
	if (!strcmp(strbuf_cstr(&mode), "b"))
		return JS_NewArrayBufferCopy(ctx, (const uint8_t *)content.ptr, content.len);
	return js_new_str(ctx, content);
}

/* ---- Math.random() ---- */

void load_vu_seed(struct load_vu *vu, uint64_t seed)
{
	/* splitmix64 (Vigna 2015): neighbouring seeds give unlike states, and none gives zero */
	uint64_t z = seed + UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	z ^= z >> 31;
	vu->random_state = z ? z : 1;
}

static JSValue math_random(JSContext *ctx, JSValueConst this UNUSED, int argc UNUSED,
			   JSValueConst *argv UNUSED)
{
	/* xorshift64* (Vigna 2016); the upper 53 bits */
	struct load_vu *vu = load_vu_of(ctx);
	uint64_t x = vu->random_state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	vu->random_state = x;
	return JS_NewFloat64(ctx, (double)((x * UINT64_C(0x2545F4914F6CDD1D)) >> 11) * 0x1p-53);
}

/* ---- what is made when a script first looks ---- */

static const struct {
	const char *name;
	JSValue (*make)(JSContext *ctx);
} late[] = {
	{ "TextDecoder", load_text_decoder_new },
	{ "TextEncoder", load_text_encoder_new },
	{ "crypto", load_webcrypto_new },
};

static int define_late(JSContext *ctx, int which, JSValue v)
{
	JSValue global = JS_GetGlobalObject(ctx);
	int r = JS_DefinePropertyValueStr(ctx, global, late[which].name, v,
					  JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);

	JS_FreeValue(ctx, global);
	return r;
}

static JSValue get_late(JSContext *ctx, JSValueConst this UNUSED, int which)
{
	JSValue v = late[which].make(ctx);

	if (JS_IsException(v) || define_late(ctx, which, JS_DupValue(ctx, v)) < 0) {
		JS_FreeValue(ctx, v);
		return JS_EXCEPTION;
	}
	return v;
}

/* Scripts bring their own versions. */
static JSValue set_late(JSContext *ctx, JSValueConst this UNUSED, JSValueConst v, int which)
{
	return define_late(ctx, which, JS_DupValue(ctx, v)) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static const JSCFunctionListEntry late_globals[] = {
	JS_CGETSET_MAGIC_DEF("TextDecoder", get_late, set_late, 0),
	JS_CGETSET_MAGIC_DEF("TextEncoder", get_late, set_late, 1),
	JS_CGETSET_MAGIC_DEF("crypto", get_late, set_late, 2),
};
_Static_assert(ARRAY_SIZE(late_globals) == ARRAY_SIZE(late), "one entry each, in the same order");

int load_globals_setup(struct load_vu *vu)
{
	JSContext *ctx = js_vm_context(vu->vm);
	JSValue global = JS_GetGlobalObject(ctx), console = JS_NewObject(ctx), math;

	/* the engine seeds with the time of day: VUs made together would throw the same dice */
	load_vu_seed(vu, net_loop_now_ns() * 1000003 + vu->id);
	math = JS_GetPropertyStr(ctx, global, "Math");
	js_set(ctx, math, "random", JS_NewCFunction(ctx, math_random, "random", 0));
	JS_FreeValue(ctx, math);

	JS_SetPropertyFunctionList(ctx, console, console_functions, ARRAY_SIZE(console_functions));
	js_set(ctx, global, "console", console);
	JS_SetPropertyFunctionList(ctx, global, place, ARRAY_SIZE(place));
	JS_SetPropertyFunctionList(ctx, global, late_globals, ARRAY_SIZE(late_globals));
	js_set(ctx, global, "global", JS_DupValue(ctx, global));
	js_set(ctx, global, "__VU", JS_NewUint32(ctx, vu->id));
	js_set(ctx, global, "open", JS_NewCFunction(ctx, global_open, "open", 2));
	js_set(ctx, global, "require", JS_NewCFunction(ctx, load_require, "require", 1));
	if (!JS_HasException(ctx))
		load_timers_setup(ctx, global);
	JS_FreeValue(ctx, global);
	return JS_HasException(ctx) ? -1 : 0;
}
