/*
 * One worker reads a request and answers it before it takes the next, as thread-per-request servers
 * do. Four and more workers under a quota of one CPU use it up in bursts: that is what gets
 * throttled.
 */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "metrics.h"

#define BODY_MAX (64 * 1024)

struct http {
	struct MHD_Daemon *daemon;
	struct shop *shop;
};

/* One request while it is read. */
struct request {
	struct timespec start;
	char *body;
	size_t len;
	bool too_large;
};

struct answer {
	int status;
	char *body; /* malloc'ed */
	const char *type;
	enum route route;
};

#define TYPE_JSON	"application/json"
#define TYPE_PROMETHEUS "text/plain; version=0.0.4; charset=utf-8"

static char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *format(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return text;
}

/* "?fix=options,cache": 0, or -EINVAL for a word that is no fault. */
static int parse_fixes(const char *list, struct fixes *ret)
{
	*ret = (struct fixes){ 0 };
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == 7 && strncmp(list, "options", n) == 0)
			ret->options = true;
		else if (n == 5 && strncmp(list, "rules", n) == 0)
			ret->rules = true;
		else if (n == 5 && strncmp(list, "cache", n) == 0)
			ret->cache = true;
		else
			return -EINVAL;
		list += n + (list[n] == ',');
	}
	return 0;
}

static void checkout(struct http *h, struct MHD_Connection *c, const struct request *r, bool fixed,
		     struct answer *a)
{
	struct fixes fixes = { .options = true, .rules = true, .cache = true };

	a->route = fixed ? ROUTE_CHECKOUT_V2 : ROUTE_CHECKOUT;
	if (r->too_large) {
		a->status = 413;
		a->body = format("{\"error\":\"a cart has at most %d bytes\"}", BODY_MAX);
		return;
	}
	if (!fixed && parse_fixes(MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "fix"),
				  &fixes) != 0) {
		a->status = 400;
		a->body = format("{\"error\":\"fix takes options, rules and cache\"}");
		return;
	}
	a->status = shop_checkout(h->shop, &fixes, r->body ? r->body : "", r->len, &a->body);
}

static void diagnose(struct http *h, const char *path, struct answer *a)
{
	struct cache_stats s = shop_cache_stats(h->shop);
	cpu_set_t cpus;

	if (strcmp(path, "/health") == 0) {
		a->body = format("{\"status\":\"ok\"}");
	} else if (strcmp(path, "/metrics") == 0) {
		a->type = TYPE_PROMETHEUS;
		a->body = metrics_text(&s);
	} else if (strcmp(path, "/diag/cache") == 0) {
		a->body = format("{\"currentEntryCount\":%llu,\"currentEstimatedSize\":%llu,"
				 "\"totalMisses\":%llu,\"totalHits\":%llu}",
				 s.entries, s.bytes, s.misses, s.hits);
	} else if (strcmp(path, "/diag/runtime") == 0) {
		CPU_ZERO(&cpus);
		sched_getaffinity(0, sizeof(cpus), &cpus);
		a->body = format("{\"runtime\":\"C, gcc %d.%d\",\"processorCount\":%d}", __GNUC__,
				 __GNUC_MINOR__, CPU_COUNT(&cpus));
	} else {
		a->status = 404;
		a->body = format("{\"error\":\"no such route\"}");
	}
}

static void route(struct http *h, struct MHD_Connection *c, const char *path, const char *method,
		  const struct request *r, struct answer *a)
{
	bool post = strcmp(method, "POST") == 0;

	if (post && strcmp(path, "/api/checkout") == 0)
		checkout(h, c, r, false, a);
	else if (post && strcmp(path, "/api/checkout-v2") == 0)
		checkout(h, c, r, true, a);
	else if (post) {
		a->status = 404;
		a->body = format("{\"error\":\"no such route\"}");
	} else
		diagnose(h, path, a);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static enum MHD_Result answer(struct http *h, struct MHD_Connection *c, const char *path,
			      const char *method, const struct request *r)
{
	struct answer a = { .status = 200, .type = TYPE_JSON, .route = ROUTE_OTHER };
	struct MHD_Response *response;
	enum MHD_Result result;

	route(h, c, path, method, r, &a);
	if (!a.body) {
		a.status = 500;
		a.body = format("{\"error\":\"out of memory\"}");
	}
	response = MHD_create_response_from_buffer(strlen(a.body), a.body, MHD_RESPMEM_MUST_FREE);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, a.type);
	result = MHD_queue_response(c, (unsigned)a.status, response);
	MHD_destroy_response(response);
	metrics_observe(a.route, a.status, seconds_since(&r->start));
	return result;
}

static void add_body(struct request *r, const char *data, size_t len)
{
	char *body;

	if (r->len + len > BODY_MAX)
		r->too_large = true;
	body = r->too_large ? NULL : realloc(r->body, r->len + len);
	if (!body)
		return;
	memcpy(body + r->len, data, len);
	r->body = body;
	r->len += len;
}

/* Called first with the headers, then with each part of the body, then to answer. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *len, void **state)
{
	struct request *r = *state;

	(void)version;
	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return MHD_NO;
		clock_gettime(CLOCK_MONOTONIC, &r->start);
		*state = r;
		return MHD_YES;
	}
	if (*len > 0) {
		add_body(r, data, *len);
		*len = 0;
		return MHD_YES;
	}
	return answer(arg, c, path, method, r);
}

static void on_done(void *arg, struct MHD_Connection *c, void **state,
		    enum MHD_RequestTerminationCode code)
{
	struct request *r = *state;

	(void)arg, (void)c, (void)code;
	if (r)
		free(r->body);
	free(r);
}

int http_start(struct http **ret, const struct http_opts *o, int *ret_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)o->port) };
	struct http *h = calloc(1, sizeof(*h));
	const union MHD_DaemonInfo *info;

	if (!h || inet_pton(AF_INET, o->host, &address.sin_addr) != 1) {
		free(h);
		return -EINVAL;
	}
	h->shop = o->shop;
	h->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request, h,
		MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)o->workers,
		MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024U, MHD_OPTION_CONNECTION_LIMIT, 4096U,
		MHD_OPTION_NOTIFY_COMPLETED, on_done, NULL, MHD_OPTION_END);
	if (!h->daemon) {
		free(h);
		return errno ? -errno : -EIO;
	}
	info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
	*ret_port = info ? info->port : o->port;
	*ret = h;
	return 0;
}

void http_stop(struct http *h)
{
	MHD_stop_daemon(h->daemon);
	free(h);
}
