/*
 * strbuf.h - a growing byte string, always terminated with a NUL that does not count. Zero
 * initialisation is valid. A buffer that takes input from outside gets a maximum; an addition that
 * would pass it is refused with -E2BIG and changes nothing.
 */
#ifndef ASSAY_BASE_STRBUF_H
#define ASSAY_BASE_STRBUF_H

#include <stdarg.h>

#include "base/str.h"

struct strbuf {
	char *ptr; /* NULL until the first addition; see strbuf_cstr() */
	size_t len;
	size_t cap;
	size_t max; /* 0 = no limit */
};

#define STRBUF_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

void strbuf_release(struct strbuf *sb);
void strbuf_clear(struct strbuf *sb); /* keeps the memory and the maximum */

/* 0 or -E2BIG. Callers that set no maximum may ignore the result: it is then always 0. */
int strbuf_add(struct strbuf *sb, const void *data, size_t len);
int strbuf_addstr(struct strbuf *sb, const char *s);
int strbuf_addch(struct strbuf *sb, char c);
/* In decimal, with zeros in front up to width. */
int strbuf_add_uint(struct strbuf *sb, uint64_t v, unsigned width);
int strbuf_addf(struct strbuf *sb, const char *fmt, ...) PRINTF_LIKE(2, 3);
int strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);

/* Appends a code point up to U+10FFFF as UTF-8. */
void strbuf_add_utf8(struct strbuf *sb, uint32_t c);

/* Room for n more bytes at strbuf_tail(), to be confirmed with strbuf_commit(). */
int strbuf_reserve(struct strbuf *sb, size_t n);
static inline char *strbuf_tail(struct strbuf *sb)
{
	return sb->ptr + sb->len;
}
void strbuf_commit(struct strbuf *sb, size_t n);

/* Drops n bytes at the front. */
void strbuf_consume(struct strbuf *sb, size_t n);

/* Cuts the text to its first len bytes. */
void strbuf_truncate(struct strbuf *sb, size_t len);

/* The text as a C string, "" when empty; borrowed until the next change. */
static inline const char *strbuf_cstr(const struct strbuf *sb)
{
	return sb->ptr ? sb->ptr : "";
}

static inline struct str strbuf_str(const struct strbuf *sb)
{
	return (struct str){ strbuf_cstr(sb), sb->len };
}

/* Hands the memory to the caller (never NULL) and leaves an empty buffer. */
char *strbuf_detach(struct strbuf *sb);

#endif
