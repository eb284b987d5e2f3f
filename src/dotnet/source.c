#include "dotnet/source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/dotnet_internal.h"
#include "dotnet/session.h"
#include "os/clock.h"

/* Runtimes write what they have every 100 ms: what belongs to a row may come so much later. */
#define REST_OF_ROW_NS (110 * NS_PER_MS)
#define READS_AT_ONCE  64

struct dotnet_source {
	struct watch_source source;
	struct dotnet_source_opts opts;
	struct watch_out *out;
	char *version;
	struct dotnet_session *session;
	struct dotnet_counters *counters;
	int wait_fd, timer_fd;
	bool armed; /* the timer is */
	char buf[65536];
};

static struct dotnet_source *source_of(struct watch_source *s)
{
	return container_of(s, struct dotnet_source, source);
}

/* ---- the session ---- */

static int watch_fd(struct dotnet_source *s, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(s->wait_fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

static int open_session(struct dotnet_source *s, const struct dotnet_counters_plan *plan,
			struct error *reterr)
{
	int r = dotnet_session_open(s->opts.peer, &plan->wish, &s->session, reterr);

	if (r < 0)
		return r;
	r = watch_fd(s, dotnet_session_fd(s->session));
	return r < 0 ? error_errno(reterr, r, "waiting for events") : 0;
}

static int open_waits(struct dotnet_source *s, struct error *reterr)
{
	int r;

	s->wait_fd = epoll_create1(EPOLL_CLOEXEC);
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	r = s->wait_fd < 0 || s->timer_fd < 0 ? -errno : watch_fd(s, s->timer_fd);
	return r < 0 ? error_errno(reterr, r, "preparing to wait for events") : 0;
}

static int ask_version(struct dotnet_source *s, struct error *reterr)
{
	struct dotnet_process_info info = { 0 };
	int r = dotnet_process_info(s->opts.peer, &info, reterr);

	if (r < 0)
		return r;
	s->version = TAKE(info.version);
	s->opts.counters.version = s->version;
	dotnet_process_info_release(&info);
	return 0;
}

static int start_with(struct dotnet_source *s, const struct dotnet_counters_plan *plan,
		      uint64_t t_ns, struct error *reterr)
{
	int r;

	if (!plan->wish.n_providers)
		return error_set(reterr, -EINVAL, "%s: no counters of the runtime are wished",
				 dotnet_peer_name(s->opts.peer));
	r = open_session(s, plan, reterr);
	if (r == 0 && s->opts.resume)
		r = dotnet_resume(s->opts.peer, reterr);
	if (r < 0)
		return r;
	s->counters = dotnet_counters_new(&s->opts.counters, plan, s->out);
	vec_for_each (&plan->notes, n)
		s->out->ops->note(s->out, t_ns, *n);
	return 0;
}

static int start(struct watch_source *source, struct watch_out *out, uint64_t t_ns,
		 struct error *reterr)
{
	struct dotnet_source *s = source_of(source);
	CLEANUP(dotnet_counters_plan_release) struct dotnet_counters_plan plan = { 0 };
	int r;

	s->out = out;
	r = open_waits(s, reterr);
	if (r == 0)
		r = ask_version(s, reterr);
	if (r < 0)
		return r;
	dotnet_counters_plan(&s->opts.counters, &plan);
	return start_with(s, &plan, t_ns, reterr);
}

/* The shared session has other settings: one with those. */
static int reopen(struct dotnet_source *s, const struct dotnet_counters_opts *theirs,
		  struct error *reterr)
{
	CLEANUP(dotnet_counters_plan_release) struct dotnet_counters_plan plan = { 0 };

	s->session = dotnet_session_free(s->session);
	dotnet_counters_plan(theirs, &plan);
	dotnet_counters_restart(s->counters);
	return open_session(s, &plan, reterr);
}

/* ---- events ---- */

/* 1 = there may be more, 0 = not for the moment, -ESRCH = the stream is over. */
static int read_some(struct dotnet_source *s, struct error *reterr)
{
	ssize_t n = dotnet_session_read(s->session, s->buf, sizeof(s->buf), 0, reterr);
	int r;

	if (n == -ETIMEDOUT || n == -ECANCELED)
		return 0;
	if (n <= 0)
		return n < 0 ? (int)n : -ESRCH;
	r = dotnet_counters_feed(s->counters, (struct str){ s->buf, (size_t)n }, clock_now_ns(),
				 reterr);
	return r < 0 ? r : 1;
}

static int read_all(struct dotnet_source *s, struct error *reterr)
{
	int r = 1, flushed;

	for (unsigned i = 0; r > 0 && i < READS_AT_ONCE; i++)
		r = read_some(s, reterr);
	if (r > 0)
		return 0;
	flushed = r == 0 || r == -ESRCH ? dotnet_counters_flush(s->counters, reterr) : 0;
	return flushed < 0 ? flushed : r;
}

static void arm(struct dotnet_source *s)
{
	bool open = dotnet_counters_is_open(s->counters);
	struct itimerspec when = { .it_value = clock_timespec(open ? REST_OF_ROW_NS : 0) };

	if (open != s->armed && timerfd_settime(s->timer_fd, 0, &when, NULL) == 0)
		s->armed = open;
}

static int close_row_when_due(struct dotnet_source *s)
{
	uint64_t expired;

	if (!s->armed || read(s->timer_fd, &expired, sizeof(expired)) < 0)
		return 0;
	s->armed = false;
	return dotnet_counters_close_row(s->counters);
}

/* What ends this source for another reason than the target's end is said. */
static int give_up(struct dotnet_source *s, int r, const struct error *e)
{
	if (r == -ESRCH)
		dotnet_counters_close_row(s->counters);
	else if (e->code)
		s->out->ops->note(s->out, clock_now_ns(), e->msg);
	return r;
}

static int ready(struct watch_source *source)
{
	struct dotnet_source *s = source_of(source);
	struct dotnet_counters_opts theirs;
	struct error err = ERROR_INIT;
	int r;

	if (!s->session)
		return -ENODATA;
	r = read_all(s, &err);
	if (r == 0)
		r = close_row_when_due(s);
	if (r == 0 && dotnet_counters_must_reopen(s->counters, &theirs))
		r = reopen(s, &theirs, &err);
	if (r < 0)
		return give_up(s, r, &err);
	arm(s);
	return 0;
}

static int fd_of(struct watch_source *source)
{
	return source_of(source)->wait_fd;
}

static void close_source(struct watch_source *source)
{
	struct dotnet_source *s = source_of(source);

	dotnet_session_free(s->session);
	if (s->counters)
		dotnet_counters_note_missing(s->counters, clock_now_ns());
	dotnet_counters_free(s->counters);
	if (s->wait_fd >= 0)
		close(s->wait_fd);
	if (s->timer_fd >= 0)
		close(s->timer_fd);
	free(s->version);
	free(s);
}

bool dotnet_is_in(pid_t pid)
{
	bool starting;

	return dotnet_kind_of(pid, &starting) != DOTNET_KIND_NATIVE;
}

void dotnet_source_new(const struct dotnet_source_opts *o, struct watch_source **ret)
{
	static const struct watch_source_ops ops = { start, NULL, fd_of, ready, close_source };
	struct dotnet_source *s = xcalloc(1, sizeof(*s));

	s->source = (struct watch_source){ .ops = &ops, .name = "the runtime", .drives = true };
	s->opts = *o;
	s->wait_fd = s->timer_fd = -1;
	*ret = &s->source;
}
