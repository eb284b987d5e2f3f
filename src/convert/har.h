/*
 * har.h - an HTTP archive (HAR 1.2, as browsers' developer tools save it) into a k6 script: its
 * requests in the order they began, a group a page, each answer's status as a check. Cookies that
 * an answer of the recording set are left to the script's jar, headers that a client makes itself
 * to the client.
 */
#ifndef ASSAY_CONVERT_HAR_H
#define ASSAY_CONVERT_HAR_H

#include "convert/script.h"

struct convert_har_opts {
	/* names of hosts, "*.example.com" with all below it; none = all */
	const char *const *only;
	size_t n_only;
	const char *const *skip;
	size_t n_skip;
	bool no_static; /* leave out pictures, styles, scripts, fonts and media */
	bool think;	/* pause as long as between the recorded requests */
};

/* name is that of the text in messages. -EINVAL with line and column, -E2BIG. */
int convert_har(struct str text, const char *name, const struct convert_har_opts *o,
		struct convert_script *s, struct error *reterr);

#endif
