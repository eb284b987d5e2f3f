/*
 * rules - the campaign rules: written once as JSON text, parsed from it into a rule set.
 *
 * The text is what a configuration store would hand to the service. Parsing it costs milliseconds;
 * whether it is parsed once or on every request is the root cause the lab is about.
 */
#ifndef BOOKSTORE_RULES_H
#define BOOKSTORE_RULES_H

#include <stddef.h>

#include "reclaim.h"

#define RULES_MIN     500
#define RULES_MAX     4000
#define RULES_DEFAULT 2000

enum rule_kind { RULE_PERCENT, RULE_AMOUNT, RULE_MULTI_BUY, RULE_KINDS };

struct rule {
	const char *coupon; /* owned by the rule set; NULL: no coupon needed */
	enum rule_kind kind;
	int category; /* CATALOG_ANY matches every book */
	int min_quantity;
	int value; /* per cent, cents a copy, or free copies in every min_quantity */
};

struct rule_set;

/* JSON text of the first n rules; malloc'ed, the caller frees. NULL: out of memory. */
char *rules_text_new(int n, size_t *ret_len);

/* 0, -EINVAL when the text is no list of rules, -ENOMEM. The caller owns *ret. */
int rules_parse(struct rule_set **ret, const char *text, size_t len);

const struct rule *rules_list(const struct rule_set *s, size_t *ret_n);

void rules_free(struct rule_set *s);

/* As rules_free(), but later and on the reclaimer's thread. */
void rules_retire(struct rule_set *s, struct reclaim *r);

#endif
