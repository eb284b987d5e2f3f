/*
 * html_select.h - CSS selectors on a document, as k6's library has them (github.com/andybalholm/
 * cascadia): Selectors Level 3 without pseudo-elements and namespaces, [a!=v], i after a value, and
 *	:not() :is() :where() :has() :haschild() :contains() :containsown() :input :empty :root
 *	:link :lang() :enabled :disabled :checked :required :optional
 *	:first-child and its kin, :nth-child(an+b) and its kin
 * jQuery's :first, :eq() and the like are not selectors here either. [a#=re], :matches() and
 * :matchesown() are refused.
 */
#ifndef ASSAY_LOAD_K6_HTML_SELECT_H
#define ASSAY_LOAD_K6_HTML_SELECT_H

#include "load/k6/html_tree.h"

#define LOAD_HTML_SELECTOR_BYTES_MAX 4096

/* Tests of one element one search may make, so that a page that is made for it cannot hold a
 * worker: about a second. */
#define LOAD_HTML_STEPS_MAX UINT64_C(100000000)

enum html_test {
	HTML_TEST_ANY,
	HTML_TEST_TAG,
	HTML_TEST_ATTR,	   /* is there */
	HTML_TEST_EQUALS,  /* = */
	HTML_TEST_DIFFERS, /* != */
	HTML_TEST_WORD,	   /* ~= */
	HTML_TEST_DASH,	   /* |= */
	HTML_TEST_PREFIX,  /* ^= */
	HTML_TEST_SUFFIX,  /* $= */
	HTML_TEST_PART,	   /* *= */
	HTML_TEST_NOT,	   /* from here on: pseudo-classes */
	HTML_TEST_MATCHES, /* :is, :where */
	HTML_TEST_HAS,
	HTML_TEST_HAS_CHILD,
	HTML_TEST_CONTAINS,
	HTML_TEST_CONTAINS_OWN,
	HTML_TEST_LANG,
	HTML_TEST_NTH, /* :nth-child and all that can be said with it */
	HTML_TEST_ONLY,
	HTML_TEST_INPUT,
	HTML_TEST_EMPTY,
	HTML_TEST_ROOT,
	HTML_TEST_LINK,
	HTML_TEST_ENABLED,
	HTML_TEST_DISABLED,
	HTML_TEST_CHECKED,
	HTML_TEST_REQUIRED,
	HTML_TEST_OPTIONAL,
};

struct html_simple {
	enum html_test test;
	bool ignore_case;	     /* of attributes */
	bool from_end, of_type;	     /* of NTH, ONLY */
	int a, b;		     /* of NTH: a*n + b */
	struct str name, value;	     /* tag or attribute; its value, or the argument */
	struct load_html_group *sub; /* of NOT, MATCHES, HAS */
	struct html_simple *next;
};

struct html_compound {
	struct html_simple *tests;
	char combinator;	      /* between this and before: ' ', '>', '+', '~' */
	struct html_compound *before; /* NULL = the leftmost */
};

/* Alternatives: "a, b". */
struct load_html_group {
	struct html_compound *last; /* the rightmost compound of one alternative */
	struct load_html_group *next;
};

struct load_html_selector {
	struct arena arena;
	struct load_html_group *group;
};

/* 0; -EINVAL when text is no selector (which k6 takes for one that matches nothing); -ENOTSUP for
 * those refused. */
int load_html_selector_new(struct load_html_selector **ret, struct str text, struct error *reterr);
void load_html_selector_free(struct load_html_selector *s); /* NULL in, nothing done */
DEFINE_CLEANUP(load_html_selector, struct load_html_selector *, load_html_selector_free)

/* Does n, an element, match? *steps counts up; once above LOAD_HTML_STEPS_MAX nothing matches any
 * more. */
bool load_html_match(const struct load_html_selector *s, const struct load_html_node *n,
		     uint64_t *steps);

#endif
