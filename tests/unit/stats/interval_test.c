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
