#include "load/k6/form.h"

#include <openssl/rand.h>
#include <stdlib.h>

#include "base/vec.h"
#include "js/value.h"
#include "load/vu.h"

struct pair {
	char *name;
	size_t name_len;
	struct strbuf values; /* "name=value" parts, joined with '&' */
};

struct form {
	VEC(struct pair) pairs;
};

static void form_release(struct form *f)
{
	vec_for_each (&f->pairs, p) {
		free(p->name);
		strbuf_release(&p->values);
	}
	vec_release(&f->pairs);
}

void load_form_escape(struct strbuf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		bool plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
			     c == '-' || c == '.' || c == '_' || c == '~';

		if (plain)
			strbuf_addch(out, (char)c);
		else if (c == ' ')
			strbuf_addch(out, '+');
		else
			strbuf_addf(out, "%%%02X", c);
	}
}

static int add_value(JSContext *ctx, struct pair *p, JSValueConst value)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (!JS_IsNull(value) && !JS_IsUndefined(value) && js_to_str(ctx, value, &text) < 0)
		return -1;
	if (p->values.len)
		strbuf_addch(&p->values, '&');
	load_form_escape(&p->values, (struct str){ p->name, p->name_len });
	strbuf_addch(&p->values, '=');
	load_form_escape(&p->values, strbuf_str(&text));
	return 0;
}

static int add_element(JSContext *ctx, struct str key UNUSED, JSValueConst value, void *arg)
{
	return add_value(ctx, arg, value);
}

static int add_pair(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct form *f = arg;
	struct pair p = { .name = str_dup(key), .name_len = key.len };
	int r;

	if (JS_IsArray(ctx, value))
		r = js_each_element(ctx, value, add_element, &p);
	else
		r = add_value(ctx, &p, value);
	vec_push(&f->pairs, p);
	return r;
}

static int by_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = memcmp(x->name, y->name, MIN(x->name_len, y->name_len));

	return order ? order : (x->name_len > y->name_len) - (x->name_len < y->name_len);
}

int load_form_encode(JSContext *ctx, JSValueConst obj, struct strbuf *out)
{
	CLEANUP(form_release) struct form f = { .pairs = VEC_INIT };
	size_t start = out->len;

	if (js_each(ctx, obj, add_pair, &f) < 0)
		return -1;
	if (f.pairs.len)
		qsort(f.pairs.ptr, f.pairs.len, sizeof(*f.pairs.ptr), by_name);
	vec_for_each (&f.pairs, p) {
		if (!p->values.len)
			continue;
		if (out->len > start)
			strbuf_addch(out, '&');
		if (strbuf_add(out, p->values.ptr, p->values.len) < 0) {
			JS_ThrowRangeError(ctx, "the form is too long");
			return -1;
		}
	}
	return 0;
}

/* ---- multipart ---- */

static bool is_file(JSValueConst v)
{
	return JS_IsObject(v) && JS_GetClassID(v) == LOAD_CLASS_FILE;
}

static int see_file(JSContext *ctx UNUSED, struct str key UNUSED, JSValueConst value,
		    void *arg UNUSED)
{
	return is_file(value);
}

int load_form_has_file(JSContext *ctx, JSValueConst obj)
{
	return js_each(ctx, obj, see_file, NULL);
}

/* A name within quotes in a header (WHATWG HTML, multipart/form-data). */
static void add_quoted(struct strbuf *out, struct str name)
{
	strbuf_addch(out, '"');
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == '"' || c == '\r' || c == '\n')
			strbuf_addf(out, "%%%02X", (unsigned char)c);
		else
			strbuf_addch(out, c);
	}
	strbuf_addch(out, '"');
}

struct multipart {
	const char *boundary;
	struct strbuf *out;
};

static int add_file_head(JSContext *ctx, struct strbuf *out, JSValueConst file)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT, type = STRBUF_INIT;

	if (js_get_str(ctx, file, "filename", &name) < 0 ||
	    js_get_str(ctx, file, "content_type", &type) < 0)
		return -1;
	strbuf_addstr(out, "; filename=");
	add_quoted(out, strbuf_str(&name));
	strbuf_addstr(out, "\r\nContent-Type: ");
	for (size_t i = 0; i < type.len; i++) /* no header beside it */
		strbuf_addch(out, (unsigned char)type.ptr[i] < ' ' ? ' ' : type.ptr[i]);
	return 0;
}

static int add_part(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct multipart *m = arg;
	JSValue data;
	int r;

	strbuf_addf(m->out, "--%s\r\nContent-Disposition: form-data; name=", m->boundary);
	add_quoted(m->out, key);
	if (!is_file(value)) {
		strbuf_addstr(m->out, "\r\n\r\n");
		r = JS_IsNull(value) || JS_IsUndefined(value) ? 0 : js_to_str(ctx, value, m->out);
	} else {
		if (add_file_head(ctx, m->out, value) < 0)
			return -1;
		strbuf_addstr(m->out, "\r\n\r\n");
		data = JS_GetPropertyStr(ctx, value, "data");
		r = js_to_bytes(ctx, data, m->out);
		JS_FreeValue(ctx, data);
	}
	if (r < 0)
		return -1;
	if (strbuf_addstr(m->out, "\r\n") < 0) {
		JS_ThrowRangeError(ctx, "the form is too long");
		return -1;
	}
	return 0;
}

int load_form_multipart(JSContext *ctx, JSValueConst obj, char ret_boundary[LOAD_BOUNDARY_BYTES],
			struct strbuf *out)
{
	unsigned char random[(LOAD_BOUNDARY_BYTES - 1) / 2];
	struct multipart m = { ret_boundary, out };

	if (RAND_bytes(random, sizeof(random)) != 1) {
		js_throw(ctx, "the crypto library has no random bytes");
		return -1;
	}
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(ret_boundary + 2 * i, 3, "%02x", random[i]);
	if (js_each(ctx, obj, add_part, &m) < 0)
		return -1;
	strbuf_addf(out, "--%s--\r\n", ret_boundary);
	return 0;
}
