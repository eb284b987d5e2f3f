/* The module "k6/experimental/streams", which is written in the script's own language: streams.js.
 */
#include "js/value.h"
#include "load/k6/modules.h"
#include "streams_js.h"

static int export(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	JSValueConst *exports = arg;

	return js_set(ctx, *exports, key.ptr, JS_DupValue(ctx, value));
}

static int init(JSContext *ctx, JSValueConst exports)
{
	JSValue all = JS_Eval(ctx, streams_js, sizeof(streams_js) - 1, "k6/experimental/streams",
			      JS_EVAL_TYPE_GLOBAL);
	int r = JS_IsException(all) ? -1 : js_each(ctx, all, export, &exports);

	JS_FreeValue(ctx, all);
	return r;
}

static const char *const names[] = { "ReadableStream", "ReadableStreamDefaultController",
				     "ReadableStreamDefaultReader", "CountQueuingStrategy", NULL };

const struct js_native_module load_k6_streams = {
	.name = "k6/experimental/streams",
	.names = names,
	.init = init,
};
