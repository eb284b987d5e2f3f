/*
 * names.h - what a test says of names and addresses before any name server is asked: names with
 * addresses of their own, names and networks that nothing is sent to (k6's hosts, blockHostnames
 * and blacklistIPs). Built once; after that any thread may look things up.
 *
 * A pattern is a host name, "*.example.com" (every name below it, not itself), "*" (all), each with
 * an optional ":port". Case does not matter. A whole name counts before a pattern with "*", a
 * longer pattern before a shorter one, and one with the port before one without.
 */
#ifndef ASSAY_NET_NAMES_H
#define ASSAY_NET_NAMES_H

#include "base/error.h"
#include "net/addr.h"

struct net_names;

struct net_names *net_names_new(void);
void net_names_free(struct net_names *n); /* NULL in, nothing done */
DEFINE_CLEANUP(net_names, struct net_names *, net_names_free)

/* target: "10.0.0.1", "10.0.0.1:8080", "::1", "[::1]:8080", "unix:/path". The last of a pattern
 * counts. -EINVAL. */
int net_names_add_host(struct net_names *n, struct str pattern, struct str target,
		       struct error *reterr);

/* A pattern without a port. -EINVAL. */
int net_names_block_host(struct net_names *n, struct str pattern, struct error *reterr);

/* A network, "10.0.0.0/8", or one address. -EINVAL. */
int net_names_block_net(struct net_names *n, struct str net, struct error *reterr);

/* The address that stands for a name (or a numeric address); its port is the given one unless the
 * target has one. n may be NULL, here and below. */
bool net_names_find(const struct net_names *n, struct str host, uint16_t port,
		    struct net_addr *ret);

/* The pattern that blocks the name, the network that blocks the address; NULL when none does. */
const char *net_names_blocked_host(const struct net_names *n, struct str host);
const char *net_names_blocked_net(const struct net_names *n, const struct net_addr *addr);

#endif
