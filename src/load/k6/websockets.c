/* The modules "k6/ws" and "k6/websockets", which are written in the script's own language. */
#include "js/value.h"
#include "load/k6/modules.h"
#include "load/k6/socket.h"
#include "websockets_js.h"
#include "ws_js.h"

static int export(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	JSValueConst *exports = arg;

	return js_set(ctx, *exports, key.ptr, JS_DupValue(ctx, value));
}

/* Evaluates to a function, calls it with socket.c's, and exports what it returns. */
static int init_from(JSContext *ctx, JSValueConst exports, struct str source, const char *name)
{
	JSValue make = JS_Eval(ctx, source.ptr, source.len, name, JS_EVAL_TYPE_GLOBAL);
	JSValue native = load_socket_functions(ctx), all = JS_EXCEPTION;
	int r = -1;

	if (!JS_IsException(make) && !JS_IsException(native))
		all = JS_Call(ctx, make, JS_UNDEFINED, 1, &native);
	if (!JS_IsException(all))
		r = js_each(ctx, all, export, &exports);
	JS_FreeValue(ctx, all);
	JS_FreeValue(ctx, native);
	JS_FreeValue(ctx, make);
	return r;
}

static int init_ws(JSContext *ctx, JSValueConst exports)
{
	return init_from(ctx, exports, (struct str){ ws_js, sizeof(ws_js) - 1 }, "k6/ws");
}

static int init_websockets(JSContext *ctx, JSValueConst exports)
{
	return init_from(ctx, exports, (struct str){ websockets_js, sizeof(websockets_js) - 1 },
			 "k6/websockets");
}

static const char *const ws_names[] = { "connect", NULL };
static const char *const websockets_names[] = { "WebSocket", "Blob", NULL };

const struct js_native_module load_k6_ws = {
	.name = "k6/ws",
	.names = ws_names,
	.init = init_ws,
};

const struct js_native_module load_k6_websockets = {
	.name = "k6/websockets",
	.names = websockets_names,
	.init = init_websockets,
};

const struct js_native_module load_k6_experimental_websockets = {
	.name = "k6/experimental/websockets",
	.names = websockets_names,
	.init = init_websockets,
};
