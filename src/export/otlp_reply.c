#include "export/otlp_reply.h"

#include <jansson.h>

#include "base/num.h"

#define MESSAGE_CHARS 200

/* A field of a message: its number and, for those with a length, its bytes. */
struct field {
	unsigned number;
	uint64_t value;
	struct str bytes;
};

static bool take_varint(struct str *in, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned shift = 0; in->len && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)*in->ptr;

		in->ptr++;
		in->len--;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*ret = v;
			return true;
		}
	}
	return false;
}

/* Cuts a field off *in; false at the end, and when it is not well-formed. */
static bool take_field(struct str *in, struct field *ret)
{
	uint64_t key, len = 0;

	*ret = (struct field){ 0 };
	if (!in->len || !take_varint(in, &key))
		return false;
	ret->number = (unsigned)(key >> 3);
	switch (key & 7) {
	case 0:
		return take_varint(in, &ret->value);
	case 1:
		len = 8;
		break;
	case 2:
		if (!take_varint(in, &len))
			return false;
		break;
	case 5:
		len = 4;
		break;
	default:
		return false;
	}
	if (len > in->len)
		return false;
	ret->bytes = (struct str){ in->ptr, (size_t)len };
	in->ptr += len;
	in->len -= (size_t)len;
	return true;
}

static void add_message(struct strbuf *out, struct str text)
{
	for (size_t i = 0; i < MIN(text.len, (size_t)MESSAGE_CHARS); i++)
		strbuf_addch(out, (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i]);
}

static uint64_t read_proto(struct str body, struct strbuf *message)
{
	uint64_t rejected = 0;
	struct field outer, f;

	while (take_field(&body, &outer)) {
		if (outer.number != 1)
			continue;
		while (take_field(&outer.bytes, &f)) {
			if (f.number == 1 && !f.bytes.ptr)
				rejected = f.value;
			else if (f.number == 2 && f.bytes.ptr)
				add_message(message, f.bytes);
		}
	}
	return rejected;
}

static uint64_t read_json(struct str body, struct strbuf *message)
{
	json_t *root = json_loadb(body.ptr, body.len, 0, NULL);
	const json_t *part = json_object_get(root, "partialSuccess");
	const json_t *count = json_object_get(part, "rejectedDataPoints");
	const char *text = json_string_value(json_object_get(part, "errorMessage"));
	uint64_t rejected = 0;

	/* a 64-bit integer is a text in this form, but numbers are to be taken too */
	if (json_is_integer(count) && json_integer_value(count) > 0)
		rejected = (uint64_t)json_integer_value(count);
	else if (json_is_string(count))
		num_parse_u64(str_from(json_string_value(count)), &rejected);
	if (text)
		add_message(message, str_from(text));
	json_decref(root);
	return rejected;
}

uint64_t export_otlp_rejected(struct str body, struct strbuf *message)
{
	if (!body.len)
		return 0;
	return *body.ptr == '{' ? read_json(body, message) : read_proto(body, message);
}
