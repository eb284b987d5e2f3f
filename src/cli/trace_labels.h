/*
 * trace_labels.h - views in which the innermost frame says what happened (a type, an exception):
 * sums by it, and the heaviest stacks that end in it.
 */
#ifndef ASSAY_CLI_TRACE_LABELS_H
#define ASSAY_CLI_TRACE_LABELS_H

#include "base/json.h"
#include "profile/view.h"

struct label_row {
	uint32_t node; /* of the view: the innermost frame of a stack; 0 in sums by label */
	uint32_t name; /* number in the view's names */
	double weight;
	uint64_t samples;
};

struct label_rows { /* a vector */
	struct label_row *ptr;
	size_t len, cap;
};

/* Sums by innermost frame, of those whose name begins so; the heaviest first. */
void label_rows_sums(const struct profile_view *v, const char *prefix, struct label_rows *ret);

/* The stacks that end in such a frame, the heaviest first. */
void label_rows_stacks(const struct profile_view *v, const char *prefix, struct label_rows *ret);

/* The callers of a stack's innermost frame, line by line, at most so many. */
void label_add_callers(struct strbuf *out, const struct profile_view *v, uint32_t node,
		       uint64_t frames, size_t indent);
/* The same as an array "frames". */
void label_json_callers(struct json_writer *w, const struct profile_view *v, uint32_t node);

#endif
