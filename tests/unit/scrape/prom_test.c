#include "scrape/prom.h"

#include <errno.h>

#include "test.h"

#define TEXT                                                                                       \
	"# HELP h Time.\n# TYPE h histogram\n"                                                     \
	"h_bucket{route=\"/a\",le=\"0.1\"} 50\nh_bucket{route=\"/a\",le=\"0.5\"} 90\n"             \
	"h_bucket{route=\"/a\",le=\"+Inf\"} 100\nh_sum{route=\"/a\"} 12.5\nh_count 100\n"          \
	"h_bucket{route=\"}\\\"\",le=\"0.1\"} 0\nh_bucket{route=\"b\",le=\"0.5\"} 10\n"            \
	"h_bucket{route=\"b\",le=\"+Inf\"} 10\nother 1 1700000000000\n"

static struct prom_histogram read_histogram(const char *text)
{
	struct prom_histogram h = PROM_HISTOGRAM_INIT;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(prom_histogram_read(str_from(text), "h", NULL, &h, &err), err);
	return h;
}

/* 110 values: 50 up to 0.1, 50 more up to 0.5. The median is rank 55: 0.1 + 0.4 * 5/50 = 0.14. */
TEST(prom_quantile_is_histogram_quantiles)
{
	CLEANUP(prom_histogram_release) struct prom_histogram h = read_histogram(TEXT);
	CLEANUP(prom_histogram_release) struct prom_histogram none = PROM_HISTOGRAM_INIT;

	ASSERT_INT(h.buckets.len, 3);
	ASSERT_NEAR(prom_quantile(&none, &h, 0.5), 0.14, 1e-12);
	ASSERT_NEAR(prom_quantile(&none, &h, 0.25), 0.055, 1e-12);
	ASSERT_NEAR(prom_quantile(&none, &h, 0.99), 0.5, 1e-12); /* beyond the last finite bound */
	ASSERT_TRUE(isnan(prom_quantile(&h, &h, 0.5)));
}

/* Between the scrapes ten values came, all between 0.1 and 0.5. */
TEST(prom_quantile_of_an_interval_takes_differences)
{
	CLEANUP(prom_histogram_release)
	struct prom_histogram a = read_histogram("h_bucket{le=\"0.1\"} 5\nh_bucket{le=\"0.5\"} 6\n"
						 "h_bucket{le=\"+Inf\"} 7\n");
	CLEANUP(prom_histogram_release)
	struct prom_histogram b = read_histogram("h_bucket{le=\"0.1\"} 5\nh_bucket{le=\"0.5\"} 16\n"
						 "h_bucket{le=\"+Inf\"} 17\n");

	ASSERT_NEAR(prom_quantile(&a, &b, 0.5), 0.3, 1e-12);
}

TEST(prom_errors_name_the_line)
{
	CLEANUP(prom_histogram_release) struct prom_histogram h = PROM_HISTOGRAM_INIT;
	struct error err = ERROR_INIT;

	ASSERT_INT(prom_histogram_read(STR("a 1\nb{x=\"1 2\n"), "h", NULL, &h, &err), -EINVAL);
	ASSERT_HAS(err.msg, "line 2 is no sample");
	ASSERT_INT(prom_histogram_read(STR("a 1\n"), "h", NULL, &h, &err), -ENOENT);
	ASSERT_INT(prom_histogram_read(STR("a one\n"), "h", NULL, &h, &err), -EINVAL);
}

/* Our own readings of the page are no work of the service. */
TEST(prom_histogram_leaves_out_a_route)
{
	CLEANUP(prom_histogram_release) struct prom_histogram h = PROM_HISTOGRAM_INIT;
	const char *text =
		"h_bucket{route=\"/a\",le=\"1\"} 3\nh_bucket{route=\"/a\",le=\"+Inf\"} 4\n"
		"h_bucket{route=\"/metrics\",le=\"1\"} 50\n"
		"h_bucket{route=\"/metrics\",le=\"+Inf\"} 60\n"
		"h_bucket{route=\"/metrics2\",le=\"1\"} 1\n"
		"h_bucket{route=\"/metrics2\",le=\"+Inf\"} 1\n";

	ASSERT_OK(prom_histogram_read(str_from(text), "h", "/metrics", &h, NULL));
	ASSERT_INT(h.buckets.len, 2);
	ASSERT_NEAR(h.buckets.ptr[0].count, 4, 0);
	ASSERT_NEAR(h.buckets.ptr[1].count, 5, 0);
}
