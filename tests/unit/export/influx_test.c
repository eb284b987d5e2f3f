#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "receiver.h"
#include "rig.h"

/* What the output sends of one point; the first request makes the database. */
static void expect_line(const struct export_run *run, const char *const *env, const char *query,
			const char *tags, const char *line)
{
	const unsigned ok[] = { 204 };
	struct receiver rec;
	struct rig r;
	char *text;

	receiver_start(&rec, ok, 1);
	text = xasprintf("influxdb=http://127.0.0.1:%u/my db%s", rec.server.port, query);
	text[strcspn(text, " ")] = '_';
	rig_open_run(&r, text, env, run);
	rig_add(&r, MY_TREND, tags, 1987654321, 1.5);
	ASSERT_INT(rig_close(&r, NULL), 0);
	receiver_stop(&rec);
	ASSERT_INT(rec.count, 2);
	ASSERT_HAS(rec.requests[0].head, "POST /query?q=CREATE%20DATABASE%20%22my_db%22 HTTP/1.1");
	ASSERT_STREQ(strbuf_cstr(&rec.requests[1].body), line);
	receiver_release(&rec);
	free(text);
}

/* "Line protocol" of InfluxDB 1.8's documentation: commas, equals signs and blanks in tag keys and
 * values take a backslash; in text fields, quotes and backslashes do */
TEST(lines_are_escaped_as_the_protocol_wants)
{
	expect_line(&rig_run, NULL, "", "", "my_trend value=1.5 1500000001987654321\n");
	expect_line(&rig_run, NULL, "", "a b=c d,empty=,name=x=y",
		    "my_trend,a\\ b=c\\ d,name=x\\=y value=1.5 1500000001987654321\n");
	expect_line(&rig_run, NULL, "", "name=back\\slash\\,url=http://h/?a=\"b\"\\",
		    "my_trend,name=back\\slash\\  value=1.5,url=\"http://h/?a=\\\"b\\\"\\\\\" "
		    "1500000001987654321\n");
	expect_line(&rig_run, NULL, "", "name=two\nlines",
		    "my_trend,name=two\\ lines value=1.5 1500000001987654321\n");
}

TEST(tags_may_be_fields)
{
	const char *env[] = { "K6_INFLUXDB_TAGS_AS_FIELDS=i:int,f:float,b:bool,s,bad:int", NULL };
	struct export_run run = rig_run;

	expect_line(&rig_run, env, "", "b=true,bad=x,f=3.14,i=12345,s=t,url=u",
		    "my_trend,url=u value=1.5,b=true,bad=\"x\",f=3.14,i=12345i,s=\"t\" "
		    "1500000001987654321\n");
	expect_line(&rig_run, env, "?tagsAsFields=url&tagsAsFields=n%3Aint&precision=s",
		    "f=1,n=2,url=u", "my_trend,f=1 value=1.5,n=2i,url=\"u\" 1500000001\n");
	run.vu = run.iter = true;
	expect_line(&run, NULL, "", "", "my_trend value=1.5,iter=17i,vu=3i 1500000001987654321\n");
}

TEST(where_and_as_whom)
{
	const char *env[] = { "K6_INFLUXDB_USERNAME=other", "K6_INFLUXDB_RETENTION=one week",
			      NULL };
	const unsigned ok[] = { 404, 204 };
	struct receiver rec;
	struct rig r;
	char *text;

	receiver_start(&rec, ok, 2);
	text = xasprintf("influxdb=http://us%%65r:pass@127.0.0.1:%u/prefix/db", rec.server.port);
	rig_open(&r, text, env);
	ASSERT_TRUE(!strstr(r.out->label, "pass"));
	rig_add(&r, MY_TREND, "", 0, 1);
	rig_add(&r, MY_TREND, "", 0, NAN);
	ASSERT_INT(rig_close(&r, NULL), 1);
	receiver_stop(&rec);
	ASSERT_HAS(rec.requests[1].head,
		   "POST /prefix/write?db=db&precision=n&rp=one%20week HTTP/1.1");
	/* printf user:pass | base64 */
	ASSERT_HAS(rec.requests[1].head, "Authorization: Basic dXNlcjpwYXNz\r\n");
	receiver_release(&rec);
	free(text);
}

TEST(what_is_refused)
{
	static const struct {
		const char *text, *variable, *message;
	} cases[] = {
		{ "influxdb=?concurrentWrites=0", NULL, "concurrentWrites 0: not a positive" },
		{ "influxdb=db?insecure=ture", NULL, "insecure is true or false, not ture" },
		{ "influxdb=db?nonsense=1", NULL, "'nonsense' is no parameter" },
		{ "influxdb", "K6_INFLUXDB_TAGS_AS_FIELDS=a:bool,a:int", "'a:int' is there twice" },
		{ "influxdb", "K6_INFLUXDB_TAGS_AS_FIELDS=a:complex",
		  "string, int, float or bool" },
		{ "influxdb", "K6_INFLUXDB_PRECISION=week", "none of n, u" },
		{ "influxdb", "K6_INFLUXDB_PUSH_INTERVAL=0", "K6_INFLUXDB_PUSH_INTERVAL=0" },
		{ "influxdb", "K6_INFLUXDB_PROXY=http://p", "no proxies" },
		{ "influxdb=http://host:x/db", NULL, "port" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *env[] = { cases[i].variable, NULL };
		struct error err = ERROR_INIT;
		struct export_output *out;

		ASSERT_TRUE(export_output_new(&out, cases[i].text, env, 1, &err) < 0);
		ASSERT_HAS(err.msg, cases[i].message);
	}
}
