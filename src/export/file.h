/*
 * file.h - where outputs that are files write: plain, compressed when the name ends in ".gz", or
 * our standard output when it is "-". Lines are collected in f->text; what cannot be written is
 * counted as lost by the output. One thread at a time.
 */
#ifndef ASSAY_EXPORT_FILE_H
#define ASSAY_EXPORT_FILE_H

#include "export/output.h"

struct export_file {
	struct export_output *owner;
	struct strbuf text; /* not written yet */
	uint64_t pending;   /* points in it */
	char *path;
	int fd;
	bool waits;	      /* a pipe or a terminal: somebody must read */
	struct z_stream_s *z; /* NULL = plain */
	char *zbuf;
	int failed; /* the first errno, negative; 0 = none */
};

/* Opens (and truncates) the file. */
int export_file_open(struct export_file *f, struct export_output *owner, const char *path,
		     int stdout_fd, struct error *reterr);

/* A point's line is complete; writes when much has come together. */
void export_file_line(struct export_file *f);

void export_file_flush(struct export_file *f);

/* Writes the rest and closes. Does nothing when the file is not open. */
void export_file_close(struct export_file *f);

#endif
