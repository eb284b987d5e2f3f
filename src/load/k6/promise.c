#include "load/k6/promise.h"

JSValue load_promise(JSContext *ctx, JSValue v)
{
	int rejected = JS_IsException(v);
	JSValue settle[2], promise, r;

	if (rejected)
		v = JS_GetException(ctx);
	promise = JS_NewPromiseCapability(ctx, settle);
	if (JS_IsException(promise)) {
		JS_FreeValue(ctx, v);
		return promise;
	}
	r = JS_Call(ctx, settle[rejected], JS_UNDEFINED, 1, &v);
	JS_FreeValue(ctx, settle[0]);
	JS_FreeValue(ctx, settle[1]);
	JS_FreeValue(ctx, v);
	JS_FreeValue(ctx, r);
	return promise;
}
