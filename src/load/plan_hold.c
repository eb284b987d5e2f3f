/* One level of load in place of what the scenarios do over time. */
#include <errno.h>
#include <math.h>

#include "load/plan.h"

/* What is under way at the end gets so long; a level that holds has no more than a moment of it. */
#define GRACEFUL_STOP_MAX (5 * NS_PER_S)
#define VUS_FIRST_MAX	  1000.0
/* Rates are whole numbers a time unit: thousandths of one a second. */
#define TIME_UNIT_S 1000

/* Arrivals per second of an open scenario at its highest; others count alike. */
static double weight_of(const struct load_scenario *s)
{
	double most = s->rate;

	if (!load_executor_is_open(s->executor))
		return 1;
	vec_for_each (&s->stages, stage)
		most = fmax(most, stage->target);
	return most * 1e9 / (double)s->time_unit_ns;
}

static void clear_load(struct load_scenario *s, const struct load_hold *h)
{
	vec_release(&s->stages);
	s->iterations = 0;
	s->max_duration_ns = 0;
	s->graceful_ramp_down_ns = 0;
	s->start_time_ns = 0;
	s->duration_ns = h->duration_ns;
	s->graceful_stop_ns = MIN(s->graceful_stop_ns, GRACEFUL_STOP_MAX);
}

static void hold_rate(struct load_scenario *s, const struct load_hold *h, double per_s)
{
	uint32_t first = (uint32_t)fmin(ceil(per_s / 10) + 10, VUS_FIRST_MAX);

	clear_load(s, h);
	s->executor = LOAD_CONSTANT_ARRIVAL_RATE;
	s->rate = (uint32_t)fmax(1, round(per_s * TIME_UNIT_S));
	s->time_unit_ns = TIME_UNIT_S * NS_PER_S;
	s->vus = 0;
	s->pre_allocated_vus = MAX(s->pre_allocated_vus, first);
	s->max_vus = MAX(s->max_vus, LOAD_AUTO_VUS_MAX);
}

static void hold_users(struct load_scenario *s, const struct load_hold *h)
{
	clear_load(s, h);
	s->executor = LOAD_CONSTANT_VUS;
	s->vus = h->vus;
	s->rate = s->pre_allocated_vus = s->max_vus = 0;
	s->time_unit_ns = 0;
}

static int check(const struct load_plan *p, const struct load_hold *h, struct error *reterr)
{
	if (!p->thresholds.len)
		return error_set(reterr, -EINVAL,
				 "there are no thresholds: what must hold, and at which load, is "
				 "the question");
	if (p->scenarios.len == 1)
		return 0;
	if (h->vus)
		return error_set(reterr, -EINVAL,
				 "there are %zu scenarios: a number of users can be searched for "
				 "with one",
				 p->scenarios.len);
	vec_for_each (&p->scenarios, s)
		if (!load_executor_is_open(s->executor))
			return error_set(reterr, -EINVAL,
					 "scenario '%s' has no arrival rate: of several "
					 "scenarios each needs one, which tells its share",
					 s->name);
	return 0;
}

int load_plan_hold(struct load_plan *p, const struct load_hold *h, struct error *reterr)
{
	double whole = 0;

	if (check(p, h, reterr) < 0)
		return -EINVAL;
	vec_for_each (&p->scenarios, s)
		whole += weight_of(s);
	vec_for_each (&p->scenarios, s) {
		if (h->vus)
			hold_users(s, h);
		else
			hold_rate(s, h, whole > 0 ? h->rate * weight_of(s) / whole : h->rate);
	}
	return 0;
}
