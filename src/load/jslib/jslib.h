/*
 * jslib.h - the modules that scripts import from the network and assay carries: own ones with the
 * interface of k6's jslib, and well-kept libraries (tools/jslib). Any version of an address gives
 * the one that is here.
 */
#ifndef ASSAY_LOAD_JSLIB_H
#define ASSAY_LOAD_JSLIB_H

#include "base/str.h"

/* The source behind an address; ptr is NULL when it is none of these. */
struct str load_jslib_find(const char *url);

/* "k6-utils, k6-summary, …": what there is, for messages. */
const char *load_jslib_names(void);

#endif
