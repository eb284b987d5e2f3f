/* Paths into JSON as res.json() takes them: the first line is the path, the rest the document. */
#include "base/strbuf.h"
#include "load/k6/json_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size }, path;
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	static JSRuntime *rt;
	JSContext *ctx;
	JSValue root, v;

	if (!str_split(&rest, '\n', &path) || !rest.ptr)
		return 0;
	if (!rt)
		rt = JS_NewRuntime();
	ctx = JS_NewContext(rt);
	strbuf_add(&text, rest.ptr, rest.len);
	root = JS_ParseJSON(ctx, strbuf_cstr(&text), text.len, "document");
	if (!JS_IsException(root)) {
		v = load_json_path(ctx, root, path);
		JS_FreeValue(ctx, v);
	}
	JS_FreeValue(ctx, root);
	JS_FreeValue(ctx, JS_GetException(ctx));
	load_json_path_like(rest, path);
	JS_FreeContext(ctx);
	return 0;
}
