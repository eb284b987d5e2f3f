/* Keys, usages and JWKs between scripts and C. */
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/modules.h"
#include "load/k6/webcrypto.h"

int load_wc_bytes_read(JSContext *ctx, JSValueConst v, struct strbuf *ret)
{
	struct str bytes;

	if (!js_bytes(ctx, v, &bytes)) {
		JS_ThrowTypeError(ctx, "an ArrayBuffer or a view on one is wanted");
		return -1;
	}
	strbuf_clear(ret);
	return strbuf_add(ret, bytes.ptr, bytes.len);
}

/* ---- usages, in the order of their bits ---- */

static const char *const usage_names[] = { "encrypt",	"decrypt",    "sign",	 "verify",
					   "deriveKey", "deriveBits", "wrapKey", "unwrapKey" };

static int read_usage(JSContext *ctx, struct str key UNUSED, JSValueConst v, void *arg)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	unsigned *usages = arg;

	if (js_to_str(ctx, v, &text) < 0)
		return -1;
	for (unsigned i = 0; i < ARRAY_SIZE(usage_names); i++) {
		if (strcmp(strbuf_cstr(&text), usage_names[i]) != 0)
			continue;
		*usages |= 1u << i;
		return 0;
	}
	JS_ThrowTypeError(ctx, "no key usage is called \"%.40s\"", strbuf_cstr(&text));
	return -1;
}

int load_wc_usages_read(JSContext *ctx, JSValueConst v, unsigned *ret)
{
	*ret = 0;
	if (JS_IsArray(ctx, v) > 0)
		return js_each_element(ctx, v, read_usage, ret);
	JS_ThrowTypeError(ctx, "key usages are a list");
	return -1;
}

JSValue load_wc_usages_object(JSContext *ctx, unsigned usages)
{
	JSValue list = JS_NewArray(ctx);
	uint32_t n = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(usage_names); i++)
		if (usages & 1u << i)
			JS_SetPropertyUint32(ctx, list, n++, JS_NewString(ctx, usage_names[i]));
	return list;
}

/* ---- keys ---- */

struct load_wc_key *load_wc_key_of(JSContext *ctx, JSValueConst v)
{
	struct load_wc_key *k = JS_GetOpaque(v, LOAD_CLASS_CRYPTO_KEY);

	if (!k)
		JS_ThrowTypeError(ctx, "a CryptoKey is wanted");
	return k;
}

static void add_exponent(JSContext *ctx, JSValueConst o, const struct load_wc_key *k)
{
	JSValue args[3] = { JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED };
	unsigned char bytes[64];
	BIGNUM *e = NULL;
	int len = 0;

	if (EVP_PKEY_get_bn_param(k->pkey, "e", &e) && BN_num_bytes(e) <= (int)sizeof(bytes))
		len = BN_bn2bin(e, bytes);
	BN_free(e);
	args[0] = JS_NewArrayBufferCopy(ctx, bytes, (size_t)len);
	js_set(ctx, o, "publicExponent",
	       JS_NewTypedArray(ctx, ARRAY_SIZE(args), args, JS_TYPED_ARRAY_UINT8));
	JS_FreeValue(ctx, args[0]);
}

static JSValue algorithm_object(JSContext *ctx, const struct load_wc_key *k)
{
	JSValue o = JS_NewObject(ctx), hash;

	js_set_str(ctx, o, "name", str_from(load_wc_name(k->name)));
	if (load_wc_is_aes(k->name) || k->name == WC_HMAC)
		js_set(ctx, o, "length", JS_NewUint32(ctx, k->bits));
	if (load_wc_is_ec(k->name))
		js_set_str(ctx, o, "namedCurve", str_from(k->curve->name));
	if (load_wc_is_rsa(k->name)) {
		js_set(ctx, o, "modulusLength", JS_NewInt32(ctx, EVP_PKEY_get_bits(k->pkey)));
		add_exponent(ctx, o, k);
	}
	if (load_wc_is_rsa(k->name) || k->name == WC_HMAC) {
		hash = JS_NewObject(ctx);
		js_set_str(ctx, hash, "name", str_from(load_wc_name(k->hash)));
		js_set(ctx, o, "hash", hash);
	}
	return o;
}

static void define(JSContext *ctx, JSValueConst o, const char *name, JSValue v)
{
	JS_DefinePropertyValueStr(ctx, o, name, v, JS_PROP_ENUMERABLE);
}

JSValue load_wc_key_object(JSContext *ctx, struct load_wc_key *k)
{
	static const char *const types[] = {
		[WC_SECRET] = "secret", [WC_PRIVATE] = "private", [WC_PUBLIC] = "public"
	};
	JSValue o = JS_NewObjectClass(ctx, LOAD_CLASS_CRYPTO_KEY);

	if (JS_IsException(o))
		return o;
	JS_SetOpaque(o, load_wc_key_ref(k));
	define(ctx, o, "type", JS_NewString(ctx, types[k->type]));
	define(ctx, o, "extractable", JS_NewBool(ctx, k->extractable));
	define(ctx, o, "algorithm", algorithm_object(ctx, k));
	define(ctx, o, "usages", load_wc_usages_object(ctx, k->usages));
	return o;
}

static void finalize(JSRuntime *rt UNUSED, JSValue v)
{
	load_wc_key_unref(JS_GetOpaque(v, LOAD_CLASS_CRYPTO_KEY));
}

const struct js_class load_crypto_key_class = {
	.id = LOAD_CLASS_CRYPTO_KEY,
	.def = { .class_name = "CryptoKey", .finalizer = finalize },
};

int load_wc_object_setup(JSContext *ctx)
{
	static const JSCFunctionListEntry tag[] = {
		JS_PROP_STRING_DEF("[Symbol.toStringTag]", "CryptoKey", JS_PROP_CONFIGURABLE),
	};
	JSValue proto = JS_NewObject(ctx);

	if (JS_IsException(proto))
		return -1;
	JS_SetPropertyFunctionList(ctx, proto, tag, ARRAY_SIZE(tag));
	JS_SetClassProto(ctx, LOAD_CLASS_CRYPTO_KEY, proto);
	return 0;
}

/* ---- JWKs ---- */

static const char *const jwk_names[JWK_MEMBERS] = {
	[JWK_KTY] = "kty", [JWK_ALG] = "alg", [JWK_USE] = "use", [JWK_CRV] = "crv", [JWK_K] = "k",
	[JWK_N] = "n",	   [JWK_E] = "e",     [JWK_D] = "d",	 [JWK_P] = "p",	    [JWK_Q] = "q",
	[JWK_DP] = "dp",   [JWK_DQ] = "dq",   [JWK_QI] = "qi",	 [JWK_X] = "x",	    [JWK_Y] = "y",
};

void load_wc_jwk_release(struct load_wc_jwk *j)
{
	for (int i = 0; i < JWK_MEMBERS; i++)
		free(j->text[i]);
}

/* key_ops may name what is no usage: that is passed over. */
static int read_op(JSContext *ctx, struct str key, JSValueConst v, void *arg)
{
	if (read_usage(ctx, key, v, arg) < 0)
		JS_FreeValue(ctx, JS_GetException(ctx));
	return 0;
}

int load_wc_jwk_read(JSContext *ctx, JSValueConst v, struct load_wc_jwk *ret)
{
	JSValue list = JS_UNDEFINED, other = JS_UNDEFINED;
	int r = 0;

	if (!JS_IsObject(v)) {
		JS_ThrowTypeError(ctx, "a JWK is an object");
		return -1;
	}
	for (int i = 0; i < JWK_MEMBERS && r >= 0; i++) {
		CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

		r = js_get_str(ctx, v, jwk_names[i], &text);
		if (r > 0)
			ret->text[i] = strbuf_detach(&text);
	}
	if (r < 0 || js_get_bool(ctx, v, "ext", &ret->ext) < 0)
		return -1;
	r = js_get_value(ctx, v, "oth", &other);
	ret->has_oth = r > 0;
	JS_FreeValue(ctx, other);
	other = JS_UNDEFINED;
	r = js_get_value(ctx, v, "ext", &other);
	ret->has_ext = r > 0;
	JS_FreeValue(ctx, other);
	r = js_get_value(ctx, v, "key_ops", &list);
	ret->has_ops = r > 0 && JS_IsArray(ctx, list) > 0;
	if (ret->has_ops)
		r = js_each_element(ctx, list, read_op, &ret->ops);
	JS_FreeValue(ctx, list);
	return r < 0 ? -1 : 0;
}

JSValue load_wc_jwk_object(JSContext *ctx, const struct load_wc_jwk *j)
{
	JSValue o = JS_NewObject(ctx);

	for (int i = 0; i < JWK_MEMBERS; i++)
		if (j->text[i])
			js_set_str(ctx, o, jwk_names[i], str_from(j->text[i]));
	js_set(ctx, o, "key_ops", load_wc_usages_object(ctx, j->ops));
	js_set_bool(ctx, o, "ext", j->ext);
	return o;
}
