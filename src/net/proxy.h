/*
 * proxy.h - which requests go through a proxy, by the environment's well-known variables, with the
 * meaning they have for Go's clients (golang.org/x/net/http/httpproxy):
 *
 *	HTTP_PROXY, HTTPS_PROXY  "http://user:password@host:port", "socks5://…"; a bare "host:port"
 *is http NO_PROXY                 "example.com,.internal,10.0.0.0/8,host:8080" or "*": no proxy for
 *these
 *
 * localhost and loopback addresses never go through one. Built once; then any thread may look.
 */
#ifndef ASSAY_NET_PROXY_H
#define ASSAY_NET_PROXY_H

#include "base/error.h"
#include "base/strbuf.h"

enum net_proxy_kind { NET_PROXY_HTTP, NET_PROXY_SOCKS5 };

struct net_proxy {
	enum net_proxy_kind kind;
	char *host;
	uint16_t port;
	char *user, *password; /* decoded; NULL = none */
};

struct net_proxies;

/* Each may be NULL or "". *ret is NULL when there is no proxy at all. -EINVAL names the text. */
int net_proxies_new(struct net_proxies **ret, const char *http, const char *https, const char *no,
		    struct error *reterr);
void net_proxies_free(struct net_proxies *p); /* NULL in, nothing done */
DEFINE_CLEANUP(net_proxies, struct net_proxies *, net_proxies_free)

/* The proxy for a server; NULL = none. p may be NULL. */
const struct net_proxy *net_proxies_for(const struct net_proxies *p, bool tls, struct str host,
					uint16_t port);

/*
 * The talk with a proxy that ends with a connection to the server: CONNECT (RFC 9110 9.3.6), or
 * SOCKS5 (RFC 1928, 1929; the proxy looks the name up).
 */
struct net_tunnel {
	const struct net_proxy *proxy;
	struct str host;
	uint16_t port;
	unsigned state;
	struct strbuf out; /* to be sent; emptied by whoever sends it */
	struct strbuf in;
};

void net_tunnel_begin(struct net_tunnel *t, const struct net_proxy *proxy, struct str host,
		      uint16_t port);

/* Takes bytes from the proxy. 0 = connected, -EAGAIN = go on (there may be something in out), or
 * -EPROTO with the reason. */
int net_tunnel_take(struct net_tunnel *t, struct str bytes, struct error *reterr);
void net_tunnel_release(struct net_tunnel *t);

/* Appends "Basic …" for the proxy's user. */
void net_proxy_credentials(struct strbuf *sb, const struct net_proxy *proxy);

#endif
