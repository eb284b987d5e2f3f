#include "stats/interval.h"

#include <math.h>

double interval_t95(size_t degrees)
{
	static const double t[] = { INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
				    2.306,    2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
				    2.120,    2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
				    2.064,    2.060,  2.056, 2.052, 2.048, 2.045, 2.042 };

	/* beyond the table: the normal point with its first correction, within 0.001 */
	return degrees < ARRAY_SIZE(t) ? t[degrees]
				       : 1.95996 + 2.3723 / (double)degrees +
						 2.8 / ((double)degrees * (double)degrees);
}

/* The part of a gamma distribution below x: its series, or beyond the mean its continued fraction
 * (Abramowitz and Stegun 6.5.29, 6.5.31, by Lentz). */
static double gamma_below(double a, double x)
{
	double scale = exp(a * log(x) - x - lgamma(a)), sum, term, b, c, d;

	if (x < a + 1) {
		sum = term = 1 / a;
		for (double n = 1; n < 1e6 && term > sum * 1e-15; n++) {
			term *= x / (a + n);
			sum += term;
		}
		return scale * sum;
	}
	b = x + 1 - a;
	c = 1e300;
	d = sum = 1 / b;
	for (double n = 1; n < 1e6; n++) {
		double an = -n * (n - a), delta;

		b += 2;
		d = 1 / (an * d + b);
		c = b + an / c;
		delta = c * d;
		sum *= delta;
		if (fabs(delta - 1) < 1e-15)
			break;
	}
	return 1 - scale * sum;
}

static double gamma_point(double shape, double p)
{
	double sd = sqrt(shape), low = 0, high = shape + 40 * sd + 40, z;

	if (shape <= 0 || p <= 0)
		return 0;
	if (shape > 1e5) { /* Wilson and Hilferty: within 1e-7 here; only for the two points */
		z = p < 0.5 ? -1.959964 : 1.959964;
		z = 1 - 1 / (9 * shape) + z / (3 * sd);
		return shape * z * z * z;
	}
	for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		if (gamma_below(shape, middle) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

void interval_gamma95(double shape, double *ret_low, double *ret_high)
{
	*ret_low = gamma_point(shape, 0.025);
	*ret_high = gamma_point(shape, 0.975);
}
