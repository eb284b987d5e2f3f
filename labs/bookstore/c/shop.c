#include "shop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "coupon.h"
#include "pricing.h"
#include "reclaim.h"
#include "rules.h"

struct shop {
	struct catalog catalog;
	char *rules_text;
	size_t rules_len;
	struct rule_set *rules;	       /* parsed once: the fix */
	struct coupon_pattern pattern; /* compiled once: the fix */
	struct cache *cache;
	struct reclaim *reclaim;
};

int shop_new(struct shop **ret, int n_rules)
{
	struct shop *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	catalog_init(&s->catalog);
	s->rules_text = rules_text_new(n_rules, &s->rules_len);
	s->cache = cache_new();
	r = s->rules_text && s->cache ? 0 : -ENOMEM;
	if (r == 0)
		r = rules_parse(&s->rules, s->rules_text, s->rules_len);
	if (r == 0)
		r = coupon_pattern_init(&s->pattern);
	if (r == 0)
		r = reclaim_new(&s->reclaim);
	if (r == 0)
		*ret = s;
	return r;
}

void shop_free(struct shop *s)
{
	if (!s)
		return;
	reclaim_free(s->reclaim);
	coupon_pattern_release(&s->pattern);
	rules_free(s->rules);
	cache_free(s->cache);
	free(s->rules_text);
	free(s);
}

static int refuse(const char *why, char **ret_body)
{
	json_t *error = json_pack("{s:s}", "error", why);

	*ret_body = json_dumps(error, JSON_COMPACT);
	json_decref(error);
	return 400;
}

/* Fault "options": the pattern is compiled for every request. */
static bool coupon_ok(struct shop *s, const struct fixes *fixes, const char *coupon)
{
	struct coupon_pattern own;
	bool ok;

	if (fixes->options)
		return !coupon[0] || coupon_pattern_match(&s->pattern, coupon);
	if (coupon_pattern_init(&own) != 0)
		return false;
	ok = !coupon[0] || coupon_pattern_match(&own, coupon);
	coupon_pattern_release(&own);
	return ok;
}

/* Fault "rules": the text is parsed for every request, and the tree freed later in batches. */
static char *quote(struct shop *s, const struct fixes *fixes, const struct cart *cart)
{
	struct rule_set *own;
	char *text;

	if (fixes->rules)
		return pricing_quote(cart, &s->catalog, s->rules);
	if (rules_parse(&own, s->rules_text, s->rules_len) != 0)
		return NULL;
	text = pricing_quote(cart, &s->catalog, own);
	rules_retire(own, s->reclaim);
	return text;
}

/* Fault "cache": the whole cart is the key, so that random carts never hit. */
static char *cached_quote(struct shop *s, const struct fixes *fixes, const struct cart *cart)
{
	char *key = cart_key(cart);
	char *text = key ? cache_get(s->cache, key) : NULL;

	if (!text) {
		text = quote(s, fixes, cart);
		if (text && key)
			cache_put(s->cache, key, text);
	}
	free(key);
	return text;
}

int shop_checkout(struct shop *s, const struct fixes *fixes, const char *body, size_t len,
		  char **ret_body)
{
	struct cart cart;
	const char *why;

	if (cart_parse(&cart, body, len, &s->catalog, &why) != 0)
		return refuse(why, ret_body);
	if (!coupon_ok(s, fixes, cart.coupon))
		return refuse("there is no such coupon", ret_body);
	*ret_body = fixes->cache ? quote(s, fixes, &cart) : cached_quote(s, fixes, &cart);
	return *ret_body ? 200 : 500;
}

struct cache_stats shop_cache_stats(struct shop *s)
{
	return cache_stats(s->cache);
}
