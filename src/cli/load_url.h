/*
 * load_url.h - `assay load URL`: what the flags say becomes a target (load_opts.target) and the
 * options that a script would have exported.
 */
#ifndef ASSAY_CLI_LOAD_URL_H
#define ASSAY_CLI_LOAD_URL_H

#include "cli/verb.h"
#include "load/load.h"

struct load_url_flags {
	double rate;			 /* arrivals per second; 0 = users */
	const char *vus, *duration;	 /* as given; NULL = not */
	const char *iterations, *stages; /* "10s:100,30s:500" */
	const char *method, *body, *body_file;
	uint64_t timeout_ns;
	struct opt_list headers, thresholds;
};

struct load_url {
	struct load_target target;
	VEC(struct load_pair) headers;
	struct strbuf body, options;
};

#define LOAD_URL_INIT                                                                              \
	{                                                                                          \
		.headers = VEC_INIT, .body = STRBUF_INIT, .options = STRBUF_INIT                   \
	}

/* Is it an address to be loaded, and not a file? */
bool load_url_is(const char *arg);

/* 0, or -EINVAL naming the flag. ret->target points into ret and into flags. */
int load_url_read(const char *url, const struct load_url_flags *f, struct load_url *ret,
		  struct error *reterr);
void load_url_release(struct load_url *u);

#endif
