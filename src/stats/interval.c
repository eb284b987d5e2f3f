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
