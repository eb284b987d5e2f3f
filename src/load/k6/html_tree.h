/*
 * html_tree.h - an HTML document as a tree that never changes. The text is parsed by gumbo
 * (the WHATWG algorithm, whatever the text); the tree is our own: its nodes know their siblings and
 * their place, and lie in one arena. A document belongs to one thread.
 *
 * Bounds, so that no page can hurt a run: the constants below, and parsing ends with an error after
 * some seconds of processor time (nesting makes the algorithm quadratic).
 */
#ifndef ASSAY_LOAD_K6_HTML_TREE_H
#define ASSAY_LOAD_K6_HTML_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"

#define LOAD_HTML_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define LOAD_HTML_NODES_MAX ((size_t)1024 * 1024)
#define LOAD_HTML_DEPTH_MAX 1000

/* Numbers as the DOM has them. */
enum load_html_type {
	LOAD_HTML_ELEMENT = 1,
	LOAD_HTML_TEXT = 3,
	LOAD_HTML_COMMENT = 8,
	LOAD_HTML_DOCUMENT = 9,
	LOAD_HTML_DOCTYPE = 10,
};

enum load_html_ns { LOAD_HTML_NS_HTML, LOAD_HTML_NS_SVG, LOAD_HTML_NS_MATHML };

struct load_html_attr {
	struct str name, value;
	const char *prefix; /* "xlink", "xml", "xmlns" or "" */
};

struct load_html_node {
	enum load_html_type type;
	enum load_html_ns ns;
	uint32_t id;	   /* position in document order; the document has 0 */
	uint32_t place;	   /* of an element: among its parent's child elements, from 0 */
	uint32_t elements; /* child elements */
	uint32_t attr_count;
	struct load_html_attr *attrs;
	struct str name; /* of an element or a doctype; "" for others */
	struct str text; /* of a text or comment; "" for others */
	struct load_html_node *parent, *first, *last, *prev, *next;
};

struct load_html_doc {
	struct arena arena;
	struct load_html_node *root; /* the document */
	uint32_t nodes;
	unsigned refs;
	char *url; /* what relative URLs in it are relative to; "" = unknown */
};

/*
 * Parses text, which may be anything. 0 with one reference in *ret; -E2BIG (too long, too many
 * nodes, too deep, too much memory), -ETIME. scratch is memory for the time of the call, some of
 * which it keeps for the next one; NULL = none to keep.
 */
int load_html_parse(struct load_html_doc **ret, struct str text, const char *url,
		    struct arena *scratch, struct error *reterr);

struct load_html_doc *load_html_doc_ref(struct load_html_doc *doc);
void load_html_doc_unref(struct load_html_doc *doc); /* NULL in, nothing done */
DEFINE_CLEANUP(load_html_doc, struct load_html_doc *, load_html_doc_unref)

/* The value of an attribute (name in lower case) or NULL. */
const struct load_html_attr *load_html_attr(const struct load_html_node *n, const char *name);

static inline bool load_html_is(const struct load_html_node *n, const char *tag)
{
	return n->type == LOAD_HTML_ELEMENT && str_eq_c(n->name, tag);
}

/* Is n's tag one of the words in tags ("a area link")? */
bool load_html_is_any(const struct load_html_node *n, const char *tags);

/* The node after n in document order within top's subtree; NULL at its end. */
struct load_html_node *load_html_next(const struct load_html_node *n,
				      const struct load_html_node *top);

/* The same, but past n's own subtree. */
struct load_html_node *load_html_skip(const struct load_html_node *n,
				      const struct load_html_node *top);

/* Is n inside top (not top itself)? */
bool load_html_inside(const struct load_html_node *n, const struct load_html_node *top);

/* The nearest element before or after n among its siblings; NULL when there is none. */
struct load_html_node *load_html_prev_element(const struct load_html_node *n);
struct load_html_node *load_html_next_element(const struct load_html_node *n);
struct load_html_node *load_html_first_element(const struct load_html_node *n);

/* Appends the texts in n's subtree (or its own). */
void load_html_text(const struct load_html_node *n, struct strbuf *out);

/* Appends what is inside n as HTML, as the WHATWG serialisation has it, but '"' and "'" are escaped
 * in text too and void elements end with "/>". */
void load_html_inner(const struct load_html_node *n, struct strbuf *out);

/* The same with n itself. */
void load_html_outer(const struct load_html_node *n, struct strbuf *out);

#endif
