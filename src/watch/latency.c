#include "watch/latency.h"

#include <math.h>

static double weight_of(const struct watch_part *p)
{
	return isnan(p->count) ? 1 : p->count;
}

/* The share of the part that lies at or below x. */
static double share_below(const struct watch_part *p, double x)
{
	double low_value = 0, low_q = 0;

	for (unsigned i = 0; i < p->n; i++) {
		if (x < p->value[i]) {
			double width = p->value[i] - low_value;

			return width > 0 ? low_q + (p->q[i] - low_q) *
							   MAX((x - low_value) / width, 0.0)
					 : low_q;
		}
		low_value = p->value[i];
		low_q = p->q[i];
	}
	return 1;
}

/* The part's own quantile; known ones exactly. */
static double quantile_of(const struct watch_part *p, double q)
{
	double low_value = 0, low_q = 0;

	for (unsigned i = 0; i < p->n; i++) {
		if (q <= p->q[i])
			return low_value +
			       (p->value[i] - low_value) * (q - low_q) / (p->q[i] - low_q);
		low_value = p->value[i];
		low_q = p->q[i];
	}
	return low_value;
}

static double share_of_all(const struct watch_parts *parts, double x, double total)
{
	double sum = 0;

	vec_for_each (&parts->list, p)
		sum += weight_of(p) * share_below(p, x);
	return sum / total;
}

double watch_parts_quantile(const struct watch_parts *parts, double q)
{
	double low = INFINITY, high = -INFINITY, total = 0;

	vec_for_each (&parts->list, p) {
		if (!p->n || !(weight_of(p) > 0))
			continue;
		low = fmin(low, quantile_of(p, q));
		high = fmax(high, quantile_of(p, q));
		total += weight_of(p);
	}
	if (!(total > 0))
		return NAN;
	/* the distribution rises with x: halve until a double can tell no more */
	for (int i = 0; i < 60 && low < high; i++) {
		double middle = low + (high - low) / 2;

		if (share_of_all(parts, middle, total) < q)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double watch_parts_count(const struct watch_parts *parts)
{
	double sum = 0;

	vec_for_each (&parts->list, p)
		sum += p->count;
	return parts->list.len ? sum : NAN;
}
