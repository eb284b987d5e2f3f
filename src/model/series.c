#include "model/series.h"

void series_release(struct series *s)
{
	free(s->name);
	free(s->unit);
	free(s->labels);
	vec_release(&s->points);
}

double series_growth(const struct series *s, uint64_t from_ns, uint64_t to_ns)
{
	const struct series_point *first = NULL, *last = NULL;

	vec_for_each (&s->points, p) {
		if (p->t_ns < from_ns || p->t_ns > to_ns)
			continue;
		if (!first)
			first = p;
		last = p;
	}
	return first ? last->value - first->value : 0;
}

double series_at(const struct series *s, uint64_t t_ns, double def)
{
	double v = def;

	vec_for_each (&s->points, p) {
		if (p->t_ns > t_ns)
			break;
		v = p->value;
	}
	return v;
}
