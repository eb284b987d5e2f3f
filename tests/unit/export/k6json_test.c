#include "export/k6json.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"

static void give_metric(void *arg, uint32_t metric, struct k6json_metric *ret)
{
	static const struct k6json_metric metrics[] = {
		{ "http_reqs", "counter", "default", "[\"count>1\"]" },
		{ "my_trend", "trend", "time", NULL },
	};

	(*(unsigned *)arg)++;
	*ret = metrics[metric];
}

/* tags are C strings here */
static void give_tags(void *arg, const void *tags, struct json_writer *w)
{
	(void)arg;
	json_cstr(w, "name", tags);
	json_cstr(w, "group", "");
}

static unsigned definitions;
static const struct k6json_opts plain = {
	.metric = give_metric,
	.tags_fmt = give_tags,
	.arg = &definitions,
	.wall_anchor_ns = INT64_C(1500000000000000000), /* 2017-07-14T02:40:00Z */
};

static struct k6json *open_at(const char *path, const struct k6json_opts *opts)
{
	struct k6json *k = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(k6json_open(path, opts, &k, &err), err);
	return k;
}

static char *temporary(void)
{
	char *path = xstrdup("/tmp/assay-k6json-XXXXXX");

	close(mkstemp(path));
	return path;
}

static struct strbuf read_all(const char *path)
{
	struct strbuf out = STRBUF_INIT;
	FILE *f = fopen(path, "r");
	char chunk[4096];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		strbuf_add(&out, chunk, n);
	fclose(f);
	unlink(path);
	return out;
}

TEST(lines_are_k6s)
{
	char *path = temporary();
	struct k6json *k = open_at(path, &plain);
	struct k6json_batch *b = k6json_batch_new(k);
	struct error err = ERROR_INIT;
	struct strbuf out;

	k6json_add(b, &(struct k6json_point){ 0, 1, 0, "a \"b\"", 1, 1 });
	k6json_add(b, &(struct k6json_point){ 1, 1, 0, "caf\xc3\xa9", NS_PER_S + 5, 0.25 });
	k6json_add(b, &(struct k6json_point){ 0, 0, 0, "a \"b\"", 60 * NS_PER_S, 2 });
	k6json_batch_free(b);
	ASSERT_OK_ERR(k6json_close(k, &err), err);
	out = read_all(path);
	ASSERT_STREQ(
		strbuf_cstr(&out),
		"{\"type\":\"Metric\",\"data\":{\"name\":\"http_reqs\",\"type\":\"counter\","
		"\"contains\":\"default\",\"thresholds\":[\"count>1\"],\"submetrics\":null},"
		"\"metric\":\"http_reqs\"}\n"
		"{\"metric\":\"http_reqs\",\"type\":\"Point\",\"data\":{\"time\":"
		"\"2017-07-14T02:40:00.000000001Z\",\"value\":1,\"tags\":{\"name\":\"a \\\"b\\\"\","
		"\"group\":\"\"}}}\n"
		"{\"type\":\"Metric\",\"data\":{\"name\":\"my_trend\",\"type\":\"trend\","
		"\"contains\":\"time\",\"thresholds\":[],\"submetrics\":null},"
		"\"metric\":\"my_trend\"}\n"
		"{\"metric\":\"my_trend\",\"type\":\"Point\",\"data\":{\"time\":"
		"\"2017-07-14T02:40:01.000000005Z\",\"value\":0.25,\"tags\":{\"name\":"
		"\"caf\xc3\xa9\","
		"\"group\":\"\"}}}\n"
		"{\"metric\":\"http_reqs\",\"type\":\"Point\",\"data\":{\"time\":"
		"\"2017-07-14T02:41:00.000000000Z\",\"value\":2,\"tags\":{\"name\":\"a \\\"b\\\"\","
		"\"group\":\"\"}}}\n");
	strbuf_release(&out);
	free(path);
}

TEST(vu_and_iter_are_metadata)
{
	struct k6json_opts opts = plain;
	char *path = temporary();
	struct error err = ERROR_INIT;
	struct k6json_batch *b;
	struct k6json *k;
	struct strbuf out;

	opts.vu = opts.iter = true;
	k = open_at(path, &opts);
	b = k6json_batch_new(k);
	k6json_add(b, &(struct k6json_point){ 0, 3, 17, "x", 1, 1 });
	k6json_add(b, &(struct k6json_point){ 0, 0, 0, "y", 1, 1 });
	k6json_batch_free(b);
	ASSERT_OK_ERR(k6json_close(k, &err), err);
	out = read_all(path);
	ASSERT_HAS(strbuf_cstr(&out), "},\"metadata\":{\"iter\":\"17\",\"vu\":\"3\"}}}\n");
	ASSERT_HAS(strbuf_cstr(&out), "\"name\":\"y\",\"group\":\"\"}}}\n");
	strbuf_release(&out);
	free(path);
}

struct worker {
	struct k6json *k;
	pthread_t thread;
	unsigned id;
};

#define POINTS_EACH 20000

static void *work(void *arg)
{
	static const char *const tags[] = { "t0", "t1", "t2", "t3" };
	struct worker *w = arg;
	struct k6json_batch *b = k6json_batch_new(w->k);

	for (unsigned i = 0; i < POINTS_EACH; i++) {
		k6json_add(b, &(struct k6json_point){ w->id % 2, 1, i, tags[w->id], i, i });
		if (i % 7777 == 0)
			k6json_flush(b);
	}
	k6json_batch_free(b);
	return NULL;
}

/* whole lines, none missing, each thread's in its order */
TEST(several_threads_lose_nothing)
{
	char *path = temporary(), *rest = NULL;
	struct k6json *k = open_at(path, &plain);
	struct worker workers[4];
	unsigned next[4] = { 0 };
	struct error err = ERROR_INIT;
	struct strbuf out;

	definitions = 0;
	for (unsigned i = 0; i < 4; i++) {
		workers[i] = (struct worker){ .k = k, .id = i };
		ASSERT_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(workers[i].thread, NULL);
	ASSERT_INT(k6json_lost(k), 0);
	ASSERT_OK_ERR(k6json_close(k, &err), err);
	ASSERT_INT(definitions, 2);
	out = read_all(path);
	for (char *line = strtok_r(out.ptr, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		json_t *o = json_loads(line, 0, NULL), *data = json_object_get(o, "data");
		const char *name;

		ASSERT_TRUE(o);
		if (!strcmp(json_string_value(json_object_get(o, "type")), "Point")) {
			name = json_string_value(
				json_object_get(json_object_get(data, "tags"), "name"));
			ASSERT_NEAR(json_number_value(json_object_get(data, "value")),
				    next[name[1] - '0']++, 0);
		}
		json_decref(o);
	}
	for (unsigned i = 0; i < 4; i++)
		ASSERT_INT(next[i], POINTS_EACH);
	strbuf_release(&out);
	free(path);
}

TEST(a_full_disk_is_told_and_counted)
{
	struct k6json *k = open_at("/dev/full", &plain);
	struct k6json_batch *b = k6json_batch_new(k);
	struct error err = ERROR_INIT;

	for (int i = 0; i < 3000; i++)
		k6json_add(b, &(struct k6json_point){ 0, 1, 0, "x", 1, 1 });
	k6json_batch_free(b);
	ASSERT_INT(k6json_close(k, &err), -ENOSPC);
	ASSERT_HAS(err.msg, "writing samples to /dev/full; 3000 were lost: No space left");
}

/* nobody reads the pipe: adding returns all the same, and what found no room is counted */
TEST(a_stuck_writer_never_stalls_a_worker)
{
	char *path = temporary();
	const uint64_t sent = (uint64_t)K6JSON_BATCH * (K6JSON_QUEUE_LIMIT + 40);
	struct k6json_batch *b;
	struct error err = ERROR_INIT;
	struct k6json *k;
	int reader;

	signal(SIGPIPE, SIG_IGN);
	unlink(path);
	ASSERT_INT(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	k = open_at(path, &plain);
	b = k6json_batch_new(k);
	for (uint64_t i = 0; i < sent; i++)
		k6json_add(b, &(struct k6json_point){ 0, 1, i, "x", i, 1 });
	k6json_flush(b);
	/* the writer got through a few before it hung: 256 KB of text is two or three batches */
	ASSERT_TRUE(k6json_lost(k) >= (uint64_t)K6JSON_BATCH * 36);
	ASSERT_TRUE(k6json_lost(k) <= (uint64_t)K6JSON_BATCH * 40);
	close(reader);
	k6json_batch_free(b);
	ASSERT_INT(k6json_close(k, &err), -EPIPE);
	unlink(path);
	free(path);
}

TEST(names_that_cannot_be_opened)
{
	struct error err = ERROR_INIT;
	struct k6json *k = NULL;

	ASSERT_INT(k6json_open("/no/such/folder/x.json", &plain, &k, &err), -ENOENT);
	ASSERT_HAS(err.msg, "opening /no/such/folder/x.json for samples");
	ASSERT_INT(k6json_open("x.json.gz", &plain, &k, &err), -ENOTSUP);
	ASSERT_TRUE(!k);
	ASSERT_OK(k6json_close(NULL, &err));
}
