/* curl_internal.h - a curl command while it is read; curl.c and curl_options.c only. */
#ifndef ASSAY_CONVERT_CURL_INTERNAL_H
#define ASSAY_CONVERT_CURL_INTERNAL_H

#include "convert/curl.h"
#include "convert/words.h"

/* What the options of one transfer (up to --next) said. */
struct curl_state {
	const char *name;
	struct convert_script *script;
	struct convert_request request;
	VEC(struct strbuf) urls;
	VEC(struct str) removed; /* headers that must not be sent: borrowed from words */
	struct strbuf user;
	const struct convert_word *word; /* being read, for messages */
	struct error *reterr;
	bool get, head, form, json, follow, compressed, basic, globoff;
	int max_redirects;	     /* -1 = not said */
	const struct strbuf *bearer; /* borrowed */
	const struct strbuf *upload; /* the file of -T */
};

struct curl_option {
	const char *name; /* without "--" */
	char letter;
	bool takes; /* a value */
	/* NULL: it does not change what is sent */
	int (*take)(struct curl_state *c, const struct curl_option *o, const struct strbuf *value);
	bool *(*flag)(struct curl_state *c);
	bool note; /* it does, and the script has no such thing */
};

/* An error at the word being read. */
int curl_refuse(const struct curl_state *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

const struct curl_option *curl_option_by_name(struct str name);
const struct curl_option *curl_option_by_letter(char letter);
const char *curl_option_near(const char *name);

#endif
