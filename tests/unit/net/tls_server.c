#include "tls_server.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- certificates --- */

const struct cert_spec good_cert = { "DNS:localhost,IP:127.0.0.1", 3600 };

static void add_extension(X509 *x, int nid, const char *value)
{
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	ASSERT_TRUE(e && X509_add_ext(x, e, -1));
	X509_EXTENSION_free(e);
}

void cert_make(struct cert *c, const struct cert_spec *spec)
{
	X509 *x = X509_new();
	FILE *f;
	int fd;

	c->key = EVP_EC_gen("P-256");
	c->x509 = x;
	ASSERT_TRUE(c->key && x);
	X509_set_version(x, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
	X509_gmtime_adj(X509_getm_notBefore(x), -7200);
	X509_gmtime_adj(X509_getm_notAfter(x), spec->valid_s);
	X509_set_pubkey(x, c->key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
				   (const unsigned char *)"assay test", -1, -1, 0);
	X509_set_issuer_name(x, X509_get_subject_name(x));
	add_extension(x, NID_basic_constraints, "critical,CA:TRUE");
	add_extension(x, NID_subject_alt_name, spec->names);
	ASSERT_TRUE(X509_sign(x, c->key, EVP_sha256()) > 0);
	snprintf(c->file, sizeof(c->file), "/tmp/assay-test-XXXXXX");
	ASSERT_OK(fd = mkstemp(c->file));
	f = fdopen(fd, "w");
	ASSERT_TRUE(f && PEM_write_X509(f, x));
	fclose(f);
}

void cert_release(struct cert *c)
{
	unlink(c->file);
	X509_free(c->x509);
	EVP_PKEY_free(c->key);
}

/* --- a TLS server --- */

static int note_sni(SSL *ssl, int *alert, void *arg)
{
	const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
	struct tls_server *t = arg;

	*alert = 0;
	pthread_mutex_lock(&t->lock);
	snprintf(t->sni, sizeof(t->sni), "%s", name ? name : "");
	pthread_mutex_unlock(&t->lock);
	return SSL_TLSEXT_ERR_OK;
}

/* Takes "http/1.1" among what is offered; the list is kept as "h2,http/1.1". */
static int note_alpn(SSL *ssl UNUSED, const unsigned char **out, unsigned char *out_len,
		     const unsigned char *in, unsigned in_len, void *arg)
{
	struct tls_server *t = arg;
	int r = SSL_TLSEXT_ERR_NOACK;
	size_t used = 0;

	pthread_mutex_lock(&t->lock);
	for (unsigned i = 0; i < in_len; i += 1 + in[i]) {
		used += (size_t)snprintf(t->alpn + used, sizeof(t->alpn) - used, "%s%.*s",
					 i ? "," : "", in[i], (const char *)in + i + 1);
		if (in[i] != 8 || memcmp(in + i + 1, "http/1.1", 8) != 0)
			continue;
		*out = in + i + 1;
		*out_len = in[i];
		r = SSL_TLSEXT_ERR_OK;
	}
	pthread_mutex_unlock(&t->lock);
	return r;
}

static void serve_tls(struct connection *c)
{
	const struct tls_server *t = c->server->arg;
	SSL *ssl = SSL_new(t->ctx);

	SSL_set_fd(ssl, c->fd);
	if (SSL_accept(ssl) == 1)
		t->serve(ssl);
	SSL_free(ssl);
	ERR_clear_error();
}

void tls_server_start(struct tls_server *t, const struct cert_spec *spec, void (*serve)(SSL *ssl))
{
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->lock, NULL);
	cert_make(&t->cert, spec);
	t->serve = serve;
	t->ctx = SSL_CTX_new(TLS_server_method());
	ASSERT_INT(SSL_CTX_use_certificate(t->ctx, t->cert.x509), 1);
	ASSERT_INT(SSL_CTX_use_PrivateKey(t->ctx, t->cert.key), 1);
	SSL_CTX_set_tlsext_servername_callback(t->ctx, note_sni);
	SSL_CTX_set_tlsext_servername_arg(t->ctx, t);
	SSL_CTX_set_alpn_select_cb(t->ctx, note_alpn, t);
	server_start(&t->server, serve_tls, t);
}

void tls_server_stop(struct tls_server *t)
{
	server_stop(&t->server);
	SSL_CTX_free(t->ctx);
	cert_release(&t->cert);
}

bool ssl_read_head(SSL *ssl)
{
	char head[4096] = "";
	size_t n = 0, got;

	while (n + 1 < sizeof(head) && SSL_read_ex(ssl, head + n, 1, &got) == 1) {
		head[++n] = '\0';
		if (strstr(head, "\r\n\r\n"))
			return true;
	}
	return false;
}

void ssl_send(SSL *ssl, const void *data, size_t len)
{
	size_t n;

	SSL_write_ex(ssl, data, len, &n);
}

void serve_replies(SSL *ssl)
{
	while (ssl_read_head(ssl))
		ssl_send(ssl, REPLY, strlen(REPLY));
}

struct net_response *get_https(struct rig *b, const char *host, uint16_t port)
{
	unsigned before = b->done;
	char url[64];

	snprintf(url, sizeof(url), "https://%s:%u/", host, port);
	rig_begin(b, url, (struct net_request){ 0 });
	return rig_wait(b, before + 1);
}
