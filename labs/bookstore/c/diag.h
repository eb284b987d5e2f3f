/*
 * diag - the routes for those who look after the service; ctx is the shop.
 */
#ifndef BOOKSTORE_DIAG_H
#define BOOKSTORE_DIAG_H

#include "http.h"

/* GET /health */
void diag_health(void *ctx, const struct http_request *req, struct http_reply *reply);

/* GET /metrics */
void diag_metrics(void *ctx, const struct http_request *req, struct http_reply *reply);

/* GET /diag/cache */
void diag_cache(void *ctx, const struct http_request *req, struct http_reply *reply);

/* GET /diag/rules: number, length and FNV-1a hash of the rules' text, to compare two editions by.
 */
void diag_rules(void *ctx, const struct http_request *req, struct http_reply *reply);

/* GET /diag/runtime: what the service runs on and sees of its limits. */
void diag_runtime(void *ctx, const struct http_request *req, struct http_reply *reply);

#endif
