/*
 * case_file.h - what a case file says (docs/formats/case-file.md), checked and with defaults filled
 * in. Text may hold ${NAME} placeholders, which are filled per run by case_vars (case_vars.h).
 * All memory belongs to the struct.
 */
#ifndef ASSAY_EXPERIMENT_CASE_FILE_H
#define ASSAY_EXPERIMENT_CASE_FILE_H

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

struct case_pair {
	char *name, *value;
};

struct case_pairs {
	struct case_pair *ptr;
	size_t len, cap;
};

/* One way of running the service; the first is the base, the last the fix. */
struct case_variant {
	char *name, *description;
	struct case_pairs vars; /* its own placeholders, such as ENDPOINT */
};

/* A suspicion of a review and the variant that removes only this. */
struct case_suspect {
	char *text, *removed_by;
};

/* A request that every variant must answer alike. */
struct case_request {
	char *method, *path, *body;
};

struct case_target {
	VEC(char *) command; /* empty: the target runs already */
	struct case_pairs env;
	uint64_t pid; /* 0 = none; an existing process to observe */
	char *cgroup; /* NULL, or an existing group to observe */
	char *url;    /* base URL; may use ${PORT} */
	double cpus;  /* 0 = no limit */
	uint64_t period_ns;
	uint64_t memory_bytes; /* 0 = no limit */
	char *ready_path;
	uint64_t ready_timeout_ns;
	char *metrics_path; /* NULL = no Prometheus text */
	char *histogram;    /* the server's own latency histogram, in seconds */
	char *cache_path;   /* NULL = no cache figures */
};

enum { CASE_RATE_AUTO = 0, CASE_WARMUP_AUTO = UINT64_MAX };

struct case_load {
	char *script;
	struct case_pairs env;
	double rate; /* arrivals per second, CASE_RATE_AUTO = search */
	double goal; /* rate that the service must carry one day; 0 = none */
	uint64_t duration_ns;
	uint64_t warmup_ns; /* CASE_WARMUP_AUTO = until throughput is stable */
	uint64_t vus;	    /* 0 = rate * 10 * SLO, at least 50 */
};

struct case_slo {
	char *metric;
	double quantile; /* 0.99 */
	double limit_ms;
};

/* What only a person can know; NULL where the file does not say. */
struct case_texts {
	char *symptom, *since, *root_cause, *fix, *fix_commit, *owner;
	VEC(char *) open_items;
};

struct case_file {
	char *path, *dir; /* of the file; relative paths in it start at dir */
	char *name;
	struct case_target target;
	struct case_load load;
	struct case_slo slo;
	uint64_t runs;
	VEC(struct case_variant) variants;
	VEC(struct case_suspect) suspects;
	VEC(struct case_request) same_answers;
	struct case_texts texts;
};

/* text is the file's content, path its name for messages and for dir. The caller frees *ret. */
int case_file_parse(struct str text, const char *path, struct case_file **ret,
		    struct error *reterr);

/* Reads and parses the file. */
int case_file_load(const char *path, struct case_file **ret, struct error *reterr);
struct case_file *case_file_free(struct case_file *c); /* NULL in, NULL out */
DEFINE_CLEANUP(case_file, struct case_file *, case_file_free)

#endif
