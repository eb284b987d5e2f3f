#include "pricing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_line(struct cart_line *line, json_t *obj, const struct catalog *catalog,
		      const char **ret_why)
{
	json_int_t book, quantity;

	if (json_unpack(obj, "{s:I, s:I}", "book", &book, "quantity", &quantity) != 0) {
		*ret_why = "a line needs whole numbers book and quantity";
		return -EINVAL;
	}
	if (!catalog_book(catalog, book)) {
		*ret_why = "there is no such book";
		return -EINVAL;
	}
	if (quantity < 1 || quantity > CART_QUANTITY_MAX) {
		*ret_why = "quantity must be 1 to 100";
		return -EINVAL;
	}
	line->book = (int)book;
	line->quantity = (int)quantity;
	return 0;
}

static int copy_text(char *to, size_t size, const char *from)
{
	size_t len = from ? strlen(from) : 0;

	if (len >= size)
		return -EINVAL;
	memcpy(to, from ? from : "", len + 1);
	return 0;
}

static int parse_tree(struct cart *c, json_t *tree, const struct catalog *catalog,
		      const char **ret_why)
{
	const char *customer, *coupon = NULL;
	json_t *lines;

	if (json_unpack(tree, "{s:s, s?:s, s:o}", "customer", &customer, "coupon", &coupon, "lines",
			&lines) != 0 ||
	    !json_is_array(lines)) {
		*ret_why =
			"a cart needs a text customer and a list lines, and may have a text coupon";
		return -EINVAL;
	}
	if (copy_text(c->customer, sizeof(c->customer), customer) != 0 ||
	    copy_text(c->coupon, sizeof(c->coupon), coupon) != 0) {
		*ret_why = "customer or coupon is too long";
		return -EINVAL;
	}
	c->n_lines = (int)json_array_size(lines);
	if (c->n_lines < 1 || json_array_size(lines) > CART_LINES_MAX) {
		*ret_why = "a cart has 1 to 50 lines";
		return -EINVAL;
	}
	for (int i = 0; i < c->n_lines; i++)
		if (parse_line(&c->lines[i], json_array_get(lines, (size_t)i), catalog, ret_why) !=
		    0)
			return -EINVAL;
	return 0;
}

int cart_parse(struct cart *ret, const char *json, size_t len, const struct catalog *catalog,
	       const char **ret_why)
{
	json_t *tree = json_loadb(json, len, 0, NULL);
	int r;

	*ret_why = "the body is not JSON";
	if (!tree)
		return -EINVAL;
	r = parse_tree(ret, tree, catalog, ret_why);
	json_decref(tree);
	return r;
}

char *cart_key(const struct cart *c)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fprintf(f, "%s|%s", c->customer, c->coupon);
	for (int i = 0; i < c->n_lines; i++)
		fprintf(f, "|%dx%d", c->lines[i].book, c->lines[i].quantity);
	fclose(f);
	return text;
}

static bool applies(const struct rule *rule, const struct book *book, int quantity,
		    const char *coupon)
{
	return (rule->category == CATALOG_ANY || rule->category == book->category) &&
	       quantity >= rule->min_quantity &&
	       (!rule->coupon || strcmp(rule->coupon, coupon) == 0);
}

static long long discount(const struct rule *rule, long long price, long long quantity)
{
	long long full = price * quantity, cents;

	switch (rule->kind) {
	case RULE_PERCENT:
		cents = full * rule->value / 100;
		break;
	case RULE_AMOUNT:
		cents = rule->value * quantity;
		break;
	default:
		cents = quantity / rule->min_quantity * rule->value * price;
	}
	return cents < full ? cents : full;
}

/* The rule with the largest discount wins; among equals the one that comes first. */
static long long best_discount(const struct cart *cart, const struct cart_line *line,
			       const struct book *book, const struct rule_set *rules, int *ret_rule)
{
	long long best = 0;
	size_t n;
	const struct rule *list = rules_list(rules, &n);

	*ret_rule = 0;
	for (size_t i = 0; i < n; i++) {
		long long cents;

		if (!applies(&list[i], book, line->quantity, cart->coupon))
			continue;
		cents = discount(&list[i], book->price_cents, line->quantity);
		if (cents > best) {
			best = cents;
			*ret_rule = list[i].id;
		}
	}
	return best;
}

static json_t *quote_line(const struct cart *cart, const struct cart_line *line,
			  const struct catalog *catalog, const struct rule_set *rules,
			  long long *total)
{
	const struct book *book = catalog_book(catalog, line->book);
	long long full = (long long)book->price_cents * line->quantity;
	int rule;
	long long off = best_discount(cart, line, book, rules, &rule);

	*total += full - off;
	return json_pack("{s:i, s:i, s:i, s:I, s:i, s:I}", "book", line->book, "quantity",
			 line->quantity, "unitCents", book->price_cents, "discountCents",
			 (json_int_t)off, "rule", rule, "totalCents", (json_int_t)(full - off));
}

char *pricing_quote(const struct cart *cart, const struct catalog *catalog,
		    const struct rule_set *rules)
{
	json_t *lines = json_array(), *quote;
	long long total = 0;
	char *text;

	for (int i = 0; i < cart->n_lines; i++)
		json_array_append_new(lines,
				      quote_line(cart, &cart->lines[i], catalog, rules, &total));
	quote = json_pack("{s:s, s:s?, s:o, s:I}", "customer", cart->customer, "coupon",
			  cart->coupon[0] ? cart->coupon : NULL, "lines", lines, "totalCents",
			  (json_int_t)total);
	text = quote ? json_dumps(quote, JSON_COMPACT) : NULL;
	json_decref(quote);
	return text;
}
