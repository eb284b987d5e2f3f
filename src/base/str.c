#include "base/str.h"

#include "base/mem.h"

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool str_ieq(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (a.ptr[i] != b.ptr[i] && fold(a.ptr[i]) != fold(b.ptr[i]))
			return false;
	return true;
}

bool str_starts_with(struct str s, struct str prefix)
{
	return s.len >= prefix.len && !memcmp(s.ptr, prefix.ptr, prefix.len);
}

bool str_ends_with(struct str s, struct str suffix)
{
	return s.len >= suffix.len && !memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
	while (s.len && is_blank(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

size_t str_find(struct str s, char c)
{
	const char *p = s.len ? memchr(s.ptr, c, s.len) : NULL;

	return p ? (size_t)(p - s.ptr) : s.len;
}

bool str_split(struct str *rest, char sep, struct str *ret_part)
{
	size_t n;

	if (!rest->ptr)
		return false;
	n = str_find(*rest, sep);
	*ret_part = (struct str){ rest->ptr, n };
	if (n == rest->len)
		*rest = (struct str){ NULL, 0 };
	else
		*rest = (struct str){ rest->ptr + n + 1, rest->len - n - 1 };
	return true;
}

char *str_dup(struct str s)
{
	char *p = xmalloc(s.len + 1);

	if (s.len)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return p;
}

#define DISTANCE_MAX 100

unsigned str_distance(const char *a, const char *b)
{
	size_t la = strnlen(a, DISTANCE_MAX), lb = strnlen(b, DISTANCE_MAX);
	unsigned row[DISTANCE_MAX + 1];

	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned replace = diagonal + (fold(a[i - 1]) != fold(b[j - 1]));
			unsigned indel = MIN(row[j], row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = MIN(replace, indel);
		}
	}
	return row[lb];
}

const char *str_nearest(const char *word, const char *const *candidates, size_t n)
{
	unsigned limit = (unsigned)(strlen(word) / 3 + 1), best = limit + 1;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d = str_distance(word, candidates[i]);

		if (d < best) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}

/* The range of second bytes that keeps overlong forms and surrogates out (RFC 3629, section 4). */
static bool second_byte_ok(unsigned char first, unsigned char second)
{
	unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return second >= low && second <= high;
}

size_t str_utf8_length(struct str s, size_t at)
{
	const unsigned char *p = (const unsigned char *)s.ptr + at;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (n == 1)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n > s.len - at || !second_byte_ok(p[0], p[1]))
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}
