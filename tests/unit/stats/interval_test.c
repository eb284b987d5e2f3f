#include "stats/interval.h"

#include "test.h"

/* Points of Student's t, two-sided 95 %, from the printed tables. */
TEST(t_points_are_those_of_the_tables)
{
	ASSERT_TRUE(isinf(interval_t95(0)));
	ASSERT_NEAR(interval_t95(1), 12.706, 1e-9);
	ASSERT_NEAR(interval_t95(5), 2.571, 1e-9);
	ASSERT_NEAR(interval_t95(30), 2.042, 1e-9);
	ASSERT_NEAR(interval_t95(40), 2.021, 0.001);
	ASSERT_NEAR(interval_t95(60), 2.000, 0.001);
	ASSERT_NEAR(interval_t95(120), 1.980, 0.001);
	ASSERT_NEAR(interval_t95(1000000), 1.960, 0.001);
}

/* The ranges that .NET's documentation of sampled allocations gives for 10, 100 and 1,000 samples
 * of one byte in 102,400; and with one sample an exponential distribution's, -ln(1 - p). */
TEST(interval_gamma_bounds_what_samples_stand_for)
{
	static const struct {
		double n, low, high;
	} points[] = {
		{ 10, 491039, 1749469 },
		{ 100, 8331480, 12342053 },
		{ 1000, 96147600, 108845400 },
		{ 1, 102400 * 0.0253178, 102400 * 3.6888795 },
		{ 1e6, 1.02400e11 * 0.998040, 1.02400e11 * 1.001961 },
	};
	double low, high;

	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		interval_gamma95(points[i].n, &low, &high);
		ASSERT_NEAR(low * 102400 / points[i].low, 1, 0.0005);
		ASSERT_NEAR(high * 102400 / points[i].high, 1, 0.0005);
	}
	interval_gamma95(0, &low, &high);
	ASSERT_NEAR(low + high, 0, 0);
}
