/*
 * k6json.h - `--out json=FILE`, k6's JSON lines: one "Metric" record when a metric is first seen,
 * then a "Point" a sample. Formatting and writing are the business of a thread of its own. Workers
 * hand over batches; the queue between has a limit, and a batch that finds it full is dropped and
 * counted: a slow disk costs records, never a VU's time.
 *
 * This folder does not know the load engine, so a point names its metric by an index and its tags
 * by a pointer that means something to opts.tags_fmt() only. What the pointer leads to must not
 * change and must live until k6json_close(); the text made of it is kept, so that each set is
 * formatted once.
 */
#ifndef ASSAY_EXPORT_K6JSON_H
#define ASSAY_EXPORT_K6JSON_H

#include "base/error.h"
#include "base/json.h"

/* Points in one batch, and batches the queue takes. */
#define K6JSON_BATCH	   1024
#define K6JSON_QUEUE_LIMIT 512

struct k6json_metric {
	const char *name;
	const char *type;	/* "counter", "gauge", "rate", "trend" */
	const char *contains;	/* "default", "time", "data" */
	const char *thresholds; /* a JSON array of their texts; NULL = none */
};

struct k6json_point {
	uint32_t metric;
	uint32_t vu;   /* metadata, when k6json_opts.vu; 0 = not of a VU: neither this nor iter */
	uint64_t iter; /* likewise */
	const void *tags;
	uint64_t t_ns; /* CLOCK_MONOTONIC */
	double value;
};

struct k6json_opts {
	/* The definition of a metric; called on the writer's thread, once each. */
	void (*metric)(void *arg, uint32_t metric, struct k6json_metric *ret);
	/* Writes the members of a tag set; called on the writer's thread. */
	void (*tags_fmt)(void *arg, const void *tags, struct json_writer *w);
	void *arg;
	int64_t wall_anchor_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	bool vu, iter;		/* put them into the metadata */
};

struct k6json;

/* Opens (and truncates) the file and starts the thread. A name that ends in ".gz" is -ENOTSUP: k6
 * compresses those. */
int k6json_open(const char *path, const struct k6json_opts *opts, struct k6json **ret,
		struct error *reterr);

/*
 * Points collected by one thread. k6json_add() hands the batch over when it is full, k6json_flush()
 * at once; neither waits for the disk. A batch is used by one thread at a time and freed before
 * k6json_close().
 */
struct k6json_batch;

struct k6json_batch *k6json_batch_new(struct k6json *k);
void k6json_batch_free(struct k6json_batch *b); /* flushes; NULL in, nothing done */
void k6json_add(struct k6json_batch *b, const struct k6json_point *p);
void k6json_flush(struct k6json_batch *b);

/* Points lost because the queue was full or the file could not be written, as far as batches were
 * flushed since. Any thread. */
uint64_t k6json_lost(struct k6json *k);

/* Writes what is queued, ends the thread and closes the file. A write that failed at any time is
 * reported here, once. k is freed in any case; NULL in, 0 out. */
int k6json_close(struct k6json *k, struct error *reterr);

#endif
