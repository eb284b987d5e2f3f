/*
 * dns.h - host names to addresses, asynchronously, on a loop (c-ares). Numeric addresses and
 * "localhost" (RFC 6761: both loopback addresses, IPv4 first) never ask anybody; /etc/hosts is read
 * before a server is asked. Answers are kept for a fixed time, as k6 does, whatever their own TTL;
 * failures are not kept. Lookups of one name at the same time share one question.
 */
#ifndef ASSAY_NET_DNS_H
#define ASSAY_NET_DNS_H

#include "base/error.h"
#include "net/addr.h"
#include "net/err.h"
#include "net/loop.h"

#define NET_DNS_MAX_ADDRS 16

struct net_dns;

/* Which of several addresses is tried first. */
enum net_dns_select { NET_DNS_FIRST, NET_DNS_RANDOM, NET_DNS_ROUND_ROBIN };

/* Addresses of which family come first, or come at all. ANY chooses among all. */
enum net_dns_policy {
	NET_DNS_PREFER_IPV4,
	NET_DNS_PREFER_IPV6,
	NET_DNS_ONLY_IPV4,
	NET_DNS_ONLY_IPV6,
	NET_DNS_ANY,
};

struct net_dns_opts {
	enum net_dns_select select; /* anew for each connection, among those of the first family */
	enum net_dns_policy policy;
	bool no_cache;	     /* ask for each connection */
	uint64_t ttl_ns;     /* how long answers are kept; 0 = 5 min; UINT64_MAX = for ever */
	uint64_t timeout_ns; /* of one try; 0 = 2 s, with 3 tries */
	const char *servers; /* "127.0.0.1:5353,..." in place of /etc/resolv.conf; NULL = that */
};

struct net_addrs {
	size_t n;
	struct net_addr list[NET_DNS_MAX_ADDRS]; /* in the order to be tried; ports are 0 */
};

/* Embedded in the caller's struct; zeroed = idle. */
struct net_dns_query {
	void (*done)(struct net_dns_query *q);
	enum net_err error;	    /* the result, valid in done */
	const char *why;	    /* constant text, when error is set */
	struct net_addrs addrs;	    /* when it is not */
	struct net_dns_query *next; /* private */
	struct net_dns_entry *entry;
};

/* dns is made at first need: nothing is read before a name has to be looked up. */
struct net_dns *net_dns_new(struct net_loop *loop, const struct net_dns_opts *opts);

/* No query may be waiting. NULL in, nothing done. */
void net_dns_free(struct net_dns *dns);

/* True: q holds the result already and done is not called. False: done will be called. */
bool net_dns_lookup(struct net_dns *dns, struct net_dns_query *q, struct str host);

/* q->done will not be called. Does nothing when q is not waiting. */
void net_dns_cancel(struct net_dns_query *q);

#endif
