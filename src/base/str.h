/*
 * str.h - borrowed text: a pointer and a length into a buffer somebody else owns, not terminated.
 * Parsers cut their input with it instead of copying.
 */
#ifndef ASSAY_BASE_STR_H
#define ASSAY_BASE_STR_H

#include <string.h>

#include "base/util.h"

struct str {
	const char *ptr;
	size_t len;
};

#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
#define STR_FMT(s)   (int)(s).len, (s).ptr /* for "%.*s" */

static inline struct str str_from(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

static inline bool str_eq_c(struct str a, const char *b)
{
	return str_eq(a, str_from(b));
}

/* As strcmp(): bytes as unsigned, and a part before the whole. */
static inline int str_cmp(struct str a, struct str b)
{
	size_t n = MIN(a.len, b.len);
	int c = n ? memcmp(a.ptr, b.ptr, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

bool str_ieq(struct str a, struct str b); /* ASCII case folded */
bool str_starts_with(struct str s, struct str prefix);
bool str_ends_with(struct str s, struct str suffix);

/* Cuts ASCII blanks (space, tab, CR, LF) at both ends. */
struct str str_trim(struct str s);

/*
 * Cuts the part before the first sep off *rest and moves *rest past it. Returns false when *rest
 * is exhausted (its ptr is NULL then); "a,,b" gives "a", "", "b".
 */
bool str_split(struct str *rest, char sep, struct str *ret_part);

/* Index of the first c, or s.len when there is none. */
size_t str_find(struct str s, char c);

/* The value of a hexadecimal digit, or -1. */
static inline int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Length of the valid UTF-8 sequence at s.ptr[at] (RFC 3629), or 0; at < s.len. */
size_t str_utf8_length(struct str s, size_t at);

/* A terminated copy; the caller frees it. */
char *str_dup(struct str s);

/* Edit distance of two C strings, capped at 100 characters: for "did you mean" hints. */
unsigned str_distance(const char *a, const char *b);

/* The nearest of n candidates if it is near enough to be meant, else NULL. */
const char *str_nearest(const char *word, const char *const *candidates, size_t n);

#endif
