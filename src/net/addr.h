/* addr.h - an IPv4 or IPv6 address with its port, or the path of a unix socket. */
#ifndef ASSAY_NET_ADDR_H
#define ASSAY_NET_ADDR_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/strbuf.h"

struct net_addr {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un; /* sun_path ends with a 0 */
	};
};

static inline socklen_t net_addr_len(const struct net_addr *a)
{
	switch (a->sa.sa_family) {
	case AF_UNIX:
		return sizeof(a->un);
	case AF_INET6:
		return sizeof(a->in6);
	default:
		return sizeof(a->in);
	}
}

/* A numeric address without brackets or zone. 0 or -EINVAL. */
int net_addr_parse(struct net_addr *ret, struct str text, uint16_t port);

/* The path of a unix socket, of at most 107 bytes. 0 or -EINVAL. */
int net_addr_unix(struct net_addr *ret, struct str path);

/* Unix sockets have no port: 0, and setting it does nothing. */
void net_addr_set_port(struct net_addr *a, uint16_t port);
uint16_t net_addr_port(const struct net_addr *a);

/* "127.0.0.1:80", "[::1]:80"; without the port: "127.0.0.1", "::1". A
 * unix socket: "unix:/path". */
void net_addr_fmt(struct strbuf *sb, const struct net_addr *a, bool with_port);

#endif
