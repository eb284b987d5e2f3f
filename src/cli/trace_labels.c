#include "cli/trace_labels.h"

#include <stdlib.h>
#include <string.h>

#include "cli/trace_view.h"

static int by_weight(const void *a, const void *b)
{
	const struct label_row *x = a, *y = b;

	if (x->weight < y->weight || x->weight > y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static bool begins(const struct profile_view *v, uint32_t name, const char *prefix)
{
	return !strncmp(v->names.ptr[name], prefix, strlen(prefix));
}

static void sort(struct label_rows *rows)
{
	if (rows->len)
		qsort(rows->ptr, rows->len, sizeof(*rows->ptr), by_weight);
}

void label_rows_sums(const struct profile_view *v, const char *prefix, struct label_rows *ret)
{
	vec_for_each (&v->rows, r)
		if (r->exc_count && begins(v, r->name, prefix))
			vec_push(ret, ((struct label_row){ 0, r->name, r->exc, r->exc_count }));
	sort(ret);
}

void label_rows_stacks(const struct profile_view *v, const char *prefix, struct label_rows *ret)
{
	for (uint32_t i = 1; i < v->nodes.len; i++) {
		const struct view_node *n = &v->nodes.ptr[i];

		if (n->exc_count && begins(v, n->name, prefix))
			vec_push(ret, ((struct label_row){ i, n->name, n->exc, n->exc_count }));
	}
	sort(ret);
}

void label_add_callers(struct strbuf *out, const struct profile_view *v, uint32_t node,
		       uint64_t frames, size_t indent)
{
	uint32_t at = v->nodes.ptr[node].parent;

	for (uint64_t i = 0; at; at = v->nodes.ptr[at].parent, i++) {
		strbuf_addf(out, "%*s", (int)indent, "");
		if (i == frames) {
			strbuf_addstr(out, "...\n");
			return;
		}
		trace_view_name(v->names.ptr[v->nodes.ptr[at].name], 0, false, out);
		strbuf_addch(out, '\n');
	}
}

void label_json_callers(struct json_writer *w, const struct profile_view *v, uint32_t node)
{
	json_array_begin(w, "frames");
	for (uint32_t at = v->nodes.ptr[node].parent; at; at = v->nodes.ptr[at].parent)
		json_cstr(w, NULL, v->names.ptr[v->nodes.ptr[at].name]);
	json_array_end(w);
}
