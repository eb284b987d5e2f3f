/* Keys as JSON Web Keys: RFC 7517, and RFC 7518 section 6 for their members. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/mem.h"
#include "load/k6/webcrypto_run.h"

static int data_error(struct load_wc_error *err, const char *what)
{
	ERR_clear_error();
	return load_wc_fail(err, "DataError", "%s", what);
}

static bool is(const char *text, const char *want)
{
	return text && !strcmp(text, want);
}

/* ---- names of algorithms ---- */

static unsigned hash_bits(enum load_wc_name hash)
{
	static const unsigned bits[] = {
		[WC_SHA1] = 1, [WC_SHA256] = 256, [WC_SHA384] = 384, [WC_SHA512] = 512
	};

	return bits[hash];
}

/* "HS256", "A128GCM", "RSA-OAEP-256"; "" where there is no name. */
static void name_of(const struct load_wc_params *p, uint32_t bits, char *out, size_t size)
{
	switch (p->name) {
	case WC_HMAC:
		snprintf(out, size, "HS%u", hash_bits(p->hash));
		break;
	case WC_AES_CBC:
	case WC_AES_CTR:
	case WC_AES_GCM:
		snprintf(out, size, "A%u%s", bits, load_wc_name(p->name) + sizeof("AES-") - 1);
		break;
	case WC_RSASSA:
		snprintf(out, size, "RS%u", hash_bits(p->hash));
		break;
	case WC_RSA_PSS:
		snprintf(out, size, "PS%u", hash_bits(p->hash));
		break;
	case WC_RSA_OAEP:
		if (p->hash == WC_SHA1)
			snprintf(out, size, "RSA-OAEP");
		else
			snprintf(out, size, "RSA-OAEP-%u", hash_bits(p->hash));
		break;
	case WC_ECDSA:
		snprintf(out, size, "%s", p->curve->jws);
		break;
	default:
		*out = '\0';
	}
}

/* ---- import ---- */

static bool is_for_signing(enum load_wc_name n)
{
	return n == WC_HMAC || n == WC_RSASSA || n == WC_RSA_PSS || n == WC_ECDSA;
}

/* What all kinds have in common. */
static int check_common(const struct load_wc_import *in, const char *kty, uint32_t bits,
			struct load_wc_error *err)
{
	const struct load_wc_jwk *j = in->jwk;
	char name[24];

	name_of(in->params, bits, name, sizeof(name));
	if (!is(j->text[JWK_KTY], kty))
		return data_error(err, "the JWK's kty is that of another kind of key");
	if (j->text[JWK_ALG] && name[0] && strcmp(j->text[JWK_ALG], name) != 0)
		return data_error(err, "the JWK's alg is another algorithm's");
	if (in->usages && j->text[JWK_USE] &&
	    !is(j->text[JWK_USE], is_for_signing(in->params->name) ? "sig" : "enc"))
		return data_error(err, "the JWK's use is another one");
	if (j->has_ops && (in->usages & ~j->ops))
		return data_error(err, "the JWK's key_ops lack a usage that is asked for");
	if (j->has_ext && !j->ext && in->extractable)
		return data_error(err, "the JWK says that it is not to be extractable");
	return 0;
}

static int read_member(const struct load_wc_jwk *j, enum load_wc_jwk_member m, struct strbuf *out)
{
	return j->text[m] && base64_decode(out, str_from(j->text[m]), BASE64_RAW_URL, NULL) == 0
		       ? 0
		       : -1;
}

static int import_oct(const struct load_wc_import *in, struct load_wc_key **ret,
		      struct load_wc_error *err)
{
	CLEANUP(strbuf_release) struct strbuf secret = STRBUF_INIT;

	if (read_member(in->jwk, JWK_K, &secret) < 0)
		return data_error(err, "the JWK's k is missing, or no base64url");
	if (check_common(in, "oct", (uint32_t)secret.len * 8, err) < 0)
		return -1;
	return load_wc_import_secret(in, strbuf_str(&secret), ret, err);
}

static int import_ec(const struct load_wc_import *in, struct load_wc_key **ret,
		     struct load_wc_error *err)
{
	CLEANUP(strbuf_release)
	struct strbuf point = STRBUF_INIT, y = STRBUF_INIT, d = STRBUF_INIT;
	const struct load_wc_params *p = in->params;
	const struct load_wc_jwk *j = in->jwk;
	bool private = j->text[JWK_D];
	EVP_PKEY *pkey;

	if (check_common(in, "EC", 0, err) < 0)
		return -1;
	if (!is(j->text[JWK_CRV], p->curve->name))
		return data_error(err, "the JWK's crv is another curve");
	strbuf_addch(&point, 4);
	if (read_member(j, JWK_X, &point) < 0 || read_member(j, JWK_Y, &y) < 0 ||
	    (private && read_member(j, JWK_D, &d) < 0) || point.len != 1 + p->curve->bytes ||
	    y.len != p->curve->bytes || (private && d.len != p->curve->bytes))
		return data_error(err, "the JWK's x, y or d is missing, or not of that curve");
	strbuf_add(&point, y.ptr, y.len);
	if (load_wc_ec_from_point(p->curve, strbuf_str(&point), strbuf_str(&d), &pkey, err) < 0)
		return -1;
	*ret = load_wc_key_new(p, private ? WC_PRIVATE : WC_PUBLIC, pkey, in->extractable,
			       in->usages);
	return 0;
}

/* The members of an RSA key and what the library calls them; a public one has the first two. */
static const struct {
	enum load_wc_jwk_member member;
	const char *param;
} rsa_members[] = {
	{ JWK_N, OSSL_PKEY_PARAM_RSA_N },	   { JWK_E, OSSL_PKEY_PARAM_RSA_E },
	{ JWK_D, OSSL_PKEY_PARAM_RSA_D },	   { JWK_P, OSSL_PKEY_PARAM_RSA_FACTOR1 },
	{ JWK_Q, OSSL_PKEY_PARAM_RSA_FACTOR2 },	   { JWK_DP, OSSL_PKEY_PARAM_RSA_EXPONENT1 },
	{ JWK_DQ, OSSL_PKEY_PARAM_RSA_EXPONENT2 }, { JWK_QI, OSSL_PKEY_PARAM_RSA_COEFFICIENT1 },
};

#define RSA_PUBLIC_MEMBERS 2

static bool push_numbers(OSSL_PARAM_BLD *b, const struct load_wc_jwk *j, size_t count,
			 BIGNUM *numbers[])
{
	for (size_t i = 0; i < count; i++) {
		CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;

		if (read_member(j, rsa_members[i].member, &bytes) < 0)
			return false;
		numbers[i] =
			BN_bin2bn((const unsigned char *)strbuf_cstr(&bytes), (int)bytes.len, NULL);
		if (!numbers[i] || !OSSL_PARAM_BLD_push_BN(b, rsa_members[i].param, numbers[i]))
			return false;
	}
	return true;
}

static EVP_PKEY *rsa_from(OSSL_PARAM *params, bool private)
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	EVP_PKEY *pkey = NULL;

	if (c && EVP_PKEY_fromdata_init(c) > 0)
		EVP_PKEY_fromdata(c, &pkey, private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
				  params);
	EVP_PKEY_CTX_free(c);
	return pkey;
}

static EVP_PKEY *read_rsa(const struct load_wc_jwk *j, bool private)
{
	size_t count = private ? ARRAY_SIZE(rsa_members) : RSA_PUBLIC_MEMBERS;
	BIGNUM *numbers[ARRAY_SIZE(rsa_members)] = { NULL };
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	OSSL_PARAM *params = NULL;
	EVP_PKEY *pkey = NULL;

	if (b && push_numbers(b, j, count, numbers))
		params = OSSL_PARAM_BLD_to_param(b);
	if (params)
		pkey = rsa_from(params, private);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(b);
	for (size_t i = 0; i < count; i++)
		BN_clear_free(numbers[i]);
	return pkey;
}

static int import_rsa(const struct load_wc_import *in, struct load_wc_key **ret,
		      struct load_wc_error *err)
{
	bool private = in->jwk->text[JWK_D];
	EVP_PKEY *pkey;

	if (check_common(in, "RSA", 0, err) < 0)
		return -1;
	if (in->jwk->has_oth)
		return load_wc_fail(err, "NotSupportedError", "RSA keys of more than two primes");
	pkey = read_rsa(in->jwk, private);
	if (!pkey)
		return data_error(err, "the JWK's numbers are missing, or no RSA key");
	*ret = load_wc_key_new(in->params, private ? WC_PRIVATE : WC_PUBLIC, pkey, in->extractable,
			       in->usages);
	return 0;
}

int load_wc_import_jwk(const struct load_wc_import *in, struct load_wc_key **ret,
		       struct load_wc_error *err)
{
	if (load_wc_is_rsa(in->params->name))
		return import_rsa(in, ret, err);
	return load_wc_is_ec(in->params->name) ? import_ec(in, ret, err) : import_oct(in, ret, err);
}

/* ---- export ---- */

static char *encode(struct str bytes)
{
	struct strbuf text = STRBUF_INIT;

	base64_encode_as(&text, bytes, BASE64_RAW_URL);
	return strbuf_detach(&text);
}

/* min_bytes: of EC numbers, which keep their zeros in front. */
static int add_number(const EVP_PKEY *pkey, const char *param, size_t min_bytes, char **ret)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	BIGNUM *n = NULL;
	size_t len;
	bool ok;

	if (!EVP_PKEY_get_bn_param(pkey, param, &n))
		return -1;
	len = MAX((size_t)BN_num_bytes(n), min_bytes);
	strbuf_reserve(&bytes, len);
	ok = BN_bn2binpad(n, (unsigned char *)bytes.ptr, (int)len) >= 0;
	BN_clear_free(n);
	if (!ok)
		return -1;
	strbuf_commit(&bytes, len);
	*ret = encode(strbuf_str(&bytes));
	return 0;
}

static int export_rsa(const struct load_wc_key *k, struct load_wc_jwk *out)
{
	size_t count = k->type == WC_PRIVATE ? ARRAY_SIZE(rsa_members) : RSA_PUBLIC_MEMBERS;

	out->text[JWK_KTY] = xstrdup("RSA");
	for (size_t i = 0; i < count; i++)
		if (add_number(k->pkey, rsa_members[i].param, 0,
			       &out->text[rsa_members[i].member]) < 0)
			return -1;
	return 0;
}

static int export_ec(const struct load_wc_key *k, struct load_wc_jwk *out)
{
	size_t n = k->curve->bytes;

	out->text[JWK_KTY] = xstrdup("EC");
	out->text[JWK_CRV] = xstrdup(k->curve->name);
	if (add_number(k->pkey, OSSL_PKEY_PARAM_EC_PUB_X, n, &out->text[JWK_X]) < 0 ||
	    add_number(k->pkey, OSSL_PKEY_PARAM_EC_PUB_Y, n, &out->text[JWK_Y]) < 0)
		return -1;
	if (k->type == WC_PUBLIC)
		return 0;
	return add_number(k->pkey, OSSL_PKEY_PARAM_PRIV_KEY, n, &out->text[JWK_D]);
}

static int export_oct(const struct load_wc_key *k, struct load_wc_jwk *out)
{
	out->text[JWK_KTY] = xstrdup("oct");
	out->text[JWK_K] = encode(strbuf_str(&k->secret));
	return 0;
}

int load_wc_export_jwk(const struct load_wc_key *k, struct load_wc_jwk *out,
		       struct load_wc_error *err)
{
	struct load_wc_params p = { .name = k->name, .hash = k->hash, .curve = k->curve };
	char name[24];
	int r;

	if (load_wc_is_rsa(k->name))
		r = export_rsa(k, out);
	else
		r = load_wc_is_ec(k->name) ? export_ec(k, out) : export_oct(k, out);
	if (r < 0)
		return load_wc_fail(err, "OperationError", "the key cannot be written");
	name_of(&p, k->bits, name, sizeof(name));
	if (name[0] && k->name != WC_ECDSA) /* the specification writes no alg for curves */
		out->text[JWK_ALG] = xstrdup(name);
	out->ops = k->usages;
	out->ext = k->extractable;
	return 0;
}
