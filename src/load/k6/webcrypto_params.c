/*
 * What a script gives as "algorithm": a name, or an object with the name and parameters. Which of
 * them an algorithm takes depends on what it is asked for (the specification's "normalizing an
 * algorithm").
 */
#include <math.h>

#include "js/value.h"
#include "load/k6/webcrypto.h"

enum {
	F_HASH = 1 << 0,
	F_CURVE = 1 << 1,
	F_LENGTH = 1 << 2,
	F_IV = 1 << 3,
	F_COUNTER = 1 << 4,
	F_ADDITIONAL = 1 << 5,
	F_TAG = 1 << 6,
	F_LABEL = 1 << 7,
	F_MODULUS = 1 << 8,
	F_EXPONENT = 1 << 9,
	F_SALT_LENGTH = 1 << 10,
	F_SALT = 1 << 11,
	F_ITERATIONS = 1 << 12,
	F_PUBLIC = 1 << 13,
};

struct use {
	bool known;
	unsigned required, optional;
};

#define USE(...)                                                                                   \
	{                                                                                          \
		true, __VA_ARGS__                                                                  \
	}

static const struct algorithm {
	const char *name;
	struct use uses[WC_OPS];
} algorithms[WC_NAMES] = {
	[WC_SHA1] = { "SHA-1", { [WC_DIGEST] = USE(0, 0) } },
	[WC_SHA256] = { "SHA-256", { [WC_DIGEST] = USE(0, 0) } },
	[WC_SHA384] = { "SHA-384", { [WC_DIGEST] = USE(0, 0) } },
	[WC_SHA512] = { "SHA-512", { [WC_DIGEST] = USE(0, 0) } },
	[WC_HMAC] = { "HMAC",
		      { [WC_SIGN] = USE(0, 0),
			[WC_GENERATE] = USE(F_HASH, F_LENGTH),
			[WC_IMPORT] = USE(F_HASH, F_LENGTH),
			[WC_DERIVED] = USE(F_HASH, F_LENGTH) } },
	[WC_AES_CBC] = { "AES-CBC",
			 { [WC_CRYPT] = USE(F_IV, 0),
			   [WC_GENERATE] = USE(F_LENGTH, 0),
			   [WC_IMPORT] = USE(0, 0),
			   [WC_DERIVED] = USE(F_LENGTH, 0) } },
	[WC_AES_CTR] = { "AES-CTR",
			 { [WC_CRYPT] = USE(F_COUNTER | F_LENGTH, 0),
			   [WC_GENERATE] = USE(F_LENGTH, 0),
			   [WC_IMPORT] = USE(0, 0),
			   [WC_DERIVED] = USE(F_LENGTH, 0) } },
	[WC_AES_GCM] = { "AES-GCM",
			 { [WC_CRYPT] = USE(F_IV, F_ADDITIONAL | F_TAG),
			   [WC_GENERATE] = USE(F_LENGTH, 0),
			   [WC_IMPORT] = USE(0, 0),
			   [WC_DERIVED] = USE(F_LENGTH, 0) } },
	[WC_RSASSA] = { "RSASSA-PKCS1-v1_5",
			{ [WC_SIGN] = USE(0, 0),
			  [WC_GENERATE] = USE(F_MODULUS | F_EXPONENT | F_HASH, 0),
			  [WC_IMPORT] = USE(F_HASH, 0) } },
	[WC_RSA_PSS] = { "RSA-PSS",
			 { [WC_SIGN] = USE(F_SALT_LENGTH, 0),
			   [WC_GENERATE] = USE(F_MODULUS | F_EXPONENT | F_HASH, 0),
			   [WC_IMPORT] = USE(F_HASH, 0) } },
	[WC_RSA_OAEP] = { "RSA-OAEP",
			  { [WC_CRYPT] = USE(0, F_LABEL),
			    [WC_GENERATE] = USE(F_MODULUS | F_EXPONENT | F_HASH, 0),
			    [WC_IMPORT] = USE(F_HASH, 0) } },
	[WC_ECDSA] = { "ECDSA",
		       { [WC_SIGN] = USE(F_HASH, 0),
			 [WC_GENERATE] = USE(F_CURVE, 0),
			 [WC_IMPORT] = USE(F_CURVE, 0) } },
	[WC_ECDH] = { "ECDH",
		      { [WC_GENERATE] = USE(F_CURVE, 0),
			[WC_IMPORT] = USE(F_CURVE, 0),
			[WC_DERIVE] = USE(F_PUBLIC, 0) } },
	[WC_PBKDF2] = { "PBKDF2",
			{ [WC_IMPORT] = USE(0, 0),
			  [WC_DERIVE] = USE(F_SALT | F_ITERATIONS | F_HASH, 0) } },
};

const char *load_wc_name(enum load_wc_name n)
{
	return algorithms[n].name;
}

const struct load_wc_curve *load_wc_curve(struct str name)
{
	static const struct load_wc_curve curves[] = {
		{ "P-256", "prime256v1", "ES256", 32 },
		{ "P-384", "secp384r1", "ES384", 48 },
		{ "P-521", "secp521r1", "ES512", 66 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
		if (str_eq_c(name, curves[i].name))
			return &curves[i];
	return NULL;
}

/* ---- names ---- */

static int find_name(JSContext *ctx, struct str text, enum load_wc_op op, enum load_wc_name *ret)
{
	for (int i = 0; i < WC_NAMES; i++) {
		if (!algorithms[i].uses[op].known || !str_ieq(text, str_from(algorithms[i].name)))
			continue;
		*ret = (enum load_wc_name)i;
		return 0;
	}
	js_throw_named(ctx, "NotSupportedError", "the algorithm \"%.*s\" does not do this",
		       STR_FMT(text));
	return -1;
}

/* "SHA-256" or { name: "SHA-256" } */
static int read_name(JSContext *ctx, JSValueConst v, enum load_wc_op op, enum load_wc_name *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int r;

	if (!JS_IsObject(v))
		return js_to_str(ctx, v, &text) < 0 ? -1
						    : find_name(ctx, strbuf_str(&text), op, ret);
	r = js_get_str(ctx, v, "name", &text);
	if (!r)
		JS_ThrowTypeError(ctx, "an algorithm has a name");
	return r <= 0 ? -1 : find_name(ctx, strbuf_str(&text), op, ret);
}

/* ---- parameters ---- */

static int read_number(JSContext *ctx, JSValueConst v, uint32_t max, uint32_t *ret)
{
	double d;

	if (JS_ToFloat64(ctx, &d, v) < 0)
		return -1;
	d = trunc(d);
	if (!(d >= 0 && d <= max)) {
		JS_ThrowTypeError(ctx, "a number from 0 to %u is wanted", max);
		return -1;
	}
	*ret = (uint32_t)d;
	return 0;
}

static int read_hash(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return read_name(ctx, v, WC_DIGEST, &p->hash);
}

static int read_curve(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (js_to_str(ctx, v, &text) < 0)
		return -1;
	p->curve = load_wc_curve(strbuf_str(&text));
	if (p->curve)
		return 0;
	js_throw_named(ctx, "NotSupportedError", "the curve \"%s\" is none of P-256, P-384, P-521",
		       strbuf_cstr(&text));
	return -1;
}

static int read_length(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	p->has_length = true;
	return read_number(ctx, v, UINT32_MAX - 1, &p->length);
}

static int read_iv(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return load_wc_bytes_read(ctx, v, &p->iv);
}

static int read_additional(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return load_wc_bytes_read(ctx, v, &p->additional);
}

static int read_tag(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return read_number(ctx, v, UINT8_MAX, &p->tag_bits);
}

static int read_label(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return load_wc_bytes_read(ctx, v, &p->label);
}

static int read_modulus(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return read_number(ctx, v, UINT32_MAX, &p->modulus_bits);
}

static int read_exponent(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return load_wc_bytes_read(ctx, v, &p->exponent);
}

static int read_salt_length(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return read_number(ctx, v, UINT32_MAX, &p->salt_bytes);
}

static int read_salt(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return load_wc_bytes_read(ctx, v, &p->salt);
}

static int read_iterations(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	return read_number(ctx, v, UINT32_MAX, &p->iterations);
}

static int read_public(JSContext *ctx, JSValueConst v, struct load_wc_params *p)
{
	struct load_wc_key *k = load_wc_key_of(ctx, v);

	if (!k)
		return -1;
	p->public = load_wc_key_ref(k);
	return 0;
}

static const struct {
	unsigned field;
	const char *name;
	int (*read)(JSContext *ctx, JSValueConst v, struct load_wc_params *p);
} fields[] = {
	{ F_HASH, "hash", read_hash },
	{ F_CURVE, "namedCurve", read_curve },
	{ F_LENGTH, "length", read_length },
	{ F_IV, "iv", read_iv },
	{ F_COUNTER, "counter", read_iv },
	{ F_ADDITIONAL, "additionalData", read_additional },
	{ F_TAG, "tagLength", read_tag },
	{ F_LABEL, "label", read_label },
	{ F_MODULUS, "modulusLength", read_modulus },
	{ F_EXPONENT, "publicExponent", read_exponent },
	{ F_SALT_LENGTH, "saltLength", read_salt_length },
	{ F_SALT, "salt", read_salt },
	{ F_ITERATIONS, "iterations", read_iterations },
	{ F_PUBLIC, "public", read_public },
};

int load_wc_params_read(JSContext *ctx, JSValueConst v, enum load_wc_op op,
			struct load_wc_params *ret)
{
	const struct use *use;

	ret->tag_bits = 128;
	if (read_name(ctx, v, op, &ret->name) < 0)
		return -1;
	use = &algorithms[ret->name].uses[op];
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		JSValue value = JS_UNDEFINED;
		int r;

		if (!((use->required | use->optional) & fields[i].field))
			continue;
		r = JS_IsObject(v) ? js_get_value(ctx, v, fields[i].name, &value) : 0;
		if (!r && (use->required & fields[i].field)) {
			JS_ThrowTypeError(ctx, "%s needs \"%s\" here", load_wc_name(ret->name),
					  fields[i].name);
			return -1;
		}
		if (r > 0)
			r = fields[i].read(ctx, value, ret);
		JS_FreeValue(ctx, value);
		if (r < 0)
			return -1;
	}
	return 0;
}

void load_wc_params_release(struct load_wc_params *p)
{
	strbuf_release(&p->iv);
	strbuf_release(&p->additional);
	strbuf_release(&p->label);
	strbuf_release(&p->salt);
	strbuf_release(&p->exponent);
	load_wc_key_unref(p->public);
	*p = (struct load_wc_params){ .name = WC_SHA1 };
}
