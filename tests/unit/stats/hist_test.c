#include "stats/hist.h"

#include <stdlib.h>

#include "test.h"

TEST(hist_is_exact_up_to_its_limit)
{
	CLEANUP(cleanup_hist) struct hist *h = hist_new();

	for (int i = HIST_EXACT_MAX; i >= 1; i--)
		hist_add(h, i);
	ASSERT_TRUE(hist_is_exact(h));
	ASSERT_NEAR(hist_quantile(h, 0.99), 1 + 0.99 * 9999, 1e-9);
	hist_add(h, 1);
	ASSERT_TRUE(!hist_is_exact(h));
	ASSERT_INT(hist_count(h), HIST_EXACT_MAX + 1);
	ASSERT_NEAR(hist_mean(h), (10000.0 * 10001 / 2 + 1) / 10001, 1e-9);
}

/* 1..100,000 has its q-quantile at 1 + q * 99,999. */
TEST(hist_buckets_stay_within_the_stated_error)
{
	CLEANUP(cleanup_hist) struct hist *h = hist_new();
	static const double q[] = { 0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1 };

	for (int i = 1; i <= 100000; i++)
		hist_add(h, i);
	for (size_t i = 0; i < ARRAY_SIZE(q); i++) {
		double truth = 1 + q[i] * 99999;

		ASSERT_NEAR(hist_quantile(h, q[i]), truth, truth * 2 * HIST_REL_ERROR);
	}
	ASSERT_NEAR(hist_share_above(h, 90000), 0.1, 0.001);
}

TEST(hist_takes_negative_values_zero_and_extremes)
{
	CLEANUP(cleanup_hist) struct hist *h = hist_new();

	for (int i = 0; i < 10001; i++)
		hist_add(h, i - 5000);
	hist_add(h, 1e300);
	hist_add(h, -1e-300);
	hist_add(h, NAN);
	ASSERT_INT(hist_count(h), 10003);
	ASSERT_NEAR(hist_quantile(h, 0), -5000, 0);
	ASSERT_NEAR(hist_quantile(h, 0.5), 0, 1);
	ASSERT_NEAR(hist_quantile(h, 1), 1e300, 0);
}

/* Merging parts must equal adding everything to one. */
TEST(hist_merge_loses_nothing)
{
	CLEANUP(cleanup_hist) struct hist *all = hist_new();
	CLEANUP(cleanup_hist) struct hist *a = hist_new();
	CLEANUP(cleanup_hist) struct hist *b = hist_new();

	for (int i = 0; i < 30000; i++) {
		hist_add(all, i * 0.37);
		hist_add(i % 3 ? a : b, i * 0.37);
	}
	hist_merge(b, a);
	ASSERT_INT(hist_count(b), hist_count(all));
	ASSERT_NEAR(hist_sum(b), hist_sum(all), 1e-3);
	for (double q = 0; q <= 1; q += 0.05)
		ASSERT_NEAR(hist_quantile(b, q), hist_quantile(all, q), 1e-9);
}

static void round_trip(int n)
{
	CLEANUP(cleanup_hist) struct hist *h = hist_new();
	CLEANUP(cleanup_hist) struct hist *back = NULL;
	CLEANUP(strbuf_release) struct strbuf blob = STRBUF_INIT;
	struct error err = ERROR_INIT;

	for (int i = 0; i < n; i++)
		hist_add(h, (i % 977) * 1.5 - 3);
	hist_write(h, &blob);
	ASSERT_OK_ERR(hist_read(strbuf_str(&blob), &back, &err), err);
	ASSERT_INT(hist_count(back), n);
	ASSERT_NEAR(hist_sum(back), hist_sum(h), 0);
	ASSERT_NEAR(hist_quantile(back, 0.9), hist_quantile(h, 0.9), 0);
	for (size_t cut = 0; cut < blob.len; cut += 1 + blob.len / 50) {
		CLEANUP(cleanup_hist) struct hist *none = NULL;

		ASSERT_TRUE(hist_read((struct str){ blob.ptr, cut }, &none, &err) < 0);
		ASSERT_HAS(err.msg, "not a stored histogram at byte");
	}
}

TEST(hist_reads_back_what_it_wrote_and_refuses_what_is_cut)
{
	round_trip(0);
	round_trip(100);
	round_trip(20000);
}
