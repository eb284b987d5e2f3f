/*
 * A run file is written row by row into one open transaction that a thread of ours commits every
 * half second. fsync is off: what must survive is the death of the process, which the page cache
 * does, not that of the machine, and an fsync during a run would disturb what is measured. The
 * rollback journal stays (a write-ahead log would leave two more files to copy), and nothing is
 * spilled before a commit, so a process killed in the middle of one leaves a journal that undoes
 * it.
 */
#include "store/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "store/store_internal.h"

#define COMMIT_NS (NS_PER_S / 2)

enum statement {
	PUT_META,
	PUT_SERIES,
	PUT_POINT,
	PUT_DIST,
	PUT_SPAN,
	PUT_EXEMPLAR,
	PUT_LOSS,
	N_PUT
};

static const char *const statements[N_PUT] = {
	[PUT_META] = "INSERT OR REPLACE INTO meta VALUES(?,?)",
	[PUT_SERIES] = "INSERT INTO series VALUES(?,?,?,?,?)",
	[PUT_POINT] = "INSERT INTO point VALUES(?,?,?)",
	[PUT_DIST] = "INSERT INTO dist VALUES(?,?,?,?,?,?)",
	[PUT_SPAN] = "INSERT INTO span VALUES(?,?,?,?)",
	[PUT_EXEMPLAR] = "INSERT INTO exemplar VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_LOSS] = "INSERT INTO loss VALUES(?,?,?)",
};

struct store_writer {
	struct sink base;
	char *path;
	sqlite3 *db;
	sqlite3_stmt *put[N_PUT];
	struct map series; /* "name\0labels" -> id + 1 as a pointer */
	struct error failure;
	bool pending; /* a transaction is open */

	pthread_mutex_t lock; /* guards all above */
	pthread_cond_t wake;
	pthread_t committer;
	bool ending;
};

/* ---- one call of a sink: lock, bind, step, unlock ---- */

static int fail(struct store_writer *w)
{
	if (!w->failure.code)
		store_error(w->db, &w->failure, "writing run file %s", w->path);
	return w->failure.code;
}

static int execute(struct store_writer *w, const char *sql)
{
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(w);
}

/* Takes the lock; the statement to bind, or NULL when the writer has failed (still locked). */
static sqlite3_stmt *begin_put(struct store_writer *w, enum statement which)
{
	pthread_mutex_lock(&w->lock);
	if (w->failure.code || (!w->pending && execute(w, "BEGIN") < 0))
		return NULL;
	w->pending = true;
	return w->put[which];
}

static int end_put(struct store_writer *w, sqlite3_stmt *st)
{
	int r;

	if (st && sqlite3_step(st) != SQLITE_DONE)
		fail(w);
	if (st)
		sqlite3_reset(st);
	r = w->failure.code;
	pthread_mutex_unlock(&w->lock);
	return r;
}

/* Text is borrowed until the step that follows at once; the reader takes no longer ones. */
static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
	sqlite3_bind_text(st, at, text, (int)strnlen(text, STORE_TEXT_MAX), SQLITE_STATIC);
}

static void bind_ns(sqlite3_stmt *st, int at, uint64_t ns)
{
	sqlite3_bind_int64(st, at, (sqlite3_int64)ns);
}

static struct store_writer *writer_of(struct sink *s)
{
	return container_of(s, struct store_writer, base);
}

static int put_meta(struct sink *s, const char *key, const char *value)
{
	struct store_writer *w = writer_of(s);
	sqlite3_stmt *st = begin_put(w, PUT_META);

	if (st) {
		bind_text(st, 1, key);
		bind_text(st, 2, value);
	}
	return end_put(w, st);
}

static int put_series(struct sink *s, const struct series_def *def, uint32_t *ret_id)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;
	struct store_writer *w = writer_of(s);
	sqlite3_stmt *st = begin_put(w, PUT_SERIES);
	uintptr_t id;

	strbuf_add(&key, def->name, strlen(def->name) + 1);
	strbuf_addstr(&key, def->labels);
	id = (uintptr_t)map_get(&w->series, strbuf_str(&key));
	if (st && !id) {
		id = w->series.len + 1;
		map_put(&w->series, strbuf_str(&key), (void *)id); /* NOLINT: an index */
		sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
		bind_text(st, 2, def->name);
		bind_text(st, 3, def->unit);
		bind_text(st, 4, def->labels);
		sqlite3_bind_int(st, 5, def->kind);
	} else {
		st = NULL;
	}
	if (id)
		*ret_id = (uint32_t)id;
	return end_put(w, st);
}

static int put_point(struct sink *s, uint32_t series_id, uint64_t t_ns, double value)
{
	struct store_writer *w = writer_of(s);
	sqlite3_stmt *st;

	if (!isfinite(value)) /* a hole says the same, and SQLite has no NaN */
		return 0;
	st = begin_put(w, PUT_POINT);
	if (st) {
		sqlite3_bind_int64(st, 1, series_id);
		bind_ns(st, 2, t_ns);
		sqlite3_bind_double(st, 3, value);
	}
	return end_put(w, st);
}

static int put_dist(struct sink *s, const struct dist *d)
{
	CLEANUP(strbuf_release) struct strbuf blob = STRBUF_INIT;
	struct store_writer *w = writer_of(s);
	sqlite3_stmt *st;

	hist_write(d->values, &blob);
	st = begin_put(w, PUT_DIST);
	if (st) {
		bind_text(st, 1, d->metric);
		bind_text(st, 2, d->tags);
		bind_text(st, 3, d->unit);
		bind_ns(st, 4, d->t0_ns);
		bind_ns(st, 5, d->t1_ns);
		sqlite3_bind_blob64(st, 6, strbuf_cstr(&blob), blob.len, SQLITE_STATIC);
	}
	return end_put(w, st);
}

static int put_span(struct sink *s, const struct span *sp)
{
	struct store_writer *w = writer_of(s);
	sqlite3_stmt *st = begin_put(w, PUT_SPAN);

	if (st) {
		bind_text(st, 1, sp->kind);
		bind_text(st, 2, sp->name);
		bind_ns(st, 3, sp->t0_ns);
		bind_ns(st, 4, sp->t1_ns);
	}
	return end_put(w, st);
}

static int put_exemplar(struct sink *s, const struct exemplar *e)
{
	const uint64_t times[] = { e->intended_ns, e->start_ns,	     e->end_ns,
				   e->blocked_ns,  e->connecting_ns, e->tls_ns,
				   e->sending_ns,  e->waiting_ns,    e->receiving_ns };
	struct store_writer *w = writer_of(s);
	sqlite3_stmt *st = begin_put(w, PUT_EXEMPLAR);

	if (st) {
		bind_text(st, 1, e->method);
		bind_text(st, 2, e->url);
		sqlite3_bind_int(st, 3, e->status);
		for (size_t i = 0; i < ARRAY_SIZE(times); i++)
			bind_ns(st, 4 + (int)i, times[i]);
	}
	return end_put(w, st);
}

static int put_loss(struct sink *s, const char *source, uint64_t count, const char *what)
{
	struct store_writer *w = writer_of(s);
	sqlite3_stmt *st = begin_put(w, PUT_LOSS);

	if (st) {
		bind_text(st, 1, source);
		bind_text(st, 2, what);
		sqlite3_bind_int64(st, 3, (sqlite3_int64)count);
	}
	return end_put(w, st);
}

static const struct sink_ops writer_ops = {
	.meta = put_meta,
	.series = put_series,
	.point = put_point,
	.dist = put_dist,
	.span = put_span,
	.exemplar = put_exemplar,
	.loss = put_loss,
};

/* ---- the thread that commits ---- */

static void commit(struct store_writer *w)
{
	if (!w->pending)
		return;
	w->pending = false;
	if (!w->failure.code)
		execute(w, "COMMIT");
}

static void *commit_now_and_then(void *arg)
{
	struct store_writer *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->ending) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += (long)COMMIT_NS;
		until.tv_sec += until.tv_nsec / (long)NS_PER_S;
		until.tv_nsec %= (long)NS_PER_S;
		pthread_cond_timedwait(&w->wake, &w->lock, &until);
		commit(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static int start_committer(struct store_writer *w, struct error *reterr)
{
	pthread_condattr_t attr;
	int r;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attr);
	pthread_condattr_destroy(&attr);
	r = pthread_create(&w->committer, NULL, commit_now_and_then, w);
	if (r)
		return error_errno(reterr, -r, "starting the thread that writes %s", w->path);
	return 0;
}

/* ---- open and close ---- */

static int create_tables(struct store_writer *w)
{
	CLEANUP(strbuf_release) struct strbuf sql = STRBUF_INIT;

	strbuf_addf(&sql,
		    "PRAGMA journal_mode=DELETE;PRAGMA synchronous=OFF;PRAGMA cache_spill=OFF;"
		    "BEGIN;PRAGMA application_id=%d;PRAGMA user_version=%d",
		    STORE_APPLICATION_ID, STORE_VERSION);
	for (const struct store_table *t = store_tables; t->name; t++)
		strbuf_addf(&sql, ";%s", t->sql);
	strbuf_addstr(&sql, ";COMMIT");
	if (execute(w, strbuf_cstr(&sql)) < 0)
		return w->failure.code;
	for (size_t i = 0; i < N_PUT; i++)
		if (sqlite3_prepare_v3(w->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &w->put[i], NULL) != SQLITE_OK)
			return fail(w);
	return 0;
}

/* SQLite has no way to ask for a new file only. */
static int create_file(const char *path, struct error *reterr)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EEXIST)
		return error_set(
			reterr, -EEXIST,
			"%s is there already and is not written over: give another name or "
			"remove it",
			path);
	if (fd < 0)
		return error_errno(reterr, -errno, "creating run file %s", path);
	close(fd);
	return 0;
}

static void free_writer(struct store_writer *w)
{
	for (size_t i = 0; i < N_PUT; i++)
		sqlite3_finalize(w->put[i]);
	sqlite3_close(w->db);
	map_release(&w->series);
	free(w->path);
	free(w);
}

int store_writer_open(const char *path, struct store_writer **ret, struct error *reterr)
{
	struct store_writer *w;
	int r = create_file(path, reterr);

	if (r < 0)
		return r;
	w = xcalloc(1, sizeof(*w));
	w->base.ops = &writer_ops;
	w->path = xstrdup(path);
	if (sqlite3_open_v2(path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		r = fail(w);
	else
		r = create_tables(w);
	if (r < 0 && reterr)
		*reterr = w->failure;
	if (r == 0)
		r = start_committer(w, reterr);
	if (r < 0) {
		free_writer(w);
		unlink(path);
		return r;
	}
	*ret = w;
	return 0;
}

struct sink *store_writer_sink(struct store_writer *w)
{
	return &w->base;
}

int store_writer_close(struct store_writer *w, struct error *reterr)
{
	int r;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->committer, NULL);
	commit(w);
	r = w->failure.code;
	if (r < 0 && reterr)
		*reterr = w->failure;
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->wake);
	free_writer(w);
	return r;
}
