#include "load/k6/html_tree.h"

#include <ctype.h>
#include <errno.h>
#include <gumbo.h>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>

/* Gumbo's own tree, of which no part is given back while it parses. */
#define PARSER_BYTES_MAX   ((size_t)512 * 1024 * 1024)
#define PARSER_SECONDS_MAX 3
#define TREE_BYTES_MAX	   ((size_t)256 * 1024 * 1024)
#define CLOCK_EVERY	   1024
/* What a worker keeps for its next page: most pages need less. */
#define SCRATCH_BYTES_KEPT ((size_t)8 * 1024 * 1024)

/* ---- gumbo's memory ---- */

/* Gumbo cannot be told to stop, nor that there is no memory: its allocator jumps out. */
struct parser {
	struct arena *arena;
	jmp_buf stop; /* with -errno */
	uint64_t until_ns;
	unsigned calls;
};

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void *parser_alloc(void *arg, size_t bytes)
{
	struct parser *p = arg;
	void *mem = arena_alloc(p->arena, bytes);

	if (!mem)
		longjmp(p->stop, E2BIG);
	if (++p->calls % CLOCK_EVERY == 0 && cpu_ns() > p->until_ns)
		longjmp(p->stop, ETIME);
	return mem;
}

static void parser_free(void *arg UNUSED, void *mem UNUSED)
{
}

/* 0, -E2BIG or -ETIME. text must be terminated. */
static int parse(struct parser *p, struct str text, GumboOutput **ret)
{
	GumboOptions options = kGumboDefaultOptions;
	int r;

	options.allocator = parser_alloc;
	options.deallocator = parser_free;
	options.userdata = p;
	options.max_errors = 0;
	p->until_ns = cpu_ns() + PARSER_SECONDS_MAX * NS_PER_S;
	r = setjmp(p->stop);
	if (r)
		return -r;
	*ret = gumbo_parse_with_options(&options, text.ptr, text.len);
	return 0;
}

/* ---- gumbo's tree into ours ---- */

struct copy {
	struct load_html_doc *doc;
	const char *source_end, *noscript_end; /* of the last one */
	struct {
		const GumboVector *children;
		unsigned next;
	} stack[LOAD_HTML_DEPTH_MAX];
	unsigned depth;
};

static struct load_html_node *add_node(struct load_html_doc *doc, struct load_html_node *parent,
				       enum load_html_type type)
{
	struct load_html_node *n;

	if (doc->nodes == LOAD_HTML_NODES_MAX)
		return NULL;
	n = arena_zalloc(&doc->arena, sizeof(*n));
	if (!n)
		return NULL;
	n->type = type;
	n->id = doc->nodes++;
	n->name = n->text = STR("");
	n->parent = parent;
	if (!parent)
		return n;
	n->prev = parent->last;
	if (parent->last)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	if (type == LOAD_HTML_ELEMENT)
		n->place = parent->elements++;
	return n;
}

static struct str element_name(struct load_html_doc *doc, const GumboElement *e)
{
	GumboStringPiece piece = e->original_tag;
	const char *svg;
	struct str name;

	gumbo_tag_from_original_text(&piece);
	if (e->tag_namespace == GUMBO_NAMESPACE_SVG && piece.data) {
		svg = gumbo_normalize_svg_tagname(&piece);
		if (svg)
			return str_from(svg);
	}
	if (e->tag != GUMBO_TAG_UNKNOWN)
		return str_from(gumbo_normalized_tagname(e->tag));
	name = arena_str(&doc->arena, (struct str){ piece.data, piece.data ? piece.length : 0 });
	for (size_t i = 0; i < name.len; i++)
		((char *)(uintptr_t)name.ptr)[i] = (char)tolower((unsigned char)name.ptr[i]);
	return name;
}

static const char *attr_prefix(GumboAttributeNamespaceEnum ns)
{
	switch (ns) {
	case GUMBO_ATTR_NAMESPACE_XLINK:
		return "xlink";
	case GUMBO_ATTR_NAMESPACE_XML:
		return "xml";
	case GUMBO_ATTR_NAMESPACE_XMLNS:
		return "xmlns";
	default:
		return "";
	}
}

static bool copy_attrs(struct load_html_doc *doc, struct load_html_node *n, const GumboElement *e)
{
	if (!e->attributes.length)
		return true;
	n->attrs = arena_alloc(&doc->arena, e->attributes.length * sizeof(*n->attrs));
	if (!n->attrs)
		return false;
	for (unsigned i = 0; i < e->attributes.length; i++) {
		const GumboAttribute *from = e->attributes.data[i];
		struct load_html_attr *to = &n->attrs[n->attr_count++];

		to->name = arena_str(&doc->arena, str_from(from->name));
		to->value = arena_str(&doc->arena, str_from(from->value));
		to->prefix = attr_prefix(from->attr_namespace);
		if (!to->name.ptr || !to->value.ptr)
			return false;
	}
	return true;
}

static bool copy_text(struct load_html_doc *doc, struct load_html_node *parent,
		      enum load_html_type type, struct str text)
{
	struct load_html_node *n = add_node(doc, parent, type);

	if (!n)
		return false;
	n->text = arena_str(&doc->arena, text);
	return n->text.ptr != NULL;
}

/*
 * What is inside <noscript> is text to a client that runs scripts, which is what k6's parser takes
 * itself for; to gumbo it is markup. So the source up to the end tag is taken, each part of it
 * once.
 */
static bool copy_noscript(struct copy *c, struct load_html_node *n, const GumboElement *e)
{
	const char *from = e->original_tag.data + e->original_tag.length, *to = from;
	struct str end = STR("</noscript");

	if (from < c->noscript_end)
		return true;
	while (to < c->source_end &&
	       !str_ieq((struct str){ to, MIN(end.len, (size_t)(c->source_end - to)) }, end))
		to++;
	c->noscript_end = to;
	return from == to ||
	       copy_text(c->doc, n, LOAD_HTML_TEXT, (struct str){ from, (size_t)(to - from) });
}

static bool push(struct copy *c, const GumboVector *children)
{
	if (c->depth == LOAD_HTML_DEPTH_MAX)
		return false;
	c->stack[c->depth].children = children;
	c->stack[c->depth++].next = 0;
	return true;
}

/* One of parent's; *ret is the node whose children come next, if it has any. */
static bool copy_node(struct copy *c, struct load_html_node *parent, const GumboNode *g,
		      struct load_html_node **ret)
{
	struct load_html_node *n;

	switch (g->type) {
	case GUMBO_NODE_TEXT:
	case GUMBO_NODE_CDATA:
	case GUMBO_NODE_WHITESPACE:
		return copy_text(c->doc, parent, LOAD_HTML_TEXT, str_from(g->v.text.text));
	case GUMBO_NODE_COMMENT:
		return copy_text(c->doc, parent, LOAD_HTML_COMMENT, str_from(g->v.text.text));
	default:
		break;
	}
	n = add_node(c->doc, parent, LOAD_HTML_ELEMENT);
	if (!n || !copy_attrs(c->doc, n, &g->v.element))
		return false;
	n->ns = (enum load_html_ns)g->v.element.tag_namespace;
	n->name = element_name(c->doc, &g->v.element);
	if (!n->name.ptr)
		return false;
	if (g->v.element.tag == GUMBO_TAG_NOSCRIPT && g->v.element.original_tag.length)
		return copy_noscript(c, n, &g->v.element);
	*ret = n;
	return push(c, &g->v.element.children);
}

static bool copy_children(struct copy *c)
{
	struct load_html_node *at = c->doc->root;

	while (c->depth) {
		unsigned top = c->depth - 1;
		const GumboVector *children = c->stack[top].children;

		if (c->stack[top].next == children->length) {
			c->depth--;
			at = at->parent;
		} else if (!copy_node(c, at, children->data[c->stack[top].next++], &at)) {
			return false;
		}
	}
	return true;
}

static bool copy_document(struct load_html_doc *doc, const GumboDocument *from,
			  const char *source_end)
{
	CLEANUP(mem_cleanup) struct copy *c = xcalloc(1, sizeof(*c));
	struct load_html_node *type;

	c->doc = doc;
	c->source_end = source_end;
	doc->root = add_node(doc, NULL, LOAD_HTML_DOCUMENT);
	if (!doc->root)
		return false;
	if (from->has_doctype) {
		type = add_node(doc, doc->root, LOAD_HTML_DOCTYPE);
		if (!type)
			return false;
		type->name = arena_str(&doc->arena, str_from(from->name ? from->name : ""));
		if (!type->name.ptr)
			return false;
	}
	return push(c, &from->children) && copy_children(c);
}

/* ---- documents ---- */

static int too_big(struct error *reterr)
{
	return error_set(reterr, -E2BIG,
			 "the page is too large: more than %zu nodes, %d levels or %zu MB",
			 LOAD_HTML_NODES_MAX, LOAD_HTML_DEPTH_MAX, LOAD_HTML_BYTES_MAX >> 20);
}

static int build(struct load_html_doc *doc, struct str text, struct arena *scratch,
		 struct error *reterr)
{
	struct parser p = { .arena = scratch };
	struct str source = arena_str(scratch, text);
	GumboOutput *output = NULL;
	int r = source.ptr ? parse(&p, source, &output) : -E2BIG;

	if (r == 0 && !copy_document(doc, &output->document->v.document, source.ptr + source.len))
		r = -E2BIG;
	if (r == -ETIME)
		return error_set(reterr, r, "the page takes too long to parse: more than %d s",
				 PARSER_SECONDS_MAX);
	return r ? too_big(reterr) : 0;
}

int load_html_parse(struct load_html_doc **ret, struct str text, const char *url,
		    struct arena *scratch, struct error *reterr)
{
	CLEANUP(cleanup_load_html_doc) struct load_html_doc *doc = NULL;
	CLEANUP(arena_release) struct arena own = { 0 };
	int r;

	if (text.len > LOAD_HTML_BYTES_MAX)
		return too_big(reterr);
	if (!scratch)
		scratch = &own;
	scratch->limit_bytes = PARSER_BYTES_MAX;
	doc = xcalloc(1, sizeof(*doc));
	doc->refs = 1;
	doc->arena.limit_bytes = TREE_BYTES_MAX;
	doc->url = xstrdup(url);
	r = build(doc, text, scratch, reterr);
	arena_reset(scratch, SCRATCH_BYTES_KEPT);
	if (r == 0)
		*ret = TAKE(doc);
	return r;
}

struct load_html_doc *load_html_doc_ref(struct load_html_doc *doc)
{
	doc->refs++;
	return doc;
}

void load_html_doc_unref(struct load_html_doc *doc)
{
	if (!doc || --doc->refs)
		return;
	arena_release(&doc->arena);
	free(doc->url);
	free(doc);
}

/* ---- nodes ---- */

const struct load_html_attr *load_html_attr(const struct load_html_node *n, const char *name)
{
	for (uint32_t i = 0; i < n->attr_count; i++)
		if (str_eq_c(n->attrs[i].name, name))
			return &n->attrs[i];
	return NULL;
}

bool load_html_is_any(const struct load_html_node *n, const char *tags)
{
	struct str rest = str_from(tags), tag;

	if (n->type != LOAD_HTML_ELEMENT)
		return false;
	while (str_split(&rest, ' ', &tag))
		if (str_eq(n->name, tag))
			return true;
	return false;
}

struct load_html_node *load_html_skip(const struct load_html_node *n,
				      const struct load_html_node *top)
{
	while (n != top) {
		if (n->next)
			return n->next;
		n = n->parent;
	}
	return NULL;
}

struct load_html_node *load_html_next(const struct load_html_node *n,
				      const struct load_html_node *top)
{
	return n->first ? n->first : load_html_skip(n, top);
}

bool load_html_inside(const struct load_html_node *n, const struct load_html_node *top)
{
	while (n->parent) {
		n = n->parent;
		if (n == top)
			return true;
	}
	return false;
}

struct load_html_node *load_html_prev_element(const struct load_html_node *n)
{
	struct load_html_node *p = n->prev;

	while (p && p->type != LOAD_HTML_ELEMENT)
		p = p->prev;
	return p;
}

struct load_html_node *load_html_next_element(const struct load_html_node *n)
{
	struct load_html_node *p = n->next;

	while (p && p->type != LOAD_HTML_ELEMENT)
		p = p->next;
	return p;
}

struct load_html_node *load_html_first_element(const struct load_html_node *n)
{
	if (!n->first || n->first->type == LOAD_HTML_ELEMENT)
		return n->first;
	return load_html_next_element(n->first);
}

void load_html_text(const struct load_html_node *n, struct strbuf *out)
{
	for (const struct load_html_node *at = n; at; at = load_html_next(at, n))
		if (at->type == LOAD_HTML_TEXT)
			strbuf_add(out, at->text.ptr, at->text.len);
}

/* ---- as HTML ---- */

static bool is_void(const struct load_html_node *n)
{
	return load_html_is_any(n, "area base br col embed hr img input keygen link meta param "
				   "source track wbr");
}

static bool is_raw(const struct load_html_node *n)
{
	return load_html_is_any(n, "iframe noembed noframes noscript plaintext script style xmp");
}

static void write_escaped(struct strbuf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		switch (s.ptr[i]) {
		case '&':
			strbuf_addstr(out, "&amp;");
			break;
		case '<':
			strbuf_addstr(out, "&lt;");
			break;
		case '>':
			strbuf_addstr(out, "&gt;");
			break;
		case '"':
			strbuf_addstr(out, "&#34;");
			break;
		case '\'':
			strbuf_addstr(out, "&#39;");
			break;
		case '\r':
			strbuf_addstr(out, "&#13;");
			break;
		default:
			strbuf_addch(out, s.ptr[i]);
		}
	}
}

static void write_start_tag(const struct load_html_node *n, struct strbuf *out)
{
	strbuf_addf(out, "<%.*s", STR_FMT(n->name));
	for (uint32_t i = 0; i < n->attr_count; i++) {
		const struct load_html_attr *a = &n->attrs[i];

		strbuf_addf(out, " %s%s%.*s=\"", a->prefix, *a->prefix ? ":" : "",
			    STR_FMT(a->name));
		write_escaped(out, a->value);
		strbuf_addch(out, '"');
	}
	strbuf_addstr(out, is_void(n) ? "/>" : ">");
	/* the parser drops a line break that begins these, so one more is needed */
	if (load_html_is_any(n, "pre listing textarea") && n->first &&
	    n->first->type == LOAD_HTML_TEXT && n->first->text.len && n->first->text.ptr[0] == '\n')
		strbuf_addch(out, '\n');
}

static void write_open(const struct load_html_node *n, struct strbuf *out)
{
	switch (n->type) {
	case LOAD_HTML_ELEMENT:
		write_start_tag(n, out);
		break;
	case LOAD_HTML_TEXT:
		if (n->parent && is_raw(n->parent))
			strbuf_add(out, n->text.ptr, n->text.len);
		else
			write_escaped(out, n->text);
		break;
	case LOAD_HTML_COMMENT:
		strbuf_addf(out, "<!--%.*s-->", STR_FMT(n->text));
		break;
	case LOAD_HTML_DOCTYPE:
		strbuf_addf(out, "<!DOCTYPE %.*s>", STR_FMT(n->name));
		break;
	case LOAD_HTML_DOCUMENT:
		break;
	}
}

static void write_close(const struct load_html_node *n, struct strbuf *out)
{
	if (n->type == LOAD_HTML_ELEMENT && !is_void(n))
		strbuf_addf(out, "</%.*s>", STR_FMT(n->name));
}

void load_html_outer(const struct load_html_node *n, struct strbuf *out)
{
	const struct load_html_node *at = n;

	for (;;) {
		write_open(at, out);
		if (at->first) {
			at = at->first;
			continue;
		}
		write_close(at, out);
		while (at != n && !at->next) {
			at = at->parent;
			write_close(at, out);
		}
		if (at == n)
			return;
		at = at->next;
	}
}

void load_html_inner(const struct load_html_node *n, struct strbuf *out)
{
	for (const struct load_html_node *child = n->first; child; child = child->next)
		load_html_outer(child, out);
}
