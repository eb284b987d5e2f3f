/*
 * cookies.h - cookies by RFC 6265: read from Set-Cookie fields, kept in jars, sent where they
 * belong. A VU has a jar of its own, emptied after each iteration; scripts may make more. No list
 * of public suffixes is kept, as in k6.
 */
#ifndef ASSAY_LOAD_COOKIES_H
#define ASSAY_LOAD_COOKIES_H

#include "base/vec.h"
#include "js/engine.h"
#include "net/client.h"

/* Per jar; what comes beyond is not taken. */
#define LOAD_COOKIES_MAX 3000

struct load_cookie {
	char *name, *value;
	char *domain, *path; /* as the field had them; "" = none */
	bool http_only, secure;
	int64_t max_age_s;  /* 0 = none given, negative = delete now */
	int64_t expires_ms; /* since 1970; 0 = none given */
};

struct load_jar;

struct load_jar *load_jar_new(void);
void load_jar_free(struct load_jar *jar); /* NULL in, nothing done */
void load_jar_clear(struct load_jar *jar);

/* Takes a cookie that url set: replaces the one of that name, domain and path, or removes it when
 * it has expired. False when the cookie is not url's to set. */
bool load_jar_set(struct load_jar *jar, const struct net_url *url, const struct load_cookie *c);

/* Removes what url's host set under its default path: all, or that name only. */
void load_jar_remove(struct load_jar *jar, const struct net_url *url, const char *name);

/* Calls fn for each cookie to be sent to url, longest path first. */
typedef void load_jar_fn(void *arg, const char *name, const char *value);
void load_jar_match(struct load_jar *jar, const struct net_url *url, load_jar_fn *fn, void *arg);

/* Reads a Set-Cookie value; false when its name is no token (RFC 9110 5.6.2) or its value has bytes
 * that a cookie cannot have: such cookies are not taken, as in Go. */
bool load_cookie_parse(struct str field, struct load_cookie *ret);
void load_cookie_release(struct load_cookie *c);

/* Seconds since 1970 of an HTTP date in any of the usual forms; false when it is none. */
bool load_http_date_parse(struct str text, int64_t *ret_s);

/* Puts all that a reply sets into a jar. */
void load_jar_take(struct load_jar *jar, const struct net_url *url, const struct net_head *head);

#endif
