/* A range is its first address and how many there are; more than fit 62 bits count as that many. */
#include "net/pool.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/vec.h"

#define RANGE_MAX (UINT64_C(1) << 62)

struct range {
	struct net_addr first;
	uint64_t n;
};

struct net_pool {
	VEC(struct range) ranges;
	uint64_t n; /* of all */
};

void net_pool_free(struct net_pool *p)
{
	if (!p)
		return;
	vec_release(&p->ranges);
	free(p);
}

static unsigned char *bytes_of(struct net_addr *a, size_t *ret_len)
{
	*ret_len = a->sa.sa_family == AF_INET6 ? 16 : 4;
	return a->sa.sa_family == AF_INET6 ? a->in6.sin6_addr.s6_addr
					   : (unsigned char *)&a->in.sin_addr;
}

static void add_to(struct net_addr *a, uint64_t n)
{
	size_t len;
	unsigned char *p = bytes_of(a, &len);

	while (n && len--) {
		n += p[len];
		p[len] = (unsigned char)n;
		n >>= 8;
	}
}

/* to - from + 1, or -ERANGE. */
static int count_between(struct net_addr *from, struct net_addr *to, uint64_t *ret)
{
	size_t len, to_len;
	const unsigned char *a = bytes_of(from, &len), *b = bytes_of(to, &to_len);
	__int128 n = 0;

	if (len != to_len || memcmp(a, b, len) > 0)
		return -ERANGE;
	for (size_t i = 0; i < len; i++) {
		n = n * 256 + b[i] - a[i];
		n = MIN(n, (__int128)1 << 100);
	}
	*ret = n >= RANGE_MAX ? RANGE_MAX : (uint64_t)n + 1;
	return 0;
}

static int parse_net(struct range *r, struct str prefix)
{
	size_t len;
	unsigned char *p = bytes_of(&r->first, &len);
	uint64_t bits;
	size_t left;

	if (num_parse_u64(prefix, &bits) < 0 || bits > len * 8)
		return -EINVAL;
	left = len * 8 - bits;
	for (size_t i = 0; i < left; i++)
		p[len - 1 - i / 8] &= (unsigned char)~(1U << i % 8);
	r->n = left >= 62 ? RANGE_MAX : UINT64_C(1) << left;
	if (len == 4 && r->n > 2) {
		add_to(&r->first, 1);
		r->n -= 2;
	}
	return 0;
}

static int parse_range(struct range *r, struct str text)
{
	size_t dash = str_find(text, '-'), slash = str_find(text, '/');
	size_t end = MIN(dash, slash);
	struct str rest = { text.ptr + end + 1, end < text.len ? text.len - end - 1 : 0 };
	struct net_addr to;

	if (net_addr_parse(&r->first, (struct str){ text.ptr, end }, 0) < 0)
		return -EINVAL;
	r->n = 1;
	if (end == text.len)
		return 0;
	if (end == slash)
		return parse_net(r, rest);
	if (net_addr_parse(&to, rest, 0) < 0)
		return -EINVAL;
	return count_between(&r->first, &to, &r->n);
}

int net_pool_new(struct net_pool **ret, struct str text, struct error *reterr)
{
	struct net_pool *p = xcalloc(1, sizeof(*p));
	struct str part;

	while (str_split(&text, ',', &part)) {
		struct range r;

		part = str_trim(part);
		if (parse_range(&r, part) < 0) {
			net_pool_free(p);
			return error_set(reterr, -EINVAL,
					 "'%.*s' is no range of addresses; expected \"10.0.0.5\", "
					 "\"10.0.0.5-10.0.0.9\" or \"10.0.0.0/28\"",
					 STR_FMT(part));
		}
		vec_push(&p->ranges, r);
		p->n = MIN(p->n + r.n, RANGE_MAX);
	}
	if (!p->n) {
		net_pool_free(p);
		return error_set(reterr, -EINVAL, "there is no address in it");
	}
	*ret = p;
	return 0;
}

struct net_addr net_pool_get(const struct net_pool *p, uint64_t i)
{
	struct net_addr a = p->ranges.ptr[0].first;

	i %= p->n;
	vec_for_each (&p->ranges, r) {
		if (i < r->n) {
			a = r->first;
			add_to(&a, i);
			break;
		}
		i -= r->n;
	}
	return a;
}
