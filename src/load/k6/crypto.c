/*
 * The module k6/crypto: hashes, HMAC and random bytes by the crypto library. MD4 is base/'s; HMAC
 * is made of the hash (RFC 2104), so that every hash has one.
 */
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/md4.h"
#include "js/value.h"
#include "load/k6/modules.h"

#define SUM_BYTES_MAX	EVP_MAX_MD_SIZE
#define BLOCK_BYTES_MAX 144

static const struct algorithm {
	const char *name;
	const char *library_name; /* NULL = MD4 */
} algorithms[] = {
	{ "md4", NULL },
	{ "md5", "MD5" },
	{ "sha1", "SHA1" },
	{ "sha256", "SHA256" },
	{ "sha384", "SHA384" },
	{ "sha512", "SHA512" },
	{ "sha512_224", "SHA512-224" },
	{ "sha512_256", "SHA512-256" },
	{ "ripemd160", "RIPEMD160" },
};

/* ---- a hash being fed, with a key or without ---- */

struct hasher {
	const struct algorithm *algorithm;
	EVP_MD *md; /* NULL = MD4 */
	EVP_MD_CTX *ctx;
	struct md4 md4;
	bool keyed;
	unsigned char outer_pad[BLOCK_BYTES_MAX];
};

struct sum {
	unsigned char bytes[SUM_BYTES_MAX];
	unsigned len;
};

static void hasher_free(struct hasher *h)
{
	if (!h)
		return;
	EVP_MD_CTX_free(h->ctx);
	EVP_MD_free(h->md);
	free(h);
}
DEFINE_CLEANUP(hasher, struct hasher *, hasher_free)

static void feed(struct hasher *h, const void *data, size_t len)
{
	if (h->md)
		EVP_DigestUpdate(h->ctx, data, len);
	else
		md4_add(&h->md4, data, len);
}

static void restart(struct hasher *h)
{
	if (h->md)
		EVP_DigestInit_ex(h->ctx, h->md, NULL);
	else
		md4_init(&h->md4);
}

/* The sum of what was fed, which may go on. */
static struct sum inner_sum(const struct hasher *h)
{
	struct sum s = { .len = MD4_BYTES };
	struct md4 copy = h->md4;
	EVP_MD_CTX *ctx;

	if (!h->md) {
		md4_end(&copy, s.bytes);
		return s;
	}
	ctx = EVP_MD_CTX_new();
	EVP_MD_CTX_copy_ex(ctx, h->ctx);
	EVP_DigestFinal_ex(ctx, s.bytes, &s.len);
	EVP_MD_CTX_free(ctx);
	return s;
}

static size_t block_bytes(const struct hasher *h)
{
	return h->md ? (size_t)EVP_MD_get_block_size(h->md) : MD4_BLOCK_BYTES;
}

static struct hasher *hasher_new(const struct algorithm *a)
{
	struct hasher *h = xcalloc(1, sizeof(*h));

	h->algorithm = a;
	if (a->library_name) {
		h->md = EVP_MD_fetch(NULL, a->library_name, NULL);
		h->ctx = EVP_MD_CTX_new();
	}
	if (a->library_name && (!h->md || !h->ctx || block_bytes(h) > BLOCK_BYTES_MAX)) {
		hasher_free(h);
		return NULL;
	}
	restart(h);
	return h;
}

static struct sum sum_of(const struct hasher *h)
{
	struct sum inner = inner_sum(h);
	CLEANUP(cleanup_hasher) struct hasher *outer = h->keyed ? hasher_new(h->algorithm) : NULL;

	if (!outer)
		return inner;
	feed(outer, h->outer_pad, block_bytes(h));
	feed(outer, inner.bytes, inner.len);
	return inner_sum(outer);
}

static void set_key(struct hasher *h, struct str key)
{
	unsigned char pad[BLOCK_BYTES_MAX] = { 0 };
	size_t block = block_bytes(h);
	struct sum short_key;

	if (key.len > block) {
		feed(h, key.ptr, key.len);
		short_key = inner_sum(h);
		restart(h);
		memcpy(pad, short_key.bytes, short_key.len);
	} else if (key.len) {
		memcpy(pad, key.ptr, key.len);
	}
	for (size_t i = 0; i < block; i++) {
		h->outer_pad[i] = pad[i] ^ 0x5c;
		pad[i] ^= 0x36;
	}
	h->keyed = true;
	feed(h, pad, block);
}

/* ---- to and from scripts ---- */

static JSValueConst arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

static void add_hex(struct strbuf *sb, struct str bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.len; i++) {
		strbuf_addch(sb, digits[(unsigned char)bytes.ptr[i] >> 4]);
		strbuf_addch(sb, digits[(unsigned char)bytes.ptr[i] & 15]);
	}
}

static JSValue encoded(JSContext *ctx, const struct sum *s, JSValueConst how)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT, out = STRBUF_INIT;
	struct str bytes = { (const char *)s->bytes, s->len };

	if (!JS_IsUndefined(how) && js_to_str(ctx, how, &name) < 0)
		return JS_EXCEPTION;
	if (!name.len || !strcmp(name.ptr, "hex"))
		add_hex(&out, bytes);
	else if (!strcmp(name.ptr, "base64"))
		base64_encode_as(&out, bytes, BASE64_STD);
	else if (!strcmp(name.ptr, "base64url"))
		base64_encode_as(&out, bytes, BASE64_URL);
	else if (!strcmp(name.ptr, "base64rawurl"))
		base64_encode_as(&out, bytes, BASE64_RAW_URL);
	else if (!strcmp(name.ptr, "binary"))
		return js_new_buffer(ctx, bytes);
	else
		return js_throw(ctx, "Invalid output encoding: %s", name.ptr);
	return JS_NewStringLen(ctx, strbuf_cstr(&out), out.len);
}

/* NULL with an exception. */
static struct hasher *hasher_named(JSContext *ctx, const char *name)
{
	struct hasher *h;

	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
		if (strcmp(algorithms[i].name, name) != 0)
			continue;
		h = hasher_new(&algorithms[i]);
		if (!h)
			js_throw(ctx, "the crypto library has no %s here", name);
		return h;
	}
	js_throw(ctx, "Invalid algorithm: %s", name);
	return NULL;
}

static int feed_value(JSContext *ctx, struct hasher *h, JSValueConst v)
{
	CLEANUP(strbuf_release) struct strbuf in = STRBUF_INIT;

	if (js_to_bytes(ctx, v, &in) < 0)
		return -1;
	feed(h, strbuf_cstr(&in), in.len);
	return 0;
}

/* A hasher for arguments (name) or (name, key). */
static struct hasher *hasher_for(JSContext *ctx, JSValueConst name_value, JSValueConst *key_value)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT, key = STRBUF_INIT;
	struct hasher *h;

	if (js_to_str(ctx, name_value, &name) < 0 ||
	    (key_value && js_to_bytes(ctx, *key_value, &key) < 0))
		return NULL;
	h = hasher_named(ctx, strbuf_cstr(&name));
	if (h && key_value)
		set_key(h, strbuf_str(&key));
	return h;
}

/* sha256(data, encoding) and the other names. */
static JSValue hash_now(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv,
			int which)
{
	CLEANUP(cleanup_hasher) struct hasher *h = hasher_named(ctx, algorithms[which].name);
	struct sum s;

	if (!h || feed_value(ctx, h, arg(argc, argv, 0)) < 0)
		return JS_EXCEPTION;
	s = sum_of(h);
	return encoded(ctx, &s, arg(argc, argv, 1));
}

static JSValue hmac_now(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	JSValueConst key = arg(argc, argv, 1);
	CLEANUP(cleanup_hasher) struct hasher *h = hasher_for(ctx, arg(argc, argv, 0), &key);
	struct sum s;

	if (!h || feed_value(ctx, h, arg(argc, argv, 2)) < 0)
		return JS_EXCEPTION;
	s = sum_of(h);
	return encoded(ctx, &s, arg(argc, argv, 3));
}

/* ---- Hasher objects ---- */

static JSValue wrap(JSContext *ctx, struct hasher *h)
{
	JSValue o;

	if (!h)
		return JS_EXCEPTION;
	o = JS_NewObjectClass(ctx, LOAD_CLASS_HASHER);
	if (JS_IsException(o))
		hasher_free(h);
	else
		JS_SetOpaque(o, h);
	return o;
}

static JSValue create_hash(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	return wrap(ctx, hasher_for(ctx, arg(argc, argv, 0), NULL));
}

static JSValue create_hmac(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	JSValueConst key = arg(argc, argv, 1);

	return wrap(ctx, hasher_for(ctx, arg(argc, argv, 0), &key));
}

static JSValue hasher_update(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct hasher *h = JS_GetOpaque2(ctx, this, LOAD_CLASS_HASHER);

	return h && feed_value(ctx, h, arg(argc, argv, 0)) == 0 ? JS_UNDEFINED : JS_EXCEPTION;
}

static JSValue hasher_digest(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	struct hasher *h = JS_GetOpaque2(ctx, this, LOAD_CLASS_HASHER);
	struct sum s;

	if (!h)
		return JS_EXCEPTION;
	s = sum_of(h);
	return encoded(ctx, &s, arg(argc, argv, 0));
}

static void hasher_finalize(JSRuntime *rt UNUSED, JSValue v)
{
	hasher_free(JS_GetOpaque(v, LOAD_CLASS_HASHER));
}

const struct js_class load_hasher_class = {
	.id = LOAD_CLASS_HASHER,
	.def = { .class_name = "Hasher", .finalizer = hasher_finalize },
};

/* ---- the rest ---- */

static JSValue hex_encode(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;

	if (js_to_bytes(ctx, arg(argc, argv, 0), &in) < 0)
		return JS_EXCEPTION;
	add_hex(&out, strbuf_str(&in));
	return JS_NewStringLen(ctx, strbuf_cstr(&out), out.len);
}

#define RANDOM_BYTES_MAX (1 << 20)

static JSValue random_bytes(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(mem_cleanup) char *bytes = NULL;
	int64_t n;

	if (JS_ToInt64(ctx, &n, arg(argc, argv, 0)) < 0)
		return JS_EXCEPTION;
	if (n < 1 || n > RANDOM_BYTES_MAX)
		return js_throw(ctx, "invalid size: 1 to %d bytes", RANDOM_BYTES_MAX);
	bytes = xmalloc((size_t)n);
	if (RAND_bytes((unsigned char *)bytes, (int)n) != 1)
		return js_throw(ctx, "the crypto library has no random bytes");
	return js_new_buffer(ctx, (struct str){ bytes, (size_t)n });
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_MAGIC_DEF("md4", 2, hash_now, 0),
	JS_CFUNC_MAGIC_DEF("md5", 2, hash_now, 1),
	JS_CFUNC_MAGIC_DEF("sha1", 2, hash_now, 2),
	JS_CFUNC_MAGIC_DEF("sha256", 2, hash_now, 3),
	JS_CFUNC_MAGIC_DEF("sha384", 2, hash_now, 4),
	JS_CFUNC_MAGIC_DEF("sha512", 2, hash_now, 5),
	JS_CFUNC_MAGIC_DEF("sha512_224", 2, hash_now, 6),
	JS_CFUNC_MAGIC_DEF("sha512_256", 2, hash_now, 7),
	JS_CFUNC_MAGIC_DEF("ripemd160", 2, hash_now, 8),
	JS_CFUNC_DEF("hmac", 4, hmac_now),
	JS_CFUNC_DEF("createHash", 1, create_hash),
	JS_CFUNC_DEF("createHMAC", 2, create_hmac),
	JS_CFUNC_DEF("hexEncode", 1, hex_encode),
	JS_CFUNC_DEF("randomBytes", 1, random_bytes),
};

static const JSCFunctionListEntry methods[] = {
	JS_CFUNC_DEF("update", 1, hasher_update),
	JS_CFUNC_DEF("digest", 1, hasher_digest),
};

static int init(JSContext *ctx, JSValueConst exports UNUSED)
{
	JSValue proto = JS_NewObject(ctx);

	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetClassProto(ctx, LOAD_CLASS_HASHER, proto);
	return JS_HasException(ctx) ? -1 : 0;
}

const struct js_native_module load_k6_crypto = {
	.name = "k6/crypto",
	.functions = functions,
	.function_count = ARRAY_SIZE(functions),
	.init = init,
};
