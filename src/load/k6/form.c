#include "load/k6/form.h"

#include <stdlib.h>

#include "base/vec.h"
#include "js/value.h"

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
