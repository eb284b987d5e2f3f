#include "experiment/steady.h"

#include <math.h>

#include "stats/quantile.h"

/* Every window better than the one before: still climbing, however slowly. */
static bool rising(const double *last, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (last[i] <= last[i - 1])
			return false;
	return true;
}

bool steady_reached(const double *throughput, size_t n)
{
	const double *last = throughput + n - STEADY_WINDOWS;
	double median;

	if (n < STEADY_WINDOWS)
		return false;
	median = quantile_median(last, STEADY_WINDOWS);
	for (size_t i = 0; i < STEADY_WINDOWS; i++)
		if (fabs(last[i] - median) > STEADY_BAND * median)
			return false;
	return median > 0 && !rising(last, STEADY_WINDOWS);
}
