/*
 * http_debug.h - the option httpDebug: each request and answer in the log, as they are in HTTP/1;
 * "headers" leaves their bodies out, "full" does not.
 */
#ifndef ASSAY_LOAD_K6_HTTP_DEBUG_H
#define ASSAY_LOAD_K6_HTTP_DEBUG_H

#include "load/k6/request.h"

void load_http_debug_request(struct load_request *req, const struct net_request *net);
void load_http_debug_response(struct load_request *req, const struct net_response *net);

#endif
