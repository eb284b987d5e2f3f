/* assay trace export: a trace as a file of another tool. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/term.h"
#include "cli/trace_view.h"
#include "os/file.h"
#include "profile/export.h"

struct flags {
	struct trace_flags view; /* first: TRACE_VIEW_OPTS */
	const char *format, *output, *baseline;
};

static int write_speedscope(const struct export_source *s, struct strbuf *out, struct error *reterr)
{
	(void)reterr;
	export_speedscope(s, out);
	return 0;
}

static int write_chrome(const struct export_source *s, struct strbuf *out, struct error *reterr)
{
	if (s->opts->charge == PROFILE_CHARGE_OWN)
		return error_set(reterr, -ENODATA, "chrome's format shows time, and %s",
				 s->interval_ns > 0
					 ? "--weight samples has none"
					 : "no thread was seen twice: the time between samples is "
					   "unknown");
	export_chrome(s, out);
	return 0;
}

static int write_firefox(const struct export_source *s, struct strbuf *out, struct error *reterr)
{
	(void)reterr;
	export_firefox(s, out);
	return 0;
}

static int write_folded(const struct export_source *s, struct strbuf *out, struct error *reterr)
{
	(void)reterr;
	export_folded(s, out);
	return 0;
}

static int write_html(const struct export_source *s, struct strbuf *out, struct error *reterr)
{
	(void)reterr;
	export_html(s, out);
	return 0;
}

static const struct format {
	const char *name, *suffix;
	bool timed; /* samples stand for time unless --weight samples says no */
	int (*write)(const struct export_source *s, struct strbuf *out, struct error *reterr);
} formats[] = {
	{ "speedscope", ".speedscope.json", true, write_speedscope },
	{ "pprof", ".pb.gz", true, export_pprof },
	{ "folded", ".folded", false, write_folded },
	{ "chrome", ".chrome.json", true, write_chrome },
	{ "firefox", ".firefox.json", false, write_firefox },
	{ "html", ".html", false, write_html },
};

static const struct format *find_format(const char *name, struct error *reterr)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	error_set(reterr, -EINVAL,
		  "--format %s: expected speedscope, pprof, folded, chrome, firefox "
		  "or html",
		  name ? name : "is missing");
	return NULL;
}

/* The trace's name with another end, beside it. */
static void default_output(const char *trace, const struct format *f, struct strbuf *out)
{
	size_t len = strlen(trace);

	if (len > 9 && !strcmp(trace + len - 9, ".nettrace"))
		len -= 9;
	strbuf_addf(out, "%.*s%s", (int)len, trace, f->suffix);
}

static int write_output(const char *path, const struct strbuf *content, struct error *reterr)
{
	if (!strcmp(path, "-")) {
		if (fwrite(content->ptr, 1, content->len, stdout) == content->len &&
		    !fflush(stdout))
			return 0;
		return error_errno(reterr, -errno, "writing");
	}
	return file_write_atomic(path, strbuf_str(content), reterr);
}

/* A trace and what of it is looked at. */
struct seen {
	const char *path;
	struct profile_view_opts o;
	struct dotnet_trace t;
	struct profile_view v;
};

static void release_seen(struct seen *s)
{
	profile_view_release(&s->v);
	profile_view_opts_release(&s->o);
	dotnet_trace_release(&s->t);
}

static int see(const struct flags *f, const struct format *format, const char *path,
	       struct seen *ret, struct error *reterr)
{
	ret->path = path;
	if (trace_view_open(&f->view, path, &ret->o, &ret->t, reterr) < 0)
		return -EINVAL;
	ret->o.written = !f->view.names || strcmp(f->view.names, "raw") != 0;
	ret->o.keep_samples = strcmp(format->name, "html") != 0;
	if (format->timed && ret->o.charge == PROFILE_CHARGE_OWN && !f->view.weight &&
	    ret->o.interval_ns > 0)
		ret->o.charge = PROFILE_CHARGE_TICK;
	profile_view_make(&ret->t.cpu, &ret->o, &ret->v);
	if (ret->v.samples)
		return 0;
	return error_set(reterr, -ENODATA, "%s: no samples%s", path,
			 ret->t.cpu.samples.len ? " are left by the options" : " in it");
}

static int export_trace(const struct flags *f, const struct format *format, const struct seen *seen,
			const struct seen *baseline, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT, name = STRBUF_INIT;
	const struct dotnet_trace *t = &seen->t;
	struct export_source s = {
		.profile = &t->cpu,
		.view = &seen->v,
		.opts = &seen->o,
		.title = t->command_line ? t->command_line : seen->path,
		.pid = t->info.pid,
		.wall_ns = t->info.wall_ns,
		.interval_ns = seen->o.interval_ns,
		.baseline = baseline ? &baseline->v : NULL,
		.baseline_title = baseline ? baseline->path : NULL,
	};

	if (format->write(&s, &out, reterr) < 0)
		return -EIO;
	default_output(seen->path, format, &name);
	if (write_output(f->output ? f->output : strbuf_cstr(&name), &out, reterr) < 0)
		return -EIO;
	if (!f->output)
		printf("%s\n", strbuf_cstr(&name));
	return 0;
}

static int run(const struct flags *f, const char *path, struct error *reterr)
{
	CLEANUP(release_seen) struct seen seen = { 0 }, baseline = { 0 };
	const struct format *format = find_format(f->format, reterr);

	if (!format)
		return -EINVAL;
	if (f->baseline && strcmp(format->name, "html") != 0)
		return error_set(reterr, -EINVAL, "--baseline is for --format html");
	if (see(f, format, path, &seen, reterr) < 0 ||
	    (f->baseline && see(f, format, f->baseline, &baseline, reterr) < 0))
		return -EINVAL;
	return export_trace(f, format, &seen, f->baseline ? &baseline : NULL, reterr);
}

static int run_trace_export(const struct verb_args *a)
{
	struct error err = ERROR_INIT;

	if (run(a->opts, a->args[0], &err) < 0) {
		term_error("trace export", &err);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "format", 'f', OPT_STRING, AT(format), "FORMAT",
	  "speedscope, pprof, folded, chrome, firefox or html",
	  "speedscope pprof folded chrome firefox html" },
	{ "output", 'o', OPT_STRING, AT(output), "FILE",
	  "Where to; - is stdout (default: beside the trace)", "file" },
	{ "baseline", 0, OPT_STRING, AT(baseline), "FILE",
	  "Another trace; a flame graph then shows what grew and shrank", "file" },
	TRACE_VIEW_OPTS,
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace export app.nettrace -f speedscope", "app.speedscope.json, a lane a thread" },
	{ "assay trace export app.nettrace -f pprof -o app.pb.gz --state managed",
	  "for go tool pprof" },
	{ "assay trace export app.nettrace -f folded -o - --inc Checkout | flamegraph.pl",
	  "through a pipe" },
	{ "assay trace export after.nettrace -f html --baseline before.nettrace",
	  "a flame graph of what changed" },
	{ 0 },
};

const struct verb verb_trace_export = {
	.name = "trace export",
	.summary = "A trace as a flame graph, or for speedscope, pprof, Chrome or Firefox",
	.usage = "--format FORMAT [options] FILE.nettrace",
	.about = "Writes what a trace holds, as the options choose it, for another tool. Those "
		 "that\n"
		 "show time show a sample as one interval of the sampler, at most: where nobody\n"
		 "looked there is nothing. --charge gap stretches a stack until the next sample, "
		 "as\n"
		 "dotnet-trace does.\n"
		 "\n"
		 "Exit codes: 0; 2 the file or an option is wrong, or nothing is left to write.",
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_export,
};
