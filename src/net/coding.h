/*
 * coding.h - content codings (RFC 9110 8.4.1): gzip and deflate by zlib (RFC 1952, 1950; raw
 * deflate, which some servers send by that name, is taken too), br by brotli (RFC 7932), zstd (RFC
 * 8878).
 */
#ifndef ASSAY_NET_CODING_H
#define ASSAY_NET_CODING_H

#include "base/error.h"
#include "base/strbuf.h"

/*
 * Takes the codings of a list ("gzip, br": applied in this order) off *body, the last one first.
 * Names that are unknown stay on, with all that lie below them, and are no error. -EBADMSG when
 * the data is not of that coding or ends too early, -E2BIG when it grows beyond max_bytes; *body
 * then holds what it held.
 */
int net_coding_remove(struct str codings, size_t max_bytes, struct strbuf *body,
		      struct error *reterr);

/* Applies the codings of a list to *body. -EINVAL names one that is unknown. */
int net_coding_apply(struct str codings, struct strbuf *body, struct error *reterr);

#endif
