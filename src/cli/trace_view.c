#include "cli/trace_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/fmt.h"
#include "os/clock.h"

static int add_patterns(struct patterns *to, const struct opt_list *from, const char *flag,
			struct error *reterr)
{
	for (size_t i = 0; i < from->len; i++)
		if (patterns_add(to, from->ptr[i], reterr) < 0)
			return error_wrap(reterr, "--%s", flag);
	return 0;
}

static int read_state(const char *state, int *ret, struct error *reterr)
{
	if (!state)
		return 0;
	*ret = !strcmp(state, "managed") ? PROFILE_MANAGED : PROFILE_EXTERNAL;
	if (strcmp(state, "managed") != 0 && strcmp(state, "external") != 0)
		return error_set(reterr, -EINVAL, "--state %s: expected managed or external",
				 state);
	return 0;
}

int trace_view_opts(const struct trace_flags *f, struct profile_view_opts *ret,
		    struct error *reterr)
{
	*ret = (struct profile_view_opts){
		.fold_percent = f->fold_percent,
		.from_ns = (int64_t)f->from_ns,
		.to_ns = (int64_t)f->to_ns,
		.thread = f->thread,
		.pseudo_leaves = f->pseudo,
	};
	for (size_t i = 0; i < f->group.len; i++)
		if (pattern_groups_add(&ret->groups, f->group.ptr[i], reterr) < 0)
			return error_wrap(reterr, "--group");
	if (f->names && strcmp(f->names, "raw") != 0 && strcmp(f->names, "written") != 0)
		return error_set(reterr, -EINVAL, "--names %s: expected raw or written", f->names);
	if (add_patterns(&ret->inc, &f->inc, "inc", reterr) < 0 ||
	    add_patterns(&ret->exc, &f->exc, "exc", reterr) < 0 ||
	    add_patterns(&ret->fold, &f->fold, "fold", reterr) < 0)
		return -EINVAL;
	return read_state(f->state, &ret->state, reterr);
}

void trace_view_warn(const struct dotnet_trace *t)
{
	if (t->truncated)
		fprintf(stderr, "assay trace: the trace is cut off: %s\n", t->truncated);
	if (t->counts.lost)
		fprintf(stderr, "assay trace: %llu events were lost while it was taken\n",
			(unsigned long long)t->counts.lost);
	if (t->cpu.samples.len && !t->methods)
		fprintf(stderr, "assay trace: it has no names of methods (no rundown): frames are "
				"?!?\n");
}

void trace_view_about(const struct dotnet_trace *t, struct strbuf *out)
{
	if (t->command_line)
		strbuf_addf(out, "%s\n", t->command_line);
	strbuf_addf(out, "%.1f s, %zu samples of %zu threads",
		    (double)(t->last_ns - t->first_ns) / (double)NS_PER_S, t->cpu.samples.len,
		    t->cpu.threads.len);
	if (t->interval_ms > 0)
		strbuf_addf(out, ", one each %.2f ms", t->interval_ms);
	strbuf_addch(out, '\n');
}
