#include "load/schedule.h"

#include "test.h"

#define S  NS_PER_S
#define MS NS_PER_MS

static struct load_schedule *constant(uint32_t rate, uint64_t unit_ns, uint64_t duration_ns)
{
	struct load_scenario s = { .executor = LOAD_CONSTANT_ARRIVAL_RATE,
				   .rate = rate,
				   .time_unit_ns = unit_ns,
				   .duration_ns = duration_ns };

	return load_schedule_new(&s);
}

static struct load_schedule *ramping(uint32_t start, const struct load_stage *stages, size_t n)
{
	struct load_scenario s = { .executor = LOAD_RAMPING_ARRIVAL_RATE,
				   .rate = start,
				   .time_unit_ns = S };
	struct load_schedule *sc;

	for (size_t i = 0; i < n; i++)
		vec_push(&s.stages, stages[i]);
	sc = load_schedule_new(&s);
	vec_release(&s.stages);
	return sc;
}

/* counts of iterations begun by k6 in runs of these profiles */
TEST(as_many_arrivals_as_k6)
{
	static const struct load_stage wave[] = { { S, 20 }, { S, 20 }, { 950 * MS, 0 } };
	CLEANUP(cleanup_load_schedule) struct load_schedule *a = constant(10, S, 1950 * MS);
	CLEANUP(cleanup_load_schedule) struct load_schedule *b = constant(50, 2 * S, 1980 * MS);
	CLEANUP(cleanup_load_schedule) struct load_schedule *c = ramping(0, wave, 3);

	ASSERT_INT(load_schedule_count(a), 20);
	ASSERT_INT(load_schedule_count(b), 50);
	ASSERT_INT(load_schedule_count(c), 39);
}

TEST(a_constant_rate_keeps_its_remainders)
{
	CLEANUP(cleanup_load_schedule) struct load_schedule *sc = constant(3, S, 86400 * S);

	ASSERT_INT(load_schedule_count(sc), 3 * 86400);
	ASSERT_INT(load_schedule_at(sc, 0), 0);
	ASSERT_INT(load_schedule_at(sc, 1), 333333333);
	ASSERT_INT(load_schedule_at(sc, 2), 666666666);
	ASSERT_INT(load_schedule_at(sc, 3), S);
	/* a day later there is no drift; a truncated tick would be 86 us early */
	ASSERT_INT(load_schedule_at(sc, 3 * 86399), 86399 * S);
	ASSERT_TRUE(load_schedule_at(sc, 3 * 86400) == LOAD_SCHEDULE_END);
	ASSERT_NEAR(load_schedule_rate(sc, 5 * S), 3, 0);
	ASSERT_NEAR(load_schedule_rate(sc, 86400 * S), 0, 0);
}

TEST(the_end_of_a_constant_rate_is_not_an_arrival)
{
	CLEANUP(cleanup_load_schedule) struct load_schedule *sc = constant(700, S, 60 * S);

	ASSERT_INT(load_schedule_count(sc), 42000);
	ASSERT_TRUE(load_schedule_at(sc, 41999) < 60 * S);
}

/* from 0 to 20/s within a second: area 10 t^2, so arrival i at sqrt((i + 1) / 10) s */
TEST(a_ramp_solves_the_area)
{
	static const struct load_stage up[] = { { S, 20 }, { S, 20 } };
	CLEANUP(cleanup_load_schedule) struct load_schedule *sc = ramping(0, up, 2);

	ASSERT_INT(load_schedule_count(sc), 30);
	for (unsigned i = 0; i < 10; i++)
		ASSERT_NEAR((double)load_schedule_at(sc, i), sqrt((i + 1) / 10.0) * 1e9, 1);
	/* then 20 per second, carried on from the area of 10 */
	for (unsigned i = 10; i < 30; i++)
		ASSERT_NEAR((double)load_schedule_at(sc, i), 1e9 + (i - 9) * 5e7, 1);
	ASSERT_NEAR(load_schedule_rate(sc, 250 * MS), 5, 1e-9);
	ASSERT_NEAR(load_schedule_rate(sc, 1500 * MS), 20, 1e-9);
}

/* 10/s down to 0 within 2 s: area 10 t - 2.5 t^2; half of it (5) at t = 2 - sqrt(2) */
TEST(a_ramp_down_to_zero_ends_at_its_end)
{
	static const struct load_stage down[] = { { 2 * S, 0 } };
	CLEANUP(cleanup_load_schedule) struct load_schedule *sc = ramping(10, down, 1);

	ASSERT_INT(load_schedule_count(sc), 10);
	ASSERT_NEAR((double)load_schedule_at(sc, 4), (2 - sqrt(2)) * 1e9, 1);
	ASSERT_NEAR((double)load_schedule_at(sc, 9), 2e9, 1);
}

TEST(jumps_and_pauses)
{
	static const struct load_stage stages[] = {
		{ S, 4 }, { 0, 0 }, { 10 * S, 0 }, { 0, 8 }, { S, 8 }, { 0, 0 },
	};
	CLEANUP(cleanup_load_schedule) struct load_schedule *sc = ramping(4, stages, 6);

	ASSERT_INT(load_schedule_count(sc), 12);
	ASSERT_INT(load_schedule_at(sc, 3), S);
	ASSERT_INT(load_schedule_at(sc, 4), 11 * S + 125 * MS);
	ASSERT_INT(load_schedule_at(sc, 11), 12 * S);
	ASSERT_NEAR(load_schedule_rate(sc, 5 * S), 0, 0);
	ASSERT_NEAR(load_schedule_rate(sc, 11 * S), 8, 0);
}

TEST(arrivals_never_go_back)
{
	static const struct load_stage stages[] = {
		{ 7 * S, 1000 }, { 3 * S, 1 }, { S + 1, 999 }, { 0, 50 }, { 5 * S, 49 },
	};
	CLEANUP(cleanup_load_schedule) struct load_schedule *sc = ramping(1, stages, 5);
	uint64_t last = 0;

	for (uint64_t i = 0; i < load_schedule_count(sc); i++) {
		uint64_t at = load_schedule_at(sc, i);

		ASSERT_TRUE(at >= last);
		last = at;
	}
	ASSERT_TRUE(last <= 16 * S + 1);
}

TEST(shares_add_up)
{
	uint64_t start = 0;

	ASSERT_INT(load_schedule_share(10, 0, 4), 3);
	ASSERT_INT(load_schedule_share(10, 1, 4), 3);
	ASSERT_INT(load_schedule_share(10, 3, 4), 2);
	for (unsigned w = 0; w < 4; w++) {
		ASSERT_INT(load_schedule_share_start(10, w, 4), start);
		start += load_schedule_share(10, w, 4);
	}
	ASSERT_INT(start, 10);
}

static void ramp_vus(struct load_scenario *s, uint32_t start, const struct load_stage *st, size_t n)
{
	*s = (struct load_scenario){ .executor = LOAD_RAMPING_VUS, .vus = start };
	for (size_t i = 0; i < n; i++)
		vec_push(&s->stages, st[i]);
}

/* 4 to 5 in one second, down to 1 in four, up to 3 by a jump, kept one second */
TEST(vus_step_along_the_line)
{
	static const struct load_stage st[] = { { S, 5 }, { 4 * S, 1 }, { 0, 3 }, { S, 3 } };
	static const uint32_t want[] = { 4, 5, 4, 3, 2, 3, 0, 0 };
	struct load_scenario s;

	ramp_vus(&s, 4, st, 4);
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++)
		ASSERT_INT(load_schedule_vus_at(&s, i * S), want[i]);
	ASSERT_INT(load_schedule_vus_at(&s, S - 1), 4);
	ASSERT_INT(load_schedule_vus_at(&s, 2 * S - 1), 5);
	ASSERT_INT(load_schedule_vus_at(&s, 5 * S - 1), 2);
	ASSERT_INT(load_schedule_vus_max(&s), 5);
	ASSERT_INT(load_schedule_length_ns(&s), 6 * S);
	vec_release(&s.stages);
}

/* stepping from change to change meets every change */
TEST(next_change_misses_none)
{
	static const struct load_stage st[] = { { 777 * MS, 7 }, { 0, 1 }, { 333 * MS, 1 },
						{ 500 * MS, 0 }, { 1, 3 }, { 0, 0 } };
	struct load_scenario s;
	uint64_t changes = 0;

	ramp_vus(&s, 0, st, 6);
	for (uint64_t t = 0, next; t != LOAD_SCHEDULE_END; t = next) {
		next = load_schedule_vus_next(&s, t);
		ASSERT_TRUE(next > t);
		if (next == LOAD_SCHEDULE_END)
			continue;
		ASSERT_INT(load_schedule_vus_at(&s, next - 1), load_schedule_vus_at(&s, t));
		changes += load_schedule_vus_at(&s, next) != load_schedule_vus_at(&s, t);
	}
	/* six rises, the seventh is undone at once by the jump down to 1, then 1 to 0, and the
	 * rise of one nanosecond is over before it is seen */
	ASSERT_INT(changes, 8);
	vec_release(&s.stages);
}

TEST(constant_vus_and_iterations)
{
	struct load_scenario s = { .executor = LOAD_CONSTANT_VUS, .vus = 3, .duration_ns = 5 * S };

	ASSERT_INT(load_schedule_vus_at(&s, 5 * S - 1), 3);
	ASSERT_INT(load_schedule_vus_at(&s, 5 * S), 0);
	ASSERT_INT(load_schedule_vus_next(&s, 1), 5 * S);
	ASSERT_TRUE(load_schedule_vus_next(&s, 5 * S) == LOAD_SCHEDULE_END);
	s = (struct load_scenario){ .executor = LOAD_SHARED_ITERATIONS, .max_duration_ns = S };
	ASSERT_INT(load_schedule_length_ns(&s), S);
	s = (struct load_scenario){ .executor = LOAD_CONSTANT_ARRIVAL_RATE, .max_vus = 9 };
	ASSERT_INT(load_schedule_vus_max(&s), 9);
}
