#include "experiment/limit.h"

#include <math.h>

enum verdict { OPEN, HOLDS, MISSES, MIXED, UNTOLD };

static enum verdict judge(const struct limit_level *l)
{
	if (l->holds && l->misses)
		return MIXED;
	if (l->holds || l->misses)
		return l->holds ? HOLDS : MISSES;
	return l->untold >= LIMIT_UNTOLD_MAX ? UNTOLD : OPEN;
}

void limit_release(struct limit_search *s)
{
	vec_release(&s->levels);
}

void limit_tell(struct limit_search *s, double at, enum limit_answer answer)
{
	size_t i = 0;

	while (i < s->levels.len && s->levels.ptr[i].at < at)
		i++;
	if (i == s->levels.len || s->levels.ptr[i].at > at) {
		vec_push(&s->levels, ((struct limit_level){ 0 }));
		for (size_t k = s->levels.len - 1; k > i; k--)
			s->levels.ptr[k] = s->levels.ptr[k - 1];
		s->levels.ptr[i] = (struct limit_level){ .at = at };
	}
	s->levels.ptr[i].holds += answer == LIMIT_HOLDS;
	s->levels.ptr[i].misses += answer == LIMIT_MISSES;
	s->levels.ptr[i].untold += answer == LIMIT_UNTOLD;
	s->probes++;
}

/* The highest level that holds below all that ever missed. */
static const struct limit_level *lower(const struct limit_search *s)
{
	const struct limit_level *best = NULL;

	vec_for_each (&s->levels, l) {
		if (l->misses)
			break;
		if (judge(l) == HOLDS)
			best = l;
	}
	return best;
}

/* What lies right above it and does not hold; one that does not tell only when none above does. */
static const struct limit_level *ceiling(const struct limit_search *s,
					 const struct limit_level *low)
{
	vec_for_each (&s->levels, l)
		if ((!low || l > low) && (l->misses || judge(l) == UNTOLD))
			return l;
	return NULL;
}

/* The lowest level that missed each time, above all that ever held. */
static const struct limit_level *upper(const struct limit_search *s)
{
	const struct limit_level *best = NULL;

	for (size_t i = s->levels.len; i-- > 0;) {
		const struct limit_level *l = &s->levels.ptr[i];

		if (l->holds)
			break;
		if (judge(l) == MISSES)
			best = l;
	}
	return best;
}

void limit_bounds(const struct limit_search *s, const struct limit_level **ret_holds,
		  const struct limit_level **ret_misses)
{
	*ret_holds = lower(s);
	*ret_misses = upper(s);
}

/* A level as it can be driven and read: users are whole, rates have three figures or so. */
static double rounded(const struct limit_search *s, double at)
{
	double step = s->opts.whole || at >= 20 ? 1 : at >= 2 ? 0.1 : 0.01;

	return fmax(round(at / step) * step, step);
}

/* A level strictly between two, or 0 when they are near enough to each other. */
static double between(const struct limit_search *s, double low, double high)
{
	double mid = rounded(s, sqrt(low * high));

	if (high <= low * (1 + s->opts.resolution) + 1e-9 || mid <= low || mid >= high)
		return 0;
	return mid;
}

/* How often a level was told; one that keeps not telling is not asked for ever. */
static bool wants_more(const struct limit_search *s, const struct limit_level *l)
{
	return l->holds + l->misses < s->opts.repeats && l->untold < LIMIT_UNTOLD_MAX;
}

/* Nothing holds so far: half of what does not. */
static double further_down(const struct limit_search *s, const struct limit_level *high)
{
	double at = rounded(s, high->at / 2);

	return at < high->at && at >= s->opts.min ? at : 0;
}

static double further_up(const struct limit_search *s, const struct limit_level *low)
{
	return low->at < s->opts.max ? fmin(rounded(s, low->at * 2), s->opts.max) : 0;
}

/* Above a level that answered both ways: the next one that may miss each time. */
static double above_mixed(const struct limit_search *s, const struct limit_level *mixed,
			  const struct limit_level *high)
{
	double at = rounded(s, mixed->at * (1 + s->opts.resolution));

	if (at <= mixed->at)
		at = rounded(s, mixed->at + 1);
	if (high && at >= high->at)
		return 0;
	return at <= s->opts.max ? at : 0;
}

/* The two beside the limit, again and in turns, so that a drift meets both alike. */
static double confirmation(const struct limit_search *s, const struct limit_level *low,
			   const struct limit_level *high)
{
	bool ask_low = low && wants_more(s, low), ask_high = high && wants_more(s, high);

	if (ask_low && ask_high)
		return low->holds <= high->misses ? low->at : high->at;
	return ask_low ? low->at : ask_high ? high->at : 0;
}

/* The highest level that answered both ways. */
static const struct limit_level *highest_mixed(const struct limit_search *s)
{
	const struct limit_level *best = NULL;

	vec_for_each (&s->levels, l)
		if (judge(l) == MIXED)
			best = l;
	return best;
}

static double choose(const struct limit_search *s)
{
	const struct limit_level *low = lower(s), *high = ceiling(s, low), *top, *mixed;
	double at = 0;

	vec_for_each (&s->levels, l)
		if (judge(l) == OPEN)
			return l->at;
	if (!s->levels.len)
		return fmin(rounded(s, s->opts.start), s->opts.max);
	if (!low)
		at = further_down(s, high);
	else
		at = high ? between(s, low->at, high->at) : further_up(s, low);
	if (at > 0)
		return at;
	top = upper(s);
	mixed = highest_mixed(s);
	if (mixed)
		at = above_mixed(s, mixed, top);
	return at > 0 ? at : confirmation(s, low, top);
}

bool limit_next(const struct limit_search *s, double *ret)
{
	double at = s->probes < s->opts.probes ? choose(s) : 0;

	if (at <= 0)
		return false;
	*ret = at;
	return true;
}
