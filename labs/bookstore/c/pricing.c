#include "pricing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool rule_matches(const struct rule *r, int category, int quantity, const char *coupon)
{
	if (r->category != category && r->category != CATALOG_ANY)
		return false;
	if (quantity < r->min_quantity)
		return false;
	return !r->coupon || strcmp(r->coupon, coupon) == 0;
}

static int rule_discount_cents(const struct rule *r, const struct quote_line *line)
{
	switch (r->kind) {
	case RULE_PERCENT:
		return line->gross_cents * r->value / 100;
	case RULE_AMOUNT:
		return line->quantity * r->value;
	default:
		return line->quantity / r->min_quantity * r->value * line->unit_cents;
	}
}

static void price_line(struct quote_line *line, int category, const char *coupon,
		       const struct rule_set *set)
{
	size_t n;
	const struct rule *rules = rules_list(set, &n);
	int limit_cents = line->gross_cents / 2;

	for (size_t i = 0; i < n; i++) {
		int cents;

		if (!rule_matches(&rules[i], category, line->quantity, coupon))
			continue;

		cents = rule_discount_cents(&rules[i], line);
		if (cents > limit_cents)
			cents = limit_cents;
		if (cents > line->discount_cents) {
			line->discount_cents = cents;
			line->rule = (int)i + 1;
		}
	}
}

void pricing_quote(struct quote *ret, const struct cart *cart, const struct catalog *catalog,
		   const struct rule_set *rules)
{
	*ret = (struct quote){ .n_lines = cart->n_lines };
	memcpy(ret->customer, cart->customer, sizeof(ret->customer));
	memcpy(ret->coupon, cart->coupon, sizeof(ret->coupon));

	for (int i = 0; i < cart->n_lines; i++) {
		const struct book *book = catalog_book(catalog, cart->lines[i].book);
		struct quote_line *line = &ret->lines[i];

		line->book = cart->lines[i].book;
		line->quantity = cart->lines[i].quantity;
		line->unit_cents = book->price_cents;
		line->gross_cents = line->quantity * line->unit_cents;
		price_line(line, book->category, cart->coupon, rules);

		ret->gross_cents += line->gross_cents;
		ret->discount_cents += line->discount_cents;
	}
}

static void write_line(FILE *f, const struct quote_line *l)
{
	fprintf(f,
		"{\"book\":%d,\"quantity\":%d,\"unitCents\":%d,\"grossCents\":%d,"
		"\"discountCents\":%d,\"rule\":",
		l->book, l->quantity, l->unit_cents, l->gross_cents, l->discount_cents);
	if (l->rule > 0)
		fprintf(f, "%d}", l->rule);
	else
		fputs("null}", f);
}

char *pricing_quote_write(const struct quote *q, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	if (!f)
		return NULL;

	fprintf(f, "{\"customer\":\"%s\",\"coupon\":", q->customer);
	if (q->coupon[0])
		fprintf(f, "\"%s\"", q->coupon);
	else
		fputs("null", f);
	fputs(",\"lines\":[", f);
	for (int i = 0; i < q->n_lines; i++) {
		if (i > 0)
			fputc(',', f);
		write_line(f, &q->lines[i]);
	}
	fprintf(f, "],\"grossCents\":%d,\"discountCents\":%d,\"totalCents\":%d}", q->gross_cents,
		q->discount_cents, q->gross_cents - q->discount_cents);

	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
