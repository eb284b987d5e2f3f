/*
 * writer.h - writes a run file (docs/formats/run-file.md) as a sink. Calls may come from any
 * thread. What was given is committed by a thread of the writer's own at least once a second, so a
 * process that is killed leaves a readable file that lacks its last second. A failure sticks: every
 * later call returns it, and store_writer_close() says it in words; what was committed before
 * stays.
 */
#ifndef ASSAY_STORE_WRITER_H
#define ASSAY_STORE_WRITER_H

#include "model/sink.h"

struct store_writer;

/* Creates the file; -EEXIST when there is one already: a run file is never written over. */
int store_writer_open(const char *path, struct store_writer **ret, struct error *reterr);

/* The sink lives as long as the writer. Its calls return -ENOSPC when the disk is full. */
struct sink *store_writer_sink(struct store_writer *w);

/* Commits the rest and frees w in any case; 0, or the first failure there was. NULL in, 0 out. */
int store_writer_close(struct store_writer *w, struct error *reterr);

#endif
