/*
 * Proxies. Which requests go through one: cases by the documentation of Go's httpproxy package.
 * What is said to it: RFC 9112 3.2.2, RFC 9110 9.3.6, and for SOCKS5 the bytes of RFC 1928 and
 * 1929.
 */
#include "net/proxy.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"
#include "tls_server.h"

TEST(proxy_is_chosen_by_scheme_and_exceptions)
{
	static const struct {
		const char *no, *host;
		uint16_t port;
		bool tls, through;
	} cases[] = {
		{ "", "shop.test", 80, false, true },
		{ "", "shop.test", 443, true, false }, /* there is no HTTPS_PROXY */
		{ "", "localhost", 80, false, false },
		{ "", "127.8.9.1", 80, false, false },
		{ "", "::1", 80, false, false },
		{ "", "10.0.0.1", 80, false, true },
		{ "*", "shop.test", 80, false, false },
		{ "shop.test", "shop.test", 80, false, false },
		{ "shop.test", "SHOP.test", 80, false, false },
		{ "shop.test", "a.shop.test", 80, false, false },
		{ "shop.test", "ashop.test", 80, false, true },
		{ ".shop.test", "shop.test", 80, false, true },
		{ ".shop.test", "a.shop.test", 80, false, false },
		{ "*.shop.test", "a.shop.test", 80, false, false },
		{ "other.test, shop.test:8080", "shop.test", 80, false, true },
		{ "other.test, shop.test:8080", "shop.test", 8080, false, false },
		{ "10.0.0.0/8", "10.1.2.3", 80, false, false },
		{ "10.0.0.0/8", "11.1.2.3", 80, false, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct net_proxies *p;

		ASSERT_OK(net_proxies_new(&p, "proxy.test:3128", NULL, cases[i].no, NULL));
		if ((net_proxies_for(p, cases[i].tls, str_from(cases[i].host), cases[i].port) !=
		     NULL) != cases[i].through)
			test_fail(__FILE__, __LINE__, "case %zu: %s with %s", i, cases[i].host,
				  cases[i].no);
		net_proxies_free(p);
	}
}

TEST(proxy_addresses_are_read)
{
	static const struct {
		const char *text, *host, *user, *password;
		uint16_t port;
		enum net_proxy_kind kind;
	} cases[] = {
		{ "proxy.test:3128", "proxy.test", NULL, NULL, 3128, NET_PROXY_HTTP },
		{ "http://proxy.test", "proxy.test", NULL, NULL, 80, NET_PROXY_HTTP },
		{ "http://u%40x:p:q@[::1]:99/", "::1", "u@x", "p:q", 99, NET_PROXY_HTTP },
		{ "socks5://u@s.test", "s.test", "u", "", 1080, NET_PROXY_SOCKS5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct net_proxies *p;
		const struct net_proxy *proxy;

		ASSERT_OK(net_proxies_new(&p, NULL, cases[i].text, NULL, NULL));
		proxy = net_proxies_for(p, true, STR("x.test"), 443);
		ASSERT_STREQ(proxy->host, cases[i].host);
		ASSERT_INT(proxy->port, cases[i].port);
		ASSERT_INT(proxy->kind, cases[i].kind);
		ASSERT_TRUE(!proxy->user == !cases[i].user);
		if (proxy->user) {
			ASSERT_STREQ(proxy->user, cases[i].user);
			ASSERT_STREQ(proxy->password, cases[i].password);
		}
		net_proxies_free(p);
	}
}

TEST(proxy_of_another_kind_is_refused_by_name)
{
	struct error err = ERROR_INIT;
	struct net_proxies *p;

	ASSERT_INT(net_proxies_new(&p, "https://proxy.test", NULL, NULL, &err), -EINVAL);
	ASSERT_HAS(err.msg, "HTTP_PROXY: expected http://HOST:PORT or socks5://HOST:PORT");
	ASSERT_OK(net_proxies_new(&p, "", NULL, "x", NULL));
	ASSERT_TRUE(!p);
}

/* --- requests through one --- */

/* A client whose requests go through server; the server is a proxy in name. */
struct proxied {
	struct server server;
	struct rig rig;
	struct net_proxies *proxies;
};

static void open_proxied(struct proxied *x, serve_fn *serve, const char *url_head,
			 const struct net_stack_opts *stack_opts, enum net_http http)
{
	char text[64];

	server_start(&x->server, serve, NULL);
	snprintf(text, sizeof(text), "%s127.0.0.1:%u", url_head, x->server.port);
	ASSERT_OK(net_proxies_new(&x->proxies, text, text, NULL, NULL));
	rig_open(&x->rig, stack_opts,
		 &(struct net_client_opts){ .proxies = x->proxies, .http = http });
}

static struct net_response *get_through(struct proxied *x, const char *url)
{
	rig_begin(&x->rig, url, (struct net_request){ 0 });
	return rig_wait(&x->rig, x->rig.done + 1);
}

static void close_proxied(struct proxied *x)
{
	rig_close(&x->rig);
	server_stop(&x->server);
	net_proxies_free(x->proxies);
}

static char heads[2][512];

static void serve_plain(struct connection *c)
{
	for (int i = 0; i < 2 && server_read_head(c->fd, heads[i], sizeof(heads[i])); i++)
		server_send(c->fd, REPLY);
	server_wait_close(c->fd);
}

TEST(proxy_gets_plain_requests_with_the_whole_url)
{
	struct proxied x;
	struct net_response *res;

	open_proxied(&x, serve_plain, "http://user:pass@", NULL, NET_HTTP_ANY);
	res = get_through(&x, "http://shop.test:81/a?b");
	ASSERT_ERR(res, "ok");
	ASSERT_STREQ(strbuf_cstr(&res->body), "hello");
	/* base64 of "user:pass", by coreutils */
	ASSERT_STREQ(heads[0], "GET http://shop.test:81/a?b HTTP/1.1\r\nHost: shop.test:81\r\n"
			       "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n");
	res = get_through(&x, "http://shop.test:81");
	ASSERT_ERR(res, "ok");
	ASSERT_TRUE(res->reused);
	ASSERT_HAS(heads[1], "GET http://shop.test:81/ HTTP/1.1\r\n");
	close_proxied(&x);
}

static char connect_head[512];
static uint16_t target_port;

/* Passes bytes on between the client and the server that it is said to connect to. */
static void pass_on(int client)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(target_port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM, 0);
	struct pollfd fds[2] = { { client, POLLIN, 0 }, { server, POLLIN, 0 } };
	char buf[16384];

	BUG_ON(connect(server, (struct sockaddr *)&a, sizeof(a)) < 0);
	while (poll(fds, 2, 10000) > 0) {
		int from = fds[0].revents ? 0 : 1;
		ssize_t n = recv(fds[from].fd, buf, sizeof(buf), 0);

		if (n <= 0)
			break;
		server_send_bytes(fds[!from].fd, buf, (size_t)n);
	}
	close(server);
}

static void serve_connect(struct connection *c)
{
	if (!server_read_head(c->fd, connect_head, sizeof(connect_head)))
		return;
	server_send(c->fd, "HTTP/1.1 200 Conn");
	server_sleep_ms(20);
	server_send(c->fd, "ection established\r\n\r\n");
	pass_on(c->fd);
}

TEST(proxy_makes_a_tunnel_for_tls)
{
	struct tls_server t;
	struct proxied x;
	struct net_response *res;
	char url[64], expected[128];

	tls_server_start(&t, &(struct cert_spec){ "DNS:shop.test", 3600 }, serve_replies);
	target_port = t.server.port;
	open_proxied(&x, serve_connect, "", &(struct net_stack_opts){ .tls.ca_file = t.cert.file },
		     NET_HTTP_ANY);
	snprintf(url, sizeof(url), "https://shop.test:%u/", t.server.port);
	res = get_through(&x, url);
	if (res->error)
		test_fail(__FILE__, __LINE__, "%s", strbuf_cstr(&res->message));
	ASSERT_STREQ(strbuf_cstr(&res->body), "hello");
	ASSERT_TRUE(res->t.connecting_ns > 20 * NS_PER_MS && res->t.tls_ns > 0);
	snprintf(expected, sizeof(expected),
		 "CONNECT shop.test:%u HTTP/1.1\r\nHost: shop.test:%u\r\n\r\n", t.server.port,
		 t.server.port);
	ASSERT_STREQ(connect_head, expected);
	close_proxied(&x);
	tls_server_stop(&t);
	ASSERT_STREQ(t.sni, "shop.test");
}

static void serve_refusal(struct connection *c)
{
	char head[512];

	if (server_read_head(c->fd, head, sizeof(head)))
		server_send(c->fd, "HTTP/1.1 407 Proxy Authentication Required\r\n"
				   "Content-Length: 4\r\n\r\nwho?");
	server_wait_close(c->fd);
}

TEST(proxy_that_refuses_is_named)
{
	struct proxied x;
	struct net_response *res;

	open_proxied(&x, serve_refusal, "", NULL, NET_HTTP_ANY);
	res = get_through(&x, "https://shop.test/");
	ASSERT_ERR(res, "proxy");
	ASSERT_HAS(strbuf_cstr(&res->message), "shop.test:443 through the proxy 127.0.0.1:");
	ASSERT_HAS(strbuf_cstr(&res->message), "answered 407 Proxy Authentication Required");
	close_proxied(&x);
}

static char socks_bytes[64];
static size_t socks_len;

static void socks_read(int fd, size_t n)
{
	BUG_ON(recv(fd, socks_bytes + socks_len, n, MSG_WAITALL) != (ssize_t)n);
	socks_len += n;
}

/* Asks for a password, connects, and names itself by an IPv4 address. */
static void serve_socks(struct connection *c)
{
	socks_read(c->fd, 4);
	server_send_bytes(c->fd, "\5\2", 2);
	socks_read(c->fd, 2 + 4 + 1 + 4);
	server_send_bytes(c->fd, "\1\0", 2);
	socks_read(c->fd, 5 + 9 + 2);
	server_send_bytes(c->fd, "\5\0\0\1\x7f\0\0", 7);
	server_sleep_ms(20);
	server_send_bytes(c->fd, "\1\x1f\x90", 3);
	serve_plain(c);
}

TEST(proxy_speaks_socks5)
{
	struct proxied x;
	struct net_response *res;

	open_proxied(&x, serve_socks, "socks5://user:pass@", NULL, NET_HTTP_ANY);
	res = get_through(&x, "http://shop.test/a");
	ASSERT_ERR(res, "ok");
	ASSERT_STREQ(heads[0], "GET /a HTTP/1.1\r\nHost: shop.test\r\n\r\n");
	ASSERT_INT(socks_len, 4 + 11 + 16);
	ASSERT_TRUE(!memcmp(socks_bytes,
			    "\5\2\0\2"
			    "\1\4user\4pass"
			    "\5\1\0\3\11shop.test\0\x50",
			    31));
	close_proxied(&x);
}

static void serve_socks_refusal(struct connection *c)
{
	BUG_ON(!server_read_bytes(c->fd, 3));
	server_send_bytes(c->fd, "\5\0", 2);
	BUG_ON(!server_read_bytes(c->fd, 5 + 9 + 2));
	server_send_bytes(c->fd, "\5\5\0\1\0\0\0\0\0\0", 10);
	server_wait_close(c->fd);
}

TEST(proxy_of_socks5_that_refuses_is_named)
{
	struct proxied x;

	open_proxied(&x, serve_socks_refusal, "socks5://", NULL, NET_HTTP_ANY);
	ASSERT_ERR(get_through(&x, "http://shop.test/a"), "proxy");
	ASSERT_HAS(strbuf_cstr(&x.rig.res->message), "connection refused");
	close_proxied(&x);
}

static void serve_garbage(struct connection *c)
{
	server_send(c->fd, "SSH-2.0-OpenSSH\r\n");
	server_wait_close(c->fd);
}

TEST(proxy_that_speaks_something_else_is_told)
{
	static const char *const heads_of_url[] = { "http://", "socks5://" };

	for (size_t i = 0; i < ARRAY_SIZE(heads_of_url); i++) {
		struct proxied x;

		open_proxied(&x, serve_garbage, heads_of_url[i], NULL, NET_HTTP_ANY);
		ASSERT_ERR(get_through(&x, "https://shop.test/a"), "proxy");
		close_proxied(&x);
	}
}

/* --- unix sockets --- */

static void *serve_unix(void *arg)
{
	int listener = *(int *)arg, fd = accept(listener, NULL, NULL);
	char head[512];

	BUG_ON(fd < 0 || !server_read_head(fd, head, sizeof(head)));
	server_send(fd, REPLY);
	close(fd);
	return NULL;
}

TEST(unix_socket_stands_for_a_name)
{
	struct net_names *names = net_names_new();
	char path[64], target[80];
	struct net_addr addr;
	struct rig b;
	pthread_t thread;
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(path, sizeof(path), "/tmp/assay-test-%d.sock", getpid());
	snprintf(target, sizeof(target), "unix:%s", path);
	ASSERT_OK(net_addr_unix(&addr, str_from(path)));
	ASSERT_OK(bind(listener, &addr.sa, net_addr_len(&addr)));
	ASSERT_OK(listen(listener, 1));
	pthread_create(&thread, NULL, serve_unix, &listener);
	ASSERT_OK(net_names_add_host(names, STR("*"), str_from(target), NULL));
	rig_open(&b, NULL, &(struct net_client_opts){ .names = names });
	rig_begin(&b, "http://shop.test/a", (struct net_request){ 0 });
	rig_wait(&b, 1);
	ASSERT_ERR(b.res, "ok");
	ASSERT_STREQ(strbuf_cstr(&b.res->body), "hello");
	pthread_join(thread, NULL);
	close(listener);
	unlink(path);
	rig_begin(&b, "http://shop.test/a", (struct net_request){ 0 });
	rig_wait(&b, 2);
	ASSERT_ERR(b.res, "dial");
	ASSERT_HAS(strbuf_cstr(&b.res->message), path);
	rig_close(&b);
	net_names_free(names);
}
