/* promise.h - promises of what is known at once. */
#ifndef ASSAY_LOAD_K6_PROMISE_H
#define ASSAY_LOAD_K6_PROMISE_H

#include "js/engine.h"

/* A promise that is resolved to v, which is taken over; if v is an exception, one that is rejected
 * with what is pending. */
JSValue load_promise(JSContext *ctx, JSValue v);

#endif
