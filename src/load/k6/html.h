/* html.h - what the parts of the module "k6/html" share, and what responses need of it. */
#ifndef ASSAY_LOAD_K6_HTML_H
#define ASSAY_LOAD_K6_HTML_H

#include "js/engine.h"
#include "load/k6/html_walk.h"

/* Defines the classes in a context; again, nothing. 0, or -1 with an exception. */
int load_html_setup(JSContext *ctx);

/* Parses; NULL with an exception. The caller drops the reference. */
struct load_html_doc *load_html_doc_new(JSContext *ctx, struct str text, const char *url);

/* A Selection. The nodes are taken over, prev (what end() gives) and doc are referenced. */
JSValue load_html_selection(JSContext *ctx, struct load_html_doc *doc, struct load_html_list *nodes,
			    JSValueConst prev);

/* The whole document as a Selection, or what selector finds in it if it is not undefined. */
JSValue load_html_document(JSContext *ctx, struct load_html_doc *doc, JSValueConst selector);

/* The nodes of a Selection object; NULL when v is none. */
const struct load_html_list *load_html_list_of(JSValueConst v);

/* An Element; undefined when n is NULL. doc is referenced. */
JSValue load_html_element(JSContext *ctx, struct load_html_doc *doc,
			  const struct load_html_node *n);

/* The node of an Element object; NULL when v is none. */
struct load_html_node *load_html_node_of(JSValueConst v, struct load_html_doc **ret_doc);

/* Compiles a script's selector. 1, 0 when it is one that matches nothing, -1 with an exception. */
int load_html_selector_of(JSContext *ctx, JSValueConst v, struct load_html_selector **ret);

/* Throws when a search took too many steps: -1, else 0. */
int load_html_check(JSContext *ctx, uint64_t steps);

/* Values of nodes. */
JSValue load_html_attr_value(JSContext *ctx, const struct load_html_node *n, const char *name);
JSValue load_html_inner_value(JSContext *ctx, const struct load_html_node *n);
JSValue load_html_text_value(JSContext *ctx, const struct load_html_node *n);
JSValue load_html_val(JSContext *ctx, const struct load_html_node *n);

/* Methods of Selection that live in a file of their own. */
JSValue load_html_data(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);
JSValue load_html_serialize(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);
JSValue load_html_serialize_array(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);
JSValue load_html_serialize_object(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);

/* Defines the class of elements in a new context. */
void load_html_element_setup(JSContext *ctx);

/* Adds to the prototype of a tag's elements what only they have. */
void load_html_typed(JSContext *ctx, JSValueConst proto, const struct load_html_node *n);
void load_html_typed_attrs(JSContext *ctx, JSValueConst proto, const struct load_html_node *n);

/* An attribute as a URL, made absolute if the page's own is known; appends to *out. False when it
 * is not there. */
bool load_html_url(const struct load_html_doc *doc, const struct load_html_node *n,
		   const char *name, struct strbuf *out);

#endif
