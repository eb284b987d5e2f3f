/*
 * tls.h - TLS settings of a thread's clients (OpenSSL) and the stream layer made from them. The
 * system's authorities are trusted unless ca_file names others. Every handshake is a full one
 * unless net_tls_resume() is called: resuming sessions flatters short connections.
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
struct ssl_session_st; /* OpenSSL's SSL_SESSION */

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

/* What the server may choose from for the talk on top (RFC 7301). */
enum net_alpn { NET_ALPN_ANY, NET_ALPN_HTTP1, NET_ALPN_H2 };

/*
 * Puts TLS on top of a connected stream; go on with net_stream_handshake(). host is the name (or
 * numeric address) to ask for and to check; it must stay until the handshake is over.
 */
int net_tls_attach(struct net_tls *tls, struct net_stream *s, struct str host, enum net_alpn alpn,
		   struct error *reterr);

/*
 * After net_tls_attach(): continue the session in *slot, if there is one, and keep there what the
 * server gives for the next time. The slot must outlive the stream.
 */
void net_tls_resume(struct net_stream *s, struct ssl_session_st **slot);
bool net_tls_resumed(const struct net_stream *s);
void net_tls_session_free(struct ssl_session_st *session); /* NULL in, nothing done */

/* Was HTTP/2 agreed on? */
bool net_tls_agreed_h2(const struct net_stream *s);

/* What was agreed on, "TLSv1.3" and the cipher's IANA name; NULL without TLS. Constant texts. */
const char *net_tls_version(const struct net_stream *s);
const char *net_tls_cipher(const struct net_stream *s);

/* What the server said of its certificate; all zero without TLS. */
void net_tls_ocsp(const struct net_stream *s, struct net_ocsp *ret);

#endif
