/*
 * module.c - imports. The engine asks twice for each: js_normalize() for the full name, then, if
 * the VM has no module of that name yet, load_module() for the module itself. Compiled sources are
 * kept for the whole process in the engine's portable form and read into each context; the compiled
 * objects themselves hold their context and cannot be shared.
 */
#include "js/module.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "js/js_internal.h"
#include "js/value.h"

struct bytecode {
	size_t len;
	bool function; /* of a CommonJS source */
	bool meta;     /* it says import.meta */
	uint8_t data[];
};

struct js_modules {
	const struct js_module_ops *ops;
	void *user;
	struct map natives;   /* name -> const struct js_native_module, fixed after the start */
	struct map bytecodes; /* resolved name -> struct bytecode */
	pthread_mutex_t lock; /* for bytecodes; entries are never removed */
};

struct js_modules *js_modules_new(const struct js_module_ops *ops, void *user)
{
	struct js_modules *mods = xcalloc(1, sizeof(*mods));

	mods->ops = ops;
	mods->user = user;
	pthread_mutex_init(&mods->lock, NULL);
	return mods;
}

void js_modules_free(struct js_modules *mods)
{
	if (!mods)
		return;
	map_for_each (&mods->bytecodes, e)
		free(e->value);
	map_release(&mods->bytecodes);
	map_release(&mods->natives);
	pthread_mutex_destroy(&mods->lock);
	free(mods);
}

void js_modules_add(struct js_modules *mods, const struct js_native_module *native)
{
	/* the map holds plain pointers; what is behind is only read */
	map_put(&mods->natives, str_from(native->name), (void *)(uintptr_t)native);
}

/* ---- names ---- */

/* Length of "scheme://host", 0 for a path. */
static size_t origin_length(struct str name)
{
	size_t colon = str_find(name, ':'), slash;

	if (colon + 3 > name.len || memcmp(name.ptr + colon, "://", 3) != 0)
		return 0;
	slash = colon + 3;
	while (slash < name.len && name.ptr[slash] != '/')
		slash++;
	return slash;
}

static struct str without_file_scheme(struct str name)
{
	struct str scheme = STR("file://");

	if (str_starts_with(name, scheme)) {
		name.ptr += scheme.len;
		name.len -= scheme.len;
	}
	return name;
}

static bool is_relative(struct str name)
{
	return str_starts_with(name, STR("./")) || str_starts_with(name, STR("../"));
}

/* Drops the last segment of the path that begins at `start` in sb; false if there is none. */
static bool drop_segment(struct strbuf *sb, size_t start)
{
	size_t end = sb->len;

	if (end == start || (end - start >= 2 && !memcmp(sb->ptr + end - 2, "..", 2) &&
			     (end - start == 2 || sb->ptr[end - 3] == '/')))
		return false;
	while (end > start && sb->ptr[end - 1] != '/')
		end--;
	if (end > start)
		end--;
	sb->ptr[end] = '\0';
	sb->len = end;
	return true;
}

/* Appends path to what is at `start` in sb, segment by segment, folding "." and "..". */
static void add_segments(struct strbuf *sb, size_t start, struct str path, bool absolute)
{
	struct str segment;

	while (str_split(&path, '/', &segment)) {
		if (!segment.len || str_eq(segment, STR(".")))
			continue;
		if (str_eq(segment, STR("..")) && (drop_segment(sb, start) || absolute))
			continue;
		if (absolute || sb->len > start)
			strbuf_addch(sb, '/');
		strbuf_add(sb, segment.ptr, segment.len);
	}
}

/* A relative name without dots would read as that of a native module. */
static void mark_relative(struct strbuf *name)
{
	CLEANUP(mem_cleanup) char *plain = NULL;

	if (str_starts_with(strbuf_str(name), STR("../")))
		return;
	plain = strbuf_detach(name);
	strbuf_addf(name, "./%s", plain);
}

void js_module_resolve(const char *importer, const char *written, struct strbuf *ret)
{
	struct str base = without_file_scheme(str_from(importer));
	struct str name = without_file_scheme(str_from(written));
	size_t origin = origin_length(base);
	bool absolute = name.len && name.ptr[0] == '/';
	struct str dir;

	strbuf_clear(ret);
	if ((!absolute && !is_relative(name)) || origin_length(name)) {
		strbuf_add(ret, name.ptr, name.len);
		return;
	}
	/* a path on the disk never moves to a host, nor the other way round */
	if (str_starts_with(str_from(written), STR("file://")))
		origin = 0;
	strbuf_add(ret, base.ptr, origin);

	dir = (struct str){ base.ptr + origin, base.len - origin };
	while (dir.len && dir.ptr[dir.len - 1] != '/')
		dir.len--;
	if (absolute)
		dir.len = 0;
	absolute = absolute || origin || (dir.len && dir.ptr[0] == '/');
	add_segments(ret, origin, dir, absolute);
	add_segments(ret, origin, name, absolute);
	if (!absolute)
		mark_relative(ret);
	else if (ret->len == origin)
		strbuf_addch(ret, '/');
}

void js_module_caller(JSContext *ctx, struct strbuf *ret)
{
	strbuf_clear(ret);
	/* level 0 is the native function itself; between it and the script may be sort() and others
	 */
	for (int level = 1; level < 8; level++) {
		JSAtom name = JS_GetScriptOrModuleName(ctx, level);
		const char *text;

		if (name == JS_ATOM_NULL)
			continue;
		text = JS_AtomToCString(ctx, name);
		if (text)
			strbuf_addstr(ret, text);
		JS_FreeCString(ctx, text);
		JS_FreeAtom(ctx, name);
		return;
	}
}

/* ---- native modules ---- */

/* Exports the properties of object that the module has declared. */
static int export_properties(JSContext *ctx, JSModuleDef *m, const struct js_native_module *native,
			     JSValueConst object)
{
	for (int i = 0; i < native->function_count; i++) {
		const char *name = native->functions[i].name;

		if (JS_SetModuleExport(ctx, m, name, JS_GetPropertyStr(ctx, object, name)) < 0)
			return -1;
	}
	for (const char *const *n = native->names; n && *n; n++) {
		if (JS_SetModuleExport(ctx, m, *n, JS_GetPropertyStr(ctx, object, *n)) < 0)
			return -1;
	}
	return JS_SetModuleExport(ctx, m, "default", JS_DupValue(ctx, object));
}

static const struct js_native_module *native_of(JSContext *ctx, JSModuleDef *m)
{
	struct js_modules *mods = js_vm_of(ctx)->shard->modules;
	JSAtom atom = JS_GetModuleName(ctx, m);
	const char *name = JS_AtomToCString(ctx, atom);
	const struct js_native_module *native = name ? map_get_c(&mods->natives, name) : NULL;

	JS_FreeCString(ctx, name);
	JS_FreeAtom(ctx, atom);
	return native;
}

/* The engine hides what it takes from a list of functions from Object.keys() and "...". */
static int show(JSContext *ctx, JSValueConst object, const char *name)
{
	JSAtom atom = JS_NewAtom(ctx, name);
	int r = JS_DefineProperty(ctx, object, atom, JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED,
				  JS_PROP_HAS_ENUMERABLE | JS_PROP_ENUMERABLE);

	JS_FreeAtom(ctx, atom);
	return r < 0 ? -1 : 0;
}

JSValue js_native_exports(JSContext *ctx, const struct js_native_module *native)
{
	JSValue object = JS_NewObject(ctx);
	int r = 0;

	if (JS_IsException(object))
		return object;
	if (native->functions)
		JS_SetPropertyFunctionList(ctx, object, native->functions, native->function_count);
	for (int i = 0; i < native->function_count && !r; i++)
		r = show(ctx, object, native->functions[i].name);
	if (!r && native->init)
		r = native->init(ctx, object);
	if (!r)
		return object;
	JS_FreeValue(ctx, object);
	return JS_EXCEPTION;
}

static int native_init(JSContext *ctx, JSModuleDef *m)
{
	const struct js_native_module *native = native_of(ctx, m);
	JSValue object;
	int r;

	if (!native)
		return -1;
	object = js_native_exports(ctx, native);
	if (JS_IsException(object))
		return -1;
	r = export_properties(ctx, m, native, object);
	JS_FreeValue(ctx, object);
	return r;
}

static JSModuleDef *new_native(JSContext *ctx, const struct js_native_module *native)
{
	JSModuleDef *m = JS_NewCModule(ctx, native->name, native_init);

	if (!m)
		return NULL;
	for (int i = 0; i < native->function_count; i++)
		JS_AddModuleExport(ctx, m, native->functions[i].name);
	for (const char *const *n = native->names; n && *n; n++)
		JS_AddModuleExport(ctx, m, *n);
	JS_AddModuleExport(ctx, m, "default");
	return m;
}

/* ---- who asked ---- */

static void note_import(JSContext *ctx, const char *importer, const char *written, const char *name)
{
	struct js_vm *vm = js_vm_of(ctx);
	struct js_import i;

	if (!vm || !vm->importing)
		return;
	i = (struct js_import){ xstrdup(importer), xstrdup(written), xstrdup(name) };
	vec_push(&vm->imports, i);
}

static void note_refusal(JSContext *ctx)
{
	struct js_vm *vm = js_vm_of(ctx);

	if (vm)
		vm->import_refused = vm->importing;
}

int js_modules_read(struct js_modules *mods, const char *name, struct strbuf *ret)
{
	return mods->ops->load(mods->user, name, ret, NULL);
}

/* ---- sources ---- */

static const struct bytecode *find_bytecode(struct js_modules *mods, const char *name)
{
	const struct bytecode *code;

	pthread_mutex_lock(&mods->lock);
	code = map_get_c(&mods->bytecodes, name);
	pthread_mutex_unlock(&mods->lock);
	return code;
}

/* Two threads may have compiled the same source: the first to come is kept. */
static void keep_bytecode(struct js_modules *mods, const char *name, const uint8_t *data,
			  size_t len, const struct bytecode *kind)
{
	struct bytecode *code = xmalloc(sizeof(*code) + len);

	*code = *kind;
	code->len = len;
	memcpy(code->data, data, len);
	pthread_mutex_lock(&mods->lock);
	if (map_get_c(&mods->bytecodes, name))
		free(code);
	else
		map_put(&mods->bytecodes, str_from(name), code);
	pthread_mutex_unlock(&mods->lock);
}

/* The context keeps a module's definition alive; the value that names it is not needed. */
static JSModuleDef *definition_of(JSContext *ctx, JSValue module)
{
	JSModuleDef *m;

	if (JS_IsException(module))
		return NULL;
	m = JS_VALUE_GET_PTR(module);
	JS_FreeValue(ctx, module);
	return m;
}

/* Keeps what was compiled; takes no ownership. 0, or -1 with an exception. */
static int keep(JSContext *ctx, struct js_modules *mods, const char *name, JSValueConst compiled,
		const struct bytecode *kind)
{
	size_t len;
	uint8_t *data = JS_WriteObject(ctx, &len, compiled, JS_WRITE_OBJ_BYTECODE);

	if (!data)
		return -1;
	keep_bytecode(mods, name, data, len, kind);
	js_free(ctx, data);
	return 0;
}

/* import.meta.resolve(): an address that open() takes too. */
static JSValue meta_resolve(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release)
	struct strbuf written = STRBUF_INIT, importer = STRBUF_INIT, name = STRBUF_INIT,
		      address = STRBUF_INIT;

	if (argc < 1 || js_to_str(ctx, argv[0], &written) < 0)
		return argc < 1 ? JS_ThrowTypeError(ctx, "resolve() takes a name") : JS_EXCEPTION;
	js_module_caller(ctx, &importer);
	js_module_resolve(strbuf_cstr(&importer), strbuf_cstr(&written), &name);
	strbuf_addf(&address, "%s%s", strbuf_cstr(&name)[0] == '/' ? "file://" : "",
		    strbuf_cstr(&name));
	return js_new_str(ctx, strbuf_str(&address));
}

/* m may be NULL. An object that few modules look at, made for those. */
static JSModuleDef *with_meta(JSContext *ctx, JSModuleDef *m, bool wanted)
{
	JSValue meta;
	int r;

	if (!m || !wanted)
		return m;
	meta = JS_GetImportMeta(ctx, m);
	if (JS_IsException(meta))
		return NULL;
	r = js_set(ctx, meta, "resolve", JS_NewCFunction(ctx, meta_resolve, "resolve", 1));
	JS_FreeValue(ctx, meta);
	return r < 0 ? NULL : m;
}

static JSModuleDef *compile_module(JSContext *ctx, struct js_modules *mods, const char *name,
				   const struct strbuf *source)
{
	JSValue module = JS_Eval(ctx, strbuf_cstr(source), source->len, name,
				 JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	const struct bytecode kind = { .meta = strstr(strbuf_cstr(source), "import.meta") != NULL };

	if (JS_IsException(module))
		return NULL;
	if (keep(ctx, mods, name, module, &kind) < 0) {
		JS_FreeValue(ctx, module);
		return NULL;
	}
	return with_meta(ctx, definition_of(ctx, module), kind.meta);
}

/*
 * What is a CommonJS source? One that parses as the body of a function: in there import and export
 * declarations and an await are mistakes. An ES module is given up at its first import, mostly at
 * its beginning. Everything stands on the lines it had.
 */
static JSValue compile_function(JSContext *ctx, struct js_modules *mods, const char *name,
				const struct strbuf *source)
{
	CLEANUP(strbuf_release)
	struct strbuf text = { .max = JS_SOURCE_BYTES_MAX + 64 };
	static const struct bytecode kind = { .function = true };
	JSValue compiled;

	strbuf_addstr(&text, "(function(exports,require,module){");
	strbuf_add(&text, strbuf_cstr(source), source->len);
	strbuf_addstr(&text, "\n})");
	compiled = JS_Eval(ctx, strbuf_cstr(&text), text.len, name,
			   JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
	if (JS_IsException(compiled)) {
		JS_FreeValue(ctx, JS_GetException(ctx));
		return JS_UNDEFINED;
	}
	if (keep(ctx, mods, name, compiled, &kind) < 0) {
		JS_FreeValue(ctx, compiled);
		return JS_EXCEPTION;
	}
	return JS_EvalFunction(ctx, compiled);
}

/* A source is one or the other: the module, or the function in *ret, or neither with an exception.
 */
static JSModuleDef *read_bytecode(JSContext *ctx, const struct bytecode *code, JSValue *ret)
{
	JSValue v = JS_ReadObject(ctx, code->data, code->len, JS_READ_OBJ_BYTECODE);

	if (!code->function || JS_IsException(v))
		return with_meta(ctx, definition_of(ctx, v), code->meta);
	*ret = JS_EvalFunction(ctx, v);
	return NULL;
}

static JSModuleDef *load_source(JSContext *ctx, struct js_modules *mods, const char *name,
				JSValue *ret)
{
	CLEANUP(strbuf_release) struct strbuf source = { .max = JS_SOURCE_BYTES_MAX };
	const struct bytecode *code = find_bytecode(mods, name);
	struct error err = ERROR_INIT;

	*ret = JS_UNDEFINED;
	if (code)
		return read_bytecode(ctx, code, ret);
	if (mods->ops->load(mods->user, name, &source, &err) < 0) {
		note_refusal(ctx);
		js_throw(ctx, "%s", err.msg);
		return NULL;
	}
	if (mods->ops->commonjs)
		*ret = compile_function(ctx, mods, name, &source);
	return JS_IsUndefined(*ret) ? compile_module(ctx, mods, name, &source) : NULL;
}

/* ---- CommonJS sources as modules ---- */

struct exports_walk {
	JSModuleDef *module;
	bool values; /* set them, or only declare their names */
};

static int export_one(JSContext *ctx, struct exports_walk *w, const char *name, JSValueConst v)
{
	return w->values ? JS_SetModuleExport(ctx, w->module, name, JS_DupValue(ctx, v))
			 : JS_AddModuleExport(ctx, w->module, name);
}

static int export_member(JSContext *ctx, struct str key, JSValueConst v, void *arg)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	strbuf_add(&name, key.ptr, key.len);
	if (!strcmp(strbuf_cstr(&name), "default"))
		return 0;
	return export_one(ctx, arg, strbuf_cstr(&name), v) < 0 ? -1 : 0;
}

/* Each member is an export, and the default one is that of the name, or else all of them. */
static int export_members(JSContext *ctx, JSModuleDef *m, JSValueConst exports, bool values)
{
	struct exports_walk w = { m, values };
	JSValue by_name = JS_UNDEFINED;
	int r;

	if (JS_IsObject(exports)) {
		if (js_each(ctx, exports, export_member, &w) < 0)
			return -1;
		by_name = JS_GetPropertyStr(ctx, exports, "default");
	}
	if (JS_IsException(by_name))
		return -1;
	r = export_one(ctx, &w, "default", JS_IsUndefined(by_name) ? exports : by_name);
	JS_FreeValue(ctx, by_name);
	return r;
}

/* The names were taken when it ran; what has become of the values is asked again here. */
static int commonjs_init(JSContext *ctx, JSModuleDef *m)
{
	struct js_modules *mods = js_vm_of(ctx)->shard->modules;
	JSAtom atom = JS_GetModuleName(ctx, m);
	const char *name = JS_AtomToCString(ctx, atom);
	JSValue exports = JS_EXCEPTION;
	int r = -1;

	if (name)
		exports = mods->ops->commonjs(ctx, name, JS_UNDEFINED);
	if (!JS_IsException(exports))
		r = export_members(ctx, m, exports, true);
	JS_FreeValue(ctx, exports);
	JS_FreeCString(ctx, name);
	JS_FreeAtom(ctx, atom);
	return r;
}

/* The engine wants a module's names before it is run, and here they come from running it: such a
 * source runs earlier than the ES modules beside it. */
static JSModuleDef *new_commonjs(JSContext *ctx, struct js_modules *mods, const char *name,
				 JSValue function)
{
	JSValue exports = mods->ops->commonjs(ctx, name, function);
	JSModuleDef *m = NULL;

	JS_FreeValue(ctx, function);
	if (JS_IsException(exports))
		return NULL;
	m = JS_NewCModule(ctx, name, commonjs_init);
	if (m && export_members(ctx, m, exports, false) < 0)
		m = NULL; /* the context keeps it */
	JS_FreeValue(ctx, exports);
	return m;
}

static void refuse(JSContext *ctx, struct js_modules *mods, const char *name)
{
	CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;

	if (mods->ops->refuse)
		mods->ops->refuse(mods->user, name, &message);
	else
		strbuf_addf(&message, "unknown module \"%s\"", name);
	js_throw(ctx, "%s", strbuf_cstr(&message));
}

/* ---- what the engine calls ---- */

void js_module_locate(JSContext *ctx, const char *importer, const char *written, struct strbuf *ret)
{
	struct js_modules *mods = js_vm_of(ctx)->shard->modules;

	js_module_resolve(importer, written, ret);
	if (mods->ops->locate && strbuf_cstr(ret)[0] == '/' && !find_bytecode(mods, ret->ptr))
		mods->ops->locate(mods->user, ret);
}

static char *normalize(JSContext *ctx, const char *importer, const char *written, void *mods UNUSED)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	js_module_locate(ctx, importer, written, &name);
	note_import(ctx, importer, written, strbuf_cstr(&name));
	return js_strndup(ctx, strbuf_cstr(&name), name.len);
}

static bool is_source(const char *name)
{
	return name[0] == '/' || is_relative(str_from(name)) || origin_length(str_from(name));
}

static JSModuleDef *load_module(JSContext *ctx, const char *name, void *arg)
{
	struct js_modules *mods = arg;
	const struct js_native_module *native = map_get_c(&mods->natives, name);
	JSModuleDef *m;
	JSValue function;

	if (native)
		return new_native(ctx, native);
	if (!is_source(name)) {
		note_refusal(ctx);
		refuse(ctx, mods, name);
		return NULL;
	}
	m = load_source(ctx, mods, name, &function);
	if (m || JS_IsException(function) || JS_IsUndefined(function))
		return m;
	return new_commonjs(ctx, mods, name, function);
}

JSValue js_module_function(JSContext *ctx, const char *name)
{
	struct js_modules *mods = js_vm_of(ctx)->shard->modules;
	JSValue function;

	if (!is_source(name)) {
		refuse(ctx, mods, name);
		return JS_EXCEPTION;
	}
	if (!load_source(ctx, mods, name, &function) && JS_IsUndefined(function))
		return JS_EXCEPTION;
	return function;
}

/* A module of one line imports it: it is the same one then as for others that do. */
JSValue js_module_namespace(JSContext *ctx, const char *name)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	JSValue module, promise, namespace, result = JS_EXCEPTION;

	strbuf_addstr(&text, "import * as all from ");
	json_add_quoted(&text, str_from(name));
	strbuf_addstr(&text, "; export { all };");
	module = JS_Eval(ctx, strbuf_cstr(&text), text.len, "require()",
			 JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	if (JS_IsException(module))
		return module;
	promise = JS_EvalFunction(ctx, JS_DupValue(ctx, module));
	if ((int)JS_PromiseState(ctx, promise) == JS_PROMISE_REJECTED) {
		JS_Throw(ctx, JS_PromiseResult(ctx, promise));
	} else if ((int)JS_PromiseState(ctx, promise) == JS_PROMISE_PENDING) {
		js_throw(ctx, "require(\"%s\"): a module that awaits; use import", name);
	} else if (!JS_IsException(promise)) {
		namespace = JS_GetModuleNamespace(ctx, JS_VALUE_GET_PTR(module));
		result = JS_GetPropertyStr(ctx, namespace, "all");
		JS_FreeValue(ctx, namespace);
	}
	JS_FreeValue(ctx, promise);
	JS_FreeValue(ctx, module);
	return result;
}

void js_modules_install(struct js_modules *mods, JSRuntime *rt)
{
	JS_SetModuleLoaderFunc(rt, normalize, load_module, mods);
}
