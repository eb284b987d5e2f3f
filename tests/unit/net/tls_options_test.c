/* Versions, cipher suites, certificates of clients and OCSP, against OpenSSL as the server. */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/tls_cipher.h"
#include "tls_server.h"

/* --- versions and suites --- */

TEST(tls_versions_are_kept_to)
{
	static const struct {
		enum net_tls_version min, max;
		int server_max;
		const char *agreed; /* NULL = refused */
	} cases[] = {
		{ 0, 0, TLS1_3_VERSION, "TLSv1.3" },
		{ 0, 0, TLS1_2_VERSION, "TLSv1.2" },
		{ 0, 0, TLS1_1_VERSION, NULL },
		{ 0, NET_TLS_1_2, TLS1_3_VERSION, "TLSv1.2" },
		{ NET_TLS_1_3, NET_TLS_1_3, TLS1_3_VERSION, "TLSv1.3" },
		{ NET_TLS_1_3, 0, TLS1_2_VERSION, NULL },
		{ NET_TLS_1_0, 0, TLS1_1_VERSION, "TLSv1.1" },
		{ NET_TLS_1_0, NET_TLS_1_0, TLS1_3_VERSION, "TLSv1" },
		{ 0, NET_TLS_1_1, TLS1_3_VERSION, "TLSv1.1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct net_stack_opts opts = { .tls = { .insecure = true,
							.min_version = cases[i].min,
							.max_version = cases[i].max } };
		struct tls_server t;
		struct net_response *res;
		struct rig b;

		tls_server_start(&t, &good_cert, serve_replies);
		SSL_CTX_set_security_level(t.ctx, 0);
		SSL_CTX_set_min_proto_version(t.ctx, TLS1_VERSION);
		SSL_CTX_set_max_proto_version(t.ctx, cases[i].server_max);
		rig_open(&b, &opts, NULL);
		res = get_https(&b, "localhost", t.server.port);
		if (cases[i].agreed)
			ASSERT_STREQ(res->tls_version ? res->tls_version : "none", cases[i].agreed);
		ASSERT_ERR(res, cases[i].agreed ? "ok" : "tls");
		rig_close(&b);
		tls_server_stop(&t);
	}
}

/* The names on both sides are IANA's and OpenSSL's own (openssl ciphers -stdname). */
TEST(tls_ciphers_have_two_names)
{
	struct net_tls_ciphers c = { 0 };
	struct error err;

	ASSERT_OK(net_tls_ciphers_add(&c, STR("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"), &err));
	ASSERT_OK(net_tls_ciphers_add(&c, STR("TLS_RSA_WITH_RC4_128_SHA"), &err));
	ASSERT_OK(net_tls_ciphers_add(&c, STR("TLS_AES_128_GCM_SHA256"), &err));
	ASSERT_OK(net_tls_ciphers_add(&c, STR("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"), &err));
	ASSERT_OK(net_tls_ciphers_add(&c, STR("TLS_CHACHA20_POLY1305_SHA256"), &err));
	ASSERT_INT(net_tls_ciphers_add(&c, STR("ECDHE-RSA-AES128-GCM-SHA256"), &err), -EINVAL);
	ASSERT_INT(net_tls_ciphers_add(&c, STR(""), &err), -EINVAL);
	ASSERT_STREQ(strbuf_cstr(&c.tls12),
		     "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305");
	ASSERT_STREQ(strbuf_cstr(&c.tls13), "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256");
	net_tls_ciphers_release(&c);
}

TEST(tls_ciphers_are_kept_to)
{
	static const struct {
		const char *ciphers, *ciphers13;
		enum net_tls_version max;
		const char *agreed;
	} cases[] = {
		{ "ECDHE-ECDSA-AES256-GCM-SHA384", NULL, NET_TLS_1_2,
		  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" },
		{ "ECDHE-ECDSA-AES128-SHA", NULL, NET_TLS_1_2,
		  "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA" },
		{ NULL, "TLS_AES_128_GCM_SHA256", 0, "TLS_AES_128_GCM_SHA256" },
		{ NULL, "TLS_CHACHA20_POLY1305_SHA256", 0, "TLS_CHACHA20_POLY1305_SHA256" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct net_stack_opts opts = { .tls = { .insecure = true,
							.max_version = cases[i].max,
							.ciphers = cases[i].ciphers,
							.ciphers13 = cases[i].ciphers13 } };
		struct tls_server t;
		struct net_response *res;
		struct rig b;

		tls_server_start(&t, &good_cert, serve_replies);
		SSL_CTX_set_security_level(t.ctx, 0);
		rig_open(&b, &opts, NULL);
		res = get_https(&b, "localhost", t.server.port);
		ASSERT_ERR(res, "ok");
		ASSERT_STREQ(res->tls_cipher, cases[i].agreed);
		rig_close(&b);
		tls_server_stop(&t);
	}
}

/* --- certificates of the client --- */

static char *pem_of(const struct cert *c, bool key, const char *password)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *data, *copy;
	long len;

	if (key)
		PEM_write_bio_PKCS8PrivateKey(bio, c->key, password ? EVP_aes_128_cbc() : NULL,
					      password, password ? (int)strlen(password) : 0, NULL,
					      NULL);
	else
		PEM_write_bio_X509(bio, c->x509);
	len = BIO_get_mem_data(bio, &data);
	copy = str_dup((struct str){ data, (size_t)len });
	BIO_free(bio);
	return copy;
}

static void add_identity(struct net_tls_auth *a, const struct cert *c, const char *password)
{
	struct error err = ERROR_INIT;
	char *cert = pem_of(c, false, NULL), *key = pem_of(c, true, password);

	ASSERT_OK_ERR(net_tls_auth_add(a, str_from(cert), str_from(key), password, &err), err);
	free(cert);
	free(key);
}

static int take_any(int ok UNUSED, X509_STORE_CTX *ctx UNUSED)
{
	return 1;
}

/* Answers with the first alternative name of the client's certificate. */
static void serve_peer_name(SSL *ssl)
{
	X509 *peer = SSL_get1_peer_certificate(ssl);
	GENERAL_NAMES *names =
		peer ? X509_get_ext_d2i(peer, NID_subject_alt_name, NULL, NULL) : NULL;
	const char *name = "nobody";
	char reply[256];

	if (names)
		name = (const char *)ASN1_STRING_get0_data(
			sk_GENERAL_NAME_value(names, 0)->d.dNSName);
	snprintf(reply, sizeof(reply), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
		 strlen(name), name);
	while (ssl_read_head(ssl))
		ssl_send(ssl, reply, strlen(reply));
	GENERAL_NAMES_free(names);
	X509_free(peer);
}

static void expect_identity(const struct net_tls_auth *auth, X509 *authority, const char *host,
			    const char *who)
{
	struct net_stack_opts opts = { .tls = { .insecure = true, .auth = auth } };
	struct net_response *res;
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, serve_peer_name);
	SSL_CTX_set_verify(t.ctx, SSL_VERIFY_PEER, take_any);
	if (authority)
		SSL_CTX_add_client_CA(t.ctx, authority);
	rig_open(&b, &opts, NULL);
	res = get_https(&b, host, t.server.port);
	ASSERT_ERR(res, "ok");
	ASSERT_STREQ(strbuf_cstr(&res->body), who);
	rig_close(&b);
	tls_server_stop(&t);
}

TEST(tls_client_shows_the_certificate_for_the_host)
{
	static const struct cert_spec specs[] = { { "DNS:one", 3600 },
						  { "DNS:two", 3600 },
						  { "DNS:three", 3600 } };
	struct net_tls_auth *a = net_tls_auth_new(), *other = net_tls_auth_new();
	struct cert certs[3];

	for (int i = 0; i < 3; i++)
		cert_make(&certs[i], &specs[i]);
	expect_identity(a, NULL, "localhost", "nobody");
	add_identity(a, &certs[0], NULL);
	net_tls_auth_add_domain(a, STR("other.test"));
	net_tls_auth_add_domain(a, STR("127.0.0.1"));
	add_identity(a, &certs[1], "secret");
	add_identity(a, &certs[2], NULL);
	net_tls_auth_add_domain(a, STR("*.localhost"));
	expect_identity(a, NULL, "localhost", "two");
	expect_identity(a, NULL, "127.0.0.1", "one");
	expect_identity(a, NULL, "api.localhost", "three");
	/* made for another name is better than nothing: the server decides */
	add_identity(other, &certs[0], NULL);
	net_tls_auth_add_domain(other, STR("other.test"));
	expect_identity(other, NULL, "localhost", "one");
	for (int i = 0; i < 3; i++)
		cert_release(&certs[i]);
	net_tls_auth_free(a);
	net_tls_auth_free(other);
}

TEST(tls_client_shows_what_the_server_takes)
{
	static const struct cert_spec spec = { "DNS:one", 3600 };
	struct net_tls_auth *a = net_tls_auth_new();
	X509_NAME *stranger = X509_NAME_new();
	struct cert c;
	X509 *unknown;

	cert_make(&c, &spec);
	add_identity(a, &c, NULL);
	expect_identity(a, c.x509, "localhost", "one"); /* it is its own issuer */
	unknown = X509_dup(c.x509);
	X509_NAME_add_entry_by_txt(stranger, "CN", MBSTRING_ASC, (const unsigned char *)"stranger",
				   -1, -1, 0);
	X509_set_subject_name(unknown, stranger);
	expect_identity(a, unknown, "localhost", "nobody");
	X509_NAME_free(stranger);
	X509_free(unknown);
	cert_release(&c);
	net_tls_auth_free(a);
}

TEST(tls_client_certificates_are_checked_when_read)
{
	static const struct cert_spec spec = { "DNS:one", 3600 };
	struct net_tls_auth *a = net_tls_auth_new();
	struct error err;
	struct cert one, two;
	char *cert, *key, *other, *locked;

	cert_make(&one, &spec);
	cert_make(&two, &spec);
	cert = pem_of(&one, false, NULL);
	key = pem_of(&one, true, NULL);
	other = pem_of(&two, true, NULL);
	locked = pem_of(&one, true, "secret");
	ASSERT_INT(net_tls_auth_add(a, STR("junk"), str_from(key), NULL, &err), -EINVAL);
	ASSERT_HAS(err.msg, "reading the certificate: ");
	ASSERT_INT(net_tls_auth_add(a, str_from(cert), STR(""), NULL, &err), -EINVAL);
	ASSERT_HAS(err.msg, "reading the key: ");
	ASSERT_INT(net_tls_auth_add(a, str_from(cert), str_from(other), NULL, &err), -EINVAL);
	ASSERT_HAS(err.msg, "not the certificate's");
	ASSERT_INT(net_tls_auth_add(a, str_from(cert), str_from(locked), NULL, &err), -EINVAL);
	ASSERT_INT(net_tls_auth_add(a, str_from(cert), str_from(locked), "wrong", &err), -EINVAL);
	ASSERT_OK(net_tls_auth_add(a, str_from(cert), str_from(locked), "secret", &err));
	ASSERT_INT(ERR_peek_error(), 0);
	free(cert);
	free(key);
	free(other);
	free(locked);
	cert_release(&one);
	cert_release(&two);
	net_tls_auth_free(a);
}

/* --- OCSP --- */

struct staple {
	unsigned char *der;
	int len;
};

static struct staple make_staple(const struct cert *c, int status, int reason)
{
	OCSP_BASICRESP *basic = OCSP_BASICRESP_new();
	OCSP_CERTID *id = OCSP_cert_to_id(EVP_sha1(), c->x509, c->x509);
	ASN1_TIME *at = ASN1_TIME_set(NULL, 1700000000), *next = ASN1_TIME_set(NULL, 1700086400);
	OCSP_RESPONSE *response;
	struct staple s = { 0 };

	OCSP_basic_add1_status(basic, id, status, reason,
			       status == V_OCSP_CERTSTATUS_REVOKED ? at : NULL, at, next);
	ASSERT_INT(OCSP_basic_sign(basic, c->x509, c->key, EVP_sha256(), NULL, 0), 1);
	response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
	s.len = i2d_OCSP_RESPONSE(response, &s.der);
	ASSERT_TRUE(s.len > 0);
	OCSP_RESPONSE_free(response);
	OCSP_BASICRESP_free(basic);
	OCSP_CERTID_free(id);
	ASN1_TIME_free(at);
	ASN1_TIME_free(next);
	return s;
}

static int send_staple(SSL *ssl, void *arg)
{
	const struct staple *s = arg;

	SSL_set_tlsext_status_ocsp_resp(ssl, OPENSSL_memdup(s->der, (size_t)s->len), s->len);
	return SSL_TLSEXT_ERR_OK;
}

static void expect_ocsp(int status, int reason, struct net_ocsp expected)
{
	struct net_stack_opts opts = { .tls.insecure = true };
	struct net_response *res;
	struct staple staple;
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, serve_replies);
	staple = make_staple(&t.cert, status, reason);
	SSL_CTX_set_tlsext_status_cb(t.ctx, send_staple);
	SSL_CTX_set_tlsext_status_arg(t.ctx, &staple);
	rig_open(&b, &opts, NULL);
	for (int i = 0; i < 2; i++) {
		res = get_https(&b, "localhost", t.server.port);
		ASSERT_ERR(res, "ok");
		ASSERT_STREQ(res->ocsp.status, expected.status);
		ASSERT_STREQ(res->ocsp.reason ? res->ocsp.reason : "-",
			     expected.reason ? expected.reason : "-");
		ASSERT_INT(res->ocsp.this_update, 1700000000);
		ASSERT_INT(res->ocsp.next_update, 1700086400);
		ASSERT_INT(res->ocsp.revoked_at, expected.revoked_at);
		ASSERT_TRUE(res->ocsp.produced_at > 1700000000);
	}
	rig_close(&b);
	tls_server_stop(&t);
	OPENSSL_free(staple.der);
}

TEST(tls_ocsp_is_read)
{
	expect_ocsp(V_OCSP_CERTSTATUS_GOOD, 0, (struct net_ocsp){ .status = "good" });
	expect_ocsp(V_OCSP_CERTSTATUS_REVOKED, OCSP_REVOKED_STATUS_KEYCOMPROMISE,
		    (struct net_ocsp){ .status = "revoked",
				       .reason = "key_compromise",
				       .revoked_at = 1700000000 });
}

TEST(tls_ocsp_is_unknown_without_an_answer)
{
	static unsigned char junk[] = { 0x30, 0x82, 0xff, 0xff, 1 };
	struct net_stack_opts opts = { .tls.insecure = true };
	struct staple staple = { junk, sizeof(junk) };

	for (int i = 0; i < 2; i++) {
		struct tls_server t;
		struct rig b;

		tls_server_start(&t, &good_cert, serve_replies);
		if (i) {
			SSL_CTX_set_tlsext_status_cb(t.ctx, send_staple);
			SSL_CTX_set_tlsext_status_arg(t.ctx, &staple);
		}
		rig_open(&b, &opts, NULL);
		ASSERT_STREQ(get_https(&b, "localhost", t.server.port)->ocsp.status, "unknown");
		rig_close(&b);
		tls_server_stop(&t);
	}
}
