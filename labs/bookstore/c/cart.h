/*
 * cart - what a customer wants to buy, read from the request's JSON and checked.
 */
#ifndef BOOKSTORE_CART_H
#define BOOKSTORE_CART_H

#include <stddef.h>

#include "coupon.h"

#define CART_LINES_MAX	  4
#define CART_QUANTITY_MAX 99
#define CART_CUSTOMER_MAX 32
#define CART_KEY_MAX	  128

struct cart_line {
	int book; /* a book of the catalogue */
	int quantity;
};

struct cart {
	char customer[CART_CUSTOMER_MAX + 1];
	int n_lines;
	struct cart_line lines[CART_LINES_MAX];
	char coupon[COUPON_LEN_MAX + 1]; /* "": none */
};

/* What is wrong with a request, for the person who sent it. */
struct cart_fault {
	char text[200];
};

/* 0, or -EINVAL with *ret_fault set. Coupons are checked against the pattern. */
int cart_parse(struct cart *ret, const char *json, size_t len, const struct coupon_pattern *coupons,
	       struct cart_fault *ret_fault);

/* The whole cart as one short text, equal for equal carts. */
void cart_key(const struct cart *cart, char ret_key[CART_KEY_MAX]);

#endif
