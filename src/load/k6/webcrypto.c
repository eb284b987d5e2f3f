/*
 * The script's side of the Web Cryptography API. Each method of crypto.subtle reads its arguments
 * into a job, which the loop runs on its own stack in its next round; then the promise is settled
 * on the VU's fiber. A job is an operation of the running call, as a timer is (js_vm_hold).
 */
#include "load/k6/webcrypto_run.h"

#include <openssl/rand.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/modules.h"
#include "load/worker.h"

enum method {
	DO_DIGEST,
	DO_SIGN,
	DO_VERIFY,
	DO_ENCRYPT,
	DO_DECRYPT,
	DO_GENERATE,
	DO_IMPORT,
	DO_EXPORT,
	DO_DERIVE_BITS,
	DO_DERIVE_KEY,
};

struct load_wc_job {
	struct net_task work;
	struct js_task task;
	struct load_vu *vu;
	struct load_wc_job *prev, *next; /* of the VU's */
	bool queued;
	enum method method;
	JSValue settle[2]; /* resolve, reject */

	/* what is asked for */
	struct load_wc_params params, derived;
	struct load_wc_key *key;
	enum load_wc_format format;
	struct strbuf data, signature;
	struct load_wc_jwk jwk; /* also what is exported */
	bool extractable;
	unsigned usages;
	uint32_t bits;

	/* what comes of it */
	int result;
	struct load_wc_error error;
	struct strbuf out;
	bool verified;
	struct load_wc_key *made[2];
};

static JSValueConst arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

/* ---- jobs ---- */

static void link_job(struct load_wc_job *j)
{
	j->next = j->vu->crypto_jobs;
	if (j->next)
		j->next->prev = j;
	j->vu->crypto_jobs = j;
}

static void free_job(struct load_wc_job *j)
{
	JSContext *ctx = js_vm_context(j->vu->vm);

	if (j->queued)
		net_loop_undefer(j->vu->worker->loop, &j->work);
	if (j->next)
		j->next->prev = j->prev;
	if (j->prev)
		j->prev->next = j->next;
	else if (j->vu->crypto_jobs == j)
		j->vu->crypto_jobs = j->next;
	JS_FreeValue(ctx, j->settle[0]);
	JS_FreeValue(ctx, j->settle[1]);
	load_wc_params_release(&j->params);
	load_wc_params_release(&j->derived);
	load_wc_key_unref(j->key);
	load_wc_key_unref(j->made[0]);
	load_wc_key_unref(j->made[1]);
	load_wc_jwk_release(&j->jwk);
	strbuf_release(&j->data);
	strbuf_release(&j->signature);
	strbuf_release(&j->out);
	free(j);
}

void load_webcrypto_cancel(struct load_vu *vu)
{
	while (vu->crypto_jobs)
		free_job(vu->crypto_jobs);
}

/* ---- what a job does, on the loop's stack ---- */

static int run_import(struct load_wc_job *j, const struct load_wc_params *params, struct str data)
{
	return load_wc_import(
		&(struct load_wc_import){
			.params = params,
			.format = j->format,
			.data = data,
			.jwk = &j->jwk,
			.extractable = j->extractable,
			.usages = j->usages,
		},
		&j->made[0], &j->error);
}

static int run_derive_key(struct load_wc_job *j)
{
	uint32_t bits;

	if (load_wc_derived_bits(&j->derived, &bits, &j->error) < 0 ||
	    load_wc_derive(j->key, &j->params, bits, &j->data, &j->error) < 0)
		return -1;
	j->format = WC_RAW;
	return run_import(j, &j->derived, strbuf_str(&j->data));
}

static int run_job(struct load_wc_job *j)
{
	struct str data = strbuf_str(&j->data);

	switch (j->method) {
	case DO_DIGEST:
		return load_wc_digest(j->params.name, data, &j->out, &j->error);
	case DO_SIGN:
		return load_wc_sign(j->key, &j->params, data, &j->out, &j->error);
	case DO_VERIFY:
		return load_wc_verify(j->key, &j->params, strbuf_str(&j->signature), data,
				      &j->verified, &j->error);
	case DO_ENCRYPT:
		return load_wc_encrypt(j->key, &j->params, data, &j->out, &j->error);
	case DO_DECRYPT:
		return load_wc_decrypt(j->key, &j->params, data, &j->out, &j->error);
	case DO_GENERATE:
		return load_wc_generate(&j->params, j->extractable, j->usages, j->made, &j->error);
	case DO_IMPORT:
		return run_import(j, &j->params, data);
	case DO_EXPORT:
		return j->format == WC_JWK ? load_wc_export_jwk(j->key, &j->jwk, &j->error)
					   : load_wc_export(j->key, j->format, &j->out, &j->error);
	case DO_DERIVE_BITS:
		return load_wc_derive(j->key, &j->params, j->bits, &j->out, &j->error);
	default:
		return run_derive_key(j);
	}
}

static void work(struct net_task *t)
{
	struct load_wc_job *j = container_of(t, struct load_wc_job, work);

	j->queued = false;
	j->result = run_job(j);
	load_vu_post(j->vu, &j->task);
}

/* ---- its result ---- */

static JSValue pair_object(JSContext *ctx, struct load_wc_key *const made[2])
{
	JSValue pair = JS_NewObject(ctx);

	js_set(ctx, pair, "privateKey", load_wc_key_object(ctx, made[0]));
	js_set(ctx, pair, "publicKey", load_wc_key_object(ctx, made[1]));
	return pair;
}

static JSValue result_of(JSContext *ctx, const struct load_wc_job *j)
{
	if (j->result < 0)
		return js_throw_named(ctx, j->error.name, "%s", j->error.message);
	if (j->method == DO_VERIFY)
		return JS_NewBool(ctx, j->verified);
	if (j->method == DO_EXPORT && j->format == WC_JWK)
		return load_wc_jwk_object(ctx, &j->jwk);
	if (j->made[1])
		return pair_object(ctx, j->made);
	return j->made[0] ? load_wc_key_object(ctx, j->made[0])
			  : js_new_buffer(ctx, strbuf_str(&j->out));
}

static int settle(struct js_vm *vm, struct js_task *task)
{
	struct load_wc_job *j = container_of(task, struct load_wc_job, task);
	JSContext *ctx = js_vm_context(vm);
	JSValue result = result_of(ctx, j), returned;
	bool failed = JS_IsException(result);

	if (failed)
		result = JS_GetException(ctx);
	returned = JS_Call(ctx, j->settle[failed], JS_UNDEFINED, 1, &result);
	JS_FreeValue(ctx, result);
	free_job(j);
	if (JS_IsException(returned))
		return -1;
	JS_FreeValue(ctx, returned);
	return 0;
}

/* ---- reading arguments: 0, or -1 with an exception ---- */

static int read_format(JSContext *ctx, JSValueConst v, enum load_wc_format *ret)
{
	static const char *const names[] = {
		[WC_RAW] = "raw", [WC_PKCS8] = "pkcs8", [WC_SPKI] = "spki", [WC_JWK] = "jwk"
	};
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (js_to_str(ctx, v, &text) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(strbuf_cstr(&text), names[i]) != 0)
			continue;
		*ret = (enum load_wc_format)i;
		return 0;
	}
	JS_ThrowTypeError(ctx, "no key format is called \"%.40s\"", strbuf_cstr(&text));
	return -1;
}

static int read_key(JSContext *ctx, struct load_wc_job *j, JSValueConst v)
{
	struct load_wc_key *k = load_wc_key_of(ctx, v);

	if (!k)
		return -1;
	j->key = load_wc_key_ref(k);
	return 0;
}

/* The key for j->params, which allows the usage. */
static int read_key_for(JSContext *ctx, struct load_wc_job *j, JSValueConst v, unsigned usage)
{
	if (read_key(ctx, j, v) < 0)
		return -1;
	if (j->key->name != j->params.name) {
		js_throw_named(ctx, "InvalidAccessError", "the key is one for %s, not for %s",
			       load_wc_name(j->key->name), load_wc_name(j->params.name));
		return -1;
	}
	if (j->key->usages & usage)
		return 0;
	js_throw_named(ctx, "InvalidAccessError", "the key's usages do not allow this");
	return -1;
}

/* (extractable, usages) */
static int read_permissions(JSContext *ctx, struct load_wc_job *j, JSValueConst extractable,
			    JSValueConst usages)
{
	j->extractable = JS_ToBool(ctx, extractable) > 0;
	return load_wc_usages_read(ctx, usages, &j->usages);
}

static int read_import(JSContext *ctx, struct load_wc_job *j, int argc, JSValueConst *argv)
{
	JSValueConst data = arg(argc, argv, 1);

	if (read_format(ctx, arg(argc, argv, 0), &j->format) < 0 ||
	    load_wc_params_read(ctx, arg(argc, argv, 2), WC_IMPORT, &j->params) < 0 ||
	    read_permissions(ctx, j, arg(argc, argv, 3), arg(argc, argv, 4)) < 0)
		return -1;
	return j->format == WC_JWK ? load_wc_jwk_read(ctx, data, &j->jwk)
				   : load_wc_bytes_read(ctx, data, &j->data);
}

static int read_export(JSContext *ctx, struct load_wc_job *j, int argc, JSValueConst *argv)
{
	if (read_format(ctx, arg(argc, argv, 0), &j->format) < 0 ||
	    read_key(ctx, j, arg(argc, argv, 1)) < 0)
		return -1;
	if (j->key->extractable)
		return 0;
	js_throw_named(ctx, "InvalidAccessError", "the key is not extractable");
	return -1;
}

/* (algorithm, key, [signature,] data) */
static int read_use(JSContext *ctx, struct load_wc_job *j, int argc, JSValueConst *argv)
{
	static const struct {
		enum load_wc_op op;
		unsigned usage;
	} uses[] = {
		[DO_SIGN] = { WC_SIGN, WC_MAY_SIGN },
		[DO_VERIFY] = { WC_SIGN, WC_MAY_VERIFY },
		[DO_ENCRYPT] = { WC_CRYPT, WC_MAY_ENCRYPT },
		[DO_DECRYPT] = { WC_CRYPT, WC_MAY_DECRYPT },
	};
	int data = 2;

	if (load_wc_params_read(ctx, arg(argc, argv, 0), uses[j->method].op, &j->params) < 0)
		return -1;
	if (j->method == DO_VERIFY &&
	    load_wc_bytes_read(ctx, arg(argc, argv, data++), &j->signature) < 0)
		return -1;
	if (load_wc_bytes_read(ctx, arg(argc, argv, data), &j->data) < 0)
		return -1;
	return read_key_for(ctx, j, arg(argc, argv, 1), uses[j->method].usage);
}

static int read_bits(JSContext *ctx, JSValueConst v, uint32_t *ret)
{
	double d;

	*ret = WC_ALL_BITS;
	if (JS_IsNull(v) || JS_IsUndefined(v))
		return 0;
	if (JS_ToFloat64(ctx, &d, v) < 0)
		return -1;
	if (!(d >= 0 && d < UINT32_MAX / 8)) {
		JS_ThrowTypeError(ctx, "a number of bits is wanted");
		return -1;
	}
	*ret = (uint32_t)d;
	return 0;
}

static int read_derive(JSContext *ctx, struct load_wc_job *j, int argc, JSValueConst *argv)
{
	bool bits = j->method == DO_DERIVE_BITS;

	if (load_wc_params_read(ctx, arg(argc, argv, 0), WC_DERIVE, &j->params) < 0)
		return -1;
	if (bits && read_bits(ctx, arg(argc, argv, 2), &j->bits) < 0)
		return -1;
	if (!bits && (load_wc_params_read(ctx, arg(argc, argv, 2), WC_DERIVED, &j->derived) < 0 ||
		      read_permissions(ctx, j, arg(argc, argv, 3), arg(argc, argv, 4)) < 0))
		return -1;
	return read_key_for(ctx, j, arg(argc, argv, 1),
			    bits ? WC_MAY_DERIVE_BITS : WC_MAY_DERIVE_KEY);
}

static int read_arguments(JSContext *ctx, struct load_wc_job *j, int argc, JSValueConst *argv)
{
	switch (j->method) {
	case DO_DIGEST:
		if (load_wc_params_read(ctx, arg(argc, argv, 0), WC_DIGEST, &j->params) < 0)
			return -1;
		return load_wc_bytes_read(ctx, arg(argc, argv, 1), &j->data);
	case DO_GENERATE:
		if (load_wc_params_read(ctx, arg(argc, argv, 0), WC_GENERATE, &j->params) < 0)
			return -1;
		return read_permissions(ctx, j, arg(argc, argv, 1), arg(argc, argv, 2));
	case DO_IMPORT:
		return read_import(ctx, j, argc, argv);
	case DO_EXPORT:
		return read_export(ctx, j, argc, argv);
	case DO_DERIVE_BITS:
	case DO_DERIVE_KEY:
		return read_derive(ctx, j, argc, argv);
	default:
		return read_use(ctx, j, argc, argv);
	}
}

/* ---- crypto.subtle ---- */

static int reject_now(JSContext *ctx, const struct load_wc_job *j)
{
	JSValue error = JS_GetException(ctx);
	JSValue returned = JS_Call(ctx, j->settle[1], JS_UNDEFINED, 1, &error);

	JS_FreeValue(ctx, error);
	JS_FreeValue(ctx, returned);
	return JS_IsException(returned) ? -1 : 0;
}

/* What is wrong with the arguments rejects the promise too. */
static JSValue subtle(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv,
		      int method)
{
	struct load_vu *vu = load_vu_of(ctx);
	struct load_wc_job *j = xcalloc(1, sizeof(*j));
	JSValue promise;

	j->vu = vu;
	j->method = (enum method)method;
	j->settle[0] = j->settle[1] = JS_UNDEFINED;
	link_job(j);
	promise = JS_NewPromiseCapability(ctx, j->settle);
	if (JS_IsException(promise)) {
		free_job(j);
		return promise;
	}
	if (read_arguments(ctx, j, argc, argv) < 0) {
		int r = reject_now(ctx, j);

		free_job(j);
		if (!r)
			return promise;
		JS_FreeValue(ctx, promise);
		return JS_EXCEPTION;
	}
	j->work.run = work;
	j->task.run = settle;
	j->queued = true;
	js_vm_hold(vu->vm);
	net_loop_defer(vu->worker->loop, &j->work);
	return promise;
}

static const JSCFunctionListEntry subtle_functions[] = {
	JS_CFUNC_MAGIC_DEF("digest", 2, subtle, DO_DIGEST),
	JS_CFUNC_MAGIC_DEF("sign", 3, subtle, DO_SIGN),
	JS_CFUNC_MAGIC_DEF("verify", 4, subtle, DO_VERIFY),
	JS_CFUNC_MAGIC_DEF("encrypt", 3, subtle, DO_ENCRYPT),
	JS_CFUNC_MAGIC_DEF("decrypt", 3, subtle, DO_DECRYPT),
	JS_CFUNC_MAGIC_DEF("generateKey", 3, subtle, DO_GENERATE),
	JS_CFUNC_MAGIC_DEF("importKey", 5, subtle, DO_IMPORT),
	JS_CFUNC_MAGIC_DEF("exportKey", 2, subtle, DO_EXPORT),
	JS_CFUNC_MAGIC_DEF("deriveBits", 3, subtle, DO_DERIVE_BITS),
	JS_CFUNC_MAGIC_DEF("deriveKey", 5, subtle, DO_DERIVE_KEY),
};

/* ---- crypto ---- */

#define RANDOM_BYTES_MAX 65536

static JSValue random_values(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	uint8_t *bytes;
	size_t len;
	int kind;

	if (!js_engine_bytes_of(arg(argc, argv, 0), &bytes, &len, &kind) || kind < 0 ||
	    kind >= JS_TYPED_ARRAY_FLOAT32)
		return js_throw_named(ctx, "TypeMismatchError",
				      "getRandomValues() fills arrays of whole numbers");
	if (len > RANDOM_BYTES_MAX)
		return js_throw_named(ctx, "QuotaExceededError",
				      "getRandomValues() fills at most %d bytes", RANDOM_BYTES_MAX);
	if (len && RAND_bytes(bytes, (int)len) != 1)
		return js_throw_named(ctx, "OperationError", "there are no random bytes");
	return JS_DupValue(ctx, argv[0]);
}

/* RFC 9562 5.4 */
static JSValue random_uuid(JSContext *ctx, JSValueConst this UNUSED, int argc UNUSED,
			   JSValueConst *argv UNUSED)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	unsigned char b[16];

	if (RAND_bytes(b, sizeof(b)) != 1)
		return js_throw_named(ctx, "OperationError", "there are no random bytes");
	b[6] = 0x40 | (b[6] & 0x0f);
	b[8] = 0x80 | (b[8] & 0x3f);
	for (unsigned i = 0; i < sizeof(b); i++)
		strbuf_addf(&text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", b[i]);
	return js_new_str(ctx, strbuf_str(&text));
}

static const JSCFunctionListEntry crypto_functions[] = {
	JS_CFUNC_DEF("getRandomValues", 1, random_values),
	JS_CFUNC_DEF("randomUUID", 0, random_uuid),
	JS_OBJECT_DEF("subtle", subtle_functions, ARRAY_SIZE(subtle_functions),
		      JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE),
};

JSValue load_webcrypto_new(JSContext *ctx)
{
	JSValue o = JS_NewObject(ctx);

	if (!JS_IsException(o) && load_wc_object_setup(ctx) == 0)
		JS_SetPropertyFunctionList(ctx, o, crypto_functions, ARRAY_SIZE(crypto_functions));
	if (!JS_HasException(ctx))
		return o;
	JS_FreeValue(ctx, o);
	return JS_EXCEPTION;
}

/* ---- the module ---- */

static int init(JSContext *ctx, JSValueConst exports)
{
	JSValue global = JS_GetGlobalObject(ctx);
	JSValue crypto = JS_GetPropertyStr(ctx, global, "crypto");

	JS_FreeValue(ctx, global);
	return js_set(ctx, exports, "crypto", crypto);
}

static const char *const names[] = { "crypto", NULL };

const struct js_native_module load_k6_webcrypto = {
	.name = "k6/experimental/webcrypto",
	.names = names,
	.init = init,
};
