/*
 * curl.h - curl commands into a k6 script: one or several, as a shell takes them or as browsers
 * copy them ("copy as cURL", for bash). What curl does and the script cannot do is noted; an option
 * that curl does not have is an error with its place.
 */
#ifndef ASSAY_CONVERT_CURL_H
#define ASSAY_CONVERT_CURL_H

#include "convert/script.h"

#define CONVERT_CURL_MAX_BYTES (8u << 20)

/* name is that of the text in messages. -EINVAL, -E2BIG. */
int convert_curl(struct str text, const char *name, struct convert_script *s, struct error *reterr);

#endif
