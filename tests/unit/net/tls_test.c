/* The client over TLS against servers with certificates made here. */
#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rig.h"

/* --- certificates --- */

struct cert_spec {
	const char *names; /* subjectAltName: "DNS:localhost,IP:127.0.0.1" */
	long valid_s;	   /* from now; negative = expired */
};

struct cert {
	EVP_PKEY *key;
	X509 *x509;
	char file[64]; /* PEM; it is its own authority */
};

static void add_extension(X509 *x, int nid, const char *value)
{
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	ASSERT_TRUE(e && X509_add_ext(x, e, -1));
	X509_EXTENSION_free(e);
}

static void cert_make(struct cert *c, const struct cert_spec *spec)
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

static void cert_release(struct cert *c)
{
	unlink(c->file);
	X509_free(c->x509);
	EVP_PKEY_free(c->key);
}

/* --- a TLS server --- */

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

static int note_alpn(SSL *ssl UNUSED, const unsigned char **out, unsigned char *out_len,
		     const unsigned char *in, unsigned in_len, void *arg)
{
	struct tls_server *t = arg;

	pthread_mutex_lock(&t->lock);
	snprintf(t->alpn, sizeof(t->alpn), "%.*s", (int)in_len - 1, (const char *)in + 1);
	pthread_mutex_unlock(&t->lock);
	*out = in + 1;
	*out_len = in[0];
	return SSL_TLSEXT_ERR_OK;
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

static void tls_server_start(struct tls_server *t, const struct cert_spec *spec,
			     void (*serve)(SSL *ssl))
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

static void tls_server_stop(struct tls_server *t)
{
	server_stop(&t->server);
	SSL_CTX_free(t->ctx);
	cert_release(&t->cert);
}

static bool ssl_read_head(SSL *ssl)
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

static void ssl_send(SSL *ssl, const void *data, size_t len)
{
	size_t n;

	SSL_write_ex(ssl, data, len, &n);
}

static void serve_replies(SSL *ssl)
{
	while (ssl_read_head(ssl))
		ssl_send(ssl, REPLY, strlen(REPLY));
}

static const struct cert_spec good_cert = { "DNS:localhost,IP:127.0.0.1", 3600 };

static struct net_response *get_https(struct rig *b, const char *host, uint16_t port)
{
	unsigned before = b->done;
	char url[64];

	snprintf(url, sizeof(url), "https://%s:%u/", host, port);
	rig_begin(b, url, (struct net_request){ 0 });
	return rig_wait(b, before + 1);
}

/* --- the good case --- */

TEST(tls_request_is_verified_timed_and_kept)
{
	struct tls_server t;
	struct rig b;
	struct net_response *res;

	tls_server_start(&t, &good_cert, serve_replies);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	res = get_https(&b, "localhost", t.server.port);
	if (res->error)
		test_fail(__FILE__, __LINE__, "%s", strbuf_cstr(&res->message));
	ASSERT_STREQ(strbuf_cstr(&res->body), "hello");
	ASSERT_STREQ(res->tls_version, "TLSv1.3");
	ASSERT_HAS(res->tls_cipher, "TLS_");
	ASSERT_TRUE(res->t.tls_ns > 0 && res->t.connecting_ns > 0);
	ASSERT_TRUE(res->t.blocked_ns >= res->t.tls_ns + res->t.connecting_ns);
	/* on the wire: more than the reply, and the handshake with the first request */
	ASSERT_TRUE(res->received_bytes > 500);
	res = get_https(&b, "localhost", t.server.port);
	ASSERT_TRUE(res->reused && res->t.tls_ns == 0);
	ASSERT_TRUE(res->received_bytes > strlen(REPLY) && res->received_bytes < 1500);
	ASSERT_STREQ(res->tls_version, "TLSv1.3");
	ASSERT_INT(atomic_load(&t.server.accepted), 1);
	rig_close(&b);
	tls_server_stop(&t);
	ASSERT_STREQ(t.sni, "localhost");
	ASSERT_STREQ(t.alpn, "http/1.1");
}

TEST(tls_takes_a_certificate_for_an_address_and_sends_no_name)
{
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, serve_replies);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	ASSERT_ERR(get_https(&b, "127.0.0.1", t.server.port), "ok");
	rig_close(&b);
	tls_server_stop(&t);
	ASSERT_STREQ(t.sni, "");
}

static void serve_ten_megabytes(SSL *ssl)
{
	static char chunk[1 << 20];

	while (ssl_read_head(ssl)) {
		static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n";

		ssl_send(ssl, head, sizeof(head) - 1);
		for (int i = 0; i < 10; i++)
			ssl_send(ssl, chunk, sizeof(chunk));
	}
}

TEST(tls_receives_large_bodies_of_both_versions)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		struct tls_server t;
		struct rig b;
		struct net_response *res;

		tls_server_start(&t, &good_cert, serve_ten_megabytes);
		SSL_CTX_set_max_proto_version(t.ctx, versions[i]);
		rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
		for (int k = 0; k < 2; k++) {
			res = get_https(&b, "localhost", t.server.port);
			ASSERT_ERR(res, "ok");
			ASSERT_INT(res->body.len, 10485760);
			ASSERT_INT(res->reused, k);
		}
		ASSERT_STREQ(res->tls_version, i ? "TLSv1.3" : "TLSv1.2");
		rig_close(&b);
		tls_server_stop(&t);
	}
}

static void serve_length_of_post(SSL *ssl)
{
	static char buf[65536];
	size_t left = 5000000, n;

	if (!ssl_read_head(ssl))
		return;
	while (left && SSL_read_ex(ssl, buf, MIN(left, sizeof(buf)), &n) == 1)
		left -= n;
	ssl_send(ssl, REPLY, strlen(REPLY));
	SSL_read_ex(ssl, buf, 1, &n);
}

TEST(tls_sends_a_large_body)
{
	char *data = calloc(1, 5000000), url[64];
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, serve_length_of_post);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	snprintf(url, sizeof(url), "https://localhost:%u/", t.server.port);
	rig_begin(&b, url,
		  (struct net_request){ .method = STR("POST"), .body = { data, 5000000 } });
	ASSERT_ERR(rig_wait(&b, 1), "ok");
	ASSERT_TRUE(b.res->sent_bytes > 5000000);
	rig_close(&b);
	tls_server_stop(&t);
	free(data);
}

static void count_resumed(SSL *ssl)
{
	struct tls_server *t = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

	atomic_fetch_add(&t->resumed, SSL_session_reused(ssl));
	serve_replies(ssl);
}

TEST(tls_handshakes_are_full_ones)
{
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, count_resumed);
	SSL_CTX_set_app_data(t.ctx, &t);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file },
		 &(struct net_client_opts){ .no_reuse = true });
	for (int i = 0; i < 3; i++)
		ASSERT_ERR(get_https(&b, "localhost", t.server.port), "ok");
	rig_close(&b);
	tls_server_stop(&t);
	ASSERT_INT(atomic_load(&t.server.accepted), 3);
	ASSERT_INT(atomic_load(&t.resumed), 0);
}

/* Many servers just close; a body that ends with the connection is complete all the same. */
static void serve_without_close_notify(SSL *ssl)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\n\r\nto the end";

	if (ssl_read_head(ssl))
		ssl_send(ssl, reply, sizeof(reply) - 1);
}

TEST(tls_may_end_without_saying_so)
{
	struct tls_server t;
	struct rig b;
	struct net_response *res;

	tls_server_start(&t, &good_cert, serve_without_close_notify);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	res = get_https(&b, "localhost", t.server.port);
	ASSERT_ERR(res, "ok");
	ASSERT_STREQ(strbuf_cstr(&res->body), "to the end");
	rig_close(&b);
	tls_server_stop(&t);
}

/* --- failures --- */

static void handshake_fails(const struct cert_spec *spec, bool trusted, const char *kind,
			    const char *words)
{
	struct net_stack_opts opts = { 0 };
	struct tls_server t;
	struct rig b;
	struct net_response *res;

	tls_server_start(&t, spec, serve_replies);
	opts.tls.ca_file = trusted ? t.cert.file : NULL;
	rig_open(&b, &opts, NULL);
	res = get_https(&b, "localhost", t.server.port);
	ASSERT_ERR(res, kind);
	ASSERT_HAS(strbuf_cstr(&res->message), words);
	ASSERT_HAS(strbuf_cstr(&res->message), "TLS handshake with localhost:");
	ASSERT_INT(res->sent_bytes > 0, true);
	ASSERT_INT(res->t.sending_ns, 0);
	rig_close(&b);
	/* whoever does not want to know gets through */
	rig_open(&b, &(struct net_stack_opts){ .tls.insecure = true }, NULL);
	ASSERT_ERR(get_https(&b, "localhost", t.server.port), "ok");
	rig_close(&b);
	tls_server_stop(&t);
}

TEST(tls_refuses_an_unknown_authority)
{
	handshake_fails(&good_cert, false, "tls_authority", "self-signed certificate");
}

TEST(tls_refuses_another_name)
{
	static const struct cert_spec spec = { "DNS:other.example", 3600 };

	handshake_fails(&spec, true, "tls_hostname", "hostname mismatch");
}

TEST(tls_refuses_an_expired_certificate)
{
	static const struct cert_spec spec = { "DNS:localhost", -3600 };

	handshake_fails(&spec, true, "tls", "expired");
}

static void speaks_no_tls(serve_fn *serve, const void *arg, const char *kind)
{
	struct net_client_opts opts = { .timeout_ns = arg ? 20 * NS_PER_S : 200 * NS_PER_MS };
	struct server s;
	struct rig b;

	server_start(&s, serve, arg);
	rig_open(&b, NULL, &opts);
	ASSERT_ERR(get_https(&b, "127.0.0.1", s.port), kind);
	rig_close(&b);
	server_stop(&s);
}

static void serve_text(struct connection *c)
{
	server_send(c->fd, c->server->arg);
	server_wait_close(c->fd);
}

static void serve_goodbye(struct connection *c)
{
	char hello[8192];

	/* All of it at once: closing with bytes unread would be a reset. */
	ASSERT_TRUE(read(c->fd, hello, sizeof(hello)) > 100);
}

TEST(tls_tells_a_server_that_speaks_something_else)
{
	speaks_no_tls(serve_text, "HTTP/1.1 400 Bad Request\r\n\r\n", "tls_record");
	speaks_no_tls(serve_text, "220 mail ESMTP ready\r\n", "tls_record");
	speaks_no_tls(serve_silence, NULL, "timeout");
	speaks_no_tls(serve_goodbye, "", "closed");
}

TEST(tls_names_a_bad_file_of_authorities)
{
	struct server s;
	struct rig b;
	struct net_response *res;

	server_start(&s, serve_silence, NULL);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = "/nonexistent.pem" }, NULL);
	res = get_https(&b, "127.0.0.1", s.port);
	ASSERT_ERR(res, "tls");
	ASSERT_HAS(strbuf_cstr(&res->message), "/nonexistent.pem");
	rig_close(&b);
	server_stop(&s);
}

/* --- two threads, each with settings of its own --- */

struct worker {
	pthread_t thread;
	const struct tls_server *server;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct rig b;

	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = w->server->cert.file },
		 &(struct net_client_opts){ .no_reuse = true });
	for (int i = 0; i < 10; i++)
		ASSERT_ERR(get_https(&b, "localhost", w->server->server.port), "ok");
	rig_close(&b);
	return NULL;
}

TEST(tls_clients_of_two_threads_share_nothing)
{
	struct worker workers[2];
	struct tls_server t;

	tls_server_start(&t, &good_cert, serve_replies);
	for (int i = 0; i < 2; i++) {
		workers[i].server = &t;
		ASSERT_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i].thread, NULL);
	tls_server_stop(&t);
}
