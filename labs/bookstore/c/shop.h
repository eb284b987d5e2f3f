/*
 * shop - everything the handlers share, made once at the start.
 */
#ifndef BOOKSTORE_SHOP_H
#define BOOKSTORE_SHOP_H

#include "cache.h"
#include "catalog.h"
#include "coupon.h"
#include "metrics.h"
#include "reclaim.h"
#include "rules.h"

struct shop {
	struct catalog catalog;
	char *rules_text;
	size_t rules_len;
	struct rule_set *rules;		/* parsed once: what the fixed route uses */
	struct coupon_pattern *coupons; /* compiled once: likewise */
	struct cache *cache;
	struct reclaim *reclaim;
	struct metrics *metrics;
	int n_rules;
	int workers;
};

/* 0 or negative errno. The caller owns *ret. */
int shop_new(struct shop **ret, int n_rules, int workers);

void shop_free(struct shop *shop);

#endif
