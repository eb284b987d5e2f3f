/*
 * url.h - absolute http and https URLs, cut into parts (RFC 3986), and relative references resolved
 * against them. Parts are borrowed from the text given to net_url_parse(), nothing is decoded.
 * Refused: control characters, spaces and non-ASCII bytes anywhere (write them %-encoded, a host in
 * its xn-- form), an empty host, a port outside 1..65535.
 */
#ifndef ASSAY_NET_URL_H
#define ASSAY_NET_URL_H

#include "base/error.h"
#include "base/strbuf.h"

#define NET_URL_MAX_BYTES (64 * 1024)

struct net_url {
	bool tls;	      /* https */
	bool has_userinfo;    /* "http://@host/" has an empty one */
	bool host_is_ipv6;    /* was written in brackets */
	uint16_t port;	      /* the scheme's default when none was written */
	struct str userinfo;  /* "user" or "user:password", %-encoded as written */
	struct str host;      /* without brackets */
	struct str authority; /* host and port as written, brackets included: the Host field */
	struct str target; /* path and query as written; the request target, with "/" put in front
			    * when it does not begin with one ("http://host?q") */
	struct str path;
	struct str query;    /* without "?"; ptr is NULL when there is no "?" */
	struct str fragment; /* without "#"; ptr is NULL when there is no "#" */
};

/* 0, -EINVAL (with the reason and the place), -E2BIG, -EPROTONOSUPPORT for another scheme. */
int net_url_parse(struct net_url *ret, struct str text, struct error *reterr);

/*
 * Resolves a reference (a Location field) against an absolute URL by RFC 3986 5.2 and replaces the
 * content of *ret with the absolute result; dot segments are removed. A reference without a
 * fragment takes none of the base's. The result has not been checked: give it to net_url_parse().
 */
int net_url_resolve(struct strbuf *ret, struct str base, struct str reference);

/* Appends s with %XX sequences decoded; a "%" without two hex digits stays as it is. */
void net_url_decode(struct strbuf *sb, struct str s);

/* Appends the URL with its user information replaced by "****:****", for tags and messages. */
void net_url_mask(struct strbuf *sb, struct str text);

#endif
