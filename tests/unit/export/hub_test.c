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
#include "os/clock.h"
#include "rig.h"

struct worker {
	struct export_hub *hub;
	pthread_t thread;
	unsigned id;
};

#define POINTS_EACH 20000

static void *work(void *arg)
{
	static const char *const tags[] = { "name=t0", "name=t1", "name=t2", "name=t3" };
	struct worker *w = arg;
	struct export_batch *b = export_batch_new(w->hub);

	for (unsigned i = 0; i < POINTS_EACH; i++) {
		export_add(b, &(struct export_point){ w->id % 2, 1, i, tags[w->id], i, i });
		if (i % 7777 == 0)
			export_flush(b);
	}
	export_batch_free(b);
	return NULL;
}

/* Whole lines, none missing, each worker's in its order. */
static void check_lines(const char *path)
{
	struct strbuf out = rig_read(path);
	unsigned next[4] = { 0 }, definitions = 0;
	char *rest = NULL;

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
		} else {
			definitions++;
		}
		json_decref(o);
	}
	ASSERT_INT(definitions, 2);
	for (unsigned i = 0; i < 4; i++)
		ASSERT_INT(next[i], POINTS_EACH);
	strbuf_release(&out);
}

TEST(several_threads_and_outputs_lose_nothing)
{
	char *paths[2] = { rig_temporary(), rig_temporary() };
	struct export_output *outs[2];
	struct export_hub *hub;
	struct worker workers[4];
	struct error err = ERROR_INIT;
	struct strbuf why = STRBUF_INIT;

	for (unsigned i = 0; i < 2; i++) {
		char *text = xasprintf("json=%s", paths[i]);

		ASSERT_OK_ERR(export_output_new(&outs[i], text, NULL, 1, &err), err);
		free(text);
	}
	ASSERT_OK_ERR(export_hub_open(&hub, &rig_run, outs, 2, &err), err);
	for (unsigned i = 0; i < 4; i++) {
		workers[i] = (struct worker){ .hub = hub, .id = i };
		ASSERT_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(workers[i].thread, NULL);
	export_hub_close(hub);
	for (unsigned i = 0; i < 2; i++) {
		ASSERT_INT(export_output_lost(outs[i], &why), 0);
		ASSERT_INT(why.len, 0);
		export_output_free(outs[i]);
		check_lines(paths[i]);
		free(paths[i]);
	}
}

TEST(a_full_disk_is_told_and_counted)
{
	static const char *const names[] = { "json=/dev/full", "csv=/dev/full" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *why;
		struct rig r;

		rig_open(&r, names[i], NULL);
		for (int k = 0; k < 3000; k++)
			rig_add(&r, HTTP_REQS, "name=x", 1, 1);
		ASSERT_INT(rig_close(&r, &why), 3000);
		ASSERT_STREQ(why, "writing /dev/full failed: No space left on device");
	}
}

/* Nobody reads the pipe: adding returns all the same, what found no room is counted, and the end
 * comes in bounded time. The other output gets everything. */
TEST(a_stuck_output_stalls_nobody)
{
	const uint64_t blocks = EXPORT_QUEUE_LIMIT + 40, sent = EXPORT_BATCH * blocks;
	char *pipe_path = rig_temporary(), *path = rig_temporary();
	char *texts[2] = { xasprintf("json=%s", pipe_path), xasprintf("csv=%s", path) };
	struct export_output *outs[2];
	struct strbuf why = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct export_batch *b;
	struct export_hub *hub;
	uint64_t begun_ns, lost;
	int reader;

	signal(SIGPIPE, SIG_IGN);
	unlink(pipe_path);
	ASSERT_INT(mkfifo(pipe_path, 0600), 0);
	reader = open(pipe_path, O_RDONLY | O_NONBLOCK);
	for (unsigned i = 0; i < 2; i++)
		ASSERT_OK_ERR(export_output_new(&outs[i], texts[i], NULL, 1, &err), err);
	ASSERT_OK_ERR(export_hub_open(&hub, &rig_run, outs, 2, &err), err);
	b = export_batch_new(hub);
	for (uint64_t i = 0; i < sent; i++) {
		export_add(b, &(struct export_point){ 0, 1, i, "name=x", i, 1 });
		if (i % (8 * EXPORT_BATCH) == 0)
			usleep(10000); /* time for the one that can */
	}
	export_batch_free(b);
	begun_ns = clock_now_ns();
	export_hub_close(hub);
	ASSERT_TRUE(clock_now_ns() - begun_ns < 8 * NS_PER_S);
	lost = export_output_lost(outs[0], &why);
	/* it got a pipe full: 64 KB, of 130 bytes each, were not lost but counted with their text
	 */
	ASSERT_TRUE(lost > sent - 4000 && lost <= sent);
	ASSERT_HAS(strbuf_cstr(&why), "failed: Connection timed out; 3");
	ASSERT_HAS(strbuf_cstr(&why), " of them came faster than it took them");
	ASSERT_INT(export_output_lost(outs[1], &why), 0);
	close(reader);
	unlink(pipe_path);
	unlink(path);
	for (unsigned i = 0; i < 2; i++) {
		export_output_free(outs[i]);
		free(texts[i]);
	}
	strbuf_release(&why);
	free(pipe_path);
	free(path);
}

TEST(names_that_are_refused)
{
	struct export_output *out;
	struct error err = ERROR_INIT;

	ASSERT_INT(export_output_new(&out, "jsn=x", NULL, 1, &err), -EINVAL);
	ASSERT_HAS(err.msg, "there is no output 'jsn'; did you mean 'json'?; there are json, csv");
	ASSERT_INT(export_output_new(&out, "statsd", NULL, 1, &err), -ENOTSUP);
	ASSERT_HAS(err.msg, "the output statsd is not available in assay");
	ASSERT_INT(export_output_new(&out, "cloud", NULL, 1, &err), -ENOTSUP);
}
