#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int num_parse_u64(struct str s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!s.len)
		return -EINVAL;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.ptr[i] - '0'), &v))
			return -ERANGE;
	}
	*ret = v;
	return 0;
}

int num_parse_i64(struct str s, int64_t *ret)
{
	bool negative = s.len && s.ptr[0] == '-';
	uint64_t v;
	int r;

	if (negative)
		s = (struct str){ s.ptr + 1, s.len - 1 };
	r = num_parse_u64(s, &v);
	if (r < 0)
		return r;
	if (v > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*ret = negative ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

int num_parse_double(struct str s, double *ret)
{
	char text[64], *end;
	double v;

	if (!s.len || s.len >= sizeof(text))
		return -EINVAL;
	for (size_t i = 0; i < s.len; i++)
		if (!s.ptr[i] || !strchr("0123456789+-.eE", s.ptr[i]))
			return -EINVAL;
	memcpy(text, s.ptr, s.len);
	text[s.len] = '\0';
	v = strtod(text, &end); /* nothing in assay sets LC_NUMERIC: the point is a point */
	if (*end || end == text)
		return -EINVAL;
	if (!isfinite(v))
		return -ERANGE;
	*ret = v;
	return 0;
}

static bool cut_suffix(struct str *s, const char *letters)
{
	if (!s->len || !s->ptr[s->len - 1] || !strchr(letters, s->ptr[s->len - 1]))
		return false;
	s->len--;
	return true;
}

int num_parse_bytes(struct str s, uint64_t *ret)
{
	static const char units[] = "kmgt";
	uint64_t factor = 1;
	double v;
	int r;

	if (cut_suffix(&s, "bB"))
		cut_suffix(&s, "iI");
	for (size_t i = 0; i < 4; i++) {
		char both[3] = { units[i], (char)(units[i] - 32), '\0' };

		if (cut_suffix(&s, both)) {
			factor = UINT64_C(1) << (10 * (i + 1));
			break;
		}
	}
	r = num_parse_double(s, &v);
	if (r < 0)
		return r;
	if (v < 0 || v * (double)factor >= 9.2e18)
		return -ERANGE;
	*ret = (uint64_t)(v * (double)factor);
	return 0;
}

/* Both sides of the division are exact and IEEE's quotient is the nearest double: what strtod()
 * makes of the digits. */
bool num_millionths(double v, uint64_t *ret)
{
	double size = v < 0 ? -v : v;
	uint64_t k;

	if (!(size < 1e9))
		return false;
	k = (uint64_t)(size * 1e6 + 0.5);
	if ((double)k / 1e6 != size)
		return false;
	*ret = k;
	return true;
}
