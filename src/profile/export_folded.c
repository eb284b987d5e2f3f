/* Folded stacks: a line for each stack that was innermost, in the order of the tree. */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "profile/export_internal.h"

/* ';' parts frames, and lines end with the line. */
static void add_name(struct strbuf *out, const char *name)
{
	for (; *name; name++)
		strbuf_addch(out, *name == ';' ? ':' : (unsigned char)*name < ' ' ? ' ' : *name);
}

static long long amount(const struct export_source *s, const struct view_node *n)
{
	if (export_is_timed(s))
		return llround(n->exc * 1000);
	return llround(n->exc);
}

void export_folded(const struct export_source *s, struct strbuf *out)
{
	const struct profile_view *v = s->view;
	VEC(uint32_t) path = VEC_INIT;

	for (uint32_t i = 0; i < v->nodes.len; i++) {
		if (!v->nodes.ptr[i].exc_count || amount(s, &v->nodes.ptr[i]) == 0)
			continue;
		vec_clear(&path);
		for (uint32_t n = i; n; n = v->nodes.ptr[n].parent)
			vec_push(&path, v->nodes.ptr[n].name);
		if (!path.len)
			strbuf_addstr(out, PROFILE_UNKNOWN);
		for (size_t f = path.len; f-- > 0;) {
			add_name(out, v->names.ptr[path.ptr[f]]);
			if (f)
				strbuf_addch(out, ';');
		}
		strbuf_addf(out, " %lld\n", amount(s, &v->nodes.ptr[i]));
	}
	vec_release(&path);
}
