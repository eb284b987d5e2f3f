/* The options that say what of the network is different. */
#include "load/network.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define S NS_PER_S

static int read_options(const char *text, struct load_network *ret, struct error *reterr)
{
	json_t *root = json_loads(text, 0, NULL);
	int r;

	ASSERT_TRUE(root);
	*ret = (struct load_network){ 0 };
	r = load_network_read(ret, root, reterr);
	json_decref(root);
	return r;
}

static struct load_network network_of(const char *text)
{
	struct error err = ERROR_INIT;
	struct load_network net;

	ASSERT_OK_ERR(read_options(text, &net, &err), err);
	return net;
}

static const char *refusal(const char *text)
{
	static struct error err;
	struct load_network net;

	err = (struct error)ERROR_INIT;
	ASSERT_INT(read_options(text, &net, &err), -EINVAL);
	load_network_release(&net);
	return err.msg;
}

TEST(network_has_the_defaults_of_k6)
{
	struct load_network net = network_of("{\"hosts\":null}");

	ASSERT_INT(net.dns.select, NET_DNS_RANDOM);
	ASSERT_INT(net.dns.policy, NET_DNS_PREFER_IPV4);
	ASSERT_INT(net.dns.ttl_ns, 0); /* net_dns's own: 5 min */
	ASSERT_TRUE(!net.local && !net.options.len);
	load_network_release(&net);
}

TEST(network_reads_names)
{
	struct load_network net =
		network_of("{\"hosts\":{\"a.test\":\"10.0.0.1\",\"*.b.test:80\":\"10.0.0.2:8080\"},"
			   "\"blockHostnames\":[\"c.test\"],\"blacklistIPs\":[\"10.1.0.0/16\"]}");
	struct net_addr a;

	ASSERT_TRUE(net_names_find(net.names, STR("a.test"), 443, &a));
	ASSERT_TRUE(net_names_find(net.names, STR("x.b.test"), 80, &a));
	ASSERT_INT(net_addr_port(&a), 8080);
	ASSERT_TRUE(net_names_blocked_host(net.names, STR("c.test")));
	ASSERT_OK(net_addr_parse(&a, STR("10.1.2.3"), 0));
	ASSERT_STREQ(net_names_blocked_net(net.names, &a), "10.1.0.0/16");
	ASSERT_INT(net.options.len, 3);
	ASSERT_STREQ(net.options.ptr[0].key, "hosts");
	ASSERT_STREQ(net.options.ptr[1].json, "[\"10.1.0.0/16\"]");
	load_network_release(&net);
}

TEST(network_reads_dns)
{
	static const struct {
		const char *text;
		struct net_dns_opts dns;
	} cases[] = {
		{ "{\"ttl\":\"1m\",\"select\":\"first\",\"policy\":\"onlyIPv6\"}",
		  { .ttl_ns = 60 * S, .select = NET_DNS_FIRST, .policy = NET_DNS_ONLY_IPV6 } },
		{ "{\"ttl\":\"0\",\"select\":\"roundRobin\",\"policy\":\"any\"}",
		  { .no_cache = true, .select = NET_DNS_ROUND_ROBIN, .policy = NET_DNS_ANY } },
		{ "{\"ttl\":\"inf\",\"select\":null}",
		  { .ttl_ns = UINT64_MAX, .select = NET_DNS_RANDOM } },
		{ "{\"ttl\":2000}", { .ttl_ns = 2 * S, .select = NET_DNS_RANDOM } },
		{ "\"ttl=7s, policy=preferIPv6\"",
		  { .ttl_ns = 7 * S, .select = NET_DNS_RANDOM, .policy = NET_DNS_PREFER_IPV6 } },
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct load_network net;

		snprintf(text, sizeof(text), "{\"dns\":%s}", cases[i].text);
		net = network_of(text);
		ASSERT_INT(net.dns.ttl_ns, cases[i].dns.ttl_ns);
		ASSERT_INT(net.dns.no_cache, cases[i].dns.no_cache);
		ASSERT_INT(net.dns.select, cases[i].dns.select);
		ASSERT_INT(net.dns.policy, cases[i].dns.policy);
		load_network_release(&net);
	}
}

TEST(network_reads_tls)
{
	static const struct {
		const char *text;
		enum net_tls_version min, max;
		const char *ciphers;
	} cases[] = {
		{ "{\"tlsVersion\":\"\",\"tlsAuth\":[]}", 0, 0, "-" },
		{ "{\"tlsVersion\":\"tls1.2\"}", NET_TLS_1_2, NET_TLS_1_2, "-" },
		{ "{\"tlsVersion\":{\"min\":\"tls1.1\"}}", NET_TLS_1_1, 0, "-" },
		{ "{\"tlsVersion\":{\"min\":\"tls1.0\",\"max\":\"tls1.3\"}}", NET_TLS_1_0,
		  NET_TLS_1_3, "-" },
		{ "{\"tlsCipherSuites\":[\"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\"]}", 0, 0,
		  "ECDHE-RSA-AES128-GCM-SHA256" },
		{ "{\"tlsCipherSuites\":[\"TLS_AES_128_GCM_SHA256\"]}", NET_TLS_1_3, 0, "-" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct load_network net = network_of(cases[i].text);

		ASSERT_INT(net.tls.min_version, cases[i].min);
		ASSERT_INT(net.tls.max_version, cases[i].max);
		ASSERT_STREQ(net.tls.ciphers ? net.tls.ciphers : "-", cases[i].ciphers);
		ASSERT_TRUE(!net.tls.auth);
		load_network_release(&net);
	}
}

TEST(network_refuses_what_it_cannot_read)
{
	static const char *const cases[][2] = {
		{ "{\"hosts\":[\"a\"]}", "options.hosts: expected an object" },
		{ "{\"hosts\":{\"a\":1}}", "options.hosts: expected an address" },
		{ "{\"hosts\":{\"a b\":\"10.0.0.1\"}}", "options.hosts: 'a b' is not a host name" },
		{ "{\"hosts\":{\"a\":\"b\"}}", "options.hosts: 'b' is not an address" },
		{ "{\"blockHostnames\":\"a\"}", "options.blockHostnames: expected a list" },
		{ "{\"blockHostnames\":[\"a.*\"]}", "options.blockHostnames: 'a.*'" },
		{ "{\"blacklistIPs\":[1]}", "options.blacklistIPs: expected a list" },
		{ "{\"blacklistIPs\":[\"10.0.0.0/40\"]}", "options.blacklistIPs: '10.0.0.0/40'" },
		{ "{\"localIPs\":\"x\"}", "options.localIPs: 'x' is no range" },
		{ "{\"localIPs\":1}", "options.localIPs: expected a text" },
		{ "{\"dns\":1}", "options.dns: expected an object" },
		{ "{\"dns\":{\"ttl\":true}}", "options.dns.ttl" },
		{ "{\"dns\":{\"ttl\":-1}}", "options.dns.ttl" },
		{ "{\"dns\":{\"select\":\"last\"}}", "options.dns.select: expected first" },
		{ "{\"dns\":{\"policy\":\"\"}}", "options.dns.policy: expected preferIPv4" },
		{ "{\"dns\":{\"server\":\"\"}}", "options.dns: there is no 'server'" },
		{ "{\"dns\":\"ttl\"}", "options.dns.ttl" },
		{ "{\"tlsVersion\":\"ssl3.0\"}", "options.tlsVersion: expected \"tls1.0\"" },
		{ "{\"tlsVersion\":{\"max\":1}}", "options.tlsVersion.max" },
		{ "{\"tlsVersion\":{\"min\":\"tls1.3\",\"max\":\"tls1.2\"}}",
		  "max lies below min" },
		{ "{\"tlsCipherSuites\":\"x\"}", "options.tlsCipherSuites: expected a list" },
		{ "{\"tlsCipherSuites\":[\"x\"]}", "options.tlsCipherSuites: there is no" },
		{ "{\"tlsCipherSuites\":[\"TLS_RSA_WITH_RC4_128_SHA\"]}", "has none of these" },
		{ "{\"tlsAuth\":{}}", "options.tlsAuth: expected a list" },
		{ "{\"tlsAuth\":[{\"cert\":\"\"}]}", "options.tlsAuth[0]: expected {cert, key}" },
		{ "{\"tlsAuth\":[{\"cert\":\"\",\"key\":\"\"}]}",
		  "options.tlsAuth[0]: reading the" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ASSERT_HAS(refusal(cases[i][0]), cases[i][1]);
}
