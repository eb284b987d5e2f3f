/* Digests, HMAC, AES and PBKDF2: what one secret is enough for. */
#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include "load/k6/webcrypto_run.h"

#define BLOCK_BYTES 16

static const unsigned char *bytes_of(struct str s)
{
	return (const unsigned char *)s.ptr;
}

static unsigned char *tail_of(struct strbuf *out)
{
	return (unsigned char *)strbuf_tail(out);
}

/* ---- digests and HMAC ---- */

const EVP_MD *load_wc_md(enum load_wc_name hash)
{
	switch (hash) {
	case WC_SHA1:
		return EVP_sha1();
	case WC_SHA256:
		return EVP_sha256();
	case WC_SHA384:
		return EVP_sha384();
	default:
		return EVP_sha512();
	}
}

int load_wc_digest(enum load_wc_name hash, struct str data, struct strbuf *out,
		   struct load_wc_error *err)
{
	unsigned len;

	strbuf_reserve(out, EVP_MAX_MD_SIZE);
	if (!EVP_Digest(data.ptr, data.len, tail_of(out), &len, load_wc_md(hash), NULL))
		return load_wc_fail(err, "OperationError", "the digest could not be made");
	strbuf_commit(out, len);
	return 0;
}

static int hmac(const struct load_wc_key *k, struct str data, struct strbuf *out,
		struct load_wc_error *err)
{
	unsigned len;

	strbuf_reserve(out, EVP_MAX_MD_SIZE);
	if (!HMAC(load_wc_md(k->hash), strbuf_cstr(&k->secret), (int)k->secret.len, bytes_of(data),
		  data.len, tail_of(out), &len))
		return load_wc_fail(err, "OperationError", "HMAC could not be made");
	strbuf_commit(out, len);
	return 0;
}

int load_wc_sign(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		 struct strbuf *out, struct load_wc_error *err)
{
	return k->name == WC_HMAC ? hmac(k, data, out, err)
				  : load_wc_sign_pair(k, p, data, out, err);
}

int load_wc_verify(const struct load_wc_key *k, const struct load_wc_params *p, struct str sig,
		   struct str data, bool *ret, struct load_wc_error *err)
{
	CLEANUP(strbuf_release) struct strbuf want = STRBUF_INIT;

	if (k->name != WC_HMAC)
		return load_wc_verify_pair(k, p, sig, data, ret);
	if (hmac(k, data, &want, err) < 0)
		return -1;
	*ret = sig.len == want.len && !CRYPTO_memcmp(sig.ptr, want.ptr, want.len);
	return 0;
}

/* ---- AES ---- */

static const EVP_CIPHER *cipher_of(const struct load_wc_key *k)
{
	static const EVP_CIPHER *(*const ciphers[3][3])(void) = {
		{ EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc },
		{ EVP_aes_128_ctr, EVP_aes_192_ctr, EVP_aes_256_ctr },
		{ EVP_aes_128_gcm, EVP_aes_192_gcm, EVP_aes_256_gcm },
	};

	return ciphers[k->name - WC_AES_CBC][(k->bits - 128) / 64]();
}

static void free_cipher(EVP_CIPHER_CTX **c)
{
	EVP_CIPHER_CTX_free(*c);
}

/* One cipher from its start to its end over data. */
struct aes {
	const struct load_wc_key *key;
	bool encrypt;
	const unsigned char *iv;
	size_t iv_bytes; /* 0 = the cipher's own */
	struct str additional;
	struct str tag;	   /* to be checked */
	size_t tag_wanted; /* bytes to append */
};

static bool aes_begin(EVP_CIPHER_CTX *c, const struct aes *a)
{
	int n;

	if (!EVP_CipherInit_ex(c, cipher_of(a->key), NULL, NULL, NULL, a->encrypt))
		return false;
	if (a->iv_bytes &&
	    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, (int)a->iv_bytes, NULL) <= 0)
		return false;
	if (!EVP_CipherInit_ex(c, NULL, NULL, bytes_of(strbuf_str(&a->key->secret)), a->iv,
			       a->encrypt))
		return false;
	if (a->tag.len) {
		unsigned char tag[BLOCK_BYTES];

		memcpy(tag, a->tag.ptr, a->tag.len);
		if (EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)a->tag.len, tag) <= 0)
			return false;
	}
	return !a->additional.len ||
	       EVP_CipherUpdate(c, NULL, &n, bytes_of(a->additional), (int)a->additional.len);
}

static bool aes_run(const struct aes *a, struct str data, struct strbuf *out)
{
	CLEANUP(free_cipher) EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	if (!c || data.len > INT32_MAX - BLOCK_BYTES || !aes_begin(c, a))
		return false;
	strbuf_reserve(out, data.len + 2 * BLOCK_BYTES);
	if (data.len) {
		if (!EVP_CipherUpdate(c, tail_of(out), &n, bytes_of(data), (int)data.len))
			return false;
		strbuf_commit(out, (size_t)n);
	}
	if (EVP_CipherFinal_ex(c, tail_of(out), &n) <= 0)
		return false;
	strbuf_commit(out, (size_t)n);
	if (a->tag_wanted) {
		if (EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, (int)a->tag_wanted,
					tail_of(out)) <= 0)
			return false;
		strbuf_commit(out, a->tag_wanted);
	}
	return true;
}

static int aes_cbc(const struct aes *aes, const struct load_wc_params *p, struct str data,
		   struct strbuf *out, struct load_wc_error *err)
{
	struct aes a = *aes;

	if (p->iv.len != BLOCK_BYTES)
		return load_wc_fail(err, "OperationError", "AES-CBC takes an iv of 16 bytes");
	a.iv = bytes_of(strbuf_str(&p->iv));
	if (!aes_run(&a, data, out))
		return load_wc_fail(err, "OperationError", "the text cannot be %scrypted",
				    a.encrypt ? "en" : "de");
	return 0;
}

/*
 * Only the last p->length bits of the block count, the rest stays; the cipher counts with all. So
 * the data up to where those bits become zero is one run, and what follows another.
 */
static int aes_ctr(const struct aes *aes, const struct load_wc_params *p, struct str data,
		   struct strbuf *out, struct load_wc_error *err)
{
	size_t blocks = (data.len + BLOCK_BYTES - 1) / BLOCK_BYTES, first = data.len;
	unsigned char counter[BLOCK_BYTES];
	uint64_t left = 0; /* blocks before the wrap, as far as 63 bits tell */
	struct aes a = *aes;

	if (p->iv.len != BLOCK_BYTES || p->length < 1 || p->length > 128)
		return load_wc_fail(err, "OperationError",
				    "AES-CTR takes a counter of 16 bytes and a length of 1 to 128");
	if (p->length < 63 && blocks > UINT64_C(1) << p->length)
		return load_wc_fail(err, "OperationError", "the counter is too short for the data");
	memcpy(counter, p->iv.ptr, sizeof(counter));
	for (unsigned i = 0; i < MIN(p->length, 63u); i++)
		left |= (uint64_t) !(counter[15 - i / 8] >> i % 8 & 1) << i;
	for (unsigned i = 63; i < p->length; i++)
		if (!(counter[15 - i / 8] >> i % 8 & 1))
			left = UINT64_MAX - 1;
	if (left + 1 < blocks)
		first = (size_t)(left + 1) * BLOCK_BYTES;
	a.iv = counter;
	if (!aes_run(&a, (struct str){ data.ptr, first }, out))
		return load_wc_fail(err, "OperationError", "AES-CTR failed");
	if (first == data.len)
		return 0;
	for (unsigned i = 0; i < p->length; i++)
		counter[15 - i / 8] &= (unsigned char)~(1u << i % 8);
	if (!aes_run(&a, (struct str){ data.ptr + first, data.len - first }, out))
		return load_wc_fail(err, "OperationError", "AES-CTR failed");
	return 0;
}

static bool is_tag_length(uint32_t bits)
{
	return bits == 32 || bits == 64 || (bits >= 96 && bits <= 128 && bits % 8 == 0);
}

static int aes_gcm(const struct aes *aes, const struct load_wc_params *p, struct str data,
		   struct strbuf *out, struct load_wc_error *err)
{
	size_t tag = p->tag_bits / 8;
	struct aes a = *aes;

	if (!is_tag_length(p->tag_bits))
		return load_wc_fail(err, "OperationError", "AES-GCM has no tags of %u bits",
				    p->tag_bits);
	if (!p->iv.len || (!a.encrypt && data.len < tag))
		return load_wc_fail(err, "OperationError", "%s",
				    p->iv.len ? "the text is shorter than its tag"
					      : "AES-GCM takes an iv");
	a.iv = bytes_of(strbuf_str(&p->iv));
	a.iv_bytes = p->iv.len;
	a.additional = strbuf_str(&p->additional);
	if (a.encrypt) {
		a.tag_wanted = tag;
	} else {
		data.len -= tag;
		a.tag = (struct str){ data.ptr + data.len, tag };
	}
	if (!aes_run(&a, data, out))
		return load_wc_fail(err, "OperationError", "the text cannot be %scrypted",
				    a.encrypt ? "en" : "de");
	return 0;
}

static int crypt(const struct load_wc_key *k, const struct load_wc_params *p, bool encrypt,
		 struct str data, struct strbuf *out, struct load_wc_error *err)
{
	struct aes a = { .key = k, .encrypt = encrypt };

	switch (k->name) {
	case WC_AES_CBC:
		return aes_cbc(&a, p, data, out, err);
	case WC_AES_CTR:
		return aes_ctr(&a, p, data, out, err);
	case WC_AES_GCM:
		return aes_gcm(&a, p, data, out, err);
	default:
		return load_wc_oaep(k, p, encrypt, data, out, err);
	}
}

int load_wc_encrypt(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		    struct strbuf *out, struct load_wc_error *err)
{
	return crypt(k, p, true, data, out, err);
}

int load_wc_decrypt(const struct load_wc_key *k, const struct load_wc_params *p, struct str data,
		    struct strbuf *out, struct load_wc_error *err)
{
	return crypt(k, p, false, data, out, err);
}

/* ---- deriving ---- */

static int pbkdf2(const struct load_wc_key *k, const struct load_wc_params *p, uint32_t bits,
		  struct strbuf *out, struct load_wc_error *err)
{
	size_t len = bits / 8;

	if (bits == WC_ALL_BITS || !bits || bits % 8)
		return load_wc_fail(err, "OperationError", "PBKDF2 takes a length, in whole bytes");
	if (!p->iterations || p->iterations > INT32_MAX)
		return load_wc_fail(err, "OperationError", "PBKDF2 takes at least one iteration");
	strbuf_reserve(out, len);
	if (!PKCS5_PBKDF2_HMAC(strbuf_cstr(&k->secret), (int)k->secret.len,
			       bytes_of(strbuf_str(&p->salt)), (int)p->salt.len, (int)p->iterations,
			       load_wc_md(p->hash), (int)len, tail_of(out)))
		return load_wc_fail(err, "OperationError", "PBKDF2 failed");
	strbuf_commit(out, len);
	return 0;
}

static int ecdh(const struct load_wc_key *k, const struct load_wc_params *p, uint32_t bits,
		struct strbuf *out, struct load_wc_error *err)
{
	size_t len;

	if (load_wc_ecdh(k, p, out, err) < 0)
		return -1;
	if (bits == WC_ALL_BITS)
		return 0;
	len = (bits + 7) / 8;
	if (len > out->len)
		return load_wc_fail(err, "OperationError", "ECDH gives %zu bits here",
				    out->len * 8);
	strbuf_truncate(out, len);
	if (bits % 8)
		out->ptr[len - 1] &= (char)(0xff << (8 - bits % 8));
	return 0;
}

int load_wc_derive(const struct load_wc_key *k, const struct load_wc_params *p, uint32_t bits,
		   struct strbuf *out, struct load_wc_error *err)
{
	return k->name == WC_ECDH ? ecdh(k, p, bits, out, err) : pbkdf2(k, p, bits, out, err);
}

int load_wc_derived_bits(const struct load_wc_params *p, uint32_t *ret, struct load_wc_error *err)
{
	if (load_wc_is_aes(p->name)) {
		if (p->length != 128 && p->length != 192 && p->length != 256)
			return load_wc_fail(err, "OperationError",
					    "AES keys have 128, 192 or 256 bits");
		*ret = p->length;
		return 0;
	}
	if (p->has_length && !p->length)
		return load_wc_fail(err, "TypeError", "a key of no bits");
	*ret = p->has_length ? p->length : (uint32_t)EVP_MD_get_block_size(load_wc_md(p->hash)) * 8;
	return 0;
}
