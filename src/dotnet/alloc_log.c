#include "dotnet/alloc_log.h"

#include <math.h>

#include "stats/interval.h"

double alloc_weight(double object_size)
{
	return object_size > 0 ? -1 / expm1(object_size * log1p(-1 / ALLOC_PER_SAMPLE)) : 0;
}

/*
 * So many random samples vary as a gamma distribution of that shape. An object that is sampled for
 * certain does not vary at all: p, the chance of an object of the average size, takes that part
 * out.
 */
void alloc_range(double bytes, double samples, double *ret_low, double *ret_high)
{
	double per_sample = samples > 0 ? bytes / samples : 0, low_size = 1, high_size = per_sample;
	double shape;

	*ret_low = *ret_high = bytes;
	if (per_sample <= 0)
		return;
	for (int i = 0; i < 60; i++) { /* the size with size * weight = per_sample */
		double size = (low_size + high_size) / 2;

		if (size * alloc_weight(size) < per_sample)
			low_size = size;
		else
			high_size = size;
	}
	shape = samples * per_sample / MAX(per_sample - low_size, 1e-9 * per_sample);
	interval_gamma95(shape, ret_low, ret_high);
	*ret_low *= bytes / shape;
	*ret_high *= bytes / shape;
}

static void take_sampled(struct alloc_log *l, struct stacks *s, const struct nettrace_event *e)
{
	struct clr_allocation a;
	double weight;

	if (!clr_read_allocation_sampled(e, &a))
		return;
	weight = alloc_weight((double)a.object_size);
	vec_push(&l->objects, weight);
	vec_push(
		&l->sampled.samples,
		((struct labelled_sample){ .node = stacks_node(s, e),
					   .label = labelled_utf16(&l->sampled, ALLOC_TYPE, a.type),
					   .thread = e->thread_id,
					   .t_ns = e->t_ns,
					   .weight = weight * (double)a.object_size }));
}

static void take_tick(struct alloc_log *l, struct stacks *s, const struct nettrace_event *e)
{
	struct clr_allocation a;

	if (!clr_read_allocation_tick(e, &a))
		return;
	l->ticks_without_type += !a.type.len;
	vec_push(&l->ticks.samples,
		 ((struct labelled_sample){ .node = stacks_node(s, e),
					    .label = labelled_utf16(&l->ticks, ALLOC_TYPE, a.type),
					    .thread = e->thread_id,
					    .t_ns = e->t_ns,
					    .weight = (double)a.amount }));
}

void alloc_log_take(struct alloc_log *l, struct stacks *s, const struct nettrace_event *e)
{
	if (e->meta->event_id == CLR_ALLOCATION_SAMPLED)
		take_sampled(l, s, e);
	else if (e->meta->event_id == CLR_ALLOCATION_TICK)
		take_tick(l, s, e);
}

void alloc_log_finish(struct alloc_log *l, const struct stacks *s, struct alloc_result *ret)
{
	const struct labelled *from = l->sampled.samples.len ? &l->sampled : &l->ticks;

	*ret = (struct alloc_result){ .sampled = from == &l->sampled, .events = from->samples.len };
	labelled_profile(from, s, "B", &ret->profile);
	vec_for_each (&from->samples, f)
		ret->without_stack += !f->node;
	if (!ret->sampled)
		return;
	vec_for_each (&l->objects, o)
		vec_push(&ret->objects, *o);
}

void alloc_log_release(struct alloc_log *l)
{
	labelled_release(&l->sampled);
	labelled_release(&l->ticks);
	vec_release(&l->objects);
}

void alloc_result_release(struct alloc_result *r)
{
	profile_release(&r->profile);
	vec_release(&r->objects);
}
