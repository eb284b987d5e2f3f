/* tls_ocsp.h - what a server says of its certificate's standing during the handshake (RFC 6066 8).
 */
#ifndef ASSAY_NET_TLS_OCSP_H
#define ASSAY_NET_TLS_OCSP_H

#include "base/util.h"

struct ssl_st;

/* The texts are constant and k6's. Times are seconds since 1970, 0 when absent. */
struct net_ocsp {
	const char *status; /* "good", "revoked", "unknown"; NULL without TLS */
	const char *reason; /* of a revocation; NULL when none was given */
	int64_t produced_at, this_update, next_update, revoked_at;
};

/* Of an established connection; "unknown" when the server has sent nothing. The signature is not
 * checked. */
void net_ocsp_read(struct ssl_st *ssl, struct net_ocsp *ret);

#endif
