#include "cli/proxies.h"

#include <stdlib.h>

static const char *variable(const char *upper, const char *lower)
{
	const char *value = getenv(upper);

	return value && *value ? value : getenv(lower);
}

int cli_proxies(struct net_proxies **ret, struct error *reterr)
{
	/* a web server hands its clients' "Proxy" header to scripts under this name */
	const char *http = getenv("REQUEST_METHOD") ? NULL : variable("HTTP_PROXY", "http_proxy");

	return net_proxies_new(ret, http, variable("HTTPS_PROXY", "https_proxy"),
			       variable("NO_PROXY", "no_proxy"), reterr);
}
