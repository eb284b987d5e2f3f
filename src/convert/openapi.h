/*
 * openapi.h - a description of an HTTP interface (OpenAPI 3.0 and 3.1, Swagger 2.0; JSON or YAML)
 * into a k6 script: a function an operation, called in the order of the document, each with the
 * description's own examples or values made from its schemas, and a check of the status it
 * promises. The server and credentials are constants that the environment may set.
 */
#ifndef ASSAY_CONVERT_OPENAPI_H
#define ASSAY_CONVERT_OPENAPI_H

#include "convert/script.h"

struct convert_openapi_opts {
	/* tags, operationIds or paths; none = all */
	const char *const *only;
	size_t n_only;
	const char *const *skip;
	size_t n_skip;
};

/* name is that of the text in messages. -EINVAL with line and column, -E2BIG. */
int convert_openapi(struct str text, const char *name, const struct convert_openapi_opts *o,
		    struct convert_script *s, struct error *reterr);

#endif
