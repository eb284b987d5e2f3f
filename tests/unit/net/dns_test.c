/* Lookups against a name server of our own on the loopback. */
#include "net/dns.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"

/* --- a name server: the first label of the name says how it is to answer --- */

struct name_server {
	int fd;
	char address[32]; /* "127.0.0.1:PORT" */
	pthread_t thread;
	atomic_int questions; /* of type A */
};

enum { TYPE_A = 1, TYPE_AAAA = 28, RCODE_NXDOMAIN = 3, RCODE_REFUSED = 5 };

/* RFC 1035 4.1.3; the name is a pointer to the question's. */
static size_t add_answer(unsigned char *p, int type, const void *address, size_t len)
{
	const unsigned char start[] = { 0xc0, 12, 0, (unsigned char)type, 0, 1, 0, 0,
					0,    60, 0, (unsigned char)len };

	memcpy(p, start, sizeof(start));
	memcpy(p + sizeof(start), address, len);
	return sizeof(start) + len;
}

/* Turns the question in p into its answer; the new length, 0 = no answer. */
static size_t answer(struct name_server *ns, unsigned char *p, size_t len)
{
	static const unsigned char v4[] = { 127, 0, 0, 1 }, other_v4[] = { 127, 0, 0, 2 };
	static const unsigned char v6[16] = { [15] = 1 };
	char label[16] = "";
	int type = p[len - 3];

	for (size_t i = 0; len >= 17 && i < MIN(p[12], sizeof(label) - 1); i++)
		label[i] = (char)p[13 + i];
	/* c-ares adds EDNS only when asked to: the question is the end of the packet. */
	atomic_fetch_add(&ns->questions, type == TYPE_A);
	p[2] |= 0x80;
	p[3] = 0x80;
	if (!strcmp(label, "silent"))
		return 0;
	if (!strcmp(label, "absent"))
		p[3] |= RCODE_NXDOMAIN;
	if (!strcmp(label, "refused"))
		p[3] |= RCODE_REFUSED;
	if (type == TYPE_A && (!strcmp(label, "one") || !strcmp(label, "both"))) {
		p[7] = 1;
		len += add_answer(p + len, TYPE_A, v4, sizeof(v4));
	}
	if (type == TYPE_A && !strcmp(label, "two")) {
		p[7] = 2;
		len += add_answer(p + len, TYPE_A, other_v4, sizeof(other_v4));
		len += add_answer(p + len, TYPE_A, v4, sizeof(v4));
	}
	if (type == TYPE_AAAA && !strcmp(label, "both")) {
		p[7] = 1;
		len += add_answer(p + len, TYPE_AAAA, v6, sizeof(v6));
	}
	return len;
}

static void *serve_names(void *arg)
{
	struct name_server *ns = arg;
	struct sockaddr_in from;
	socklen_t from_len = sizeof(from);
	unsigned char p[1024];
	ssize_t n;

	while ((n = recvfrom(ns->fd, p, 512, 0, (struct sockaddr *)&from, &from_len)) > 1) {
		size_t len = answer(ns, p, (size_t)n);

		if (len)
			sendto(ns->fd, p, len, 0, (struct sockaddr *)&from, from_len);
	}
	return NULL;
}

static void name_server_start(struct name_server *ns)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);

	memset(ns, 0, sizeof(*ns));
	ns->fd = socket(AF_INET, SOCK_DGRAM, 0);
	ASSERT_OK(bind(ns->fd, (struct sockaddr *)&a, sizeof(a)));
	ASSERT_OK(getsockname(ns->fd, (struct sockaddr *)&a, &len));
	snprintf(ns->address, sizeof(ns->address), "127.0.0.1:%u", ntohs(a.sin_port));
	ASSERT_INT(pthread_create(&ns->thread, NULL, serve_names, ns), 0);
}

static void name_server_stop(struct name_server *ns)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct net_addr a;

	/* A packet of one byte ends it. */
	net_addr_parse(&a, STR("127.0.0.1"), 0);
	a.in.sin_port = htons((uint16_t)strtoul(strchr(ns->address, ':') + 1, NULL, 10));
	sendto(fd, "", 1, 0, &a.sa, sizeof(a.in));
	close(fd);
	pthread_join(ns->thread, NULL);
	close(ns->fd);
}

/* --- lookups --- */

struct lookup {
	struct net_dns_query query;
	unsigned done;
};

static void on_answer(struct net_dns_query *q)
{
	container_of(q, struct lookup, query)->done++;
}

struct resolver {
	struct name_server ns;
	struct net_loop *loop;
	struct net_dns *dns;
	struct net_dns_opts opts; /* lives as long as the resolver */
};

static void resolver_open(struct resolver *r, struct net_dns_opts opts)
{
	struct error err = ERROR_INIT;

	name_server_start(&r->ns);
	r->opts = opts;
	r->opts.servers = r->ns.address;
	r->opts.timeout_ns = 30 * NS_PER_MS;
	ASSERT_OK_ERR(net_loop_new(&r->loop, &err), err);
	r->dns = net_dns_new(r->loop, &r->opts);
}

static void resolver_close(struct resolver *r)
{
	net_dns_free(r->dns);
	net_loop_free(r->loop);
	name_server_stop(&r->ns);
}

/* True when it was answered from the cache. */
static bool begin(struct resolver *r, struct lookup *l, const char *host)
{
	*l = (struct lookup){ .query.done = on_answer };
	return net_dns_lookup(r->dns, &l->query, str_from(host));
}

static void wait_for(struct resolver *r, struct lookup *l)
{
	while (!l->done)
		net_loop_run_once(r->loop, NS_PER_S);
}

static void look_up(struct resolver *r, struct lookup *l, const char *host)
{
	if (!begin(r, l, host))
		wait_for(r, l);
}

static const char *addresses(const struct lookup *l)
{
	static char text[512];
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < l->query.addrs.n; i++) {
		strbuf_addstr(&sb, i ? " " : "");
		net_addr_fmt(&sb, &l->query.addrs.list[i], false);
	}
	snprintf(text, sizeof(text), "%s", strbuf_cstr(&sb));
	return text;
}

TEST(dns_asks_nobody_for_numbers_and_localhost)
{
	static const char *const cases[][2] = {
		{ "127.0.0.1", "127.0.0.1" },	   { "::1", "::1" },
		{ "2001:DB8::1", "2001:db8::1" },  { "localhost", "127.0.0.1 ::1" },
		{ "LocalHost.", "127.0.0.1 ::1" }, { "api.localhost", "127.0.0.1 ::1" },
	};
	struct resolver r;

	resolver_open(&r, (struct net_dns_opts){ 0 });
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lookup l;

		ASSERT_TRUE(begin(&r, &l, cases[i][0]));
		ASSERT_INT(l.query.error, NET_OK);
		ASSERT_STREQ(addresses(&l), cases[i][1]);
	}
	ASSERT_INT(atomic_load(&r.ns.questions), 0);
	resolver_close(&r);
}

TEST(dns_answers_come_ipv4_first_and_stay)
{
	struct resolver r;
	struct lookup l;

	resolver_open(&r, (struct net_dns_opts){ 0 });
	ASSERT_TRUE(!begin(&r, &l, "both.example"));
	wait_for(&r, &l);
	ASSERT_INT(l.query.error, NET_OK);
	ASSERT_STREQ(addresses(&l), "127.0.0.1 ::1");
	ASSERT_TRUE(begin(&r, &l, "Both.Example"));
	ASSERT_STREQ(addresses(&l), "127.0.0.1 ::1");
	ASSERT_INT(atomic_load(&r.ns.questions), 1);
	resolver_close(&r);
}

TEST(dns_orders_families_by_the_policy)
{
	static const char *const expected[] = {
		[NET_DNS_PREFER_IPV4] = "127.0.0.1 ::1", [NET_DNS_PREFER_IPV6] = "::1 127.0.0.1",
		[NET_DNS_ONLY_IPV4] = "127.0.0.1",	 [NET_DNS_ONLY_IPV6] = "::1",
		[NET_DNS_ANY] = "127.0.0.1 ::1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct resolver r;
		struct lookup l;

		resolver_open(&r, (struct net_dns_opts){ .policy = (enum net_dns_policy)i });
		look_up(&r, &l, "both.example");
		ASSERT_STREQ(addresses(&l), expected[i]);
		look_up(&r, &l, "localhost");
		ASSERT_STREQ(addresses(&l), expected[i]);
		look_up(&r, &l, "one.example");
		ASSERT_INT(l.query.error, i == NET_DNS_ONLY_IPV6 ? NET_ERR_DNS_NO_HOST : NET_OK);
		resolver_close(&r);
	}
}

TEST(dns_without_cache_asks_for_each_connection)
{
	struct resolver r;
	struct lookup l;

	resolver_open(&r, (struct net_dns_opts){ .no_cache = true });
	for (int i = 1; i <= 3; i++) {
		look_up(&r, &l, "one.example");
		ASSERT_STREQ(addresses(&l), "127.0.0.1");
		ASSERT_INT(atomic_load(&r.ns.questions), i);
	}
	resolver_close(&r);
}

TEST(dns_answers_expire)
{
	struct resolver r;
	struct lookup l;

	resolver_open(&r, (struct net_dns_opts){ .ttl_ns = 1 });
	look_up(&r, &l, "one.example");
	ASSERT_TRUE(!begin(&r, &l, "one.example"));
	wait_for(&r, &l);
	ASSERT_STREQ(addresses(&l), "127.0.0.1");
	ASSERT_INT(atomic_load(&r.ns.questions), 2);
	resolver_close(&r);
}

TEST(dns_lookups_of_one_name_share_a_question)
{
	struct resolver r;
	struct lookup l[50];

	resolver_open(&r, (struct net_dns_opts){ 0 });
	for (int i = 0; i < 50; i++)
		ASSERT_TRUE(!begin(&r, &l[i], "one.example"));
	net_dns_cancel(&l[7].query);
	wait_for(&r, &l[49]);
	for (int i = 0; i < 50; i++)
		ASSERT_INT(l[i].done, i != 7);
	ASSERT_INT(atomic_load(&r.ns.questions), 1);
	resolver_close(&r);
}

TEST(dns_failures_have_their_kinds)
{
	static const struct {
		const char *host, *kind;
	} cases[] = {
		{ "absent.example", "dns_no_host" }, { "empty.example", "dns_no_host" },
		{ "refused.example", "dns" },	     { "silent.example", "dns_timeout" },
		{ "bad..name", "dns_no_host" },
	};
	struct resolver r;

	resolver_open(&r, (struct net_dns_opts){ 0 });
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lookup l;

		look_up(&r, &l, cases[i].host);
		ASSERT_STREQ(net_err_name(l.query.error), cases[i].kind);
		ASSERT_TRUE(l.query.why && *l.query.why);
	}
	resolver_close(&r);
}

TEST(dns_failures_are_not_kept)
{
	struct resolver r;
	struct lookup l;

	resolver_open(&r, (struct net_dns_opts){ 0 });
	for (int i = 1; i <= 3; i++) {
		look_up(&r, &l, "absent.example");
		ASSERT_INT(atomic_load(&r.ns.questions), i);
	}
	resolver_close(&r);
}

TEST(dns_holds_a_bounded_number_of_names)
{
	struct resolver r;
	struct lookup l;
	char host[32];

	resolver_open(&r, (struct net_dns_opts){ 0 });
	for (int i = 0; i < 600; i++) {
		snprintf(host, sizeof(host), "one.x%d", i);
		look_up(&r, &l, host);
		ASSERT_STREQ(addresses(&l), "127.0.0.1");
	}
	ASSERT_TRUE(begin(&r, &l, "one.x599"));
	ASSERT_TRUE(!begin(&r, &l, "one.x0"));
	wait_for(&r, &l);
	resolver_close(&r);
}

TEST(dns_can_go_while_it_is_asking)
{
	struct resolver r;
	struct lookup l;

	resolver_open(&r, (struct net_dns_opts){ 0 });
	ASSERT_TRUE(!begin(&r, &l, "silent.example"));
	net_dns_cancel(&l.query);
	resolver_close(&r);
	ASSERT_INT(l.done, 0);
}

TEST(dns_spreads_connections_over_addresses)
{
	static const enum net_dns_select selects[] = { NET_DNS_FIRST, NET_DNS_ROUND_ROBIN,
						       NET_DNS_RANDOM };

	for (size_t i = 0; i < ARRAY_SIZE(selects); i++) {
		struct resolver r;
		struct lookup l;
		int first = 0;

		resolver_open(&r, (struct net_dns_opts){ .select = selects[i] });
		for (int k = 0; k < 100; k++) {
			look_up(&r, &l, "two.example");
			ASSERT_INT(l.query.addrs.n, 2);
			first += !strcmp(addresses(&l), "127.0.0.2 127.0.0.1");
		}
		if (selects[i] == NET_DNS_RANDOM) /* 5 standard deviations */
			ASSERT_TRUE(first > 25 && first < 75);
		else
			ASSERT_INT(first, selects[i] == NET_DNS_FIRST ? 100 : 50);
		resolver_close(&r);
	}
}

/* --- through the client --- */

TEST(client_goes_on_to_the_next_address)
{
	struct name_server ns;
	struct server s;
	struct rig b;
	char url[64];

	/* "two" is 127.0.0.2, where nothing listens, and 127.0.0.1 */
	name_server_start(&ns);
	server_start(&s, serve_always, REPLY);
	rig_open(&b, &(struct net_stack_opts){ .dns.servers = ns.address }, NULL);
	snprintf(url, sizeof(url), "http://two.example:%u/", s.port);
	rig_begin(&b, url, (struct net_request){ 0 });
	ASSERT_ERR(rig_wait(&b, 1), "ok");
	ASSERT_TRUE(b.res->t.looking_up_ns > 0);
	ASSERT_TRUE(b.res->t.blocked_ns >= b.res->t.looking_up_ns + b.res->t.connecting_ns);
	rig_close(&b);
	server_stop(&s);
	name_server_stop(&ns);
}

TEST(client_tells_when_no_name_server_answers)
{
	struct net_client_opts opts = { .dial_timeout_ns = 100 * NS_PER_MS };
	struct name_server ns;
	struct rig b;

	name_server_start(&ns);
	rig_open(&b, &(struct net_stack_opts){ .dns.servers = ns.address }, &opts);
	rig_begin(&b, "http://silent.example/", (struct net_request){ 0 });
	ASSERT_ERR(rig_wait(&b, 1), "dns_timeout");
	ASSERT_HAS(strbuf_cstr(&b.res->message), "looking up silent.example:80: timed out");
	ASSERT_TRUE(b.res->t.looking_up_ns >= 99 * NS_PER_MS);
	rig_begin(&b, "http://absent.example/", (struct net_request){ 0 });
	ASSERT_ERR(rig_wait(&b, 2), "dns_no_host");
	rig_close(&b);
	name_server_stop(&ns);
}

/* The first address never answers: half the time for dialling is its, the other half the second's.
 */
TEST(client_leaves_time_for_the_next_address)
{
	struct net_client_opts opts = { .dial_timeout_ns = 600 * NS_PER_MS };
	struct deaf_server deaf;
	struct name_server ns;
	struct server s;
	struct rig b;
	char url[64];

	name_server_start(&ns);
	server_start(&s, serve_always, REPLY);
	deaf_server_start(&deaf, "127.0.0.2", s.port);
	rig_open(&b, &(struct net_stack_opts){ .dns.servers = ns.address }, &opts);
	snprintf(url, sizeof(url), "http://two.example:%u/", s.port);
	rig_begin(&b, url, (struct net_request){ 0 });
	ASSERT_ERR(rig_wait(&b, 1), "ok");
	ASSERT_TRUE(b.res->t.connecting_ns >= 250 * NS_PER_MS);
	rig_close(&b);
	deaf_server_stop(&deaf);
	server_stop(&s);
	name_server_stop(&ns);
}
