/* Rules on names, alone and as the client applies them. */
#include "net/names.h"

#include <errno.h>
#include <stdio.h>

#include "rig.h"

static struct net_names *names_of(const char *const (*hosts)[2], size_t n)
{
	struct net_names *names = net_names_new();
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < n; i++)
		ASSERT_OK_ERR(net_names_add_host(names, str_from(hosts[i][0]),
						 str_from(hosts[i][1]), &err),
			      err);
	return names;
}

static const char *find(const struct net_names *n, const char *host, uint16_t port)
{
	static char text[64];
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct net_addr a;

	if (!net_names_find(n, str_from(host), port, &a))
		return "";
	net_addr_fmt(&sb, &a, true);
	snprintf(text, sizeof(text), "%s", strbuf_cstr(&sb));
	return text;
}

TEST(names_have_addresses_of_their_own)
{
	static const char *const hosts[][2] = {
		{ "shop.test", "10.0.0.1" },	      { "api.test", "10.0.0.2:8080" },
		{ "api.test:443", "10.0.0.3" },	      { "*.wild.test", "10.0.0.4" },
		{ "*.deep.wild.test", "[::1]:9000" }, { "a.wild.test", "::2" },
		{ "10.9.9.9", "10.0.0.5" },
	};
	static const struct {
		const char *host;
		uint16_t port;
		const char *addr;
	} cases[] = {
		{ "shop.test", 80, "10.0.0.1:80" },
		{ "SHOP.Test", 443, "10.0.0.1:443" },
		{ "api.test", 80, "10.0.0.2:8080" },
		{ "api.test", 443, "10.0.0.3:443" },
		{ "b.wild.test", 80, "10.0.0.4:80" },
		{ "c.b.wild.test", 80, "10.0.0.4:80" },
		{ "x.deep.wild.test", 80, "[::1]:9000" },
		{ "a.wild.test", 80, "[::2]:80" },
		{ "10.9.9.9", 80, "10.0.0.5:80" },
		{ "wild.test", 80, "" },
		{ ".wild.test", 80, "" },
		{ "xshop.test", 80, "" },
		{ "shop.test.", 80, "" },
		{ "", 80, "" },
	};
	struct net_names *n = names_of(hosts, ARRAY_SIZE(hosts));

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ASSERT_STREQ(find(n, cases[i].host, cases[i].port), cases[i].addr);
	ASSERT_STREQ(find(NULL, "shop.test", 80), "");
	net_names_free(n);
}

TEST(names_refuse_what_is_none)
{
	static const char *const hosts[][2] = {
		{ "", "10.0.0.1" },
		{ "a b", "10.0.0.1" },
		{ "a.*.b", "10.0.0.1" },
		{ "**", "10.0.0.1" },
		{ "a:0", "10.0.0.1" },
		{ "a:65536", "10.0.0.1" },
		{ "a:http", "10.0.0.1" },
		{ ":80", "10.0.0.1" },
		{ "http://a", "10.0.0.1" },
		{ "a", "" },
		{ "a", "example.com" },
		{ "a", "10.0.0.1:0" },
		{ "a", "10.0.0.1:99999" },
		{ "a", "[::1]" },
		{ "a", "::1:x" },
		{ "a", "10.0.0.256" },
		{ "a", ":80" },
	};
	static const char *const nets[] = { "",	      "10.0.0.0/33", "10.0.0.0/", "10.0.0/8",
					    "::/129", "10.0.0.0/-1", "name/8" };
	struct net_names *n = net_names_new();
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++)
		ASSERT_INT(
			net_names_add_host(n, str_from(hosts[i][0]), str_from(hosts[i][1]), &err),
			-EINVAL);
	ASSERT_INT(net_names_block_host(n, STR("a:80"), &err), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(nets); i++)
		ASSERT_INT(net_names_block_net(n, str_from(nets[i]), &err), -EINVAL);
	net_names_free(n);
}

TEST(names_block_patterns)
{
	struct net_names *n = net_names_new();
	struct error err;

	ASSERT_OK(net_names_block_host(n, STR("bad.test"), &err));
	ASSERT_OK(net_names_block_host(n, STR("*.worse.test"), &err));
	ASSERT_STREQ(net_names_blocked_host(n, STR("BAD.test")), "bad.test");
	ASSERT_STREQ(net_names_blocked_host(n, STR("x.worse.test")), "*.worse.test");
	ASSERT_TRUE(!net_names_blocked_host(n, STR("worse.test")));
	ASSERT_TRUE(!net_names_blocked_host(n, STR("x.bad.test")));
	ASSERT_TRUE(!net_names_blocked_host(NULL, STR("bad.test")));
	ASSERT_OK(net_names_block_host(n, STR("*"), &err));
	ASSERT_STREQ(net_names_blocked_host(n, STR("anything")), "*");
	net_names_free(n);
}

TEST(names_block_networks)
{
	static const char *const nets[] = { "10.0.0.0/8", "192.168.1.128/25", "172.16.5.7",
					    "fd00::/9", "::ffff:100.64.0.0/106" };
	static const struct {
		const char *addr;
		bool blocked;
	} cases[] = {
		{ "10.255.0.1", true },	    { "11.0.0.1", false },   { "192.168.1.128", true },
		{ "192.168.1.127", false }, { "172.16.5.7", true },  { "172.16.5.6", false },
		{ "fd7f::1", true },	    { "fd80::1", false },    { "::ffff:10.0.0.1", true },
		{ "::10.0.0.1", false },    { "100.100.0.1", true }, { "100.128.0.1", false },
	};
	struct net_names *n = net_names_new();
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(nets); i++)
		ASSERT_OK_ERR(net_names_block_net(n, str_from(nets[i]), &err), err);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct net_addr a;

		ASSERT_OK(net_addr_parse(&a, str_from(cases[i].addr), 0));
		ASSERT_INT(net_names_blocked_net(n, &a) != NULL, cases[i].blocked);
	}
	ASSERT_OK(net_names_block_net(n, STR("0.0.0.0/0"), &err));
	net_names_free(n);
}

TEST(names_steer_the_client)
{
	struct net_names *n = net_names_new();
	struct net_client_opts opts = { .names = n };
	struct net_response *res;
	struct error err;
	char target[32];
	struct rig b;

	rig_serve(&b, serve_always, REPLY, &opts);
	snprintf(target, sizeof(target), "127.0.0.1:%u", b.server.port);
	ASSERT_OK(net_names_add_host(n, STR("shop.invalid"), str_from(target), &err));
	ASSERT_OK(net_names_add_host(n, STR("*.jail.invalid"), STR("10.1.2.3"), &err));
	ASSERT_OK(net_names_block_host(n, STR("*.bad.invalid"), &err));
	ASSERT_OK(net_names_block_net(n, STR("10.0.0.0/8"), &err));
	rig_begin(&b, "http://shop.invalid/", (struct net_request){ 0 });
	res = rig_wait(&b, 1);
	ASSERT_ERR(res, "ok");
	ASSERT_INT(net_addr_port(&res->remote), b.server.port);
	rig_begin(&b, "http://shop.invalid/", (struct net_request){ 0 });
	ASSERT_TRUE(rig_wait(&b, 2)->reused);
	rig_begin(&b, "http://www.bad.invalid/", (struct net_request){ 0 });
	res = rig_wait(&b, 3);
	ASSERT_ERR(res, "blocked_host");
	ASSERT_HAS(strbuf_cstr(&res->message), "*.bad.invalid");
	rig_begin(&b, "http://10.1.1.1/", (struct net_request){ 0 });
	ASSERT_ERR(rig_wait(&b, 4), "blocked_ip");
	rig_begin(&b, "http://x.jail.invalid/", (struct net_request){ 0 });
	ASSERT_ERR(rig_wait(&b, 5), "blocked_ip");
	ASSERT_INT(atomic_load(&b.server.accepted), 1);
	rig_close(&b);
	net_names_free(n);
}

TEST(names_leave_out_blocked_addresses)
{
	struct net_names *n = net_names_new();
	struct net_client_opts opts = { .names = n };
	struct error err;
	struct rig b;
	char url[64];

	ASSERT_OK(net_names_block_net(n, STR("::1"), &err));
	rig_serve(&b, serve_always, REPLY, &opts);
	snprintf(url, sizeof(url), "http://localhost:%u/", b.server.port);
	rig_begin(&b, url, (struct net_request){ 0 });
	ASSERT_ERR(rig_wait(&b, 1), "ok");
	rig_close(&b);
	net_names_free(n);
}
