#include "experiment/case_file.h"

#include "base/strbuf.h"
#include "test.h"

#define TARGET                                                                                     \
	"target: {command: [./svc, --port, \"${PORT}\"], url: \"http://127.0.0.1:${PORT}\"}\n"
#define LOAD "load: {script: a.js, rate: 50}\n"
#define SLO  "slo: {limit: 100ms}\n"
#define ONE  "variants: [{name: base}]\n"

static int parse(const char *text, struct case_file **ret, struct error *err)
{
	return case_file_parse(str_from(text), "dir/case.yaml", ret, err);
}

TEST(case_file_fills_in_defaults)
{
	CLEANUP(cleanup_case_file) struct case_file *c = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(parse("name: x\n" TARGET LOAD SLO ONE, &c, &err), err);
	ASSERT_STREQ(c->dir, "dir");
	ASSERT_INT(c->runs, 2);
	ASSERT_INT(c->target.command.len, 3);
	ASSERT_INT(c->target.period_ns, 100 * NS_PER_MS);
	ASSERT_INT(c->load.duration_ns, 60 * NS_PER_S);
	ASSERT_INT(c->load.warmup_ns, 10 * NS_PER_S);
	ASSERT_NEAR(c->slo.quantile, 0.99, 0);
	ASSERT_NEAR(c->slo.limit_ms, 100, 0);
	ASSERT_STREQ(c->slo.metric, "http_req_duration");
}

TEST(case_file_reads_every_part)
{
	CLEANUP(cleanup_case_file) struct case_file *c = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(
		parse("name: shop\n"
		      "target:\n"
		      "  command: [svc]\n"
		      "  env: {MODE: fast}\n"
		      "  url: http://127.0.0.1:1\n"
		      "  cpus: 0.5\n"
		      "  period: 50ms\n"
		      "  memory: 1g\n"
		      "  ready: {path: /health, timeout: 5s}\n"
		      "  metrics: /metrics\n"
		      "  histogram: h_seconds\n"
		      "  cache: /diag/cache\n"
		      "load: {script: a.js, env: {A: b}, rate: auto, goal: 700, duration: 12s,\n"
		      "       warmup: auto, vus: 30}\n"
		      "slo: {metric: m, percentile: p99.9, limit: 1s}\n"
		      "runs: 3\n"
		      "variants:\n"
		      "  - {name: slow, description: as it is, vars: {E: /a}}\n"
		      "  - {name: fixed}\n"
		      "suspects: [{text: t, removed_by: fixed}]\n"
		      "same_answers: [{path: /q, body: \"{}\"}, {path: /g}]\n"
		      "texts: {since: monday, owner: me, open_items: [one, two]}\n",
		      &c, &err),
		err);
	ASSERT_NEAR(c->target.cpus, 0.5, 0);
	ASSERT_INT(c->target.memory_bytes, 1 << 30);
	ASSERT_STREQ(c->target.env.ptr[0].value, "fast");
	ASSERT_NEAR(c->load.rate, CASE_RATE_AUTO, 0);
	ASSERT_NEAR(c->load.goal, 700, 0);
	ASSERT_TRUE(c->load.warmup_ns == CASE_WARMUP_AUTO);
	ASSERT_NEAR(c->slo.quantile, 0.999, 1e-12);
	ASSERT_INT(c->variants.len, 2);
	ASSERT_STREQ(c->variants.ptr[0].vars.ptr[0].value, "/a");
	ASSERT_STREQ(c->suspects.ptr[0].removed_by, "fixed");
	ASSERT_STREQ(c->same_answers.ptr[0].method, "POST");
	ASSERT_STREQ(c->same_answers.ptr[1].method, "GET");
	ASSERT_STREQ(c->texts.since, "monday");
	ASSERT_INT(c->texts.open_items.len, 2);
	ASSERT_TRUE(c->texts.fix_commit == NULL);
}

TEST(case_file_errors_name_the_place_and_the_cure)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "name: x\nvaraints: []\n",
		  "dir/case.yaml:2:1: no key \"varaints\" here; did you mean "
		  "\"variants\"?" },
		{ "name: x\n", "the key \"target\" is missing" },
		{ "name: x\n" TARGET SLO ONE, "the key \"load\" is missing" },
		{ "name: x\n" TARGET LOAD SLO, "the key \"variants\" is missing" },
		{ "name: x\n" TARGET LOAD SLO "variants: []\n", "variants takes a list" },
		{ "name: x\n" TARGET "load: {script: a, rate: fast}\n" SLO ONE,
		  "rate takes a number, not \"fast\"" },
		{ "name: x\n" TARGET "load: {script: a, rate: 0}\n" SLO ONE,
		  "rate takes a positive number or auto" },
		{ "name: x\n" TARGET LOAD "slo: {limit: 5, percentile: p100}\n" ONE,
		  "percentile takes p50 to p99.99, not \"p100\"" },
		{ "name: x\n" TARGET LOAD SLO "variants: [{name: a}, {name: a}]\n",
		  "variant \"a\" is there twice" },
		{ "name: x\n" TARGET LOAD SLO ONE "suspects: [{text: t, removed_by: gone}]\n",
		  "no variant is named \"gone\"" },
		{ "name: x\ntarget: {url: u, pid: 3, cgroup: /x}\n" LOAD SLO ONE,
		  "one of command, pid and cgroup" },
		{ "name: x\ntarget: {url: u, pid: 3, cpus: 1}\n" LOAD SLO ONE,
		  "set only on a target that is started here" },
		{ "name: x\nruns: 0\n", "runs takes 1 to 100" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(cleanup_case_file) struct case_file *c = NULL;
		struct error err = ERROR_INIT;

		ASSERT_TRUE(parse(cases[i].text, &c, &err) < 0);
		ASSERT_HAS(err.msg, cases[i].says);
	}
}
