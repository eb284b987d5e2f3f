/*
 * What a change is worth is a factor, so everything here is on the log scale. The noise is that
 * between runs of the same variant (samples within a run are not independent: a run that caught a
 * busy moment of the machine is slow as a whole), pooled over all variants of the case because two
 * runs of one alone say next to nothing: with V variants of r runs there are V (r - 1) degrees of
 * freedom. The interval is Student's. Since two values can lie apart by luck in spite of it, a
 * change counts only if the runs' own ranges do not touch either.
 */
#include <string.h>

#include "analyze/case_internal.h"
#include "stats/interval.h"

struct noise {
	double squares; /* of the deviations from each variant's mean */
	size_t degrees;
};

/* Mean of the logs of a variant's runs, and how many there are. */
static double mean_log(const struct case_finding *f, const struct variant_finding *v,
		       enum figure which, size_t *ret_n)
{
	double sum = 0;
	size_t n = 0;

	case_for_each_run (f, v, i)
		if (f->runs.ptr[i]->value[which] > 0) {
			sum += log(f->runs.ptr[i]->value[which]);
			n++;
		}
	*ret_n = n;
	return n ? sum / (double)n : NAN;
}

static struct noise pool_noise(const struct case_finding *f, enum figure which)
{
	struct noise noise = { 0 };

	vec_for_each (&f->variants, v) {
		size_t n;
		double mean = mean_log(f, v, which, &n);

		if (n < 2)
			continue;
		noise.degrees += n - 1;
		case_for_each_run (f, v, i)
			if (f->runs.ptr[i]->value[which] > 0)
				noise.squares += pow(log(f->runs.ptr[i]->value[which]) - mean, 2);
	}
	return noise;
}

struct effect case_effect(const struct case_finding *f, const struct variant_finding *before,
			  const struct variant_finding *after, enum figure which)
{
	const struct spread *a = &before->spread[which], *b = &after->spread[which];
	struct effect e = { .ratio = NAN, .ratio_low = NAN, .ratio_high = NAN, .visible = NAN };
	struct noise noise = pool_noise(f, which);
	size_t n_before, n_after;
	double reach;

	mean_log(f, before, which, &n_before);
	mean_log(f, after, which, &n_after);
	if (!n_before || !n_after || !(a->value > 0) || !(b->value > 0))
		return e;
	e.known = true;
	e.ratio = b->value / a->value;
	if (!noise.degrees)
		return e;
	reach = interval_t95(noise.degrees) * sqrt(noise.squares / (double)noise.degrees) *
		sqrt(1 / (double)n_before + 1 / (double)n_after);
	e.ratio_low = e.ratio * exp(-reach);
	e.ratio_high = e.ratio * exp(reach);
	e.visible = exp(reach) - 1;
	e.beyond_noise = n_before > 1 && n_after > 1 && (e.ratio_low > 1 || e.ratio_high < 1) &&
			 (a->low > b->high || b->low > a->high);
	return e;
}
