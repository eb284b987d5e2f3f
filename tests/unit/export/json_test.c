#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "rig.h"

#define DEFINED                                                                                    \
	"{\"type\":\"Metric\",\"data\":{\"name\":\"http_reqs\",\"type\":\"counter\","              \
	"\"contains\":\"default\",\"thresholds\":[\"count>1\"],\"submetrics\":null},"              \
	"\"metric\":\"http_reqs\"}\n"

TEST(lines_are_k6s)
{
	char *path = rig_temporary(), *text = xasprintf("json=%s", path);
	struct strbuf out;
	struct rig r;

	rig_open(&r, text, NULL);
	rig_add(&r, HTTP_REQS, "name=a \"b\"", 1, 1);
	rig_add(&r, MY_TIME, "group=,name=caf\xc3\xa9", NS_PER_S + 5, 0.25);
	rig_add(&r, HTTP_REQS, "name=a \"b\"", 60 * NS_PER_S, 2);
	ASSERT_INT(rig_close(&r, NULL), 0);
	out = rig_read(path);
	ASSERT_STREQ(strbuf_cstr(&out), DEFINED
		     "{\"metric\":\"http_reqs\",\"type\":\"Point\",\"data\":{\"time\":"
		     "\"2017-07-14T02:40:00.000000001Z\",\"value\":1,\"tags\":{\"name\":\"a "
		     "\\\"b\\\"\"}}}\n"
		     "{\"type\":\"Metric\",\"data\":{\"name\":\"my_time\",\"type\":\"trend\","
		     "\"contains\":\"time\",\"thresholds\":[],\"submetrics\":null},"
		     "\"metric\":\"my_time\"}\n"
		     "{\"metric\":\"my_time\",\"type\":\"Point\",\"data\":{\"time\":"
		     "\"2017-07-14T02:40:01.000000005Z\",\"value\":0.25,\"tags\":{\"group\":\"\","
		     "\"name\":\"caf\xc3\xa9\"}}}\n"
		     "{\"metric\":\"http_reqs\",\"type\":\"Point\",\"data\":{\"time\":"
		     "\"2017-07-14T02:41:00.000000000Z\",\"value\":2,\"tags\":{\"name\":\"a "
		     "\\\"b\\\"\"}}}\n");
	strbuf_release(&out);
	free(text);
	free(path);
}

TEST(vu_and_iter_are_metadata)
{
	char *path = rig_temporary(), *text = xasprintf("json=%s", path);
	struct export_run run = rig_run;
	struct strbuf out;
	struct rig r;

	struct pairs *note = pairs_with(NULL, STR("note"), STR("a \"b\""));
	struct pairs *own = pairs_with(note, STR("vu"), STR("mine"));

	pairs_release(note);
	run.vu = run.iter = true;
	rig_open_run(&r, text, NULL, &run);
	rig_add(&r, HTTP_REQS, "name=x", 1, 1);
	export_add(r.batch, &(struct export_point){ HTTP_REQS, 0, 0, "name=y", 1, 1, NULL });
	export_add(r.batch, &(struct export_point){ HTTP_REQS, 3, 8, "name=z", 1, 1, own });
	pairs_release(own);
	ASSERT_INT(rig_close(&r, NULL), 0);
	out = rig_read(path);
	ASSERT_HAS(strbuf_cstr(&out), "},\"metadata\":{\"iter\":\"17\",\"vu\":\"3\"}}}\n");
	ASSERT_HAS(strbuf_cstr(&out), "\"name\":\"y\"}}}\n");
	ASSERT_HAS(strbuf_cstr(&out), "\"name\":\"z\"},\"metadata\":{\"iter\":\"8\","
				      "\"note\":\"a \\\"b\\\"\",\"vu\":\"mine\"}}}\n");
	strbuf_release(&out);
	free(text);
	free(path);
}

TEST(a_name_in_gz_is_compressed)
{
	char *path = rig_temporary(), *packed = xasprintf("%s.json.gz", path);
	char *text = xasprintf("json=%s", packed), line[512];
	unsigned lines = 0;
	struct rig r;
	gzFile in;

	rig_open(&r, text, NULL);
	for (unsigned i = 0; i < 20000; i++)
		rig_add(&r, HTTP_REQS, "name=x", i, i);
	ASSERT_INT(rig_close(&r, NULL), 0);
	in = gzopen(packed, "r");
	ASSERT_TRUE(in && !gzdirect(in));
	while (gzgets(in, line, sizeof(line)))
		if (lines++ == 20000)
			ASSERT_HAS(line, "00.000019999Z\",\"value\":19999,");
	ASSERT_INT(gzclose(in), Z_OK);
	ASSERT_INT(lines, 20001);
	unlink(packed);
	unlink(path);
	free(text);
	free(packed);
	free(path);
}

TEST(nothing_or_a_dash_is_stdout)
{
	static const char *const names[] = { "json", "json=", "json=-" };
	int old = dup(STDOUT_FILENO);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = rig_temporary();
		struct strbuf out;
		struct rig r;

		ASSERT_TRUE(freopen(path, "w", stdout));
		rig_open(&r, names[i], NULL);
		rig_add(&r, MY_RATE, "name=x", 1, 1);
		ASSERT_INT(rig_close(&r, NULL), 0);
		ASSERT_TRUE(write(STDOUT_FILENO, "still open\n", 11) == 11);
		dup2(old, STDOUT_FILENO);
		out = rig_read(path);
		ASSERT_HAS(strbuf_cstr(&out), "{\"metric\":\"my_rate\",\"type\":\"Point\"");
		ASSERT_HAS(strbuf_cstr(&out), "}}\nstill open\n");
		strbuf_release(&out);
		free(path);
	}
}
