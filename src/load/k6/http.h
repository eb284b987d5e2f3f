/* http.h - what the parts of the module "k6/http" share. */
#ifndef ASSAY_LOAD_K6_HTTP_H
#define ASSAY_LOAD_K6_HTTP_H

#include "load/k6/cookies.h"
#include "load/k6/request.h"

/* Is v what http.url`...` made? Then its text and the name it stands for are appended. */
bool load_http_url_parts(JSContext *ctx, JSValueConst v, struct strbuf *url, struct strbuf *name);

/* What http.expectedStatuses() made, or null for "judge nothing". 0, or -1 with an exception. */
int load_statuses_read(JSContext *ctx, JSValueConst v, struct load_statuses *ret);

/* The jar behind a CookieJar object; NULL when v is none. */
struct load_jar *load_jar_of(JSContext *ctx, JSValueConst v);

/* params.cookies: { name: "value" } or { name: { value, replace } }. 0, or -1 with an exception. */
int load_request_add_cookies(JSContext *ctx, struct load_request *req, JSValueConst cookies);

/* The Cookie field of the request's next exchange; empty when there is none. */
void load_request_cookie_header(struct load_request *req, const struct net_url *url,
				struct strbuf *out);

/* A request from (method, url, body, params); NULL with an exception. */
struct load_request *load_http_request_of(JSContext *ctx, int argc, JSValueConst *argv);

/* Sends a request and waits for it: the response, or an exception. Blocks the VU. */
JSValue load_http_send(JSContext *ctx, const char *method, JSValueConst url, JSValueConst body,
		       JSValueConst params);

/* Functions of the module that live in files of their own. */
JSValue load_http_batch(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);
JSValue load_http_async(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);

JSValue load_http_cookie_jar(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);

/* Defines the class in a new context and exports its constructor. */
int load_jar_setup(JSContext *ctx, JSValueConst exports);

#endif
