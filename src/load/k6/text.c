/*
 * TextEncoder and TextDecoder, as the Encoding standard has them but for the encodings: UTF-8 and
 * both forms of UTF-16, which is what k6 has.
 */
#include <stdlib.h>

#include "base/utf.h"
#include "js/value.h"
#include "load/k6/globals.h"
#include "load/k6/modules.h"

static JSValueConst arg(int argc, JSValueConst *argv, int i)
{
	return i < argc ? argv[i] : JS_UNDEFINED;
}

/* A constructor with its prototype. The methods' list is borrowed. */
static JSValue new_class(JSContext *ctx, const char *name, JSCFunction *construct,
			 JSValueConst proto)
{
	JSValue class = JS_NewCFunction2(ctx, construct, name, 0, JS_CFUNC_constructor, 0);

	if (!JS_IsException(class))
		JS_SetConstructor(ctx, class, proto);
	return class;
}

/* ---- TextEncoder ---- */

/* String(v) as UTF-8; the engine writes half a surrogate pair as three bytes that are none. */
static int to_utf8(JSContext *ctx, JSValueConst v, struct strbuf *out)
{
	if (js_to_str(ctx, v, out) < 0)
		return -1;
	for (size_t i = 0; i + 2 < out->len; i++)
		if ((unsigned char)out->ptr[i] == 0xed && (unsigned char)out->ptr[i + 1] >= 0xa0)
			memcpy(out->ptr + i, "\xef\xbf\xbd", 3);
	return 0;
}

static JSValue encoder_encode(JSContext *ctx, JSValueConst this UNUSED, int argc,
			      JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	JSValue args[3] = { JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED }, bytes;

	if (!JS_IsUndefined(arg(argc, argv, 0)) && to_utf8(ctx, argv[0], &text) < 0)
		return JS_EXCEPTION;
	args[0] = js_new_buffer(ctx, strbuf_str(&text));
	if (JS_IsException(args[0]))
		return JS_EXCEPTION;
	bytes = JS_NewTypedArray(ctx, ARRAY_SIZE(args), args, JS_TYPED_ARRAY_UINT8);
	JS_FreeValue(ctx, args[0]);
	return bytes;
}

/* encodeInto(text, array): as many whole characters as there is room for. */
static JSValue encoder_encode_into(JSContext *ctx, JSValueConst this UNUSED, int argc,
				   JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	size_t room, written = 0, units = 0;
	JSValue result;
	uint8_t *to;
	int kind;

	if (to_utf8(ctx, arg(argc, argv, 0), &text) < 0)
		return JS_EXCEPTION;
	if (!js_engine_bytes_of(arg(argc, argv, 1), &to, &room, &kind) ||
	    kind != JS_TYPED_ARRAY_UINT8)
		return JS_ThrowTypeError(ctx, "encodeInto() writes to a Uint8Array");
	while (written < text.len) {
		unsigned n = utf8_bytes(text.ptr[written]);

		if (written + n > room)
			break;
		written += n;
		units += n == 4 ? 2 : 1;
	}
	if (written)
		memcpy(to, text.ptr, written);
	result = JS_NewObject(ctx);
	js_set(ctx, result, "read", JS_NewInt64(ctx, (int64_t)units));
	js_set(ctx, result, "written", JS_NewInt64(ctx, (int64_t)written));
	return result;
}

static JSValue encoder_encoding(JSContext *ctx, JSValueConst this UNUSED)
{
	return JS_NewString(ctx, "utf-8");
}

static const JSCFunctionListEntry encoder_methods[] = {
	JS_CGETSET_DEF("encoding", encoder_encoding, NULL),
	JS_CFUNC_DEF("encode", 0, encoder_encode),
	JS_CFUNC_DEF("encodeInto", 2, encoder_encode_into),
	JS_PROP_STRING_DEF("[Symbol.toStringTag]", "TextEncoder", JS_PROP_CONFIGURABLE),
};

static JSValue encoder_construct(JSContext *ctx, JSValueConst new_target, int argc UNUSED,
				 JSValueConst *argv UNUSED)
{
	JSValue proto = JS_GetPropertyStr(ctx, new_target, "prototype"), o;

	if (JS_IsException(proto))
		return proto;
	o = JS_NewObjectProto(ctx, proto);
	JS_FreeValue(ctx, proto);
	return o;
}

JSValue load_text_encoder_new(JSContext *ctx)
{
	JSValue proto = JS_NewObject(ctx), class;

	JS_SetPropertyFunctionList(ctx, proto, encoder_methods, ARRAY_SIZE(encoder_methods));
	class = new_class(ctx, "TextEncoder", encoder_construct, proto);
	JS_FreeValue(ctx, proto);
	return class;
}

/* ---- TextDecoder ---- */

static const struct {
	const char *label;
	enum utf_form form;
} labels[] = {
	{ "utf-8", UTF_8 },
	{ "utf8", UTF_8 },
	{ "unicode-1-1-utf-8", UTF_8 },
	{ "unicode11utf8", UTF_8 },
	{ "unicode20utf8", UTF_8 },
	{ "x-unicode20utf8", UTF_8 },
	{ "utf-16le", UTF_16LE },
	{ "utf-16", UTF_16LE },
	{ "ucs-2", UTF_16LE },
	{ "csunicode", UTF_16LE },
	{ "iso-10646-ucs-2", UTF_16LE },
	{ "unicode", UTF_16LE },
	{ "unicodefeff", UTF_16LE },
	{ "utf-16be", UTF_16BE },
	{ "unicodefffe", UTF_16BE },
};

static struct str trimmed(struct str s)
{
	static const char space[] = "\t\n\f\r ";

	while (s.len && strchr(space, s.ptr[0]))
		s = (struct str){ s.ptr + 1, s.len - 1 };
	while (s.len && strchr(space, s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static int read_label(JSContext *ctx, JSValueConst v, enum utf_form *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str label;

	if (JS_IsUndefined(v))
		return 0;
	if (js_to_str(ctx, v, &text) < 0)
		return -1;
	label = trimmed(strbuf_str(&text));
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		if (!str_ieq(label, str_from(labels[i].label)))
			continue;
		*ret = labels[i].form;
		return 0;
	}
	JS_ThrowRangeError(ctx, "no encoding of the name \"%.40s\" here: utf-8, utf-16le, utf-16be",
			   strbuf_cstr(&text));
	return -1;
}

static int read_options(JSContext *ctx, JSValueConst v, struct utf_decoder *d)
{
	if (JS_IsUndefined(v) || JS_IsNull(v))
		return 0;
	if (!JS_IsObject(v)) {
		JS_ThrowTypeError(ctx, "a TextDecoder's options are an object");
		return -1;
	}
	return js_get_bool(ctx, v, "fatal", &d->fatal) < 0 ||
			       js_get_bool(ctx, v, "ignoreBOM", &d->keep_bom) < 0
		       ? -1
		       : 0;
}

static JSValue decoder_construct(JSContext *ctx, JSValueConst new_target, int argc,
				 JSValueConst *argv)
{
	struct utf_decoder d = { .form = UTF_8 }, *kept;
	JSValue proto, o;

	if (read_label(ctx, arg(argc, argv, 0), &d.form) < 0 ||
	    read_options(ctx, arg(argc, argv, 1), &d) < 0)
		return JS_EXCEPTION;
	proto = JS_GetPropertyStr(ctx, new_target, "prototype");
	if (JS_IsException(proto))
		return proto;
	o = JS_NewObjectProtoClass(ctx, proto, LOAD_CLASS_TEXT_DECODER);
	JS_FreeValue(ctx, proto);
	if (JS_IsException(o))
		return o;
	kept = xmalloc(sizeof(*kept));
	*kept = d;
	JS_SetOpaque(o, kept);
	return o;
}

static struct utf_decoder *decoder_of(JSContext *ctx, JSValueConst this)
{
	return JS_GetOpaque2(ctx, this, LOAD_CLASS_TEXT_DECODER);
}

/* decode(bytes, { stream }) */
static JSValue decoder_decode(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct utf_decoder *d = decoder_of(ctx, this);
	struct str bytes = STR("");
	bool stream = false;

	if (!d)
		return JS_EXCEPTION;
	if (JS_IsObject(arg(argc, argv, 1)) && js_get_bool(ctx, argv[1], "stream", &stream) < 0)
		return JS_EXCEPTION;
	if (!JS_IsUndefined(arg(argc, argv, 0)) && !js_bytes(ctx, argv[0], &bytes))
		return JS_ThrowTypeError(ctx, "decode() takes an ArrayBuffer or a view on one");
	if (utf_decode(d, bytes, !stream, &text) < 0)
		return JS_ThrowTypeError(ctx, "the bytes are no %s",
					 d->form == UTF_8 ? "UTF-8" : "UTF-16");
	return JS_NewStringLen(ctx, strbuf_cstr(&text), text.len);
}

static JSValue decoder_encoding(JSContext *ctx, JSValueConst this)
{
	static const char *const names[] = {
		[UTF_8] = "utf-8", [UTF_16LE] = "utf-16le", [UTF_16BE] = "utf-16be"
	};
	struct utf_decoder *d = decoder_of(ctx, this);

	return d ? JS_NewString(ctx, names[d->form]) : JS_EXCEPTION;
}

static JSValue decoder_fatal(JSContext *ctx, JSValueConst this)
{
	struct utf_decoder *d = decoder_of(ctx, this);

	return d ? JS_NewBool(ctx, d->fatal) : JS_EXCEPTION;
}

static JSValue decoder_ignore_bom(JSContext *ctx, JSValueConst this)
{
	struct utf_decoder *d = decoder_of(ctx, this);

	return d ? JS_NewBool(ctx, d->keep_bom) : JS_EXCEPTION;
}

static const JSCFunctionListEntry decoder_methods[] = {
	JS_CGETSET_DEF("encoding", decoder_encoding, NULL),
	JS_CGETSET_DEF("fatal", decoder_fatal, NULL),
	JS_CGETSET_DEF("ignoreBOM", decoder_ignore_bom, NULL),
	JS_CFUNC_DEF("decode", 0, decoder_decode),
	JS_PROP_STRING_DEF("[Symbol.toStringTag]", "TextDecoder", JS_PROP_CONFIGURABLE),
};

static void decoder_finalize(JSRuntime *rt UNUSED, JSValue v)
{
	free(JS_GetOpaque(v, LOAD_CLASS_TEXT_DECODER));
}

const struct js_class load_text_decoder_class = {
	.id = LOAD_CLASS_TEXT_DECODER,
	.def = { .class_name = "TextDecoder", .finalizer = decoder_finalize },
};

JSValue load_text_decoder_new(JSContext *ctx)
{
	JSValue proto = JS_NewObject(ctx), class;

	JS_SetPropertyFunctionList(ctx, proto, decoder_methods, ARRAY_SIZE(decoder_methods));
	class = new_class(ctx, "TextDecoder", decoder_construct, proto);
	JS_FreeValue(ctx, proto);
	return class;
}
