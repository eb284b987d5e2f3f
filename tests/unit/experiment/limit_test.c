/*
 * Searches on systems whose limit is known. M/M/1 by its formula: the p-quantile of the time in the
 * system is ln(1 / (1 - p)) / (mu - lambda).
 */
#include "experiment/limit.h"

#include <math.h>

#include "test.h"

struct sim {
	double limit;	    /* holds up to here */
	double noise;	    /* standard width of the logistic around it; 0 = a cliff */
	double untold_from; /* 0 = never */
	uint64_t random;
};

static double uniform(struct sim *m)
{
	m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(m->random >> 11) / 9007199254740992.0;
}

static enum limit_answer probe(struct sim *m, double at)
{
	double p = at <= m->limit;

	if (m->untold_from > 0 && at >= m->untold_from)
		return LIMIT_UNTOLD;
	if (m->noise > 0)
		p = 1 / (1 + exp((at - m->limit) / (m->limit * m->noise)));
	return uniform(m) < p ? LIMIT_HOLDS : LIMIT_MISSES;
}

static const struct limit_level none;

struct found {
	struct limit_level holds, misses;
	unsigned probes;
};

static struct found run(struct sim m, struct limit_opts o)
{
	CLEANUP(limit_release) struct limit_search s = { .opts = o };
	const struct limit_level *holds, *misses;
	double at;

	while (limit_next(&s, &at)) {
		ASSERT_TRUE(at > 0 && at <= o.max);
		ASSERT_TRUE(s.probes < o.probes);
		limit_tell(&s, at, probe(&m, at));
	}
	limit_bounds(&s, &holds, &misses);
	return (struct found){ holds ? *holds : none, misses ? *misses : none, s.probes };
}

static const struct limit_opts plain = {
	.start = 10, .min = 0.01, .max = 1e6, .resolution = 0.05, .repeats = 3, .probes = 60
};

static void check_enclosed(struct found f, double limit)
{
	ASSERT_TRUE(f.holds.at <= limit && limit < f.misses.at);
	ASSERT_TRUE(f.misses.at <= f.holds.at * 1.05 + 1);
	ASSERT_INT(f.holds.holds, 3);
	ASSERT_INT(f.holds.misses, 0);
	ASSERT_INT(f.misses.misses, 3);
	ASSERT_INT(f.misses.holds, 0);
}

TEST(limit_of_a_queue_is_enclosed)
{
	/* mu = 1000/s, p95 below 100 ms: lambda < 1000 - ln(20) / 0.1 s = 970.04 */
	double limit = 1000 - log(20) / 0.1;
	struct found f = run((struct sim){ .limit = limit }, plain);

	check_enclosed(f, limit);
	/* 10 to 1280 takes 8 doublings, 640..1280 to within 5 % takes 4 halvings, 4 again */
	ASSERT_INT(f.probes, 16);
}

TEST(limit_is_found_from_above_and_far_below)
{
	struct limit_opts o = plain;

	o.start = 5000;
	check_enclosed(run((struct sim){ .limit = 333.3 }, o), 333.3);
	o.start = 1;
	check_enclosed(run((struct sim){ .limit = 84321 }, o), 84321);
}

TEST(limit_of_users_is_whole)
{
	struct limit_opts o = plain;
	struct found f;

	o.whole = true;
	o.start = 1;
	f = run((struct sim){ .limit = 7 }, o);
	ASSERT_NEAR(f.holds.at, 7, 0);
	ASSERT_NEAR(f.misses.at, 8, 0);
}

TEST(limit_where_all_holds_is_the_maximum)
{
	struct limit_opts o = plain;
	struct found f;

	o.max = 700;
	f = run((struct sim){ .limit = 1e9 }, o);
	ASSERT_NEAR(f.holds.at, 700, 0);
	ASSERT_INT(f.holds.holds, 3);
	ASSERT_NEAR(f.misses.at, 0, 0);
}

TEST(limit_where_nothing_holds_ends)
{
	struct found f = run((struct sim){ .limit = 0 }, plain);

	ASSERT_NEAR(f.holds.at, 0, 0);
	ASSERT_TRUE(f.misses.at < 0.025);
	ASSERT_TRUE(f.probes < 20);
}

TEST(limit_where_nothing_tells_ends)
{
	struct found f = run((struct sim){ .limit = 100, .untold_from = 0.001 }, plain);

	ASSERT_NEAR(f.holds.at, 0, 0);
	ASSERT_NEAR(f.misses.at, 0, 0);
	ASSERT_TRUE(f.probes < 40);
}

TEST(limit_of_the_generator_is_not_the_services)
{
	struct found f = run((struct sim){ .limit = 1e6, .untold_from = 500 }, plain);

	ASSERT_TRUE(f.holds.at < 500 && f.holds.at >= 470);
	ASSERT_INT(f.holds.holds, 3);
	ASSERT_NEAR(f.misses.at, 0, 0);
}

TEST(limit_under_noise_claims_no_more_than_it_saw)
{
	unsigned enclosed = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct found f =
			run((struct sim){ .limit = 600, .noise = 0.03, .random = seed }, plain);

		ASSERT_TRUE(f.probes <= plain.probes);
		ASSERT_INT(f.holds.misses, 0);
		ASSERT_INT(f.misses.holds, 0);
		/* where one in 1,000 would hold, or miss: 600 * (1 -+ 0.03 * ln 999) */
		ASSERT_TRUE(f.holds.at < 725);
		ASSERT_TRUE(f.misses.at > 475 || f.misses.at == 0);
		enclosed += f.holds.at < f.misses.at && f.holds.at > 475 && f.misses.at < 725;
	}
	ASSERT_TRUE(enclosed >= 180);
}
