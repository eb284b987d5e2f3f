/*
 * The faults of this service are here, on purpose, each under its name:
 *
 *	options	the coupon pattern is compiled for every request
 *	rules	the campaign rules are parsed from their JSON text for every request
 *	cache	every quote is kept under its whole cart, and carts do not come twice
 *
 * README.md says what each is worth. The fixed route runs the same code with all three removed.
 */
#include "checkout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cart.h"
#include "pricing.h"
#include "shop.h"

#define CART_HINT                                                                                  \
	"send a cart such as {\"customer\":\"c-7\",\"lines\":[{\"book\":12,\"quantity\":2}],"      \
	"\"coupon\":\"SPRING-15\"}"

enum fix { FIX_OPTIONS = 1, FIX_RULES = 2, FIX_CACHE = 4, FIX_ALL = 7 };

static int fix_find(const char *name, size_t len)
{
	static const struct {
		const char *name;
		enum fix fix;
	} fixes[] = { { "options", FIX_OPTIONS }, { "rules", FIX_RULES }, { "cache", FIX_CACHE } };

	for (size_t i = 0; i < sizeof(fixes) / sizeof(fixes[0]); i++) {
		if (strlen(fixes[i].name) == len && memcmp(fixes[i].name, name, len) == 0)
			return fixes[i].fix;
	}
	return -EINVAL;
}

/* "options,cache" to a set of fixes, or -EINVAL. NULL is the empty set. */
static int fixes_parse(const char *list)
{
	int fixes = 0;

	while (list) {
		size_t len = strcspn(list, ",");
		int fix = fix_find(list, len);

		if (fix < 0)
			return fix;
		fixes |= fix;
		list = list[len] == ',' ? list + len + 1 : NULL;
	}
	return fixes;
}

static int read_cart(const struct shop *shop, int fixes, const struct http_request *req,
		     struct cart *ret, struct cart_fault *ret_fault)
{
	struct coupon_pattern pattern;
	int rc;

	if (fixes & FIX_OPTIONS)
		return cart_parse(ret, req->body, req->len, shop->coupons, ret_fault);

	rc = coupon_pattern_init(&pattern);
	if (rc != 0)
		return rc;
	rc = cart_parse(ret, req->body, req->len, &pattern, ret_fault);
	coupon_pattern_release(&pattern);
	return rc;
}

static int price(const struct shop *shop, int fixes, const struct cart *cart, struct quote *ret)
{
	struct rule_set *rules;
	int rc;

	if (fixes & FIX_RULES) {
		pricing_quote(ret, cart, &shop->catalog, shop->rules);
		return 0;
	}

	rc = rules_parse(&rules, shop->rules_text, shop->rules_len);
	if (rc != 0)
		return rc;
	pricing_quote(ret, cart, &shop->catalog, rules);
	rules_retire(rules, shop->reclaim);
	return 0;
}

static void reply_quote(const struct shop *shop, int fixes, const struct cart *cart,
			struct http_reply *reply)
{
	struct quote quote;
	size_t len = 0;
	char *text = NULL;

	if (price(shop, fixes, cart, &quote) == 0)
		text = pricing_quote_write(&quote, &len);
	http_reply_json(reply, text, len);
}

static void reply_cached_quote(struct shop *shop, int fixes, const struct cart *cart,
			       struct http_reply *reply)
{
	char key[CART_KEY_MAX];
	size_t len = 0;
	char *text;

	cart_key(cart, key);
	text = cache_get(shop->cache, key, &len);
	if (text) {
		http_reply_json(reply, text, len);
		return;
	}

	reply_quote(shop, fixes, cart, reply);
	if (reply->body)
		cache_put(shop->cache, key, reply->body, reply->len);
}

static void checkout(struct shop *shop, int fixes, const struct http_request *req,
		     struct http_reply *reply)
{
	struct cart_fault fault;
	struct cart cart;
	int rc = read_cart(shop, fixes, req, &cart, &fault);

	if (rc == -EINVAL) {
		http_reply_error(reply, 400, fault.text, CART_HINT);
		return;
	}
	if (rc != 0)
		return;

	if (fixes & FIX_CACHE)
		reply_quote(shop, fixes, &cart, reply);
	else
		reply_cached_quote(shop, fixes, &cart, reply);
}

void checkout_slow(void *ctx, const struct http_request *req, struct http_reply *reply)
{
	int fixes = fixes_parse(http_query(req, "fix"));

	if (fixes < 0)
		http_reply_error(reply, 400, "fix names something that cannot be fixed",
				 "use options, rules, cache, or several with commas between");
	else
		checkout(ctx, fixes, req, reply);
}

void checkout_fixed(void *ctx, const struct http_request *req, struct http_reply *reply)
{
	checkout(ctx, FIX_ALL, req, reply);
}
