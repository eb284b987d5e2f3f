/*
 * rig.h - a made-up run of a few metrics, whose tag sets are texts ("k=v,k2=v2"), and outputs on
 * it.
 */
#ifndef ASSAY_TESTS_EXPORT_RIG_H
#define ASSAY_TESTS_EXPORT_RIG_H

#include "export/hub.h"
#include "export/outputs.h"
#include "test.h"

/* Metrics of the run. */
enum { HTTP_REQS, MY_TREND, MY_RATE, MY_GAUGE, MY_TIME };

/* 2017-07-14T02:40:00Z at monotonic 0; system tags check, name, url. */
extern const struct export_run rig_run;

struct rig {
	struct export_run run;
	struct export_output *out;
	struct export_hub *hub;
	struct export_batch *batch;
};

/* Makes the output that text names and begins it, with variables ("NAME=value", NULL at the end)
 * or NULL. */
void rig_open(struct rig *r, const char *text, const char *const *env);
void rig_open_run(struct rig *r, const char *text, const char *const *env,
		  const struct export_run *run);

void rig_add(struct rig *r, uint32_t metric, const char *tags, uint64_t t_ns, double value);

/* Ends the output; what it lost, and why (valid until the next call). */
uint64_t rig_close(struct rig *r, const char **ret_why);

/* A name in a folder of its own. */
char *rig_temporary(void);

/* The content; the file is removed. */
struct strbuf rig_read(const char *path);

#endif
