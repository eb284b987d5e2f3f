#include "base/proto.h"

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LEN = 2 };

static size_t put_varint(unsigned char *at, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		at[n++] = (unsigned char)(v | 0x80);
	at[n++] = (unsigned char)v;
	return n;
}

void proto_varint(struct strbuf *out, uint64_t v)
{
	unsigned char bytes[10];

	strbuf_add(out, bytes, put_varint(bytes, v));
}

static void add_key(struct strbuf *out, unsigned field, enum wire wire)
{
	proto_varint(out, (uint64_t)field << 3 | wire);
}

void proto_uint(struct strbuf *out, unsigned field, uint64_t v)
{
	add_key(out, field, WIRE_VARINT);
	proto_varint(out, v);
}

void proto_raw_sint(struct strbuf *out, int64_t v)
{
	proto_varint(out, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void proto_sint(struct strbuf *out, unsigned field, int64_t v)
{
	add_key(out, field, WIRE_VARINT);
	proto_raw_sint(out, v);
}

void proto_raw64(struct strbuf *out, uint64_t v)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(v >> 8 * i);
	strbuf_add(out, bytes, sizeof(bytes));
}

void proto_raw_double(struct strbuf *out, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	proto_raw64(out, bits);
}

void proto_fixed64(struct strbuf *out, unsigned field, uint64_t v)
{
	add_key(out, field, WIRE_64);
	proto_raw64(out, v);
}

void proto_double(struct strbuf *out, unsigned field, double v)
{
	add_key(out, field, WIRE_64);
	proto_raw_double(out, v);
}

void proto_str(struct strbuf *out, unsigned field, struct str s)
{
	add_key(out, field, WIRE_LEN);
	proto_varint(out, s.len);
	strbuf_add(out, s.ptr, s.len);
}

size_t proto_begin(struct strbuf *out, unsigned field)
{
	add_key(out, field, WIRE_LEN);
	return out->len;
}

/* The length goes before what it counts: that moves up by a byte or a few. */
void proto_end(struct strbuf *out, size_t begun)
{
	unsigned char bytes[10];
	size_t len = out->len - begun, n = put_varint(bytes, len);

	strbuf_reserve(out, n);
	memmove(out->ptr + begun + n, out->ptr + begun, len);
	memcpy(out->ptr + begun, bytes, n);
	strbuf_commit(out, n);
}
