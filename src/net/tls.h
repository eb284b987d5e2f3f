/*
 * tls.h - TLS settings of a thread's clients (OpenSSL) and the stream layer made from them. The
 * system's authorities are trusted unless ca_file names others. Every handshake is a full one:
 * resuming sessions would flatter short connections.
 */
#ifndef ASSAY_NET_TLS_H
#define ASSAY_NET_TLS_H

#include "base/error.h"
#include "base/str.h"
#include "net/err.h"
#include "net/tls_auth.h"
#include "net/tls_ocsp.h"

struct net_tls;
struct net_stream;

enum net_tls_version { NET_TLS_DEFAULT, NET_TLS_1_0, NET_TLS_1_1, NET_TLS_1_2, NET_TLS_1_3 };

struct net_tls_opts {
	bool insecure;				       /* take any certificate */
	const char *ca_file;			       /* PEM; NULL = the system's */
	enum net_tls_version min_version, max_version; /* default: from 1.2 on */
	const char *ciphers, *ciphers13; /* as tls_cipher.h makes them; NULL = the library's */
	const struct net_tls_auth *auth; /* must outlive the clients; NULL = no certificate */
};

int net_tls_new(struct net_tls **ret, const struct net_tls_opts *opts, struct error *reterr);
void net_tls_free(struct net_tls *tls);

/*
 * Puts TLS on top of a connected stream; go on with net_stream_handshake(). host is the name (or
 * numeric address) to ask for and to check; it must stay until the handshake is over.
 */
int net_tls_attach(struct net_tls *tls, struct net_stream *s, struct str host,
		   struct error *reterr);

/* What was agreed on, "TLSv1.3" and the cipher's IANA name; NULL without TLS. Constant texts. */
const char *net_tls_version(const struct net_stream *s);
const char *net_tls_cipher(const struct net_stream *s);

/* What the server said of its certificate; all zero without TLS. */
void net_tls_ocsp(const struct net_stream *s, struct net_ocsp *ret);

#endif
