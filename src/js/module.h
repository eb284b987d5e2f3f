/*
 * module.h - what scripts can import: native modules, registered by name, and sources that a loader
 * brings. One js_modules serves all shards of a process: sources are compiled once, and each VM
 * gets its modules from the compiled form (20 us and 13 KB for a script of 40 lines, where
 *compiling takes 400 us). All functions may be called from any thread, except that native modules
 *are added before the first import.
 *
 * Names. What a script writes after `from` is resolved against the importing module:
 *	k6/http            as it is: a native module; unknown ones are refused
 *	./a.js  ../b.js    relative to the importer, whose name may be a path or a URL
 *	/abs/c.js          a path (or below the same host, if the importer is an http URL)
 *	file:///abs/d.js   a path: "file://" is dropped, so that a file has one name
 *	https://host/e.js  as it is, for the loader to bring or to refuse
 * k6 adds nothing to a name; what a loader adds (js_module_ops.locate) is for sources that a
 *bundler would have to go over first.
 */
#ifndef ASSAY_JS_MODULE_H
#define ASSAY_JS_MODULE_H

#include "base/error.h"
#include "base/strbuf.h"
#include "js/engine.h"

/* Sources above this are refused. */
#define JS_SOURCE_BYTES_MAX ((size_t)32 * 1024 * 1024)

/*
 * A module whose exports are made by C code. For each VM that imports it an object is made, filled
 * from `functions` and by `init`, and becomes the default export; its properties named in
 * `functions` and in `names` are also exported one by one. So `import http from 'k6/http'`,
 * `import { get } from 'k6/http'` and `import * as http from 'k6/http'` all work.
 */
struct js_native_module {
	const char *name;
	const JSCFunctionListEntry *functions; /* may be NULL */
	int function_count;
	const char *const
		*names; /* further exports, which init sets; NULL-terminated; may be NULL */
	/* Sets properties of exports; 0, or -1 with an exception pending. May be NULL. */
	int (*init)(JSContext *ctx, JSValueConst exports);
};

struct js_module_ops {
	/*
	 * Brings the source of a resolved name that is no native module. May be called from several
	 * threads at once. 0, or a negative errno with *reterr set, whose message the script gets.
	 */
	int (*load)(void *user, const char *name, struct strbuf *ret, struct error *reterr);
	/*
	 * Words the refusal of a bare name ("k6/grpc", "lodash") that no native module has. Appends
	 * to *ret; NULL = a plain message.
	 */
	void (*refuse)(void *user, const char *name, struct strbuf *ret);
	/*
	 * Completes a resolved path behind which there is nothing, if there is something behind a
	 * longer one. May be NULL.
	 */
	void (*locate)(void *user, struct strbuf *name);
	/*
	 * Runs a source of before ES modules, one without import and export, and gives its exports;
	 * function is the source as a function of (exports, require, module) and stays the
	 * caller's. Called again for the same name it gives the same value. NULL = such sources are
	 * ES modules without exports.
	 */
	JSValue (*commonjs)(JSContext *ctx, const char *name, JSValueConst function);
};

struct js_modules;

/* ops and user are borrowed for its life. */
struct js_modules *js_modules_new(const struct js_module_ops *ops, void *user);

/* Every shard that uses it must have been freed. NULL in, nothing done. */
void js_modules_free(struct js_modules *mods);

/* The description is borrowed. */
void js_modules_add(struct js_modules *mods, const struct js_native_module *native);

/* The object that is a module's default export, made anew; or an exception. */
JSValue js_native_exports(JSContext *ctx, const struct js_native_module *native);

/*
 * A source for require(), loaded and compiled: a function of (exports, require, module); or, when
 * it is an ES module, undefined; or an exception.
 */
JSValue js_module_function(JSContext *ctx, const char *name);

/* The namespace of an ES module, evaluated at once. An exception when it waits for something. */
JSValue js_module_namespace(JSContext *ctx, const char *name);

/* Resolves what was written in `importer` ("" = nowhere, relative names then stay relative) as told
 * above; replaces *ret. */
void js_module_resolve(const char *importer, const char *written, struct strbuf *ret);

/* The same with what the loader adds. */
void js_module_locate(JSContext *ctx, const char *importer, const char *written,
		      struct strbuf *ret);

/* The resolved name of the module whose function called the running native function, as text for
 * resolving open() and the like; replaces *ret, which is empty when it is unknown. */
void js_module_caller(JSContext *ctx, struct strbuf *ret);

#endif
