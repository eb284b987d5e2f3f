/*
 * Reading trusts nothing. The schema must be that of store_tables[] to the letter, so that the
 * plain SELECTs below cannot meet a view, a trigger or a generated column of somebody else's; a row
 * count beyond what the file's size allows is damage (a page linked in twice multiplies rows
 * without end); texts and histograms have caps.
 */
#include "store/reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/store_internal.h"

#define FILE_MAX     (UINT64_C(2) << 30)
#define VALUE_MAX    (1 << 20) /* bytes of a text or histogram */
#define ROW_MIN_SIZE 4	       /* bytes that a row takes at least */

struct reader {
	sqlite3 *db;
	const char *name; /* for messages; borrowed */
	struct run *run;
	uint64_t rows_max;
};

static void close_reader(struct reader *rd)
{
	sqlite3_close(rd->db);
	run_free(rd->run);
}

static int damaged(const struct reader *rd, struct error *reterr, const char *what)
{
	return error_set(reterr, -EBADMSG, "run file %s is damaged: %s", rd->name, what);
}

/* SQLite's present error, in our words where we have some. */
static int refuse(const struct reader *rd, struct error *reterr)
{
	if ((sqlite3_errcode(rd->db) & 0xff) == SQLITE_NOTADB)
		return error_set(reterr, -EMEDIUMTYPE,
				 "%s is not a run file: give a file that assay wrote (*.assay)",
				 rd->name);
	if (store_errno(rd->db) == -EBADMSG)
		return damaged(rd, reterr, sqlite3_errmsg(rd->db));
	return store_error(rd->db, reterr, "reading run file %s", rd->name);
}

/* ---- rows ---- */

typedef int take_row_fn(struct reader *rd, sqlite3_stmt *st);

/* Text of a column; "" cannot be told from what damage left, NULL means damage. */
static const char *text_at(sqlite3_stmt *st, int column)
{
	return (const char *)sqlite3_column_text(st, column);
}

static uint64_t ns_at(sqlite3_stmt *st, int column)
{
	sqlite3_int64 v = sqlite3_column_int64(st, column);

	return v < 0 ? 0 : (uint64_t)v;
}

/* A copy of each of n text columns, or -EBADMSG with none. */
static int copy_texts(sqlite3_stmt *st, char **copies, int n)
{
	for (int i = 0; i < n; i++)
		if (!text_at(st, i))
			return -EBADMSG;
	for (int i = 0; i < n; i++)
		copies[i] = xstrdup(text_at(st, i));
	return 0;
}

static int take_meta(struct reader *rd, sqlite3_stmt *st)
{
	if (!text_at(st, 0) || !text_at(st, 1))
		return -EBADMSG;
	run_set_meta(rd->run, text_at(st, 0), text_at(st, 1));
	return 0;
}

static int take_series(struct reader *rd, sqlite3_stmt *st)
{
	struct series s = { 0 };
	char *texts[3];
	int kind = sqlite3_column_int(st, 4);

	if (sqlite3_column_int64(st, 3) != (sqlite3_int64)rd->run->series.len + 1 ||
	    (kind != SERIES_GAUGE && kind != SERIES_COUNTER) || copy_texts(st, texts, 3) < 0)
		return -EBADMSG;
	s.name = texts[0];
	s.unit = texts[1];
	s.labels = texts[2];
	s.kind = (enum series_kind)kind;
	vec_push(&rd->run->series, s);
	return 0;
}

static int take_point(struct reader *rd, sqlite3_stmt *st)
{
	uint64_t id = (uint64_t)sqlite3_column_int64(st, 0);
	double value = sqlite3_column_double(st, 2);

	if (id < 1 || id > rd->run->series.len || !isfinite(value))
		return -EBADMSG;
	vec_push(&rd->run->series.ptr[id - 1].points,
		 ((struct series_point){ ns_at(st, 1), value }));
	return 0;
}

static int take_dist(struct reader *rd, sqlite3_stmt *st)
{
	struct run_dist d = { .t0_ns = ns_at(st, 3), .t1_ns = ns_at(st, 4) };
	struct str blob = { sqlite3_column_blob(st, 5), (size_t)sqlite3_column_bytes(st, 5) };
	char *texts[3];

	if (!blob.ptr || hist_read(blob, &d.values, NULL) < 0)
		return -EBADMSG;
	if (copy_texts(st, texts, 3) < 0) {
		hist_free(d.values);
		return -EBADMSG;
	}
	d.metric = texts[0];
	d.tags = texts[1];
	d.unit = texts[2];
	vec_push(&rd->run->dists, d);
	return 0;
}

static int take_span(struct reader *rd, sqlite3_stmt *st)
{
	struct run_span s = { .t0_ns = ns_at(st, 2), .t1_ns = ns_at(st, 3) };
	char *texts[2];

	if (s.t1_ns < s.t0_ns || copy_texts(st, texts, 2) < 0)
		return -EBADMSG;
	s.kind = texts[0];
	s.name = texts[1];
	vec_push(&rd->run->spans, s);
	return 0;
}

static int take_exemplar(struct reader *rd, sqlite3_stmt *st)
{
	struct run_exemplar x = { 0 };
	uint64_t *times[] = { &x.e.intended_ns, &x.e.start_ns,	    &x.e.end_ns,
			      &x.e.blocked_ns,	&x.e.connecting_ns, &x.e.tls_ns,
			      &x.e.sending_ns,	&x.e.waiting_ns,    &x.e.receiving_ns };
	char *texts[2];

	if (copy_texts(st, texts, 2) < 0)
		return -EBADMSG;
	x.e.method = x.method = texts[0];
	x.e.url = x.url = texts[1];
	x.e.status = sqlite3_column_int(st, 2);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		*times[i] = ns_at(st, 3 + (int)i);
	vec_push(&rd->run->exemplars, x);
	return 0;
}

static int take_loss(struct reader *rd, sqlite3_stmt *st)
{
	struct run_loss l = { .count = ns_at(st, 2) };
	char *texts[2];

	if (copy_texts(st, texts, 2) < 0)
		return -EBADMSG;
	l.source = texts[0];
	l.what = texts[1];
	vec_push(&rd->run->losses, l);
	return 0;
}

/* In an order that has series before their points. */
static const struct query {
	const char *table, *sql;
	take_row_fn *take;
} queries[] = {
	{ "meta", "SELECT key,value FROM meta", take_meta },
	{ "series", "SELECT name,unit,labels,id,kind FROM series ORDER BY id", take_series },
	{ "point", "SELECT series,t_ns,value FROM point", take_point },
	{ "dist", "SELECT metric,tags,unit,t0_ns,t1_ns,hist FROM dist", take_dist },
	{ "span", "SELECT kind,name,t0_ns,t1_ns FROM span", take_span },
	{ "exemplar",
	  "SELECT method,url,status,intended_ns,start_ns,end_ns,blocked_ns,connecting_ns,tls_ns,"
	  "sending_ns,waiting_ns,receiving_ns FROM exemplar",
	  take_exemplar },
	{ "loss", "SELECT source,what,count FROM loss", take_loss },
};

static void finalize(sqlite3_stmt **st)
{
	sqlite3_finalize(*st);
}

static int read_table(struct reader *rd, const struct query *q, struct error *reterr)
{
	CLEANUP(finalize) sqlite3_stmt *st = NULL;
	char where[64];
	uint64_t rows = 0;
	int r;

	if (sqlite3_prepare_v2(rd->db, q->sql, -1, &st, NULL) != SQLITE_OK)
		return refuse(rd, reterr);
	while ((r = sqlite3_step(st)) == SQLITE_ROW) {
		if (rows++ < rd->rows_max && q->take(rd, st) == 0)
			continue;
		snprintf(where, sizeof(where), "table %s, row %llu", q->table,
			 (unsigned long long)rows);
		return damaged(rd, reterr, where);
	}
	return r == SQLITE_DONE ? 0 : refuse(rd, reterr);
}

/* ---- whose file is it? ---- */

static int read_pragma(struct reader *rd, const char *sql, int *ret, struct error *reterr)
{
	CLEANUP(finalize) sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(rd->db, sql, -1, &st, NULL) != SQLITE_OK ||
	    sqlite3_step(st) != SQLITE_ROW)
		return refuse(rd, reterr);
	*ret = sqlite3_column_int(st, 0);
	return 0;
}

static int check_owner(struct reader *rd, struct error *reterr)
{
	int id = 0, version = 0;

	if (read_pragma(rd, "PRAGMA application_id", &id, reterr) < 0 ||
	    read_pragma(rd, "PRAGMA user_version", &version, reterr) < 0)
		return reterr ? reterr->code : -EBADMSG;
	if (id != STORE_APPLICATION_ID)
		return error_set(reterr, -EMEDIUMTYPE,
				 "%s is an SQLite database, but not a run file: give a file that "
				 "assay wrote (*.assay)",
				 rd->name);
	if (version > STORE_VERSION)
		return error_set(
			reterr, -EPROTONOSUPPORT,
			"%s was written by a newer assay (schema version %d; this one reads "
			"up to %d): read it with that version",
			rd->name, version, STORE_VERSION);
	return version == STORE_VERSION ? 0 : damaged(rd, reterr, "its schema version is unknown");
}

static const char *table_sql(const char *name)
{
	for (const struct store_table *t = store_tables; t->name; t++)
		if (!strcmp(t->name, name))
			return t->sql;
	return NULL;
}

static int check_schema(struct reader *rd, struct error *reterr)
{
	CLEANUP(finalize) sqlite3_stmt *st = NULL;
	size_t tables = 0, wanted = 0;
	int r;

	if (sqlite3_prepare_v2(rd->db, "SELECT type,name,sql FROM sqlite_schema", -1, &st, NULL) !=
	    SQLITE_OK)
		return refuse(rd, reterr);
	while ((r = sqlite3_step(st)) == SQLITE_ROW) {
		const char *type = text_at(st, 0), *name = text_at(st, 1), *sql = text_at(st, 2);
		const char *ours = name ? table_sql(name) : NULL;

		if (!type || !sql || !ours || strcmp(type, "table") || strcmp(sql, ours))
			return damaged(rd, reterr, "its tables are not those of a run file");
		tables++;
	}
	if (r != SQLITE_DONE)
		return refuse(rd, reterr);
	while (store_tables[wanted].name)
		wanted++;
	return tables == wanted ? 0 : damaged(rd, reterr, "tables are missing");
}

/* ---- putting it together ---- */

static int by_time(const void *a, const void *b)
{
	const struct series_point *x = a, *y = b;

	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

/* Points of one series may come from several threads. */
static void sort_points(struct run *r)
{
	vec_for_each (&r->series, s) {
		bool sorted = true;

		for (size_t i = 1; i < s->points.len && sorted; i++)
			sorted = s->points.ptr[i - 1].t_ns <= s->points.ptr[i].t_ns;
		if (!sorted)
			qsort(s->points.ptr, s->points.len, sizeof(*s->points.ptr), by_time);
	}
}

static void harden(sqlite3 *db)
{
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_exec(db, "PRAGMA cell_size_check=ON", NULL, NULL, NULL);
}

static int read_all(struct reader *rd, struct error *reterr)
{
	int r;

	harden(rd->db);
	if (sqlite3_exec(rd->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return refuse(rd, reterr);
	r = check_owner(rd, reterr);
	if (r == 0)
		r = check_schema(rd, reterr);
	for (size_t i = 0; i < ARRAY_SIZE(queries) && r == 0; i++)
		r = read_table(rd, &queries[i], reterr);
	if (r == 0)
		sort_points(rd->run);
	return r;
}

/* A journal left by a killed writer must be played back, which a read-only connection may not. */
static bool needs_rollback(struct reader *rd)
{
	sqlite3_exec(rd->db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
	return (sqlite3_errcode(rd->db) & 0xff) == SQLITE_READONLY ||
	       (sqlite3_errcode(rd->db) & 0xff) == SQLITE_CANTOPEN;
}

static int open_file(struct reader *rd, const char *path, struct error *reterr)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return error_errno(reterr, -errno, "reading run file %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(reterr, -EMEDIUMTYPE,
				 "%s is not a run file: it is no regular file", path);
	if ((uint64_t)st.st_size > FILE_MAX)
		return error_set(reterr, -E2BIG, "run file %s has more than the %llu bytes allowed",
				 path, (unsigned long long)FILE_MAX);
	rd->rows_max = (uint64_t)st.st_size / ROW_MIN_SIZE;
	if (sqlite3_open_v2(path, &rd->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
	    !needs_rollback(rd))
		return 0;
	sqlite3_close(TAKE(rd->db));
	if (sqlite3_open_v2(path, &rd->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		return refuse(rd, reterr);
	return 0;
}

int store_read(const char *path, struct run **ret, struct error *reterr)
{
	CLEANUP(close_reader) struct reader rd = { .name = path, .run = run_new() };
	struct error err = ERROR_INIT;

	if (open_file(&rd, path, &err) < 0 || read_all(&rd, &err) < 0) {
		if (reterr)
			*reterr = err;
		return err.code;
	}
	rd.run->path = xstrdup(path);
	*ret = TAKE(rd.run);
	return 0;
}

int store_read_image(struct str image, const char *name, struct run **ret, struct error *reterr)
{
	CLEANUP(close_reader) struct reader rd = { .name = name, .run = run_new() };
	struct error err = ERROR_INIT;
	unsigned char *copy;

	if (image.len > FILE_MAX)
		return error_set(reterr, -E2BIG, "run file %s is too large", name);
	if (sqlite3_open_v2(":memory:", &rd.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		return refuse(&rd, reterr);
	copy = sqlite3_malloc64(image.len + 1);
	if (!copy)
		return error_set(reterr, -ENOMEM, "run file %s does not fit into memory", name);
	if (image.len)
		memcpy(copy, image.ptr, image.len);
	rd.rows_max = image.len / ROW_MIN_SIZE;
	/* SQLite frees the copy, whatever it answers */
	if (sqlite3_deserialize(
		    rd.db, "main", copy, (sqlite3_int64)image.len, (sqlite3_int64)image.len,
		    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) != SQLITE_OK ||
	    read_all(&rd, &err) < 0) {
		if (!err.code)
			refuse(&rd, &err);
		if (reterr)
			*reterr = err;
		return err.code;
	}
	*ret = TAKE(rd.run);
	return 0;
}
