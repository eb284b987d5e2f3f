#include "dotnet/request_log.h"

#include <math.h>

#include "dotnet/payload.h"

#define HOSTING "Microsoft.AspNetCore.Hosting"
#define KESTREL "Microsoft-AspNetCore-Server-Kestrel"
#define METRICS "System.Diagnostics.Metrics"

bool request_log_wants(const struct nettrace_meta *m)
{
	if (!strcmp(m->provider, HOSTING))
		return !strcmp(m->name, "RequestStop") || !strcmp(m->name, "RequestStart/Stop") ||
		       !strcmp(m->name, "Request/Stop") || !strcmp(m->name, "EventCounters");
	if (!strcmp(m->provider, KESTREL))
		return !strcmp(m->name, "RequestStop") || !strcmp(m->name, "Request/Stop");
	return !strcmp(m->provider, METRICS) &&
	       (!strcmp(m->name, "HistogramValuePublished") || !strcmp(m->name, "CollectionStop"));
}

static void count(struct request_log *l, enum request_source s, double n, int64_t until_ns)
{
	l->seen[s] = true;
	l->count[s] += n;
	l->until_ns[s] = until_ns;
}

static bool is_text(const struct nettrace_event *e, const char *field, const char *text)
{
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
	struct payload_value v;

	if (payload_find(e, field, &v) != 1)
		return false;
	payload_text(&v, &value);
	return !strcmp(strbuf_cstr(&value), text);
}

static void take_meter(struct request_log *l, const struct nettrace_event *e)
{
	struct payload_value v;

	if (!strcmp(e->meta->name, "CollectionStop")) {
		if (l->seen[REQUESTS_METER])
			l->until_ns[REQUESTS_METER] = e->t_ns;
		return;
	}
	if (is_text(e, "instrumentName", "http.server.request.duration") &&
	    payload_find(e, "count", &v) == 1)
		count(l, REQUESTS_METER, payload_number(&v), e->t_ns);
}

static void take_counter(struct request_log *l, const struct nettrace_event *e)
{
	struct payload_value v;

	if (is_text(e, "Name", "requests-per-second") && payload_find(e, "Increment", &v) == 1 &&
	    isfinite(payload_number(&v)))
		count(l, REQUESTS_COUNTERS, payload_number(&v), e->t_ns);
}

void request_log_take(struct request_log *l, const struct nettrace_event *e)
{
	if (!strcmp(e->meta->provider, METRICS))
		take_meter(l, e);
	else if (!strcmp(e->meta->name, "EventCounters"))
		take_counter(l, e);
	else
		count(l, !strcmp(e->meta->provider, HOSTING) ? REQUESTS_HOSTING : REQUESTS_KESTREL,
		      1, INT64_MAX);
}

enum request_source request_log_source(const struct request_log *l)
{
	for (unsigned i = REQUESTS_UNKNOWN + 1; i < REQUEST_SOURCES; i++)
		if (l->seen[i])
			return (enum request_source)i;
	return REQUESTS_UNKNOWN;
}

const char *request_source_name(enum request_source s)
{
	static const char *const names[REQUEST_SOURCES] = {
		"unknown",
		"events of " HOSTING,
		"events of Kestrel",
		"meter http.server.request.duration",
		"EventCounters of " HOSTING,
	};

	return names[s];
}
