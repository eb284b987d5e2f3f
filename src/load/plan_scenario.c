/*
 * One scenario, from its JSON: which fields an executor takes, their defaults and what must hold
 * between them are k6's (its documentation, "Executors"). Inside a scenario nothing is passed over:
 * a misspelt field would change the load in silence.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/options_field.h"

#define OFFSET(member) offsetof(struct load_scenario, member)

#define BIT(e)	  (1u << (e))
#define CLOSED	  (BIT(LOAD_CONSTANT_VUS) | BIT(LOAD_SHARED_ITERATIONS) | BIT(LOAD_PER_VU_ITERATIONS))
#define COUNTED	  (BIT(LOAD_SHARED_ITERATIONS) | BIT(LOAD_PER_VU_ITERATIONS))
#define OPEN	  (BIT(LOAD_CONSTANT_ARRIVAL_RATE) | BIT(LOAD_RAMPING_ARRIVAL_RATE))
#define RAMPING	  (BIT(LOAD_RAMPING_VUS) | BIT(LOAD_RAMPING_ARRIVAL_RATE))
#define WITH_SPAN (BIT(LOAD_CONSTANT_VUS) | BIT(LOAD_CONSTANT_ARRIVAL_RATE))
#define EVERY	  (~0u)
#define BROWSER	  "assay drives no browser"

/* clang-format off */
static const struct option_field fields[] = {
	{ "executor", OPTION_CUSTOM, .executors = EVERY },
	{ "exec", OPTION_TEXT, OFFSET(exec), .executors = EVERY },
	{ "startTime", OPTION_DURATION, OFFSET(start_time_ns), .executors = EVERY },
	{ "gracefulStop", OPTION_DURATION, OFFSET(graceful_stop_ns), .executors = EVERY },
	{ "env", OPTION_PAIRS, OFFSET(env), .executors = EVERY },
	{ "tags", OPTION_PAIRS, OFFSET(tags), .executors = EVERY },
	{ "options", OPTION_REFUSED, .executors = EVERY, .why = BROWSER },
	{ "vus", OPTION_U32, OFFSET(vus), 1, LOAD_VUS_MAX, CLOSED },
	{ "startVUs", OPTION_U32, OFFSET(vus), 0, LOAD_VUS_MAX, BIT(LOAD_RAMPING_VUS) },
	{ "iterations", OPTION_U64, OFFSET(iterations), 1, 0, COUNTED },
	{ "maxDuration", OPTION_DURATION, OFFSET(max_duration_ns), NS_PER_S, 0, COUNTED },
	{ "duration", OPTION_DURATION, OFFSET(duration_ns), NS_PER_S, 0, WITH_SPAN },
	{ "stages", OPTION_STAGES, OFFSET(stages), .executors = RAMPING },
	{ "gracefulRampDown", OPTION_DURATION, OFFSET(graceful_ramp_down_ns),
	  .executors = BIT(LOAD_RAMPING_VUS) },
	{ "rate", OPTION_U32, OFFSET(rate), 1, 0, BIT(LOAD_CONSTANT_ARRIVAL_RATE) },
	{ "startRate", OPTION_U32, OFFSET(rate), .executors = BIT(LOAD_RAMPING_ARRIVAL_RATE) },
	{ "timeUnit", OPTION_DURATION, OFFSET(time_unit_ns), 1, 0, OPEN },
	{ "preAllocatedVUs", OPTION_U32, OFFSET(pre_allocated_vus), 0, LOAD_VUS_MAX, OPEN },
	{ "maxVUs", OPTION_U32, OFFSET(max_vus), 1, LOAD_VUS_MAX, OPEN },
};
/* clang-format on */

static const char *const executor_names[] = {
	[LOAD_CONSTANT_VUS] = "constant-vus",
	[LOAD_RAMPING_VUS] = "ramping-vus",
	[LOAD_SHARED_ITERATIONS] = "shared-iterations",
	[LOAD_PER_VU_ITERATIONS] = "per-vu-iterations",
	[LOAD_CONSTANT_ARRIVAL_RATE] = "constant-arrival-rate",
	[LOAD_RAMPING_ARRIVAL_RATE] = "ramping-arrival-rate",
};

const char *load_executor_name(enum load_executor e)
{
	return executor_names[e];
}

bool load_executor_is_open(enum load_executor e)
{
	return BIT(e) & OPEN;
}

void plan_scenario_init(struct load_scenario *s, const char *name, enum load_executor executor)
{
	*s = (struct load_scenario){
		.name = xstrdup(name),
		.executor = executor,
		.exec = xstrdup("default"),
		.graceful_stop_ns = 30 * NS_PER_S,
	};
	if (executor != LOAD_CONSTANT_ARRIVAL_RATE && executor != LOAD_RAMPING_ARRIVAL_RATE)
		s->vus = 1;
	if (BIT(executor) & COUNTED) {
		s->iterations = 1;
		s->max_duration_ns = 600 * NS_PER_S;
	}
	if (executor == LOAD_RAMPING_VUS)
		s->graceful_ramp_down_ns = 30 * NS_PER_S;
	if (BIT(executor) & OPEN)
		s->time_unit_ns = NS_PER_S;
}

void plan_scenario_release(struct load_scenario *s)
{
	free(s->name);
	free(s->exec);
	option_pairs_release(&s->env);
	option_pairs_release(&s->tags);
	vec_release(&s->stages);
}

#define EXECUTORS                                                                                  \
	"constant-vus, ramping-vus, shared-iterations, per-vu-iterations, constant-arrival-rate, " \
	"ramping-arrival-rate"

/* k6 until its version 2: the number of VUs could be changed from outside, for which there is no
 * way here. Without that it is a constant number of them. */
#define EXTERNALLY_CONTROLLED "externally-controlled"

static int read_executor(const char *path, const json_t *value, enum load_executor *ret,
			 struct error *reterr)
{
	const char *name = json_string_value(value), *near;

	if (!name)
		return error_set(reterr, -EINVAL, "%s.executor: expected one of " EXECUTORS, path);
	if (!strcmp(name, EXTERNALLY_CONTROLLED))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(executor_names); i++)
		if (!strcmp(name, executor_names[i])) {
			*ret = (enum load_executor)i;
			return 0;
		}
	near = str_nearest(name, executor_names, ARRAY_SIZE(executor_names));
	return error_set(reterr, -EINVAL, "%s.executor: unknown executor type '%s'; %s%s%s", path,
			 name, near ? "did you mean '" : "expected one of " EXECUTORS,
			 near ? near : "", near ? "'?" : "");
}

static int unknown_field(const char *path, const char *key, struct error *reterr)
{
	const char *near = option_nearest(fields, ARRAY_SIZE(fields), key);

	return error_set(reterr, -EINVAL, "%s.%s: there is no such field%s%s%s", path, key,
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Something that changes nothing, as k6's own defaults written out. */
static bool is_empty(const json_t *v)
{
	return json_is_null(v) || json_is_false(v) || (json_is_object(v) && !json_object_size(v)) ||
	       (json_is_array(v) && !json_array_size(v));
}

static int read_field(struct load_scenario *s, const char *path, const char *key,
		      const json_t *value, struct error *reterr)
{
	const struct option_field *f = option_find(fields, ARRAY_SIZE(fields), key);

	if (!f)
		return unknown_field(path, key, reterr);
	if (json_is_null(value) || f->kind == OPTION_CUSTOM)
		return 0;
	if (f->kind == OPTION_REFUSED && is_empty(value))
		return 0;
	if (f->kind == OPTION_REFUSED)
		return error_set(reterr, -EINVAL, "%s.%s is not supported: %s", path, key, f->why);
	if (!(f->executors & BIT(s->executor)))
		return error_set(reterr, -EINVAL, "%s.%s: the executor %s has no such field", path,
				 key, load_executor_name(s->executor));
	return option_read(f, path, value, s, reterr);
}

static bool has(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);

	return v && !json_is_null(v);
}

static bool is_external(const json_t *value)
{
	const char *name = json_string_value(json_object_get(value, "executor"));

	return name && !strcmp(name, EXTERNALLY_CONTROLLED);
}

/* It has a limit for what is asked from outside, and may go on until it is stopped. */
static void read_external(struct load_scenario *s, json_t *value)
{
	json_t *duration = json_object_get(value, "duration");
	bool endless = !duration || json_is_null(duration) ||
		       (json_is_number(duration) && json_number_value(duration) <= 0) ||
		       (json_is_string(duration) && (!strcmp(json_string_value(duration), "0") ||
						     !strcmp(json_string_value(duration), "0s")));

	json_object_del(value, "maxVUs");
	if (endless)
		json_object_del(value, "duration");
	s->duration_ns = LOAD_DURATION_MAX_NS;
	s->graceful_stop_ns = 0;
}

static int complete_open(struct load_scenario *s, const char *path, const json_t *value,
			 struct error *reterr)
{
	if (!has(value, "preAllocatedVUs"))
		return error_set(reterr, -EINVAL,
				 "%s.preAllocatedVUs: missing; VUs to begin with, at least rate "
				 "times the time an iteration takes",
				 path);
	if (!has(value, "maxVUs"))
		s->max_vus = s->pre_allocated_vus;
	return 0;
}

int plan_scenario_read(const char *name, const json_t *value, struct load_scenario *ret,
		       struct error *reterr)
{
	enum load_executor executor = LOAD_CONSTANT_VUS;
	const char *key;
	char path[160];
	json_t *item, *own;
	int err;

	snprintf(path, sizeof(path), "options.scenarios.%s", name);
	if (!json_is_object(value))
		return error_set(reterr, -EINVAL, "%s: expected an object", path);
	err = read_executor(path, json_object_get(value, "executor"), &executor, reterr);
	if (err < 0)
		return err;
	plan_scenario_init(ret, name, executor);
	own = json_copy((json_t *)(uintptr_t)value);
	if (is_external(own))
		read_external(ret, own);
	json_object_foreach(own, key, item)
	{
		err = read_field(ret, path, key, item, reterr);
		if (err < 0)
			break;
	}
	json_decref(own);
	if (err == 0 && load_executor_is_open(executor))
		err = complete_open(ret, path, value, reterr);
	if (err == 0)
		err = plan_scenario_check(ret, reterr);
	if (err < 0)
		plan_scenario_release(ret);
	return err;
}

/* --- what must hold --------------------------------------------------------------------------- */

static bool is_name(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-");

	return n && !s[n] && n <= 100;
}

static int wrong(const struct load_scenario *s, const char *text, struct error *reterr)
{
	return error_set(reterr, -EINVAL, "scenario %.100s: %s", s->name, text);
}

static int check_stages(const struct load_scenario *s, struct error *reterr)
{
	uint64_t most = s->executor == LOAD_RAMPING_VUS ? s->vus : s->rate, length_ns = 0;
	uint64_t limit = s->executor == LOAD_RAMPING_VUS ? LOAD_VUS_MAX : UINT32_MAX;

	if (!s->stages.len)
		return wrong(s, "at least one stage must be given", reterr);
	vec_for_each (&s->stages, stage) {
		most = MAX(most, (uint64_t)stage->target);
		length_ns += stage->duration_ns;
		if (length_ns > LOAD_DURATION_MAX_NS)
			return wrong(s, "the stages are too long together", reterr);
	}
	if (most > limit)
		return error_set(
			reterr, -EINVAL,
			"scenario %s: a target of %llu VUs is more than the %d assay takes",
			s->name, (unsigned long long)most, LOAD_VUS_MAX);
	if (!most)
		return wrong(s, "a stage's target or the start value must be above 0", reterr);
	return 0;
}

static int check_open(const struct load_scenario *s, struct error *reterr)
{
	if (s->executor == LOAD_CONSTANT_ARRIVAL_RATE && !s->rate)
		return wrong(s, "rate is missing: iterations to start per timeUnit", reterr);
	if (s->max_vus < s->pre_allocated_vus)
		return wrong(s, "maxVUs is smaller than preAllocatedVUs", reterr);
	if (!s->max_vus)
		return wrong(s, "there must be at least one VU", reterr);
	return 0;
}

int plan_scenario_check(const struct load_scenario *s, struct error *reterr)
{
	int err = 0;

	if (!is_name(s->name))
		return wrong(s, "a scenario's name has 1 to 100 letters, digits, '_' and '-'",
			     reterr);
	if (!*s->exec)
		return wrong(s, "exec must name an exported function", reterr);
	if ((BIT(s->executor) & CLOSED) && (!s->vus || s->vus > LOAD_VUS_MAX))
		return error_set(reterr, -EINVAL, "scenario %s: vus must be from 1 to %d", s->name,
				 LOAD_VUS_MAX);
	if ((BIT(s->executor) & WITH_SPAN) && s->duration_ns < NS_PER_S)
		return wrong(s, "duration is missing or below 1s", reterr);
	if ((BIT(s->executor) & COUNTED) && s->max_duration_ns < NS_PER_S)
		return wrong(s, "maxDuration is below 1s", reterr);
	if (s->executor == LOAD_SHARED_ITERATIONS && s->iterations < s->vus)
		return error_set(reterr, -EINVAL,
				 "scenario %s: %llu iterations cannot be shared by %u VUs; each "
				 "needs one at least",
				 s->name, (unsigned long long)s->iterations, s->vus);
	if (BIT(s->executor) & RAMPING)
		err = check_stages(s, reterr);
	if (err == 0 && load_executor_is_open(s->executor))
		err = check_open(s, reterr);
	return err;
}
