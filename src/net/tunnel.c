/* The talk with a proxy (proxy.h), without input or output of its own. */
#include <errno.h>

#include "net/http1.h"
#include "net/proxy.h"

enum { CONNECT_REPLY, SOCKS_METHOD, SOCKS_LOGIN, SOCKS_REPLY };

enum { SOCKS_VERSION = 5, SOCKS_NONE = 0, SOCKS_PASSWORD = 2, SOCKS_BY_NAME = 3 };

/* --- CONNECT --- */

static void ask_connect(struct net_tunnel *t)
{
	bool v6 = str_find(t->host, ':') < t->host.len;
	struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, v6 ? "[%.*s]:%u" : "%.*s:%u", STR_FMT(t->host), t->port);
	strbuf_addf(&t->out, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", strbuf_cstr(&name),
		    strbuf_cstr(&name));
	if (t->proxy->user) {
		strbuf_addstr(&t->out, "Proxy-Authorization: ");
		net_proxy_credentials(&t->out, t->proxy);
		strbuf_addstr(&t->out, "\r\n");
	}
	strbuf_addstr(&t->out, "\r\n");
	strbuf_release(&name);
	t->state = CONNECT_REPLY;
}

static int judge_connect(struct net_tunnel *t, const struct net_head *head, struct error *reterr)
{
	if (head->status / 100 == 2)
		return 0;
	return error_set(reterr, -EPROTO, "the proxy %s:%u answered %u %.*s to CONNECT",
			 t->proxy->host, t->proxy->port, head->status,
			 STR_FMT(net_head_reason(head)));
}

static int take_connect(struct net_tunnel *t, struct error *reterr)
{
	struct net_head head = { 0 };
	struct net_http1 p;
	struct str in = strbuf_str(&t->in), span;
	const char *why = NULL;
	int event, r;

	/* a reply without a body, as to HEAD: the connection's bytes come next */
	net_http1_begin(&p, &head, true);
	event = net_http1_next(&p, &in, &span, &why);
	if (event == NET_HTTP1_MORE)
		r = -EAGAIN;
	else if (event < 0)
		r = error_set(reterr, -EPROTO, "the proxy %s:%u: %s", t->proxy->host,
			      t->proxy->port, why);
	else
		r = judge_connect(t, &head, reterr);
	net_head_release(&head);
	return r;
}

/* --- SOCKS --- */

static void add_text(struct strbuf *sb, struct str s)
{
	strbuf_addch(sb, (char)MIN(s.len, (size_t)255));
	strbuf_add(sb, s.ptr, MIN(s.len, (size_t)255));
}

static void ask_methods(struct net_tunnel *t)
{
	strbuf_addch(&t->out, SOCKS_VERSION);
	strbuf_addch(&t->out, t->proxy->user ? 2 : 1);
	strbuf_addch(&t->out, SOCKS_NONE);
	if (t->proxy->user)
		strbuf_addch(&t->out, SOCKS_PASSWORD);
	t->state = SOCKS_METHOD;
}

static void ask_socks(struct net_tunnel *t)
{
	strbuf_add(&t->out, "\5\1\0\3", 4);
	add_text(&t->out, t->host);
	strbuf_addch(&t->out, (char)(t->port >> 8));
	strbuf_addch(&t->out, (char)(t->port & 0xff));
	t->state = SOCKS_REPLY;
}

static int refused(const struct net_tunnel *t, const char *why, struct error *reterr)
{
	return error_set(reterr, -EPROTO, "the proxy %s:%u: %s", t->proxy->host, t->proxy->port,
			 why);
}

static int take_method(struct net_tunnel *t, const unsigned char *in, struct error *reterr)
{
	if (in[0] != SOCKS_VERSION)
		return refused(t, "it does not speak SOCKS5", reterr);
	if (in[1] == SOCKS_NONE) {
		ask_socks(t);
		return -EAGAIN;
	}
	if (in[1] != SOCKS_PASSWORD || !t->proxy->user)
		return refused(t, "it takes none of our ways to log in", reterr);
	strbuf_addch(&t->out, 1);
	add_text(&t->out, str_from(t->proxy->user));
	add_text(&t->out, str_from(t->proxy->password));
	t->state = SOCKS_LOGIN;
	return -EAGAIN;
}

static int take_login(struct net_tunnel *t, const unsigned char *in, struct error *reterr)
{
	if (in[1] != 0)
		return refused(t, "it refused the user's name or password", reterr);
	ask_socks(t);
	return -EAGAIN;
}

/* RFC 1928 6 */
static const char *const socks_errors[] = {
	"succeeded",
	"general failure",
	"connection not allowed",
	"network unreachable",
	"host unreachable",
	"connection refused",
	"time to live expired",
	"command not supported",
	"address type not supported",
};

/* The length of a reply whose first five bytes are known; its address may have any form. */
static size_t reply_bytes(const unsigned char *in)
{
	switch (in[3]) {
	case 1:
		return 4 + 4 + 2;
	case 4:
		return 4 + 16 + 2;
	default:
		return 4 + 1 + (size_t)in[4] + 2;
	}
}

static int judge_socks(struct net_tunnel *t, const unsigned char *in, struct error *reterr)
{
	if (in[0] != SOCKS_VERSION)
		return refused(t, "it does not speak SOCKS5", reterr);
	if (in[1] == 0)
		return 0;
	return refused(t, in[1] < ARRAY_SIZE(socks_errors) ? socks_errors[in[1]] : "unknown error",
		       reterr);
}

static int take_socks(struct net_tunnel *t, struct error *reterr)
{
	const unsigned char *in = (const unsigned char *)t->in.ptr;
	size_t needed = t->state == SOCKS_REPLY ? 5 : 2;
	int r;

	if (t->in.len < needed)
		return -EAGAIN;
	if (t->state == SOCKS_REPLY) {
		needed = reply_bytes(in);
		return t->in.len < needed ? -EAGAIN : judge_socks(t, in, reterr);
	}
	r = t->state == SOCKS_METHOD ? take_method(t, in, reterr) : take_login(t, in, reterr);
	strbuf_consume(&t->in, needed);
	return r;
}

/* --- both --- */

void net_tunnel_begin(struct net_tunnel *t, const struct net_proxy *proxy, struct str host,
		      uint16_t port)
{
	*t = (struct net_tunnel){ .proxy = proxy, .host = host, .port = port };
	if (proxy->kind == NET_PROXY_SOCKS5)
		ask_methods(t);
	else
		ask_connect(t);
}

int net_tunnel_take(struct net_tunnel *t, struct str bytes, struct error *reterr)
{
	if (t->in.len + bytes.len > NET_HEAD_MAX_BYTES)
		return refused(t, "its reply is larger than 64 KB", reterr);
	strbuf_add(&t->in, bytes.ptr, bytes.len);
	return t->state == CONNECT_REPLY ? take_connect(t, reterr) : take_socks(t, reterr);
}

void net_tunnel_release(struct net_tunnel *t)
{
	strbuf_release(&t->out);
	strbuf_release(&t->in);
}
