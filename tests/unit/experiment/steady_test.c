#include "experiment/steady.h"

#include "experiment/order.h"
#include "test.h"

TEST(steady_waits_for_the_climb_to_end)
{
	static const double climb[] = { 20, 60, 95, 110, 118, 121, 119, 120 };

	for (size_t n = 0; n <= 6; n++)
		ASSERT_TRUE(!steady_reached(climb, n));
	ASSERT_TRUE(steady_reached(climb, 8));
}

TEST(steady_is_not_fooled_by_a_slow_rise_or_by_nothing)
{
	static const double rise[] = { 100, 102, 104, 106 };
	static const double dead[] = { 0, 0, 0, 0 };
	static const double flat[] = { 100, 103, 99, 101 };

	ASSERT_TRUE(!steady_reached(rise, 4));
	ASSERT_TRUE(!steady_reached(dead, 4));
	ASSERT_TRUE(steady_reached(flat, 4));
}

/* Three variants, four runs: ABC CBA ABC CBA. */
TEST(order_turns_round_each_time)
{
	static const char wanted[] = "ABCCBAABCCBA";

	for (size_t i = 0; i < 12; i++) {
		ASSERT_INT('A' + order_variant(3, i), wanted[i]);
		ASSERT_INT(order_round(3, i), i / 3);
	}
}
