#include "net/pool.h"

#include <errno.h>
#include <stdio.h>

#include "rig.h"

static const char *nth(const struct net_pool *p, uint64_t i)
{
	static char text[64];
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct net_addr a = net_pool_get(p, i);

	net_addr_fmt(&sb, &a, false);
	snprintf(text, sizeof(text), "%s", strbuf_cstr(&sb));
	return text;
}

TEST(pool_counts_round)
{
	static const struct {
		const char *text;
		uint64_t i;
		const char *addr;
	} cases[] = {
		{ "10.0.0.5", 7, "10.0.0.5" },
		{ "10.0.0.254-10.0.1.1", 0, "10.0.0.254" },
		{ "10.0.0.254-10.0.1.1", 3, "10.0.1.1" },
		{ "10.0.0.254-10.0.1.1", 4, "10.0.0.254" },
		{ "10.0.0.0/29", 0, "10.0.0.1" },
		{ "10.0.0.0/29", 5, "10.0.0.6" },
		{ "10.0.0.0/29", 6, "10.0.0.1" },
		{ "10.0.0.3/31", 1, "10.0.0.3" },
		{ "10.0.0.1, 10.0.0.8/32 ,::1", 1, "10.0.0.8" },
		{ "10.0.0.1, 10.0.0.8/32 ,::1", 2, "::1" },
		{ "fd00::/64", 258, "fd00::102" },
		{ "fd00::ff-fd00::1:0:0:0:1", 1, "fd00::100" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct net_pool *p;
		struct error err;

		ASSERT_OK_ERR(net_pool_new(&p, str_from(cases[i].text), &err), err);
		ASSERT_STREQ(nth(p, cases[i].i), cases[i].addr);
		net_pool_free(p);
	}
}

TEST(pool_refuses_what_is_no_range)
{
	static const char *const texts[] = {
		"",	     "x",	  "10.0.0.5-10.0.0.4", "10.0.0.5-::1", "10.0.0.5/33",
		"10.0.0.5/", "10.0.0.5-", "10.0.0.1,,10.0.0.2"
	};
	struct net_pool *p;
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		ASSERT_INT(net_pool_new(&p, str_from(texts[i]), &err), -EINVAL);
}

static void serve_peer(struct connection *c)
{
	char head[4096], reply[256];
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct net_addr peer = { 0 };
	socklen_t len = sizeof(peer);

	getpeername(c->fd, &peer.sa, &len);
	net_addr_fmt(&sb, &peer, false);
	while (server_read_head(c->fd, head, sizeof(head))) {
		snprintf(reply, sizeof(reply), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
			 sb.len, strbuf_cstr(&sb));
		server_send(c->fd, reply);
	}
}

TEST(pool_address_is_what_the_client_sends_from)
{
	struct net_client_opts opts = { 0 };
	struct rig b;

	ASSERT_OK(net_addr_parse(&opts.local, STR("127.0.0.77"), 0));
	rig_serve(&b, serve_peer, NULL, &opts);
	ASSERT_STREQ(strbuf_cstr(&rig_get(&b)->body), "127.0.0.77");
	rig_close(&b);
}
