#include "metrics.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_BOUND 100e-6
#define STEP	    1.25
#define N_BUCKETS   53 /* 100 us * 1.25^52 = 10.9 s */

enum status { STATUS_200, STATUS_400, STATUS_404, STATUS_413, STATUS_500, N_STATUSES };

static const int statuses[N_STATUSES] = { 200, 400, 404, 413, 500 };
static const char *const status_names[N_STATUSES] = { "200", "400", "404", "413", "500" };
static const char *const route_names[N_ROUTES] = {
	[ROUTE_CHECKOUT] = "/api/checkout",
	[ROUTE_CHECKOUT_V2] = "/api/checkout-v2",
	[ROUTE_OTHER] = "other",
};

struct histogram {
	atomic_ullong buckets[N_BUCKETS + 1]; /* the last is +Inf */
	atomic_ullong sum_ns;
};

static struct histogram histograms[N_ROUTES][N_STATUSES];

static double bound(int i)
{
	double b = FIRST_BOUND;

	while (i-- > 0)
		b *= STEP;
	return b;
}

static int status_index(int status)
{
	for (int i = 0; i < N_STATUSES; i++)
		if (statuses[i] == status)
			return i;
	return STATUS_500;
}

void metrics_observe(enum route route, int status, double seconds)
{
	struct histogram *h = &histograms[route][status_index(status)];
	double b = FIRST_BOUND;
	int i = 0;

	for (; i < N_BUCKETS && seconds > b; i++)
		b *= STEP;
	atomic_fetch_add_explicit(&h->buckets[i], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&h->sum_ns, (unsigned long long)(seconds * 1e9),
				  memory_order_relaxed);
}

static void write_histogram(FILE *f, int route, int status)
{
	struct histogram *h = &histograms[route][status];
	unsigned long long count = 0;
	char labels[160];

	for (int i = 0; i <= N_BUCKETS; i++)
		count += atomic_load(&h->buckets[i]);
	if (count == 0)
		return;
	snprintf(labels, sizeof(labels),
		 "http_request_method=\"%s\",http_route=\"%s\",http_response_status_code=\"%s\"",
		 route == ROUTE_OTHER ? "GET" : "POST", route_names[route], status_names[status]);
	count = 0;
	for (int i = 0; i < N_BUCKETS; i++) {
		count += atomic_load(&h->buckets[i]);
		fprintf(f, "http_server_request_duration_seconds_bucket{%s,le=\"%.6g\"} %llu\n",
			labels, bound(i), count);
	}
	count += atomic_load(&h->buckets[N_BUCKETS]);
	fprintf(f, "http_server_request_duration_seconds_bucket{%s,le=\"+Inf\"} %llu\n", labels,
		count);
	fprintf(f, "http_server_request_duration_seconds_sum{%s} %.9f\n", labels,
		(double)atomic_load(&h->sum_ns) / 1e9);
	fprintf(f, "http_server_request_duration_seconds_count{%s} %llu\n", labels, count);
}

static void write_one(FILE *f, const char *name, const char *type, const char *help, double value)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n%s %.15g\n", name, help, name, type, name, value);
}

static double resident_bytes(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

char *metrics_text(const struct cache_stats *cache)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fputs("# HELP http_server_request_duration_seconds Time from the request read to the "
	      "answer "
	      "queued.\n# TYPE http_server_request_duration_seconds histogram\n",
	      f);
	for (int r = 0; r < N_ROUTES; r++)
		for (int s = 0; s < N_STATUSES; s++)
			write_histogram(f, r, s);
	write_one(f, "process_cpu_seconds_total", "counter", "CPU time of the process.",
		  cpu_seconds());
	write_one(f, "process_resident_memory_bytes", "gauge", "Resident memory.",
		  resident_bytes());
	write_one(f, "bookstore_cache_entries", "gauge", "Quotes in the cache.",
		  (double)cache->entries);
	write_one(f, "bookstore_cache_hits_total", "counter", "Quotes found in the cache.",
		  (double)cache->hits);
	write_one(f, "bookstore_cache_misses_total", "counter", "Quotes not found in the cache.",
		  (double)cache->misses);
	fclose(f);
	return text;
}
