#include "stats/quantile.h"

#include "test.h"

/* Worked by hand: ranks 0..9, p90 at rank 8.1, p95 at 8.55, p99 at 8.91. */
TEST(quantile_interpolates_between_ranks)
{
	double v[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };

	quantile_sort(v, 10);
	ASSERT_NEAR(quantile_sorted(v, 10, 0.9), 9.1, 1e-12);
	ASSERT_NEAR(quantile_sorted(v, 10, 0.95), 9.55, 1e-12);
	ASSERT_NEAR(quantile_sorted(v, 10, 0.99), 9.91, 1e-12);
	ASSERT_NEAR(quantile_sorted(v, 10, 1), 10, 0);
	ASSERT_NEAR(quantile_sorted(v, 0, 0.5), 0, 0);
}

TEST(quantile_median_leaves_the_order_alone)
{
	double v[] = { 3, 1, 2, 10 };

	ASSERT_NEAR(quantile_median(v, 4), 2.5, 0);
	ASSERT_NEAR(v[0], 3, 0);
}

/* q^n <= 0.05: 59, 299, 2,995 and 29,956 are the published numbers. */
TEST(quantile_needs_enough_values)
{
	ASSERT_INT(quantile_samples_needed(0.95, 0.95), 59);
	ASSERT_INT(quantile_samples_needed(0.99, 0.95), 299);
	ASSERT_INT(quantile_samples_needed(0.999, 0.95), 2995);
	ASSERT_INT(quantile_samples_needed(0.9999, 0.95), 29956);
}

/* n = 1000, q = 0.5: 500 +- 1.96 * sqrt(250) = 500 +- 30.99. */
TEST(quantile_rank_interval_matches_the_normal_approximation)
{
	uint64_t low, high;

	ASSERT_TRUE(quantile_rank_interval(1000, 0.5, 0.95, &low, &high));
	ASSERT_INT(low, 468);
	ASSERT_INT(high, 531);
	ASSERT_TRUE(!quantile_rank_interval(298, 0.99, 0.95, &low, &high));
}
