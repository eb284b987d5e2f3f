/* A plan for people and for scripts. */
#include <stdlib.h>

#include "base/duration.h"
#include "base/json.h"
#include "load/plan.h"
#include "load/schedule.h"

static void json_duration(struct json_writer *w, const char *key, uint64_t ns)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	duration_fmt(&text, ns);
	json_cstr(w, key, strbuf_cstr(&text));
}

static void json_pairs(struct json_writer *w, const char *key, const struct load_pairs *pairs)
{
	json_object_begin(w, key);
	vec_for_each (pairs, p)
		json_cstr(w, p->key, p->value);
	json_object_end(w);
}

static void json_stages(struct json_writer *w, const struct load_scenario *s)
{
	json_array_begin(w, "stages");
	vec_for_each (&s->stages, stage) {
		json_object_begin(w, NULL);
		json_duration(w, "duration", stage->duration_ns);
		json_uint(w, "target", stage->target);
		json_object_end(w);
	}
	json_array_end(w);
}

static void json_closed(struct json_writer *w, const struct load_scenario *s)
{
	if (s->executor == LOAD_RAMPING_VUS) {
		json_uint(w, "startVUs", s->vus);
		json_stages(w, s);
		json_duration(w, "gracefulRampDown", s->graceful_ramp_down_ns);
		return;
	}
	json_uint(w, "vus", s->vus);
	if (s->executor == LOAD_CONSTANT_VUS) {
		json_duration(w, "duration", s->duration_ns);
		return;
	}
	json_uint(w, "iterations", s->iterations);
	json_duration(w, "maxDuration", s->max_duration_ns);
}

static void json_open(struct json_writer *w, const struct load_scenario *s)
{
	if (s->executor == LOAD_RAMPING_ARRIVAL_RATE) {
		json_uint(w, "startRate", s->rate);
		json_stages(w, s);
	} else {
		json_uint(w, "rate", s->rate);
		json_duration(w, "duration", s->duration_ns);
	}
	json_duration(w, "timeUnit", s->time_unit_ns);
	json_uint(w, "preAllocatedVUs", s->pre_allocated_vus);
	json_uint(w, "maxVUs", s->max_vus);
}

static void json_scenario(struct json_writer *w, const struct load_scenario *s)
{
	json_object_begin(w, s->name);
	json_cstr(w, "executor", load_executor_name(s->executor));
	json_cstr(w, "exec", s->exec);
	json_duration(w, "startTime", s->start_time_ns);
	json_duration(w, "gracefulStop", s->graceful_stop_ns);
	json_pairs(w, "env", &s->env);
	json_pairs(w, "tags", &s->tags);
	if (load_executor_is_open(s->executor))
		json_open(w, s);
	else
		json_closed(w, s);
	json_object_end(w);
}

/* Thresholds of one metric stand together: those of the i-th's, if it is the first. */
static void json_thresholds_of(struct json_writer *w, const struct load_plan *p, size_t i)
{
	const struct load_plan_threshold *all = p->thresholds.ptr;

	if (i && !strcmp(all[i - 1].metric, all[i].metric))
		return;
	json_array_begin(w, all[i].metric);
	for (size_t k = i; k < p->thresholds.len && !strcmp(all[k].metric, all[i].metric); k++) {
		json_object_begin(w, NULL);
		json_cstr(w, "threshold", all[k].expression);
		json_bool(w, "abortOnFail", all[k].abort_on_fail);
		json_duration(w, "delayAbortEval", all[k].delay_abort_eval_ns);
		json_object_end(w);
	}
	json_array_end(w);
}

static void json_lists(struct json_writer *w, const struct load_plan *p)
{
	json_object_begin(w, "thresholds");
	for (size_t i = 0; i < p->thresholds.len; i++)
		json_thresholds_of(w, p, i);
	json_object_end(w);
	json_pairs(w, "tags", &p->tags);
	json_array_begin(w, "systemTags");
	for (uint32_t rest = p->system_tags; rest; rest &= rest - 1)
		json_cstr(w, NULL, load_system_tag_name((enum load_system_tag)(rest & -rest)));
	json_array_end(w);
	json_array_begin(w, "summaryTrendStats");
	vec_for_each (&p->summary_trend_stats, stat)
		json_cstr(w, NULL, *stat);
	json_array_end(w);
}

static const char *unit_name(enum load_time_unit u)
{
	static const char *const names[] = { NULL, "s", "ms", "us" };

	return names[u];
}

void load_plan_fmt_json(const struct load_plan *p, struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, JSON_COMPACT);
	json_object_begin(&w, NULL);
	json_object_begin(&w, "scenarios");
	vec_for_each (&p->scenarios, s)
		json_scenario(&w, s);
	json_object_end(&w);
	json_lists(&w, p);
	json_cstr(&w, "summaryTimeUnit", unit_name(p->summary_time_unit));
	if (p->http_debug)
		json_cstr(&w, "httpDebug",
			  p->http_debug == LOAD_HTTP_DEBUG_FULL ? "full" : "headers");
	json_cstr(&w, "userAgent", p->user_agent);
	json_uint(&w, "maxRedirects", p->max_redirects);
	json_uint(&w, "batch", p->batch);
	json_uint(&w, "batchPerHost", p->batch_per_host);
	json_bool(&w, "throw", p->throw_errors);
	json_bool(&w, "insecureSkipTLSVerify", p->insecure_skip_tls_verify);
	json_bool(&w, "discardResponseBodies", p->discard_response_bodies);
	json_bool(&w, "noConnectionReuse", p->no_connection_reuse);
	json_bool(&w, "noVUConnectionReuse", p->no_vu_connection_reuse);
	json_bool(&w, "noCookiesReset", p->no_cookies_reset);
	vec_for_each (&p->network.options, o)
		json_raw(&w, o->key, str_from(o->json));
	json_duration(&w, "minIterationDuration", p->min_iteration_duration_ns);
	json_bool(&w, "noSetup", p->no_setup);
	json_bool(&w, "noTeardown", p->no_teardown);
	json_duration(&w, "setupTimeout", p->setup_timeout_ns);
	json_duration(&w, "teardownTimeout", p->teardown_timeout_ns);
	json_object_end(&w);
}

/* --- for people ------------------------------------------------------------------------------- */

static uint32_t peak_target(const struct load_scenario *s)
{
	uint32_t peak = s->executor == LOAD_RAMPING_VUS ? s->vus : s->rate;

	vec_for_each (&s->stages, stage)
		peak = MAX(peak, stage->target);
	return peak;
}

static void add_profile(const struct load_scenario *s, struct strbuf *out)
{
	double per_second = s->time_unit_ns ? (double)NS_PER_S / (double)s->time_unit_ns : 0;

	switch (s->executor) {
	case LOAD_CONSTANT_VUS:
		strbuf_addf(out, "%u looping VUs for ", s->vus);
		break;
	case LOAD_RAMPING_VUS:
		strbuf_addf(out, "up to %u looping VUs over %zu stages in ", peak_target(s),
			    s->stages.len);
		break;
	case LOAD_SHARED_ITERATIONS:
		strbuf_addf(out, "%llu iterations shared among %u VUs within ",
			    (unsigned long long)s->iterations, s->vus);
		break;
	case LOAD_PER_VU_ITERATIONS:
		strbuf_addf(out, "%llu iterations for each of %u VUs within ",
			    (unsigned long long)s->iterations, s->vus);
		break;
	case LOAD_CONSTANT_ARRIVAL_RATE:
		strbuf_addf(out, "%.2f iterations/s for ", s->rate * per_second);
		break;
	case LOAD_RAMPING_ARRIVAL_RATE:
		strbuf_addf(out, "up to %.2f iterations/s over %zu stages in ",
			    peak_target(s) * per_second, s->stages.len);
		break;
	}
	duration_fmt(out, load_schedule_length_ns(s));
}

void load_scenario_fmt(const struct load_scenario *s, struct strbuf *out)
{
	strbuf_addf(out, "%s: ", s->name);
	add_profile(s, out);
	strbuf_addstr(out, " (");
	if (load_executor_is_open(s->executor))
		strbuf_addf(out, "VUs: %u to %u, ", s->pre_allocated_vus, s->max_vus);
	if (strcmp(s->exec, "default"))
		strbuf_addf(out, "exec: %s, ", s->exec);
	if (s->start_time_ns) {
		strbuf_addstr(out, "startTime: ");
		duration_fmt(out, s->start_time_ns);
		strbuf_addstr(out, ", ");
	}
	strbuf_addstr(out, "gracefulStop: ");
	duration_fmt(out, s->graceful_stop_ns);
	strbuf_addch(out, ')');
}
