/* openapi_internal.h - a description while it is read; openapi*.c only. */
#ifndef ASSAY_CONVERT_OPENAPI_INTERNAL_H
#define ASSAY_CONVERT_OPENAPI_INTERNAL_H

#include "base/map.h"
#include "conf/conf.h"
#include "convert/openapi.h"

struct openapi {
	struct conf *conf;
	struct convert_script *script;
	bool swagger;	      /* version 2.0 */
	struct map functions; /* names so far */
	struct map constants; /* likewise */
};

struct openapi_operation {
	const struct conf_node *item, *node; /* of the path, and of the method below it */
	const char *path;
	struct strbuf method, title; /* title: "GET /pets/{id}" */
	struct strbuf optional;	     /* parameters that are left out: "query limit, header X-A" */
};

/* A child that is a text; NULL when it is not there or no scalar. */
const char *openapi_text(const struct conf_node *n, const char *key);

/* What n, or the $ref in it, stands for; NULL, with a note, when that is not in the document. */
const struct conf_node *openapi_resolve(struct openapi *o, const struct conf_node *n);

/* Appends a constant's mark to out; its line, with the comment, is written once. */
void openapi_constant(struct openapi *o, struct strbuf *out, const char *name, const char *value,
		      const char *comment);

/* openapi_example.c: appends JSON that a schema allows; schema may be NULL. */
void openapi_example(struct openapi *o, const struct conf_node *schema, struct strbuf *out);

/* The example of a parameter or a media type: "example" or the first of "examples"; or NULL. */
const struct conf_node *openapi_given(struct openapi *o, const struct conf_node *n);

/* A value that the document gives, as JSON. */
void openapi_value(const struct conf_node *value, struct strbuf *out);

/* The texts of a scalar or of a list's elements, as a URL or a form has them. */
struct openapi_texts {
	VEC(struct strbuf) list;
};

void openapi_texts(struct openapi *o, const struct conf_node *given, const struct conf_node *schema,
		   struct openapi_texts *ret);
void openapi_texts_release(struct openapi_texts *t);

/* openapi_request.c */
int openapi_request(struct openapi *o, struct openapi_operation *op, struct convert_request *ret,
		    struct error *reterr);

#endif
