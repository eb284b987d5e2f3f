/*
 * The module "k6/experimental/fs": files that are opened in the init context and read in pieces.
 * The content is that of open(): one copy for all VUs. Each File has a position of its own.
 */
#include "load/k6/fs.h"

#include <errno.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/modules.h"
#include "load/k6/promise.h"

struct file {
	char *path;
	struct str content; /* the script's, which outlives every context */
	int64_t offset;
};

static void finalize(JSRuntime *rt UNUSED, JSValue val)
{
	struct file *f = JS_GetOpaque(val, LOAD_CLASS_FS_FILE);

	if (!f)
		return;
	free(f->path);
	free(f);
}

const struct js_class load_fs_file_class = {
	.id = LOAD_CLASS_FS_FILE,
	.def = { .class_name = "File", .finalizer = finalize },
};

bool load_fs_file(JSValueConst v, const char **ret_path, struct str *ret_content)
{
	struct file *f = JS_GetOpaque(v, LOAD_CLASS_FS_FILE);

	if (!f)
		return false;
	*ret_path = f->path;
	*ret_content = f->content;
	return true;
}

static JSValue arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

/* ---- open() ---- */

static JSValue new_file(JSContext *ctx, const char *path, struct str content)
{
	JSValue obj = JS_NewObjectClass(ctx, LOAD_CLASS_FS_FILE);
	struct file *f;

	if (JS_IsException(obj))
		return obj;
	f = xcalloc(1, sizeof(*f));
	f->path = xstrdup(path);
	f->content = content;
	JS_SetOpaque(obj, f);
	js_set_str(ctx, obj, "path", str_from(path));
	return obj;
}

static const char *error_name(int r)
{
	switch (r) {
	case -ENOENT:
	case -ENOTDIR:
		return "NotFoundError";
	case -EACCES:
	case -EPERM:
		return "ForbiddenError";
	default:
		return "InvalidResourceError";
	}
}

static JSValue open_file(JSContext *ctx, JSValueConst path_arg)
{
	CLEANUP(strbuf_release)
	struct strbuf path = STRBUF_INIT, caller = STRBUF_INIT, absolute = STRBUF_INIT;
	struct load_script *script = load_vu_of(ctx)->run->script;
	struct error err = ERROR_INIT;
	struct str content;
	int r;

	if (load_vu_of(ctx)->phase != LOAD_VU_INIT)
		return js_throw_named(ctx, "ForbiddenError",
				      "fs.open() can be used in the init context only");
	if (!JS_IsString(path_arg) || js_to_str(ctx, path_arg, &path) < 0 || !path.len)
		return js_throw_named(ctx, "TypeError", "fs.open() takes a path");
	js_module_caller(ctx, &caller);
	r = load_script_resolve(script, strbuf_cstr(&caller), strbuf_cstr(&path), &absolute, &err);
	if (r == 0)
		r = load_script_open(script, strbuf_cstr(&caller), strbuf_cstr(&path), &content,
				     &err);
	if (r < 0)
		return js_throw_named(ctx, error_name(r), "%s", err.msg);
	return new_file(ctx, strbuf_cstr(&absolute), content);
}

static JSValue fs_open(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	return load_promise(ctx, open_file(ctx, arg(argc, argv, 0)));
}

/* ---- File ---- */

static bool is_uint8_array(JSContext *ctx, JSValueConst v)
{
	JSValueConst args[3] = { JS_NewInt32(ctx, 0), JS_UNDEFINED, JS_UNDEFINED };
	JSValue empty = JS_NewTypedArray(ctx, 3, args, JS_TYPED_ARRAY_UINT8);
	bool is = JS_IsObject(v) && JS_GetClassID(v) == JS_GetClassID(empty);

	JS_FreeValue(ctx, empty);
	return is;
}

/* The bytes of a Uint8Array; NULL with or without an exception. */
static uint8_t *bytes_of(JSContext *ctx, JSValueConst v, size_t *ret_len)
{
	size_t offset, buffer_len;
	JSValue buffer;
	uint8_t *p;

	if (!is_uint8_array(ctx, v))
		return NULL;
	buffer = JS_GetTypedArrayBuffer(ctx, v, &offset, ret_len, NULL);
	if (JS_IsException(buffer))
		return NULL;
	p = JS_GetArrayBuffer(ctx, &buffer_len, buffer);
	JS_FreeValue(ctx, buffer); /* the typed array still holds it */
	return p && offset + *ret_len <= buffer_len ? p + offset : NULL;
}

static JSValue read_into(JSContext *ctx, struct file *f, JSValueConst into)
{
	size_t len = 0, left;
	uint8_t *to = bytes_of(ctx, into, &len);

	if (!to && JS_HasException(ctx))
		JS_FreeValue(ctx, JS_GetException(ctx));
	if (!to)
		return js_throw_named(ctx, "TypeError", "read() takes a Uint8Array");
	if (!len)
		return JS_NewInt32(ctx, 0);
	left = f->content.len - (size_t)f->offset;
	if (!left)
		return JS_NULL;
	len = MIN(len, left);
	memcpy(to, f->content.ptr + f->offset, len);
	f->offset += (int64_t)len;
	return JS_NewInt64(ctx, (int64_t)len);
}

static JSValue file_read_method(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct file *f = JS_GetOpaque2(ctx, this, LOAD_CLASS_FS_FILE);

	return f ? load_promise(ctx, read_into(ctx, f, arg(argc, argv, 0))) : JS_EXCEPTION;
}

enum seek_mode { SEEK_START, SEEK_CURRENT, SEEK_FROM_END };

static bool is_whole(JSContext *ctx, JSValueConst v, int64_t *ret)
{
	double d;

	if (!JS_IsNumber(v) || JS_ToFloat64(ctx, &d, v) < 0 || !(d >= -0x1p53 && d <= 0x1p53))
		return false;
	*ret = (int64_t)d;
	return (double)*ret == d;
}

/* The end, as k6 has it, is the last byte, not what is behind it. */
static JSValue seek(JSContext *ctx, struct file *f, JSValueConst by_arg, JSValueConst mode_arg)
{
	int64_t by, mode, to;

	if (!is_whole(ctx, by_arg, &by) || !is_whole(ctx, mode_arg, &mode))
		return js_throw_named(ctx, "TypeError", "seek() takes an offset and a SeekMode");
	switch (mode) {
	case SEEK_START:
		to = by;
		break;
	case SEEK_CURRENT:
		to = f->offset + by;
		break;
	case SEEK_FROM_END:
		if (by > 0)
			return js_throw_named(ctx, "TypeError",
					      "seek() from the end takes no positive offset");
		to = (int64_t)f->content.len - 1 + by;
		break;
	default:
		return js_throw_named(ctx, "TypeError",
				      "seek() knows SeekMode.Start, Current and End");
	}
	if (to < 0 || to > (int64_t)f->content.len)
		return js_throw_named(ctx, "TypeError", "seek() to %lld, outside of the file",
				      (long long)to);
	f->offset = to;
	return JS_NewInt64(ctx, to);
}

static JSValue file_seek(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct file *f = JS_GetOpaque2(ctx, this, LOAD_CLASS_FS_FILE);

	if (!f)
		return JS_EXCEPTION;
	return load_promise(ctx, seek(ctx, f, arg(argc, argv, 0), arg(argc, argv, 1)));
}

static JSValue file_stat(JSContext *ctx, JSValueConst this, int argc UNUSED,
			 JSValueConst *argv UNUSED)
{
	struct file *f = JS_GetOpaque2(ctx, this, LOAD_CLASS_FS_FILE);
	const char *slash;
	JSValue info;

	if (!f)
		return JS_EXCEPTION;
	slash = strrchr(f->path, '/');
	info = JS_NewObject(ctx);
	js_set_str(ctx, info, "name", str_from(slash ? slash + 1 : f->path));
	js_set(ctx, info, "size", JS_NewInt64(ctx, (int64_t)f->content.len));
	return load_promise(ctx, info);
}

static const JSCFunctionListEntry methods[] = {
	JS_CFUNC_DEF("read", 1, file_read_method),
	JS_CFUNC_DEF("seek", 2, file_seek),
	JS_CFUNC_DEF("stat", 0, file_stat),
};

/* ---- the module ---- */

static int init(JSContext *ctx, JSValueConst exports)
{
	JSValue proto = JS_NewObject(ctx), modes = JS_NewObject(ctx);

	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetClassProto(ctx, LOAD_CLASS_FS_FILE, proto);
	js_set(ctx, modes, "Start", JS_NewInt32(ctx, SEEK_START));
	js_set(ctx, modes, "Current", JS_NewInt32(ctx, SEEK_CURRENT));
	js_set(ctx, modes, "End", JS_NewInt32(ctx, SEEK_FROM_END));
	return js_set(ctx, exports, "SeekMode", modes);
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_DEF("open", 1, fs_open),
};

static const char *const names[] = { "SeekMode", NULL };

const struct js_native_module load_k6_fs = {
	.name = "k6/experimental/fs",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
	.names = names,
	.init = init,
};
