/*
 * webcrypto.h - the Web Cryptography API as k6 has it: the global `crypto` and the module
 * k6/experimental/webcrypto. webcrypto.c is the script's side, with webcrypto_params.c and
 * webcrypto_object.c; what is done is in webcrypto_run.h.
 */
#ifndef ASSAY_LOAD_WEBCRYPTO_H
#define ASSAY_LOAD_WEBCRYPTO_H

#include <openssl/evp.h>

#include "base/strbuf.h"
#include "js/engine.h"

struct load_vu;
struct load_wc_job;

/* The global; made when a script first looks. */
JSValue load_webcrypto_new(JSContext *ctx);

/* Drops what a VU has under way. */
void load_webcrypto_cancel(struct load_vu *vu);

/* ---- algorithms ---- */

enum load_wc_name {
	WC_SHA1,
	WC_SHA256,
	WC_SHA384,
	WC_SHA512,
	WC_HMAC,
	WC_AES_CBC,
	WC_AES_CTR,
	WC_AES_GCM,
	WC_RSASSA,
	WC_RSA_PSS,
	WC_RSA_OAEP,
	WC_ECDSA,
	WC_ECDH,
	WC_PBKDF2,
	WC_NAMES,
};

static inline bool load_wc_is_hash(enum load_wc_name n)
{
	return n <= WC_SHA512;
}

static inline bool load_wc_is_aes(enum load_wc_name n)
{
	return n >= WC_AES_CBC && n <= WC_AES_GCM;
}

static inline bool load_wc_is_rsa(enum load_wc_name n)
{
	return n >= WC_RSASSA && n <= WC_RSA_OAEP;
}

static inline bool load_wc_is_ec(enum load_wc_name n)
{
	return n == WC_ECDSA || n == WC_ECDH;
}

/* As the specification spells it. */
const char *load_wc_name(enum load_wc_name n);

const EVP_MD *load_wc_md(enum load_wc_name hash);

struct load_wc_curve {
	const char *name;    /* "P-256" */
	const char *library; /* what the crypto library calls it */
	const char *jws;     /* "ES256" */
	size_t bytes;	     /* of a coordinate */
};

/* By the specification's name; NULL = none. */
const struct load_wc_curve *load_wc_curve(struct str name);

/* What an algorithm is asked for: each has parameters of its own. */
enum load_wc_op {
	WC_DIGEST,
	WC_SIGN, /* and verify */
	WC_CRYPT,
	WC_GENERATE,
	WC_IMPORT,
	WC_DERIVE,
	WC_DERIVED, /* the kind of key to derive */
	WC_OPS,
};

struct load_wc_key;

/* An algorithm with its parameters. Zero initialisation is valid. Owned, all of it. */
struct load_wc_params {
	enum load_wc_name name;
	enum load_wc_name hash;
	const struct load_wc_curve *curve;
	uint32_t length; /* bits: of a key; of the part of a counter that counts */
	bool has_length;
	struct strbuf iv; /* AES-CTR: the counter */
	struct strbuf additional, label, salt, exponent;
	uint32_t tag_bits; /* 128 unless said otherwise */
	uint32_t modulus_bits, salt_bytes, iterations;
	struct load_wc_key *public; /* a reference */
};

/* Reads what a script gave: 0, or -1 with an exception. *ret is released by the caller in either
 * case. */
int load_wc_params_read(JSContext *ctx, JSValueConst v, enum load_wc_op op,
			struct load_wc_params *ret);
void load_wc_params_release(struct load_wc_params *p);

/* ---- keys ---- */

enum load_wc_type { WC_SECRET, WC_PRIVATE, WC_PUBLIC };

enum {
	WC_MAY_ENCRYPT = 1,
	WC_MAY_DECRYPT = 2,
	WC_MAY_SIGN = 4,
	WC_MAY_VERIFY = 8,
	WC_MAY_DERIVE_KEY = 16,
	WC_MAY_DERIVE_BITS = 32,
	WC_MAY_WRAP = 64,
	WC_MAY_UNWRAP = 128,
};

/* Does not change once made. */
struct load_wc_key {
	unsigned refs;
	enum load_wc_type type;
	enum load_wc_name name, hash;
	const struct load_wc_curve *curve; /* of EC keys */
	bool extractable;
	unsigned usages;
	struct strbuf secret; /* of secret keys */
	uint32_t bits;	      /* of secret keys */
	EVP_PKEY *pkey;	      /* of others */
};

struct load_wc_key *load_wc_key_ref(struct load_wc_key *k);
void load_wc_key_unref(struct load_wc_key *k); /* NULL in, nothing done */

/* ---- the script's objects, webcrypto_object.c; -1 and NULL with an exception ---- */

/* Sets the class's prototype. */
int load_wc_object_setup(JSContext *ctx);

/* The script's CryptoKey; takes a reference of its own. */
JSValue load_wc_key_object(JSContext *ctx, struct load_wc_key *k);

/* Borrowed. */
struct load_wc_key *load_wc_key_of(JSContext *ctx, JSValueConst v);

/* ["sign", ...] */
int load_wc_usages_read(JSContext *ctx, JSValueConst v, unsigned *ret);
JSValue load_wc_usages_object(JSContext *ctx, unsigned usages);

/* A copy of the bytes of a buffer or of a view on one. */
int load_wc_bytes_read(JSContext *ctx, JSValueConst v, struct strbuf *ret);

/* ---- formats ---- */

enum load_wc_format { WC_RAW, WC_PKCS8, WC_SPKI, WC_JWK };

enum load_wc_jwk_member {
	JWK_KTY,
	JWK_ALG,
	JWK_USE,
	JWK_CRV,
	JWK_K,
	JWK_N,
	JWK_E,
	JWK_D,
	JWK_P,
	JWK_Q,
	JWK_DP,
	JWK_DQ,
	JWK_QI,
	JWK_X,
	JWK_Y,
	JWK_MEMBERS,
};

/* RFC 7517. Texts are NULL where a member is absent. Zero initialisation is valid. */
struct load_wc_jwk {
	char *text[JWK_MEMBERS];
	bool has_ext, ext;
	bool has_ops, has_oth;
	unsigned ops; /* WC_MAY_... */
};

void load_wc_jwk_release(struct load_wc_jwk *j);
int load_wc_jwk_read(JSContext *ctx, JSValueConst v, struct load_wc_jwk *ret);
JSValue load_wc_jwk_object(JSContext *ctx, const struct load_wc_jwk *j);

#endif
