#include "base/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

void strbuf_release(struct strbuf *sb)
{
	free(sb->ptr);
	*sb = (struct strbuf){ .max = sb->max };
}

void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->ptr)
		sb->ptr[0] = '\0';
}

int strbuf_reserve(struct strbuf *sb, size_t n)
{
	size_t need = sb->len + n + 1;

	if (sb->max && sb->len + n > sb->max)
		return -E2BIG;
	if (need > sb->cap) {
		sb->cap = MAX(need, sb->cap * 2);
		sb->ptr = xrealloc(sb->ptr, sb->cap);
		sb->ptr[sb->len] = '\0';
	}
	return 0;
}

void strbuf_commit(struct strbuf *sb, size_t n)
{
	BUG_ON(sb->len + n >= sb->cap);
	sb->len += n;
	sb->ptr[sb->len] = '\0';
}

int strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	int r = strbuf_reserve(sb, len);

	if (r < 0)
		return r;
	if (len)
		memcpy(strbuf_tail(sb), data, len);
	strbuf_commit(sb, len);
	return 0;
}

int strbuf_addstr(struct strbuf *sb, const char *s)
{
	return strbuf_add(sb, s, strlen(s));
}

int strbuf_addch(struct strbuf *sb, char c)
{
	return strbuf_add(sb, &c, 1);
}

int strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	size_t room = sb->cap - sb->len;
	va_list again;
	int n, r;

	/* mostly it fits, and need not be formatted twice */
	va_copy(again, ap);
	n = vsnprintf(room ? strbuf_tail(sb) : NULL, room, fmt, again);
	va_end(again);
	if (n >= 0 && (size_t)n < room && (!sb->max || sb->len + (size_t)n <= sb->max)) {
		strbuf_commit(sb, (size_t)n);
		return 0;
	}
	if (room)
		*strbuf_tail(sb) = '\0';
	if (n < 0)
		return -EINVAL;
	r = strbuf_reserve(sb, (size_t)n);
	if (r < 0)
		return r;
	vsnprintf(strbuf_tail(sb), (size_t)n + 1, fmt, ap);
	strbuf_commit(sb, (size_t)n);
	return 0;
}

int strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
	return r;
}

int strbuf_add_uint(struct strbuf *sb, uint64_t v, unsigned width)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (sizeof(digits) - at < MIN(width, (unsigned)sizeof(digits)))
		digits[--at] = '0';
	return strbuf_add(sb, digits + at, sizeof(digits) - at);
}

void strbuf_add_utf8(struct strbuf *sb, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addch(sb, (char)c);
	} else if (c < 0x800) {
		strbuf_addch(sb, (char)(0xc0 | c >> 6));
		strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		strbuf_addch(sb, (char)(0xe0 | c >> 12));
		strbuf_addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
	} else {
		strbuf_addch(sb, (char)(0xf0 | c >> 18));
		strbuf_addch(sb, (char)(0x80 | (c >> 12 & 0x3f)));
		strbuf_addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
	}
}

void strbuf_consume(struct strbuf *sb, size_t n)
{
	BUG_ON(n > sb->len);
	if (!n)
		return;
	memmove(sb->ptr, sb->ptr + n, sb->len - n + 1);
	sb->len -= n;
}

void strbuf_truncate(struct strbuf *sb, size_t len)
{
	if (len >= sb->len)
		return;
	sb->len = len;
	sb->ptr[len] = '\0';
}

char *strbuf_detach(struct strbuf *sb)
{
	char *p;

	strbuf_reserve(sb, 0);
	p = sb->ptr ? sb->ptr : xstrdup("");
	*sb = (struct strbuf){ .max = sb->max };
	return p;
}
