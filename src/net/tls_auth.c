#include "net/tls_auth.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "base/vec.h"

#define CHAIN_MAX 16

struct identity {
	X509 *cert;
	EVP_PKEY *key;
	STACK_OF(X509) * chain; /* issuers */
	VEC(char *) domains;
};

struct net_tls_auth {
	VEC(struct identity) list;
};

struct net_tls_auth *net_tls_auth_new(void)
{
	return xcalloc(1, sizeof(struct net_tls_auth));
}

static void release(struct identity *id)
{
	X509_free(id->cert);
	EVP_PKEY_free(id->key);
	sk_X509_pop_free(id->chain, X509_free);
	vec_for_each (&id->domains, d)
		free(*d);
	vec_release(&id->domains);
}

void net_tls_auth_free(struct net_tls_auth *a)
{
	if (!a)
		return;
	vec_for_each (&a->list, id)
		release(id);
	vec_release(&a->list);
	free(a);
}

/* --- reading --- */

static int failed(struct error *reterr, const char *doing)
{
	unsigned long code = ERR_peek_last_error();
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	error_set(reterr, -EINVAL, "%s: %s", doing, reason ? reason : "expected PEM");
	ERR_clear_error();
	return -EINVAL;
}

static void read_chain(struct identity *id, BIO *bio)
{
	X509 *issuer;

	id->chain = sk_X509_new_null();
	while (id->chain && sk_X509_num(id->chain) < CHAIN_MAX &&
	       (issuer = PEM_read_bio_X509(bio, NULL, NULL, NULL)))
		sk_X509_push(id->chain, issuer);
	ERR_clear_error(); /* the end of the text is one, too */
}

/* For PEM_read_bio_PrivateKey(): without it OpenSSL would ask on the terminal. */
static int give_password(char *buf, int size, int writing UNUSED, void *arg)
{
	const char *password = arg;
	size_t len = password ? strlen(password) : 0;

	if (!password || len > (size_t)size)
		return -1;
	memcpy(buf, password, len);
	return (int)len;
}

static int read_identity(struct identity *id, BIO *cert, BIO *key, const char *password,
			 struct error *reterr)
{
	ERR_clear_error();
	id->cert = PEM_read_bio_X509(cert, NULL, NULL, NULL);
	if (!id->cert)
		return failed(reterr, "reading the certificate");
	read_chain(id, cert);
	id->key = PEM_read_bio_PrivateKey(key, NULL, give_password, (char *)(uintptr_t)password);
	if (!id->key)
		return failed(reterr, "reading the key");
	if (X509_check_private_key(id->cert, id->key) != 1)
		return failed(reterr, "the key is not the certificate's");
	return 0;
}

int net_tls_auth_add(struct net_tls_auth *a, struct str cert, struct str key, const char *password,
		     struct error *reterr)
{
	BIO *cert_bio = BIO_new_mem_buf(cert.ptr, (int)cert.len);
	BIO *key_bio = BIO_new_mem_buf(key.ptr, (int)key.len);
	struct identity id = { 0 };
	int r = cert_bio && key_bio ? read_identity(&id, cert_bio, key_bio, password, reterr)
				    : failed(reterr, "reading the certificate");

	BIO_free(cert_bio);
	BIO_free(key_bio);
	if (r < 0)
		release(&id);
	else
		vec_push(&a->list, id);
	return r;
}

void net_tls_auth_add_domain(struct net_tls_auth *a, struct str domain)
{
	struct identity *id = &vec_last(&a->list);

	vec_push(&id->domains, str_dup(domain));
}

/* --- choosing --- */

static bool is_for(struct str domain, struct str host)
{
	if (domain.len < 2 || domain.ptr[0] != '*')
		return str_ieq(domain, host);
	domain.ptr++;
	domain.len--;
	return host.len > domain.len &&
	       str_ieq((struct str){ host.ptr + host.len - domain.len, domain.len }, domain);
}

/* 0 = made for the host, 1 = for none in particular, 2 = for another. */
static int distance(const struct identity *id, struct str host)
{
	vec_for_each (&id->domains, d)
		if (is_for(str_from(*d), host))
			return 0;
	return id->domains.len ? 2 : 1;
}

static bool is_issuer(const STACK_OF(X509_NAME) * names, const X509 *cert)
{
	for (int i = 0; i < sk_X509_NAME_num(names); i++)
		if (!X509_NAME_cmp(sk_X509_NAME_value(names, i), X509_get_issuer_name(cert)))
			return true;
	return false;
}

/* A server that names no authority takes all. */
static bool is_welcome(const struct identity *id, SSL *ssl)
{
	const STACK_OF(X509_NAME) *names = SSL_get0_peer_CA_list(ssl);

	if (!names || !sk_X509_NAME_num(names) || is_issuer(names, id->cert))
		return true;
	for (int i = 0; i < sk_X509_num(id->chain); i++)
		if (is_issuer(names, sk_X509_value(id->chain, i)))
			return true;
	return false;
}

static int show(const struct identity *id, SSL *ssl)
{
	return SSL_use_cert_and_key(ssl, id->cert, id->key, id->chain, 1);
}

int net_tls_auth_choose(const struct net_tls_auth *a, struct ssl_st *ssl, struct str host)
{
	for (int d = 0; d <= 2; d++)
		vec_for_each (&a->list, id)
			if (distance(id, host) == d && is_welcome(id, ssl))
				return show(id, ssl);
	return 1;
}
