/*
 * TLS by OpenSSL, as a stream layer on top of the socket layer: a BIO of our own passes bytes
 * between them, so that writes never raise SIGPIPE (OpenSSL's socket BIO uses write()) and bytes on
 * the wire are counted in one place.
 *
 * Read-ahead is on: one read() takes all records that have come, where OpenSSL would ask twice for
 * each. Certificates are looked up in OpenSSL's default place; a static binary in a container of
 * another make finds them where distributions keep them.
 */
#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/addr.h"
#include "net/stream.h"

struct net_tls {
	SSL_CTX *ctx;
	const struct net_tls_auth *auth;
	BIO_METHOD *bio_method;
};

/* --- the BIO between the layers --- */

static int bio_read(BIO *bio, char *buf, int len)
{
	ssize_t n = net_tcp_read(BIO_get_data(bio), buf, (size_t)len);

	BIO_clear_retry_flags(bio);
	if (n == -EAGAIN)
		BIO_set_retry_read(bio);
	if (n < 0)
		errno = (int)-n;
	return n < 0 ? -1 : (int)n;
}

static int bio_write(BIO *bio, const char *buf, int len)
{
	struct iovec iov = { (char *)(uintptr_t)buf, (size_t)len };
	ssize_t n = net_tcp_write(BIO_get_data(bio), &iov, 1);

	BIO_clear_retry_flags(bio);
	if (n == -EAGAIN)
		BIO_set_retry_write(bio);
	if (n < 0)
		errno = (int)-n;
	return n < 0 ? -1 : (int)n;
}

static long bio_ctrl(BIO *bio UNUSED, int command, long num UNUSED, void *ptr UNUSED)
{
	return command == BIO_CTRL_FLUSH ? 1 : 0;
}

/* --- settings --- */

static const char *const bundles[] = {
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/ssl/cert.pem",
};

static void load_system_authorities(SSL_CTX *ctx)
{
	SSL_CTX_set_default_verify_paths(ctx);
	if (access(X509_get_default_cert_dir(), R_OK) == 0 ||
	    access(X509_get_default_cert_file(), R_OK) == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(bundles); i++)
		if (access(bundles[i], R_OK) == 0 &&
		    SSL_CTX_load_verify_locations(ctx, bundles[i], NULL) == 1)
			return;
}

/* OpenSSL's own words for the oldest error of this thread, and forgets the others. */
static const char *last_words(void)
{
	unsigned long code = ERR_get_error();
	const char *words = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	return words ? words : "unknown error";
}

/* The server asks for a certificate. */
static int choose_certificate(SSL *ssl, void *arg)
{
	const struct net_tls *tls = arg;
	const struct net_stream *s = SSL_get_app_data(ssl);

	return net_tls_auth_choose(tls->auth, ssl, s->tls_host);
}

/* A session, or a ticket for one, came; with TLS 1.3 that is after the handshake. */
static int keep_session(SSL *ssl, SSL_SESSION *session)
{
	struct net_stream *s = SSL_get_app_data(ssl);

	if (!s->tls_session)
		return 0;
	SSL_SESSION_free(*s->tls_session);
	*s->tls_session = session;
	return 1;
}

static int number_of(enum net_tls_version v)
{
	static const int numbers[] = { 0, TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION,
				       TLS1_3_VERSION };

	return numbers[v];
}

/* Whoever asks for old versions or ciphers wants them in spite of the library's level of safety. */
static int set_limits(SSL_CTX *ctx, const struct net_tls_opts *o, struct error *reterr)
{
	enum net_tls_version min = o->min_version;

	if (!min)
		min = o->max_version && o->max_version < NET_TLS_1_2 ? NET_TLS_1_0 : NET_TLS_1_2;
	if (min < NET_TLS_1_2 || o->ciphers)
		SSL_CTX_set_security_level(ctx, 0);
	SSL_CTX_set_min_proto_version(ctx, number_of(min));
	SSL_CTX_set_max_proto_version(ctx, number_of(o->max_version)); /* 0 = any */
	if (o->ciphers && SSL_CTX_set_cipher_list(ctx, o->ciphers) != 1)
		return error_set(reterr, -EINVAL, "cipher suites %s: %s", o->ciphers, last_words());
	if (o->ciphers13 && SSL_CTX_set_ciphersuites(ctx, o->ciphers13) != 1)
		return error_set(reterr, -EINVAL, "cipher suites %s: %s", o->ciphers13,
				 last_words());
	return 0;
}

static int set_up(struct net_tls *tls, const struct net_tls_opts *opts, struct error *reterr)
{
	tls->bio_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "net_stream");
	tls->ctx = SSL_CTX_new(TLS_client_method());
	if (!tls->bio_method || !tls->ctx)
		return error_set(reterr, -ENOMEM, "setting up TLS: %s", last_words());
	BIO_meth_set_read(tls->bio_method, bio_read);
	BIO_meth_set_write(tls->bio_method, bio_write);
	BIO_meth_set_ctrl(tls->bio_method, bio_ctrl);
	SSL_CTX_set_mode(tls->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
					   SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					   SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(tls->ctx,
				       SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(tls->ctx, keep_session);
	SSL_CTX_set_read_ahead(tls->ctx, 1);
	SSL_CTX_set_verify(tls->ctx, opts->insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_tlsext_status_type(tls->ctx, TLSEXT_STATUSTYPE_ocsp);
	tls->auth = opts->auth;
	if (tls->auth)
		SSL_CTX_set_cert_cb(tls->ctx, choose_certificate, tls);
	if (set_limits(tls->ctx, opts, reterr) < 0)
		return -EINVAL;
	if (opts->insecure)
		return 0;
	if (!opts->ca_file)
		load_system_authorities(tls->ctx);
	else if (SSL_CTX_load_verify_locations(tls->ctx, opts->ca_file, NULL) != 1)
		return error_set(reterr, -EINVAL,
				 "reading authorities from %s: %s; expected certificates in PEM",
				 opts->ca_file, last_words());
	return 0;
}

int net_tls_new(struct net_tls **ret, const struct net_tls_opts *opts, struct error *reterr)
{
	struct net_tls *tls = xcalloc(1, sizeof(*tls));
	int r = set_up(tls, opts, reterr);

	if (r < 0) {
		net_tls_free(tls);
		return r;
	}
	*ret = tls;
	return 0;
}

void net_tls_free(struct net_tls *tls)
{
	if (!tls)
		return;
	SSL_CTX_free(tls->ctx);
	BIO_meth_free(tls->bio_method);
	free(tls);
}

/* --- failures --- */

static enum net_err kind_of_verify(long verify)
{
	switch (verify) {
	case X509_V_ERR_HOSTNAME_MISMATCH:
	case X509_V_ERR_IP_ADDRESS_MISMATCH:
		return NET_ERR_TLS_HOSTNAME;
	case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
	case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
	case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
	case X509_V_ERR_CERT_UNTRUSTED:
		return NET_ERR_TLS_AUTHORITY;
	default:
		return NET_ERR_TLS;
	}
}

static enum net_err kind_of_reason(int reason)
{
	switch (reason) {
	case SSL_R_WRONG_VERSION_NUMBER:
	case SSL_R_HTTP_REQUEST:
	case SSL_R_PACKET_LENGTH_TOO_LONG:
	case SSL_R_RECORD_LENGTH_MISMATCH:
	case SSL_R_UNEXPECTED_MESSAGE:
		return NET_ERR_TLS_RECORD;
	default:
		return NET_ERR_TLS;
	}
}

/* SSL_ERROR_SSL: what the certificate check said, or what the error queue says. */
static int protocol_failure(struct net_stream *s, struct error *reterr)
{
	long verify = SSL_get_verify_result(s->ssl);

	if (verify != X509_V_OK && SSL_get_verify_mode(s->ssl) != SSL_VERIFY_NONE) {
		s->tls_error = kind_of_verify(verify);
		ERR_clear_error();
		return error_set(reterr, -EPROTO, "the certificate was refused: %s",
				 X509_verify_cert_error_string(verify));
	}
	s->tls_error = kind_of_reason(ERR_GET_REASON(ERR_peek_error()));
	return error_set(reterr, -EPROTO, "%s", last_words());
}

/* What SSL_get_error() means for the caller: 0 = the end, -EAGAIN, or a failure. */
static int result_of(struct net_stream *s, int r, struct error *reterr)
{
	int code = errno;

	switch (SSL_get_error(s->ssl, r)) {
	case SSL_ERROR_WANT_READ:
		s->wants = EPOLLIN;
		return -EAGAIN;
	case SSL_ERROR_WANT_WRITE:
		s->wants = EPOLLOUT;
		return -EAGAIN;
	case SSL_ERROR_ZERO_RETURN:
		return 0;
	case SSL_ERROR_SYSCALL:
		/* Without an errno: closed without TLS's goodbye, as many servers do. HTTP's
		 * framing tells whether something is missing. */
		ERR_clear_error();
		return code ? error_errno(reterr, -code, "the connection broke") : 0;
	default:
		return protocol_failure(s, reterr);
	}
}

/* --- the layer --- */

static int handshake(struct net_stream *s, struct error *reterr)
{
	int r;

	ERR_clear_error();
	errno = 0;
	r = SSL_connect(s->ssl);
	if (r == 1)
		return 0;
	r = result_of(s, r, reterr);
	if (r)
		return r;
	s->tls_error = NET_ERR_CLOSED;
	return error_set(reterr, -EPROTO, "the server closed the connection");
}

static ssize_t tls_read(struct net_stream *s, void *buf, size_t len)
{
	size_t n;

	ERR_clear_error();
	errno = 0;
	if (SSL_read_ex(s->ssl, buf, len, &n) == 1)
		return (ssize_t)n;
	return result_of(s, 0, NULL);
}

/* One part at a time: TLS has no gathering write. */
static ssize_t tls_write(struct net_stream *s, const struct iovec *iov, int n UNUSED)
{
	size_t sent;
	int r;

	ERR_clear_error();
	errno = 0;
	if (SSL_write_ex(s->ssl, iov->iov_base, iov->iov_len, &sent) == 1)
		return (ssize_t)sent;
	r = result_of(s, 0, NULL);
	return r ? r : -EPIPE;
}

static bool has_pending(const struct net_stream *s)
{
	return SSL_has_pending(s->ssl) == 1;
}

static void tls_close(struct net_stream *s)
{
	ERR_clear_error();
	if (SSL_is_init_finished(s->ssl))
		SSL_shutdown(s->ssl);
	ERR_clear_error();
	SSL_free(s->ssl);
	s->ssl = NULL;
	net_tcp_close(s);
}

static const struct net_stream_ops tls_ops = {
	.handshake = handshake,
	.read = tls_read,
	.write = tls_write,
	.has_pending = has_pending,
	.close = tls_close,
};

static int set_name(SSL *ssl, struct str host)
{
	CLEANUP(mem_cleanup) char *name = str_dup(host);
	struct net_addr addr;

	if (net_addr_parse(&addr, host, 0) == 0)
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name);
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	return SSL_set_tlsext_host_name(ssl, name) == 1 && SSL_set1_host(ssl, name) == 1;
}

static void offer(SSL *ssl, enum net_alpn alpn)
{
	static const struct str offers[] = { [NET_ALPN_ANY] = STR("\x02h2\x08http/1.1"),
					     [NET_ALPN_HTTP1] = STR("\x08http/1.1"),
					     [NET_ALPN_H2] = STR("\x02h2") };
	struct str o = offers[alpn];

	SSL_set_alpn_protos(ssl, (const unsigned char *)o.ptr, (unsigned)o.len);
}

bool net_tls_agreed_h2(const struct net_stream *s)
{
	const unsigned char *name = NULL;
	unsigned len = 0;

	SSL_get0_alpn_selected(s->ssl, &name, &len);
	return str_eq((struct str){ (const char *)name, len }, STR("h2"));
}

int net_tls_attach(struct net_tls *tls, struct net_stream *s, struct str host, enum net_alpn alpn,
		   struct error *reterr)
{
	SSL *ssl = SSL_new(tls->ctx);
	BIO *bio = ssl ? BIO_new(tls->bio_method) : NULL;

	if (!bio || set_name(ssl, host) != 1) {
		BIO_free(bio);
		SSL_free(ssl);
		return error_set(reterr, -ENOMEM, "setting up TLS: %s", last_words());
	}
	offer(ssl, alpn);
	SSL_set_options(ssl, SSL_OP_NO_TICKET);
	BIO_set_data(bio, s);
	BIO_set_init(bio, 1);
	SSL_set_bio(ssl, bio, bio);
	SSL_set_app_data(ssl, s);
	s->tls_host = host;
	s->ssl = ssl;
	s->ops = &tls_ops;
	return 0;
}

void net_tls_resume(struct net_stream *s, struct ssl_session_st **slot)
{
	SSL_clear_options(s->ssl, SSL_OP_NO_TICKET);
	if (*slot)
		SSL_set_session(s->ssl, *slot);
	s->tls_session = slot;
}

bool net_tls_resumed(const struct net_stream *s)
{
	return s->ssl && SSL_session_reused(s->ssl);
}

void net_tls_session_free(struct ssl_session_st *session)
{
	SSL_SESSION_free(session);
}

const char *net_tls_version(const struct net_stream *s)
{
	return s->ssl ? SSL_get_version(s->ssl) : NULL;
}

const char *net_tls_cipher(const struct net_stream *s)
{
	const SSL_CIPHER *cipher = s->ssl ? SSL_get_current_cipher(s->ssl) : NULL;

	return cipher ? SSL_CIPHER_standard_name(cipher) : NULL;
}

void net_tls_ocsp(const struct net_stream *s, struct net_ocsp *ret)
{
	*ret = (struct net_ocsp){ 0 };
	if (s->ssl)
		net_ocsp_read(s->ssl, ret);
}
