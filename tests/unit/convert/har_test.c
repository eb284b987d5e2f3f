/* Expected scripts: HAR 1.2's meaning of each key, by hand. */
#include "convert/har.h"

#include <errno.h>

#include "test.h"

static struct strbuf script, notes;

static const char *with(const char *entries, const struct convert_har_opts *o)
{
	CLEANUP(convert_script_release) struct convert_script s = { 0 };
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	strbuf_addf(&text,
		    "{\"log\":{\"pages\":[{\"id\":\"p\",\"title\":\"T\"}],\"entries\":[%s]}}",
		    entries);
	ASSERT_OK_ERR(convert_har(strbuf_str(&text), "t", o, &s, &err), err);
	strbuf_clear(&script);
	convert_script_fmt(&s, &script);
	strbuf_clear(&notes);
	strbuf_add(&notes, s.notes.ptr, s.notes.len);
	return strbuf_cstr(&script);
}

static const char *of(const char *entries)
{
	static const struct convert_har_opts none;

	return with(entries, &none);
}

static const char *refusal(const char *text)
{
	static const struct convert_har_opts none;
	CLEANUP(convert_script_release) struct convert_script s = { 0 };
	static struct error err;

	err = (struct error)ERROR_INIT;
	ASSERT_INT(convert_har(str_from(text), "t", &none, &s, &err), -EINVAL);
	return err.msg;
}

#define GET(url, more)                                                                             \
	"{\"request\":{\"method\":\"GET\",\"url\":\"" url "\"" more                                \
	"},\"response\":{\"status\":200}}"

TEST(har_requests_and_statuses)
{
	ASSERT_HAS(of(GET("http://h/a?b#c", "")), "res = http.get('http://h/a?b');");
	ASSERT_HAS(strbuf_cstr(&script),
		   "check(res, { 'GET /a is 200': (r) => r.status === 200 });");
	ASSERT_HAS(of("{\"request\":{\"method\":\"GET\",\"url\":\"http://h/\"},"
		      "\"response\":{\"status\":404}}"),
		   "responseCallback: http.expectedStatuses(404),");
}

TEST(har_cookies_of_the_recording_are_the_jars)
{
	static const char answer[] =
		"{\"request\":{\"method\":\"GET\",\"url\":\"http://h/1\",\"headers\":["
		"{\"name\":\"Cookie\",\"value\":\"a=1; b=2\"}]},\"response\":{\"status\":200,"
		"\"headers\":[{\"name\":\"set-cookie\",\"value\":\"a=x; Path=/\\nc=y\"}],"
		"\"cookies\":[{\"name\":\"d\",\"value\":\"z\"}]}},";
	CLEANUP(strbuf_release) struct strbuf both = STRBUF_INIT;

	strbuf_addf(&both, "%s%s", answer,
		    GET("http://h/2", ",\"cookies\":[{\"name\":\"a\",\"value\":\"x\"},"
				      "{\"name\":\"b\",\"value\":\"2\"},"
				      "{\"name\":\"c\",\"value\":\"y\"},"
				      "{\"name\":\"d\",\"value\":\"z\"}]"));
	ASSERT_HAS(of(strbuf_cstr(&both)), "      a: '1',\n      b: '2',\n");
	ASSERT_HAS(strbuf_cstr(&script), "http.get('http://h/2', {\n    cookies: {\n"
					 "      b: '2',\n    },\n  });");
}

TEST(har_entries_are_left_out)
{
	static const char *const only[] = { "*.b.c", "x" }, *const skip[] = { "X" };
	static const char entries[] = GET("http://a.b.c/1", "") "," GET("http://b.c/2", "") "," GET(
		"http://x:81/3", "") "," GET("ws://x/4", "") "," GET("http://a.ab.c/5", "");
	struct convert_har_opts o = { .only = only, .n_only = 2 };

	with(entries, &o);
	ASSERT_HAS(strbuf_cstr(&script), "/1'");
	ASSERT_LACKS(strbuf_cstr(&script), "/2'");
	ASSERT_HAS(strbuf_cstr(&script), "/3'");
	ASSERT_LACKS(strbuf_cstr(&script), "/4'");
	ASSERT_LACKS(strbuf_cstr(&script), "/5'");
	ASSERT_HAS(strbuf_cstr(&notes), "not http or https");
	o = (struct convert_har_opts){ .skip = skip, .n_skip = 1 };
	ASSERT_LACKS(with(entries, &o), "/3'");
	ASSERT_HAS(strbuf_cstr(&script), "/5'");
}

TEST(har_bodies_keep_their_bytes)
{
	ASSERT_HAS(
		of(GET("http://h/", ",\"postData\":{\"mimeType\":\"a/b\",\"text\":\"x\\u0000'\"}")),
		"http.request('GET', 'http://h/', 'x\\x00\\'', {");
	ASSERT_HAS(strbuf_cstr(&script), "'Content-Type': 'a/b'");
	ASSERT_HAS(of(GET("http://h/", ",\"postData\":{\"mimeType\":\"a/b\",\"text\":\"AAE=\","
				       "\"encoding\":\"base64\"}")),
		   "encoding.b64decode('AAE=')");
	ASSERT_HAS(strbuf_cstr(&script), "import encoding from 'k6/encoding';");
}

TEST(har_errors_name_the_place)
{
	ASSERT_HAS(refusal("{\"log\":\n{}}"), "t:2:1: the key \"entries\" is missing");
	ASSERT_HAS(refusal("{\"log\":{\"entries\":{}}}"), "expected a list");
	ASSERT_HAS(refusal("{\"log\":{\"entries\":[]}}"), "of 0 requests none is left");
	ASSERT_HAS(refusal("{\"log\":{\"entries\":[{\"request\":{\"url\":1,\"method\":\"A\"}}]}}"),
		   "t:1:38: expected a text");
	ASSERT_HAS(refusal("{\"log\":"), "not JSON");
}
