#include "model/case.h"

#include <string.h>

struct case_desc *case_desc_new(void)
{
	return xcalloc(1, sizeof(struct case_desc));
}

static void free_texts(struct case_desc_texts *t)
{
	free(t->symptom);
	free(t->since);
	free(t->root_cause);
	free(t->fix);
	free(t->fix_commit);
	free(t->owner);
	vec_for_each (&t->open_items, item)
		free(*item);
	vec_release(&t->open_items);
}

static void free_lists(struct case_desc *c)
{
	vec_for_each (&c->variants, v) {
		free(v->name);
		free(v->description);
	}
	vec_release(&c->variants);
	vec_for_each (&c->suspects, s) {
		free(s->text);
		free(s->removed_by);
	}
	vec_release(&c->suspects);
	vec_for_each (&c->env_varies, name)
		free(*name);
	vec_release(&c->env_varies);
	vec_release(&c->search.probes);
}

struct case_desc *case_desc_free(struct case_desc *c)
{
	if (!c)
		return NULL;
	free_lists(c);
	free_texts(&c->texts);
	free(c->name);
	free(c->case_file);
	free(c->command_line);
	free(c->slo.metric);
	free(c->answers.detail);
	free(c->stopped);
	free(c);
	return NULL;
}

static char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void copy_texts(struct case_desc_texts *to, const struct case_desc_texts *from)
{
	*to = (struct case_desc_texts){ .symptom = copy_text(from->symptom),
					.since = copy_text(from->since),
					.root_cause = copy_text(from->root_cause),
					.fix = copy_text(from->fix),
					.fix_commit = copy_text(from->fix_commit),
					.owner = copy_text(from->owner) };
	vec_for_each (&from->open_items, item)
		vec_push(&to->open_items, xstrdup(*item));
}

static void copy_lists(struct case_desc *to, const struct case_desc *from)
{
	vec_for_each (&from->variants, v)
		vec_push(&to->variants, ((struct case_desc_variant){ xstrdup(v->name),
								     copy_text(v->description) }));
	vec_for_each (&from->suspects, s)
		vec_push(&to->suspects, ((struct case_desc_suspect){ xstrdup(s->text),
								     copy_text(s->removed_by) }));
	vec_for_each (&from->search.probes, p)
		vec_push(&to->search.probes, *p);
	vec_for_each (&from->env_varies, name)
		vec_push(&to->env_varies, xstrdup(*name));
}

struct case_desc *case_desc_copy(const struct case_desc *c)
{
	struct case_desc *copy = xmalloc(sizeof(*copy));

	*copy = *c;
	memset(&copy->variants, 0, sizeof(copy->variants));
	memset(&copy->suspects, 0, sizeof(copy->suspects));
	memset(&copy->search.probes, 0, sizeof(copy->search.probes));
	memset(&copy->env_varies, 0, sizeof(copy->env_varies));
	copy_lists(copy, c);
	copy_texts(&copy->texts, &c->texts);
	copy->name = xstrdup(c->name);
	copy->case_file = copy_text(c->case_file);
	copy->command_line = copy_text(c->command_line);
	copy->slo.metric = xstrdup(c->slo.metric);
	copy->answers.detail = copy_text(c->answers.detail);
	copy->stopped = copy_text(c->stopped);
	return copy;
}

size_t case_desc_variant_index(const struct case_desc *c, const char *name)
{
	for (size_t i = 0; i < c->variants.len; i++)
		if (name && !strcmp(c->variants.ptr[i].name, name))
			return i;
	return SIZE_MAX;
}
