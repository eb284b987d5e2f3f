/*
 * csv.h - records of a CSV text (RFC 4180), as Go's encoding/csv takes it, which k6 reads with: a
 * field in quotes may hold delimiters and line breaks, "" in it is one quote; lines that are empty
 * are skipped; "\r\n" is read as "\n"; blanks belong to the field; every record has as many fields
 * as the first one. Encodings are not looked at.
 */
#ifndef ASSAY_LOAD_CSV_H
#define ASSAY_LOAD_CSV_H

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"

#define LOAD_CSV_FIELDS_MAX 10000

struct load_csv {
	struct str rest; /* borrowed: what has not been read */
	char delimiter;
	uint64_t line; /* of what comes next, from 1 */
	size_t width;  /* fields of the first record; 0 = there was none yet */
	/* the record that was read last */
	struct strbuf text;
	VEC(struct str) fields; /* in text, terminated */
};

void load_csv_init(struct load_csv *csv, struct str text, char delimiter);
void load_csv_release(struct load_csv *csv);

/* 1: a record is in fields, until the next call; 0: there are no more; -EINVAL with the line. */
int load_csv_next(struct load_csv *csv, struct error *reterr);

#endif
