#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "store/store_internal.h"

const struct store_table store_tables[] = {
	{ "meta", "CREATE TABLE meta(key TEXT PRIMARY KEY,value TEXT NOT NULL)WITHOUT ROWID" },
	{ "series", "CREATE TABLE series(id INTEGER PRIMARY KEY,name TEXT NOT NULL,"
		    "unit TEXT NOT NULL,labels TEXT NOT NULL,kind INTEGER NOT NULL)" },
	{ "point", "CREATE TABLE point(series INTEGER NOT NULL,t_ns INTEGER NOT NULL,"
		   "value REAL NOT NULL)" },
	{ "dist", "CREATE TABLE dist(metric TEXT NOT NULL,tags TEXT NOT NULL,unit TEXT NOT NULL,"
		  "t0_ns INTEGER NOT NULL,t1_ns INTEGER NOT NULL,hist BLOB NOT NULL)" },
	{ "span", "CREATE TABLE span(kind TEXT NOT NULL,name TEXT NOT NULL,"
		  "t0_ns INTEGER NOT NULL,t1_ns INTEGER NOT NULL)" },
	{ "exemplar",
	  "CREATE TABLE exemplar(method TEXT NOT NULL,url TEXT NOT NULL,status INTEGER NOT NULL,"
	  "intended_ns INTEGER NOT NULL,start_ns INTEGER NOT NULL,end_ns INTEGER NOT NULL,"
	  "blocked_ns INTEGER NOT NULL,connecting_ns INTEGER NOT NULL,tls_ns INTEGER NOT NULL,"
	  "sending_ns INTEGER NOT NULL,waiting_ns INTEGER NOT NULL,"
	  "receiving_ns INTEGER NOT NULL)" },
	{ "loss", "CREATE TABLE loss(source TEXT NOT NULL,what TEXT NOT NULL,"
		  "count INTEGER NOT NULL)" },
	{ NULL, NULL },
};

int store_errno(sqlite3 *db)
{
	int system = sqlite3_system_errno(db);

	switch (sqlite3_errcode(db) & 0xff) {
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_TOOBIG:
		return -E2BIG;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
	case SQLITE_SCHEMA:
	case SQLITE_ERROR:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		return -EBADMSG;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	default:
		return system > 0 ? -system : -EIO;
	}
}

int store_error(sqlite3 *db, struct error *reterr, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(reterr, store_errno(db), "%s: %s", what, sqlite3_errmsg(db));
}
