#include "experiment/observer.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "experiment/target_counters.h"
#include "host/sampler.h"
#include "model/meta.h"
#include "os/clock.h"

#define SCRAPE_TIMEOUT_NS (10 * NS_PER_S)

struct observer {
	pthread_t thread;
	struct target_counters *counters; /* NULL: none */
	struct host_sampler *sampler;
	struct sink *sink;
	atomic_bool stop;
	uint64_t missed; /* beats that came too late to be sampled on time */
};

/* Beats on an absolute schedule; a beat that was missed is skipped, not made up for. */
static void *observe(void *arg)
{
	struct observer *o = arg;
	uint64_t next_ns = clock_now_ns();

	while (!atomic_load(&o->stop)) {
		struct timespec at;

		if (host_sampler_sample(o->sampler, clock_now_ns()) == -ESRCH)
			break;
		for (next_ns += OBSERVER_PERIOD_NS; next_ns < clock_now_ns();
		     next_ns += OBSERVER_PERIOD_NS)
			o->missed++;
		at = clock_timespec(next_ns);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
	return NULL;
}

int observer_start(struct target *t, const struct case_target *wanted, const char *url,
		   struct sink *sink, struct observer **ret, struct error *reterr)
{
	struct observer *o = xcalloc(1, sizeof(*o));
	int r;

	o->sampler = host_sampler_new(&(struct host_sampler_opts){
		.pid = target_pid(t), .group = target_cgroup(t), .sink = sink });
	o->sink = sink;
	r = -pthread_create(&o->thread, NULL, observe, o);
	if (r < 0) {
		host_sampler_free(o->sampler);
		free(o);
		return error_errno(reterr, r, "starting the observer");
	}
	o->counters = target_counters_start(t, wanted, url, sink);
	*ret = o;
	return 0;
}

void observer_load_begins(struct observer *o)
{
	target_counters_begin(o->counters);
}

double observer_stop(struct observer *o)
{
	double p99;

	if (!o)
		return NAN;
	atomic_store(&o->stop, true);
	p99 = target_counters_stop(o->counters);
	pthread_join(o->thread, NULL);
	if (o->missed)
		sink_loss(o->sink, "host", o->missed, "samples missed: assay itself had to wait");
	host_sampler_free(o->sampler);
	free(o);
	return p99;
}

/* --- before and after --- */

static int get(const char *url, const char *path, struct net_fetch *fetch, struct strbuf *body,
	       struct error *reterr)
{
	CLEANUP(mem_cleanup) char *full = xasprintf("%s%s", url, path);
	int r = net_fetch_send(fetch, "GET", full, (struct str){ 0 }, SCRAPE_TIMEOUT_NS, body,
			       reterr);

	if (r >= 0 && r != 200)
		return error_set(reterr, -EIO, "GET %s: status %d", full, r);
	return r < 0 ? r : 0;
}

void observer_scrape(const struct case_target *t, const char *url, struct net_fetch *fetch,
		     struct sink *sink, struct prom_histogram *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (!t->metrics_path)
		return;
	if (get(url, t->metrics_path, fetch, &text, &err) < 0)
		sink_loss(sink, "metrics", 1, err.msg);
	else if (prom_histogram_read(strbuf_str(&text), t->histogram, t->metrics_path, ret, &err) <
			 0 &&
		 err.code != -ENOENT) /* there is none before the first request */
		sink_loss(sink, "metrics", 1, err.msg);
}

static void put_number(struct sink *sink, const json_t *tree, const char *name, const char *key)
{
	const json_t *value = json_object_get(tree, name);

	if (json_is_number(value))
		sink_metaf(sink, key, "%.15g", json_number_value(value));
}

void observer_cache(const struct case_target *t, const char *url, struct net_fetch *fetch,
		    struct sink *sink)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;
	json_error_t where;
	json_t *tree;

	if (!t->cache_path)
		return;
	if (get(url, t->cache_path, fetch, &text, &err) < 0) {
		sink_loss(sink, "cache", 1, err.msg);
		return;
	}
	tree = json_loadb(text.ptr, text.len, 0, &where);
	if (!json_is_object(tree))
		sink_loss(sink, "cache", 1, "the answer is no JSON object");
	put_number(sink, tree, "totalHits", META_CACHE_HITS);
	put_number(sink, tree, "totalMisses", META_CACHE_MISSES);
	put_number(sink, tree, "currentEntryCount", META_CACHE_ENTRIES);
	json_decref(tree);
}
