#include <stdio.h>

#include "dotnet/counters.h"
#include "test.h"

/* "Provider keywords:level args" a line; the client's number left out. */
static void plan(const char *wishes, const char *version, struct strbuf *ret)
{
	struct watch_wishes w = { 0 };
	struct dotnet_counters_opts o = { .wishes = &w, .version = version };
	struct dotnet_counters_plan p;
	struct error err = ERROR_INIT;

	if (wishes)
		ASSERT_OK_ERR(watch_wishes_parse(wishes, &w, &err), err);
	dotnet_counters_plan(&o, &p);
	strbuf_clear(ret);
	for (size_t i = 0; i < p.wish.n_providers; i++) {
		const struct dotnet_provider *d = &p.wish.providers[i];
		const char *id = strstr(d->args, ";ClientId=");

		ASSERT_TRUE(!id || !strcmp(id + 10, p.client_id));
		strbuf_addf(ret, "%s %llx:%u %.*s\n", d->name, (unsigned long long)d->keywords,
			    d->level, (int)(id ? id - d->args : (long)strlen(d->args)), d->args);
	}
	vec_for_each (&p.notes, n)
		strbuf_addf(ret, "! %s\n", *n);
	ASSERT_INT(strlen(p.client_id), 36);
	dotnet_counters_plan_release(&p);
	watch_wishes_release(&w);
}

#define METERS(list)                                                                               \
	"System.Diagnostics.Metrics 2:4 SessionId=SHARED;Metrics=" list                            \
	";RefreshInterval=1;MaxTimeSeries=1000;MaxHistograms=10\n"
#define EVENTS(name) name " 0:4 EventCounterIntervalSec=1\n"

TEST(plan_by_version)
{
	static const struct {
		const char *wishes, *version, *expected;
	} cases[] = {
		{ NULL, "10.0.12", METERS("System.Runtime,Microsoft.AspNetCore.Hosting") },
		{ NULL, "9.0.20", METERS("System.Runtime,Microsoft.AspNetCore.Hosting") },
		{ NULL, "8.0.31", EVENTS("System.Runtime") METERS("Microsoft.AspNetCore.Hosting") },
		{ NULL, "6.0.0",
		  EVENTS("System.Runtime") EVENTS("Microsoft.AspNetCore.Hosting")
			  METERS("Microsoft.AspNetCore.Hosting") },
		{ NULL, NULL,
		  EVENTS("System.Runtime") EVENTS("Microsoft.AspNetCore.Hosting")
			  METERS("System.Runtime,Microsoft.AspNetCore.Hosting") },
		{ "Shop.Orders,Shop-Events", "10.0.12",
		  EVENTS("Shop.Orders") EVENTS("Shop-Events") METERS("Shop.Orders,Shop-Events") },
		{ "EventCounters\\System.Runtime", "10.0.12", EVENTS("System.Runtime") },
		{ "Microsoft.AspNetCore.Hosting[http.server.request.duration],Shop*", "10.0.12",
		  METERS("Microsoft.AspNetCore.Hosting\\http.server.request.duration,Shop*") },
		/* under either name */
		{ "System.Runtime[cpu-usage]", "10.0.12", EVENTS("System.Runtime") },
		{ "System.Runtime[dotnet.gc.pause.time]", "10.0.12",
		  METERS("System.Runtime\\dotnet.gc.pause.time") },
		{ "System.Runtime[dotnet.gc.pause.time]", "8.0.31", EVENTS("System.Runtime") },
		{ "process,cgroup", "10.0.12", "" },
		{ "Shop*", "8.0.31",
		  "! \"Shop*\": .NET 8 takes no names with a star; of those that are known all are "
		  "asked for, others need their full name\n" },
	};
	CLEANUP(strbuf_release) struct strbuf got = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		plan(cases[i].wishes, cases[i].version, &got);
		ASSERT_STREQ(strbuf_cstr(&got), cases[i].expected);
	}
}

/* The settings of dotnet-counters' options. */
TEST(plan_settings)
{
	struct dotnet_counters_opts o = {
		.interval_s = 0.5, .max_time_series = 7, .max_histograms = 3, .version = "8.0.0"
	};
	struct dotnet_counters_plan p;

	dotnet_counters_plan(&o, &p);
	ASSERT_INT(p.wish.n_providers, 2);
	ASSERT_STREQ(p.wish.providers[0].args, "EventCounterIntervalSec=0.5");
	ASSERT_HAS(p.wish.providers[1].args,
		   ";RefreshInterval=0.5;MaxTimeSeries=7;MaxHistograms=3;");
	ASSERT_TRUE(p.wish.no_stacks && !p.wish.rundown_keyword);
	dotnet_counters_plan_release(&p);
}
