#include "net/addr.h"

#include <arpa/inet.h>
#include <errno.h>

int net_addr_parse(struct net_addr *ret, struct str text, uint16_t port)
{
	char name[INET6_ADDRSTRLEN];
	struct net_addr a = { 0 };

	if (!text.len || text.len >= sizeof(name))
		return -EINVAL;
	memcpy(name, text.ptr, text.len);
	name[text.len] = '\0';
	if (inet_pton(AF_INET, name, &a.in.sin_addr) == 1) {
		a.in.sin_family = AF_INET;
	} else if (inet_pton(AF_INET6, name, &a.in6.sin6_addr) == 1) {
		a.in6.sin6_family = AF_INET6;
	} else {
		return -EINVAL;
	}
	net_addr_set_port(&a, port);
	*ret = a;
	return 0;
}

int net_addr_unix(struct net_addr *ret, struct str path)
{
	struct net_addr a = { .un.sun_family = AF_UNIX };

	if (!path.len || path.len >= sizeof(a.un.sun_path) || memchr(path.ptr, '\0', path.len))
		return -EINVAL;
	memcpy(a.un.sun_path, path.ptr, path.len);
	*ret = a;
	return 0;
}

void net_addr_set_port(struct net_addr *a, uint16_t port)
{
	if (a->sa.sa_family == AF_UNIX)
		return;
	if (a->sa.sa_family == AF_INET6)
		a->in6.sin6_port = htons(port);
	else
		a->in.sin_port = htons(port);
}

uint16_t net_addr_port(const struct net_addr *a)
{
	if (a->sa.sa_family == AF_UNIX)
		return 0;
	return ntohs(a->sa.sa_family == AF_INET6 ? a->in6.sin6_port : a->in.sin_port);
}

void net_addr_fmt(struct strbuf *sb, const struct net_addr *a, bool with_port)
{
	bool v6 = a->sa.sa_family == AF_INET6;
	char name[INET6_ADDRSTRLEN];

	if (a->sa.sa_family == AF_UNIX) {
		strbuf_addf(sb, "unix:%s", a->un.sun_path);
		return;
	}
	inet_ntop(a->sa.sa_family, v6 ? (const void *)&a->in6.sin6_addr : &a->in.sin_addr, name,
		  sizeof(name));
	if (!with_port)
		strbuf_addstr(sb, name);
	else
		strbuf_addf(sb, v6 ? "[%s]:%u" : "%s:%u", name, net_addr_port(a));
}
