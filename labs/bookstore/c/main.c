/* The bookstore, C edition: a service with known faults (../README.md). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "rules.h"

struct options {
	const char *host;
	int port, rules, workers;
};

static int usage(FILE *f)
{
	fprintf(f,
		"bookstore [--port N] [--host ADDRESS] [--rules N] [--workers N]\n"
		"  --port N        port to listen on; 0 = any free one (default 8080)\n"
		"  --host ADDRESS  address to listen on (default 127.0.0.1)\n"
		"  --rules N       campaign rules, %d to %d (default %d)\n"
		"  --workers N     threads that answer requests, 1 to 64 (default 4)\n",
		RULES_MIN, RULES_MAX, RULES_DEFAULT);
	return 2;
}

/* A whole number between low and high, or -1. */
static int number(const char *text, int low, int high)
{
	int v = 0;

	for (const char *c = text; *c; c++) {
		if (*c < '0' || *c > '9' || v > high)
			return -1;
		v = v * 10 + (*c - '0');
	}
	return *text && v >= low && v <= high ? v : -1;
}

/* 0, or -1 when the command line is wrong, or 1 when help was asked for. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option names[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "host", required_argument, NULL, 'h' },
		{ "rules", required_argument, NULL, 'r' },
		{ "workers", required_argument, NULL, 'w' },
		{ "help", no_argument, NULL, '?' },
		{ 0 },
	};
	int letter;

	*o = (struct options){ "127.0.0.1", 8080, RULES_DEFAULT, 4 };
	while ((letter = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (letter == 'p')
			o->port = number(optarg, 0, 65535);
		else if (letter == 'h')
			o->host = optarg;
		else if (letter == 'r')
			o->rules = number(optarg, RULES_MIN, RULES_MAX);
		else if (letter == 'w')
			o->workers = number(optarg, 1, 64);
		else
			return 1;
	}
	return o->port < 0 || o->rules < 0 || o->workers < 0 || optind < argc ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	struct shop *shop;
	struct http *http;
	sigset_t end;
	int port, number_of_signal, r = parse_options(argc, argv, &o);

	if (r != 0)
		return usage(r > 0 ? stdout : stderr);
	sigemptyset(&end); /* blocked before threads start, so that only sigwait() takes them */
	sigaddset(&end, SIGTERM);
	sigaddset(&end, SIGINT);
	sigprocmask(SIG_BLOCK, &end, NULL);
	r = shop_new(&shop, o.rules);
	if (r == 0)
		r = http_start(&http, &(struct http_opts){ o.host, o.port, o.workers, shop },
			       &port);
	if (r != 0) {
		fprintf(stderr, "bookstore: cannot listen on %s port %d: %s\n", o.host, o.port,
			strerror(-r));
		return 1;
	}
	printf("listening on http://%s:%d\n", o.host, port);
	fflush(stdout);
	sigwait(&end, &number_of_signal);
	http_stop(http);
	shop_free(shop);
	return 0;
}
