/*
 * http - a small web server: a table of routes, answered by a pool of worker threads.
 *
 * Hides libmicrohttpd. Handlers run on any worker, several at a time, and answer in one go.
 */
#ifndef BOOKSTORE_HTTP_H
#define BOOKSTORE_HTTP_H

#include <stddef.h>
#include <stdint.h>

#define HTTP_BODY_MAX 16384 /* bytes of a request's body; more is refused with 413 */

/* Fewer workers do not use up a quota of one CPU early enough in a period to be throttled. */
#define HTTP_WORKERS_MIN 4
#define HTTP_WORKERS_MAX 64

struct http_request {
	const char *body; /* not ended by a zero */
	size_t len;
	const void *connection;
};

/* The first value of a query parameter, NULL when there is none; valid until the handler returns.
 */
const char *http_query(const struct http_request *req, const char *key);

/* An answer with no body set becomes 500: that is how a handler says that it ran out of memory. */
struct http_reply {
	unsigned status;
	const char *content_type;
	char *body; /* malloc'ed, the server frees it */
	size_t len;
};

/* 200 with a body that the reply takes over; NULL is let through. */
void http_reply_json(struct http_reply *reply, char *body, size_t len);

/* {"error": what was wrong, "hint": what would be right} */
void http_reply_error(struct http_reply *reply, unsigned status, const char *error,
		      const char *hint);

struct http_route {
	const char *method;
	const char *path;
	void (*handle)(void *ctx, const struct http_request *req, struct http_reply *reply);
};

struct http_opts {
	const char *host; /* IPv4 */
	uint16_t port;	  /* 0: any free one */
	unsigned workers;
	const struct http_route *routes; /* ended by one without a path */
	void *ctx;			 /* for the handlers */
	/* Called after each answer; route is "" when none has the path and takes the method. */
	void (*observe)(void *ctx, const char *route, const char *method, unsigned status,
			uint64_t duration_ns);
};

struct http_server;

/* 0 or negative errno; opts and what it points to must outlive the server. The caller stops *ret.
 */
int http_server_start(struct http_server **ret, const struct http_opts *opts);

uint16_t http_server_port(const struct http_server *s);

/* Answers what has begun, then frees s. */
void http_server_stop(struct http_server *s);

#endif
