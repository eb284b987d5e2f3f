/*
 * checkout - the two routes that price a cart: as it was, and as it should be.
 */
#ifndef BOOKSTORE_CHECKOUT_H
#define BOOKSTORE_CHECKOUT_H

#include "http.h"

/*
 * POST /api/checkout, slow. ?fix=options,rules,cache removes any of the three suspects; ctx is the
 * shop.
 */
void checkout_slow(void *ctx, const struct http_request *req, struct http_reply *reply);

/* POST /api/checkout-v2: none of the three. */
void checkout_fixed(void *ctx, const struct http_request *req, struct http_reply *reply);

#endif
