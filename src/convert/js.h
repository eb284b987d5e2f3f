/*
 * js.h - pieces of JavaScript as text: strings, keys, comments, names, objects. What is given may
 * be any bytes; what comes out is valid JavaScript whatever they are, and stands for them exactly.
 */
#ifndef ASSAY_CONVERT_JS_H
#define ASSAY_CONVERT_JS_H

#include "base/strbuf.h"

/* In text, a variable of the environment: BEGIN NAME END. Neither byte occurs in UTF-8. */
#define CONVERT_VAR_BEGIN '\xfe'
#define CONVERT_VAR_END	  '\xff'
/* First in NAME: it is a constant of the script instead. */
#define CONVERT_VAR_CONSTANT '='

/* A string: 'text', or `text` when it has variables or several lines. Bytes that are not UTF-8
 * become U+FFFD. */
void convert_js_string(struct strbuf *sb, struct str s);

/* A property's name: bare when that is allowed. */
void convert_js_key(struct strbuf *sb, struct str name);

/* Comment lines, each with so many blanks in front; the text may have line ends. */
void convert_js_comment(struct strbuf *sb, unsigned indent, struct str text);

/* A name for a function made of any text: "get pets by id" -> getPetsById; never empty, never a
 * reserved word. */
void convert_js_name(struct strbuf *sb, struct str text);

void convert_js_indent(struct strbuf *sb, unsigned blanks);

#endif
