/* proxies.h - the environment's HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in either case. */
#ifndef ASSAY_CLI_PROXIES_H
#define ASSAY_CLI_PROXIES_H

#include "net/proxy.h"

/* *ret is NULL when there is no proxy; net_proxies_free() it. -EINVAL names the variable. */
int cli_proxies(struct net_proxies **ret, struct error *reterr);

#endif
