/*
 * tls_auth.h - certificates that a client shows to servers that ask for one, with the names they
 * are for. Built once; after that any thread may use it.
 */
#ifndef ASSAY_NET_TLS_AUTH_H
#define ASSAY_NET_TLS_AUTH_H

#include "base/error.h"
#include "base/str.h"

struct ssl_st;
struct net_tls_auth;

struct net_tls_auth *net_tls_auth_new(void);
void net_tls_auth_free(struct net_tls_auth *a); /* NULL in, nothing done */

/*
 * Adds a certificate (PEM; those of its issuers may follow it) and its key (PEM; the password is
 * used when it is encrypted, NULL = none). -EINVAL with OpenSSL's reason, also when the two do not
 * belong together.
 */
int net_tls_auth_add(struct net_tls_auth *a, struct str cert, struct str key, const char *password,
		     struct error *reterr);

/* The last one added is for this name: "api.example.com", "*.example.com", an address. */
void net_tls_auth_add_domain(struct net_tls_auth *a, struct str domain);

/*
 * Gives the connection the certificate to show: one that is for the host, else one that is for no
 * name in particular, else any; among these the first by an issuer the server takes. None, when
 * there is none such. Returns what SSL_CTX_set_cert_cb() wants: 1, 0 on failure.
 */
int net_tls_auth_choose(const struct net_tls_auth *a, struct ssl_st *ssl, struct str host);

#endif
