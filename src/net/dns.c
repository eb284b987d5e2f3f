/*
 * Names through c-ares, which speaks DNS itself: glibc's resolver blocks, and a static binary has
 * no NSS. The channel lives in the loop by its socket callback and one timer.
 *
 * An entry is a name with its answer or its pending question. The cache is a short list, newest
 * first: it is walked once per new connection, not per request.
 */
#include "net/dns.h"

#include <ares.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_ENTRIES 256 /* beyond that the oldest answer is dropped */

struct dns_socket {
	struct net_watch watch;
	struct net_dns *dns;
	struct dns_socket *next;
};

struct net_dns_entry {
	struct net_dns *dns;
	struct net_dns_entry *next;
	struct net_dns_query *waiting; /* in order of arrival */
	char *host;
	bool pending; /* asked, not answered */
	bool asking;  /* inside ares_getaddrinfo() */
	bool telling; /* inside tell_waiting() */
	enum net_err error;
	const char *why;
	struct net_addrs addrs;
	size_t turn; /* of NET_DNS_ROUND_ROBIN */
	uint64_t expires_ns;
};

struct net_dns {
	struct net_loop *loop;
	struct net_dns_opts opts;
	ares_channel channel; /* NULL until a name has to be looked up */
	struct net_timer timer;
	struct dns_socket *sockets;
	struct net_dns_entry *entries;
	uint64_t random; /* state; never 0 */
};

struct net_dns *net_dns_new(struct net_loop *loop, const struct net_dns_opts *opts)
{
	struct net_dns *dns = xcalloc(1, sizeof(*dns));

	dns->loop = loop;
	dns->random = net_loop_now_ns() | 1;
	dns->opts = opts ? *opts : (struct net_dns_opts){ 0 };
	dns->opts.ttl_ns = dns->opts.ttl_ns ? dns->opts.ttl_ns : 300 * NS_PER_S;
	dns->opts.timeout_ns = dns->opts.timeout_ns ? dns->opts.timeout_ns : 2 * NS_PER_S;
	return dns;
}

static void free_entry(struct net_dns_entry *e)
{
	free(e->host);
	free(e);
}

void net_dns_free(struct net_dns *dns)
{
	if (!dns)
		return;
	if (dns->channel)
		ares_destroy(dns->channel);
	net_timer_remove(dns->loop, &dns->timer);
	while (dns->sockets) {
		struct dns_socket *s = dns->sockets;

		dns->sockets = s->next;
		net_watch_remove(dns->loop, &s->watch);
		free(s);
	}
	while (dns->entries) {
		struct net_dns_entry *e = dns->entries;

		dns->entries = e->next;
		BUG_ON(e->waiting);
		free_entry(e);
	}
	free(dns);
}

/* --- c-ares in the loop --- */

static void set_timer(struct net_dns *dns)
{
	struct timeval tv, *next = ares_timeout(dns->channel, NULL, &tv);

	if (next)
		net_timer_set(dns->loop, &dns->timer,
			      net_loop_now_ns() + (uint64_t)tv.tv_sec * NS_PER_S +
				      (uint64_t)tv.tv_usec * NS_PER_US);
	else
		net_timer_cancel(&dns->timer);
}

static void process(struct net_dns *dns, ares_socket_t readable, ares_socket_t writable)
{
	ares_process_fd(dns->channel, readable, writable);
	set_timer(dns);
}

static void timer_expired(struct net_timer *t)
{
	process(container_of(t, struct net_dns, timer), ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

static void socket_ready(struct net_watch *w, uint32_t events)
{
	struct dns_socket *s = container_of(w, struct dns_socket, watch);

	process(s->dns, events & ~(uint32_t)EPOLLOUT ? w->fd : ARES_SOCKET_BAD,
		events & EPOLLOUT ? w->fd : ARES_SOCKET_BAD);
}

/* c-ares tells which of its sockets to watch for what; for nothing: about to be closed. */
static void socket_state(void *arg, ares_socket_t fd, int readable, int writable)
{
	struct net_dns *dns = arg;
	uint32_t events = (readable ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U);
	struct dns_socket **p = &dns->sockets, *s;

	while (*p && (*p)->watch.fd != fd)
		p = &(*p)->next;
	s = *p;
	if (s && events) {
		net_watch_change(dns->loop, &s->watch, events);
	} else if (s) {
		*p = s->next;
		net_watch_remove(dns->loop, &s->watch);
		free(s);
	} else if (events) {
		s = xcalloc(1, sizeof(*s));
		s->dns = dns;
		s->watch.ready = socket_ready;
		s->next = dns->sockets;
		dns->sockets = s;
		/* A failure here shows as a lookup that times out. */
		net_watch_add(dns->loop, &s->watch, fd, events);
	}
}

static int open_channel(struct net_dns *dns)
{
	char lookups[] = "fb"; /* /etc/hosts, then DNS */
	struct ares_options o = { .timeout = (int)(dns->opts.timeout_ns / NS_PER_MS),
				  .tries = 3,
				  .lookups = lookups,
				  .sock_state_cb = socket_state,
				  .sock_state_cb_data = dns };
	int r = ares_init_options(&dns->channel, &o,
				  ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS |
					  ARES_OPT_SOCK_STATE_CB);

	if (r == ARES_SUCCESS && dns->opts.servers)
		r = ares_set_servers_ports_csv(dns->channel, dns->opts.servers);
	dns->timer.expired = timer_expired;
	return r;
}

/* --- answers --- */

static void add_family(struct net_addrs *addrs, const struct ares_addrinfo *info, int family)
{
	for (const struct ares_addrinfo_node *n = info->nodes; n; n = n->ai_next) {
		struct net_addr *a = &addrs->list[addrs->n];

		if (n->ai_family != family || addrs->n == NET_DNS_MAX_ADDRS)
			continue;
		*a = (struct net_addr){ 0 };
		memcpy(a, n->ai_addr, MIN((size_t)n->ai_addrlen, sizeof(*a)));
		addrs->n++;
	}
}

static enum net_err error_of(int status)
{
	switch (status) {
	case ARES_ENOTFOUND:
	case ARES_ENODATA:
	case ARES_EBADNAME:
		return NET_ERR_DNS_NO_HOST;
	case ARES_ETIMEOUT:
		return NET_ERR_DNS_TIMEOUT;
	default:
		return NET_ERR_DNS;
	}
}

static void fail_entry(struct net_dns_entry *e, enum net_err error, const char *why)
{
	e->error = error;
	e->why = why;
	e->expires_ns = 0;
}

static bool is_fresh(const struct net_dns_entry *e)
{
	return !e->pending && e->expires_ns > net_loop_now_ns();
}

/* xorshift64: spreading connections needs no more than that. */
static uint64_t next_random(struct net_dns *dns)
{
	dns->random ^= dns->random << 13;
	dns->random ^= dns->random >> 7;
	dns->random ^= dns->random << 17;
	return dns->random;
}

/* Where in the first n addresses a connection begins. */
static size_t first_choice(struct net_dns_entry *e, size_t n)
{
	switch (e->dns->opts.select) {
	case NET_DNS_RANDOM:
		return next_random(e->dns) % n;
	case NET_DNS_ROUND_ROBIN:
		return e->turn++ % n;
	default:
		return 0;
	}
}

/* Appends those of a family; 0 = of any. */
static void add_addrs(struct net_addrs *to, const struct net_addrs *from, int family)
{
	for (size_t i = 0; i < from->n; i++)
		if (!family || from->list[i].sa.sa_family == family)
			to->list[to->n++] = from->list[i];
}

/* The families in the order of the policy; how many addresses the choice is among. */
static size_t order_addrs(struct net_addrs *to, const struct net_addrs *from,
			  enum net_dns_policy policy)
{
	bool v6_first = policy == NET_DNS_PREFER_IPV6 || policy == NET_DNS_ONLY_IPV6;
	bool only = policy == NET_DNS_ONLY_IPV4 || policy == NET_DNS_ONLY_IPV6;
	size_t n;

	to->n = 0;
	if (policy == NET_DNS_ANY) {
		*to = *from;
		return to->n;
	}
	add_addrs(to, from, v6_first ? AF_INET6 : AF_INET);
	n = to->n;
	if (!only)
		add_addrs(to, from, v6_first ? AF_INET : AF_INET6);
	return n ? n : to->n;
}

static void fill(struct net_dns_query *q, struct net_dns_entry *e)
{
	struct net_addrs addrs;
	size_t n = order_addrs(&addrs, &e->addrs, e->dns->opts.policy), shift;

	q->error = e->error;
	q->why = e->why;
	q->addrs = addrs;
	if (!e->error && !addrs.n) {
		q->error = NET_ERR_DNS_NO_HOST;
		q->why = "the name has no address of the family asked for";
	}
	if (n < 2)
		return;
	shift = first_choice(e, n);
	for (size_t i = 0; i < n; i++)
		q->addrs.list[i] = addrs.list[(i + shift) % n];
}

/* Callbacks may ask again, for this name too; those who still wait then get the next answer. */
static void tell_waiting(struct net_dns_entry *e)
{
	struct net_dns_query *q;

	e->telling = true;
	while ((q = e->waiting) && !e->pending) {
		e->waiting = q->next;
		q->entry = NULL;
		fill(q, e);
		q->done(q);
	}
	e->telling = false;
}

static void answered(void *arg, int status, int timeouts UNUSED, struct ares_addrinfo *info)
{
	struct net_dns_entry *e = arg;
	uint64_t ttl_ns = e->dns->opts.ttl_ns;

	if (status == ARES_EDESTRUCTION)
		return;
	e->pending = false;
	e->addrs.n = 0;
	e->error = NET_OK;
	if (status == ARES_SUCCESS) {
		add_family(&e->addrs, info, AF_INET);
		add_family(&e->addrs, info, AF_INET6);
		e->expires_ns = ttl_ns == UINT64_MAX ? ttl_ns : net_loop_now_ns() + ttl_ns;
		if (e->dns->opts.no_cache)
			e->expires_ns = 0;
	} else {
		fail_entry(e, error_of(status), ares_strerror(status));
	}
	if (info)
		ares_freeaddrinfo(info);
	if (status == ARES_SUCCESS && !e->addrs.n)
		fail_entry(e, NET_ERR_DNS_NO_HOST, "the name has no address");
	if (!e->asking)
		tell_waiting(e);
}

static void ask(struct net_dns *dns, struct net_dns_entry *e)
{
	struct ares_addrinfo_hints hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	int r = dns->channel ? ARES_SUCCESS : open_channel(dns);

	if (r != ARES_SUCCESS) {
		fail_entry(e, NET_ERR_DNS, ares_strerror(r));
		return;
	}
	e->pending = e->asking = true;
	ares_getaddrinfo(dns->channel, e->host, NULL, &hints, answered, e);
	e->asking = false;
	set_timer(dns);
}

/* --- looking up --- */

static struct net_dns_entry *find_entry(struct net_dns *dns, struct str host)
{
	for (struct net_dns_entry *e = dns->entries; e; e = e->next)
		if (str_ieq(str_from(e->host), host))
			return e;
	return NULL;
}

static struct net_dns_entry *add_entry(struct net_dns *dns, struct str host)
{
	struct net_dns_entry *e = xcalloc(1, sizeof(*e)), **p = &dns->entries, **oldest = NULL;
	size_t n = 0;

	for (; *p; p = &(*p)->next, n++)
		if (!(*p)->pending && !(*p)->telling)
			oldest = p;
	if (n >= MAX_ENTRIES && oldest) {
		struct net_dns_entry *gone = *oldest;

		*oldest = gone->next;
		free_entry(gone);
	}
	e->dns = dns;
	e->host = str_dup(host);
	e->next = dns->entries;
	dns->entries = e;
	return e;
}

static bool is_localhost(struct str host)
{
	return str_ieq(host, STR("localhost")) || str_ieq(host, STR("localhost.")) ||
	       (host.len > 10 &&
		str_ieq((struct str){ host.ptr + host.len - 10, 10 }, STR(".localhost")));
}

/* Hosts that need nobody's answer. */
static bool lookup_known(const struct net_dns *dns, struct net_dns_query *q, struct str host)
{
	struct net_addrs both = { .n = 2 };

	q->error = NET_OK;
	q->addrs.n = 1;
	if (net_addr_parse(&q->addrs.list[0], host, 0) == 0)
		return true;
	if (!is_localhost(host))
		return false;
	net_addr_parse(&both.list[0], STR("127.0.0.1"), 0);
	net_addr_parse(&both.list[1], STR("::1"), 0);
	order_addrs(&q->addrs, &both, dns->opts.policy);
	return true;
}

static void join(struct net_dns_entry *e, struct net_dns_query *q)
{
	struct net_dns_query **p = &e->waiting;

	while (*p)
		p = &(*p)->next;
	q->next = NULL;
	q->entry = e;
	*p = q;
}

bool net_dns_lookup(struct net_dns *dns, struct net_dns_query *q, struct str host)
{
	struct net_dns_entry *e;

	q->entry = NULL;
	if (lookup_known(dns, q, host))
		return true;
	e = find_entry(dns, host);
	if (!e)
		e = add_entry(dns, host);
	if (!e->pending && !is_fresh(e))
		ask(dns, e);
	if (e->pending) {
		join(e, q);
		return false;
	}
	fill(q, e);
	return true;
}

void net_dns_cancel(struct net_dns_query *q)
{
	struct net_dns_query **p;

	if (!q->entry)
		return;
	p = &q->entry->waiting;
	while (*p != q)
		p = &(*p)->next;
	*p = q->next;
	q->entry = NULL;
}
