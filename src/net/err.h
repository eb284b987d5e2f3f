/*
 * err.h - why a request failed, as a kind that callers can switch on (load/ maps it to k6's error
 * codes). The words for people come beside it, in a message.
 */
#ifndef ASSAY_NET_ERR_H
#define ASSAY_NET_ERR_H

enum net_err {
	NET_OK,
	NET_ERR_BAD_URL,     /* an address that cannot be one */
	NET_ERR_BAD_REQUEST, /* a method or header that must not be sent */

	NET_ERR_DNS, /* any other failure of a lookup */
	NET_ERR_DNS_NO_HOST,
	NET_ERR_DNS_TIMEOUT,

	NET_ERR_BLOCKED_HOST, /* not to be sent to: by its name */
	NET_ERR_BLOCKED_IP,   /* by its address */

	NET_ERR_DIAL, /* connect() failed, see sys_errno */
	NET_ERR_DIAL_REFUSED,
	NET_ERR_DIAL_TIMEOUT,
	NET_ERR_NO_FDS,	  /* no descriptors left on this side */
	NET_ERR_NO_PORTS, /* no local ports left on this side */

	NET_ERR_PROXY, /* the proxy did not connect to the server */

	NET_ERR_RESET,	     /* ECONNRESET */
	NET_ERR_BROKEN_PIPE, /* EPIPE while sending */
	NET_ERR_IO,	     /* reading or writing failed, see sys_errno */
	NET_ERR_CLOSED,	     /* closed by the server before any byte of a reply */
	NET_ERR_TRUNCATED,   /* closed by the server in the middle of a reply */

	NET_ERR_TLS,	       /* any other failure of TLS */
	NET_ERR_TLS_RECORD,    /* the server does not speak TLS there */
	NET_ERR_TLS_AUTHORITY, /* no trusted authority vouches for the certificate */
	NET_ERR_TLS_HOSTNAME,  /* the certificate is for another name */

	NET_ERR_H2,	       /* HTTP/2 was asked for and the server does not speak it */
	NET_ERR_H2_GOAWAY,     /* the server gave the connection up; with HTTP/2's error code */
	NET_ERR_H2_STREAM,     /* the server gave the request up; with HTTP/2's error code */
	NET_ERR_H2_CONNECTION, /* what came is no HTTP/2; with the error code it was told */

	NET_ERR_TIMEOUT,   /* the time for the whole request was over */
	NET_ERR_MALFORMED, /* the reply is no HTTP */
	NET_ERR_TOO_LARGE, /* header or body above the limit */
	NET_ERR_CODING,	   /* the body is not of the content coding it claims */

	NET_ERR_COUNT
};

/* A short constant name, "dial_refused"; for JSON and tests. */
const char *net_err_name(enum net_err e);

/* The kind of a failed read or write. code is a negative errno. */
enum net_err net_err_of_io(int code);

/* The kind of a failed socket() or connect(). */
enum net_err net_err_of_dial(int code);

#endif
