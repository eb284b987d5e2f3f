/*
 * stack.h - what the clients of one thread share: the loop, the resolver and its cache, the TLS
 * settings, the read buffer, and the pools that make warm requests free of allocation.
 */
#ifndef ASSAY_NET_STACK_H
#define ASSAY_NET_STACK_H

#include "net/dns.h"
#include "net/loop.h"
#include "net/tls.h"

struct net_stack;

struct net_stack_opts {
	struct net_dns_opts dns;
	struct net_tls_opts tls;
};

/* The loop is borrowed and must outlive the stack; opts may be NULL. */
struct net_stack *net_stack_new(struct net_loop *loop, const struct net_stack_opts *opts);

/* All clients must have been freed and all responses given back. NULL in, nothing done. */
void net_stack_free(struct net_stack *stack);

struct net_loop *net_stack_loop(struct net_stack *stack);

#endif
