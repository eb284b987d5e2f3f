/* The bodies are taken apart by hand-made bytes of prometheus.WriteRequest and snappy's own code.
 */
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "receiver.h"
#include "rig.h"

static struct strbuf uncompress(const struct strbuf *body)
{
	struct strbuf out = STRBUF_INIT;
	size_t len = 0;

	ASSERT_INT(snappy_uncompressed_length(body->ptr, body->len, &len), SNAPPY_OK);
	strbuf_reserve(&out, len);
	ASSERT_INT(snappy_uncompress(body->ptr, body->len, out.ptr, &len), SNAPPY_OK);
	strbuf_commit(&out, len);
	return out;
}

static bool holds(const struct strbuf *sb, const void *bytes, size_t len)
{
	return memmem(sb->ptr, sb->len, bytes, len) != NULL;
}

static void begin(struct receiver *rec, struct rig *r, const unsigned *statuses, size_t n,
		  const char *const *env)
{
	char *text;

	receiver_start(rec, statuses, n);
	text = xasprintf("experimental-prometheus-rw=http://127.0.0.1:%u/w", rec->server.port);
	rig_open(r, text, env);
	free(text);
}

/* TimeSeries 0x0a { Label 0x0a { 0x0a name, 0x12 value } ..., Sample 0x12 { 0x09 double, 0x10 ms }
 * } */
TEST(a_counter_to_the_byte)
{
	const unsigned ok[] = { 204 };
	struct strbuf got, want = STRBUF_INIT;
	struct receiver rec;
	struct rig r;

	begin(&rec, &r, ok, 1, NULL);
	rig_add(&r, HTTP_REQS, "9=x,a-b=1,empty=,name=n", 0, 3);
	rig_add(&r, HTTP_REQS, "9=x,a-b=1,empty=,name=n", 1500000, 4);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	ASSERT_INT(rec.count, 1);
	ASSERT_HAS(rec.requests[0].head, "POST /w HTTP/1.1\r\n");
	ASSERT_HAS(rec.requests[0].head, "Content-Encoding: snappy\r\n");
	ASSERT_HAS(rec.requests[0].head, "Content-Type: application/x-protobuf\r\n");
	ASSERT_HAS(rec.requests[0].head, "X-Prometheus-Remote-Write-Version: 0.1.0\r\n");
	got = uncompress(&rec.requests[0].body);
	/* labels in the order of bytes: _9, __name__, a_b, name ('9' is before '_') */
	strbuf_add(&want, "\x0a\x07\x0a\x02_9\x12\x01x", 9);
	strbuf_add(&want, "\x0a\x1e\x0a\x08__name__\x12\x12k6_http_reqs_total", 32);
	strbuf_add(&want,
		   "\x0a\x08\x0a\x03"
		   "a_b\x12\x01"
		   "1",
		   10);
	strbuf_add(&want, "\x0a\x09\x0a\x04name\x12\x01n", 11);
	/* 7.0 is 0x401c000000000000; 1500000000001 ms in base 128: 81 B0 DE F7 D3 2B */
	strbuf_add(&want, "\x12\x10\x09\x00\x00\x00\x00\x00\x00\x1c\x40\x10", 12);
	ASSERT_INT(got.ptr[0], 0x0a);
	ASSERT_INT(got.ptr[1], (int)got.len - 2);
	ASSERT_TRUE(!memcmp(got.ptr + 2, want.ptr, want.len));
	ASSERT_INT(got.len, 2 + want.len + 6);
	ASSERT_TRUE(!memcmp(got.ptr + 2 + want.len, "\x81\xb0\xde\xf7\xd3\x2b", 6));
	strbuf_release(&got);
	strbuf_release(&want);
	receiver_release(&rec);
}

#define NAME	      "\x0a\x08__name__\x12"
#define DOUBLE(bytes) "\x12\x10\x09" bytes "\x10"

TEST(a_series_a_stat_and_times_in_seconds)
{
	const char *env[] = { "K6_PROMETHEUS_RW_TREND_STATS=p(99.9),med,sum,count,max", NULL };
	const unsigned ok[] = { 200 };
	struct receiver rec;
	struct strbuf got;
	struct rig r;

	begin(&rec, &r, ok, 1, env);
	for (unsigned i = 1; i <= 3; i++)
		rig_add(&r, MY_TIME, "", i * NS_PER_MS, 500 * i);
	rig_add(&r, MY_GAUGE, "", 2, 8);
	rig_add(&r, MY_GAUGE, "", 1, 9); /* older: of another worker */
	rig_add(&r, MY_RATE, "", 1, 0);
	rig_add(&r, MY_RATE, "", 1, 1);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	got = uncompress(&rec.requests[0].body);
#define HAS(bytes) ASSERT_TRUE(holds(&got, bytes, sizeof(bytes) - 1))
	HAS(NAME "\x0fk6_my_time_p999\x12\x10\x09");
	HAS(NAME "\x0ek6_my_time_med" DOUBLE("\x00\x00\x00\x00\x00\x00\xf0\x3f"));   /* 1 */
	HAS(NAME "\x0ek6_my_time_sum" DOUBLE("\x00\x00\x00\x00\x00\x00\x08\x40"));   /* 3 */
	HAS(NAME "\x10k6_my_time_count" DOUBLE("\x00\x00\x00\x00\x00\x00\x08\x40")); /* 3 */
	HAS(NAME "\x0ek6_my_time_max" DOUBLE("\x00\x00\x00\x00\x00\x00\xf8\x3f"));   /* 1.5 */
	HAS(NAME "\x0bk6_my_gauge" DOUBLE("\x00\x00\x00\x00\x00\x00\x20\x40"));	     /* 8 */
	HAS(NAME "\x0fk6_my_rate_rate" DOUBLE("\x00\x00\x00\x00\x00\x00\xe0\x3f"));  /* 0.5 */
	strbuf_release(&got);
	receiver_release(&rec);
}

TEST(a_trend_as_a_native_histogram)
{
	const char *env[] = { "K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM=true", NULL };
	const unsigned ok[] = { 200 };
	struct receiver rec;
	struct strbuf got;
	struct rig r;

	begin(&rec, &r, ok, 1, env);
	rig_add(&r, MY_TIME, "", 1, 2000);
	rig_add(&r, MY_TIME, "", 1, 3000);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	got = uncompress(&rec.requests[0].body);
	/* count 2, sum 5.0 seconds, schema 3 */
	HAS(NAME "\x12k6_my_time_seconds\x22");
	HAS("\x08\x02\x19\x00\x00\x00\x00\x00\x00\x14\x40\x20\x06");
	ASSERT_TRUE(!holds(&got, "k6_my_time_p99", 14));
	strbuf_release(&got);
	receiver_release(&rec);
}

TEST(stale_markers_come_last)
{
	const char *env[] = { "K6_PROMETHEUS_RW_STALE_MARKERS=true",
			      "K6_PROMETHEUS_RW_BEARER_TOKEN=abc",
			      "K6_PROMETHEUS_RW_HTTP_HEADERS=X-One:1, X-Two:b:c",
			      "K6_PROMETHEUS_RW_HEADERS_X-Scope-OrgID=me", NULL };
	const unsigned ok[] = { 200 };
	struct receiver rec;
	struct strbuf got;
	struct rig r;

	begin(&rec, &r, ok, 1, env);
	rig_add(&r, MY_GAUGE, "", 2, 8);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	ASSERT_INT(rec.count, 1);
	ASSERT_HAS(rec.requests[0].head, "Authorization: Bearer abc\r\n");
	ASSERT_HAS(rec.requests[0].head, "X-One: 1\r\n");
	ASSERT_HAS(rec.requests[0].head, "X-Two: b:c\r\n");
	ASSERT_HAS(rec.requests[0].head, "X-Scope-OrgID: me\r\n");
	got = uncompress(&rec.requests[0].body);
	/* 0x7ff0000000000002 */
	HAS(NAME "\x0bk6_my_gauge" DOUBLE("\x02\x00\x00\x00\x00\x00\xf0\x7f"));
	strbuf_release(&got);
	receiver_release(&rec);
}

/* a push that failed is made good by the next one, though the series had no points since */
TEST(what_failed_comes_with_the_next)
{
	const char *env[] = { "K6_PROMETHEUS_RW_PUSH_INTERVAL=200ms", NULL };
	const unsigned statuses[] = { 400, 204 };
	struct receiver rec;
	struct strbuf got;
	struct rig r;

	begin(&rec, &r, statuses, 2, env);
	rig_add(&r, HTTP_REQS, "name=early", 0, 1);
	export_flush(r.batch);
	server_sleep_ms(900);
	rig_add(&r, HTTP_REQS, "name=late", 0, 1);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	ASSERT_INT(rec.count, 3);
	got = uncompress(&rec.requests[1].body);
	HAS("\x0a\x04name\x12\x05"
	    "early");
	strbuf_release(&got);
	got = uncompress(&rec.requests[2].body);
	HAS("\x0a\x04name\x12\x04late");
	ASSERT_TRUE(!holds(&got, "early", 5));
	strbuf_release(&got);
	receiver_release(&rec);
}

TEST(what_is_lost_when_none_comes_through)
{
	const unsigned statuses[] = { 401 };
	struct receiver rec;
	const char *why;
	struct rig r;

	begin(&rec, &r, statuses, 1, NULL);
	rec.answer = "who are you?";
	for (unsigned i = 0; i < 5; i++)
		rig_add(&r, MY_TIME, "name=n", i, i);
	ASSERT_INT(rig_close(&r, &why), 5);
	ASSERT_HAS(why, "/w answered 401: who are you?");
	receiver_stop(&rec);
	receiver_release(&rec);
}

TEST(too_many_series_are_told)
{
	static char tags[10001][16];
	const unsigned ok[] = { 204 };
	struct receiver rec;
	const char *why;
	struct rig r;

	begin(&rec, &r, ok, 1, NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(tags); i++) {
		snprintf(tags[i], sizeof(tags[i]), "name=%u", i);
		rig_add(&r, HTTP_REQS, tags[i], i, 1);
	}
	rig_add(&r, HTTP_REQS, "name=0", 1, 1); /* another pointer, the same content */
	rig_add(&r, HTTP_REQS, tags[10000], 1, 1);
	ASSERT_INT(rig_close(&r, &why), 2);
	ASSERT_STREQ(why, "there are more than 10,000 time series");
	receiver_stop(&rec);
	receiver_release(&rec);
}

TEST(options_that_are_refused)
{
	static const struct {
		const char *variable, *message;
	} cases[] = {
		{ "K6_PROMETHEUS_RW_TREND_STATS=p(101)", "'p(101)' is none of" },
		{ "K6_PROMETHEUS_RW_TREND_STATS=avg,", "'' is none of" },
		{ "K6_PROMETHEUS_RW_STALE_MARKERS=yes", "expected true or false" },
		{ "K6_PROMETHEUS_RW_HTTP_HEADERS=x", "expected NAME:VALUE" },
		{ "K6_PROMETHEUS_RW_SIGV4_REGION=x", "K6_PROMETHEUS_RW_SIGV4_REGION is not" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *env[] = { cases[i].variable, NULL };
		struct error err = ERROR_INIT;
		struct export_output *out;

		ASSERT_TRUE(export_output_new(&out, "experimental-prometheus-rw", env, 1, &err) <
			    0);
		ASSERT_HAS(err.msg, cases[i].message);
	}
}
