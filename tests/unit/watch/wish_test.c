/* dotnet-counters' list of counters. */
#include "watch/wish.h"

#include <errno.h>

#include "rig.h"
#include "test.h"

TEST(wish_lists_of_providers_and_counters)
{
	CLEANUP(watch_wishes_release) struct watch_wishes w = { 0 };
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(watch_wishes_parse("System.Runtime, Shop.Orders[orders, basket.*] ,"
					 "EventCounters\\Old.Source,Open*",
					 &w, &err),
		      err);
	ASSERT_INT(w.list.len, 4);
	ASSERT_STREQ(w.list.ptr[1].provider, "Shop.Orders");
	ASSERT_INT(w.list.ptr[1].counters.len, 2);
	ASSERT_STREQ(w.list.ptr[1].counters.ptr[1], "basket.*");
	ASSERT_STREQ(w.list.ptr[2].provider, "Old.Source");
	ASSERT_TRUE(w.list.ptr[2].event_counters && !w.list.ptr[1].event_counters);
	ASSERT_TRUE(watch_wishes_counter(&w, "system.runtime", "gc"));
	ASSERT_TRUE(watch_wishes_counter(&w, "Shop.Orders", "ORDERS"));
	ASSERT_TRUE(watch_wishes_counter(&w, "Shop.Orders", "basket.size"));
	ASSERT_TRUE(!watch_wishes_counter(&w, "Shop.Orders", "orders.open"));
	ASSERT_TRUE(watch_wishes_counter(&w, "OpenTelemetry.Instrumentation", "x"));
	ASSERT_TRUE(!watch_wishes_provider(&w, "System.Net.Http"));
}

TEST(wish_faults_have_a_place)
{
	static const struct {
		const char *text, *says;
	} faults[] = {
		{ "", "place 1: a provider's name" },
		{ "a,,b", "place 3: a provider's name" },
		{ "a,", "place 3: a provider's name" },
		{ "a[b", "place 4: a \"]\"" },
		{ "a[]", "place 3: a counter's name" },
		{ "a[b,]", "place 5: a counter's name" },
		{ "a[b]c", "place 5: a \",\"" },
		{ "a]", "place 2: a \",\"" },
		{ "EventCounters\\", "place 1: a provider's name" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		CLEANUP(watch_wishes_release) struct watch_wishes w = { 0 };
		struct error err = ERROR_INIT;

		ASSERT_INT(watch_wishes_parse(faults[i].text, &w, &err), -EINVAL);
		ASSERT_HAS(err.msg, faults[i].says);
	}
}

static void put(struct watch_out *o, enum watch_origin source, const char *provider,
		const char *name)
{
	ASSERT_OK(o->ops->value(o, &(struct watch_value){ .source = source,
							  .provider = provider,
							  .name = name,
							  .unit = "",
							  .tags = "" }));
}

static const char *filtered(const char *list, struct log *log)
{
	CLEANUP(watch_wishes_release) struct watch_wishes w = { 0 };
	struct watch_out *o;

	log_init(log);
	log->plain = true;
	ASSERT_OK(watch_wishes_parse(list, &w, NULL));
	o = watch_filter_new(&w, &log->out);
	put(o, WATCH_HOST, "process", "process.cpu.time");
	put(o, WATCH_HOST, "cgroup", "cgroup.cpu.usage");
	put(o, WATCH_SCRAPE, "prometheus", "up_total");
	put(o, WATCH_DOTNET, "System.Runtime", "gc");
	ASSERT_OK(o->ops->close(o, NULL));
	return strbuf_cstr(&log->text);
}

TEST(wish_filter_keeps_sources_that_no_wish_is_about)
{
	struct log log;

	ASSERT_STREQ(filtered("System.Runtime", &log),
		     "process.cpu.time cgroup.cpu.usage up_total gc ");
	ASSERT_STREQ(filtered("process", &log), "process.cpu.time up_total gc ");
	ASSERT_STREQ(filtered("cgroup[*usage*,cgroup.cpu.us*],prometheus[x]", &log),
		     "cgroup.cpu.usage gc ");
	ASSERT_INT(log.closed, 1);
}
