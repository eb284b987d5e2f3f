/*
 * What of a load goes into the run file: latencies per second, the slowest requests whole, the
 * phases, and the facts. All through the sink; a sink that can take no more ends the recording, not
 * the load.
 */
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/json.h"
#include "load/control.h"
#include "load/schedule.h"
#include "model/meta.h"

static void check_sink(struct load_control *c, int r)
{
	if (r >= 0 || c->sink_failed)
		return;
	c->sink_failed = true;
	load_log(c->run, LOAD_LOG_ERROR, "the run file takes no more: %s", strerror(-r));
}

static struct sink *sink_of(const struct load_control *c)
{
	return c->sink_failed ? NULL : c->run->opts->sink;
}

static void record_dist(struct load_control *c, const struct load_second *s,
			enum load_builtin metric)
{
	const struct load_metric *m = c->run->builtin[metric];
	const struct load_values *v = load_agg_metric(s->agg, m);
	struct dist d = { m->name, "", "ms", s->t0_ns, s->t1_ns, v->hist };

	if (!v->count || !v->hist || !sink_of(c))
		return;
	check_sink(c, sink_dist(sink_of(c), &d));
}

void load_record_second(struct load_control *c, const struct load_second *s)
{
	record_dist(c, s, LOAD_M_HTTP_REQ_DURATION);
	record_dist(c, s, LOAD_M_HTTP_REQ_DURATION_CORRECTED);
	record_dist(c, s, LOAD_M_ITERATION_START_LAG);
}

/* ---- the slowest requests ---- */

static uint64_t took_ns(const struct load_slow *s)
{
	return s->e.end_ns - s->e.start_ns;
}

static int slowest_first(const void *a, const void *b)
{
	uint64_t x = took_ns(a), y = took_ns(b);

	return (x < y) - (x > y);
}

/* Keeps the slowest of those the run has and those of the second, which is left with the rest. */
void load_record_slow(struct load_control *c, struct load_second *s)
{
	struct load_slow all[2 * LOAD_SLOW_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < c->slow_count; i++)
		all[n++] = c->slow[i];
	for (unsigned i = 0; i < s->slow_count; i++)
		all[n++] = s->slow[i];
	qsort(all, n, sizeof(all[0]), slowest_first);
	c->slow_count = MIN(n, (unsigned)LOAD_SLOW_MAX);
	s->slow_count = n - c->slow_count;
	memset(s->slow, 0, sizeof(s->slow)); /* what moved to the run is no longer the second's */
	memcpy(c->slow, all, c->slow_count * sizeof(all[0]));
	memcpy(s->slow, all + c->slow_count, s->slow_count * sizeof(all[0]));
	if (c->slow_count == LOAD_SLOW_MAX)
		atomic_store(&c->run->slow_floor_ns, took_ns(&c->slow[LOAD_SLOW_MAX - 1]));
}

static void record_exemplars(struct load_control *c)
{
	for (unsigned i = 0; i < c->slow_count; i++) {
		struct load_slow *s = &c->slow[i];

		s->e.method = s->method;
		s->e.url = s->url;
		if (sink_of(c))
			check_sink(c, sink_exemplar(sink_of(c), &s->e));
	}
}

/* ---- facts ---- */

static void record_script(struct load_control *c, struct sink *k)
{
	struct str text = load_script_text(c->run->script);
	CLEANUP(strbuf_release) struct strbuf hex = STRBUF_INIT, env = STRBUF_INIT;
	const struct load_opts *o = c->run->opts;
	unsigned char sum[EVP_MAX_MD_SIZE];
	struct json_writer w;
	unsigned len = 0;

	if (EVP_Digest(text.ptr, text.len, sum, &len, EVP_sha256(), NULL))
		for (unsigned i = 0; i < len; i++)
			strbuf_addf(&hex, "%02x", sum[i]);
	json_init(&w, &env, JSON_COMPACT);
	json_object_begin(&w, NULL);
	for (size_t i = 0; i < o->n_env; i++)
		json_cstr(&w, o->env[i].key, o->env[i].value);
	json_object_end(&w);
	sink_meta(k, META_LOAD_SCRIPT, o->path);
	sink_meta(k, META_LOAD_SHA256, strbuf_cstr(&hex));
	sink_meta(k, META_LOAD_ENV, strbuf_cstr(&env));
}

/* The highest rate of arrivals the plan asks for; 0 in closed loops. */
static double asked_rate(const struct load_plan *p)
{
	double rate = 0;

	vec_for_each (&p->scenarios, s) {
		double most = s->rate, unit_s = (double)s->time_unit_ns / 1e9;

		if (!load_executor_is_open(s->executor) || unit_s <= 0)
			continue;
		vec_for_each (&s->stages, st)
			most = MAX(most, (double)st->target);
		rate += most / unit_s;
	}
	return rate;
}

static void record_figures(struct load_control *c, struct sink *k)
{
	const struct load_result *r = c->result;
	const struct load_plan *p = c->run->plan;
	const struct load_summary_generator *g = &r->summary->generator;

	if (asked_rate(p) > 0)
		sink_metaf(k, META_LOAD_RATE, "%.10g", asked_rate(p));
	sink_metaf(k, META_LOAD_DURATION_S, "%.10g",
		   (double)(load_plan_length_ns(p) - p->warmup_ns) / 1e9);
	sink_metaf(k, META_LOAD_WARMUP_S, "%.10g", (double)p->warmup_ns / 1e9);
	sink_metaf(k, META_LOAD_VUS, "%u", load_plan_vus_max(p));
	sink_metaf(k, META_LOAD_ITERATIONS, "%llu", (unsigned long long)r->iterations);
	sink_metaf(k, META_LOAD_DROPPED, "%llu", (unsigned long long)r->dropped);
	sink_metaf(k, META_LOAD_REQUESTS, "%llu", (unsigned long long)r->requests);
	sink_metaf(k, META_LOAD_FAILED, "%llu", (unsigned long long)r->requests_failed);
	sink_metaf(k, META_CHECKS_FAILED, "%llu", (unsigned long long)r->checks_failed);
	sink_meta(k, META_GEN_VERDICT, g->verdict);
	if (g->cpu_share >= 0)
		sink_metaf(k, META_GEN_CPU_SHARE, "%.4f", g->cpu_share);
	if (g->send_lag_p99_ms >= 0)
		sink_metaf(k, META_GEN_LAG_P99_MS, "%.4f", g->send_lag_p99_ms);
	sink_metaf(k, META_GEN_STEAL_SHARE, "%.4f", g->steal_share);
}

static void record_phase(struct load_control *c, const char *name, uint64_t t0_ns, uint64_t t1_ns)
{
	struct span sp = { "phase", name, t0_ns, t1_ns };

	if (sink_of(c) && t1_ns > t0_ns)
		check_sink(c, sink_span(sink_of(c), &sp));
}

void load_record_end(struct load_control *c)
{
	const struct load_run *run = c->run;

	if (!sink_of(c))
		return;
	record_phase(c, "warmup", run->start_ns, MIN(run->measure_ns, run->end_ns));
	record_phase(c, "load", run->measure_ns, run->end_ns);
	record_exemplars(c);
	record_script(c, sink_of(c) ? sink_of(c) : &sink_null);
	record_figures(c, sink_of(c) ? sink_of(c) : &sink_null);
}
