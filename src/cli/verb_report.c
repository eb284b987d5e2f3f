#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/term.h"
#include "cli/verb.h"
#include "os/file.h"
#include "report/report.h"
#include "store/reader.h"

#define JSON_MAX (64 << 20)
#define RUNS_MAX 1000

struct flags {
	bool json;
};

struct runs {
	struct run **ptr;
	size_t len, cap;
};

static void free_runs(struct runs *runs)
{
	vec_for_each (runs, r)
		run_free(*r);
	vec_release(runs);
}

static int is_run_file(const struct dirent *e)
{
	return str_ends_with(str_from(e->d_name), STR(".assay"));
}

static void free_names(struct dirent **names, int n)
{
	while (n-- > 0)
		free(names[n]);
	free(names);
}

/* A file that cannot be read is said and left out: the page then tells which run is missing. */
static void read_one(struct runs *runs, const char *dir, const char *name)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/%s", dir, name);
	struct error err = ERROR_INIT;
	struct run *r = NULL;

	if (store_read(path, &r, &err) < 0)
		term_error("report", &err);
	else
		vec_push(runs, r);
}

static int read_runs(struct runs *runs, const char *dir, struct error *reterr)
{
	struct dirent **names;
	int n = scandir(dir, &names, is_run_file, alphasort), r = 0;

	if (n < 0)
		return error_errno(reterr, -errno, "listing %s", dir);
	if (n > RUNS_MAX)
		r = error_set(reterr, -E2BIG, "%s holds %d run files; at most %d are read", dir, n,
			      RUNS_MAX);
	for (int i = 0; i < n && r == 0; i++)
		read_one(runs, dir, names[i]->d_name);
	free_names(names, n);
	return r;
}

static int read_desc(const char *dir, struct case_desc **ret, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/case.json", dir);
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int r = file_read(path, JSON_MAX, &text, reterr);

	if (r == -ENOENT)
		return error_set(reterr, r,
				 "%s is not there: give a folder that assay case run wrote", path);
	return r < 0 ? r : report_read_desc(strbuf_str(&text), path, ret, reterr);
}

static int render(const char *dir, struct case_finding **ret, struct error *reterr)
{
	CLEANUP(cleanup_case_desc) struct case_desc *desc = NULL;
	CLEANUP(free_runs) struct runs runs = { 0 };
	int r = read_desc(dir, &desc, reterr);

	if (r == 0)
		r = read_runs(&runs, dir, reterr);
	if (r == 0)
		r = analyze_case(desc, runs.ptr, runs.len, ret, reterr);
	if (r == 0)
		r = report_write_folder(dir, *ret, reterr);
	return r;
}

static int run_report(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	CLEANUP(cleanup_case_finding) struct case_finding *finding = NULL;
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (render(a->args[0], &finding, &err) < 0) {
		term_error("report", &err);
		return EXIT_UNMEASURED;
	}
	if (f->json)
		report_json(&text, finding);
	else
		report_text(&text, finding, term_columns(stdout));
	fputs(strbuf_cstr(&text), stdout);
	if (!f->json)
		printf("\nThe page: %s/report.html\n", a->args[0]);
	return finding->exit_code;
}

static const struct opt opts[] = {
	{ "json", 0, OPT_FLAG, offsetof(struct flags, json), NULL,
	  "Print case.json instead of the table" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay report bookstore-checkout-20261201-120000", "the page once more" },
	{ "assay report --json out/tuesday | jq .verdict", "the verdict for a script" },
	{ 0 },
};

const struct verb verb_report = {
	.name = "report",
	.summary = "Make a case's page again from its stored runs",
	.usage = "[options] FOLDER",
	.about = "Reads case.json and the run files (*.assay) of a folder that assay case run "
		 "wrote, "
		 "judges\n"
		 "them again, and writes report.html, report.md and case.json anew. Texts in "
		 "case.json\n"
		 "(since when, fix commit, open items) may be edited before.\n"
		 "\n"
		 "The exit code is that of the verdict: 0 the last variant meets the target, 1 it "
		 "does not,\n"
		 "3 the runs are invalid or cannot tell.",
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "dir",
	.run = run_report,
};
