#include "shop.h"

#include <errno.h>
#include <stdlib.h>

static int shared_pattern_new(struct coupon_pattern **ret)
{
	struct coupon_pattern *p = malloc(sizeof(*p));

	if (!p || coupon_pattern_init(p) != 0) {
		free(p);
		return -ENOMEM;
	}
	*ret = p;
	return 0;
}

static int fill(struct shop *shop)
{
	int rc;

	catalog_init(&shop->catalog);
	shop->cache = cache_new();
	shop->metrics = metrics_new();
	shop->rules_text = rules_text_new(shop->n_rules, &shop->rules_len);
	if (!shop->cache || !shop->metrics || !shop->rules_text)
		return -ENOMEM;

	rc = rules_parse(&shop->rules, shop->rules_text, shop->rules_len);
	if (rc != 0)
		return rc;
	rc = shared_pattern_new(&shop->coupons);
	if (rc != 0)
		return rc;
	return reclaim_new(&shop->reclaim);
}

int shop_new(struct shop **ret, int n_rules, int workers)
{
	struct shop *shop = calloc(1, sizeof(*shop));
	int rc;

	if (!shop)
		return -ENOMEM;
	shop->n_rules = n_rules;
	shop->workers = workers;

	rc = fill(shop);
	if (rc != 0) {
		shop_free(shop);
		return rc;
	}
	*ret = shop;
	return 0;
}

void shop_free(struct shop *shop)
{
	if (!shop)
		return;
	reclaim_free(shop->reclaim);
	if (shop->coupons)
		coupon_pattern_release(shop->coupons);
	free(shop->coupons);
	rules_free(shop->rules);
	free(shop->rules_text);
	metrics_free(shop->metrics);
	cache_free(shop->cache);
	free(shop);
}
