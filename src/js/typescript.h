/*
 * typescript.h - TypeScript to JavaScript: types are taken off, enums, namespaces and parameter
 * properties become code, nothing is checked (sucrase, which keeps the lines where they were, so
 * that the places in errors stay right). It runs in an engine of its own, on a thread of its own
 * with a deep stack, within limits of time and memory; it takes some 40 ms, and is not loaded
 * without need.
 */
#ifndef ASSAY_JS_TYPESCRIPT_H
#define ASSAY_JS_TYPESCRIPT_H

#include "base/error.h"
#include "base/strbuf.h"

/* Is that the name of a file in TypeScript (.ts, .mts, .cts)? */
bool js_typescript_is(const char *name);

/*
 * Replaces *source with JavaScript. -EINVAL names the place of what could not be read, -ETIMEDOUT
 * and -ENOMEM when the limits were met; *source then holds what it held. Any thread.
 */
int js_typescript_strip(const char *name, struct strbuf *source, struct error *reterr);

#endif
