/* What to ask of a runtime of which version, for the counters that are wished. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/num.h"
#include "dotnet/counters_internal.h"

#define RUNTIME "System.Runtime"

/*
 * The EventCounters of System.Runtime that stand for what .NET 9 has as meters. More than one may,
 * and units differ: nothing is converted.
 */
static const struct {
	const char *meter, *counter;
} renamed[] = {
	{ "dotnet.process.cpu.time", "cpu-usage" },
	{ "dotnet.process.memory.working_set", "working-set" },
	{ "dotnet.gc.collections", "gen-0-gc-count" },
	{ "dotnet.gc.collections", "gen-1-gc-count" },
	{ "dotnet.gc.collections", "gen-2-gc-count" },
	{ "dotnet.gc.heap.total_allocated", "alloc-rate" },
	{ "dotnet.gc.last_collection.heap.size", "gc-heap-size" },
	{ "dotnet.gc.last_collection.heap.size", "gen-0-size" },
	{ "dotnet.gc.last_collection.heap.size", "gen-1-size" },
	{ "dotnet.gc.last_collection.heap.size", "gen-2-size" },
	{ "dotnet.gc.last_collection.heap.size", "loh-size" },
	{ "dotnet.gc.last_collection.heap.size", "poh-size" },
	{ "dotnet.gc.last_collection.heap.fragmentation.size", "gc-fragmentation" },
	{ "dotnet.gc.last_collection.memory.committed_size", "gc-committed" },
	{ "dotnet.gc.pause.time", "total-pause-time-by-gc" },
	{ "dotnet.gc.pause.time", "time-in-gc" },
	{ "dotnet.jit.compiled_il.size", "il-bytes-jitted" },
	{ "dotnet.jit.compiled_methods", "methods-jitted-count" },
	{ "dotnet.jit.compilation.time", "time-in-jit" },
	{ "dotnet.monitor.lock_contentions", "monitor-lock-contention-count" },
	{ "dotnet.thread_pool.thread.count", "threadpool-thread-count" },
	{ "dotnet.thread_pool.work_item.count", "threadpool-completed-items-count" },
	{ "dotnet.thread_pool.queue.length", "threadpool-queue-length" },
	{ "dotnet.timer.count", "active-timer-count" },
	{ "dotnet.assembly.count", "assembly-count" },
	{ "dotnet.exceptions", "exception-count" },
};

/* Providers that are meters from a version on, so that their EventCounters need not be asked for.
 */
static const struct {
	const char *pattern;
	unsigned since;
} meters[] = {
	{ RUNTIME, 9 },
	{ "Microsoft.AspNetCore.*", 8 },
	{ "System.Net.Http", 8 },
	{ "System.Net.NameResolution", 8 },
};

/* What "*" stands for where the runtime has no such thing. */
static const char *const well_known[] = {
	"Microsoft.AspNetCore.Hosting",
	"Microsoft.AspNetCore.Server.Kestrel",
	"Microsoft.AspNetCore.Routing",
	"Microsoft.AspNetCore.Diagnostics",
	"Microsoft.AspNetCore.RateLimiting",
	"Microsoft.AspNetCore.Http.Connections",
	"System.Net.Http",
	"System.Net.NameResolution",
};

static bool is_runtime(const char *provider)
{
	return strcasecmp(provider, RUNTIME) == 0;
}

bool dotnet_is_runtime_meter(const char *provider, const char *name)
{
	return is_runtime(provider) && strncasecmp(name, "dotnet.", 7) == 0;
}

bool dotnet_counter_is(const char *provider, const char *event_counter, const char *wished)
{
	if (watch_wish_is(wished, event_counter))
		return true;
	for (size_t i = 0; is_runtime(provider) && i < ARRAY_SIZE(renamed); i++)
		if (watch_wish_is(wished, renamed[i].meter) &&
		    !strcasecmp(event_counter, renamed[i].counter))
			return true;
	return false;
}

unsigned dotnet_major(const char *version)
{
	struct str rest = str_from(version), part = { 0 };
	uint64_t major = 0;

	if (!version || !str_split(&rest, '.', &part) || num_parse_u64(part, &major) < 0)
		return 0;
	return (unsigned)MIN(major, (uint64_t)UINT32_MAX);
}

/* ---- the plan ---- */

struct planner {
	const struct dotnet_counters_opts *o;
	unsigned major; /* 0 = unknown */
	struct strbuf metrics;
	struct dotnet_counters_plan *plan;
};

static char *keep(struct planner *p, char *text)
{
	vec_push(&p->plan->texts, text);
	return text;
}

static void add_metric(struct planner *p, const char *meter, const char *instrument)
{
	strbuf_addf(&p->metrics, "%s%s%s%s", p->metrics.len ? "," : "", meter,
		    instrument ? "\\" : "", instrument ? instrument : "");
}

static void add_event_counters(struct planner *p, const char *provider)
{
	double interval_s = p->o->interval_s > 0 ? p->o->interval_s : 1;

	vec_for_each (&p->plan->providers, known)
		if (!strcasecmp(known->name, provider))
			return;
	vec_push(&p->plan->providers,
		 ((struct dotnet_provider){
			 .name = keep(p, xstrdup(provider)),
			 .level = 4,
			 .args = keep(p, xasprintf("EventCounterIntervalSec=%g", interval_s)) }));
}

static bool has_star(const char *name)
{
	return *name && name[strlen(name) - 1] == '*';
}

/* Stars are understood from .NET 9 on. */
static void add_meter_of_any_name(struct planner *p, const char *pattern)
{
	if (!p->major || p->major >= 9) {
		add_metric(p, pattern, NULL);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(well_known); i++)
		if (watch_wish_is(pattern, well_known[i]))
			add_metric(p, well_known[i], NULL);
	if (watch_wish_is(pattern, RUNTIME))
		add_event_counters(p, RUNTIME);
	vec_push(&p->plan->notes,
		 xasprintf("\"%s\": .NET %u takes no names with a star; of those that are known "
			   "all are asked for, others need their full name",
			   pattern, p->major));
}

static bool is_meter_only(const struct planner *p, const char *provider)
{
	for (size_t i = 0; i < ARRAY_SIZE(meters); i++)
		if (watch_wish_is(meters[i].pattern, provider))
			return p->major >= meters[i].since;
	return false;
}

/* Chosen counters of a provider: each from where it is. */
static void add_chosen(struct planner *p, const struct watch_wish *w)
{
	bool by_name = !is_meter_only(p, w->provider);

	vec_for_each (&w->counters, name) {
		bool old = is_runtime(w->provider) && !dotnet_is_runtime_meter(w->provider, *name);

		if (!old && !has_star(*name) && !(is_runtime(w->provider) && p->major == 8))
			add_metric(p, w->provider, *name);
		else if (has_star(*name))
			add_metric(p, w->provider, NULL); /* and those not meant are left out */
		by_name = by_name || old;
	}
	if (by_name)
		add_event_counters(p, w->provider);
}

static void add_wish(struct planner *p, const struct watch_wish *w)
{
	static const char *const not_ours[] = { "process", "cgroup",	 "net",
						"system",  "prometheus", DOTNET_METRICS };

	for (size_t i = 0; i < ARRAY_SIZE(not_ours); i++)
		if (!strcasecmp(w->provider, not_ours[i]))
			return;
	if (w->event_counters) {
		add_event_counters(p, w->provider);
	} else if (has_star(w->provider)) {
		add_meter_of_any_name(p, w->provider);
	} else if (w->counters.len) {
		add_chosen(p, w);
	} else {
		if (!is_runtime(w->provider) || !p->major || p->major >= 9)
			add_metric(p, w->provider, NULL);
		if (!is_meter_only(p, w->provider))
			add_event_counters(p, w->provider);
	}
}

static void make_client_id(char id[37])
{
	uint8_t b[16] = { 0 };

	if (getrandom(b, sizeof(b), 0) < 0)
		b[0] = 1;
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	for (size_t i = 0, at = 0; i < sizeof(b); i++)
		at += (size_t)snprintf(id + at, 37 - at,
				       i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
				       b[i]);
}

static void add_metrics_provider(struct planner *p)
{
	const struct dotnet_counters_opts *o = p->o;

	if (!p->metrics.len)
		return;
	vec_push(&p->plan->providers,
		 ((struct dotnet_provider){
			 .name = DOTNET_METRICS,
			 .keywords = 2,
			 .level = 4,
			 .args = keep(p, xasprintf("SessionId=" DOTNET_SHARED ";Metrics=%s;"
						   "RefreshInterval=%g;MaxTimeSeries=%u;"
						   "MaxHistograms=%u;ClientId=%s",
						   strbuf_cstr(&p->metrics),
						   o->interval_s > 0 ? o->interval_s : 1,
						   o->max_time_series ? o->max_time_series : 1000,
						   o->max_histograms ? o->max_histograms : 10,
						   p->plan->client_id)) }));
}

void dotnet_counters_plan(const struct dotnet_counters_opts *o, struct dotnet_counters_plan *ret)
{
	struct planner p = { .o = o, .major = dotnet_major(o->version), .plan = ret };
	struct watch_wishes defaults = { 0 };
	const struct watch_wishes *wishes = o->wishes;

	*ret = (struct dotnet_counters_plan){ 0 };
	if (!wishes || !wishes->list.len) {
		watch_wishes_parse(DOTNET_DEFAULT_WISHES, &defaults, NULL);
		wishes = &defaults;
	}
	make_client_id(ret->client_id);
	vec_for_each (&wishes->list, w)
		add_wish(&p, w);
	add_metrics_provider(&p);
	ret->wish = (struct dotnet_session_wish){ .providers = ret->providers.ptr,
						  .n_providers = ret->providers.len,
						  .buffer_mb = 16,
						  .no_stacks = true };
	strbuf_release(&p.metrics);
	watch_wishes_release(&defaults);
}

void dotnet_counters_plan_release(struct dotnet_counters_plan *p)
{
	vec_for_each (&p->texts, t)
		free(*t);
	vec_for_each (&p->notes, n)
		free(*n);
	vec_release(&p->texts);
	vec_release(&p->notes);
	vec_release(&p->providers);
}
