/* addr.h - an IPv4 or IPv6 address with its port. */
#ifndef ASSAY_NET_ADDR_H
#define ASSAY_NET_ADDR_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/strbuf.h"

struct net_addr {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	};
};

static inline socklen_t net_addr_len(const struct net_addr *a)
{
	return a->sa.sa_family == AF_INET6 ? sizeof(a->in6) : sizeof(a->in);
}

/* A numeric address without brackets or zone. 0 or -EINVAL. */
int net_addr_parse(struct net_addr *ret, struct str text, uint16_t port);

void net_addr_set_port(struct net_addr *a, uint16_t port);
uint16_t net_addr_port(const struct net_addr *a);

/* "127.0.0.1:80", "[::1]:80"; without the port: "127.0.0.1", "::1". */
void net_addr_fmt(struct strbuf *sb, const struct net_addr *a, bool with_port);

#endif
