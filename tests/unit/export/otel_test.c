/*
 * JSON as in opentelemetry-proto's examples/metrics.json; bytes put together by hand from its
 * .proto files.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"
#include "export/otlp.h"
#include "export/otlp_reply.h"
#include "receiver.h"
#include "rig.h"

static struct export_table table_of(const struct export_point *points, size_t n)
{
	struct export_table t = { .run = &rig_run,
				  .bounds = export_otlp_bounds,
				  .n_bounds = EXPORT_OTLP_BOUNDS };

	for (size_t i = 0; i < n; i++)
		ASSERT_TRUE(export_table_add(&t, &points[i]));
	return t;
}

static const struct export_otlp form = {
	"shop", "2.0", "k6_", false, 1500000000000000000, 1500000010000000000
};

#define BEGIN                                                                                      \
	"{\"resourceMetrics\":[{\"resource\":{\"attributes\":["                                    \
	"{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}},"                         \
	"{\"key\":\"service.version\",\"value\":{\"stringValue\":\"2.0\"}}]},"                     \
	"\"scopeMetrics\":[{\"scope\":{\"name\":\"assay\",\"version\":\"" ASSAY_VERSION "\"},"     \
	"\"metrics\":["
#define END "]}]}]}"
#define TIMES                                                                                      \
	"\"startTimeUnixNano\":\"1500000000000000000\",\"timeUnixNano\":\"1500000010000000000\","
#define TAG_NAME_A	      "{\"key\":\"name\",\"value\":{\"stringValue\":\"a\"}}"
#define TAG_NAME_C	      "{\"key\":\"name\",\"value\":{\"stringValue\":\"c\"}}"
#define TAG_URL_U	      "{\"key\":\"url\",\"value\":{\"stringValue\":\"u\"}}"
#define TAG_NAME_B	      "{\"key\":\"name\",\"value\":{\"stringValue\":\"b\"}}"
#define TAG_CONDITION_ZERO    "{\"key\":\"condition\",\"value\":{\"stringValue\":\"zero\"}}"
#define TAG_CONDITION_NONZERO "{\"key\":\"condition\",\"value\":{\"stringValue\":\"nonzero\"}}"

static void expect_json(const struct export_otlp *o, const struct export_point *points, size_t n,
			const char *metrics)
{
	struct export_table t = table_of(points, n);
	char *want = xasprintf(BEGIN "%s" END, metrics);
	struct strbuf out = STRBUF_INIT;

	export_otlp_json(o, &t, &out);
	ASSERT_STREQ(strbuf_cstr(&out), want);
	export_table_release(&t);
	strbuf_release(&out);
	free(want);
}

static const char sums_and_gauges[] =
	"{\"name\":\"k6_http_reqs\",\"sum\":{\"dataPoints\":["
	"{\"attributes\":[" TAG_NAME_A "]," TIMES "\"asDouble\":5},"
	"{\"attributes\":[" TAG_NAME_C "," TAG_URL_U "]," TIMES
	"\"asDouble\":1}],\"aggregationTemporality\":"
	"2,\"isMonotonic\":true}},"
	"{\"name\":\"k6_my_rate\",\"sum\":{\"dataPoints\":["
	"{\"attributes\":[" TAG_NAME_B "," TAG_CONDITION_ZERO "]," TIMES "\"asInt\":\"1\"},"
	"{\"attributes\":[" TAG_NAME_B "," TAG_CONDITION_NONZERO "]"
	"," TIMES "\""
	"as"
	"In"
	"t"
	"\""
	":"
	"\""
	"2"
	"\""
	"}]"
	","
	"\""
	"ag"
	"gr"
	"eg"
	"at"
	"io"
	"nT"
	"em"
	"po"
	"ra"
	"li"
	"ty"
	"\""
	":2"
	","
	"\""
	"is"
	"Mo"
	"no"
	"to"
	"ni"
	"c"
	"\""
	":t"
	"ru"
	"e}"
	"},"
	"{"
	"\""
	"na"
	"me"
	"\""
	":"
	"\""
	"k6"
	"_m"
	"y_"
	"ga"
	"ug"
	"e"
	"\""
	","
	"\""
	"un"
	"it"
	"\""
	":"
	"\""
	"By"
	"\""
	","
	"\""
	"ga"
	"ug"
	"e"
	"\""
	":{"
	"\""
	"da"
	"ta"
	"Po"
	"in"
	"ts"
	"\""
	":["
	"{"
	"\""
	"at"
	"tr"
	"ib"
	"ut"
	"es"
	"\""
	":["
	"]"
	"," TIMES "\""
	"as"
	"Do"
	"ub"
	"le"
	"\""
	":8"
	".5"
	"}]"
	"}"
	"}";

TEST(json_by_the_mapping)
{
	const struct export_point points[] = {
		{ HTTP_REQS, 0, 0, "name=a", 1, 2 },	   { MY_GAUGE, 0, 0, "", 5, 8.5 },
		{ MY_RATE, 0, 0, "name=b", 1, 1 },	   { HTTP_REQS, 0, 0, "name=a", 2, 3 },
		{ MY_RATE, 0, 0, "name=b", 1, 0 },	   { MY_RATE, 0, 0, "name=b", 1, 1 },
		{ HTTP_REQS, 0, 0, "name=c,url=u", 2, 1 },
	};

	expect_json(&form, points, ARRAY_SIZE(points), sums_and_gauges);
}

static const char two_counters[] =
	"{\"name\":\"my_rate.occurred\",\"sum\":{\"dataPoints\":[{\"attributes\":[]," TIMES
	"\"asInt\":\"1\"}],\"aggregationTemporality\":2,\"isMonotonic\":true}},"
	"{\"name\":\"my_rate.total\",\"sum\":{\"dataPoints\":[{\"attributes\":[]," TIMES
	"\"asInt\":\"2\"}],\"aggregationTemporality\":2,\"isMonotonic\":true}}";

TEST(json_of_a_rate_as_two_counters)
{
	const struct export_point points[] = { { MY_RATE, 0, 0, "", 1, 1 },
					       { MY_RATE, 0, 0, "", 1, 0 } };
	struct export_otlp two = form;

	two.two_counters = true;
	two.prefix = "";
	expect_json(&two, points, ARRAY_SIZE(points), two_counters);
}

static const char histogram[] =
	"{\"name\":\"k6_my_time\",\"unit\":\"ms\",\"histogram\":{\"dataPoints\":["
	"{\"attributes\":[]," TIMES "\"count\":\"5\",\"sum\":30010.5,\"bucketCounts\":["
	"\"1\",\"1\",\"1\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\","
	"\"0\",\"1\",\"1\"],\"explicitBounds\":[0,5,10,25,50,75,100,250,500,750,1000,"
	"2500,5000,7500,10000],\"min\":0,\"max\":20000}],"
	"\"aggregationTemporality\":2}}";

/* a bucket holds what is at most its bound: 5 is in the second, 0 in the first */
TEST(json_of_a_histogram)
{
	const struct export_point points[] = {
		{ MY_TIME, 0, 0, "", 1, 0 },	 { MY_TIME, 0, 0, "", 1, 5 },
		{ MY_TIME, 0, 0, "", 1, 5.5 },	 { MY_TIME, 0, 0, "", 1, 10000 },
		{ MY_TIME, 0, 0, "", 1, 20000 },
	};

	expect_json(&form, points, ARRAY_SIZE(points), histogram);
}

TEST(bytes_of_a_counter)
{
	/* Sum{ point{ start, time, as_double 2.0, attribute }, temporality 2, monotonic 1 } */
	static const char sum[] = "\x3a\x2e"
				  "\x0a\x28"
				  "\x11\x00\x00\x16\x7b\x0d\x12\xd1\x14"
				  "\x19\x00\xe4\x21\xcf\x0f\x12\xd1\x14"
				  "\x21\x00\x00\x00\x00\x00\x00\x00\x40"
				  "\x3a\x0b\x0a\x04name\x12\x03\x0a\x01"
				  "a"
				  "\x10\x02\x18\x01";
	static const char head[] = "\x12\x06\x0a\x04shop";
	static const char name[] = "\x0a\x0ck6_http_reqs";
	const struct export_point points[] = { { HTTP_REQS, 0, 0, "name=a", 1, 2 } };
	struct export_table t = table_of(points, 1);
	struct strbuf out = STRBUF_INIT;

	export_otlp_proto(&form, &t, &out);
	ASSERT_TRUE(memmem(out.ptr, out.len, head, sizeof(head) - 1));
	ASSERT_TRUE(memmem(out.ptr, out.len, name, sizeof(name) - 1));
	ASSERT_INT(out.ptr[0], 0x0a);
	ASSERT_TRUE(memmem(out.ptr, out.len, sum, sizeof(sum) - 1));
	export_table_release(&t);
	strbuf_release(&out);
}

static void begin(struct receiver *rec, struct rig *r, const char *variable)
{
	const unsigned ok[] = { 200 };
	static unsigned statuses[1];
	char *endpoint;
	const char *env[7] = { "K6_OTEL_HTTP_EXPORTER_INSECURE=true",
			       "K6_OTEL_HEADERS=x-one=1,x-two=a%2Cb", "OTEL_SERVICE_NAME=shop",
			       "K6_OTEL_HTTP_EXPORTER_URL_PATH=in/metrics" };

	statuses[0] = ok[0];
	receiver_start(rec, statuses, 1);
	endpoint = xasprintf("K6_OTEL_HTTP_EXPORTER_ENDPOINT=127.0.0.1:%u", rec->server.port);
	env[4] = endpoint;
	env[5] = variable;
	rig_open(r, "opentelemetry", env);
	free(endpoint);
}

TEST(requests_of_both_forms)
{
	struct receiver rec;
	json_t *o;
	struct rig r;

	begin(&rec, &r, "K6_OTEL_EXPORTER_PROTOCOL=http/json");
	rig_add(&r, HTTP_REQS, "name=a", 1, 2);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	ASSERT_INT(rec.count, 1);
	ASSERT_HAS(rec.requests[0].head, "POST /in/metrics HTTP/1.1\r\n");
	ASSERT_HAS(rec.requests[0].head, "Content-Type: application/json\r\n");
	ASSERT_HAS(rec.requests[0].head, "x-one: 1\r\n");
	ASSERT_HAS(rec.requests[0].head, "x-two: a,b\r\n");
	o = json_loads(strbuf_cstr(&rec.requests[0].body), 0, NULL);
	ASSERT_TRUE(json_is_array(json_object_get(o, "resourceMetrics")));
	json_decref(o);
	receiver_release(&rec);

	begin(&rec, &r, "K6_OTEL_EXPORTER_TYPE=http");
	rig_add(&r, HTTP_REQS, "name=a", 1, 2);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	ASSERT_HAS(rec.requests[0].head, "Content-Type: application/x-protobuf\r\n");
	ASSERT_INT(rec.requests[0].body.ptr[0], 0x0a);
	receiver_release(&rec);
}

TEST(what_is_refused_of_opentelemetry)
{
	static const struct {
		const char *text, *variable, *message;
	} cases[] = {
		{ "opentelemetry", NULL, "assay has no gRPC" },
		{ "experimental-opentelemetry", "K6_OTEL_EXPORTER_TYPE=grpc", "assay has no gRPC" },
		{ "opentelemetry", "K6_OTEL_EXPORTER_PROTOCOL=socket",
		  "K6_OTEL_EXPORTER_PROTOCOL=socket: http/protobuf or" },
		{ "opentelemetry=x", "K6_OTEL_EXPORTER_TYPE=http", "takes no argument" },
	};
	const char *schemed[] = { "K6_OTEL_EXPORTER_TYPE=http",
				  "K6_OTEL_HTTP_EXPORTER_ENDPOINT=http://h:1", NULL };
	struct export_output *out;
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *env[] = { cases[i].variable, NULL };

		ASSERT_TRUE(export_output_new(&out, cases[i].text, env, 1, &err) < 0);
		ASSERT_HAS(err.msg, cases[i].message);
	}
	ASSERT_INT(export_output_new(&out, "opentelemetry", schemed, 1, &err), -EINVAL);
	ASSERT_HAS(err.msg, "host and port only");
}

static uint64_t rejected(const char *bytes, size_t len, const char *message)
{
	struct strbuf out = STRBUF_INIT;
	uint64_t n = export_otlp_rejected((struct str){ bytes, len }, &out);

	ASSERT_STREQ(strbuf_cstr(&out), message);
	strbuf_release(&out);
	return n;
}

#define REJECTED(bytes, message) rejected(bytes, sizeof(bytes) - 1, message)

TEST(answers_that_take_a_part_only)
{
	ASSERT_INT(REJECTED("", ""), 0);
	ASSERT_INT(REJECTED("\x0a\x00", ""), 0);
	/* partial_success 1 { rejected_data_points 1: 300 = AC 02, error_message 2 } */
	ASSERT_INT(REJECTED("\x0a\x0d\x08\xac\x02\x12\x08too many", "too many"), 300);
	/* unknown fields of every wire type are passed over */
	ASSERT_INT(REJECTED("\x11"
			    "abcdefgh\x1d"
			    "abcd\x22\x01x\x28\x07\x0a\x02\x08\x05",
			    ""),
		   5);
	/* cut off, a varint without an end, a group */
	ASSERT_INT(REJECTED("\x0a\x7f\x08\x05", ""), 0);
	ASSERT_INT(REJECTED("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", ""), 0);
	ASSERT_INT(REJECTED("\x0b\x0a\x02\x08\x05", ""), 0);
	ASSERT_INT(REJECTED("{\"partialSuccess\":{\"rejectedDataPoints\":\"3\",\"errorMessage\":"
			    "\"n\\no\"}}",
			    "n o"),
		   3);
	ASSERT_INT(REJECTED("{\"partialSuccess\":{\"rejectedDataPoints\":4}}", ""), 4);
	ASSERT_INT(REJECTED("{\"partialSuccess\":", ""), 0);
}

TEST(a_part_that_was_rejected_is_told)
{
	struct receiver rec;
	const char *why;
	struct rig r;

	begin(&rec, &r, "K6_OTEL_EXPORTER_PROTOCOL=http/json");
	rec.answer =
		"{\"partialSuccess\":{\"rejectedDataPoints\":\"3\",\"errorMessage\":\"quota\"}}";
	rig_add(&r, HTTP_REQS, "name=a", 1, 2);
	ASSERT_INT(rig_close(&r, &why), 0);
	receiver_stop(&rec);
	ASSERT_HAS(why, "/in/metrics: it rejected 3 data points: quota");
	receiver_release(&rec);
}
