/* Keys in and out: raw, SubjectPublicKeyInfo and PKCS #8. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include "base/mem.h"
#include "load/k6/webcrypto_run.h"

int load_wc_fail(struct load_wc_error *err, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	err->name = name;
	return -1;
}

static int data_error(struct load_wc_error *err, const char *what)
{
	ERR_clear_error();
	return load_wc_fail(err, "DataError", "%s", what);
}

/* ---- keys ---- */

struct load_wc_key *load_wc_key_new(const struct load_wc_params *p, enum load_wc_type type,
				    EVP_PKEY *pkey, bool extractable, unsigned usages)
{
	struct load_wc_key *k = xcalloc(1, sizeof(*k));

	k->refs = 1;
	k->type = type;
	k->name = p->name;
	k->hash = p->hash;
	k->curve = p->curve;
	k->pkey = pkey;
	k->extractable = extractable;
	k->usages = usages;
	return k;
}

struct load_wc_key *load_wc_key_ref(struct load_wc_key *k)
{
	k->refs++;
	return k;
}

void load_wc_key_unref(struct load_wc_key *k)
{
	if (!k || --k->refs)
		return;
	strbuf_release(&k->secret);
	EVP_PKEY_free(k->pkey);
	free(k);
}

unsigned load_wc_usages_allowed(enum load_wc_name name, enum load_wc_type type)
{
	const unsigned wrap = WC_MAY_WRAP | WC_MAY_UNWRAP;

	switch (name) {
	case WC_HMAC:
		return WC_MAY_SIGN | WC_MAY_VERIFY;
	case WC_AES_CBC:
	case WC_AES_CTR:
	case WC_AES_GCM:
		return WC_MAY_ENCRYPT | WC_MAY_DECRYPT | wrap;
	case WC_RSASSA:
	case WC_RSA_PSS:
	case WC_ECDSA:
		return type == WC_PRIVATE ? WC_MAY_SIGN : WC_MAY_VERIFY;
	case WC_RSA_OAEP:
		return type == WC_PRIVATE ? WC_MAY_DECRYPT | WC_MAY_UNWRAP
					  : WC_MAY_ENCRYPT | WC_MAY_WRAP;
	case WC_ECDH:
		return type == WC_PRIVATE ? WC_MAY_DERIVE_KEY | WC_MAY_DERIVE_BITS : 0;
	case WC_PBKDF2:
		return WC_MAY_DERIVE_KEY | WC_MAY_DERIVE_BITS;
	default:
		return 0;
	}
}

/* ---- raw ---- */

static int check_secret_length(const struct load_wc_import *in, size_t len,
			       struct load_wc_error *err)
{
	const struct load_wc_params *p = in->params;

	if (load_wc_is_aes(p->name) && len != 16 && len != 24 && len != 32)
		return load_wc_fail(err, "DataError", "AES keys have 16, 24 or 32 bytes");
	if (p->name != WC_HMAC)
		return 0;
	if (!len)
		return load_wc_fail(err, "DataError", "an HMAC key of no bytes");
	if (p->has_length && (p->length > len * 8 || p->length + 8 <= len * 8))
		return load_wc_fail(err, "DataError", "the length is not that of the key");
	return 0;
}

int load_wc_import_secret(const struct load_wc_import *in, struct str secret,
			  struct load_wc_key **ret, struct load_wc_error *err)
{
	struct load_wc_key *k;

	if (check_secret_length(in, secret.len, err) < 0)
		return -1;
	k = load_wc_key_new(in->params, WC_SECRET, NULL, in->extractable, in->usages);
	strbuf_add(&k->secret, secret.ptr, secret.len);
	k->bits = in->params->has_length ? in->params->length : (uint32_t)secret.len * 8;
	if (k->bits % 8)
		k->secret.ptr[secret.len - 1] &= (char)(0xff << (8 - k->bits % 8));
	*ret = k;
	return 0;
}

static EVP_PKEY *ec_from(OSSL_PARAM *params)
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	EVP_PKEY *pkey = NULL;

	if (c && EVP_PKEY_fromdata_init(c) > 0)
		EVP_PKEY_fromdata(c, &pkey, EVP_PKEY_KEYPAIR, params);
	EVP_PKEY_CTX_free(c);
	return pkey;
}

/* The library looks at the point alone, not whether the private number belongs to it. */
static bool is_pair(EVP_PKEY *pkey)
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new(pkey, NULL);
	bool ok = c && EVP_PKEY_pairwise_check(c) > 0;

	EVP_PKEY_CTX_free(c);
	return ok;
}

int load_wc_ec_from_point(const struct load_wc_curve *curve, struct str point, struct str d,
			  EVP_PKEY **ret, struct load_wc_error *err)
{
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	OSSL_PARAM *params = NULL;
	EVP_PKEY *pkey = NULL;
	BIGNUM *number = NULL;

	if (d.len)
		number = BN_bin2bn((const unsigned char *)d.ptr, (int)d.len, NULL);
	if (b &&
	    OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, curve->library, 0) &&
	    OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point.ptr, point.len) &&
	    (!number || OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_PRIV_KEY, number)))
		params = OSSL_PARAM_BLD_to_param(b);
	if (params)
		pkey = ec_from(params);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(b);
	BN_free(number);
	if (pkey && d.len && !is_pair(pkey)) {
		EVP_PKEY_free(pkey);
		pkey = NULL;
	}
	if (!pkey)
		return data_error(err, "the numbers are no key of that curve");
	*ret = pkey;
	return 0;
}

static int import_raw_point(const struct load_wc_import *in, struct load_wc_key **ret,
			    struct load_wc_error *err)
{
	const struct load_wc_params *p = in->params;
	EVP_PKEY *pkey;

	if (in->data.len != 1 + 2 * p->curve->bytes || in->data.ptr[0] != 4)
		return load_wc_fail(err, "DataError", "a point has 4 and two numbers of %zu bytes",
				    p->curve->bytes);
	if (load_wc_ec_from_point(p->curve, in->data, (struct str){ 0 }, &pkey, err) < 0)
		return -1;
	*ret = load_wc_key_new(p, WC_PUBLIC, pkey, in->extractable, in->usages);
	return 0;
}

/* ---- SubjectPublicKeyInfo and PKCS #8 ---- */

static EVP_PKEY *parse_pkcs8(const unsigned char **at, long len)
{
	PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, at, len);
	EVP_PKEY *pkey = info ? EVP_PKCS82PKEY(info) : NULL;

	PKCS8_PRIV_KEY_INFO_free(info);
	return pkey;
}

static bool is_of_kind(const EVP_PKEY *pkey, const struct load_wc_params *p)
{
	char group[32];
	size_t len;

	if (load_wc_is_rsa(p->name))
		return EVP_PKEY_is_a(pkey, "RSA");
	return EVP_PKEY_is_a(pkey, "EC") &&
	       EVP_PKEY_get_group_name(pkey, group, sizeof(group), &len) &&
	       !strcmp(group, p->curve->library);
}

static int import_der(const struct load_wc_import *in, struct load_wc_key **ret,
		      struct load_wc_error *err)
{
	const unsigned char *at = (const unsigned char *)in->data.ptr, *end = at + in->data.len;
	bool private = in->format == WC_PKCS8;
	EVP_PKEY *pkey = private ? parse_pkcs8(&at, (long)in->data.len)
				 : d2i_PUBKEY(NULL, &at, (long)in->data.len);

	if (!pkey || at != end || !is_of_kind(pkey, in->params)) {
		EVP_PKEY_free(pkey);
		return data_error(err, "the bytes are no key of that kind");
	}
	*ret = load_wc_key_new(in->params, private ? WC_PRIVATE : WC_PUBLIC, pkey, in->extractable,
			       in->usages);
	return 0;
}

/* ---- all of them ---- */

static bool is_secret(enum load_wc_name name)
{
	return name == WC_HMAC || load_wc_is_aes(name) || name == WC_PBKDF2;
}

/* The type that a key of that form has; -1 = there is none. */
static int type_of(const struct load_wc_import *in)
{
	enum load_wc_name name = in->params->name;

	switch (in->format) {
	case WC_RAW:
		return is_secret(name) ? WC_SECRET : load_wc_is_ec(name) ? WC_PUBLIC : -1;
	case WC_SPKI:
		return is_secret(name) ? -1 : WC_PUBLIC;
	case WC_PKCS8:
		return is_secret(name) ? -1 : WC_PRIVATE;
	default:
		if (name == WC_PBKDF2)
			return -1;
		if (is_secret(name))
			return WC_SECRET;
		return in->jwk->text[JWK_D] ? WC_PRIVATE : WC_PUBLIC;
	}
}

static int check_usages(const struct load_wc_import *in, enum load_wc_type type,
			struct load_wc_error *err)
{
	if (in->usages & ~load_wc_usages_allowed(in->params->name, type))
		return load_wc_fail(err, "SyntaxError", "such a key has not all of these usages");
	if (!in->usages && type != WC_PUBLIC)
		return load_wc_fail(err, "SyntaxError", "the key would have no usage");
	if (in->params->name == WC_PBKDF2 && in->extractable)
		return load_wc_fail(err, "SyntaxError", "PBKDF2 keys cannot be extractable");
	return 0;
}

int load_wc_import(const struct load_wc_import *in, struct load_wc_key **ret,
		   struct load_wc_error *err)
{
	int type = type_of(in);

	if (type < 0)
		return load_wc_fail(err, "NotSupportedError", "%s has no keys of that format",
				    load_wc_name(in->params->name));
	if (check_usages(in, (enum load_wc_type)type, err) < 0)
		return -1;
	if (in->format == WC_JWK)
		return load_wc_import_jwk(in, ret, err);
	if (type == WC_SECRET)
		return load_wc_import_secret(in, in->data, ret, err);
	return in->format == WC_RAW ? import_raw_point(in, ret, err) : import_der(in, ret, err);
}

/* ---- export ---- */

static bool add_number(const EVP_PKEY *pkey, const char *name, size_t bytes, struct strbuf *out)
{
	BIGNUM *n = NULL;
	bool ok;

	strbuf_reserve(out, bytes);
	ok = EVP_PKEY_get_bn_param(pkey, name, &n) &&
	     BN_bn2binpad(n, (unsigned char *)strbuf_tail(out), (int)bytes) >= 0;
	BN_free(n);
	if (ok)
		strbuf_commit(out, bytes);
	return ok;
}

int load_wc_ec_point(const struct load_wc_key *k, struct strbuf *out, struct load_wc_error *err)
{
	strbuf_addch(out, 4);
	if (!add_number(k->pkey, OSSL_PKEY_PARAM_EC_PUB_X, k->curve->bytes, out) ||
	    !add_number(k->pkey, OSSL_PKEY_PARAM_EC_PUB_Y, k->curve->bytes, out))
		return load_wc_fail(err, "OperationError", "the key has no public point");
	return 0;
}

static int export_raw(const struct load_wc_key *k, struct strbuf *out, struct load_wc_error *err)
{
	if (k->type == WC_SECRET)
		return strbuf_add(out, strbuf_cstr(&k->secret), k->secret.len);
	if (!load_wc_is_ec(k->name))
		return load_wc_fail(err, "NotSupportedError", "%s has no raw keys",
				    load_wc_name(k->name));
	if (k->type != WC_PUBLIC)
		return load_wc_fail(err, "InvalidAccessError", "only public keys are raw");
	return load_wc_ec_point(k, out, err);
}

static int export_der(const struct load_wc_key *k, bool private, struct strbuf *out,
		      struct load_wc_error *err)
{
	PKCS8_PRIV_KEY_INFO *info = NULL;
	unsigned char *der = NULL;
	int len;

	if (k->type == WC_SECRET)
		return load_wc_fail(err, "NotSupportedError", "secrets are raw or JWKs");
	if (k->type != (private ? WC_PRIVATE : WC_PUBLIC))
		return load_wc_fail(err, "InvalidAccessError", "the key is the other half");
	if (private) {
		info = EVP_PKEY2PKCS8(k->pkey);
		len = info ? i2d_PKCS8_PRIV_KEY_INFO(info, &der) : -1;
		PKCS8_PRIV_KEY_INFO_free(info);
	} else {
		len = i2d_PUBKEY(k->pkey, &der);
	}
	if (len > 0)
		strbuf_add(out, der, (size_t)len);
	OPENSSL_free(der);
	return len > 0 ? 0 : load_wc_fail(err, "OperationError", "the key cannot be written");
}

int load_wc_export(const struct load_wc_key *k, enum load_wc_format format, struct strbuf *out,
		   struct load_wc_error *err)
{
	return format == WC_RAW ? export_raw(k, out, err)
				: export_der(k, format == WC_PKCS8, out, err);
}
