#include "dotnet/labelled.h"

#include "dotnet/clr.h"

static uint32_t add_label(struct labelled *l, struct str key, char *label)
{
	vec_push(&l->labels, label);
	map_put(&l->index, key, (void *)l->labels.len);
	return (uint32_t)l->labels.len - 1;
}

uint32_t labelled_utf16(struct labelled *l, const char *prefix, struct str text)
{
	uintptr_t known = (uintptr_t)map_get(&l->index, text);
	struct strbuf label = STRBUF_INIT;

	if (known)
		return (uint32_t)known - 1;
	strbuf_addstr(&label, prefix);
	clr_text(text, &label);
	return add_label(l, text, strbuf_detach(&label));
}

uint32_t labelled_text(struct labelled *l, struct str text)
{
	uintptr_t known = (uintptr_t)map_get(&l->index, text);
	struct strbuf label = STRBUF_INIT;

	if (known)
		return (uint32_t)known - 1;
	strbuf_add(&label, text.ptr, text.len);
	return add_label(l, text, strbuf_detach(&label));
}

void labelled_profile(const struct labelled *l, const struct stacks *s, const char *unit,
		      struct profile *to)
{
	struct stacks_copy copy;

	profile_init(to, unit);
	stacks_copy_begin(s, to, &copy);
	vec_for_each (&l->samples, f) {
		struct profile_sample sample = {
			.node = stacks_copy_node(&copy, f->node),
			.thread = profile_thread(to, f->thread),
			.t_ns = f->t_ns,
			.weight = f->weight,
		};

		sample.node =
			profile_child(to, sample.node, profile_frame(to, l->labels.ptr[f->label]));
		vec_push(&to->samples, sample);
	}
	stacks_copy_end(&copy);
}

void labelled_release(struct labelled *l)
{
	vec_for_each (&l->labels, label)
		free(*label);
	vec_release(&l->labels);
	vec_release(&l->samples);
	map_release(&l->index);
}
