/* har_internal.h - an archive while it is read; har.c and har_request.c only. */
#ifndef ASSAY_CONVERT_HAR_INTERNAL_H
#define ASSAY_CONVERT_HAR_INTERNAL_H

#include "base/map.h"
#include "conf/conf.h"
#include "convert/har.h"

struct har_entry {
	const struct conf_node *node, *request;
	const char *method, *url, *page; /* borrowed from the tree; page may be NULL */
	int status;
	double start_ms, end_ms; /* NAN = not known */
	size_t index;
};

struct har {
	struct conf *conf;
	const struct convert_har_opts *opts;
	struct convert_script *script;
	const struct conf_node *pages; /* NULL = none */
	VEC(struct har_entry) entries; /* those to be sent */
	bool timed;
	struct map cookies; /* names that answers so far have set */
	bool has_common;
	struct map common; /* "name: value" of headers that are in all requests */
};

/* A child that is a text; NULL when it is not there or not one. */
const char *har_text(const struct conf_node *n, const char *key);

/* har_request.c */
int har_request(struct har *h, const struct har_entry *e, struct convert_request *ret,
		struct error *reterr);

/* After a request has been written: the cookies its answer set are the jar's from now on. */
void har_learn_cookies(struct har *h, const struct har_entry *e);

/* Headers that are alike in all requests become one constant. */
void har_common_headers(struct har *h);

#endif
