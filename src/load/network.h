/*
 * network.h - what a test's options say of the network: names, addresses and the resolver (k6's
 * hosts, blacklistIPs, blockHostnames, dns, localIPs), and TLS. Part of the plan.
 */
#ifndef ASSAY_LOAD_NETWORK_H
#define ASSAY_LOAD_NETWORK_H

#include "base/vec.h"
#include "net/dns.h"
#include "net/names.h"
#include "net/pool.h"
#include "net/tls.h"
#include "net/tls_cipher.h"

struct json_t; /* jansson's */

/* An option as it was given. */
struct load_network_option {
	const char *key; /* constant */
	char *json;
};

struct load_network {
	VEC(struct load_network_option) options; /* as exec.test.options shows them */
	struct net_names *names;		 /* NULL = no rules */
	struct net_pool *local;			 /* NULL = any address of the machine */
	struct net_dns_opts dns;
	struct net_tls_opts tls; /* points to the two below */
	struct net_tls_ciphers ciphers;
	struct net_tls_auth *auth;
};

/* From the options of all tiers together. -EINVAL with a message that names the option. */
int load_network_read(struct load_network *net, const struct json_t *root, struct error *reterr);
void load_network_release(struct load_network *net);

/* network_tls.c: the part of TLS. */
int load_network_read_tls(struct load_network *net, const struct json_t *root,
			  struct error *reterr);

#endif
