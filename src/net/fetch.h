/*
 * fetch.h - one request at a time, blocking: for readiness, for comparing answers, for scraping. It
 * has a loop and a client of its own and keeps its connections. One thread at a time.
 */
#ifndef ASSAY_NET_FETCH_H
#define ASSAY_NET_FETCH_H

#include "net/client.h"

struct net_fetch;

int net_fetch_open(struct net_fetch **ret, struct error *reterr);
/* With settings for TLS; what they point to must outlive f. */
int net_fetch_open_tls(struct net_fetch **ret, const struct net_tls_opts *tls,
		       struct error *reterr);
void net_fetch_close(struct net_fetch *f); /* NULL in, nothing done */
DEFINE_CLEANUP(net_fetch, struct net_fetch *, net_fetch_close)

/*
 * Sends a request; the body is sent as JSON when there is one. Returns the HTTP status and appends
 * the body to *ret_body (at most 16 MB), or a negative errno when no whole answer came.
 */
int net_fetch_send(struct net_fetch *f, const char *method, const char *url, struct str body,
		   uint64_t timeout_ns, struct strbuf *ret_body, struct error *reterr);

/* The same with all that a request can have, but done and arg, which are ours. The response is the
 * caller's to free before f is closed; its error tells whether it came whole. */
struct net_response *net_fetch_request(struct net_fetch *f, const struct net_request *req);

#endif
