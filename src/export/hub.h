/*
 * hub.h - between the workers, which make points, and the outputs, which take them. A worker fills
 * a block of fixed size; a full one is put into the queue of every output, which share it. Each
 * output has a thread and a queue with a limit: a block that finds a queue full is lost for that
 * output and counted, and nobody waits.
 */
#ifndef ASSAY_EXPORT_HUB_H
#define ASSAY_EXPORT_HUB_H

#include "export/output.h"

/* Points in a block, and blocks one output's queue takes. */
#define EXPORT_BATCH	   1024
#define EXPORT_QUEUE_LIMIT 512

struct export_hub;

/* Begins the outputs and starts their threads; run and outputs are borrowed. When one cannot begin,
 * those before it are ended, and the error says which it was. */
int export_hub_open(struct export_hub **ret, const struct export_run *run,
		    struct export_output *const *outputs, size_t n, struct error *reterr);

/* Waits until the outputs have taken what is queued, in bounded time each, and have ended; then
 * export_output_lost() has the last word. NULL in, nothing done. */
void export_hub_close(struct export_hub *h);

/*
 * Points collected by one thread. export_add() hands the block over when it is full, export_flush()
 * at once; neither waits. A batch is used by one thread at a time and freed before
 * export_hub_close().
 */
struct export_batch;

struct export_batch *export_batch_new(struct export_hub *h);
void export_batch_free(struct export_batch *b); /* flushes; NULL in, nothing done */
void export_add(struct export_batch *b, const struct export_point *p);
void export_flush(struct export_batch *b);

#endif
