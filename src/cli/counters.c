#include "cli/counters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/num.h"
#include "cli/collect.h"
#include "cli/term.h"
#include "dotnet/find.h"
#include "dotnet/source.h"
#include "host/facts.h"
#include "host/source.h"
#include "model/meta.h"
#include "os/cgroup.h"
#include "os/clock.h"
#include "os/process.h"
#include "scrape/source.h"
#include "watch/record.h"
#include "watch/tee.h"

#define REFRESH_MIN_S 0.1
#define REFRESH_MAX_S 86400

void counters_flags_init(struct counters_flags *f)
{
	f->refresh_s = 1;
	f->max_histograms = 10;
	f->max_time_series = 1000;
}

/* --- flags --- */

static int read_flags(struct counters *c, const char *const *command, struct error *reterr)
{
	const struct counters_flags *f = c->flags;
	int ways = !!f->pid + !!f->name + !!f->reach.port + !!*command;

	if (f->refresh_s < REFRESH_MIN_S || f->refresh_s > REFRESH_MAX_S)
		return error_set(reterr, -EINVAL,
				 "--refresh-interval takes seconds from %g to %d, not %g",
				 REFRESH_MIN_S, REFRESH_MAX_S, f->refresh_s);
	if (!ways && !f->prometheus)
		return error_set(reterr, -EINVAL,
				 "which process? Give -p PID, -n NAME, --diagnostic-port PATH or "
				 "-- COMMAND, or the --prometheus URL of its metrics");
	if (ways > 1)
		return error_set(reterr, -EINVAL,
				 "-p, -n, --diagnostic-port and a command%s%s name one process "
				 "each: give one",
				 *command ? " such as " : "", *command ? *command : "");
	if (f->pid > INT32_MAX)
		return error_set(reterr, -EINVAL, "-p %llu is no process id",
				 (unsigned long long)f->pid);
	if (f->duration && collect_duration(f->duration, &c->duration_ns, reterr) < 0)
		return -EINVAL;
	if (f->counters && watch_wishes_parse(f->counters, &c->wishes, reterr) < 0)
		return error_wrap(reterr, "--counters");
	return 0;
}

/* --- signals --- */

/* --- the process --- */

static bool is_called(pid_t pid, const char *wanted, char **ret)
{
	*ret = process_name(pid);
	return *ret && !strcasecmp(*ret, wanted) && !process_has_ended(pid);
}

/* By what `assay ps` shows as its name. */
static int find_by_name(const char *name, pid_t *ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf found = STRBUF_INIT;
	CLEANUP(mem_cleanup) pid_t *pids = NULL;
	size_t n = 0, matches = 0;
	int r = process_list(&pids, &n, reterr);

	for (size_t i = 0; i < n; i++) {
		CLEANUP(mem_cleanup) char *called = NULL;

		if (pids[i] == getpid() || !is_called(pids[i], name, &called))
			continue;
		if (++matches <= 10)
			strbuf_addf(&found, "%s%d", found.len ? ", " : "", (int)pids[i]);
		*ret = pids[i];
	}
	if (r < 0 || matches == 1)
		return r;
	if (!matches)
		return error_set(reterr, -ENOENT, "no process is called %s; assay ps lists them",
				 name);
	return error_set(reterr, -ENOTUNIQ, "%zu processes are called %s: choose with -p (%s%s)",
			 matches, name, strbuf_cstr(&found), matches > 10 ? ", …" : "");
}

/* A runtime that dials us; signals end the wait for it. */
static int reach_process(struct counters *c, const char *const *command, const char *verb,
			 struct error *reterr)
{
	if (reach_open(&c->reach, &c->flags->reach, command, collect_signals(), verb, reterr) < 0)
		return reterr->code;
	c->pid = c->reach.pid;
	c->target = c->pid ? process_name(c->pid) : xstrdup(dotnet_peer_name(c->reach.peer));
	if (!c->target)
		return error_set(reterr, -ESRCH, "%s has ended", dotnet_peer_name(c->reach.peer));
	return 0;
}

static int find_process(struct counters *c, const char *const *command, const char *verb,
			struct error *reterr)
{
	const struct counters_flags *f = c->flags;

	if (f->reach.port || *command)
		return reach_process(c, command, verb, reterr);
	c->pid = (pid_t)f->pid;
	if (f->name && find_by_name(f->name, &c->pid, reterr) < 0)
		return reterr->code;
	c->target = c->pid ? process_name(c->pid) : xstrdup(f->prometheus);
	if (!c->target)
		return error_set(reterr, -ESRCH, "there is no process %d", (int)c->pid);
	return 0;
}

/* Whether something of the runtime is wanted: without a list it is. */
static bool wants_runtime(const struct counters *c)
{
	static const char *const others[] = { "process", "cgroup", "net", "system", "prometheus" };

	vec_for_each (&c->wishes.list, w) {
		size_t i = 0;

		while (i < ARRAY_SIZE(others) && strcasecmp(w->provider, others[i]) != 0)
			i++;
		if (i == ARRAY_SIZE(others))
			return true;
	}
	return !c->wishes.list.len;
}

static void add_runtime(struct counters *c, struct dotnet_peer *peer, bool resume)
{
	const struct counters_flags *f = c->flags;
	const uint64_t most = 1000000000;

	dotnet_source_new(
		&(struct dotnet_source_opts){
			.peer = peer,
			.counters = { .wishes = &c->wishes,
				      .interval_s = f->refresh_s,
				      .max_time_series = (unsigned)MIN(f->max_time_series, most),
				      .max_histograms = (unsigned)MIN(f->max_histograms, most) },
			.resume = resume },
		&c->sources[c->n_sources++]);
}

/* One that dialled waits until it is resumed: by its source, once that has its session. */
static int open_reached(struct counters *c, struct error *reterr)
{
	if (!wants_runtime(c))
		return dotnet_resume(c->reach.peer, reterr);
	add_runtime(c, c->reach.peer, true);
	return 0;
}

/* A runtime that cannot be talked to is no reason not to watch the rest, unless it was asked for.
 */
static int open_runtime(struct counters *c, const char *verb, struct error *reterr)
{
	const struct counters_flags *f = c->flags;
	struct error err = ERROR_INIT;
	int r;

	if (c->reach.peer)
		return open_reached(c, reterr);
	if (!c->pid || !wants_runtime(c) || (!c->wishes.list.len && !dotnet_is_in(c->pid)))
		return 0;
	r = dotnet_find_pid(c->pid, NULL, &c->peer, &err);
	if (r < 0 && c->wishes.list.len && !f->prometheus)
		return error_set(reterr, r, "%s", err.msg);
	if (r == 0)
		add_runtime(c, c->peer, false);
	else if (!f->prometheus || dotnet_is_in(c->pid))
		fprintf(stderr, "assay %s: without the runtime's counters: %s\n", verb, err.msg);
	return 0;
}

static int open_sources(struct counters *c, const char *verb, struct error *reterr)
{
	const struct counters_flags *f = c->flags;
	int r = 0;

	if (c->pid && !f->no_host)
		r = host_source_new(c->pid, &c->sources[c->n_sources++], reterr);
	if (r == 0 && f->prometheus)
		r = scrape_source_new(
			&(struct scrape_source_opts){
				.url = f->prometheus,
				.timeout_ns = (uint64_t)fmin(f->refresh_s * 0.9e9, 10e9),
				.max_series = f->max_time_series },
			&c->sources[c->n_sources++], reterr);
	if (r < 0)
		c->n_sources--;
	if (r == 0)
		r = open_runtime(c, verb, reterr);
	if (r == 0 && !c->n_sources)
		r = error_set(reterr, -EINVAL, "--no-host leaves nothing to watch");
	return r;
}

/* --- the run file --- */

static void put_limits(pid_t pid, struct sink *k)
{
	CLEANUP(cgroup_release) struct cgroup group = CGROUP_INIT;
	struct cgroup_limits l;

	if (cgroup_of_pid("", pid, &group, NULL) < 0 || cgroup_read_limits(&group, &l, NULL) < 0)
		return;
	if (l.cpus > 0) {
		sink_metaf(k, META_LIMIT_CPUS, "%.6g", l.cpus);
		sink_metaf(k, META_LIMIT_PERIOD_NS, "%llu", (unsigned long long)l.period_ns);
	}
	if (l.memory_bytes)
		sink_metaf(k, META_LIMIT_MEMORY, "%llu", (unsigned long long)l.memory_bytes);
}

static int open_run_file(struct counters *c, const struct verb_args *a, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *command = c->pid ? process_command_line(c->pid) : NULL;
	struct sink *k;

	if (!c->flags->run_file)
		return 0;
	if (store_writer_open(c->flags->run_file, &c->run_file, reterr) < 0)
		return error_wrap(reterr, "--run");
	k = store_writer_sink(c->run_file);
	host_put_facts(k);
	sink_meta(k, META_VERSION, ASSAY_VERSION);
	sink_meta(k, META_COMMAND, a->command_line);
	sink_meta(k, META_RUN_KIND, "watch");
	sink_meta(k, META_TARGET_COMMAND, command && *command ? command : c->target);
	if (!c->pid)
		return 0;
	sink_metaf(k, META_TARGET_PID, "%d", (int)c->pid);
	put_limits(c->pid, k);
	return 0;
}

/* One without anything in it would only be in the way of the next try. */
static void drop_run_file(struct counters *c)
{
	if (!c->run_file)
		return;
	store_writer_close(TAKE(c->run_file), NULL);
	unlink(c->flags->run_file);
}

static int close_run_file(struct counters *c, const struct watch_result *res, struct error *reterr)
{
	static const char *const ends[] = {
		[WATCH_END_TIME] = "complete",
		[WATCH_END_STOPPED] = "complete", /* until told to stop, as agreed */
		[WATCH_END_GONE] = "the target ended",
		[WATCH_END_NOTHING] = "nothing was left to watch",
		[WATCH_END_OUTPUT] = "the output failed",
	};

	if (!c->run_file)
		return 0;
	sink_meta(store_writer_sink(c->run_file), META_RUN_STATUS, ends[res->end]);
	if (res->rows)
		return store_writer_close(TAKE(c->run_file), reterr);
	drop_run_file(c);
	return 0;
}

int counters_open(struct counters *c, const struct counters_flags *f, const struct verb_args *a,
		  const char *verb)
{
	struct error err = ERROR_INIT;
	struct timespec wall;
	int exit_code = EXIT_USAGE;

	c->flags = f;
	clock_gettime(CLOCK_REALTIME, &wall);
	c->wall_anchor_ns =
		(int64_t)wall.tv_sec * (int64_t)NS_PER_S + wall.tv_nsec - (int64_t)clock_now_ns();
	if (read_flags(c, a->args, &err) == 0) {
		if (find_process(c, a->args, verb, &err) == 0 && open_sources(c, verb, &err) == 0 &&
		    open_run_file(c, a, &err) == 0)
			return 0;
		exit_code = err.code == -EINVAL ? EXIT_USAGE : EXIT_UNMEASURED;
	}
	term_error(verb, &err);
	return exit_code;
}

void counters_release(struct counters *c)
{
	for (size_t i = 0; i < c->n_sources; i++)
		c->sources[i]->ops->close(c->sources[i]);
	dotnet_peer_free(c->peer);
	reach_release(&c->reach);
	drop_run_file(c);
	watch_wishes_release(&c->wishes);
	free(c->target);
}

/* --- the watch --- */

static int stop_now(void *arg UNUSED)
{
	return 1;
}

static int exit_code_of(const struct counters *c, const struct watch_result *res, const char *verb)
{
	struct error err = ERROR_INIT;

	if (res->end == WATCH_END_OUTPUT)
		return EXIT_UNMEASURED; /* close() said why */
	if (res->end == WATCH_END_GONE && res->rows && !c->reach.child)
		fprintf(stderr, "assay %s: %s has ended\n", verb, c->target);
	if (res->rows)
		return EXIT_OK;
	error_set(&err, -ENODATA,
		  res->end == WATCH_END_GONE ? "%s ended before anything was measured"
					     : "nothing was measured of %s",
		  c->target);
	term_error(verb, &err);
	return EXIT_UNMEASURED;
}

static struct watch_out *with_run_file_and_filter(struct counters *c, struct watch_out *out)
{
	if (c->run_file)
		out = watch_tee_new(
			(struct watch_out *[]){ out,
						watch_record_new(store_writer_sink(c->run_file),
								 c->flags->refresh_s) },
			2);
	return watch_filter_new(&c->wishes, out);
}

int counters_watch(struct counters *c, struct watch_out *out, const char *verb)
{
	struct watch_loop_opts opts = { .interval_ns = (uint64_t)(c->flags->refresh_s * 1e9),
					.duration_ns = c->duration_ns,
					.hooks = c->hooks,
					.n_hooks = c->n_hooks + 1 };
	struct error err = ERROR_INIT, close_err = ERROR_INIT;
	struct watch_result res = { .end = WATCH_END_NOTHING };
	size_t n = c->n_sources;
	int r, closed;

	out = with_run_file_and_filter(c, out);
	opts.out = out;
	c->hooks[0] = (struct watch_hook){ .fd = collect_signals(), .ready = stop_now };
	c->n_sources = 0;
	r = watch_loop_run(c->sources, n, &opts, &res, &err);
	closed = out->ops->close(out, &close_err);
	reach_end(&c->reach, r == 0 && res.end == WATCH_END_GONE, verb);
	if (closed < 0 || close_run_file(c, &res, &close_err) < 0) {
		term_error(verb, &close_err);
		return EXIT_UNMEASURED;
	}
	if (r < 0) {
		term_error(verb, &err);
		return EXIT_UNMEASURED;
	}
	return exit_code_of(c, &res, verb);
}
