/* assay run: a command under limits. Exit codes as docker's: 125 we failed, 126 and 127 it cannot
 * run. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "os/file.h"
#include "target/target.h"

enum { EXIT_OURS = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

struct flags {
	double cpus;
	uint64_t period_ns, memory_bytes;
	const char *json;
	bool quiet;
};

static const struct opt options[] = {
	{ "cpus", 0, OPT_DOUBLE, offsetof(struct flags, cpus), "N",
	  "CPU quota; fractions are allowed", NULL },
	{ "period", 0, OPT_DURATION, offsetof(struct flags, period_ns), "TIME",
	  "Period of the quota, 1ms to 1s (100ms)", NULL },
	{ "memory", 'm', OPT_BYTES, offsetof(struct flags, memory_bytes), "SIZE", "Memory limit",
	  NULL },
	{ "json", 0, OPT_STRING, offsetof(struct flags, json), "FILE",
	  "Write the figures of the end as JSON", "file" },
	{ "quiet", 'q', OPT_FLAG, offsetof(struct flags, quiet), NULL, "No line at the end", NULL },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay run --cpus 1 --memory 1g -- dotnet shop.dll", "as in a container of that size" },
	{ "assay run --cpus 0.5 --period 20ms --json usage.json -- ./service",
	  "half a CPU in short periods, figures into a file" },
	{ 0 },
};

static volatile sig_atomic_t pending[NSIG];

static void on_signal(int number)
{
	pending[number] = 1;
}

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH };

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		sigaction(forwarded[i], &sa, NULL);
	signal(SIGTTOU, SIG_IGN);
}

static void forward_signals(const struct target *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++) {
		if (!pending[forwarded[i]])
			continue;
		pending[forwarded[i]] = 0;
		target_signal(t, forwarded[i]);
	}
}

/* A bounded wait, since a signal may come just before it. */
static void wait_for(struct target *t)
{
	do
		forward_signals(t);
	while (target_wait(t, 100 * NS_PER_MS) != 1);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void print_line(const struct target_usage *u)
{
	const struct cgroup_stat *st = &u->stat;

	fprintf(stderr, "assay run: wall %.2f s", seconds(u->wall_ns));
	if (st->have & CGROUP_HAVE_CPU)
		fprintf(stderr, ", CPU %.2f s", seconds(st->cpu_ns));
	if (st->have & CGROUP_HAVE_PEAK)
		fprintf(stderr, ", peak memory %.1f MiB", (double)st->memory_peak_bytes / 1048576);
	if (st->have & CGROUP_HAVE_PERIODS)
		fprintf(stderr,
			", throttled in %llu of %llu periods (%.0f %%), %.2f s over its CPUs",
			(unsigned long long)st->throttled, (unsigned long long)st->periods,
			u->throttled_share * 100, seconds(st->throttled_ns));
	if (st->have & CGROUP_HAVE_OOM)
		fprintf(stderr, ", OOM kills %llu", (unsigned long long)st->oom_kills);
	fputc('\n', stderr);
}

static int write_json(const char *path, const struct target_usage *u, const struct cgroup_limits *l,
		      struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const struct cgroup_stat *st = &u->stat;
	struct json_writer w;

	json_init(&w, &sb, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "version", ASSAY_VERSION);
	json_int(&w, "exit_code", u->exit_code);
	json_int(&w, "signal", u->signal);
	json_double(&w, "limit_cpus", l->cpus);
	json_uint(&w, "limit_memory_bytes", l->memory_bytes);
	json_double(&w, "wall_s", seconds(u->wall_ns));
	json_double(&w, "cpu_s", seconds(st->cpu_ns));
	json_uint(&w, "memory_peak_bytes", st->memory_peak_bytes);
	json_uint(&w, "nr_periods", st->periods);
	json_uint(&w, "nr_throttled", st->throttled);
	json_double(&w, "throttled_share", u->throttled_share);
	json_double(&w, "throttled_s", seconds(st->throttled_ns));
	json_uint(&w, "oom_kill", st->oom_kills);
	json_object_end(&w);
	strbuf_addch(&sb, '\n');
	return file_write_atomic(path, strbuf_str(&sb), reterr);
}

static int exit_code_of_failure(int code)
{
	return code == -ENOENT ? EXIT_NOT_FOUND : code == -EACCES ? EXIT_NOT_EXECUTABLE : EXIT_OURS;
}

static int run_run(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	CLEANUP(cleanup_target) struct target *t = NULL;
	struct target_usage usage;
	struct cgroup_limits limits;
	struct error err = ERROR_INIT;
	int r = target_launch(
		&(struct target_opts){ .argv = a->args,
				       .foreground = true,
				       .limits = { f->cpus, f->period_ns, f->memory_bytes } },
		&t, &err);

	if (r < 0) {
		term_error("run", &err);
		return exit_code_of_failure(r);
	}
	limits = target_limits(t);
	catch_signals();
	wait_for(t);
	r = target_stop(t, 0, &usage, &err);
	if (isatty(0))
		tcsetpgrp(0, getpgrp());
	if (!f->quiet)
		print_line(&usage);
	if (r == 0 && f->json)
		r = write_json(f->json, &usage, &limits, &err);
	if (r < 0) {
		term_error("run", &err);
		return EXIT_OURS;
	}
	return usage.signal ? 128 + usage.signal : usage.exit_code;
}

const struct verb verb_run = {
	.name = "run",
	.summary = "Start a command under CPU and memory limits, as in production",
	.usage = "[options] -- COMMAND [ARGUMENTS]",
	.about = "Starts the command in a control group of its own (cgroup v1, v2 or both), with a "
		 "CPU\n"
		 "quota and a memory limit; forwards signals; ends everything the command started "
		 "when\n"
		 "it ends, also when assay itself is killed. At the end one line on stderr says "
		 "how the\n"
		 "limits bit. The effective limit is the smallest on the way up to the top group.\n"
		 "\n"
		 "Exit code: the command's own (128 + N when signal N ended it); 125 when assay "
		 "failed,\n"
		 "126 when the command cannot be executed, 127 when there is none of that name.",
	.opts = options,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = SIZE_MAX,
	.rest_is_command = true,
	.usage_exit = EXIT_OURS,
	.run = run_run,
};
