/*
 * libmicrohttpd calls on_request() once when a request's head is there, then for each piece of its
 * body, then once more with nothing: that last call answers. Between the calls `struct exchange`
 * keeps the body and the start time; on_done() counts the request when its answer is out.
 */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define SWALLOW_MAX	(1024 * 1024) /* of a body too large, before the connection is cut */
#define IDLE_TIMEOUT_S	60
#define CONNECTIONS_MAX 4096
#define BACKLOG		1024

struct http_server {
	const struct http_opts *opts;
	struct MHD_Daemon *daemon;
};

struct exchange {
	const char *route;
	const char *method;
	uint64_t start_ns;
	unsigned status;
	size_t len; /* of the whole body, kept or not */
	char body[HTTP_BODY_MAX];
};

const char *http_query(const struct http_request *req, const char *key)
{
	return MHD_lookup_connection_value((struct MHD_Connection *)(uintptr_t)req->connection,
					   MHD_GET_ARGUMENT_KIND, key);
}

void http_reply_json(struct http_reply *reply, char *body, size_t len)
{
	*reply = (struct http_reply){
		.status = MHD_HTTP_OK,
		.content_type = "application/json",
		.body = body,
		.len = len,
	};
}

void http_reply_error(struct http_reply *reply, unsigned status, const char *error,
		      const char *hint)
{
	json_t *obj = json_pack("{s:s, s:s}", "error", error, "hint", hint);
	char *body = json_dumps(obj, JSON_COMPACT);

	json_decref(obj);
	http_reply_json(reply, body, body ? strlen(body) : 0);
	reply->status = status;
}

/* Metrics must not grow with what clients make up: methods nobody serves count as one. */
static const char *known_method(const char *method)
{
	static const char *const known[] = { "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i], method) == 0)
			return known[i];
	}
	return "_OTHER";
}

/* The route of a path; *ret_method_fits tells whether it takes the method too. */
static const struct http_route *find_route(const struct http_opts *opts, const char *path,
					   const char *method, bool *ret_method_fits)
{
	const struct http_route *r;

	for (r = opts->routes; r->path; r++) {
		if (strcmp(r->path, path) == 0) {
			*ret_method_fits = strcmp(r->method, method) == 0;
			return r;
		}
	}
	return NULL;
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, struct exchange *x,
				  struct http_reply *reply, const char *allow)
{
	struct MHD_Response *response;
	enum MHD_Result rc;

	if (!reply->body) {
		reply->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
		reply->content_type = "application/json";
		reply->body = strdup("{\"error\":\"out of memory\",\"hint\":\"send less\"}");
		reply->len = reply->body ? strlen(reply->body) : 0;
	}

	response = MHD_create_response_from_buffer(reply->len, reply->body, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(reply->body);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
	if (allow)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
	x->status = reply->status;
	rc = MHD_queue_response(connection, reply->status, response);
	MHD_destroy_response(response);
	return rc;
}

static enum MHD_Result answer(const struct http_opts *opts, struct MHD_Connection *connection,
			      struct exchange *x, const char *path, const char *method)
{
	struct http_request req = { x->body, x->len, connection };
	struct http_reply reply = { 0 };
	const char *allow = NULL;
	bool method_fits = false;
	const struct http_route *route = find_route(opts, path, method, &method_fits);

	if (!route) {
		http_reply_error(&reply, MHD_HTTP_NOT_FOUND, "there is no such route",
				 "the routes are listed in labs/bookstore/README.md");
	} else if (!method_fits) {
		allow = route->method;
		http_reply_error(&reply, MHD_HTTP_METHOD_NOT_ALLOWED,
				 "the route does not take this method",
				 "the header Allow names the one it takes");
	} else if (x->len > HTTP_BODY_MAX) {
		http_reply_error(&reply, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large",
				 "a cart fits into 16384 bytes");
	} else {
		route->handle(opts->ctx, &req, &reply);
	}

	x->route = method_fits ? route->path : "";
	return send_reply(connection, x, &reply, allow);
}

static bool announces_too_much(struct MHD_Connection *connection)
{
	const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length && strtoull(length, NULL, 10) > HTTP_BODY_MAX;
}

static void keep_body(struct exchange *x, const char *data, size_t n)
{
	if (x->len + n <= HTTP_BODY_MAX)
		memcpy(x->body + x->len, data, n);
	x->len += n;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *n, void **state)
{
	const struct http_opts *opts = arg;
	struct exchange *x = *state;

	(void)version;
	if (!x) {
		x = *state = malloc(sizeof(*x));
		if (!x)
			return MHD_NO;
		x->route = "";
		x->method = known_method(method);
		x->start_ns = clock_now_ns();
		x->status = 0;
		x->len = 0;
		if (!announces_too_much(connection))
			return MHD_YES;
		x->len = HTTP_BODY_MAX + 1;
	} else if (*n > 0) {
		keep_body(x, data, *n);
		*n = 0;
		return x->len <= SWALLOW_MAX ? MHD_YES : MHD_NO;
	}
	return answer(opts, connection, x, path, method);
}

static void on_done(void *arg, struct MHD_Connection *connection, void **state,
		    enum MHD_RequestTerminationCode code)
{
	const struct http_opts *opts = arg;
	struct exchange *x = *state;

	(void)connection;
	(void)code;
	if (!x)
		return;
	if (x->status != 0)
		opts->observe(opts->ctx, x->route, x->method, x->status,
			      clock_now_ns() - x->start_ns);
	free(x);
	*state = NULL;
}

int http_server_start(struct http_server **ret, const struct http_opts *opts)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(opts->port) };
	struct http_server *s;

	if (inet_pton(AF_INET, opts->host, &addr.sin_addr) != 1)
		return -EADDRNOTAVAIL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;

	s->opts = opts;
	errno = 0;
	s->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD, opts->port, NULL, NULL, on_request,
		(void *)(uintptr_t)opts, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&addr,
		MHD_OPTION_THREAD_POOL_SIZE, opts->workers, MHD_OPTION_NOTIFY_COMPLETED, on_done,
		(void *)(uintptr_t)opts, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_TIMEOUT_S,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_LISTEN_BACKLOG_SIZE, (unsigned)BACKLOG, MHD_OPTION_END);
	if (!s->daemon) {
		free(s);
		return errno ? -errno : -EIO;
	}

	*ret = s;
	return 0;
}

uint16_t http_server_port(const struct http_server *s)
{
	return MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void http_server_stop(struct http_server *s)
{
	if (!s)
		return;
	MHD_stop_daemon(s->daemon);
	free(s);
}
