#include "dotnet/payload.h"

#include <errno.h>
#include <stdio.h>

#include "captures.h"
#include "test.h"
#include "trace_rig.h"

static int add_line(void *user, const struct nettrace_event *e)
{
	struct strbuf *text = user;
	struct json_writer w;

	strbuf_addf(text, "%.4f %s/%s ", (double)e->t_ns / 1e6, e->meta->provider, e->meta->name);
	json_init(&w, text, JSON_COMPACT);
	payload_json(e, NULL, &w);
	strbuf_addch(text, '\n');
	return 0;
}

static void read_text(const struct strbuf *bytes, struct strbuf *text)
{
	struct nettrace_handler h = { .user = text, .event = add_line };
	struct nettrace *r = nettrace_new(&h);
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(nettrace_feed(r, strbuf_str(bytes), &err), err);
	ASSERT_OK_ERR(nettrace_end(r, &err), err);
	nettrace_free(r);
}

/* Times and fields are those of the official parser's baselines. */
TEST(payload_of_nested_structs)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;

	capture_shared("eventpipe-dotnetcore2.1-linux-x64-tracelogging.netperf.zip", &bytes);
	read_text(&bytes, &text);
	ASSERT_HAS(strbuf_cstr(&text),
		   "1340.6720 MySource/TestEventMethod {\"i\":1,\"s\":\"Hello World!\"}\n");
	ASSERT_HAS(strbuf_cstr(&text), "1343.0440 MySource/TestEmptyEvent {}\n");
	ASSERT_HAS(strbuf_cstr(&text), "1450.9500 MySource/TestEvent {\"\":{\"field1\":\"Hello\","
				       "\"field2\":3,\"field3\":6}}\n");
	ASSERT_HAS(strbuf_cstr(&text), "1499.5145 MySource/TestNestedStructs {\"\":{\"structVal\":"
				       "{\"field17\":\"hello world!\"},\"i\":42}}\n");
}

TEST(payload_of_arrays)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;

	capture_shared("eventpipe-dotnetcore5.0-win-x64-arraytypes.nettrace.zip", &bytes);
	read_text(&bytes, &text);
	ASSERT_HAS(strbuf_cstr(&text),
		   "2420.9926 TestEventSource0/TestEvent1 {\"arg0\":[2032854139,1608221689,"
		   "1470019200,199494339,1238846140,1366609043],\"arg1\":[26494,17115,-7229,18850,"
		   "27931],\"arg2\":2033417279}\n");
	ASSERT_HAS(strbuf_cstr(&text),
		   "2421.1640 TestEventSource0/TestEvent2 {\"arg0\":-1001479330,\"arg1\":"
		   "-1397908228,\"arg2\":[1470938110,172564262,1133558854,-1572049829],\"arg3\":"
		   "[2055126903,593325874,2130052527,162795177]}\n");
	ASSERT_HAS(strbuf_cstr(&text),
		   "2421.2350 TestEventSource0/TestEvent3 {\"arg0\":\"\xee\x9e\xa3㎯隍ᳯ诤\"}\n");
	ASSERT_HAS(strbuf_cstr(&text),
		   "2513.7878 Microsoft-DotNETCore-EventPipe/ProcessInfo {\"CommandLine\":"
		   "\"C:\\\\work\\\\arraytypes_test\\\\repro\\\\\\\\runtime\\\\corerun.exe  ");
}

/* The program that was captured wrote 10, 20 and 30. */
TEST(payload_of_event_counters)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;

	capture_fixture("nettrace/eventcounters10.nettrace", &bytes);
	read_text(&bytes, &text);
	ASSERT_HAS(strbuf_cstr(&text),
		   " Assay-Events/EventCounters {\"\":{\"Payload\":{\"Name\":"
		   "\"order-value\",\"DisplayName\":\"Order Value\",\"Mean\":20,"
		   "\"StandardDeviation\":8.16496580927726,");
	ASSERT_HAS(strbuf_cstr(&text), "\"DisplayName\":\"Served\",\"DisplayRateTimeScale\":"
				       "\"00:00:01\",\"Increment\":3,");
}

struct answers {
	double mean;
	int code, missing;
	struct strbuf name;
};

static int ask(void *user, const struct nettrace_event *e)
{
	struct answers *a = user;
	struct payload_value v;

	if (a->name.len)
		return 0;
	a->code = payload_find(e, "Name", &v);
	payload_text(&v, &a->name);
	a->mean = payload_find(e, "Mean", &v) == 1 ? payload_number(&v) : -1;
	a->missing = payload_find(e, "Nothing", &v);
	return 0;
}

TEST(payload_by_name)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct answers a = { 0 };
	struct nettrace_handler h = { .user = &a, .event = ask };
	struct nettrace *r = nettrace_new(&h);

	capture_fixture("nettrace/eventcounters10.nettrace", &bytes);
	ASSERT_OK(nettrace_feed(r, strbuf_str(&bytes), NULL));
	nettrace_free(r);
	ASSERT_INT(a.code, 1);
	ASSERT_STREQ(strbuf_cstr(&a.name), "order-value");
	ASSERT_NEAR(a.mean, 20, 0);
	ASSERT_INT(a.missing, 0);
	strbuf_release(&a.name);
}

/* ---- by hand ---- */

static struct nettrace_event event_of(const struct nettrace_meta *m, struct str payload)
{
	return (struct nettrace_event){ .meta = m, .payload = payload };
}

static const struct nettrace_type unit8 = { .code = NETTRACE_U8 };
static const struct nettrace_type nothing = { .code = NETTRACE_OBJECT };
static const struct nettrace_type nothings = { .code = NETTRACE_FIXED_ARRAY,
					       .count = 65535,
					       .element = &nothing };

/* A payload that ends early, a place that lies outside, items without bytes. */
TEST(payload_that_lies)
{
	static const struct nettrace_field fields[] = {
		{ "number", { .code = NETTRACE_I32 } },
		{ "text", { .code = NETTRACE_UTF16Z } },
		{ "bytes", { .code = NETTRACE_ARRAY, .element = &unit8 } },
		{ "far", { .code = NETTRACE_ABSOLUTE, .element = &unit8 } },
		{ "nothings",
		  { .code = NETTRACE_FIXED_ARRAY, .count = 65535, .element = &nothings } },
	};
	static const struct {
		size_t len;
		int code[5];
	} cases[] = {
		{ 0, { -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG } },
		{ 4, { 1, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG } },
		{ 7, { 1, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG } },
		{ 8, { 1, 1, -EBADMSG, -EBADMSG, -EBADMSG } },
		{ 11, { 1, 1, -EBADMSG, -EBADMSG, -EBADMSG } },
		{ 12, { 1, 1, 1, -EBADMSG, -EBADMSG } },
		{ 16, { 1, 1, 1, 1, -EBADMSG } },
	};
	static const char bytes[] = "\1\0\0\0a\0\0\0\2\0xy\0\0\20\0";
	const struct nettrace_meta m = { .fields = { fields, ARRAY_SIZE(fields) },
					 .date_bytes = 8 };
	const struct nettrace_meta far = { .fields = { fields + 3, 1 }, .date_bytes = 8 };
	struct nettrace_event outside = event_of(&far, (struct str){ "\1\0\4\0", 4 });
	struct payload_value v;

	ASSERT_INT(payload_find(&outside, "far", &v), -EBADMSG);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nettrace_event e = event_of(&m, (struct str){ bytes, cases[i].len });

		for (size_t f = 0; f < ARRAY_SIZE(fields); f++)
			ASSERT_INT(payload_find(&e, fields[f].name, &v), cases[i].code[f]);
	}
}

TEST(payload_numbers)
{
	static const struct nettrace_field fields[] = {
		{ "i8", { .code = NETTRACE_I8 } },
		{ "u8", { .code = NETTRACE_U8 } },
		{ "i16", { .code = NETTRACE_I16 } },
		{ "u16", { .code = NETTRACE_U16 } },
		{ "u32", { .code = NETTRACE_U32 } },
		{ "i64", { .code = NETTRACE_I64 } },
		{ "u64", { .code = NETTRACE_U64 } },
		{ "f32", { .code = NETTRACE_F32 } },
		{ "f64", { .code = NETTRACE_F64 } },
		{ "bool", { .code = NETTRACE_BOOL32 } },
		{ "date", { .code = NETTRACE_DATE } },
		{ "guid", { .code = NETTRACE_GUID } },
		{ "char", { .code = NETTRACE_UTF16_UNIT } },
	};
	const struct nettrace_meta m = { .fields = { fields, ARRAY_SIZE(fields) },
					 .date_bytes = 8 };
	CLEANUP(strbuf_release) struct strbuf p = STRBUF_INIT, json = STRBUF_INIT;
	struct nettrace_event e;
	struct json_writer w;

	put(&p, 0xff, 1);
	put(&p, 0xff, 1);
	put(&p, 0x8000, 2);
	put(&p, 0x8000, 2);
	put(&p, 0xffffffff, 4);
	put(&p, UINT64_MAX - 1, 8);
	put(&p, UINT64_MAX, 8);
	put(&p, 0x3fc00000, 4);		/* 1.5 */
	put(&p, 0xc002000000000000, 8); /* -2.25 */
	put(&p, 1, 4);
	put(&p, 116444736000000000 + 20000000, 8); /* two seconds of 1970 */
	put(&p, 0x0706050403020100, 8);
	put(&p, 0x0f0e0d0c0b0a0908, 8);
	put(&p, 0x20ac, 2);
	e = event_of(&m, strbuf_str(&p));
	json_init(&w, &json, JSON_COMPACT);
	payload_json(&e, NULL, &w);
	ASSERT_STREQ(strbuf_cstr(&json),
		     "{\"i8\":-1,\"u8\":255,\"i16\":-32768,\"u16\":32768,\"u32\":4294967295,"
		     "\"i64\":-2,\"u64\":18446744073709551615,\"f32\":1.5,\"f64\":-2.25,"
		     "\"bool\":true,\"date\":2000000000,\"guid\":"
		     "\"03020100-0504-0706-0809-0a0b0c0d0e0f\",\"char\":\"€\"}");
}
