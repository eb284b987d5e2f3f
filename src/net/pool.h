/*
 * pool.h - addresses of this machine to send from, one for each virtual user in turn (k6's
 * localIPs): "10.0.0.5", "10.0.0.5-10.0.0.9" and "10.0.0.0/28", with commas between them. A network
 * of IPv4 is taken without its first and last address unless it has only one or two.
 */
#ifndef ASSAY_NET_POOL_H
#define ASSAY_NET_POOL_H

#include "base/error.h"
#include "net/addr.h"

struct net_pool;

/* 0 or -EINVAL. */
int net_pool_new(struct net_pool **ret, struct str text, struct error *reterr);
void net_pool_free(struct net_pool *p); /* NULL in, nothing done */

/* The i-th address, counted round; its port is 0. */
struct net_addr net_pool_get(const struct net_pool *p, uint64_t i);

#endif
