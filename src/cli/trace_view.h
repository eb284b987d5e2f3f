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
	const char *state, *weight, *names;
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

/* A line or two on stderr about what limits trust: cut off, lost events, frames without names. */
void trace_view_warn(const struct dotnet_trace *t);

/* "process …, 10.0 s, 68,865 samples on 9 threads, one each 1.11 ms" */
void trace_view_about(const struct dotnet_trace *t, struct strbuf *out);

#endif
