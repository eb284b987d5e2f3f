/*
 * http1_request.h - writes the head of an HTTP/1.1 request (RFC 9112 3). Order: Host, User-Agent,
 * Content-Length, then the request's own fields as given. User information in the URL becomes an
 * Authorization field. A name that is no token and a value with a control character are refused:
 * they would let data write headers.
 */
#ifndef ASSAY_NET_HTTP1_REQUEST_H
#define ASSAY_NET_HTTP1_REQUEST_H

#include "net/client.h"

struct net_http1_request_info {
	bool is_head;
	bool is_idempotent; /* RFC 9110 9.2.2 */
	bool wants_close;   /* a "Connection: close" among the fields */
};

/* With a proxy the request is one for it: the target is the whole URL (RFC 9112 3.2.2), and it gets
 * its user's name. Replaces the content of sb. 0, or -EINVAL with *ret_why set to a constant text.
 */
int net_http1_write_request(struct strbuf *sb, const struct net_request *req,
			    const struct net_client_opts *opts, const struct net_proxy *proxy,
			    struct net_http1_request_info *ret, const char **ret_why);

#endif
