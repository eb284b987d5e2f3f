#include "dotnet/payload.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/utf.h"
#include "dotnet/cursor.h"

#define DEPTH_MAX 24 /* of values within values; descriptions are not that deep */

/* 1601 to 1970 in units of 100 ns, which Windows' times count. */
#define WINDOWS_EPOCH INT64_C(116444736000000000)

static const struct scalar {
	enum payload_form form;
	unsigned bytes;
} scalars[] = {
	[NETTRACE_BOOL32] = { PAYLOAD_BOOL, 4 },      [NETTRACE_BOOL8] = { PAYLOAD_BOOL, 1 },
	[NETTRACE_I8] = { PAYLOAD_INT, 1 },	      [NETTRACE_I16] = { PAYLOAD_INT, 2 },
	[NETTRACE_I32] = { PAYLOAD_INT, 4 },	      [NETTRACE_I64] = { PAYLOAD_INT, 8 },
	[NETTRACE_U8] = { PAYLOAD_UINT, 1 },	      [NETTRACE_U16] = { PAYLOAD_UINT, 2 },
	[NETTRACE_U32] = { PAYLOAD_UINT, 4 },	      [NETTRACE_U64] = { PAYLOAD_UINT, 8 },
	[NETTRACE_F32] = { PAYLOAD_DOUBLE, 4 },	      [NETTRACE_F64] = { PAYLOAD_DOUBLE, 8 },
	[NETTRACE_DECIMAL] = { PAYLOAD_DECIMAL, 16 }, [NETTRACE_GUID] = { PAYLOAD_GUID, 16 },
	[NETTRACE_UTF16_UNIT] = { PAYLOAD_TEXT, 2 },  [NETTRACE_UTF8_UNIT] = { PAYLOAD_TEXT, 1 },
};

static const struct scalar *scalar_of(const struct nettrace_type *t)
{
	return t->code < ARRAY_SIZE(scalars) && scalars[t->code].bytes ? &scalars[t->code] : NULL;
}

static int64_t date_of(struct str bytes)
{
	struct cursor c = cursor_of(bytes, 0);
	int64_t ns = 0;

	if (bytes.len == 8 &&
	    !__builtin_mul_overflow((int64_t)(cursor_u64(&c) - WINDOWS_EPOCH), 100, &ns))
		return ns;
	return bytes.len == 16 ? nettrace_date(bytes) : 0;
}

static double real_of(struct str bytes)
{
	struct cursor c = cursor_of(bytes, 0);
	uint32_t bits;
	float f;

	if (bytes.len == 8)
		return cursor_f64(&c);
	bits = cursor_u32(&c);
	memcpy(&f, &bits, sizeof(f));
	return (double)f;
}

static void set_scalar(struct payload_value *v, const struct scalar *s, struct str bytes)
{
	struct cursor c = cursor_of(bytes, 0);
	unsigned unused_bits = 64 - 8 * MIN(s->bytes, 8u);

	v->form = s->form;
	v->bytes = bytes;
	if (s->form == PAYLOAD_DOUBLE) {
		v->real = real_of(bytes);
	} else if (s->bytes <= 8 && bytes.len) {
		v->natural = cursor_number(&c, s->bytes);
		v->number = (int64_t)(v->natural << unused_bits) >> unused_bits;
	}
	v->utf16 = s->form == PAYLOAD_TEXT && s->bytes == 2;
	if (s->form == PAYLOAD_BOOL)
		v->number = v->natural != 0;
}

static int take(struct payload_walk *w, const struct nettrace_type *t, struct payload_value *ret);

/* Enters what begins here: the walk over it, for its end. */
static int pass_over(struct payload_walk *inner)
{
	struct payload_value v;
	int got;

	while ((got = payload_next(inner, NULL, &v)) > 0)
		;
	return got;
}

/* The bytes of each item of a type; 0 when they differ. */
static size_t fixed_size(const struct nettrace_type *t, unsigned date_bytes)
{
	const struct scalar *s = scalar_of(t);
	size_t sum = 0, size;

	if (s)
		return s->bytes;
	if (t->code == NETTRACE_DATE)
		return date_bytes;
	if (t->code == NETTRACE_FIXED_ARRAY)
		return t->count * fixed_size(t->element, date_bytes);
	if (t->code != NETTRACE_OBJECT)
		return 0;
	for (size_t i = 0; i < t->fields.len; i++) {
		size = fixed_size(&t->fields.ptr[i].type, date_bytes);
		if (!size)
			return 0;
		sum += size;
	}
	return sum;
}

/* Arrays of characters are texts. */
static void set_array(struct payload_value *v, const struct nettrace_type *t, struct str bytes,
		      uint32_t count)
{
	const struct nettrace_type *e = t->element;

	v->form = e->code == NETTRACE_UTF16_UNIT || e->code == NETTRACE_UTF8_UNIT ? PAYLOAD_TEXT
										  : PAYLOAD_ARRAY;
	v->utf16 = e->code == NETTRACE_UTF16_UNIT;
	v->bytes = bytes;
	v->count = count;
}

static int take_array(struct payload_walk *w, const struct nettrace_type *t, struct cursor *c,
		      struct payload_value *v)
{
	uint32_t count = t->code == NETTRACE_ARRAY ? cursor_u16(c) : t->count;
	size_t begin = (size_t)(c->ptr - w->payload.ptr);
	size_t size = fixed_size(t->element, w->date_bytes);
	struct payload_walk items = { .item = t->element,
				      .len = count,
				      .payload = w->payload,
				      .at = begin,
				      .end = w->end,
				      .date_bytes = w->date_bytes,
				      .depth = w->depth + 1 };

	if (c->bad)
		return -EBADMSG;
	if (size && count * size > cursor_left(c))
		return -EBADMSG;
	if (size)
		items.at += count * size;
	else if (pass_over(&items) < 0)
		return -EBADMSG;
	set_array(v, t, cursor_bytes(c, items.at - begin), count);
	return 0;
}

/* An array elsewhere: u16 where (from here, or from the start) and u16 how many bytes. */
static int take_far(struct payload_walk *w, const struct nettrace_type *t, struct cursor *c,
		    struct payload_value *v)
{
	size_t at = cursor_u16(c), bytes = cursor_u16(c);
	size_t size = fixed_size(t->element, w->date_bytes);

	if (t->code == NETTRACE_RELATIVE)
		at += (size_t)(c->ptr - w->payload.ptr);
	if (c->bad || at + bytes > w->payload.len || !size || bytes % size)
		return -EBADMSG;
	set_array(v, t, (struct str){ w->payload.ptr + at, bytes }, (uint32_t)(bytes / size));
	return 0;
}

static int take_object(struct payload_walk *w, const struct nettrace_type *t, struct cursor *c,
		       struct payload_value *v)
{
	size_t begin = (size_t)(c->ptr - w->payload.ptr);
	struct payload_walk fields = { .fields = t->fields.ptr,
				       .len = t->fields.len,
				       .payload = w->payload,
				       .at = begin,
				       .end = w->end,
				       .date_bytes = w->date_bytes,
				       .depth = w->depth + 1 };

	if (pass_over(&fields) < 0)
		return -EBADMSG;
	v->form = PAYLOAD_OBJECT;
	v->bytes = cursor_bytes(c, fields.at - begin);
	return 0;
}

static int take_other(struct payload_walk *w, const struct nettrace_type *t, struct cursor *c,
		      struct payload_value *v)
{
	switch (t->code) {
	case NETTRACE_UTF16Z:
		v->form = PAYLOAD_TEXT;
		v->utf16 = true;
		v->bytes = cursor_utf16z(c);
		return 0;
	case NETTRACE_DATE:
		v->form = PAYLOAD_DATE;
		v->bytes = cursor_bytes(c, w->date_bytes);
		v->number = date_of(v->bytes);
		return 0;
	case NETTRACE_VARUINT:
		v->form = PAYLOAD_UINT;
		v->natural = cursor_varuint(c, 64);
		return 0;
	case NETTRACE_VARINT:
		v->form = PAYLOAD_INT;
		v->natural = cursor_varuint(c, 64);
		v->number = (int64_t)(v->natural >> 1) ^ -(int64_t)(v->natural & 1);
		return 0;
	case NETTRACE_ARRAY:
	case NETTRACE_FIXED_ARRAY:
		return take_array(w, t, c, v);
	case NETTRACE_RELATIVE:
	case NETTRACE_ABSOLUTE:
		return take_far(w, t, c, v);
	case NETTRACE_OBJECT:
		return take_object(w, t, c, v);
	default:
		return -EBADMSG;
	}
}

static int take(struct payload_walk *w, const struct nettrace_type *t, struct payload_value *ret)
{
	struct str rest = { w->payload.ptr + w->at, w->end - w->at };
	struct cursor c = cursor_of(rest, 0);
	const struct scalar *s = scalar_of(t);
	int got = 0;

	*ret = (struct payload_value){
		.type = t, .payload = w->payload, .date_bytes = w->date_bytes, .depth = w->depth
	};
	if (w->depth > DEPTH_MAX)
		return -EBADMSG;
	if (s)
		set_scalar(ret, s, cursor_bytes(&c, s->bytes));
	else
		got = take_other(w, t, &c, ret);
	w->at = (size_t)(c.ptr - w->payload.ptr);
	return c.bad ? -EBADMSG : got;
}

struct payload_walk payload_walk(const struct nettrace_event *e)
{
	return (struct payload_walk){ .fields = e->meta->fields.ptr,
				      .len = e->meta->fields.len,
				      .payload = e->payload,
				      .end = e->payload.len,
				      .date_bytes = e->meta->date_bytes };
}

struct payload_walk payload_open(const struct payload_value *v)
{
	struct payload_walk w = { .payload = v->payload,
				  .date_bytes = v->date_bytes,
				  .depth = v->depth + 1 };

	if (v->form != PAYLOAD_OBJECT && v->form != PAYLOAD_ARRAY)
		return w;
	w.at = (size_t)(v->bytes.ptr - v->payload.ptr);
	w.end = w.at + v->bytes.len;
	if (v->form == PAYLOAD_OBJECT) {
		w.fields = v->type->fields.ptr;
		w.len = v->type->fields.len;
	} else {
		w.item = v->type->element;
		w.len = v->count;
	}
	return w;
}

int payload_next(struct payload_walk *w, const char **ret_name, struct payload_value *ret)
{
	const struct nettrace_field *f;
	size_t before = w->at;
	int got;

	if (w->index >= w->len)
		return 0;
	f = w->item ? NULL : &w->fields[w->index];
	if (ret_name)
		*ret_name = f ? f->name : NULL;
	got = take(w, f ? &f->type : w->item, ret);
	/* thousands of items that have no bytes, within each other, would take for ever */
	if (w->item && w->len > 1 && w->at == before)
		return -EBADMSG;
	w->index++;
	return got < 0 ? got : 1;
}

static int find_in(struct payload_walk w, const char *name, struct payload_value *ret)
{
	const char *found;
	int got;

	while ((got = payload_next(&w, &found, ret)) > 0) {
		struct payload_value inner;

		if (!strcmp(found, name))
			return 1;
		if (ret->form != PAYLOAD_OBJECT)
			continue;
		got = find_in(payload_open(ret), name, &inner);
		if (got) {
			*ret = inner;
			return got;
		}
	}
	return got;
}

int payload_find(const struct nettrace_event *e, const char *name, struct payload_value *ret)
{
	return find_in(payload_walk(e), name, ret);
}

double payload_number(const struct payload_value *v)
{
	switch (v->form) {
	case PAYLOAD_BOOL:
	case PAYLOAD_INT:
		return (double)v->number;
	case PAYLOAD_UINT:
		return (double)v->natural;
	case PAYLOAD_DOUBLE:
		return v->real;
	default:
		return NAN;
	}
}

void payload_text(const struct payload_value *v, struct strbuf *out)
{
	struct utf_decoder d = { .form = v->utf16 ? UTF_16LE : UTF_8, .keep_bom = true };

	if (v->form == PAYLOAD_TEXT)
		utf_decode(&d, v->bytes, true, out);
}

/* ---- as JSON ---- */

static void put_guid(struct json_writer *w, const char *key, struct str guid)
{
	struct cursor c = cursor_of(guid, 0);
	uint32_t a = cursor_u32(&c);
	unsigned b = cursor_u16(&c), d = cursor_u16(&c);
	char text[40];
	int n = snprintf(text, sizeof(text), "%08x-%04x-%04x-", a, b, d);

	for (int i = 0; i < 8; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, i == 2 ? "-%02x" : "%02x",
			      cursor_u8(&c));
	json_cstr(w, key, text);
}

static void put_bytes(struct json_writer *w, const char *key, struct str bytes)
{
	CLEANUP(strbuf_release) struct strbuf hex = STRBUF_INIT;

	for (size_t i = 0; i < bytes.len; i++)
		strbuf_addf(&hex, "%02x", (uint8_t)bytes.ptr[i]);
	json_str(w, key, strbuf_str(&hex));
}

static void put_text(struct json_writer *w, const char *key, const struct payload_value *v)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	payload_text(v, &text);
	json_str(w, key, strbuf_str(&text));
}

static void put_value(struct json_writer *w, const char *key, const struct payload_value *v);

static void put_all(struct json_writer *w, struct payload_walk walk)
{
	struct payload_value v;
	const char *name;

	while (w->depth < JSON_DEPTH_MAX - 1 && payload_next(&walk, &name, &v) > 0)
		put_value(w, name, &v);
}

static void put_value(struct json_writer *w, const char *key, const struct payload_value *v)
{
	switch (v->form) {
	case PAYLOAD_BOOL:
		json_bool(w, key, v->number);
		break;
	case PAYLOAD_INT:
	case PAYLOAD_DATE:
		json_int(w, key, v->number);
		break;
	case PAYLOAD_UINT:
		json_uint(w, key, v->natural);
		break;
	case PAYLOAD_DOUBLE:
		json_double(w, key, v->real);
		break;
	case PAYLOAD_TEXT:
		put_text(w, key, v);
		break;
	case PAYLOAD_GUID:
		put_guid(w, key, v->bytes);
		break;
	case PAYLOAD_OBJECT:
		json_object_begin(w, key);
		put_all(w, payload_open(v));
		json_object_end(w);
		break;
	case PAYLOAD_ARRAY:
		json_array_begin(w, key);
		put_all(w, payload_open(v));
		json_array_end(w);
		break;
	default:
		put_bytes(w, key, v->bytes);
	}
}

void payload_json(const struct nettrace_event *e, const char *key, struct json_writer *w)
{
	json_object_begin(w, key);
	put_all(w, payload_walk(e));
	json_object_end(w);
}
