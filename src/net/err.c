#include "net/err.h"

#include <errno.h>

#include "base/util.h"

static const char *const names[NET_ERR_COUNT] = {
	[NET_OK] = "ok",
	[NET_ERR_BAD_URL] = "bad_url",
	[NET_ERR_BAD_REQUEST] = "bad_request",
	[NET_ERR_DNS] = "dns",
	[NET_ERR_DNS_NO_HOST] = "dns_no_host",
	[NET_ERR_DNS_TIMEOUT] = "dns_timeout",
	[NET_ERR_BLOCKED_HOST] = "blocked_host",
	[NET_ERR_BLOCKED_IP] = "blocked_ip",
	[NET_ERR_DIAL] = "dial",
	[NET_ERR_DIAL_REFUSED] = "dial_refused",
	[NET_ERR_DIAL_TIMEOUT] = "dial_timeout",
	[NET_ERR_NO_FDS] = "no_fds",
	[NET_ERR_NO_PORTS] = "no_ports",
	[NET_ERR_PROXY] = "proxy",
	[NET_ERR_RESET] = "reset",
	[NET_ERR_BROKEN_PIPE] = "broken_pipe",
	[NET_ERR_IO] = "io",
	[NET_ERR_CLOSED] = "closed",
	[NET_ERR_TRUNCATED] = "truncated",
	[NET_ERR_TLS] = "tls",
	[NET_ERR_TLS_RECORD] = "tls_record",
	[NET_ERR_TLS_AUTHORITY] = "tls_authority",
	[NET_ERR_TLS_HOSTNAME] = "tls_hostname",
	[NET_ERR_H2] = "h2",
	[NET_ERR_H2_GOAWAY] = "h2_goaway",
	[NET_ERR_H2_STREAM] = "h2_stream",
	[NET_ERR_H2_CONNECTION] = "h2_connection",
	[NET_ERR_TIMEOUT] = "timeout",
	[NET_ERR_MALFORMED] = "malformed",
	[NET_ERR_TOO_LARGE] = "too_large",
	[NET_ERR_CODING] = "coding",
};

const char *net_err_name(enum net_err e)
{
	BUG_ON((unsigned)e >= NET_ERR_COUNT);
	return names[e];
}

enum net_err net_err_of_io(int code)
{
	switch (-code) {
	case ECONNRESET:
		return NET_ERR_RESET;
	case EPIPE:
		return NET_ERR_BROKEN_PIPE;
	case EPROTO:
		return NET_ERR_TLS;
	default:
		return NET_ERR_IO;
	}
}

enum net_err net_err_of_dial(int code)
{
	switch (-code) {
	case ECONNREFUSED:
		return NET_ERR_DIAL_REFUSED;
	case ETIMEDOUT:
		return NET_ERR_DIAL_TIMEOUT;
	case EMFILE:
	case ENFILE:
		return NET_ERR_NO_FDS;
	case EADDRNOTAVAIL:
	case EAGAIN: /* what connect() says when ports are gone after all */
		return NET_ERR_NO_PORTS;
	default:
		return NET_ERR_DIAL;
	}
}
