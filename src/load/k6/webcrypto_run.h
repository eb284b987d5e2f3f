/*
 * webcrypto_run.h - what the methods of crypto.subtle do, without scripts: it runs on the loop's
 * stack, because the crypto library needs more of it than a fiber has to spare. Functions return 0,
 * or -1 with *err set, unless stated otherwise.
 */
#ifndef ASSAY_LOAD_WEBCRYPTO_RUN_H
#define ASSAY_LOAD_WEBCRYPTO_RUN_H

#include "load/k6/webcrypto.h"

/* name: the one that the specification gives the error. */
struct load_wc_error {
	const char *name;
	char message[120];
};

/* Returns -1. */
int load_wc_fail(struct load_wc_error *err, const char *name, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

int load_wc_digest(enum load_wc_name hash, struct str data, struct strbuf *out,
		   struct load_wc_error *err);

/* *ret[1] is the public half of a pair, else NULL. */
int load_wc_generate(const struct load_wc_params *p, bool extractable, unsigned usages,
		     struct load_wc_key *ret[2], struct load_wc_error *err);

struct load_wc_import {
	const struct load_wc_params *params;
	enum load_wc_format format;
	struct str data;	       /* unless it is a JWK */
	const struct load_wc_jwk *jwk; /* if it is one */
	bool extractable;
	unsigned usages;
};

int load_wc_import(const struct load_wc_import *in, struct load_wc_key **ret,
		   struct load_wc_error *err);

/* Of a key that may be exported. */
int load_wc_export(const struct load_wc_key *k, enum load_wc_format format, struct strbuf *out,
		   struct load_wc_error *err);
int load_wc_export_jwk(const struct load_wc_key *k, struct load_wc_jwk *out,
		       struct load_wc_error *err);

/* With a key of that algorithm and the usage for it. */
int load_wc_sign(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		 struct strbuf *out, struct load_wc_error *err);
int load_wc_verify(const struct load_wc_key *k, const struct load_wc_params *p, struct str sig,
		   struct str data, bool *ret, struct load_wc_error *err);
int load_wc_encrypt(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		    struct strbuf *out, struct load_wc_error *err);
int load_wc_decrypt(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		    struct strbuf *out, struct load_wc_error *err);

/* WC_ALL_BITS: as many as there are. */
#define WC_ALL_BITS UINT32_MAX
int load_wc_derive(const struct load_wc_key *k, const struct load_wc_params *p, uint32_t bits,
		   struct strbuf *out, struct load_wc_error *err);

/* The length of a key to derive, in bits. */
int load_wc_derived_bits(const struct load_wc_params *p, uint32_t *ret, struct load_wc_error *err);

/* ---- parts of the above ---- */

/* Makes a key with one reference; takes pkey over (NULL: a secret). */
struct load_wc_key *load_wc_key_new(const struct load_wc_params *p, enum load_wc_type type,
				    EVP_PKEY *pkey, bool extractable, unsigned usages);

/* What a key of that algorithm and type may be used for at most. */
unsigned load_wc_usages_allowed(enum load_wc_name name, enum load_wc_type type);

int load_wc_import_jwk(const struct load_wc_import *in, struct load_wc_key **ret,
		       struct load_wc_error *err);

/* The secret's own key, its length checked. */
int load_wc_import_secret(const struct load_wc_import *in, struct str secret,
			  struct load_wc_key **ret, struct load_wc_error *err);

/* A public point: 4, X, Y. */
int load_wc_ec_from_point(const struct load_wc_curve *curve, struct str point, struct str d,
			  EVP_PKEY **ret, struct load_wc_error *err);
int load_wc_ec_point(const struct load_wc_key *k, struct strbuf *out, struct load_wc_error *err);

int load_wc_sign_pair(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		      struct strbuf *out, struct load_wc_error *err);
int load_wc_verify_pair(const struct load_wc_key *k, const struct load_wc_params *p, struct str sig,
			struct str data, bool *ret);
int load_wc_oaep(const struct load_wc_key *k, const struct load_wc_params *p, bool encrypt,
		 struct str data, struct strbuf *out, struct load_wc_error *err);
int load_wc_ecdh(const struct load_wc_key *k, const struct load_wc_params *p, struct strbuf *out,
		 struct load_wc_error *err);

#endif
