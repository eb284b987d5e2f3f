/* Quantiles of parts put together; the expected ones by hand from the definition in the header. */
#include "watch/latency.h"

#include <math.h>

#include "test.h"

static double together(struct watch_part *list, size_t n, double q)
{
	struct watch_parts parts = { 0 };
	double result;

	for (size_t i = 0; i < n; i++)
		vec_push(&parts.list, list[i]);
	result = watch_parts_quantile(&parts, q);
	vec_release(&parts.list);
	return result;
}

TEST(latency_of_one_part_is_its_own)
{
	struct watch_part p = { 7, 3, { 0.5, 0.95, 0.99 }, { 10, 50, 80 } };

	ASSERT_NEAR(together(&p, 1, 0.5), 10, 1e-9);
	ASSERT_NEAR(together(&p, 1, 0.95), 50, 1e-9);
	ASSERT_NEAR(together(&p, 1, 0.99), 80, 1e-9);
	ASSERT_NEAR(together(&p, 1, 0.725), 30, 1e-9); /* half way from 0.5 to 0.95 */
	ASSERT_NEAR(together(&p, 1, 0.999), 80, 1e-9);
	ASSERT_TRUE(isnan(together(&p, 0, 0.5)));
}

/*
 * 900 requests at exactly 1 ms (within the form: spread from 0 to 1 below the median, then at 1),
 * and 100 at 100. Their p99 is that of the slow ones' 90 %: 10 of 1,000 lie above.
 */
TEST(latency_of_parts_weighs_by_count)
{
	struct watch_part list[] = {
		{ 900, 3, { 0.5, 0.95, 0.99 }, { 1, 1, 1 } },
		{ 100, 3, { 0.5, 0.9, 0.99 }, { 60, 100, 120 } },
	};

	ASSERT_NEAR(together(list, 2, 0.99), 100, 1e-6);
	ASSERT_NEAR(together(list, 2, 0.95), 60, 1e-6); /* 900 + 50 of 1,000 */
	ASSERT_TRUE(together(list, 2, 0.5) <= 1.0001);
}

TEST(latency_of_parts_stays_between_them)
{
	struct watch_part list[] = {
		{ NAN, 2, { 0.5, 0.99 }, { 5, 9 } },
		{ NAN, 2, { 0.5, 0.99 }, { 7, 20 } },
		{ 0, 2, { 0.5, 0.99 }, { 1000, 2000 } },
	};

	for (double q = 0.1; q < 1; q += 0.1) {
		double x = together(list, 3, q);

		ASSERT_TRUE(x >= together(list, 1, q) - 1e-9 &&
			    x <= together(list + 1, 1, q) + 1e-9);
	}
}
