/*
 * coupon - the codes on sale: ten words with five numbers each, "SPRING-05" to "CLASSIC-25".
 */
#ifndef BOOKSTORE_COUPON_H
#define BOOKSTORE_COUPON_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#define COUPON_WORDS   10
#define COUPON_NUMBERS 5
#define COUPON_LEN_MAX 15

/* Writes one code; word and number are indices from 0. */
void coupon_write(FILE *f, int word, int number);

/* A compiled pattern; coupon_pattern_match() may be called from any number of threads. */
struct coupon_pattern {
	regex_t regex;
};

/* 0 or -ENOMEM. Costs some 0.2 ms: meant to be done once. */
int coupon_pattern_init(struct coupon_pattern *p);

bool coupon_pattern_match(const struct coupon_pattern *p, const char *code);

void coupon_pattern_release(struct coupon_pattern *p);

#endif
