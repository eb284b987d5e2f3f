#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "experiment/case_run.h"
#include "report/report.h"

struct flags {
	const char *output, *warmup;
	double rate;
	uint64_t duration_ns, runs;
	struct opt_list set;
	bool quiet, json;
};

static const struct opt options[] = {
	{ "output", 'o', OPT_STRING, offsetof(struct flags, output), "DIR",
	  "Folder for the runs and the page (default: the case's name and the time)", "dir" },
	{ "rate", 0, OPT_DOUBLE, offsetof(struct flags, rate), "N",
	  "Drive N arrivals per second instead of the file's rate", NULL },
	{ "duration", 'd', OPT_DURATION, offsetof(struct flags, duration_ns), "TIME",
	  "Measured part of each run", NULL },
	{ "warmup", 0, OPT_STRING, offsetof(struct flags, warmup), "TIME",
	  "Sent before it and not counted; auto: until throughput is stable", "auto" },
	{ "runs", 0, OPT_UINT, offsetof(struct flags, runs), "N", "Runs of each variant", NULL },
	{ "set", 0, OPT_LIST, offsetof(struct flags, set), "NAME=VALUE",
	  "Value of a ${NAME} in the case file", NULL },
	{ "json", 0, OPT_FLAG, offsetof(struct flags, json), NULL,
	  "Print case.json instead of the table", NULL },
	{ "quiet", 'q', OPT_FLAG, offsetof(struct flags, quiet), NULL, "No progress", NULL },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay case run labs/bookstore/case-c.yaml",
	  "the bookstore: slow, each suspect removed alone, fixed" },
	{ "assay case run case.yaml --duration 15s --runs 3 -o out/tuesday",
	  "shorter runs, three of each variant, into a folder of your choice" },
	{ "assay case run case.yaml --rate 700", "the rate is given, not searched" },
	{ 0 },
};

static atomic_int stop;

/* The first signal ends the present run early and keeps what it measured, the second ends all. */
static void on_signal(int number)
{
	(void)number;
	atomic_fetch_add(&stop, 1);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void show_progress(void *arg, const struct case_progress *p)
{
	const struct flags *f = arg;

	if (!f->quiet)
		term_progress("[%u/%u] %s %3.0f %%  %s", p->done + 1, p->total, p->step,
			      p->share * 100, p->detail);
}

static void show_note(void *arg, const char *text)
{
	const struct flags *f = arg;

	if (f->quiet)
		return;
	term_progress_end();
	fprintf(stderr, "%s\n", text);
}

static int render(void *arg, const char *dir, const struct case_finding *finding,
		  struct error *reterr)
{
	(void)arg;
	return report_write_folder(dir, finding, reterr);
}

static int apply_flags(const struct flags *f, struct case_file *c, struct error *reterr)
{
	if (f->rate > 0)
		c->load.rate = f->rate;
	if (f->duration_ns)
		c->load.duration_ns = f->duration_ns;
	if (f->runs)
		c->runs = f->runs;
	if (!f->warmup)
		return 0;
	if (!strcmp(f->warmup, "auto"))
		c->load.warmup_ns = CASE_WARMUP_AUTO;
	else if (duration_parse(str_from(f->warmup), &c->load.warmup_ns) < 0)
		return error_set(reterr, -EINVAL, "--warmup takes a duration or auto, not \"%s\"",
				 f->warmup);
	return 0;
}

/* "NAME=VALUE" words into pairs; the pairs' text is the caller's to free. */
static int split_pairs(const struct opt_list *list, struct case_pairs *ret, struct error *reterr)
{
	vec_for_each (list, word) {
		const char *eq = strchr(*word, '=');

		if (!eq || eq == *word)
			return error_set(reterr, -EINVAL, "--set takes NAME=VALUE, not \"%s\"",
					 *word);
		vec_push(ret, ((struct case_pair){ xstrndup(*word, (size_t)(eq - *word)),
						   xstrdup(eq + 1) }));
	}
	return 0;
}

static void free_pairs(struct case_pairs *pairs)
{
	vec_for_each (pairs, p) {
		free(p->name);
		free(p->value);
	}
	vec_release(pairs);
}

/* "bookstore checkout (C)" and the time: bookstore-checkout-c-20261201-120000 */
static char *default_folder(const char *name)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	char stamp[32];
	time_t now = time(NULL);
	struct tm utc;

	for (const char *c = name; *c; c++) {
		bool word = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ||
			    (*c >= 'A' && *c <= 'Z');

		if (word)
			strbuf_addch(&sb, (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c));
		else if (sb.len && sb.ptr[sb.len - 1] != '-')
			strbuf_addch(&sb, '-');
	}
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", gmtime_r(&now, &utc));
	strbuf_addf(&sb, "%s%s", sb.len && sb.ptr[sb.len - 1] != '-' ? "-" : "", stamp);
	return strbuf_detach(&sb);
}

static int print_result(const struct flags *f, const char *dir, const struct case_finding *finding)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	term_progress_end();
	if (f->json)
		report_json(&text, finding);
	else
		report_text(&text, finding, term_columns(stdout));
	fputs(strbuf_cstr(&text), stdout);
	if (!f->json)
		printf("\nThe page: %s/report.html\n", dir);
	return finding->exit_code;
}

static int run_case(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	CLEANUP(cleanup_case_file) struct case_file *c = NULL;
	CLEANUP(cleanup_case_finding) struct case_finding *finding = NULL;
	CLEANUP(free_pairs) struct case_pairs set = { 0 };
	CLEANUP(mem_cleanup) char *dir = NULL;
	struct error err = ERROR_INIT;
	int exit_code = EXIT_UNMEASURED, r;

	if (case_file_load(a->args[0], &c, &err) < 0 || apply_flags(f, c, &err) < 0 ||
	    split_pairs(&f->set, &set, &err) < 0) {
		term_error("case run", &err);
		return EXIT_USAGE;
	}
	dir = f->output ? xstrdup(f->output) : default_folder(c->name);
	catch_signals();
	r = case_run(c,
		     &(struct case_run_opts){
			     .out_dir = dir,
			     .command_line = a->command_line,
			     .set = set.ptr,
			     .n_set = set.len,
			     .stop = &stop,
			     .progress = show_progress,
			     .note = show_note,
			     .render = render,
			     .arg = a->opts,
		     },
		     &finding, &err);
	if (finding)
		exit_code = print_result(f, dir, finding);
	if (r < 0) {
		term_error("case run", &err);
		return EXIT_UNMEASURED;
	}
	return exit_code;
}

const struct verb verb_case_run = {
	.name = "case run",
	.summary = "Run a whole case: every variant, the same load, one page",
	.usage = "[options] CASE.yaml",
	.about = "Starts the case's target fresh for each run, under its limits; checks that every "
		 "variant\n"
		 "gives the same answers; warms up; drives the same load; watches the target from "
		 "outside;\n"
		 "and writes a folder with a run file per run and the page (report.html, "
		 "report.md,\n"
		 "case.json). Exit code: 0 when the last variant meets the target with equal "
		 "answers, 1\n"
		 "when it does not, 3 when the runs are invalid or cannot tell.",
	.opts = options,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_case,
};
