/* tls_cipher.h - lists of cipher suites by their IANA names, as OpenSSL wants them. */
#ifndef ASSAY_NET_TLS_CIPHER_H
#define ASSAY_NET_TLS_CIPHER_H

#include "base/error.h"
#include "base/strbuf.h"

/* Suites of TLS 1.3 and those before it: OpenSSL keeps two lists with ":" between the names. */
struct net_tls_ciphers {
	struct strbuf tls12, tls13;
};

/*
 * Adds "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" and the like; Go's shorter
 * "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305" as well. One that the library was built without (RC4) is
 * left out. -EINVAL when there is no such suite.
 */
int net_tls_ciphers_add(struct net_tls_ciphers *c, struct str name, struct error *reterr);
void net_tls_ciphers_release(struct net_tls_ciphers *c);

#endif
