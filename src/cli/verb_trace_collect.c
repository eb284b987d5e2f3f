/* assay trace collect: a session of events of a .NET process, into a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/collect.h"
#include "cli/reach.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "dotnet/child.h"
#include "dotnet/find.h"
#include "dotnet/nettrace.h"
#include "dotnet/payload.h"
#include "dotnet/session.h"
#include "dotnet/trace_plan.h"
#include "os/clock.h"

#define READ_BYTES	   (256u * 1024)
#define BUFFER_MB	   256
#define PROGRESS_NS	   (NS_PER_S / 4)
#define RUNDOWN_SILENCE_NS (60 * NS_PER_S)

struct flags {
	uint64_t pid, buffer_mb;
	const char *name, *profiles, *providers, *clr_events, *clr_level, *duration, *output,
		*rundown, *stop_provider, *stop_event, *stop_filter;
	struct reach_flags reach;
	bool list;
};

struct collect {
	const struct flags *f;
	struct reach reach;
	struct dotnet_peer *found; /* by its pid or name */
	struct dotnet_peer *peer;  /* this or the one that was reached */
	char *target;		   /* what it is called */
	struct trace_plan plan;
	struct dotnet_session *session;
	char *path;
	int fd;
	struct nettrace *reader; /* counts what was lost, and looks for the event to stop at */
	uint64_t bytes, start_ns, end_ns; /* end 0 = when told to */
	bool stopping, stop_seen, died;	  /* died: the stream ended of itself */
};

/* ---- what is asked for ---- */

static unsigned major_version(struct dotnet_peer *peer)
{
	struct dotnet_process_info info = { 0 };
	unsigned major = 0;

	if (dotnet_process_info(peer, &info, NULL) == 0 && info.version)
		major = (unsigned)strtoul(info.version, NULL, 10);
	dotnet_process_info_release(&info);
	return major;
}

static int make_plan(struct collect *c, struct error *reterr)
{
	const struct flags *f = c->f;
	const char *profiles = f->profiles;

	if (!profiles && !f->providers && !f->clr_events)
		profiles = "cpu";
	if (profiles &&
	    trace_plan_add_profiles(&c->plan, profiles, major_version(c->peer), reterr) < 0)
		return -EINVAL;
	if (f->providers) {
		c->plan.rundown |= DOTNET_RUNDOWN_DEFAULT;
		if (trace_plan_add_providers(&c->plan, f->providers, reterr) < 0)
			return error_wrap(reterr, "--providers");
	}
	if (f->clr_events &&
	    trace_plan_add_clr_events(&c->plan, f->clr_events, f->clr_level, reterr) < 0)
		return -EINVAL;
	if (f->rundown && !strcmp(f->rundown, "false"))
		c->plan.rundown = 0;
	else if (f->rundown && !strcmp(f->rundown, "true"))
		c->plan.rundown |= DOTNET_RUNDOWN_DEFAULT;
	else if (f->rundown)
		return error_set(reterr, -EINVAL, "--rundown %s: expected true or false",
				 f->rundown);
	return 0;
}

static char *default_path(const struct collect *c)
{
	char when[32];
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &tm);
	return xasprintf("%s_%s.nettrace", c->target, when);
}

static int open_file(struct collect *c, struct error *reterr)
{
	c->path = c->f->output ? xstrdup(c->f->output) : default_path(c);
	c->fd = !strcmp(c->path, "-")
			? STDOUT_FILENO
			: open(c->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return c->fd < 0 ? error_errno(reterr, -errno, "writing %s", c->path) : 0;
}

/* ---- the event to stop at ---- */

/* "key:value,key:value": all must be so. */
static bool filter_matches(const struct nettrace_event *e, const char *filter)
{
	struct str rest = str_from(filter), one;

	while (str_split(&rest, ',', &one)) {
		CLEANUP(mem_cleanup)
		char *key = str_dup((struct str){ one.ptr, str_find(one, ':') });
		CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
		size_t at = strlen(key) + 1;
		struct payload_value v;

		if (at > one.len || payload_find(e, key, &v) != 1)
			return false;
		if (v.form == PAYLOAD_TEXT)
			payload_text(&v, &text);
		else
			strbuf_addf(&text, "%.17g", payload_number(&v));
		if (!str_eq(strbuf_str(&text), (struct str){ one.ptr + at, one.len - at }))
			return false;
	}
	return true;
}

static int on_event(void *user, const struct nettrace_event *e)
{
	struct collect *c = user;
	const struct flags *f = c->f;

	if (!f->stop_provider || c->stop_seen || strcmp(e->meta->provider, f->stop_provider) != 0)
		return 0;
	if (f->stop_event && strcmp(e->meta->name, f->stop_event) != 0)
		return 0;
	c->stop_seen = !f->stop_filter || filter_matches(e, f->stop_filter);
	return 0;
}

/* ---- the session ---- */

static int open_session(struct collect *c, struct error *reterr)
{
	struct dotnet_session_wish w = {
		.providers = c->plan.providers.ptr,
		.n_providers = c->plan.providers.len,
		.buffer_mb = (uint32_t)MIN(c->f->buffer_mb, (uint64_t)UINT32_MAX),
		.rundown_keyword = c->plan.rundown,
	};
	int r = dotnet_session_open(c->peer, &w, &c->session, reterr);

	if (r == 0 && c->reach.peer)
		r = dotnet_resume(c->peer, reterr);
	c->start_ns = clock_now_ns();
	return r;
}

static int write_all(struct collect *c, const char *p, size_t n, struct error *reterr)
{
	while (n) {
		ssize_t done = write(c->fd, p, n);

		if (done < 0 && errno != EINTR)
			return error_errno(reterr, -errno, "writing %s", c->path);
		if (done > 0) {
			p += done;
			n -= (size_t)done;
			c->bytes += (uint64_t)done;
		}
	}
	return 0;
}

static void begin_stop(struct collect *c)
{
	struct error err = ERROR_INIT;

	if (c->stopping)
		return;
	c->stopping = true;
	if (dotnet_session_stop(c->session, &err) < 0)
		term_error("trace collect", &err);
}

static void show_progress(const struct collect *c)
{
	double seconds = (double)(clock_now_ns() - c->start_ns) / 1e9;

	term_progress("%s %.0f s  %.1f MB%s", c->stopping ? "ending" : "recording", seconds,
		      (double)c->bytes / 1e6,
		      c->stopping ? "  (the runtime names its methods)" : "");
}

/* How long to wait for the next bytes: until the end, or the next line of progress. */
static uint64_t patience(const struct collect *c)
{
	uint64_t now_ns = clock_now_ns();

	if (!c->stopping && c->end_ns && c->end_ns <= now_ns)
		return 1;
	return !c->stopping && c->end_ns ? MIN(c->end_ns - now_ns, PROGRESS_NS) : PROGRESS_NS;
}

static int take(struct collect *c, const char *buf, size_t n, struct error *reterr)
{
	struct error unread = ERROR_INIT;
	int r = write_all(c, buf, n, reterr);

	if (c->reader && nettrace_feed(c->reader, (struct str){ buf, n }, &unread) < 0)
		c->reader = nettrace_free(c->reader); /* the file is as the runtime wrote it */
	return r;
}

/* Whether to go on after what a read gave: 0, or a negative errno. */
static int after_read(struct collect *c, bool told, uint64_t quiet_ns, struct error *reterr)
{
	if (told && c->stopping)
		return error_set(
			reterr, -ECANCELED,
			"given up while the runtime named its methods: frames of %s have no "
			"names",
			c->path);
	if (told || c->stop_seen || (c->end_ns && clock_now_ns() >= c->end_ns))
		begin_stop(c);
	if (c->stopping && quiet_ns > RUNDOWN_SILENCE_NS)
		return error_set(reterr, -ETIMEDOUT, "the runtime does not end the session");
	show_progress(c);
	return 0;
}

/* Until the stream ends, past the stop. */
static int record(struct collect *c, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *buf = xmalloc(READ_BYTES);
	uint64_t last_ns = clock_now_ns();
	int r = 0;

	while (r == 0) {
		struct error err = ERROR_INIT;
		ssize_t n = dotnet_session_read(c->session, buf, READ_BYTES, patience(c), &err);
		bool told = n == -ECANCELED || collect_is_told_to_stop();

		if (n == 0) {
			c->died = !c->stopping;
			return 0;
		}
		if (n < 0 && n != -ECANCELED && n != -ETIMEDOUT) {
			*reterr = err;
			return (int)n;
		}
		if (n > 0) {
			last_ns = clock_now_ns();
			r = take(c, buf, (size_t)n, reterr);
		}
		if (r == 0)
			r = after_read(c, told, clock_now_ns() - last_ns, reterr);
	}
	return r;
}

/* ---- the end ---- */

static void tell(struct collect *c)
{
	const struct nettrace_counts *n = c->reader ? nettrace_counts(c->reader) : NULL;
	double seconds = (double)(clock_now_ns() - c->start_ns) / 1e9;

	term_progress_end();
	fprintf(stderr, "%s: %.1f MB in %.1f s", c->path, (double)c->bytes / 1e6, seconds);
	if (n)
		fprintf(stderr, ", %llu events, %llu lost", (unsigned long long)n->events,
			(unsigned long long)n->lost);
	fprintf(stderr, "\n");
	if (n && n->lost)
		fprintf(stderr, "Events were lost because the runtime's buffer was full: a larger "
				"--buffersize or fewer events help.\n");
	if (c->reader && !nettrace_is_whole(c->reader))
		fprintf(stderr, "The process ended before the session did: methods that were there "
				"at its start have no names.\n");
	if (c->plan.samples)
		fprintf(stderr,
			"The runtime's sampler was on: it slows the target while it runs (a "
			"third, with a dozen threads) and sees threads only where the runtime "
			"can stop them.\n");
}

static int collect(struct collect *c, struct error *reterr)
{
	struct error unread = ERROR_INIT;
	int r;

	if (make_plan(c, reterr) < 0)
		return EXIT_USAGE;
	if (open_file(c, reterr) < 0 || open_session(c, reterr) < 0)
		return EXIT_UNMEASURED;
	c->reader = nettrace_new(&(struct nettrace_handler){ .user = c, .event = on_event });
	if (c->end_ns)
		c->end_ns += c->start_ns;
	r = record(c, reterr);
	reach_end(&c->reach, c->died, "trace collect");
	if (c->reader)
		nettrace_end(c->reader, &unread);
	tell(c);
	return r < 0 ? EXIT_UNMEASURED : EXIT_OK;
}

static void release(struct collect *c)
{
	dotnet_session_free(c->session);
	reach_release(&c->reach);
	dotnet_peer_free(c->found);
	free(c->target);
	trace_plan_release(&c->plan);
	nettrace_free(c->reader);
	if (c->fd > STDOUT_FILENO)
		close(c->fd);
	free(c->path);
}

static int list_profiles(void)
{
	for (const struct trace_profile *p = trace_profiles; p->name; p++)
		printf("%-27s %s\n", p->name, p->about);
	return EXIT_OK;
}

/* ---- which process ---- */

/* "/app/Shop.dll" -> "Shop", from what the runtime says of itself. */
static char *name_of(struct dotnet_peer *peer)
{
	struct dotnet_process_info info = { 0 };
	char *name = NULL;

	if (dotnet_process_info(peer, &info, NULL) == 0 && info.entry_assembly)
		name = xstrdup(info.entry_assembly);
	dotnet_process_info_release(&info);
	return name ? name : xstrdup("trace");
}

/* A pid may stand alone; other arguments are a program to start. */
static int reach_target(struct collect *c, const struct verb_args *a, struct error *reterr)
{
	const struct flags *f = c->f;
	struct dotnet_patience p = { .cancel_fd = collect_signals() };
	uint64_t pid = f->pid;
	bool bare = a->n_args == 1 && num_parse_u64(str_from(a->args[0]), &pid) == 0;
	const char *const *command = bare ? a->args + 1 : a->args;
	unsigned ways = !!pid + !!f->name + !!f->reach.port + !!*command + (bare && f->pid);
	int r;

	if (ways != 1)
		return error_set(reterr, -EINVAL,
				 "%s: give a PID, -n NAME, --diagnostic-port PATH or -- COMMAND",
				 ways ? "more than one process is named" : "which process?");
	if (pid > INT32_MAX)
		return error_set(reterr, -EINVAL, "%llu is no process id", (unsigned long long)pid);
	if (f->reach.port || *command)
		r = reach_open(&c->reach, &f->reach, command, p.cancel_fd, "trace collect", reterr);
	else if (f->name)
		r = dotnet_find_name(f->name, &p, &c->found, NULL, reterr);
	else
		r = dotnet_find_pid((pid_t)pid, &p, &c->found, reterr);
	if (r < 0)
		return r;
	c->peer = c->found ? c->found : c->reach.peer;
	c->target = name_of(c->peer);
	return 0;
}

static int run_trace_collect(const struct verb_args *a)
{
	CLEANUP(release) struct collect c = { .f = a->opts, .fd = -1 };
	struct error err = ERROR_INIT;
	int code = EXIT_USAGE;

	if (c.f->list)
		return list_profiles();
	if (!c.f->duration || collect_duration(c.f->duration, &c.end_ns, &err) == 0) {
		int r = reach_target(&c, a, &err);

		code = r == -EINVAL ? EXIT_USAGE : EXIT_UNMEASURED;
		if (r == 0)
			code = collect(&c, &err);
	}
	if (err.code)
		term_error("trace collect", &err);
	return code;
}

static void init_flags(void *opts)
{
	((struct flags *)opts)->buffer_mb = BUFFER_MB;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "process-id", 'p', OPT_UINT, AT(pid), "PID", "The process; a bare PID does as well" },
	{ "name", 'n', OPT_STRING, AT(name), "NAME", "The same by its name" },
	{ "profile", 0, OPT_STRING, AT(profiles), "NAME,...",
	  "What is recorded: cpu (default), alloc, gc, database, ...; see --list-profiles" },
	{ "providers", 0, OPT_STRING, AT(providers), "LIST",
	  "Name[:keywords[:level[:arguments]]],... beside or instead of a profile" },
	{ "clrevents", 0, OPT_STRING, AT(clr_events), "NAMES",
	  "The runtime's own events by keyword: gc+jit" },
	{ "clreventlevel", 0, OPT_STRING, AT(clr_level), "LEVEL", "Their level (verbose)" },
	{ "duration", 'd', OPT_STRING, AT(duration), "TIME",
	  "How long: 10s, 1m, 00:00:00:10; until Ctrl-C when not given" },
	{ "output", 'o', OPT_STRING, AT(output), "FILE",
	  "Where to (NAME_yyyymmdd_hhmmss.nettrace); - is standard output", "file" },
	{ "buffersize", 0, OPT_UINT, AT(buffer_mb), "MB", "The runtime's buffer for us (256)" },
	{ "rundown", 0, OPT_STRING, AT(rundown), "BOOL",
	  "Names of all methods at the end; as the profile says when not given", "true false" },
	{ "stopping-event-provider-name", 0, OPT_STRING, AT(stop_provider), "NAME",
	  "End when an event of this provider comes" },
	{ "stopping-event-event-name", 0, OPT_STRING, AT(stop_event), "NAME", "and has this name" },
	{ "stopping-event-payload-filter", 0, OPT_STRING, AT(stop_filter), "FIELD:VALUE,...",
	  "and these fields" },
	{ "diagnostic-port", 0, OPT_STRING, AT(reach.port), "PATH[,listen|connect]",
	  REACH_PORT_HELP, "file" },
	{ "show-child-io", 0, OPT_FLAG, AT(reach.show_child_io), NULL, REACH_IO_HELP },
	{ "list-profiles", 0, OPT_FLAG, AT(list), NULL, "What each profile records" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace collect 4711 -d 10s -o app.nettrace",
	  "where its threads are, for ten seconds" },
	{ "assay trace collect -n Shop --profile alloc -d 30s", "what it allocates, and where" },
	{ "assay trace collect --profile gc -o start.nettrace -- dotnet app.dll",
	  "a program from its first instruction on" },
	{ 0 },
};

const struct verb verb_trace_collect = {
	.name = "trace collect",
	.summary = "Record events of a live .NET process into a file",
	.usage = "[options] PID | -n NAME | -- COMMAND",
	.about = "Opens an event session in a .NET process, and writes what it sends into a file "
		 "that\n"
		 "assay trace, dotnet-trace and PerfView read. Profiles and options are those of\n"
		 "dotnet-trace beside leaner ones of our own. Ctrl-C ends the session as the time\n"
		 "does, so that names are not lost; a second one gives up on them.\n"
		 "\n"
		 "Exit codes: 0; 2 an option is wrong; 3 there is nothing to record, or it failed.",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.max_args = SIZE_MAX,
	.run = run_trace_collect,
};
