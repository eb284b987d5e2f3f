#include "experiment/target_counters.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/num.h"
#include "dotnet/find.h"
#include "dotnet/source.h"
#include "os/clock.h"
#include "os/file.h"
#include "scrape/source.h"
#include "watch/latency.h"
#include "watch/loop.h"
#include "watch/record.h"
#include "watch/tee.h"

#define INTERVAL_S 1
#define SERIES_MAX 1000
#define LATENCY	   "http.server.request.duration"

/* The runtime's latencies from the beginning of the load on. */
struct latencies {
	struct watch_out out;
	_Atomic uint64_t begin_ns; /* 0 = not yet */
	const char *own_route;	   /* of our readings of the page, or NULL */
	struct watch_parts parts;
	char *last_tags;
	uint64_t last_ns; /* of the part being filled */
};

struct target_counters {
	pthread_t thread;
	int stop_fd; /* written to: end */
	struct watch_source *sources[2];
	size_t n;
	struct dotnet_peer *peer;
	struct sink *sink;
	struct latencies latencies;
};

/* --- latencies --- */

static bool is_ours(const struct latencies *l, const char *tags)
{
	const char *at = l->own_route ? strstr(tags, l->own_route) : NULL;
	size_t n = at ? strlen(l->own_route) : 0;

	return at && at > tags && at[-1] == '=' && (!at[n] || at[n] == ',');
}

/* The quantiles of a series and second come one after the other, in rising order. */
static int take_latency(struct watch_out *o, const struct watch_value *v)
{
	struct latencies *l = container_of(o, struct latencies, out);
	uint64_t begin_ns = atomic_load(&l->begin_ns);
	struct watch_part *p;

	if (v->source != WATCH_DOTNET || v->kind != WATCH_QUANTILE || strcmp(v->name, LATENCY) != 0)
		return 0;
	if (!begin_ns || v->t_ns < begin_ns + (uint64_t)(v->interval_s * 0.5e9) ||
	    is_ours(l, v->tags))
		return 0;
	if (v->t_ns != l->last_ns || !l->last_tags || strcmp(l->last_tags, v->tags) != 0) {
		free(l->last_tags);
		l->last_tags = xstrdup(v->tags);
		l->last_ns = v->t_ns;
		vec_push(&l->parts.list, ((struct watch_part){ .count = v->count }));
	}
	p = &vec_last(&l->parts.list);
	if (p->n == WATCH_QUANTILES_MAX || (p->n && v->quantile <= p->q[p->n - 1]))
		return 0;
	p->q[p->n] = v->quantile;
	p->value[p->n++] = v->value * 1e3;
	return 0;
}

static int no_tick(struct watch_out *o UNUSED, uint64_t t_ns UNUSED)
{
	return 0;
}

static int no_note(struct watch_out *o UNUSED, uint64_t t_ns UNUSED, const char *text UNUSED)
{
	return 0;
}

/* What was taken is still asked for. */
static int no_close(struct watch_out *o UNUSED, struct error *reterr UNUSED)
{
	return 0;
}

/* --- the watch --- */

static int stop_now(void *arg UNUSED)
{
	return 1;
}

static void *watch(void *arg)
{
	struct target_counters *c = arg;
	struct watch_out *out = watch_tee_new(
		(struct watch_out *[]){ watch_record_new(c->sink, INTERVAL_S), &c->latencies.out },
		2);
	const struct watch_hook hook = { .fd = c->stop_fd, .ready = stop_now };
	struct watch_result result;
	struct error err = ERROR_INIT;

	if (watch_loop_run(c->sources, c->n,
			   &(struct watch_loop_opts){ .interval_ns = INTERVAL_S * NS_PER_S,
						      .out = out,
						      .hooks = &hook,
						      .n_hooks = 1,
						      .optional = true },
			   &result, &err) < 0)
		sink_loss(c->sink, "counters", 1, err.msg);
	out->ops->close(out, NULL);
	return NULL;
}

/* --- what there is to watch --- */

static void add_page(struct target_counters *c, const struct case_target *wanted, const char *url)
{
	CLEANUP(mem_cleanup)
	char *page = wanted->metrics_path ? xasprintf("%s%s", url, wanted->metrics_path) : NULL;
	struct error err = ERROR_INIT;

	if (!page)
		return;
	if (scrape_source_new(&(struct scrape_source_opts){ .url = page,
							    .timeout_ns = NS_PER_S / 2,
							    .max_series = SERIES_MAX },
			      &c->sources[c->n], &err) < 0)
		sink_loss(c->sink, "counters", 1, err.msg);
	else
		c->n++;
}

/* The process that runs .NET: the target's own, or one that it started. 0: none. */
static pid_t find_runtime(const struct target *t)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	const struct cgroup *g = target_cgroup(t);
	struct str rest, line;
	pid_t pid = target_pid(t);

	if (pid && dotnet_is_in(pid))
		return pid;
	for (int i = 0; i < CGROUP_CONTROLLERS && pid && !text.len; i++) {
		CLEANUP(mem_cleanup)
		char *path = g->dir[i] ? xasprintf("%s/cgroup.procs", g->dir[i]) : NULL;

		if (path)
			file_read(path, 65536, &text, NULL);
	}
	rest = strbuf_str(&text);
	while (rest.len && str_split(&rest, '\n', &line)) {
		uint64_t number;

		if (num_parse_u64(line, &number) == 0 && dotnet_is_in((pid_t)number))
			return (pid_t)number;
	}
	return 0;
}

static void add_runtime(struct target_counters *c, const struct target *t, bool started)
{
	/* a group that was there already may hold others than the target */
	pid_t pid = started					   ? find_runtime(t)
		    : target_pid(t) && dotnet_is_in(target_pid(t)) ? target_pid(t)
								   : 0;
	struct error err = ERROR_INIT;

	if (!pid || pid == getpid())
		return;
	if (dotnet_find_pid(pid, NULL, &c->peer, &err) < 0)
		sink_loss(c->sink, "counters", 1, err.msg);
	else
		dotnet_source_new(&(struct dotnet_source_opts){ .peer = c->peer },
				  &c->sources[c->n++]);
}

static void release(struct target_counters *c)
{
	if (c->stop_fd >= 0)
		close(c->stop_fd);
	dotnet_peer_free(c->peer);
	vec_release(&c->latencies.parts.list);
	free(c->latencies.last_tags);
	free(c);
}

struct target_counters *target_counters_start(struct target *t, const struct case_target *wanted,
					      const char *url, struct sink *sink)
{
	static const struct watch_out_ops ops = { take_latency, no_tick, no_note, no_close };
	struct target_counters *c = xcalloc(1, sizeof(*c));

	c->sink = sink;
	c->latencies.out.ops = &ops;
	c->latencies.own_route = wanted->metrics_path;
	c->stop_fd = eventfd(0, EFD_CLOEXEC);
	add_page(c, wanted, url);
	add_runtime(c, t, wanted->command.len > 0);
	if (c->n && c->stop_fd >= 0 && pthread_create(&c->thread, NULL, watch, c) == 0)
		return c;
	for (size_t i = 0; i < c->n; i++)
		c->sources[i]->ops->close(c->sources[i]);
	release(c);
	return NULL;
}

void target_counters_begin(struct target_counters *c)
{
	if (c)
		atomic_store(&c->latencies.begin_ns, clock_now_ns());
}

double target_counters_stop(struct target_counters *c)
{
	uint64_t one = 1;
	double p99;

	if (!c)
		return NAN;
	if (write(c->stop_fd, &one, sizeof(one)) != sizeof(one))
		BUG("an event that cannot be set");
	pthread_join(c->thread, NULL);
	p99 = watch_parts_quantile(&c->latencies.parts, 0.99);
	release(c);
	return p99;
}
