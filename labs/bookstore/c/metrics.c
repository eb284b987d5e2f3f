/*
 * Bucket bounds are 13 round numbers a decade from 100 us to 10 s, in steps of 14 to 25 per cent,
 * so a quantile read from the buckets is off by no more than that. One lock guards all series:
 * taking it costs some 50 ns beside the milliseconds of a request.
 */
#include "metrics.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"

#define STEPS	   13
#define DECADES	   5
#define BOUNDS	   (STEPS * DECADES + 1)
#define SERIES_MAX 128

/* In units of 1e-2 of a decade's start; with the decades below: 100 us, 125 us, ..., 10 s. */
static const uint64_t steps[STEPS] = {
	100, 125, 150, 175, 200, 250, 300, 350, 400, 500, 600, 700, 800,
};

struct series {
	const char *route;
	const char *method;
	unsigned status;
	uint64_t buckets[BOUNDS + 1]; /* not cumulated; the last one is over all bounds */
	uint64_t count;
	uint64_t sum_ns;
};

struct metrics {
	pthread_mutex_t lock;
	uint64_t bounds_ns[BOUNDS];
	struct series series[SERIES_MAX];
	int n_series;
};

struct metrics *metrics_new(void)
{
	struct metrics *m = calloc(1, sizeof(*m));
	uint64_t decade_us = 1;

	if (!m)
		return NULL;
	pthread_mutex_init(&m->lock, NULL);
	for (int i = 0; i < BOUNDS; i++) {
		if (i > 0 && i % STEPS == 0)
			decade_us *= 10;
		m->bounds_ns[i] = steps[i % STEPS] * decade_us * 1000;
	}
	return m;
}

/* Called with the lock held. NULL when the table is full, which takes statuses nobody sends. */
static struct series *find_series(struct metrics *m, const char *route, const char *method,
				  unsigned status)
{
	struct series *s = m->series;

	for (; s < m->series + m->n_series; s++) {
		if (s->status == status && strcmp(s->route, route) == 0 &&
		    strcmp(s->method, method) == 0)
			return s;
	}
	if (m->n_series == SERIES_MAX)
		return NULL;

	m->n_series++;
	s->route = route;
	s->method = method;
	s->status = status;
	return s;
}

static int find_bucket(const struct metrics *m, uint64_t duration_ns)
{
	int i = 0;

	while (i < BOUNDS && duration_ns > m->bounds_ns[i])
		i++;
	return i;
}

void metrics_observe(struct metrics *m, const char *route, const char *method, unsigned status,
		     uint64_t duration_ns)
{
	int bucket = find_bucket(m, duration_ns);
	struct series *s;

	pthread_mutex_lock(&m->lock);
	s = find_series(m, route, method, status);
	if (s) {
		s->buckets[bucket]++;
		s->count++;
		s->sum_ns += duration_ns;
	}
	pthread_mutex_unlock(&m->lock);
}

static void write_help(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_value(FILE *f, const char *name, const char *type, const char *help, double value)
{
	write_help(f, name, type, help);
	fprintf(f, "%s %.15g\n", name, value);
}

static void write_series(const struct metrics *m, const struct series *s, FILE *f)
{
	static const char name[] = "http_server_request_duration_seconds";
	char labels[160];
	uint64_t sum = 0;

	snprintf(labels, sizeof(labels),
		 "http_request_method=\"%s\",http_response_status_code=\"%u\",http_route=\"%s\"",
		 s->method, s->status, s->route);
	for (int i = 0; i < BOUNDS; i++) {
		sum += s->buckets[i];
		fprintf(f, "%s_bucket{%s,le=\"%g\"} %llu\n", name, labels,
			(double)m->bounds_ns[i] / 1e9, (unsigned long long)sum);
	}
	fprintf(f, "%s_bucket{%s,le=\"+Inf\"} %llu\n", name, labels, (unsigned long long)s->count);
	fprintf(f, "%s_sum{%s} %.9f\n", name, labels, (double)s->sum_ns / 1e9);
	fprintf(f, "%s_count{%s} %llu\n", name, labels, (unsigned long long)s->count);
}

static void write_requests(struct metrics *m, FILE *f)
{
	write_help(f, "http_server_request_duration_seconds", "histogram",
		   "Time from a request's head to the end of its answer, as the server sees it.");
	pthread_mutex_lock(&m->lock);
	for (int i = 0; i < m->n_series; i++)
		write_series(m, &m->series[i], f);
	pthread_mutex_unlock(&m->lock);
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

/* Field `index` of /proc/self/stat, counted as proc(5) does; only those after the name in brackets.
 */
static double stat_field(int index)
{
	char line[1024] = "", *p;
	FILE *f = fopen("/proc/self/stat", "re");

	if (!f)
		return 0;
	p = fgets(line, sizeof(line), f);
	fclose(f);

	p = p ? strrchr(p, ')') : NULL;
	for (int i = 2; p && i < index; i++)
		p = strchr(p + 1, ' ');
	return p ? strtod(p, NULL) : 0;
}

static double start_time_s(void)
{
	struct timespec real, boot;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (double)(real.tv_sec - boot.tv_sec) + stat_field(22) / (double)sysconf(_SC_CLK_TCK);
}

static void write_process(FILE *f)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	write_value(f, "process_cpu_seconds_total", "counter", "CPU time, user and system.",
		    seconds(usage.ru_utime) + seconds(usage.ru_stime));
	write_value(f, "process_resident_memory_bytes", "gauge", "Memory in RAM.",
		    stat_field(24) * (double)sysconf(_SC_PAGESIZE));
	write_value(f, "process_virtual_memory_bytes", "gauge", "Address space.", stat_field(23));
	write_value(f, "process_threads", "gauge", "Threads.", stat_field(20));
	write_value(f, "process_start_time_seconds", "gauge", "Start, in seconds since 1970.",
		    start_time_s());
}

static void write_cache(const struct cache_stats *cache, FILE *f)
{
	write_value(f, "bookstore_cache_entries", "gauge", "Quotes in the cache.",
		    (double)cache->entries);
	write_value(f, "bookstore_cache_size_bytes", "gauge", "Bytes of keys and quotes.",
		    (double)cache->size_bytes);
	write_value(f, "bookstore_cache_hits_total", "counter", "Lookups that found a quote.",
		    (double)cache->hits);
	write_value(f, "bookstore_cache_misses_total", "counter", "Lookups that found none.",
		    (double)cache->misses);
}

void metrics_write(struct metrics *m, const struct cache_stats *cache, FILE *f)
{
	write_requests(m, f);
	write_process(f);
	write_cache(cache, f);
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	pthread_mutex_destroy(&m->lock);
	free(m);
}
