/*
 * auth.h - answers to a server's challenge: Digest (RFC 7616; also the older RFC 2069 form without
 * qop) and NTLM (Microsoft's MS-NLMP, version 2 of the response), as values for the field
 * Authorization.
 */
#ifndef ASSAY_NET_AUTH_H
#define ASSAY_NET_AUTH_H

#include "base/error.h"
#include "base/strbuf.h"

struct net_auth_digest {
	struct str user, password; /* decoded */
	struct str method, target; /* of the request: the target as it is sent */
	struct str body;	   /* for qop=auth-int */
	const char *cnonce;	   /* the client's nonce; of digits and letters */
};

/*
 * Appends the answer to a WWW-Authenticate value ("Digest realm=..., nonce=..."). -EINVAL when it
 * is no such challenge, -ENOTSUP for an algorithm other than MD5, SHA-256, SHA-512-256 and their
 * -sess.
 */
int net_auth_digest(struct str challenge, const struct net_auth_digest *with, struct strbuf *out,
		    struct error *reterr);

/* Appends "NTLM ..." with the first message, which opens the talk. */
void net_auth_ntlm_open(struct strbuf *out);

struct net_auth_ntlm {
	struct str user, password; /* UTF-8; the user may be DOMAIN\name */
	uint64_t filetime;	   /* 100 ns since 1601 */
	unsigned char nonce[8];	   /* the client's */
};

/*
 * Appends "NTLM ..." with the answer to the server's message in a WWW-Authenticate value. -EINVAL
 * when that is none.
 */
int net_auth_ntlm(struct str challenge, const struct net_auth_ntlm *with, struct strbuf *out,
		  struct error *reterr);

#endif
