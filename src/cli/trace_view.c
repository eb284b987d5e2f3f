#include "cli/trace_view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/fmt.h"
#include "cli/term.h"
#include "os/clock.h"
#include "report/columns.h"

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

static int read_charge(const struct trace_flags *f, struct profile_view_opts *ret,
		       struct error *reterr)
{
	bool in_ms = f->weight && !strcmp(f->weight, "ms");
	bool gap = f->charge && !strcmp(f->charge, "gap");

	if (f->weight && !in_ms && strcmp(f->weight, "samples") != 0)
		return error_set(reterr, -EINVAL, "--weight %s: expected samples or ms", f->weight);
	if (f->charge && !gap && strcmp(f->charge, "tick") != 0)
		return error_set(reterr, -EINVAL, "--charge %s: expected tick or gap", f->charge);
	if (f->charge && f->weight && !in_ms)
		return error_set(reterr, -EINVAL, "--charge %s is about time: not with --weight %s",
				 f->charge, f->weight);
	if (f->charge || in_ms)
		ret->charge = gap ? PROFILE_CHARGE_GAP : PROFILE_CHARGE_TICK;
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
	if (read_charge(f, ret, reterr) < 0)
		return -EINVAL;
	return read_state(f->state, &ret->state, reterr);
}

int trace_view_open(const struct trace_flags *f, const char *path, struct profile_view_opts *ret,
		    struct dotnet_trace *ret_trace, struct error *reterr)
{
	*ret_trace = (struct dotnet_trace){ 0 };
	if (trace_view_opts(f, ret, reterr) < 0 || dotnet_trace_read(path, ret_trace, reterr) < 0)
		return -EINVAL;
	ret->interval_ns = (int64_t)llround(ret_trace->interval_ms * 1e6);
	trace_view_warn(ret_trace);
	if (ret->charge != PROFILE_CHARGE_TICK || ret->interval_ns > 0)
		return 0;
	return error_set(reterr, -ENODATA,
			 "%s: no thread was seen twice: the time between samples is unknown", path);
}

int trace_view_find(const struct profile_view *v, const char *pattern, const char *flag,
		    uint32_t *ret, struct error *reterr)
{
	struct pattern *p;
	double best = -1;

	if (pattern_parse(str_from(pattern), &p, reterr) < 0)
		return error_wrap(reterr, "--%s", flag);
	vec_for_each (&v->rows, r)
		if (r->inc > best && pattern_matches(p, v->names.ptr[r->name])) {
			best = r->inc;
			*ret = r->name;
		}
	pattern_free(p);
	return best < 0 ? error_set(reterr, -ENOENT, "no frame matches %s", pattern) : 0;
}

/* What a terminal cannot show, or would obey, becomes '?'. */
static void add_shown(struct strbuf *out, struct str name)
{
	bool utf8 = term_is_utf8();

	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.ptr[i];

		if (c >= 0x20 && (c < 0x7f || (c > 0x7f && utf8)))
			strbuf_addch(out, (char)c);
		else if ((c & 0xc0) != 0x80) /* one for all bytes of a character */
			strbuf_addch(out, '?');
	}
}

/* Where the name without its first part begins: behind '!', or the next '.' or '+' that is not
 * within brackets; 0 = it has but one. */
static size_t behind_first_part(struct str name)
{
	size_t at = str_find(name, '!');
	unsigned depth = 0;

	if (at + 1 < name.len)
		return at + 1;
	for (at = 0; at + 1 < name.len && name.ptr[at] != '('; at++) {
		depth += name.ptr[at] == '[' || name.ptr[at] == '<';
		depth -= depth && (name.ptr[at] == ']' || name.ptr[at] == '>');
		if (at && !depth && strchr(".+", name.ptr[at]) && name.ptr[at - 1] != '.')
			return at + 1;
	}
	return 0;
}

/* "Box`1[System.__Canon].Run()" -> "Box`1.Run()", and with "()" for arguments. */
static void add_brief(struct strbuf *out, struct str name, bool type_arguments)
{
	size_t arguments = str_find(name, '('), end = name.len;
	unsigned depth = 0;

	for (size_t i = 0; i < arguments; i++) {
		depth += name.ptr[i] == '[';
		if (type_arguments || !depth)
			strbuf_addch(out, name.ptr[i]);
		depth -= depth && name.ptr[i] == ']';
	}
	if (arguments == name.len)
		return;
	while (end > arguments && name.ptr[end - 1] != ')')
		end--;
	strbuf_addstr(out, "()");
	if (end > arguments)
		strbuf_add(out, name.ptr + end, name.len - end);
}

static void cut_front(struct strbuf *text, size_t cells)
{
	struct str rest = strbuf_str(text);
	size_t width = columns_width(strbuf_cstr(text)), behind;

	while (width > cells && (behind = behind_first_part(rest))) {
		rest = (struct str){ rest.ptr + behind, rest.len - behind };
		width = columns_width(rest.ptr);
	}
	while (columns_width(rest.ptr) > cells && rest.len)
		do
			rest = (struct str){ rest.ptr + 1, rest.len - 1 };
		while (rest.len && ((unsigned char)*rest.ptr & 0xc0) == 0x80);
	strbuf_consume(text, (size_t)(rest.ptr - text->ptr));
}

void trace_view_name(const char *name, size_t cells, bool arguments, struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf brief = STRBUF_INIT, shown = STRBUF_INIT;
	bool long_one = cells && columns_width(name) > cells;

	if (!arguments)
		add_brief(&brief, str_from(name), !long_one);
	add_shown(&shown, arguments ? str_from(name) : strbuf_str(&brief));
	if (cells && columns_width(strbuf_cstr(&shown)) > cells) {
		cut_front(&shown, cells - 2);
		strbuf_addstr(out, term_is_utf8() ? "\u2026" : "..");
	}
	strbuf_addstr(out, strbuf_cstr(&shown));
}

void trace_view_warn(const struct dotnet_trace *t)
{
	if (t->truncated)
		fprintf(stderr, "assay trace: the trace is cut off: %s\n", t->truncated);
	if (t->counts.lost)
		fprintf(stderr, "assay trace: %llu events were lost while it was taken\n",
			(unsigned long long)t->counts.lost);
	if ((t->cpu.samples.len || t->alloc.events > t->alloc.without_stack) && !t->methods)
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
