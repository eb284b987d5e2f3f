/*
 * request_log.h - how many requests a server answered while a trace was taken, from its own events:
 * those of each request (Microsoft.AspNetCore.Hosting, Kestrel), else the counts of its meter
 * http.server.request.duration or of its EventCounters, which cover the trace only up to the last
 * interval's end.
 */
#ifndef ASSAY_DOTNET_REQUEST_LOG_H
#define ASSAY_DOTNET_REQUEST_LOG_H

#include "dotnet/nettrace.h"

enum request_source {
	REQUESTS_UNKNOWN,
	REQUESTS_HOSTING,  /* events of Microsoft.AspNetCore.Hosting */
	REQUESTS_KESTREL,  /* events of Microsoft-AspNetCore-Server-Kestrel */
	REQUESTS_METER,	   /* http.server.request.duration */
	REQUESTS_COUNTERS, /* EventCounters */
	REQUEST_SOURCES,
};

struct request_log {
	double count[REQUEST_SOURCES];
	bool seen[REQUEST_SOURCES];
	int64_t until_ns[REQUEST_SOURCES]; /* up to when they are counted; of events: to the end */
};

/* Whether a kind's events are for request_log_take(). */
bool request_log_wants(const struct nettrace_meta *m);
void request_log_take(struct request_log *l, const struct nettrace_event *e);

/* The best source, or REQUESTS_UNKNOWN. */
enum request_source request_log_source(const struct request_log *l);
const char *request_source_name(enum request_source s);

#endif
