#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "rig.h"

#define HEAD "metric_name,timestamp,metric_value,check,name,url,extra_tags,metadata\n"

static void expect(const struct export_run *run, const char *format, const char *tags,
		   uint64_t t_ns, const char *line)
{
	char *variable = xasprintf("K6_CSV_TIME_FORMAT=%s", format);
	const char *env[] = { variable, NULL };
	char *path = rig_temporary(), *text = xasprintf("csv=%s", path);
	char *whole = xasprintf(HEAD "%s", line);
	struct strbuf out;
	struct rig r;

	rig_open_run(&r, text, env, run);
	rig_add(&r, MY_TREND, tags, t_ns, 1.5);
	ASSERT_INT(rig_close(&r, NULL), 0);
	out = rig_read(path);
	ASSERT_STREQ(strbuf_cstr(&out), whole);
	strbuf_release(&out);
	free(variable);
	free(whole);
	free(text);
	free(path);
}

TEST(a_column_a_system_tag_and_one_for_the_rest)
{
	struct export_run run = rig_run;

	expect(&run, "unix", "", 0, "my_trend,1500000000,1.500000,,,,,\n");
	expect(&run, "unix", "a=1,check=c,name=n,url=u,z=2", 0,
	       "my_trend,1500000000,1.500000,c,n,u,a=1&z=2,\n");
	run.vu = true;
	expect(&run, "unix", "name=n", 0, "my_trend,1500000000,1.500000,,n,,,vu=3\n");
	run.iter = true;
	expect(&run, "unix", "name=n", 0, "my_trend,1500000000,1.500000,,n,,,iter=17&vu=3\n");
}

/* RFC 4180, 2.6 and 2.7 */
TEST(fields_are_quoted_where_they_must)
{
	expect(&rig_run, "unix", "check=say \"hi\",name=a\nb,url= u", 0,
	       "my_trend,1500000000,1.500000,\"say \"\"hi\"\"\",\"a\nb\",\" u\",,\n");
	expect(&rig_run, "unix", "x=\",name=n", 0,
	       "my_trend,1500000000,1.500000,,n,,\"x=\"\"\",\n");
}

TEST(times_in_every_format)
{
	static const struct {
		const char *format, *zone, *text;
		uint64_t t_ns;
	} cases[] = {
		{ "unix", "UTC", "1500000001", 1987654321 },
		{ "unix_milli", "UTC", "1500000001987", 1987654321 },
		{ "unix_micro", "UTC", "1500000001987654", 1987654321 },
		{ "unix_nano", "UTC", "1500000001987654321", 1987654321 },
		{ "rfc3339", "UTC", "2017-07-14T02:40:01Z", 1987654321 },
		{ "rfc3339_nano", "UTC", "2017-07-14T02:40:01.987654321Z", 1987654321 },
		{ "rfc3339_nano", "UTC", "2017-07-14T02:40:01.05Z", 1050000000 },
		{ "rfc3339_nano", "UTC", "2017-07-14T02:40:01Z", 1000000000 },
		{ "rfc3339", "ABC-5:30", "2017-07-14T08:10:01+05:30", 1000000000 },
		{ "rfc3339_nano", "ABC3", "2017-07-13T23:40:01.5-03:00", 1500000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *line = xasprintf("my_trend,%s,1.500000,,,,,\n", cases[i].text);

		setenv("TZ", cases[i].zone, 1);
		tzset();
		expect(&rig_run, cases[i].format, "", cases[i].t_ns, line);
		free(line);
	}
}

static const char *refusal(const char *text, const char *const *env)
{
	static struct error err;
	struct export_output *out;

	err = (struct error)ERROR_INIT;
	ASSERT_INT(export_output_new(&out, text, env, 1, &err), -EINVAL);
	return err.msg;
}

TEST(options_are_in_the_argument_or_the_environment)
{
	const char *env[] = { "K6_CSV_FILENAME=/no/such/folder/x", "K6_CSV_SAVE_INTERVAL=3s",
			      "K6_CSV_TIME_FORMAT=rfc3339", NULL };
	struct export_output *out;
	struct export_hub *hub;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(export_output_new(&out, "csv", env, 1, &err), err);
	ASSERT_INT(out->interval_ns, 3 * NS_PER_S);
	ASSERT_INT(export_hub_open(&hub, &rig_run, &out, 1, &err), -ENOENT);
	ASSERT_HAS(err.msg, "output csv: opening /no/such/folder/x for samples: No such file");
	export_output_free(out);
	ASSERT_OK_ERR(export_output_new(&out, "csv=saveInterval=2m,fileName=/no/y", env, 1, &err),
		      err);
	ASSERT_INT(out->interval_ns, 120 * NS_PER_S);
	ASSERT_INT(export_hub_open(&hub, &rig_run, &out, 1, &err), -ENOENT);
	ASSERT_HAS(err.msg, "opening /no/y for");
	export_output_free(out);
	ASSERT_HAS(refusal("csv=timeFormat=iso", NULL), "'iso' is none of unix");
	ASSERT_HAS(refusal("csv=file=x", NULL), "'file' is none of fileName");
	ASSERT_HAS(refusal("csv", (const char *const[]){ "K6_CSV_SAVE_INTERVAL=x", NULL }),
		   "K6_CSV_SAVE_INTERVAL=x");
}
