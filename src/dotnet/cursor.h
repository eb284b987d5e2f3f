/*
 * cursor.h - little-endian numbers taken from bytes that somebody else wrote. Once something lies
 * past the end the cursor is bad and gives zeros, so that a whole record is taken and then asked
 * once.
 */
#ifndef ASSAY_DOTNET_CURSOR_H
#define ASSAY_DOTNET_CURSOR_H

#include "base/str.h"

struct cursor {
	const char *ptr, *end;
	uint64_t offset; /* of ptr in the stream, for messages */
	bool bad;
};

static inline struct cursor cursor_of(struct str bytes, uint64_t offset)
{
	return (struct cursor){ bytes.ptr, bytes.ptr + bytes.len, offset, false };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->ptr);
}

/* NULL when there are not so many. */
static inline const char *cursor_take(struct cursor *c, size_t n)
{
	const char *p = c->ptr;

	if (c->bad || n > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->ptr += n;
	c->offset += n;
	return p;
}

static inline struct str cursor_bytes(struct cursor *c, size_t n)
{
	const char *p = cursor_take(c, n);

	return p ? (struct str){ p, n } : (struct str){ "", 0 };
}

static inline uint64_t cursor_number(struct cursor *c, size_t n)
{
	const char *p = cursor_take(c, n);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)cursor_number(c, 1);
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	return (uint16_t)cursor_number(c, 2);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	return (uint32_t)cursor_number(c, 4);
}

static inline int32_t cursor_i32(struct cursor *c)
{
	return (int32_t)cursor_u32(c);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	return cursor_number(c, 8);
}

static inline double cursor_f64(struct cursor *c)
{
	uint64_t bits = cursor_u64(c);
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* LEB128, the low group first; bad when it has more bits than asked for. */
uint64_t cursor_varuint(struct cursor *c, unsigned bits);

/* As it is, without its terminator of two zero bytes; bad when it has none. */
struct str cursor_utf16z(struct cursor *c);

/* A count of bytes (LEB128) and UTF-8. */
struct str cursor_text8(struct cursor *c);

#endif
