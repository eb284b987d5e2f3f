/* tls_server.h - servers of server.h over TLS, with certificates made on the spot. */
#ifndef ASSAY_TESTS_NET_TLS_SERVER_H
#define ASSAY_TESTS_NET_TLS_SERVER_H

#include <openssl/ssl.h>

#include "rig.h"

struct cert_spec {
	const char *names; /* subjectAltName: "DNS:localhost,IP:127.0.0.1" */
	long valid_s;	   /* from now; negative = expired */
};

struct cert {
	EVP_PKEY *key;
	X509 *x509;
	char file[64]; /* PEM; it is its own authority */
};

/* For localhost and 127.0.0.1, for an hour. */
extern const struct cert_spec good_cert;

void cert_make(struct cert *c, const struct cert_spec *spec);
void cert_release(struct cert *c);

struct tls_server {
	struct server server;
	struct cert cert;
	SSL_CTX *ctx;
	void (*serve)(SSL *ssl);
	pthread_mutex_t lock;
	char sni[64]; /* what the last client asked for */
	char alpn[16];
	atomic_int resumed;
};

/* serve is called with each connection whose handshake succeeded. t->ctx may be changed until the
 * first client comes. */
void tls_server_start(struct tls_server *t, const struct cert_spec *spec, void (*serve)(SSL *ssl));
void tls_server_stop(struct tls_server *t);

bool ssl_read_head(SSL *ssl);
void ssl_send(SSL *ssl, const void *data, size_t len);

/* Answers each request with REPLY. */
void serve_replies(SSL *ssl);

/* One request to https://host:port/; the response is the rig's. */
struct net_response *get_https(struct rig *b, const char *host, uint16_t port);

#endif
