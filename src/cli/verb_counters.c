/* assay counters collect: what a live process does, interval by interval, into a file or a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/counters.h"
#include "cli/monitor.h"
#include "cli/term.h"
#include "watch/file.h"
#include "watch/table.h"
#include "watch/tee.h"

struct flags {
	struct counters_flags common;
	const char *format, *output;
	const char *latency, *sort;
	bool table;
};

static void init(void *opts)
{
	struct flags *f = opts;

	counters_flags_init(&f->common);
	f->format = "csv";
	f->sort = "provider";
}

#define AT(field)     offsetof(struct flags, field)
#define COMMON(field) offsetof(struct flags, common.field)

/* Of both verbs. */
#define COMMON_OPTIONS                                                                               \
	{ "process-id", 'p', OPT_UINT, COMMON(pid), "PID", "Process to watch", NULL },               \
		{ "name", 'n', OPT_STRING, COMMON(name), "NAME", "The same by its name", NULL },     \
		{ "diagnostic-port", 0,	    OPT_STRING, COMMON(reach.port), "PATH[,listen|connect]", \
		  REACH_PORT_HELP,   "file" },                                                       \
		{ "show-child-io", 0,	OPT_FLAG, COMMON(reach.show_child_io), NULL,                 \
		  REACH_IO_HELP,   NULL },                                                           \
		{ "refresh-interval",                                                                \
		  0,                                                                                 \
		  OPT_DOUBLE,                                                                        \
		  COMMON(refresh_s),                                                                 \
		  "SECONDS",                                                                         \
		  "Length of an interval, from 0.1 (1)",                                             \
		  NULL },                                                                            \
		{ "duration", 'd',                                                                   \
		  OPT_STRING, COMMON(duration),                                                      \
		  "TIME",     "How long: 30s, 5m, 00:00:05:00; until Ctrl-C when not given",         \
		  NULL },                                                                            \
		{ "counters", 0,                                                                     \
		  OPT_STRING, COMMON(counters),                                                      \
		  "LIST",     "Only these: Provider[counter,...],Provider; names may end with *",    \
		  NULL },                                                                            \
		{ "prometheus", 0,                                                                   \
		  OPT_STRING,	COMMON(prometheus),                                                  \
		  "URL",	"Read the target's own /metrics page too, or alone",                 \
		  NULL },                                                                            \
		{ "no-host", 0, OPT_FLAG, COMMON(no_host), NULL, "Leave the kernel's figures out",   \
		  NULL },                                                                            \
		{ "maxHistograms",                                                                   \
		  0,                                                                                 \
		  OPT_UINT,                                                                          \
		  COMMON(max_histograms),                                                            \
		  "N",                                                                               \
		  "Most histograms the runtime may keep for us (10)",                                \
		  NULL },                                                                            \
		{ "maxTimeSeries",                                                                   \
		  0,                                                                                 \
		  OPT_UINT,                                                                          \
		  COMMON(max_time_series),                                                           \
		  "N",                                                                               \
		  "Most series of the runtime or of /metrics (1000)",                                \
		  NULL },                                                                            \
	{                                                                                            \
		"run", 0, OPT_STRING, COMMON(run_file), "FILE.assay", "Write a run file too",        \
			"file"                                                                       \
	}

static const struct opt collect_options[] = {
	COMMON_OPTIONS,
	{ "format", 0, OPT_STRING, AT(format), "FORMAT", "csv, json or jsonl (csv)",
	  "csv json jsonl" },
	{ "output", 'o', OPT_STRING, AT(output), "FILE",
	  "Write the values there; standard output when not given", "file" },
	{ "table", 0, OPT_FLAG, AT(table), NULL,
	  "One line an interval on standard output, as a person would reduce it", NULL },
	{ "latency", 0, OPT_STRING, AT(latency), "NAME",
	  "The histogram of the server's requests, for the table", NULL },
	{ 0 },
};

static const struct opt monitor_options[] = {
	COMMON_OPTIONS,
	{ "sort", 0, OPT_STRING, AT(sort), "HOW", "provider or change (provider)",
	  "provider change" },
	{ 0 },
};

static const struct example collect_examples[] = {
	{ "assay counters collect -p 4711 --table", "one line a second: CPU, throttling, memory" },
	{ "assay counters collect -p 4711 -d 60s -o shop.csv --table",
	  "all values into a file beside it, for a minute" },
	{ "assay counters collect --prometheus http://10.0.0.7:9090/metrics --table",
	  "a service that has no more than a metrics page for us" },
	{ "assay counters collect -o start.csv -- dotnet Shop.dll",
	  "starts it, and loses nothing of its start" },
	{ "assay counters collect -p 4711 --format jsonl | jq 'select(.kind == \"rate\")'",
	  "JSON Lines into another tool" },
	{ 0 },
};

static int read_format(const char *text, enum watch_format *ret, struct error *reterr)
{
	static const char *const names[] = {
		[WATCH_CSV] = "csv",
		[WATCH_JSON] = "json",
		[WATCH_JSON_LINES] = "jsonl",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(text, names[i])) {
			*ret = (enum watch_format)i;
			return 0;
		}
	}
	return error_set(reterr, -1, "--format takes csv, json or jsonl, not \"%s\"", text);
}

/* As dotnet-counters does: the format's ending is added unless it is there; not to devices. */
static char *file_name(const char *path, enum watch_format format)
{
	static const char *const endings[] = {
		[WATCH_CSV] = ".csv",
		[WATCH_JSON] = ".json",
		[WATCH_JSON_LINES] = ".jsonl",
	};
	struct stat st;

	if (!strcmp(path, "-") ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
	    str_ends_with(str_from(path), str_from(endings[format])))
		return xstrdup(path);
	return xasprintf("%s%s", path, endings[format]);
}

static int open_file(const struct flags *f, const struct counters *c, enum watch_format format,
		     struct watch_out **ret, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = file_name(f->output ? f->output : "-", format);

	return watch_file_open(&(struct watch_file_opts){ .format = format,
							  .path = path,
							  .target = c->target,
							  .wall_anchor_ns = c->wall_anchor_ns,
							  .interval_s = f->common.refresh_s },
			       ret, reterr);
}

static int open_outs(const struct flags *f, const struct counters *c, enum watch_format format,
		     struct watch_out **ret, struct error *reterr)
{
	struct watch_out *outs[WATCH_TEE_MAX];
	size_t n = 0;

	if ((!f->table || f->output) && open_file(f, c, format, &outs[n++], reterr) < 0)
		return -1;
	if (f->table)
		outs[n++] = watch_table_new(&(struct watch_table_opts){
			.file = stdout,
			.wall_anchor_ns = c->wall_anchor_ns,
			.latency = f->latency,
			.own_route = f->common.prometheus ? "/metrics" : NULL });
	*ret = watch_tee_new(outs, n);
	return 0;
}

static int run_collect(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	CLEANUP(counters_release) struct counters c = { 0 };
	enum watch_format format = WATCH_CSV;
	struct error err = ERROR_INIT;
	struct watch_out *out;
	int exit_code;

	if (read_format(f->format, &format, &err) < 0) {
		term_error("counters collect", &err);
		return EXIT_USAGE;
	}
	exit_code = counters_open(&c, &f->common, a, "counters collect");
	if (exit_code)
		return exit_code;
	if (open_outs(f, &c, format, &out, &err) < 0) {
		term_error("counters collect", &err);
		return EXIT_UNMEASURED;
	}
	return counters_watch(&c, out, "counters collect");
}

const struct verb verb_counters_collect = {
	.name = "counters collect",
	.summary = "What a live process does, interval by interval, into a file or a table",
	.usage = "[options] -p PID | -n NAME | --diagnostic-port PATH | -- COMMAND",
	.about = "Reads what the kernel knows of the process and its control group: CPU, memory, "
		 "threads,\n"
		 "context switches, page faults, throttling, pressure, TCP trouble, steal. The "
		 "files are\n"
		 "dotnet-counters' (csv, json), or JSON Lines with all that is known of each "
		 "value.\n"
		 "A command is started suspended, watched from its first instruction on, and ended "
		 "with us.\n"
		 "Ctrl-C ends it; what was measured is kept. Exit code: 0 when something was "
		 "measured,\n"
		 "also when the process ended meanwhile; 3 when nothing was.",
	.opts = collect_options,
	.examples = collect_examples,
	.opts_size = sizeof(struct flags),
	.max_args = SIZE_MAX,
	.rest_is_command = true,
	.init = init,
	.run = run_collect,
};

/* --- monitor --- */

static int read_order(const char *text, enum watch_screen_order *ret, struct error *reterr)
{
	if (strcmp(text, "provider") != 0 && strcmp(text, "change") != 0)
		return error_set(reterr, -1, "--sort takes provider or change, not \"%s\"", text);
	*ret = *text == 'p' ? WATCH_ORDER_PROVIDER : WATCH_ORDER_CHANGE;
	return 0;
}

static int run_monitor(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	CLEANUP(counters_release) struct counters c = { 0 };
	CLEANUP(mem_cleanup) char *title = NULL;
	enum watch_screen_order order = WATCH_ORDER_PROVIDER;
	struct error err = ERROR_INIT;
	struct watch_out *out;
	int exit_code;

	if (read_order(f->sort, &order, &err) < 0) {
		term_error("counters monitor", &err);
		return EXIT_USAGE;
	}
	exit_code = counters_open(&c, &f->common, a, "counters monitor");
	if (exit_code)
		return exit_code;
	title = c.pid ? xasprintf("%d %s", (int)c.pid, c.target) : xstrdup(c.target);
	c.n_hooks = monitor_open(&(struct watch_screen_opts){ .title = title,
							      .interval_s = f->common.refresh_s,
							      .wall_anchor_ns = c.wall_anchor_ns,
							      .utf8 = term_is_utf8() },
				 order, &out, c.hooks + 1);
	return counters_watch(&c, out, "counters monitor");
}

static const struct example monitor_examples[] = {
	{ "assay counters monitor -n shop", "everything, as it changes; q quits" },
	{ "assay counters monitor -p 4711 --sort change", "what changes most, first" },
	{ 0 },
};

const struct verb verb_counters_monitor = {
	.name = "counters monitor",
	.summary = "The same live on the screen, with changes and courses",
	.usage = "[options] -p PID | -n NAME | --diagnostic-port PATH | -- COMMAND",
	.about = "Shows every figure with its change since the interval before and its recent "
		 "course; rates\n"
		 "are per second. Keys: q quit, p pause, s sort by provider or by change, arrows "
		 "and "
		 "page keys\n"
		 "(j, k, space, b) scroll. Where standard output is no terminal, plain lines.",
	.opts = monitor_options,
	.examples = monitor_examples,
	.opts_size = sizeof(struct flags),
	.max_args = SIZE_MAX,
	.rest_is_command = true,
	.init = init,
	.run = run_monitor,
};
