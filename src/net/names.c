/* Walked once for each new connection: lists are enough. */
#include "net/names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/vec.h"

struct host_rule {
	char *pattern; /* as given */
	struct net_addr addr;
};

struct net_rule {
	char *text;
	struct net_addr net;
	unsigned bits;
};

struct net_names {
	VEC(struct host_rule) hosts;
	VEC(char *) blocked;
	VEC(struct net_rule) nets;
};

struct net_names *net_names_new(void)
{
	return xcalloc(1, sizeof(struct net_names));
}

void net_names_free(struct net_names *n)
{
	if (!n)
		return;
	vec_for_each (&n->hosts, h)
		free(h->pattern);
	vec_for_each (&n->blocked, b)
		free(*b);
	vec_for_each (&n->nets, r)
		free(r->text);
	vec_release(&n->hosts);
	vec_release(&n->blocked);
	vec_release(&n->nets);
	free(n);
}

/* --- patterns --- */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

static bool is_port(struct str s)
{
	uint64_t port;

	return num_parse_u64(s, &port) == 0 && port > 0 && port <= 65535;
}

static bool is_pattern(struct str s, bool with_port)
{
	size_t colon = str_find(s, ':');
	struct str name = { s.ptr, colon };

	if (colon < s.len &&
	    (!with_port || !is_port((struct str){ s.ptr + colon + 1, s.len - colon - 1 })))
		return false;
	for (size_t i = name.len && name.ptr[0] == '*'; i < name.len; i++)
		if (!is_name_char(name.ptr[i]))
			return false;
	return name.len > 0;
}

/* How well a name matches: 0 = not, longer patterns better, whole names best. */
static size_t rank_of(const char *pattern, struct str name)
{
	struct str p = str_from(pattern);

	if (p.ptr[0] != '*')
		return str_ieq(p, name) ? SIZE_MAX : 0;
	p.ptr++;
	p.len--;
	if (name.len <= p.len || !str_ieq((struct str){ name.ptr + name.len - p.len, p.len }, p))
		return 0;
	return p.len + 1;
}

/* --- building --- */

/* "address" or "address:port", in brackets when it is IPv6 with a port. */
static int parse_target(struct net_addr *ret, struct str s)
{
	size_t end = s.len;
	uint64_t port = 0;

	if (str_starts_with(s, STR("unix:"))) {
		s.ptr += strlen("unix:");
		s.len -= strlen("unix:");
		if (str_starts_with(s, STR("//")))
			s = (struct str){ s.ptr + 2, s.len - 2 };
		return net_addr_unix(ret, s);
	}
	if (net_addr_parse(ret, s, 0) == 0)
		return 0;
	while (end && s.ptr[end - 1] != ':')
		end--;
	if (!end || !is_port((struct str){ s.ptr + end, s.len - end }))
		return -EINVAL;
	num_parse_u64((struct str){ s.ptr + end, s.len - end }, &port);
	s.len = end - 1;
	if (s.len > 2 && s.ptr[0] == '[' && s.ptr[s.len - 1] == ']')
		s = (struct str){ s.ptr + 1, s.len - 2 };
	else if (str_find(s, ':') < s.len)
		return -EINVAL;
	return net_addr_parse(ret, s, (uint16_t)port);
}

int net_names_add_host(struct net_names *n, struct str pattern, struct str target,
		       struct error *reterr)
{
	struct host_rule rule;

	if (!is_pattern(pattern, true))
		return error_set(reterr, -EINVAL,
				 "'%.*s' is not a host name; expected a name, \"*.name\" or either "
				 "with \":port\"",
				 STR_FMT(pattern));
	if (parse_target(&rule.addr, target) < 0)
		return error_set(reterr, -EINVAL,
				 "'%.*s' is not an address; expected \"10.0.0.1\", "
				 "\"10.0.0.1:8080\", \"[::1]:8080\" or \"unix:/path\"",
				 STR_FMT(target));
	rule.pattern = str_dup(pattern);
	vec_push(&n->hosts, rule);
	return 0;
}

int net_names_block_host(struct net_names *n, struct str pattern, struct error *reterr)
{
	if (!is_pattern(pattern, false))
		return error_set(reterr, -EINVAL,
				 "'%.*s' is not a host name; expected a name or \"*.name\"",
				 STR_FMT(pattern));
	vec_push(&n->blocked, str_dup(pattern));
	return 0;
}

/* The bytes of an address; of an IPv4 one written as IPv6 those of the IPv4. */
static const unsigned char *bytes_of(const struct net_addr *a, unsigned *ret_bits)
{
	const unsigned char *p = a->in6.sin6_addr.s6_addr;

	*ret_bits = 32;
	if (a->sa.sa_family == AF_INET)
		return (const unsigned char *)&a->in.sin_addr;
	if (IN6_IS_ADDR_V4MAPPED(&a->in6.sin6_addr))
		return p + 12;
	*ret_bits = 128;
	return p;
}

/* "a.b.c.d/bits"; of an IPv4 network written as IPv6 the bits are counted from the IPv4's first. */
static int parse_net(struct net_rule *r, struct str text)
{
	size_t slash = str_find(text, '/');
	uint64_t bits;
	unsigned most, written;

	if (net_addr_parse(&r->net, (struct str){ text.ptr, slash }, 0) < 0)
		return -EINVAL;
	bytes_of(&r->net, &most);
	written = r->net.sa.sa_family == AF_INET6 ? 128 : 32;
	bits = written;
	if (slash < text.len &&
	    num_parse_u64((struct str){ text.ptr + slash + 1, text.len - slash - 1 }, &bits) < 0)
		return -EINVAL;
	if (bits > written || bits < written - most)
		return -EINVAL;
	r->bits = (unsigned)bits - (written - most);
	return 0;
}

int net_names_block_net(struct net_names *n, struct str net, struct error *reterr)
{
	struct net_rule rule = { 0 };

	if (parse_net(&rule, net) < 0)
		return error_set(
			reterr, -EINVAL,
			"'%.*s' is not a network; expected \"10.0.0.0/8\", \"fd00::/8\" or "
			"an address",
			STR_FMT(net));
	rule.text = str_dup(net);
	vec_push(&n->nets, rule);
	return 0;
}

/* --- looking up --- */

static const struct host_rule *best_host(const struct net_names *n, struct str name)
{
	const struct host_rule *best = NULL;
	size_t best_rank = 1;

	vec_for_each (&n->hosts, h) {
		size_t rank = rank_of(h->pattern, name);

		if (rank >= best_rank) {
			best = h;
			best_rank = rank;
		}
	}
	return best;
}

bool net_names_find(const struct net_names *n, struct str host, uint16_t port, struct net_addr *ret)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	const struct host_rule *rule;

	if (!n || !n->hosts.len)
		return false;
	strbuf_addf(&name, "%.*s:%u", STR_FMT(host), port);
	rule = best_host(n, strbuf_str(&name));
	if (!rule)
		rule = best_host(n, host);
	if (!rule)
		return false;
	*ret = rule->addr;
	if (!net_addr_port(ret))
		net_addr_set_port(ret, port);
	return true;
}

const char *net_names_blocked_host(const struct net_names *n, struct str host)
{
	if (!n)
		return NULL;
	vec_for_each (&n->blocked, b)
		if (rank_of(*b, host))
			return *b;
	return NULL;
}

static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	return !memcmp(a, b, whole) && (!rest || !((a[whole] ^ b[whole]) >> (8 - rest)));
}

static bool contains(const struct net_rule *r, const struct net_addr *addr)
{
	unsigned net_bits, addr_bits;
	const unsigned char *net = bytes_of(&r->net, &net_bits);
	const unsigned char *bytes = bytes_of(addr, &addr_bits);

	if (addr->sa.sa_family == AF_UNIX)
		return false;
	return net_bits == addr_bits && same_bits(net, bytes, r->bits);
}

const char *net_names_blocked_net(const struct net_names *n, const struct net_addr *addr)
{
	if (!n)
		return NULL;
	vec_for_each (&n->nets, r)
		if (contains(r, addr))
			return r->text;
	return NULL;
}
