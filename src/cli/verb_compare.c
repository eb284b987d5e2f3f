#include <stdio.h>

#include "cli/term.h"
#include "cli/verb.h"
#include "report/compare.h"
#include "store/reader.h"

struct flags {
	struct opt_list varies;
	bool json;
};

static int run_compare(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	CLEANUP(cleanup_run) struct run *first = NULL;
	CLEANUP(cleanup_run) struct run *second = NULL;
	CLEANUP(cleanup_comparison) struct comparison *c = NULL;
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (store_read(a->args[0], &first, &err) < 0 || store_read(a->args[1], &second, &err) < 0) {
		term_error("compare", &err);
		return EXIT_UNMEASURED;
	}
	c = compare_runs(first, second, f->varies.ptr, f->varies.len);
	if (f->json)
		report_compare_json(&text, c);
	else
		report_compare_text(&text, c);
	fputs(strbuf_cstr(&text), stdout);
	return c->fair ? EXIT_OK : EXIT_UNMEASURED;
}

static const struct opt opts[] = {
	{ "varies", 0, OPT_LIST, offsetof(struct flags, varies), "NAME",
	  "A name in the script's environment that may differ" },
	{ "json", 0, OPT_FLAG, offsetof(struct flags, json), NULL, "Print JSON" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay compare out/slow-1.assay out/fixed-1.assay", "two runs of a case" },
	{ "assay compare --varies ENDPOINT monday.assay tuesday.assay",
	  "the endpoint is what differs" },
	{ 0 },
};

const struct verb verb_compare = {
	.name = "compare",
	.summary = "Show two runs side by side, and whether that is fair",
	.usage = "[options] A.assay B.assay",
	.about =
		"Reads two run files and prints their figures side by side with the change from A "
		"to B.\n"
		"First comes whether the comparison is fair: the same script, environment, rate, "
		"duration,\n"
		"warm-up, limits, machine and version, both complete, and a generator that was fit "
		"in both.\n"
		"\n"
		"Percentiles say whether they differ by more than the error of sampling. One run "
		"each says\n"
		"nothing of the noise between runs: assay case run repeats runs for that.\n"
		"\n"
		"Exit code: 0 when the comparison is fair, 3 when it is not.",
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 2,
	.max_args = 2,
	.completes = "file",
	.run = run_compare,
};
