#include "host/source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/sampler.h"
#include "watch/feed.h"

struct host_source {
	struct watch_source source;
	pid_t pid;
	int pidfd; /* -1 on kernels before 5.3: then the sampler notices */
	struct cgroup group;
	struct watch_out *out;
	struct watch_feed *feed;
	struct host_sampler *sampler;
	bool stopped;
};

static struct host_source *source_of(struct watch_source *s)
{
	return container_of(s, struct host_source, source);
}

static int start(struct watch_source *s, struct watch_out *out, uint64_t t_ns, struct error *reterr)
{
	struct host_source *h = source_of(s);
	int r;

	h->feed = watch_feed_new(WATCH_HOST, out);
	h->out = out;
	h->sampler = host_sampler_new(&(struct host_sampler_opts){ .pid = h->pid,
								   .group = &h->group,
								   .sink = watch_feed_sink(h->feed),
								   .per_thread = true });
	watch_feed_set_quiet(h->feed, true);
	r = host_sampler_sample(h->sampler, t_ns);
	watch_feed_set_quiet(h->feed, false);
	return r < 0 ? error_set(reterr, r, "process %d has ended", (int)h->pid) : 0;
}

/* A stopped process counts nothing: that is no calm. */
static int say_stopped(struct host_source *h, uint64_t t_ns)
{
	char state = host_sampler_state(h->sampler);
	bool stopped = state == 'T' || state == 't';

	if (stopped == h->stopped)
		return 0;
	h->stopped = stopped;
	return h->out->ops->note(h->out, t_ns,
				 !stopped	? "the process goes on"
				 : state == 'T' ? "the process is stopped (by a signal)"
						: "the process is stopped (by a debugger)");
}

static int poll_host(struct watch_source *s, uint64_t t_ns)
{
	struct host_source *h = source_of(s);
	int r = host_sampler_sample(h->sampler, t_ns);

	return r < 0 ? r : say_stopped(h, t_ns);
}

static int pidfd_of(struct watch_source *s)
{
	return source_of(s)->pidfd;
}

static int ended(struct watch_source *s UNUSED)
{
	return -ESRCH;
}

static void close_source(struct watch_source *s)
{
	struct host_source *h = source_of(s);

	host_sampler_free(h->sampler);
	watch_feed_free(h->feed);
	cgroup_release(&h->group);
	if (h->pidfd >= 0)
		close(h->pidfd);
	free(h);
}

static const struct watch_source_ops ops = { start, poll_host, pidfd_of, ended, close_source };

int host_source_new(pid_t pid, struct watch_source **ret, struct error *reterr)
{
	struct host_source *h;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 && (errno == ESRCH || errno == EINVAL))
		return error_set(reterr, -ESRCH, "there is no process %d", (int)pid);
	h = xcalloc(1, sizeof(*h));
	h->source = (struct watch_source){ .ops = &ops, .name = "the kernel" };
	h->pid = pid;
	h->pidfd = fd;
	cgroup_of_pid("", pid, &h->group, NULL); /* without one the sampler says so */
	*ret = &h->source;
	return 0;
}
