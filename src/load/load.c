/*
 * A run from beginning to end: the script's init code once for its options, the plan, the workers
 * and their VUs, setup(), the load, teardown(), handleSummary(). Each phase that runs script code
 * on this thread has a VU of its own, made for it and freed after it, as k6 has: what setup()
 * leaves in the script's variables is not there in teardown().
 */
#include "load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "js/value.h"
#include "load/control.h"
#include "load/k6/modules.h"
#include "load/phase.h"
#include "load/runner.h"
#include "load/sample.h"
#include "os/proc.h"

/* VUs below which a further thread is not worth its while. */
#define VUS_PER_THREAD_MIN 64

static bool is_function(struct load_vu *vu, const char *name)
{
	JSContext *ctx = js_vm_context(vu->vm);
	JSValue fn = JS_GetPropertyStr(ctx, vu->exports, name);
	bool is = JS_IsFunction(ctx, fn);

	JS_FreeValue(ctx, fn);
	return is;
}

/* ---- init: options, plan, thresholds ---- */

static int write_options(struct load_vu *vu, void *arg)
{
	JSContext *ctx = js_vm_context(vu->vm);
	JSValue options = JS_GetPropertyStr(ctx, vu->exports, "options");
	int r = JS_IsException(options) ? -1 : 0;

	if (!r && !JS_IsUndefined(options))
		r = js_json_write(ctx, options, arg);
	JS_FreeValue(ctx, options);
	if (r >= 0)
		return 0;
	js_error_take(ctx, &vu->error);
	return -EINVAL;
}

static void log_lines(struct load_run *run, enum load_log_level level, struct str text)
{
	struct str line;

	while (str_split(&text, '\n', &line))
		if (line.len)
			load_log(run, level, "%.*s", STR_FMT(line));
}

static int make_plan(struct load_control *c, struct str options, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf warnings = STRBUF_INIT;
	CLEANUP(cleanup_load_options) struct load_options *script = NULL;
	struct load_run *run = c->run;
	int r = load_options_parse(options, &script, reterr);

	if (r < 0)
		return error_wrap(reterr, "the script's options");
	if (run->opts->config) {
		CLEANUP(cleanup_load_options) struct load_options *own = TAKE(script);

		script = load_options_copy(run->opts->config);
		load_options_overlay(script, own);
	}
	r = load_plan_new(script, run->opts->flags, &warnings, &run->plan, reterr);
	if (r == 0 && run->opts->hold)
		r = load_plan_hold(run->plan, run->opts->hold, reterr);
	log_lines(run, LOAD_LOG_WARN, strbuf_str(&warnings));
	return r;
}

static int check_exports(struct load_control *c, struct load_vu *vu, struct error *reterr)
{
	vec_for_each (&c->run->plan->scenarios, s)
		if (!is_function(vu, s->exec))
			return error_set(reterr, -EINVAL,
					 "function '%s' not found in exports: scenario '%s' would "
					 "call it",
					 s->exec, s->name);
	c->has_setup = is_function(vu, "setup") && !c->run->plan->no_setup;
	c->has_teardown = is_function(vu, "teardown") && !c->run->plan->no_teardown;
	c->has_handle_summary = is_function(vu, "handleSummary");
	return 0;
}

/*
 * The warm-up is the load's own beginning: every scenario that starts with the run starts earlier
 * by that much, doing what it does at its start; the others move. Nothing before measure_ns counts.
 */
static void put_warmup_before(struct load_plan *plan)
{
	uint64_t w_ns = plan->warmup_ns;

	if (!w_ns)
		return;
	vec_for_each (&plan->scenarios, s) {
		struct load_stage flat = { w_ns,
					   load_executor_is_open(s->executor) ? s->rate : s->vus };

		if (s->start_time_ns) {
			s->start_time_ns += w_ns;
			continue;
		}
		switch (s->executor) {
		case LOAD_RAMPING_VUS:
		case LOAD_RAMPING_ARRIVAL_RATE:
			vec_push(&s->stages, flat);
			memmove(s->stages.ptr + 1, s->stages.ptr,
				(s->stages.len - 1) * sizeof(flat));
			s->stages.ptr[0] = flat;
			break;
		case LOAD_SHARED_ITERATIONS:
		case LOAD_PER_VU_ITERATIONS:
			s->max_duration_ns += w_ns;
			break;
		default:
			s->duration_ns += w_ns;
		}
	}
}

static void apply_plan(struct load_run *run)
{
	const struct load_plan *p = run->plan;

	run->client_opts = (struct net_client_opts){
		.user_agent = p->user_agent,
		.max_idle = p->batch,
		.max_idle_per_host = p->batch_per_host,
		.no_reuse = p->no_connection_reuse,
		.http = p->h2_only	? NET_HTTP_2
			: p->http1_only ? NET_HTTP_1
					: NET_HTTP_ANY,
		.tls_resumption = p->tls_resumption,
		.names = p->network.names,
		.proxies = run->opts->proxies,
	};
	run->stack_opts = (struct net_stack_opts){
		.dns = p->network.dns,
		.tls = p->network.tls,
	};
	run->stack_opts.tls.insecure = p->insecure_skip_tls_verify;
	load_plan_fmt_json(p, &run->options_json);
	put_warmup_before(run->plan);
	run->scenarios = xcalloc(p->scenarios.len, sizeof(*run->scenarios));
}

static int add_submetrics(struct load_control *c, struct error *reterr)
{
	const struct load_submetric *sub;
	int r = load_thresholds_new(c->run->plan, c->run->metrics, &c->thresholds, reterr);

	if (r < 0)
		return r;
	if (c->run->plan->summary_mode == LOAD_SUMMARY_FULL)
		load_metrics_split(c->run->metrics);
	return load_metrics_add_submetric(
		c->run->metrics, STR("http_req_duration{expected_response:true}"), &sub, reterr);
}

/* The script's init code, its options and what it exports. */
static bool init_script(struct load_control *c, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf options = STRBUF_INIT;
	struct load_vu *vu = load_phase_init(c);
	int r;

	if (!vu)
		return false;
	if (!load_phase_do(c, vu, write_options, &options, "reading the script's options")) {
		load_vu_free(vu);
		return false;
	}
	r = make_plan(c, strbuf_str(&options), reterr);
	if (!r)
		check_exports(c, vu, reterr);
	load_vu_free(vu);
	return true;
}

/* All that comes before the workers. False when the run cannot go on. */
static bool init_run(struct load_control *c)
{
	struct error err = ERROR_INIT;
	int r;

	if (c->run->opts->target)
		make_plan(c, c->run->opts->target->options_json, &err);
	else if (!init_script(c, &err))
		return false;
	r = err.code;
	if (!r)
		r = add_submetrics(c, &err);
	if (r < 0) {
		load_phase_fail(c, LOAD_EXIT_CONFIG, err.msg);
		return false;
	}
	apply_plan(c->run);
	load_worker_equip(c->run->control);
	c->total = load_agg_new(c->run->metrics);
	return true;
}

/* ---- workers ---- */

static unsigned choose_threads(const struct load_run *run)
{
	unsigned by_cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) / 2;
	unsigned by_vus = load_plan_vus_max(run->plan) / VUS_PER_THREAD_MIN, n;

	if (run->opts->threads)
		return run->opts->threads;
	n = MIN(by_cpus, by_vus);
	return MAX(n, 1u);
}

static bool begin_output(struct load_control *c)
{
	struct error err = ERROR_INIT;

	if (load_output_begin(c, &err) < 0)
		load_phase_fail(c, LOAD_EXIT_CONFIG, err.msg);
	return !err.code;
}

static bool start_workers(struct load_control *c)
{
	struct load_run *run = c->run;
	struct error err = ERROR_INIT;

	run->worker_count = choose_threads(run);
	run->workers = xcalloc(run->worker_count, sizeof(*run->workers));
	c->cpu = xcalloc(run->worker_count, sizeof(*c->cpu));
	if (load_control_start_workers(c, &err) == 0)
		return true;
	if (load_run_stop(c->run)) {
		load_phase_fail(c, LOAD_EXIT_SIGNAL, "stopped by a signal");
		return false;
	}
	load_log(run, LOAD_LOG_ERROR, "%s", err.msg);
	load_phase_fail(c, LOAD_EXIT_SCRIPT, "the script's init code failed");
	return false;
}

/* ---- the result ---- */

static struct load_trend trend_of(struct load_control *c, enum load_builtin metric)
{
	const struct load_values *v = load_agg_metric(c->total, c->run->builtin[metric]);

	if (!v->hist)
		return (struct load_trend){ 0 };
	return (struct load_trend){
		.count = v->count,
		.p50 = hist_quantile(v->hist, 0.5),
		.p95 = hist_quantile(v->hist, 0.95),
		.p99 = hist_quantile(v->hist, 0.99),
		.max = hist_max(v->hist),
	};
}

static void sum_scenarios(struct load_control *c)
{
	struct load_run *run = c->run;
	struct load_result *r = c->result;
	size_t n = run->plan->scenarios.len;

	r->scenarios = xcalloc(n, sizeof(*r->scenarios));
	for (size_t i = 0; i < n; i++) {
		struct load_summary_scenario *s = &r->scenarios[i];
		double sum_ms = 0;

		s->scenario = &run->plan->scenarios.ptr[i];
		for (unsigned k = 0; k < run->worker_count; k++)
			vec_for_each (&run->workers[k]->runners, p) {
				if ((*p)->scenario != s->scenario)
					continue;
				s->iterations += (*p)->iterations;
				s->interrupted += (*p)->interrupted;
				for (int why = 0; why < LOAD_DROP_COUNT; why++) {
					s->drops[why] += (*p)->dropped[why];
					s->dropped += (*p)->dropped[why];
				}
				sum_ms += (*p)->duration_sum_ms;
			}
		if (s->iterations)
			s->iteration_mean_ms = sum_ms / (double)s->iterations;
		r->iterations += s->iterations;
		r->interrupted += s->interrupted;
		r->dropped += s->dropped;
	}
}

/* The pools live as long as the workers; the summary's words are copied. */
static void sum_refused_tags(struct load_control *c)
{
	struct load_summary *s = c->result->summary;
	size_t most = 0, values;

	for (unsigned i = 0; i < c->run->worker_count; i++) {
		const struct load_tag_pool *p = c->run->workers[i]->tags;
		const char *key;

		if (!load_tags_refused(p))
			continue;
		s->tags_refused += load_tags_refused(p);
		key = load_tags_widest(p, &values);
		if (!key || values <= most)
			continue;
		most = values;
		free(c->result->tag_at_fault);
		c->result->tag_at_fault = xstrdup(key);
	}
	s->tag_at_fault = c->result->tag_at_fault;
}

static void fill_result(struct load_control *c)
{
	const struct load_metric *const *m = c->run->builtin;
	const struct load_opts *o = c->run->opts;
	struct load_result *r = c->result;
	const struct load_values *checks = load_agg_metric(c->total, m[LOAD_M_CHECKS]);

	r->start_ns = c->run->measure_ns;
	r->end_ns = c->run->end_ns;
	r->requests = load_agg_metric(c->total, m[LOAD_M_HTTP_REQS])->count;
	r->requests_failed = load_agg_metric(c->total, m[LOAD_M_HTTP_REQ_FAILED])->passes;
	r->checks_failed = checks->count - checks->passes;
	r->duration = trend_of(c, LOAD_M_HTTP_REQ_DURATION);
	r->corrected = trend_of(c, LOAD_M_HTTP_REQ_DURATION_CORRECTED);
	r->summary = xcalloc(1, sizeof(*r->summary));
	*r->summary = (struct load_summary){
		.plan = c->run->plan,
		.agg = c->total,
		.thresholds = c->thresholds,
		.duration_ns = MAX(r->end_ns - r->start_ns, UINT64_C(1)),
		.scenarios = r->scenarios,
		.scenario_count = c->run->plan->scenarios.len,
		.setup_data = strbuf_str(&c->run->setup_data),
		.stdout_is_tty = o->stdout_is_tty,
		.stderr_is_tty = o->stderr_is_tty,
		.no_colour = o->no_colour,
	};
	sum_refused_tags(c);
	load_judge_generator(c, &r->summary->generator);
	r->has_summary = true;
}

/* k6's order: what the script says of itself outranks what was measured. */
static void decide_exit(struct load_control *c)
{
	CLEANUP(strbuf_release) struct strbuf crossed = STRBUF_INIT;
	struct load_run *run = c->run;

	if (run->end_reason == LOAD_END_ABORT)
		load_phase_fail(c, LOAD_EXIT_ABORTED, strbuf_cstr(&run->end_message));
	if (atomic_load(&run->marked_failed))
		load_phase_fail(c, LOAD_EXIT_FAILED, "test.fail() was called");
	load_thresholds_fmt_failed(c->thresholds, &crossed);
	if (crossed.len)
		load_phase_fail(c, LOAD_EXIT_THRESHOLDS, strbuf_cstr(&crossed));
	if (run->end_reason == LOAD_END_SIGNAL || load_run_stop(c->run))
		load_phase_fail(c, LOAD_EXIT_SIGNAL, "stopped by a signal");
}

static void run_phases(struct load_control *c)
{
	if (!init_run(c) || !begin_output(c) || !start_workers(c))
		return;
	if (load_phase_setup(c)) {
		load_control_run(c);
	} else {
		c->run->measure_ns = c->run->end_ns = net_loop_now_ns();
	}
	sum_scenarios(c);
	load_control_join(c);
	if (c->run->start_ns)
		load_phase_teardown(c);
	load_thresholds_eval(c->thresholds, c->total, c->run->end_ns - c->run->measure_ns);
	fill_result(c);
	decide_exit(c);
	load_record_end(c);
	load_phase_summary(c);
}

/* ---- begin and end ---- */

/* What outlives the run moves into the result; the rest goes. */
static void close_run(struct load_control *c)
{
	struct load_run *run = c->run;
	struct load_result *r = c->result;

	if (run->workers && !c->joined)
		load_control_join(c);
	if (run->control)
		load_worker_release(run->control);
	load_output_end(c);
	for (unsigned i = 0; i < run->worker_count; i++)
		load_worker_free(run->workers ? run->workers[i] : NULL);
	free(run->workers);
	load_worker_free(run->control);
	load_script_free(run->script);
	r->plan = run->plan;
	r->metrics = run->metrics;
	r->agg = c->total;
	r->thresholds = c->thresholds;
	r->setup_data = run->setup_data;
	if (r->summary) {
		r->summary->setup_data = strbuf_str(&r->setup_data);
		r->summary->outputs = &r->outputs;
	}
	free(run->scenarios);
	strbuf_release(&run->options_json);
	strbuf_release(&run->end_message);
	pthread_mutex_destroy(&run->lock);
	for (unsigned i = 0; i < c->slow_count; i++) {
		free(c->slow[i].method);
		free(c->slow[i].url);
	}
	free(c->cpu);
	hist_free(c->lag_ms);
}

static int64_t wall_anchor_ns(void)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	return (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec - (int64_t)net_loop_now_ns();
}

/* A script that eats memory is told so before the kernel ends the process; the rest is for stacks,
 * connections and figures. */
static size_t script_memory_bytes(void)
{
	return (size_t)(proc_memory_allowed_bytes() / 4 * 3);
}

static int open_run(struct load_run *run, struct error *reterr)
{
	struct str source = run->opts->target ? STR("// no script") : run->opts->source;
	int r = load_script_new(&run->script, run->opts->path, source, load_modules, reterr);

	if (r < 0)
		return r;
	run->script_memory.total_bytes = script_memory_bytes();
	run->script_memory.left_bytes = run->script_memory.total_bytes;
	load_script_set_module_dir(run->script, run->opts->module_dir);
	run->metrics = load_metrics_new();
	for (unsigned i = 0; i < LOAD_M_BUILTINS; i++)
		run->builtin[i] = load_metrics_builtin(run->metrics, (enum load_builtin)i);
	run->wall_anchor_ns = wall_anchor_ns();
	run->control = xcalloc(1, sizeof(*run->control));
	return load_worker_init(run->control, run, reterr);
}

int load_run(const struct load_opts *opts, struct load_result **ret, struct error *reterr)
{
	struct load_run run = { .opts = opts };
	struct load_control c = {
		.run = &run,
		.result = xcalloc(1, sizeof(struct load_result)),
		.lag_ms = hist_new(),
		.phase = "init",
	};
	int r;

	load_modules_init();
	pthread_mutex_init(&run.lock, NULL);
	run.controller = &c;
	r = open_run(&run, reterr);
	if (r == 0)
		run_phases(&c);
	close_run(&c);
	if (r < 0) {
		load_result_free(c.result);
		return r;
	}
	*ret = c.result;
	return 0;
}

void load_result_free(struct load_result *r)
{
	if (!r)
		return;
	free(r->reason);
	free(r->tag_at_fault);
	free(r->generator_verdict);
	vec_for_each (&r->files, f) {
		free(f->path);
		strbuf_release(&f->content);
	}
	vec_release(&r->files);
	load_output_release(&r->outputs);
	free(r->summary);
	free(r->scenarios);
	load_thresholds_free(r->thresholds);
	load_agg_free(r->agg);
	load_metrics_free(r->metrics);
	load_plan_free(r->plan);
	strbuf_release(&r->setup_data);
	free(r);
}
