/* http - the routes, on libmicrohttpd with a pool of workers. */
#ifndef BOOKSTORE_HTTP_H
#define BOOKSTORE_HTTP_H

#include "shop.h"

struct http;

struct http_opts {
	const char *host; /* an IPv4 address */
	int port;	  /* 0 = any free one */
	int workers;
	struct shop *shop; /* borrowed */
};

/* 0 or negative errno; *ret_port is where it listens. */
int http_start(struct http **ret, const struct http_opts *o, int *ret_port);
void http_stop(struct http *h);

#endif
