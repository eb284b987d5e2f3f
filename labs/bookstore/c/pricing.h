/*
 * pricing - the quote for a cart: on every line the one campaign rule that takes most off.
 *
 * README.md states the rule of pricing in words exact enough to write it a third time.
 */
#ifndef BOOKSTORE_PRICING_H
#define BOOKSTORE_PRICING_H

#include "cart.h"
#include "catalog.h"
#include "rules.h"

struct quote_line {
	int book;
	int quantity;
	int unit_cents;
	int gross_cents;
	int discount_cents;
	int rule; /* number of the rule that won, from 1; 0: none took anything off */
};

struct quote {
	char customer[CART_CUSTOMER_MAX + 1];
	char coupon[COUPON_LEN_MAX + 1]; /* "": none */
	int n_lines;
	struct quote_line lines[CART_LINES_MAX];
	int gross_cents;
	int discount_cents;
};

/* Looks at every rule for every line; the cart's books must be in the catalogue. */
void pricing_quote(struct quote *ret, const struct cart *cart, const struct catalog *catalog,
		   const struct rule_set *rules);

/* The quote as JSON; malloc'ed, the caller frees. NULL: out of memory. */
char *pricing_quote_write(const struct quote *q, size_t *ret_len);

#endif
