/*
 * shop - the service without HTTP: a cart's JSON in, a quote's JSON out. The three faults of the
 * slow checkout are here, each behind a flag that removes exactly it.
 */
#ifndef BOOKSTORE_SHOP_H
#define BOOKSTORE_SHOP_H

#include <stdbool.h>
#include <stddef.h>

#include "cache.h"

struct shop;

/* Which faults are removed. */
struct fixes {
	bool options; /* the coupon pattern is compiled once */
	bool rules;   /* the campaign rules are parsed once */
	bool cache;   /* quotes are not cached */
};

/* 0 or negative errno. n_rules from RULES_MIN to RULES_MAX. */
int shop_new(struct shop **ret, int n_rules);
void shop_free(struct shop *s);

/* The HTTP status; *ret_body is a malloc'ed JSON text (a quote, or {"error": …}). Any thread. */
int shop_checkout(struct shop *s, const struct fixes *fixes, const char *body, size_t len,
		  char **ret_body);

struct cache_stats shop_cache_stats(struct shop *s);

#endif
