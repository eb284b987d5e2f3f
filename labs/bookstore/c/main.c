/*
 * bookstore - a checkout service that is slow on purpose. What it does and what is wrong with it is
 * told in labs/bookstore/README.md.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkout.h"
#include "diag.h"
#include "http.h"
#include "shop.h"

static const char usage[] =
	"usage: bookstore [--host ADDRESS] [--port N] [--rules N] [--workers N]\n"
	"  --host ADDRESS  IPv4 address to listen on (127.0.0.1)\n"
	"  --port N        port to listen on, 0 for any free one (8080)\n"
	"  --rules N       campaign rules, 500 to 4000 (2000)\n"
	"  --workers N     threads that answer, 4 to 64 (4)\n";

static const struct http_route routes[] = {
	{ "POST", "/api/checkout", checkout_slow }, { "POST", "/api/checkout-v2", checkout_fixed },
	{ "GET", "/health", diag_health },	    { "GET", "/metrics", diag_metrics },
	{ "GET", "/diag/cache", diag_cache },	    { "GET", "/diag/rules", diag_rules },
	{ "GET", "/diag/runtime", diag_runtime },   { NULL, NULL, NULL },
};

struct options {
	const char *host;
	int port;
	int rules;
	int workers;
};

static int parse_number(int *ret, const char *name, int min, int max)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(optarg, &end, 10);
	if (errno != 0 || end == optarg || *end != '\0' || n < min || n > max) {
		fprintf(stderr, "bookstore: --%s takes a number from %d to %d, not '%s'\n", name,
			min, max, optarg);
		return -EINVAL;
	}
	*ret = (int)n;
	return 0;
}

static int parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "host", required_argument, NULL, 'h' },
		{ "port", required_argument, NULL, 'p' },
		{ "rules", required_argument, NULL, 'r' },
		{ "workers", required_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	int rc = 0, c;

	while (rc == 0 && (c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'h')
			o->host = optarg;
		else if (c == 'p')
			rc = parse_number(&o->port, "port", 0, 65535);
		else if (c == 'r')
			rc = parse_number(&o->rules, "rules", RULES_MIN, RULES_MAX);
		else if (c == 'w')
			rc = parse_number(&o->workers, "workers", HTTP_WORKERS_MIN,
					  HTTP_WORKERS_MAX);
		else
			rc = -EINVAL;
	}
	return optind < argc ? -EINVAL : rc;
}

static void observe(void *ctx, const char *route, const char *method, unsigned status,
		    uint64_t duration_ns)
{
	const struct shop *shop = ctx;

	metrics_observe(shop->metrics, route, method, status, duration_ns);
}

static int serve(struct shop *shop, const struct options *o, const sigset_t *ends)
{
	const struct http_opts opts = {
		.host = o->host,
		.port = (uint16_t)o->port,
		.workers = (unsigned)o->workers,
		.routes = routes,
		.ctx = shop,
		.observe = observe,
	};
	struct http_server *server;
	int rc = http_server_start(&server, &opts);
	int sig;

	if (rc != 0) {
		fprintf(stderr, "bookstore: cannot listen on %s:%d: %s; try --port 0\n", o->host,
			o->port, strerror(-rc));
		return rc;
	}

	printf("listening on http://%s:%u\n", o->host, http_server_port(server));
	fflush(stdout);
	sigwait(ends, &sig);
	http_server_stop(server);
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { "127.0.0.1", 8080, RULES_DEFAULT, HTTP_WORKERS_MIN };
	struct shop *shop;
	sigset_t ends;
	int rc;

	if (parse_options(&o, argc, argv) != 0) {
		fputs(usage, stderr);
		return 2;
	}

	/* Before the first thread, so that all inherit the mask and only sigwait() sees the
	 * signals. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);

	rc = shop_new(&shop, o.rules, o.workers);
	if (rc != 0) {
		fprintf(stderr, "bookstore: cannot set up: %s\n", strerror(-rc));
		return 1;
	}
	rc = serve(shop, &o, &ends);
	shop_free(shop);
	return rc == 0 ? 0 : 1;
}
