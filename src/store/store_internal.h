/* store_internal.h - the schema, shared by writer and reader. */
#ifndef ASSAY_STORE_INTERNAL_H
#define ASSAY_STORE_INTERNAL_H

#include <sqlite3.h>

#include "base/error.h"

#define STORE_APPLICATION_ID 0x41535359 /* "ASSY" */
#define STORE_VERSION	     1
#define STORE_TEXT_MAX	     (1 << 16) /* longer texts are cut when written */

/* The tables of STORE_VERSION, as SQLite keeps them in sqlite_schema; ends with a NULL name. */
struct store_table {
	const char *name;
	const char *sql;
};
extern const struct store_table store_tables[];

/* The negative errno for SQLite's present error on db. */
int store_errno(sqlite3 *db);

/* Sets "what: SQLite's words" and returns that code. */
int store_error(sqlite3 *db, struct error *reterr, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
