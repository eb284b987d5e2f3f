/*
 * Arithmetic in exact integers wherever there is an exact answer. A rate is r arrivals per time
 * unit u, so arrival i of a constant one is at i * u / r, computed in 128 bits. For a ramping one
 * the area under the line of the rate is kept doubled and multiplied by u: over a stage of length D
 * from rate a to b that is (a + b) * D, an integer, and arrival i is where it reaches 2 * u * (i +
 * 1). Inside the stage that solves
 *
 *	2 a t + (b - a) / D * t^2 = area    =>    t = area / (a + sqrt(a^2 + (b - a) * area / D))
 *
 * which is the form of the root that does not cancel, in long double: better than a nanosecond over
 * days. Adding up intervals was rejected (its error grows), as was k6's truncated tick.
 */
#include "load/schedule.h"

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

/* A stretch over which the rate is a straight line. */
struct ramp {
	uint64_t start_ns, length_ns;
	uint32_t from, to; /* per time unit */
	u128 area_before;  /* doubled, times the unit */
};

struct load_schedule {
	uint64_t unit_ns, count;
	VEC(struct ramp) ramps; /* none = constant rate */
	uint32_t rate;
	uint64_t length_ns;
};

static u128 area_of(const struct ramp *r)
{
	return (u128)((uint64_t)r->from + r->to) * r->length_ns;
}

/* Billions a nanosecond for years: nobody will count them. */
static uint64_t capped(u128 count)
{
	return (uint64_t)MIN(count, (u128)INT64_MAX);
}

static void add_ramps(struct load_schedule *sc, const struct load_scenario *s)
{
	struct ramp r = { .from = s->rate };

	vec_for_each (&s->stages, stage) {
		r.to = stage->target;
		r.length_ns = stage->duration_ns;
		vec_push(&sc->ramps, r);
		r.area_before += area_of(&r);
		r.start_ns += r.length_ns;
		r.from = r.to;
	}
	sc->count = capped(r.area_before / (2 * (u128)sc->unit_ns));
}

struct load_schedule *load_schedule_new(const struct load_scenario *s)
{
	struct load_schedule *sc = xcalloc(1, sizeof(*sc));

	sc->unit_ns = s->time_unit_ns;
	sc->rate = s->rate;
	sc->length_ns = load_schedule_length_ns(s);
	if (s->executor == LOAD_RAMPING_ARRIVAL_RATE)
		add_ramps(sc, s);
	else if (s->executor == LOAD_CONSTANT_ARRIVAL_RATE)
		sc->count = capped(((u128)s->duration_ns * s->rate + s->time_unit_ns - 1) /
				   s->time_unit_ns);
	else
		BUG("a schedule of arrivals for an executor without");
	return sc;
}

void load_schedule_free(struct load_schedule *sc)
{
	if (!sc)
		return;
	vec_release(&sc->ramps);
	free(sc);
}

uint64_t load_schedule_count(const struct load_schedule *sc)
{
	return sc->count;
}

/* The last ramp whose area_before is below the area. */
static const struct ramp *ramp_of_area(const struct load_schedule *sc, u128 area)
{
	size_t low = 0, high = sc->ramps.len;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (sc->ramps.ptr[middle].area_before < area)
			low = middle;
		else
			high = middle;
	}
	return &sc->ramps.ptr[low];
}

static uint64_t solve(const struct ramp *r, u128 area)
{
	long double a = r->from, slope, t;

	if (r->from == r->to)
		return (uint64_t)(area / (2 * (u128)r->from));
	slope = ((long double)r->to - a) / (long double)r->length_ns;
	/* the root is 0 at the end of a ramp down to 0, where rounding may take it below */
	t = (long double)area / (a + sqrtl(fmaxl(a * a + slope * (long double)area, 0)));
	return MIN((uint64_t)t, r->length_ns);
}

uint64_t load_schedule_at(const struct load_schedule *sc, uint64_t i)
{
	const struct ramp *r;
	u128 area;

	if (i >= sc->count)
		return LOAD_SCHEDULE_END;
	if (!sc->ramps.len)
		return (uint64_t)((u128)i * sc->unit_ns / sc->rate);
	area = 2 * (u128)sc->unit_ns * ((u128)i + 1);
	r = ramp_of_area(sc, area);
	return r->start_ns + solve(r, area - r->area_before);
}

double load_schedule_rate(const struct load_schedule *sc, uint64_t t_ns)
{
	double per_second = (double)NS_PER_S / (double)sc->unit_ns;

	if (t_ns >= sc->length_ns)
		return 0;
	if (!sc->ramps.len)
		return sc->rate * per_second;
	vec_for_each (&sc->ramps, r) {
		double done;

		if (t_ns >= r->start_ns + r->length_ns)
			continue;
		done = (double)(t_ns - r->start_ns) / (double)r->length_ns;
		return (r->from + ((double)r->to - r->from) * done) * per_second;
	}
	return 0;
}

uint64_t load_schedule_share(uint64_t total, unsigned w, unsigned n)
{
	return total / n + (w < total % n);
}

uint64_t load_schedule_share_start(uint64_t total, unsigned w, unsigned n)
{
	return total / n * w + MIN((uint64_t)w, total % n);
}

static uint64_t stages_length_ns(const struct load_scenario *s)
{
	uint64_t sum = 0;

	vec_for_each (&s->stages, stage)
		sum += stage->duration_ns;
	return sum;
}

uint64_t load_schedule_length_ns(const struct load_scenario *s)
{
	switch (s->executor) {
	case LOAD_CONSTANT_VUS:
	case LOAD_CONSTANT_ARRIVAL_RATE:
		return s->duration_ns;
	case LOAD_RAMPING_VUS:
	case LOAD_RAMPING_ARRIVAL_RATE:
		return stages_length_ns(s);
	case LOAD_SHARED_ITERATIONS:
	case LOAD_PER_VU_ITERATIONS:
		return s->max_duration_ns;
	}
	return 0;
}

/* The stage a time falls into, where it starts and the VUs there; NULL past the end. */
static const struct load_stage *stage_at(const struct load_scenario *s, uint64_t t_ns,
					 uint64_t *ret_start_ns, uint32_t *ret_from)
{
	*ret_start_ns = 0;
	*ret_from = s->vus;
	vec_for_each (&s->stages, stage) {
		if (t_ns < *ret_start_ns + stage->duration_ns)
			return stage;
		*ret_start_ns += stage->duration_ns;
		*ret_from = stage->target;
	}
	return NULL;
}

/* What of a number of VUs is our segment's. */
static uint32_t share(const struct load_scenario *s, uint32_t vus)
{
	return (uint32_t)load_segment_share(s->segment, vus);
}

uint32_t load_schedule_vus_at(const struct load_scenario *s, uint64_t t_ns)
{
	const struct load_stage *stage;
	uint64_t start_ns;
	uint32_t from, steps;

	if (s->executor != LOAD_RAMPING_VUS)
		return t_ns < load_schedule_length_ns(s) ? share(s, s->vus) : 0;
	stage = stage_at(s, t_ns, &start_ns, &from);
	if (!stage)
		return 0;
	steps = stage->target > from ? stage->target - from : from - stage->target;
	steps = (uint32_t)((u128)steps * (t_ns - start_ns) / stage->duration_ns);
	return share(s, stage->target > from ? from + steps : from - steps);
}

uint64_t load_schedule_vus_next(const struct load_scenario *s, uint64_t t_ns)
{
	const struct load_stage *stage;
	uint64_t start_ns, step;
	uint32_t from, steps;

	if (s->executor != LOAD_RAMPING_VUS)
		return t_ns < load_schedule_length_ns(s) ? load_schedule_length_ns(s)
							 : LOAD_SCHEDULE_END;
	stage = stage_at(s, t_ns, &start_ns, &from);
	if (!stage)
		return LOAD_SCHEDULE_END;
	steps = stage->target > from ? stage->target - from : from - stage->target;
	if (!steps)
		return start_ns + stage->duration_ns;
	step = (uint64_t)((u128)steps * (t_ns - start_ns) / stage->duration_ns) + 1;
	return start_ns + (uint64_t)(((u128)step * stage->duration_ns + steps - 1) / steps);
}

uint32_t load_schedule_vus_max(const struct load_scenario *s)
{
	uint32_t max = s->vus;

	if (s->executor == LOAD_CONSTANT_ARRIVAL_RATE || s->executor == LOAD_RAMPING_ARRIVAL_RATE)
		return share(s, s->max_vus);
	if (s->executor == LOAD_RAMPING_VUS)
		vec_for_each (&s->stages, stage)
			max = MAX(max, stage->target);
	return share(s, max);
}

uint32_t load_schedule_vus_first(const struct load_scenario *s)
{
	return load_executor_is_open(s->executor) ? share(s, s->pre_allocated_vus)
						  : load_schedule_vus_max(s);
}

uint64_t load_schedule_iterations(const struct load_scenario *s)
{
	return load_segment_share(s->segment, s->iterations);
}
