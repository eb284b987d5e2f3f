/*
 * The text of a rule (members, their order and the draws behind them are fixed; README.md has all):
 *
 *	{"kind":"MultiBuy","category":"cooking","coupon":"SPRING-05","min":9,"value":3}
 *
 * The parser is jansson: it makes a tree with a hash table and some 15 allocations per rule, which
 * is what such code does in the wild. cJSON needs a quarter of the time and would tell the same
 * story at a higher rate. Coupons stay in the tree, so the tree lives as long as its set.
 */
#include "rules.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "coupon.h"
#include "rng.h"

#define RULES_SEED 1902

struct rule_set {
	struct reclaim_item item;
	json_t *tree;
	size_t n;
	struct rule rules[];
};

static const char *const kind_names[RULE_KINDS] = { "Percent", "Amount", "MultiBuy" };

/* What is drawn for one rule, always all of it and always in this order. */
struct draw {
	int kind, category, needs_coupon, coupon_word, coupon_number, min_quantity, value;
};

static struct draw draw_rule(struct rng *rng)
{
	struct draw d;

	d.kind = rng_below(rng, RULE_KINDS);
	d.category = rng_below(rng, CATALOG_CATEGORIES + 1);
	d.needs_coupon = rng_below(rng, 4) == 0;
	d.coupon_word = rng_below(rng, COUPON_WORDS);
	d.coupon_number = rng_below(rng, COUPON_NUMBERS);
	d.min_quantity = 1 + rng_below(rng, 5);
	if (d.kind == RULE_MULTI_BUY)
		d.min_quantity += 4;

	switch (d.kind) {
	case RULE_PERCENT:
		d.value = 1 + rng_below(rng, 4 * d.min_quantity) + (d.needs_coupon ? 5 : 0);
		break;
	case RULE_AMOUNT:
		d.value =
			10 + 10 * rng_below(rng, 10 * d.min_quantity) + (d.needs_coupon ? 100 : 0);
		break;
	default:
		d.value = 1 + rng_below(rng, 2) + (d.needs_coupon ? 1 : 0);
	}
	return d;
}

static void write_rule(FILE *f, const struct draw *d)
{
	fprintf(f, "{\"kind\":\"%s\",\"category\":\"%s\",", kind_names[d->kind],
		catalog_category_name(d->category));
	if (d->needs_coupon) {
		fputs("\"coupon\":\"", f);
		coupon_write(f, d->coupon_word, d->coupon_number);
		fputs("\",", f);
	}
	fprintf(f, "\"min\":%d,\"value\":%d}", d->min_quantity, d->value);
}

char *rules_text_new(int n, size_t *ret_len)
{
	struct rng rng = { .state = RULES_SEED };
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	if (!f)
		return NULL;

	fputc('[', f);
	for (int i = 0; i < n; i++) {
		struct draw d = draw_rule(&rng);

		if (i > 0)
			fputc(',', f);
		write_rule(f, &d);
	}
	fputc(']', f);

	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int kind_find(const char *name)
{
	for (int i = 0; i < RULE_KINDS; i++) {
		if (strcmp(kind_names[i], name) == 0)
			return i;
	}
	return -1;
}

static int int_member(int *ret, const json_t *obj, const char *key)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > INT_MAX)
		return -EINVAL;
	*ret = (int)json_integer_value(v);
	return 0;
}

static int rule_from_json(struct rule *rule, const json_t *obj)
{
	const char *kind = json_string_value(json_object_get(obj, "kind"));
	const char *category = json_string_value(json_object_get(obj, "category"));
	int k = kind ? kind_find(kind) : -1;
	int c = category ? catalog_category_find(category) : -1;

	if (k < 0 || c < 0 || int_member(&rule->min_quantity, obj, "min") != 0 ||
	    int_member(&rule->value, obj, "value") != 0 || rule->min_quantity == 0)
		return -EINVAL;

	rule->kind = (enum rule_kind)k;
	rule->category = c;
	rule->coupon = json_string_value(json_object_get(obj, "coupon"));
	return 0;
}

int rules_parse(struct rule_set **ret, const char *text, size_t len)
{
	json_t *tree = json_loadb(text, len, 0, NULL);
	struct rule_set *s;

	if (!json_is_array(tree)) {
		json_decref(tree);
		return -EINVAL;
	}

	s = calloc(1, sizeof(*s) + json_array_size(tree) * sizeof(s->rules[0]));
	if (!s) {
		json_decref(tree);
		return -ENOMEM;
	}
	s->tree = tree;
	s->n = json_array_size(tree);

	for (size_t i = 0; i < s->n; i++) {
		if (rule_from_json(&s->rules[i], json_array_get(tree, i)) != 0) {
			rules_free(s);
			return -EINVAL;
		}
	}

	*ret = s;
	return 0;
}

const struct rule *rules_list(const struct rule_set *s, size_t *ret_n)
{
	*ret_n = s->n;
	return s->rules;
}

void rules_free(struct rule_set *s)
{
	if (!s)
		return;
	json_decref(s->tree);
	free(s);
}

static void reclaim_rules(struct reclaim_item *item)
{
	/* The item is the set's first member. */
	rules_free((struct rule_set *)item);
}

void rules_retire(struct rule_set *s, struct reclaim *r)
{
	reclaim_retire(r, &s->item, reclaim_rules);
}
