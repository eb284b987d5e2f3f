/*
 * pricing - a cart, and its quote under the campaign rules. All money is whole cents, all division
 * rounds down, so every edition gives the same quote; ../README.md has the rule in words.
 */
#ifndef BOOKSTORE_PRICING_H
#define BOOKSTORE_PRICING_H

#include <jansson.h>

#include "catalog.h"
#include "rules.h"

#define CART_LINES_MAX	  50
#define CART_QUANTITY_MAX 100
#define CART_CUSTOMER_MAX 64

struct cart_line {
	int book, quantity;
};

struct cart {
	char customer[CART_CUSTOMER_MAX + 1];
	char coupon[32]; /* "" = none */
	struct cart_line lines[CART_LINES_MAX];
	int n_lines;
};

/* 0, or -EINVAL with *ret_why set to what is wrong (static text). */
int cart_parse(struct cart *ret, const char *json, size_t len, const struct catalog *catalog,
	       const char **ret_why);

/* The whole cart as a key: equal carts have equal keys. malloc'ed. */
char *cart_key(const struct cart *c);

/* The quote as JSON text; malloc'ed, NULL when out of memory. */
char *pricing_quote(const struct cart *cart, const struct catalog *catalog,
		    const struct rule_set *rules);

#endif
