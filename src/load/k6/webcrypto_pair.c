/* RSA and elliptic curves: signing, RSA-OAEP, ECDH, and new keys of all kinds. */
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "load/k6/webcrypto_run.h"

#define MODULUS_BITS_MAX 16384

static void free_ctx(EVP_PKEY_CTX **c)
{
	EVP_PKEY_CTX_free(*c);
}

static void free_digest(EVP_MD_CTX **c)
{
	EVP_MD_CTX_free(*c);
}

static void free_sig(ECDSA_SIG **s)
{
	ECDSA_SIG_free(*s);
}

/* Leaves nothing in the library's queue of errors for whoever looks next. */
static int failed(struct load_wc_error *err, const char *what)
{
	ERR_clear_error();
	return load_wc_fail(err, "OperationError", "%s", what);
}

/* ---- signatures ---- */

static bool set_padding(EVP_PKEY_CTX *c, const struct load_wc_key *k,
			const struct load_wc_params *p)
{
	if (k->name == WC_RSASSA)
		return EVP_PKEY_CTX_set_rsa_padding(c, RSA_PKCS1_PADDING) > 0;
	if (k->name != WC_RSA_PSS)
		return true;
	return p->salt_bytes <= INT32_MAX &&
	       EVP_PKEY_CTX_set_rsa_padding(c, RSA_PKCS1_PSS_PADDING) > 0 &&
	       EVP_PKEY_CTX_set_rsa_pss_saltlen(c, (int)p->salt_bytes) > 0;
}

/* ECDSA is told the hash with each use, the others have it in the key. */
static const EVP_MD *md_for(const struct load_wc_key *k, const struct load_wc_params *p)
{
	return load_wc_md(k->name == WC_ECDSA ? p->hash : k->hash);
}

/* From the library's DER to the two numbers side by side. */
static bool der_to_numbers(const struct load_wc_curve *curve, struct strbuf *sig)
{
	const unsigned char *at = (const unsigned char *)strbuf_cstr(sig);
	CLEANUP(free_sig) ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &at, (long)sig->len);
	int n = (int)curve->bytes;

	strbuf_clear(sig);
	strbuf_reserve(sig, 2 * curve->bytes);
	if (!s || BN_bn2binpad(ECDSA_SIG_get0_r(s), (unsigned char *)sig->ptr, n) < 0 ||
	    BN_bn2binpad(ECDSA_SIG_get0_s(s), (unsigned char *)sig->ptr + n, n) < 0)
		return false;
	strbuf_commit(sig, 2 * curve->bytes);
	return true;
}

static bool numbers_to_der(const struct load_wc_curve *curve, struct str sig, struct strbuf *out)
{
	CLEANUP(free_sig) ECDSA_SIG *s = ECDSA_SIG_new();
	const unsigned char *at = (const unsigned char *)sig.ptr;
	unsigned char *to;
	BIGNUM *r, *t;
	int len;

	if (!s || sig.len != 2 * curve->bytes)
		return false;
	r = BN_bin2bn(at, (int)curve->bytes, NULL);
	t = BN_bin2bn(at + curve->bytes, (int)curve->bytes, NULL);
	if (!ECDSA_SIG_set0(s, r, t)) {
		BN_free(r);
		BN_free(t);
		return false;
	}
	len = i2d_ECDSA_SIG(s, NULL);
	if (len <= 0)
		return false;
	strbuf_reserve(out, (size_t)len);
	to = (unsigned char *)strbuf_tail(out);
	strbuf_commit(out, (size_t)i2d_ECDSA_SIG(s, &to));
	return true;
}

int load_wc_sign_pair(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		      struct strbuf *out, struct load_wc_error *err)
{
	CLEANUP(free_digest) EVP_MD_CTX *c = EVP_MD_CTX_new();
	const unsigned char *in = (const unsigned char *)data.ptr;
	EVP_PKEY_CTX *params;
	size_t len;

	if (!c || EVP_DigestSignInit(c, &params, md_for(k, p), NULL, k->pkey) <= 0 ||
	    !set_padding(params, k, p) || EVP_DigestSign(c, NULL, &len, in, data.len) <= 0)
		return failed(err, "the signature cannot be made");
	strbuf_reserve(out, len);
	if (EVP_DigestSign(c, (unsigned char *)strbuf_tail(out), &len, in, data.len) <= 0)
		return failed(err, "the signature cannot be made");
	strbuf_commit(out, len);
	if (k->name == WC_ECDSA && !der_to_numbers(k->curve, out))
		return failed(err, "the signature cannot be made");
	return 0;
}

int load_wc_verify_pair(const struct load_wc_key *k, const struct load_wc_params *p, struct str sig,
			struct str data, bool *ret)
{
	CLEANUP(free_digest) EVP_MD_CTX *c = EVP_MD_CTX_new();
	CLEANUP(strbuf_release) struct strbuf der = STRBUF_INIT;
	EVP_PKEY_CTX *params;

	*ret = false;
	if (k->name == WC_ECDSA) {
		if (!numbers_to_der(k->curve, sig, &der))
			return 0;
		sig = strbuf_str(&der);
	}
	*ret = c && EVP_DigestVerifyInit(c, &params, md_for(k, p), NULL, k->pkey) > 0 &&
	       set_padding(params, k, p) &&
	       EVP_DigestVerify(c, (const unsigned char *)sig.ptr, sig.len,
				(const unsigned char *)data.ptr, data.len) == 1;
	ERR_clear_error();
	return 0;
}

/* ---- RSA-OAEP ---- */

/* The library takes the label over, and frees it with its own function. */
static bool set_label(EVP_PKEY_CTX *c, struct str label)
{
	void *copy;

	if (!label.len)
		return true;
	copy = OPENSSL_memdup(label.ptr, label.len);
	if (copy && EVP_PKEY_CTX_set0_rsa_oaep_label(c, copy, (int)label.len) > 0)
		return true;
	OPENSSL_free(copy);
	return false;
}

int load_wc_oaep(const struct load_wc_key *k, const struct load_wc_params *p, bool encrypt,
		 struct str data, struct strbuf *out, struct load_wc_error *err)
{
	int (*const run)(EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t) =
		encrypt ? EVP_PKEY_encrypt : EVP_PKEY_decrypt;
	CLEANUP(free_ctx) EVP_PKEY_CTX *c = EVP_PKEY_CTX_new(k->pkey, NULL);
	const unsigned char *in = (const unsigned char *)data.ptr;
	size_t len;

	if (!c || (encrypt ? EVP_PKEY_encrypt_init(c) : EVP_PKEY_decrypt_init(c)) <= 0 ||
	    EVP_PKEY_CTX_set_rsa_padding(c, RSA_PKCS1_OAEP_PADDING) <= 0 ||
	    EVP_PKEY_CTX_set_rsa_oaep_md(c, load_wc_md(k->hash)) <= 0 ||
	    EVP_PKEY_CTX_set_rsa_mgf1_md(c, load_wc_md(k->hash)) <= 0 ||
	    !set_label(c, strbuf_str(&p->label)) || run(c, NULL, &len, in, data.len) <= 0)
		return failed(err, "RSA-OAEP cannot be set up");
	strbuf_reserve(out, len);
	if (run(c, (unsigned char *)strbuf_tail(out), &len, in, data.len) <= 0)
		return failed(err, encrypt ? "the text cannot be encrypted"
					   : "the text cannot be decrypted");
	strbuf_commit(out, len);
	return 0;
}

/* ---- ECDH ---- */

int load_wc_ecdh(const struct load_wc_key *k, const struct load_wc_params *p, struct strbuf *out,
		 struct load_wc_error *err)
{
	CLEANUP(free_ctx) EVP_PKEY_CTX *c = EVP_PKEY_CTX_new(k->pkey, NULL);
	size_t len;

	if (k->type != WC_PRIVATE || p->public->type != WC_PUBLIC || p->public->name != WC_ECDH ||
	    p->public->curve != k->curve)
		return load_wc_fail(err, "InvalidAccessError",
				    "ECDH takes a private key and a public one of the same curve");
	if (!c || EVP_PKEY_derive_init(c) <= 0 ||
	    EVP_PKEY_derive_set_peer(c, p->public->pkey) <= 0 ||
	    EVP_PKEY_derive(c, NULL, &len) <= 0)
		return failed(err, "ECDH cannot be set up");
	strbuf_reserve(out, len);
	if (EVP_PKEY_derive(c, (unsigned char *)strbuf_tail(out), &len) <= 0)
		return failed(err, "ECDH failed");
	strbuf_commit(out, len);
	return 0;
}

/* ---- new keys ---- */

static EVP_PKEY *new_rsa(const struct load_wc_params *p)
{
	CLEANUP(free_ctx) EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	BIGNUM *e = BN_bin2bn((const unsigned char *)strbuf_cstr(&p->exponent),
			      (int)MIN(p->exponent.len, (size_t)64), NULL);
	EVP_PKEY *pkey = NULL;

	if (c && e && p->modulus_bits <= MODULUS_BITS_MAX && EVP_PKEY_keygen_init(c) > 0 &&
	    EVP_PKEY_CTX_set_rsa_keygen_bits(c, (int)p->modulus_bits) > 0 &&
	    EVP_PKEY_CTX_set1_rsa_keygen_pubexp(c, e) > 0)
		EVP_PKEY_generate(c, &pkey);
	BN_free(e);
	return pkey;
}

static int generate_pair(const struct load_wc_params *p, bool extractable, unsigned usages,
			 struct load_wc_key *ret[2], struct load_wc_error *err)
{
	unsigned private = usages & load_wc_usages_allowed(p->name, WC_PRIVATE);
	unsigned public = usages & load_wc_usages_allowed(p->name, WC_PUBLIC);
	EVP_PKEY *pkey;

	if (!private)
		return load_wc_fail(err, "SyntaxError", "the private key would have no usage");
	pkey = load_wc_is_rsa(p->name) ? new_rsa(p)
				       : EVP_PKEY_Q_keygen(NULL, NULL, "EC", p->curve->library);
	if (!pkey)
		return failed(err, "no such key can be made");
	EVP_PKEY_up_ref(pkey);
	ret[0] = load_wc_key_new(p, WC_PRIVATE, pkey, extractable, private);
	ret[1] = load_wc_key_new(p, WC_PUBLIC, pkey, true, public);
	return 0;
}

static int generate_secret(const struct load_wc_params *p, bool extractable, unsigned usages,
			   struct load_wc_key **ret, struct load_wc_error *err)
{
	struct load_wc_key *k;
	uint32_t bits;
	size_t len;

	if (!usages)
		return load_wc_fail(err, "SyntaxError", "the key would have no usage");
	if (load_wc_derived_bits(p, &bits, err) < 0 || bits > 1 << 20)
		return load_wc_fail(err, "OperationError", "no key of %u bits can be made",
				    p->length);
	len = (bits + 7) / 8;
	k = load_wc_key_new(p, WC_SECRET, NULL, extractable, usages);
	k->bits = bits;
	strbuf_reserve(&k->secret, len);
	if (RAND_bytes((unsigned char *)k->secret.ptr, (int)len) != 1) {
		load_wc_key_unref(k);
		return failed(err, "the crypto library has no random bytes");
	}
	strbuf_commit(&k->secret, len);
	*ret = k;
	return 0;
}

int load_wc_generate(const struct load_wc_params *p, bool extractable, unsigned usages,
		     struct load_wc_key *ret[2], struct load_wc_error *err)
{
	bool pair = load_wc_is_rsa(p->name) || load_wc_is_ec(p->name);
	unsigned allowed = pair ? load_wc_usages_allowed(p->name, WC_PRIVATE) |
					   load_wc_usages_allowed(p->name, WC_PUBLIC)
				: load_wc_usages_allowed(p->name, WC_SECRET);

	ret[0] = ret[1] = NULL;
	if (usages & ~allowed)
		return load_wc_fail(err, "SyntaxError", "%s keys have no such usage",
				    load_wc_name(p->name));
	return pair ? generate_pair(p, extractable, usages, ret, err)
		    : generate_secret(p, extractable, usages, &ret[0], err);
}
