/*
 * Pages and selectors: the input's first line is a selector, the rest is a page. Whatever they are:
 * the tree is whole, what matches is in it, and writing the page and reading that again never fails
 * but for its size.
 */
#include "load/k6/html_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tree(const struct load_html_doc *doc)
{
	const struct load_html_node *n = doc->root;
	uint32_t count = 0;

	for (; n; n = load_html_next(n, doc->root)) {
		BUG_ON(n->id != count++);
		BUG_ON(n->first && n->first->parent != n);
		BUG_ON(n->next && n->next->prev != n);
		BUG_ON(n->type == LOAD_HTML_ELEMENT && !n->name.len);
	}
	BUG_ON(count != doc->nodes);
}

static void check_search(const struct load_html_doc *doc, struct str text)
{
	CLEANUP(cleanup_load_html_selector) struct load_html_selector *s = NULL;
	CLEANUP(load_html_list_release) struct load_html_list top = { 0 }, found = { 0 };
	struct load_html_filter only = { 0 };
	uint64_t steps = 0;
	struct load_html_walk w = { .doc = doc, .from = &top, .only = &only, .steps = &steps };

	if (load_html_selector_new(&s, text, NULL) < 0)
		return;
	only.selector = s;
	vec_push(&top, doc->root);
	load_html_find(&w, &found);
	vec_for_each (&found, n)
		BUG_ON((*n)->type != LOAD_HTML_ELEMENT);
	w.from = &found;
	for (enum load_html_step step = LOAD_HTML_CHILDREN; step <= LOAD_HTML_SIBLINGS; step++) {
		CLEANUP(load_html_list_release) struct load_html_list out = { 0 };

		load_html_step(&w, step, &out);
		BUG_ON(out.len > doc->nodes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_load_html_doc) struct load_html_doc *doc = NULL, *again = NULL;
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct str rest = { (const char *)data, size }, selector;
	struct error err = ERROR_INIT;

	if (!str_split(&rest, '\n', &selector) || !rest.ptr)
		return 0;
	if (load_html_parse(&doc, rest, "", NULL, &err) < 0) {
		BUG_ON(!err.msg[0]);
		return 0;
	}
	check_tree(doc);
	check_search(doc, selector);
	load_html_outer(doc->root, &sb);
	if (load_html_parse(&again, strbuf_str(&sb), "", NULL, &err) == 0)
		check_tree(again);
	return 0;
}
