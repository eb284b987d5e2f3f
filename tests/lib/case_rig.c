#include "case_rig.h"

#include <stdlib.h>
#include <string.h>

#include "model/meta.h"
#include "test.h"

#define SAMPLE_NS (NS_PER_S / 10)
#define MIB	  (1024.0 * 1024)

const struct rig_spec rig_specs[] = {
	{ "slow", 1, { 535, 41, 17, 1 }, { 1.22, 476, 537, 701 }, 0.8, 0.23, 83, 23, 6 },
	{ "options", 1, { 544, 42, 17, 1 }, { 1.21, 470, 530, 690 }, 0.8, 0.22, 82, 22, 6 },
	{ "rules", 1, { 651, 35, 13, 1 }, { 0.70, 1.2, 1.72, 3.5 }, 0.33, 0, 90, 12, 1.4 },
	{ "cache", 1, { 541, 42, 17, 1 }, { 1.22, 474, 533, 699 }, 0.8, 0.23, 70, 0, 6 },
	{ "fixed", 1, { 651, 35, 13, 1 }, { 0.65, 1.09, 1.54, 3.2 }, 0.3, 0, 66, 0, 1.3 },
	{ "fixed", 2, { 651, 35, 13, 1 }, { 0.65, 1.09, 1.50, 3.1 }, 0.3, 0, 66, 0, 1.3 },
	{ "cache", 2, { 574, 45, 18, 1 }, { 1.22, 474, 485, 699 }, 0.8, 0.23, 70, 0, 6 },
	{ "rules", 2, { 651, 35, 13, 1 }, { 0.70, 1.2, 1.68, 3.5 }, 0.33, 0, 90, 12, 1.4 },
	{ "options", 2, { 581, 45, 18, 1 }, { 1.21, 470, 478, 690 }, 0.8, 0.22, 82, 22, 6 },
	{ "slow", 2, { 577, 45, 18, 1 }, { 1.22, 476, 483, 701 }, 0.8, 0.23, 83, 23, 5 },
};

const size_t rig_spec_count = ARRAY_SIZE(rig_specs);

/* ---- one run ---- */

static unsigned per_second(const struct rig_spec *spec)
{
	return spec->counts[0] + spec->counts[1] + spec->counts[2] + spec->counts[3];
}

static void add_latencies(struct sink *s, const struct rig_spec *spec)
{
	for (uint64_t second = 0; second < RIG_SECONDS; second++) {
		CLEANUP(cleanup_hist) struct hist *h = hist_new();
		uint64_t t0 = RIG_LOAD_START + second * NS_PER_S;

		for (size_t level = 0; level < 4; level++)
			for (unsigned i = 0; i < spec->counts[level]; i++)
				hist_add(h, spec->levels_ms[level]);
		sink_dist(s, &(struct dist){ "http_req_duration", "", "ms", t0, t0 + NS_PER_S, h });
	}
}

/* From 5 s before the load to 1 s after it; value = start + slope * seconds since the load began.
 */
static void add_line(struct sink *s, const struct series_def *def, double start, double per_s)
{
	uint32_t id;

	sink_series(s, def, &id);
	for (uint64_t t = RIG_LOAD_START - 5 * NS_PER_S; t <= RIG_LOAD_START + 6 * NS_PER_S;
	     t += SAMPLE_NS)
		sink_point(s, id, t, start + per_s * ((double)t - (double)RIG_LOAD_START) / 1e9);
}

static void add_signals(struct sink *s, const struct rig_spec *spec)
{
	add_line(s, &(struct series_def){ "cgroup.cpu.usage", "s", "", SERIES_COUNTER }, 50,
		 spec->cpu_cores);
	add_line(s, &(struct series_def){ "cgroup.cpu.nr_periods", "{period}", "", SERIES_COUNTER },
		 500, 10);
	add_line(s,
		 &(struct series_def){ "cgroup.cpu.nr_throttled", "{period}", "", SERIES_COUNTER },
		 200, 10 * spec->throttled);
	add_line(s, &(struct series_def){ "cgroup.memory.usage", "By", "", SERIES_GAUGE },
		 spec->memory_mib * MIB, spec->mib_per_min * MIB / 60);
}

static void add_facts(struct sink *s, const struct rig_spec *spec, size_t order)
{
	static const char *const constant[][2] = {
		{ META_VERSION, "0.1.0" },
		{ META_WALL_START, "2026-03-02T09:00:00Z" },
		{ META_CASE, "bookstore checkout" },
		{ META_RUN_KIND, "measure" },
		{ META_RUN_STATUS, "complete" },
		{ META_HOST_KERNEL, "6.1.0" },
		{ META_HOST_CPU, "Example CPU" },
		{ META_HOST_CPUS, "2" },
		{ META_HOST_MEMORY, "8589934592" },
		{ META_TARGET_COMMAND, "bookstore --port 8080" },
		{ META_LIMIT_CPUS, "1" },
		{ META_LIMIT_PERIOD_NS, "100000000" },
		{ META_LIMIT_MEMORY, "1073741824" },
		{ META_LOAD_SCRIPT, "checkout.js" },
		{ META_LOAD_SHA256, "0123456789abcdef0123456789abcdef" },
		{ META_LOAD_RATE, "700" },
		{ META_LOAD_DURATION_S, "5" },
		{ META_LOAD_WARMUP_S, "2" },
		{ META_LOAD_VUS, "200" },
		{ META_GEN_VERDICT, "valid" },
		{ META_GEN_CPU_SHARE, "0.21" },
		{ META_GEN_LAG_P99_MS, "0.12" },
	};
	unsigned done = per_second(spec) * RIG_SECONDS;

	for (size_t i = 0; i < ARRAY_SIZE(constant); i++)
		sink_meta(s, constant[i][0], constant[i][1]);
	sink_meta(s, META_VARIANT, spec->variant);
	sink_metaf(s, META_RUN_INDEX, "%u", spec->index);
	sink_metaf(s, META_RUN_ORDER, "%zu", order);
	sink_metaf(s, META_LOAD_ENV, "{\"ENDPOINT\":\"/%s\",\"RATE\":\"700\"}", spec->variant);
	sink_metaf(s, META_LOAD_ITERATIONS, "%u", done);
	sink_metaf(s, META_LOAD_REQUESTS, "%u", done);
	sink_metaf(s, META_LOAD_DROPPED, "%u", 700 * RIG_SECONDS - done);
	sink_meta(s, META_LOAD_FAILED, "0");
	sink_metaf(s, META_SERVER_P99_MS, "%g", spec->server_p99_ms);
	if (!strcmp(spec->variant, "slow")) {
		sink_meta(s, META_CACHE_HITS, spec->index == 1 ? "0" : "3");
		sink_metaf(s, META_CACHE_MISSES, "%u", done - (spec->index == 1 ? 0 : 3));
		sink_metaf(s, META_CACHE_ENTRIES, "%u", done);
	}
}

void rig_write(struct sink *s, const struct rig_spec *spec, size_t order)
{
	sink_span(s, &(struct span){ "phase", "load", RIG_LOAD_START,
				     RIG_LOAD_START + RIG_SECONDS * NS_PER_S });
	add_latencies(s, spec);
	add_signals(s, spec);
	add_facts(s, spec, order);
}

struct run *rig_add(struct rig *r, const struct rig_spec *spec)
{
	struct run *run = run_new();
	struct sink *s = run_sink_new(run);

	rig_write(s, spec, r->n + 1);
	run_sink_free(s);
	run->path = xasprintf("out/%s-%u.assay", spec->variant, spec->index);
	r->runs[r->n++] = run;
	return run;
}

/* ---- the case ---- */

static void describe(struct case_desc *d)
{
	static const char *const variants[][2] = {
		{ "slow", "as it is in production" },
		{ "options", "the coupon pattern compiled once" },
		{ "rules", "the campaign rules parsed once" },
		{ "cache", "no cache of quotes" },
		{ "fixed", "all three" },
	};
	static const char *const suspects[][2] = {
		{ "a coupon pattern compiled per request", "options" },
		{ "2,000 rules parsed per request", "rules" },
		{ "quotes cached for 30 minutes", "cache" },
	};

	d->name = xstrdup("bookstore checkout");
	d->case_file = xstrdup("case.yaml");
	d->command_line = xstrdup("assay case run case.yaml");
	d->slo = (struct case_desc_slo){ xstrdup("http_req_duration"), 0.99, 100 };
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++)
		vec_push(&d->variants, ((struct case_desc_variant){ xstrdup(variants[i][0]),
								    xstrdup(variants[i][1]) }));
	for (size_t i = 0; i < ARRAY_SIZE(suspects); i++)
		vec_push(&d->suspects, ((struct case_desc_suspect){ xstrdup(suspects[i][0]),
								    xstrdup(suspects[i][1]) }));
	d->runs_wanted = 2;
	d->rate_asked_per_s = d->rate_used_per_s = 700;
	d->limit_cpus = 1;
	d->limit_memory_bytes = UINT64_C(1) << 30;
	vec_push(&d->env_varies, xstrdup("ENDPOINT"));
	d->answers = (struct case_desc_answers){ CASE_ANSWERS_EQUAL, 2, NULL };
	d->texts.symptom = xstrdup("Checkout misses its target in the campaign's load test.");
	d->texts.since = xstrdup("the campaign rules went live");
	d->texts.root_cause = xstrdup("Every checkout parses all rules from their text.");
	d->texts.fix = xstrdup("Rules parsed once and shared, the cache removed.");
	d->texts.fix_commit = xstrdup("1a2b3c4");
	d->texts.owner = xstrdup("team checkout");
}

struct rig *rig_new(void)
{
	struct rig *r = xcalloc(1, sizeof(*r));

	r->desc = case_desc_new();
	describe(r->desc);
	for (size_t i = 0; i < rig_spec_count; i++)
		rig_add(r, &rig_specs[i]);
	return r;
}

void rig_free(struct rig *r)
{
	case_desc_free(r->desc);
	for (size_t i = 0; i < r->n; i++)
		run_free(r->runs[i]);
	free(r);
}

/* ---- changing it ---- */

static bool is_of(const struct run *run, const char *variant)
{
	return !variant || !strcmp(run_meta(run, META_VARIANT), variant);
}

static size_t find(const struct rig *r, const char *variant, unsigned index)
{
	for (size_t i = 0; i < r->n; i++)
		if (is_of(r->runs[i], variant) &&
		    (unsigned)run_meta_double(r->runs[i], META_RUN_INDEX, 0) == index)
			return i;
	test_fail(__FILE__, __LINE__, "the rig has no run %u of %s", index, variant);
}

struct run *rig_run(const struct rig *r, const char *variant, unsigned index)
{
	return r->runs[find(r, variant, index)];
}

void rig_remove(struct rig *r, const char *variant, unsigned index)
{
	size_t at = find(r, variant, index);

	run_free(r->runs[at]);
	r->n--;
	memmove(r->runs + at, r->runs + at + 1, (r->n - at) * sizeof(r->runs[0]));
}

void rig_keep_runs(struct rig *r, unsigned n)
{
	for (size_t i = r->n; i-- > 0;)
		if (run_meta_double(r->runs[i], META_RUN_INDEX, 0) > n)
			rig_remove(r, run_meta(r->runs[i], META_VARIANT),
				   (unsigned)run_meta_double(r->runs[i], META_RUN_INDEX, 0));
	r->desc->runs_wanted = n;
}

void rig_set(struct rig *r, const char *variant, const char *key, const char *value)
{
	for (size_t i = 0; i < r->n; i++)
		if (is_of(r->runs[i], variant))
			run_set_meta(r->runs[i], key, value);
}

void rig_drop_series(struct rig *r, const char *variant, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		vec_for_each (&r->runs[i]->series, s)
			if (is_of(r->runs[i], variant) && !strcmp(s->name, name))
				vec_clear(&s->points);
}

void rig_add_series(struct rig *r, const char *variant, const struct series_def *def, double start,
		    double per_s)
{
	for (size_t i = 0; i < r->n; i++) {
		struct sink *s = run_sink_new(r->runs[i]);

		if (is_of(r->runs[i], variant))
			add_line(s, def, start, per_s);
		run_sink_free(s);
	}
}

static void add_scaled(void *arg, double low, double high, uint64_t count)
{
	struct {
		struct hist *to;
		double factor;
	} *scale = arg;

	while (count--)
		hist_add(scale->to, (low + high) / 2 * scale->factor);
}

void rig_scale(struct rig *r, const char *variant, double factor)
{
	for (size_t i = 0; i < r->n; i++)
		vec_for_each (&r->runs[i]->dists, d) {
			struct {
				struct hist *to;
				double factor;
			} scale = { hist_new(), factor };

			if (is_of(r->runs[i], variant)) {
				hist_for_each(d->values, add_scaled, &scale);
				hist_free(d->values);
				d->values = scale.to;
			} else {
				hist_free(scale.to);
			}
		}
}

struct case_finding *rig_judge(const struct rig *r)
{
	struct case_finding *f = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(analyze_case(r->desc, r->runs, r->n, &f, &err), err);
	return f;
}
