/* Files and the table from values made by hand. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/file.h"
#include "test.h"
#include "watch/file.h"
#include "watch/table.h"

/* 2026-11-30 20:33:58.25 UTC, by date(1) */
#define WALL_S INT64_C(1796070838)
#define T_NS   UINT64_C(5250000000)

static const struct watch_value rate = {
	.t_ns = T_NS,
	.interval_s = 1,
	.kind = WATCH_RATE,
	.provider = "Shop.Orders",
	.name = "shop.orders",
	.unit = "{order}",
	.tags = "kind=leak,note=\"a\"",
	.meter_tags = "area=truth",
	.value = 50,
	.total = 640,
};

static const struct watch_value quantile = {
	.t_ns = T_NS,
	.interval_s = 1,
	.kind = WATCH_QUANTILE,
	.provider = "Microsoft.AspNetCore.Hosting",
	.name = "http.server.request.duration",
	.unit = "s",
	.tags = "http.route=/a",
	.value = 0.0205,
	.total = NAN,
	.quantile = 0.99,
	.count = 20,
};

static char *written(enum watch_format format, bool with_values)
{
	char path[] = "/tmp/assay-watch-XXXXXX";
	struct strbuf text = STRBUF_INIT;
	struct watch_out *o;

	setenv("TZ", "UTC", 1);
	close(mkstemp(path));
	ASSERT_OK(watch_file_open(
		&(struct watch_file_opts){ .format = format,
					   .path = path,
					   .target = "Shop",
					   .wall_anchor_ns = (WALL_S - 5) * 1000000000 },
		&o, NULL));
	if (with_values) {
		ASSERT_OK(o->ops->value(o, &rate));
		ASSERT_OK(o->ops->value(o, &quantile));
		ASSERT_OK(o->ops->note(o, T_NS, "series limit"));
		ASSERT_OK(o->ops->tick(o, T_NS));
	}
	ASSERT_OK(o->ops->close(o, NULL));
	ASSERT_OK(file_read(path, 65536, &text, NULL));
	unlink(path);
	return strbuf_detach(&text);
}

TEST(out_csv_is_dotnet_counters)
{
	CLEANUP(mem_cleanup) char *text = written(WATCH_CSV, true);

	ASSERT_STREQ(
		text,
		"Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n"
		"11/30/2026 20:33:58,Shop.Orders,shop.orders ({order} / 1 sec)"
		"[area=truth;kind=leak;note=\"a\"],Rate,50\n"
		"11/30/2026 20:33:58,Microsoft.AspNetCore.Hosting,"
		"http.server.request.duration (s)[http.route=/a;Percentile=99],Metric,0.0205\n");
}

/* 0.25 of an interval of 0.5 s is put as of one of 0.5 s; 1.04 s are two of them. */
TEST(out_csv_names_keep_the_interval_that_was_asked_for)
{
	char path[] = "/tmp/assay-watch-XXXXXX";
	struct strbuf text = STRBUF_INIT;
	struct watch_value cut = rate, late = rate;
	struct watch_out *o;

	cut.interval_s = 0.125;
	late.interval_s = 1.04;
	close(mkstemp(path));
	ASSERT_OK(watch_file_open(&(struct watch_file_opts){ .path = path, .interval_s = 0.5 }, &o,
				  NULL));
	o->ops->value(o, &cut);
	o->ops->value(o, &late);
	ASSERT_OK(o->ops->close(o, NULL));
	ASSERT_OK(file_read(path, 65536, &text, NULL));
	unlink(path);
	ASSERT_HAS(strbuf_cstr(&text), "shop.orders ({order} / 0.5 sec)[area=truth;kind=leak;"
				       "note=\"a\"],Rate,200\n");
	ASSERT_HAS(strbuf_cstr(&text), "shop.orders ({order} / 1 sec)[area=truth;kind=leak;"
				       "note=\"a\"],Rate,50\n");
	strbuf_release(&text);
}

TEST(out_json_is_dotnet_counters_and_valid_when_empty)
{
	CLEANUP(mem_cleanup) char *text = written(WATCH_JSON, true);
	CLEANUP(mem_cleanup) char *empty = written(WATCH_JSON, false);

	ASSERT_HAS(text, "{ \"TargetProcess\": \"Shop\", \"StartTime\": \"");
	ASSERT_HAS(text,
		   "\"Events\": [{ \"timestamp\": \"2026-11-30T20:33:58.2500000+00:00\",  "
		   "\"provider\": \"Shop.Orders\",  \"name\": \"shop.orders ({order} / 1 sec)\",  "
		   "\"tags\": \"kind=leak,note=\\\"a\\\"\",  \"counterType\": \"Rate\",  "
		   "\"meterTags\": \"area=truth\",  \"instrumentTags\": \"\",  \"value\": 50 },{ ");
	ASSERT_HAS(text, "\"tags\": \"http.route=/a,Percentile=99\"");
	ASSERT_STREQ(text + strlen(text) - 20, " \"value\": 0.0205 }]}");
	ASSERT_STREQ(empty + strlen(empty) - 13, "\"Events\": []}");
}

TEST(out_json_lines_keep_all)
{
	CLEANUP(mem_cleanup) char *text = written(WATCH_JSON_LINES, true);

	ASSERT_STREQ(text,
		     "{\"time\":\"2026-11-30T20:33:58.250000Z\",\"t_ns\":5250000000,\"source\":"
		     "\"dotnet\","
		     "\"provider\":\"Shop.Orders\",\"name\":\"shop.orders\",\"unit\":\"{order}\","
		     "\"tags\":\"area=truth,kind=leak,note=\\\"a\\\"\",\"kind\":\"rate\","
		     "\"interval_s\":1,"
		     "\"value\":50,\"total\":640}\n"
		     "{\"time\":\"2026-11-30T20:33:58.250000Z\",\"t_ns\":5250000000,\"source\":"
		     "\"dotnet\","
		     "\"provider\":\"Microsoft.AspNetCore.Hosting\","
		     "\"name\":\"http.server.request.duration\",\"unit\":\"s\",\"tags\":\"http."
		     "route=/a\","
		     "\"kind\":\"quantile\",\"interval_s\":1,\"quantile\":0.99,\"value\":0.0205,"
		     "\"count\":20}\n"
		     "{\"time\":\"2026-11-30T20:33:58.250000Z\",\"t_ns\":5250000000,"
		     "\"note\":\"series limit\"}\n");
}

TEST(out_full_disk_is_told)
{
	struct error err = ERROR_INIT;
	struct watch_out *o;

	ASSERT_OK(watch_file_open(
		&(struct watch_file_opts){ .format = WATCH_CSV, .path = "/dev/full" }, &o, NULL));
	o->ops->value(o, &rate);
	ASSERT_INT(o->ops->tick(o, T_NS), -ENOSPC);
	ASSERT_INT(o->ops->close(o, &err), -ENOSPC);
	ASSERT_HAS(err.msg, "/dev/full");
	ASSERT_INT(watch_file_open(&(struct watch_file_opts){ .path = "/nowhere/x" }, &o, &err),
		   -ENOENT);
}

/* --- the table --- */

static struct watch_value of(enum watch_kind kind, const char *name, const char *tags, double value)
{
	return (struct watch_value){ .t_ns = T_NS,
				     .interval_s = 2,
				     .kind = kind,
				     .provider = "x",
				     .name = name,
				     .unit = "",
				     .tags = tags,
				     .value = value,
				     .total = NAN };
}

static void put(struct watch_out *o, struct watch_value v)
{
	ASSERT_OK(o->ops->value(o, &v));
}

static void put_latency(struct watch_out *o, const char *route, double p50, double p99, double n)
{
	struct watch_value v = quantile;

	v.tags = route;
	v.interval_s = 2;
	v.count = n;
	v.quantile = 0.5;
	v.value = p50;
	put(o, v);
	v.quantile = 0.99;
	v.value = p99;
	put(o, v);
}

/* Over two seconds: 20 MB allocated, 30 ms of pauses, two heaps, half a CPU, 5 of 20 throttled. */
TEST(table_reduces_a_dotnet_target)
{
	CLEANUP(mem_cleanup) char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct watch_out *o;

	setenv("TZ", "UTC", 1);
	o = watch_table_new(&(struct watch_table_opts){
		.file = f, .wall_anchor_ns = (WALL_S - 5) * 1000000000 });
	put(o, of(WATCH_RATE, "dotnet.gc.heap.total_allocated", "", 20e6));
	put(o, of(WATCH_RATE, "dotnet.gc.pause.time", "", 0.030));
	put(o, of(WATCH_GAUGE, "dotnet.gc.last_collection.heap.size", "g=gen0", 1e6));
	put(o, of(WATCH_GAUGE, "dotnet.gc.last_collection.heap.size", "g=gen2", 41e6));
	put(o, of(WATCH_RATE, "dotnet.gc.collections", "gc.heap.generation=gen0", 9));
	put(o, of(WATCH_RATE, "dotnet.gc.collections", "gc.heap.generation=gen2", 1));
	put(o, of(WATCH_RATE, "process.cpu.time", "state=user", 0.9));
	put(o, of(WATCH_RATE, "process.cpu.time", "state=system", 0.1));
	put(o, of(WATCH_GAUGE, "cgroup.cpu.limit", "", 1.5));
	put(o, of(WATCH_RATE, "cgroup.cpu.nr_periods", "", 20));
	put(o, of(WATCH_RATE, "cgroup.cpu.nr_throttled", "", 5));
	put_latency(o, "/a", 0.010, 0.050, 200);
	ASSERT_OK(o->ops->tick(o, T_NS));
	put_latency(o, "/a", 0.010, 0.050, 200);
	ASSERT_OK(o->ops->tick(o, T_NS + 2000000000));
	ASSERT_OK(o->ops->note(o, T_NS, "the process is gone"));
	ASSERT_OK(o->ops->close(o, NULL));
	fclose(f);
	ASSERT_STREQ(
		text,
		"time       req/s  p50 ms  p99 ms  alloc MB/s  GC pause ms/s  heap MB  gen2 GCs   "
		"CPU %  throttled %\n"
		"20:33:58     100    10.0    50.0        10.0           15.0     42.0      1.00    "
		"50.0         25.0\n"
		"20:34:00     100    10.0    50.0           -              -        -         -    "
		" "
		"  -            -\n"
		"-- the process is gone\n");
}

/* A column that is offered later gets a new head. */
TEST(table_columns_come_when_they_are_offered)
{
	CLEANUP(mem_cleanup) char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct watch_out *o = watch_table_new(&(struct watch_table_opts){ .file = f });

	put(o, of(WATCH_GAUGE, "process.memory.usage", "", 64e6));
	o->ops->tick(o, T_NS);
	put(o, of(WATCH_GAUGE, "process.memory.usage", "", 64e6));
	put_latency(o, "/a", 0.0001, 0.2, 3);
	put_latency(o, "/b", 0.0001, 0.2, 3);
	o->ops->tick(o, T_NS);
	ASSERT_OK(o->ops->close(o, NULL));
	fclose(f);
	ASSERT_HAS(text, "time      RSS MB\n");
	ASSERT_HAS(text, "    64.0\ntime       req/s  p50 ms  p99 ms  RSS MB\n");
	ASSERT_HAS(text, "    3.00    0.10     200    64.0\n");
}

/* A service seen by its metrics page only; our own requests are not its work. */
TEST(table_reduces_a_metrics_page)
{
	CLEANUP(mem_cleanup) char *text = NULL;
	struct watch_value other = quantile;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct watch_out *o =
		watch_table_new(&(struct watch_table_opts){ .file = f, .own_route = "/metrics" });

	put(o, of(WATCH_RATE, "go_memstats_alloc_bytes_total", "", 8e6));
	put(o, of(WATCH_RATE, "go_gc_duration_seconds_sum", "", 0.004));
	put(o, of(WATCH_GAUGE, "go_memstats_heap_alloc_bytes", "", 12e6));
	put(o, of(WATCH_RATE, "process_cpu_seconds_total", "", 0.5));
	put(o, of(WATCH_GAUGE, "process_resident_memory_bytes", "", 20e6));
	put_latency(o, "method=GET,handler=/metrics", 5, 6, 2);
	put_latency(o, "method=GET,handler=/metrics2", 0.001, 0.002, 8);
	other.name = "db_seconds";
	put(o, other);
	ASSERT_OK(o->ops->tick(o, T_NS));
	/* the kernel's word goes before the page's, whichever comes first */
	put(o, of(WATCH_RATE, "process_cpu_seconds_total", "", 0.5));
	put(o, of(WATCH_RATE, "process.cpu.time", "state=user", 0.75));
	put(o, of(WATCH_RATE, "process.cpu.time", "state=system", 0.25));
	put(o, of(WATCH_RATE, "process_cpu_seconds_total", "", 0.5));
	ASSERT_OK(o->ops->tick(o, T_NS));
	ASSERT_OK(o->ops->close(o, NULL));
	fclose(f);
	ASSERT_HAS(text,
		   "req/s  p50 ms  p99 ms  alloc MB/s  GC pause ms/s  heap MB   CPU %  RSS MB\n");
	ASSERT_HAS(text,
		   "  4.00    1.00    2.00        4.00           2.00     12.0    25.0    20.0\n");
	ASSERT_HAS(text,
		   "     -       -       -           -              -        -    50.0       -\n");
}
