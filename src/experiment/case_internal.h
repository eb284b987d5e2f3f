/* case_internal.h - what the files of a case's execution share. */
#ifndef ASSAY_EXPERIMENT_CASE_INTERNAL_H
#define ASSAY_EXPERIMENT_CASE_INTERNAL_H

#include "experiment/answers.h"
#include "experiment/case_run.h"
#include "load/load.h"
#include "target/target.h"

/* A case under way. */
struct case_state {
	const struct case_file *file;
	const struct case_run_opts *opts;
	struct case_desc *desc;
	struct answers answers;
	VEC(struct run *) runs; /* read back, in the order they were made */
	uint64_t warmup_ns;
	unsigned done, total;
	char *step; /* for progress */
};

bool case_stopped(const struct case_state *s);
void case_note(const struct case_state *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void case_step(struct case_state *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- live.c: a target of one variant, up and answering ---- */

struct live {
	struct vars vars;
	struct target *target;
	struct net_fetch *fetch;
	char *log; /* the target's output; NULL when it was there already */
};

/* log_path may be NULL. On failure nothing is left running. */
int live_start(struct case_state *s, const struct case_variant *v, const char *log_path,
	       struct live *ret, struct error *reterr);
void live_stop(struct live *l, struct target_usage *ret);
const char *live_url(const struct live *l);

/* ---- drive.c: the case's script against a live target ---- */

struct drive {
	double rate; /* arrivals per second, told to the script; also for closed loops */
	unsigned vus;
	uint64_t duration_ns, warmup_ns;
	bool closed; /* vus in a closed loop instead of the script's scenarios */
	struct sink *sink;
	void (*load_begins)(void *arg); /* once, when the warm-up is over; NULL = none */
	void *arg;
};

int drive_load(struct case_state *s, struct live *l, const struct drive *d,
	       struct load_result **ret, struct error *reterr);

/* Virtual users for a rate: enough that the SLO can be missed by a factor of ten. */
unsigned drive_vus(const struct case_file *c, double rate);

/* ---- search.c ---- */

/* Finds warm-up and rate where the file says auto; fills in the description. */
int search_rate(struct case_state *s, struct error *reterr);

/* ---- measure.c ---- */

struct measure {
	const struct case_variant *variant;
	unsigned index; /* 1, 2, … within the variant */
	double rate;
	bool goal;
};

/* One run from start to run file, read back into s->runs. */
int measure_run(struct case_state *s, const struct measure *m, struct error *reterr);

#endif
