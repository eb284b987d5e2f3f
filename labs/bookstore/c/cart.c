#include "cart.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "catalog.h"

__attribute__((format(printf, 2, 3))) static int refuse(struct cart_fault *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

static bool whole_number(int *ret, const json_t *obj, const char *key, int max)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_integer(v) || json_integer_value(v) < 1 || json_integer_value(v) > max)
		return false;
	*ret = (int)json_integer_value(v);
	return true;
}

static int parse_customer(struct cart *cart, const json_t *customer, struct cart_fault *f)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const char *text = json_string_value(customer);
	size_t len = text ? strlen(text) : 0;

	if (len < 1 || len > CART_CUSTOMER_MAX || strspn(text, allowed) != len)
		return refuse(f, "customer must be 1 to %d of a-z, 0-9 and -", CART_CUSTOMER_MAX);
	memcpy(cart->customer, text, len + 1);
	return 0;
}

static int parse_line(struct cart *cart, int i, const json_t *line, struct cart_fault *f)
{
	struct cart_line *l = &cart->lines[i];

	if (!whole_number(&l->book, line, "book", CATALOG_BOOKS))
		return refuse(f, "lines[%d].book must be a whole number from 1 to %d", i,
			      CATALOG_BOOKS);
	if (!whole_number(&l->quantity, line, "quantity", CART_QUANTITY_MAX))
		return refuse(f, "lines[%d].quantity must be a whole number from 1 to %d", i,
			      CART_QUANTITY_MAX);
	return 0;
}

static int parse_lines(struct cart *cart, const json_t *lines, struct cart_fault *f)
{
	size_t n = json_array_size(lines);

	if (n < 1 || n > CART_LINES_MAX)
		return refuse(f, "lines must be a list of 1 to %d entries", CART_LINES_MAX);

	for (cart->n_lines = 0; cart->n_lines < (int)n; cart->n_lines++) {
		const json_t *line = json_array_get(lines, (size_t)cart->n_lines);
		int rc = parse_line(cart, cart->n_lines, line, f);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int parse_coupon(struct cart *cart, const json_t *coupon, const struct coupon_pattern *p,
			struct cart_fault *f)
{
	const char *code = json_string_value(coupon);

	cart->coupon[0] = '\0';
	if (!coupon || json_is_null(coupon))
		return 0;
	if (!code || strlen(code) > COUPON_LEN_MAX || !coupon_pattern_match(p, code))
		return refuse(f, "coupon must be a code on sale, such as SPRING-15");
	memcpy(cart->coupon, code, strlen(code) + 1);
	return 0;
}

static int cart_from_json(struct cart *cart, const json_t *root, const struct coupon_pattern *p,
			  struct cart_fault *f)
{
	int rc;

	if (!json_is_object(root))
		return refuse(f, "the body must be a JSON object");

	rc = parse_customer(cart, json_object_get(root, "customer"), f);
	if (rc != 0)
		return rc;
	rc = parse_lines(cart, json_object_get(root, "lines"), f);
	if (rc != 0)
		return rc;
	return parse_coupon(cart, json_object_get(root, "coupon"), p, f);
}

int cart_parse(struct cart *ret, const char *json, size_t len, const struct coupon_pattern *coupons,
	       struct cart_fault *ret_fault)
{
	struct cart cart = { 0 };
	json_error_t err;
	json_t *root = json_loadb(json, len, 0, &err);
	int rc;

	if (!root)
		return refuse(ret_fault, "the body is not JSON: %s (line %d, column %d)", err.text,
			      err.line, err.column);

	rc = cart_from_json(&cart, root, coupons, ret_fault);
	json_decref(root);
	if (rc == 0)
		*ret = cart;
	return rc;
}

void cart_key(const struct cart *cart, char ret_key[CART_KEY_MAX])
{
	int len = snprintf(ret_key, CART_KEY_MAX, "%s|%s", cart->customer, cart->coupon);

	for (int i = 0; i < cart->n_lines; i++)
		len += snprintf(ret_key + len, CART_KEY_MAX - (size_t)len, "|%dx%d",
				cart->lines[i].quantity, cart->lines[i].book);
}
