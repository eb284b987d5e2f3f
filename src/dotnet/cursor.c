#include "dotnet/cursor.h"

uint64_t cursor_varuint(struct cursor *c, unsigned bits)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < bits; shift += 7) {
		uint8_t byte = cursor_u8(c);
		uint64_t group = byte & 0x7f;

		if (bits - shift < 7 && group >> (bits - shift))
			break;
		v |= group << shift;
		if (!(byte & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

struct str cursor_utf16z(struct cursor *c)
{
	const char *p = c->ptr;
	size_t len;

	if (c->bad)
		return (struct str){ "", 0 };
	while (c->end - p >= 2 && (p[0] || p[1]))
		p += 2;
	if (c->end - p < 2) {
		c->bad = true;
		return (struct str){ "", 0 };
	}
	len = (size_t)(p - c->ptr);
	return (struct str){ cursor_take(c, len + 2), len };
}

struct str cursor_text8(struct cursor *c)
{
	return cursor_bytes(c, (size_t)cursor_varuint(c, 32));
}
