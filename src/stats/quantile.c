#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void quantile_sort(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), compare_doubles);
}

double quantile_sorted(const double *values, size_t n, double q)
{
	double rank, low;

	if (!n)
		return 0;
	rank = q * (double)(n - 1);
	low = values[(size_t)rank];
	return low + (values[(size_t)ceil(rank)] - low) * (rank - floor(rank));
}

double quantile_median(const double *values, size_t n)
{
	CLEANUP(mem_cleanup) double *copy = xmalloc(n * sizeof(*copy));

	if (n)
		memcpy(copy, values, n * sizeof(*copy));
	quantile_sort(copy, n);
	return quantile_sorted(copy, n, 0.5);
}

/* Upper point z of the standard normal with P(|Z| < z) = confidence, by bisection of erf. */
static double normal_point(double confidence)
{
	double low = 0, high = 10;

	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (erf(mid / sqrt(2)) < confidence)
			low = mid;
		else
			high = mid;
	}
	return high;
}

uint64_t quantile_samples_needed(double q, double confidence)
{
	return (uint64_t)ceil(log(1 - confidence) / log(q));
}

bool quantile_rank_interval(uint64_t n, double q, double confidence, uint64_t *ret_low,
			    uint64_t *ret_high)
{
	double centre = q * (double)n;
	double reach = normal_point(confidence) * sqrt(centre * (1 - q));

	if (n < quantile_samples_needed(q, confidence))
		return false;
	*ret_low = centre - reach < 1 ? 0 : (uint64_t)(centre - reach) - 1;
	*ret_high = MIN((uint64_t)ceil(centre + reach), n - 1);
	return true;
}
