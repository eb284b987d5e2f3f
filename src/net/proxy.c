#include "net/proxy.h"

#include <errno.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/num.h"
#include "base/vec.h"
#include "net/addr.h"
#include "net/names.h"
#include "net/url.h"

struct exception {
	char *name;    /* a host or ".domain" */
	uint16_t port; /* 0 = any */
};

struct net_proxies {
	struct net_proxy *http, *https;
	bool none; /* NO_PROXY is "*" */
	VEC(struct exception) exceptions;
	struct net_names *nets; /* those written as numbers, as networks that are blocked */
};

static void proxy_free(struct net_proxy *p)
{
	if (!p)
		return;
	free(p->host);
	free(p->user);
	free(p->password);
	free(p);
}

void net_proxies_free(struct net_proxies *p)
{
	if (!p)
		return;
	proxy_free(p->http);
	proxy_free(p->https);
	vec_for_each (&p->exceptions, e)
		free(e->name);
	vec_release(&p->exceptions);
	net_names_free(p->nets);
	free(p);
}

/* --- the proxies' addresses --- */

static char *decoded(struct str s)
{
	struct strbuf sb = STRBUF_INIT;

	net_url_decode(&sb, s);
	return strbuf_detach(&sb);
}

static void take_user(struct net_proxy *p, const struct net_url *url)
{
	size_t colon = str_find(url->userinfo, ':');

	if (!url->has_userinfo)
		return;
	p->user = decoded((struct str){ url->userinfo.ptr, colon });
	p->password =
		decoded(colon == url->userinfo.len ? (struct str){ 0 }
						   : (struct str){ url->userinfo.ptr + colon + 1,
								   url->userinfo.len - colon - 1 });
}

/* Cuts "scheme://" off; -EPROTONOSUPPORT for one that is not spoken. */
static int take_scheme(struct str *rest, enum net_proxy_kind *ret)
{
	static const struct {
		const char *scheme;
		enum net_proxy_kind kind;
	} schemes[] = { { "http://", NET_PROXY_HTTP },
			{ "socks5://", NET_PROXY_SOCKS5 },
			{ "socks5h://", NET_PROXY_SOCKS5 } };

	*ret = NET_PROXY_HTTP;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		struct str scheme = str_from(schemes[i].scheme);

		if (rest->len < scheme.len ||
		    !str_ieq((struct str){ rest->ptr, scheme.len }, scheme))
			continue;
		*ret = schemes[i].kind;
		rest->ptr += scheme.len;
		rest->len -= scheme.len;
		return 0;
	}
	for (size_t i = 0; i + 3 <= rest->len; i++)
		if (!memcmp(rest->ptr + i, "://", 3))
			return -EPROTONOSUPPORT;
	return 0;
}

/* A port must be told from the scheme's default: SOCKS has another. */
static bool has_port(const struct net_url *url)
{
	return url->authority.len > url->host.len + (url->host_is_ipv6 ? 2 : 0);
}

static int read_proxy(const char *variable, const char *text, struct net_proxy **ret,
		      struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf plain = STRBUF_INIT;
	struct str rest = str_from(text);
	enum net_proxy_kind kind;
	struct net_url url;
	struct net_proxy *p;

	if (!rest.len)
		return 0;
	if (take_scheme(&rest, &kind) < 0)
		return error_set(
			reterr, -EINVAL,
			"%s: expected http://HOST:PORT or socks5://HOST:PORT; proxies of other "
			"schemes are not available",
			variable);
	strbuf_addf(&plain, "http://%.*s", STR_FMT(rest));
	if (net_url_parse(&url, strbuf_str(&plain), reterr) < 0)
		return error_wrap(reterr, "%s", variable);
	p = xcalloc(1, sizeof(*p));
	p->kind = kind;
	p->host = str_dup(url.host);
	p->port = kind == NET_PROXY_SOCKS5 && !has_port(&url) ? 1080 : url.port;
	take_user(p, &url);
	*ret = p;
	return 0;
}

/* --- exceptions --- */

static void add_exception(struct net_proxies *p, struct str item)
{
	size_t colon = str_find(item, ':');
	struct exception e = { 0 };
	uint64_t port;

	if (net_names_block_net(p->nets, item, NULL) == 0)
		return;
	if (colon < item.len &&
	    num_parse_u64((struct str){ item.ptr + colon + 1, item.len - colon - 1 }, &port) == 0 &&
	    port <= 65535) {
		e.port = (uint16_t)port;
		item.len = colon;
	}
	if (str_starts_with(item, STR("*.")))
		item = (struct str){ item.ptr + 1, item.len - 1 };
	e.name = str_dup(item);
	vec_push(&p->exceptions, e);
}

static void read_exceptions(struct net_proxies *p, const char *text)
{
	struct str rest = str_from(text), item;

	p->nets = net_names_new();
	while (str_split(&rest, ',', &item)) {
		item = str_trim(item);
		if (str_eq(item, STR("*")))
			p->none = true;
		else if (item.len)
			add_exception(p, item);
	}
}

int net_proxies_new(struct net_proxies **ret, const char *http, const char *https, const char *no,
		    struct error *reterr)
{
	CLEANUP(cleanup_net_proxies) struct net_proxies *p = xcalloc(1, sizeof(*p));

	if (read_proxy("HTTP_PROXY", http, &p->http, reterr) < 0 ||
	    read_proxy("HTTPS_PROXY", https, &p->https, reterr) < 0)
		return -EINVAL;
	read_exceptions(p, no);
	*ret = p->http || p->https ? TAKE(p) : NULL;
	return 0;
}

static bool is_loopback(struct str host, const struct net_addr *addr, bool is_addr)
{
	if (!is_addr)
		return str_ieq(host, STR("localhost"));
	if (addr->sa.sa_family == AF_INET)
		return ntohl(addr->in.sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&addr->in6.sin6_addr);
}

/* "example.com" means itself and all below it, ".example.com" only what is below. */
static bool is_excepted(const struct exception *e, struct str host, uint16_t port)
{
	struct str name = str_from(e->name);
	bool below_only = name.len && name.ptr[0] == '.';
	size_t more;

	if (e->port && e->port != port)
		return false;
	if (str_ieq(host, name))
		return true;
	if (host.len <= name.len)
		return false;
	more = host.len - name.len;
	return str_ieq((struct str){ host.ptr + more, name.len }, name) &&
	       (below_only || host.ptr[more - 1] == '.');
}

const struct net_proxy *net_proxies_for(const struct net_proxies *p, bool tls, struct str host,
					uint16_t port)
{
	const struct net_proxy *proxy = p ? (tls ? p->https : p->http) : NULL;
	struct net_addr addr;
	bool is_addr;

	if (!proxy || p->none)
		return NULL;
	is_addr = net_addr_parse(&addr, host, port) == 0;
	if (is_loopback(host, &addr, is_addr) || (is_addr && net_names_blocked_net(p->nets, &addr)))
		return NULL;
	vec_for_each (&p->exceptions, e)
		if (is_excepted(e, host, port))
			return NULL;
	return proxy;
}

void net_proxy_credentials(struct strbuf *sb, const struct net_proxy *proxy)
{
	CLEANUP(strbuf_release) struct strbuf plain = STRBUF_INIT;

	strbuf_addf(&plain, "%s:%s", proxy->user, proxy->password);
	strbuf_addstr(sb, "Basic ");
	base64_encode(sb, strbuf_str(&plain));
}
