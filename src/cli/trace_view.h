/*
 * trace_view.h - what the verbs that read a trace have in common: the flags that choose what is
 * looked at, the file, and what is said of it.
 */
#ifndef ASSAY_CLI_TRACE_VIEW_H
#define ASSAY_CLI_TRACE_VIEW_H

#include "cli/verb.h"
#include "dotnet/trace.h"
#include "profile/view.h"

struct trace_flags {
	struct opt_list inc, exc, fold, group;
	double fold_percent;
	uint64_t from_ns, to_ns, thread;
	const char *state, *weight, *charge, *names;
	bool pseudo;
};

/* The flags above as options of a verb whose struct begins with them. */
#define TRACE_VIEW_OPTS                                                                             \
	{ "inc",     0,                                                                             \
	  OPT_LIST,  offsetof(struct trace_flags, inc),                                             \
	  "PATTERN", "Only stacks through a frame that matches; several must all match" },          \
		{ "exc",     0,                                                                     \
		  OPT_LIST,  offsetof(struct trace_flags, exc),                                     \
		  "PATTERN", "No stacks through a frame that matches" },                            \
		{ "fold",    0,                                                                     \
		  OPT_LIST,  offsetof(struct trace_flags, fold),                                    \
		  "PATTERN", "Frames that match vanish: what they weigh is their callers'" },       \
		{ "fold-percent",                                                                   \
		  0,                                                                                \
		  OPT_DOUBLE,                                                                       \
		  offsetof(struct trace_flags, fold_percent),                                       \
		  "N",                                                                              \
		  "Nodes of the tree below N % of the total go into their callers" },               \
		{ "group",                                                                          \
		  0,                                                                                \
		  OPT_LIST,                                                                         \
		  offsetof(struct trace_flags, group),                                              \
		  "PATTERN->NAME",                                                                  \
		  "Frames that match are called NAME; => for what a group was entered by" },        \
		{ "thread",	     0, OPT_UINT, offsetof(struct trace_flags, thread), "ID",       \
		  "Only this thread" },                                                             \
		{ "from",	0,                                                                  \
		  OPT_DURATION, offsetof(struct trace_flags, from_ns),                              \
		  "TIME",	"Only samples from so long after the start on" },                   \
		{ "to",		0,                                                                  \
		  OPT_DURATION, offsetof(struct trace_flags, to_ns),                                \
		  "TIME",	"Only samples before so long after the start" },                    \
		{ "state",	     0,                                                             \
		  OPT_STRING,	     offsetof(struct trace_flags, state),                           \
		  "WHICH",	     "Only samples in managed code, or only those outside of it",   \
		  "managed external" },                                                             \
		{ "weight",    0,                                                                   \
		  OPT_STRING,  offsetof(struct trace_flags, weight),                                \
		  "UNIT",      "samples, or ms: so many intervals of the sampler",                  \
		  "samples ms" },                                                                   \
		{ "charge",   0,                                                                    \
		  OPT_STRING, offsetof(struct trace_flags, charge),                                 \
		  "HOW",      "tick: a sample is one interval; gap: all until the next (in ms)",    \
		  "tick gap" },                                                                     \
		{ "names",	0,                                                                  \
		  OPT_STRING,	offsetof(struct trace_flags, names),                                \
		  "FORM",	"raw, as the runtime has them, or written, as a person wrote them", \
		  "raw written" },                                                                  \
	{                                                                                           \
		"pseudo-frames", 0, OPT_FLAG, offsetof(struct trace_flags, pseudo), NULL,           \
			"CPU_TIME and UNMANAGED_CODE_TIME as innermost frames"                      \
	}

/* -EINVAL naming the flag. */
int trace_view_opts(const struct trace_flags *f, struct profile_view_opts *ret,
		    struct error *reterr);

/* The same, then the file, and what limits trust in it said on stderr; the caller releases both,
 * opts on failure too. */
int trace_view_open(const struct trace_flags *f, const char *path, struct profile_view_opts *ret,
		    struct dotnet_trace *ret_trace, struct error *reterr);

/*
 * A frame's name for the terminal, in at most so many cells (0 = no limit): without its module,
 * then without the front of its namespace when it is too long. Only characters that the terminal
 * can show.
 */
void trace_view_name(const char *name, size_t cells, bool arguments, struct strbuf *out);

/* The name that matches and weighs the most, inclusive; -EINVAL for the pattern, -ENOENT. */
int trace_view_find(const struct profile_view *v, const char *pattern, const char *flag,
		    uint32_t *ret, struct error *reterr);

/* A line or two on stderr about what limits trust: cut off, lost events, frames without names. */
void trace_view_warn(const struct dotnet_trace *t);

/* "process …, 10.0 s, 68,865 samples on 9 threads, one each 1.11 ms" */
void trace_view_about(const struct dotnet_trace *t, struct strbuf *out);

#endif
