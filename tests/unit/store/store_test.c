#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/reader.h"
#include "store/writer.h"
#include "test.h"

static char folder[] = "/tmp/assay-store-XXXXXX";

static void remove_folder(void)
{
	CLEANUP(mem_cleanup) char *command = xasprintf("rm -rf %s", folder);

	if (system(command)) {
	}
}

/* A path in a folder of the test's own that goes when the test's process does. */
static const char *temp_path(const char *name)
{
	static char path[256];

	if (strstr(folder, "XXXXXX")) {
		ASSERT_TRUE(mkdtemp(folder) != NULL);
		atexit(remove_folder);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct store_writer *open_writer(const char *path)
{
	struct store_writer *w = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(store_writer_open(path, &w, &err), err);
	return w;
}

static void fill(struct sink *s)
{
	CLEANUP(cleanup_hist) struct hist *h = hist_new();
	uint32_t cpu, again, memory;

	ASSERT_OK(sink_meta(s, "load.rate", "600"));
	ASSERT_OK(sink_meta(s, "load.rate", "700"));
	ASSERT_OK(sink_series(s, &(struct series_def){ "cpu", "s", "state=user", SERIES_COUNTER },
			      &cpu));
	ASSERT_OK(
		sink_series(s, &(struct series_def){ "memory", "By", "", SERIES_GAUGE }, &memory));
	ASSERT_OK(sink_series(s, &(struct series_def){ "cpu", "s", "state=user", SERIES_COUNTER },
			      &again));
	ASSERT_INT(again, cpu);
	ASSERT_TRUE(memory != cpu);
	ASSERT_OK(sink_point(s, cpu, 200, 1.5));
	ASSERT_OK(sink_point(s, memory, 150, 3e9));
	ASSERT_OK(sink_point(s, cpu, 100, 1.25)); /* late: another thread's */
	ASSERT_OK(sink_point(s, cpu, 300, NAN));  /* no figure: left out */
	hist_add(h, 1);
	hist_add(h, 537.25);
	ASSERT_OK(sink_dist(s, &(struct dist){ "http_req_duration", "status=200", "ms", 7, 9, h }));
	ASSERT_OK(sink_span(s, &(struct span){ "phase", "load", 5, UINT64_C(1) << 62 }));
	ASSERT_OK(sink_exemplar(s, &(struct exemplar){ "POST", "http://h/caf\xc3\xa9", 1, 2, 3, 4,
						       5, 6, 7, 8, 9, 503 }));
	ASSERT_OK(sink_loss(s, "host", 3, "samples late"));
}

static void check(const struct run *r)
{
	const struct series *cpu = run_series(r, "cpu");

	ASSERT_STREQ(run_meta(r, "load.rate"), "700");
	ASSERT_INT(r->series.len, 2);
	ASSERT_STREQ(cpu->unit, "s");
	ASSERT_STREQ(cpu->labels, "state=user");
	ASSERT_INT(cpu->kind, SERIES_COUNTER);
	ASSERT_INT(cpu->points.len, 2);
	ASSERT_INT(cpu->points.ptr[0].t_ns, 100);
	ASSERT_NEAR(cpu->points.ptr[1].value, 1.5, 0);
	ASSERT_INT(run_series(r, "memory")->kind, SERIES_GAUGE);
	ASSERT_NEAR(run_series(r, "memory")->points.ptr[0].value, 3e9, 0);
	ASSERT_INT(r->dists.len, 1);
	ASSERT_STREQ(r->dists.ptr[0].metric, "http_req_duration");
	ASSERT_STREQ(r->dists.ptr[0].tags, "status=200");
	ASSERT_STREQ(r->dists.ptr[0].unit, "ms");
	ASSERT_INT(r->dists.ptr[0].t0_ns, 7);
	ASSERT_INT(r->dists.ptr[0].t1_ns, 9);
	ASSERT_NEAR(hist_max(r->dists.ptr[0].values), 537.25, 0);
	ASSERT_INT(run_span(r, "phase", "load")->t1_ns, INT64_C(1) << 62);
	ASSERT_STREQ(r->exemplars.ptr[0].e.url, "http://h/caf\xc3\xa9");
	ASSERT_STREQ(r->exemplars.ptr[0].e.method, "POST");
	ASSERT_INT(r->exemplars.ptr[0].e.intended_ns, 1);
	ASSERT_INT(r->exemplars.ptr[0].e.end_ns, 3);
	ASSERT_INT(r->exemplars.ptr[0].e.receiving_ns, 9);
	ASSERT_INT(r->exemplars.ptr[0].e.status, 503);
	ASSERT_STREQ(r->losses.ptr[0].what, "samples late");
	ASSERT_INT(r->losses.ptr[0].count, 3);
}

TEST(what_is_written_is_read_back)
{
	const char *path = temp_path("a.assay");
	struct store_writer *w = open_writer(path);
	CLEANUP(cleanup_run) struct run *r = NULL;
	struct error err = ERROR_INIT;

	fill(store_writer_sink(w));
	ASSERT_OK_ERR(store_writer_close(w, &err), err);
	ASSERT_OK_ERR(store_read(path, &r, &err), err);
	check(r);
	ASSERT_STREQ(r->path, path);
}

TEST(nothing_else_is_left_beside_the_file)
{
	const char *path = temp_path("alone.assay");
	struct store_writer *w = open_writer(path);
	struct error err = ERROR_INIT;

	fill(store_writer_sink(w));
	ASSERT_OK_ERR(store_writer_close(w, &err), err);
	ASSERT_TRUE(access(temp_path("alone.assay-journal"), F_OK) < 0);
	ASSERT_TRUE(access(temp_path("alone.assay-wal"), F_OK) < 0);
}

TEST(an_existing_file_is_not_written_over)
{
	const char *path = temp_path("twice.assay");
	struct store_writer *w = open_writer(path), *other = NULL;
	struct error err = ERROR_INIT;

	ASSERT_INT(store_writer_open(path, &other, &err), -EEXIST);
	ASSERT_HAS(err.msg, "is there already");
	ASSERT_OK_ERR(store_writer_close(w, &err), err);
}

TEST(a_folder_that_is_missing_is_named)
{
	struct store_writer *w = NULL;
	struct error err = ERROR_INIT;

	ASSERT_INT(store_writer_open(temp_path("no/such.assay"), &w, &err), -ENOENT);
	ASSERT_HAS(err.msg, "no/such.assay");
}

/* A child writes and is killed with SIGKILL; what it wrote more than a second before must be there.
 */
TEST(a_killed_writer_leaves_a_readable_file)
{
	const char *path = temp_path("killed.assay");
	CLEANUP(cleanup_run) struct run *r = NULL;
	struct error err = ERROR_INIT;
	pid_t child = fork();

	if (child == 0) {
		struct store_writer *w = open_writer(path);
		uint32_t id;

		fill(store_writer_sink(w));
		sink_series(store_writer_sink(w),
			    &(struct series_def){ "late", "1", "", SERIES_GAUGE }, &id);
		for (uint64_t i = 0;; i++) {
			sink_point(store_writer_sink(w), id, i, 1);
			usleep(1000);
		}
	}
	usleep(1300000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ASSERT_OK_ERR(store_read(path, &r, &err), err);
	ASSERT_INT(r->series.len, 3);
	ASSERT_TRUE(run_series(r, "late")->points.len > 100);
	ASSERT_NEAR(run_series(r, "cpu")->points.ptr[1].value, 1.5, 0);
}

/* The file's size is limited instead of filling a disk: the kernel then refuses with EFBIG. */
TEST(a_full_disk_is_said_and_what_was_committed_stays)
{
	const char *path = temp_path("full.assay");
	CLEANUP(cleanup_run) struct run *r = NULL;
	struct store_writer *w = open_writer(path);
	struct rlimit limit;
	struct error err = ERROR_INIT;
	uint32_t id;
	int result = 0;

	fill(store_writer_sink(w));
	sink_series(store_writer_sink(w), &(struct series_def){ "x", "1", "", SERIES_GAUGE }, &id);
	usleep(1100000);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 100000;
	setrlimit(RLIMIT_FSIZE, &limit);
	for (uint64_t i = 0; i < 3000000 && result == 0; i++)
		result = sink_point(store_writer_sink(w), id, i, 1);
	ASSERT_TRUE(result < 0);
	ASSERT_INT(store_writer_close(w, &err), result);
	ASSERT_HAS(err.msg, "writing run file");
	ASSERT_HAS(err.msg, "full.assay");
	ASSERT_OK_ERR(store_read(path, &r, &err), err);
	ASSERT_STREQ(run_meta(r, "load.rate"), "700");
}

static void *write_points(void *arg)
{
	struct sink *s = arg;
	uint32_t id;

	for (uint64_t i = 0; i < 2000; i++) {
		ASSERT_OK(sink_series(s, &(struct series_def){ "t", "1", "", SERIES_GAUGE }, &id));
		ASSERT_OK(sink_point(s, id, i, (double)i));
	}
	return NULL;
}

TEST(many_threads_may_write)
{
	const char *path = temp_path("threads.assay");
	struct store_writer *w = open_writer(path);
	CLEANUP(cleanup_run) struct run *r = NULL;
	struct error err = ERROR_INIT;
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		ASSERT_INT(pthread_create(&threads[i], NULL, write_points, store_writer_sink(w)),
			   0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ASSERT_OK_ERR(store_writer_close(w, &err), err);
	ASSERT_OK_ERR(store_read(path, &r, &err), err);
	ASSERT_INT(r->series.len, 1);
	ASSERT_INT(r->series.ptr[0].points.len, 8000);
	for (size_t i = 1; i < 8000; i++)
		ASSERT_TRUE(r->series.ptr[0].points.ptr[i - 1].t_ns <=
			    r->series.ptr[0].points.ptr[i].t_ns);
}

/* ---- files that are not ours, or are no longer whole ---- */

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "wb");

	ASSERT_TRUE(f && fwrite(text, 1, len, f) == len);
	fclose(f);
}

static int read_error(const char *path, struct error *err)
{
	struct run *r = NULL;
	int result = store_read(path, &r, err);

	run_free(r);
	return result;
}

TEST(foreign_files_are_refused_in_words)
{
	const char *path = temp_path("page.assay");
	struct error err = ERROR_INIT;

	ASSERT_INT(read_error(temp_path("absent.assay"), &err), -ENOENT);
	ASSERT_INT(read_error("/tmp", &err), -EMEDIUMTYPE);
	write_file(path, "<!doctype html>", 15);
	ASSERT_INT(read_error(path, &err), -EMEDIUMTYPE);
	ASSERT_HAS(err.msg, "not a run file");
	write_file(path, "", 0);
	ASSERT_INT(read_error(path, &err), -EMEDIUMTYPE);
}

static void alter(const char *path, const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	ASSERT_INT(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		test_fail(__FILE__, __LINE__, "%s: %s", sql, message);
	sqlite3_close(db);
}

static const char *written(const char *name)
{
	const char *path = temp_path(name);
	struct store_writer *w = open_writer(path);
	struct error err = ERROR_INIT;

	fill(store_writer_sink(w));
	ASSERT_OK_ERR(store_writer_close(w, &err), err);
	return path;
}

static void expect_refusal(const char *name, const char *sql, int code, const char *words)
{
	const char *path = written(name);
	struct error err = ERROR_INIT;

	alter(path, sql);
	ASSERT_INT(read_error(path, &err), code);
	ASSERT_HAS(err.msg, words);
}

TEST(files_of_other_versions_and_owners_are_refused)
{
	expect_refusal("newer.assay", "PRAGMA user_version=2", -EPROTONOSUPPORT, "newer assay");
	expect_refusal("zero.assay", "PRAGMA user_version=0", -EBADMSG, "version is unknown");
	expect_refusal("owner.assay", "PRAGMA application_id=5", -EMEDIUMTYPE, "not a run file");
}

TEST(a_schema_that_is_not_ours_is_refused)
{
	expect_refusal("view.assay",
		       "DROP TABLE loss; CREATE VIEW loss AS SELECT 1 AS source, 2 AS what, 3 AS "
		       "count",
		       -EBADMSG, "not those of a run file");
	expect_refusal("trigger.assay", "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END",
		       -EBADMSG, "not those of a run file");
	expect_refusal("missing.assay", "DROP TABLE span", -EBADMSG, "missing");
}

TEST(values_that_the_writer_cannot_have_written_are_refused)
{
	expect_refusal("blob.assay", "UPDATE dist SET hist=x'0100'", -EBADMSG, "table dist, row 1");
	expect_refusal("series.assay", "UPDATE point SET series=9", -EBADMSG, "table point, row 1");
	expect_refusal("kind.assay", "UPDATE series SET kind=7", -EBADMSG, "table series, row 1");
	expect_refusal("infinite.assay", "UPDATE point SET value=9e999", -EBADMSG, "table point");
	expect_refusal("ids.assay", "UPDATE series SET id=id+1 WHERE id=2", -EBADMSG,
		       "table series, row 2");
	expect_refusal("span.assay", "UPDATE span SET t0_ns=10,t1_ns=9", -EBADMSG, "table span");
}

/* Whatever part of the file is missing or overwritten: an answer, never a crash. */
TEST(truncated_and_overwritten_files_are_survived)
{
	const char *path = written("whole.assay");
	CLEANUP(mem_cleanup) char *image = malloc(1 << 20);
	FILE *f = fopen(path, "rb");
	size_t len = fread(image, 1, 1 << 20, f), refused = 0;

	fclose(f);
	for (size_t n = 0; n < len; n += 509) {
		struct error err = ERROR_INIT;
		struct run *r = NULL;

		if (store_read_image((struct str){ image, n }, "cut", &r, &err) < 0)
			refused++;
		run_free(r);
	}
	ASSERT_INT(refused, (len + 508) / 509);
	for (size_t at = 0; at < len; at += 61) {
		struct error err = ERROR_INIT;
		struct run *r = NULL;
		char kept = image[at];

		image[at] = (char)~kept;
		store_read_image((struct str){ image, len }, "bent", &r, &err);
		run_free(r);
		image[at] = kept;
	}
}

TEST(an_image_is_read_like_a_file)
{
	const char *path = written("image.assay");
	CLEANUP(mem_cleanup) char *image = malloc(1 << 20);
	CLEANUP(cleanup_run) struct run *r = NULL;
	struct error err = ERROR_INIT;
	FILE *f = fopen(path, "rb");
	size_t len = fread(image, 1, 1 << 20, f);

	fclose(f);
	ASSERT_OK_ERR(store_read_image((struct str){ image, len }, "image", &r, &err), err);
	check(r);
}
