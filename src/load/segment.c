#include "load/segment.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"

#define DIGITS_MAX 6
#define CUTS_MAX   1024

struct ratio {
	uint64_t n, d;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int wrong(const char *what, struct str text, struct error *reterr)
{
	return error_set(reterr, -EINVAL,
			 "%s: \"%.*s\" is no part of 0 to 1; write 1/4, 25%% or 0.25", what,
			 STR_FMT(text));
}

/* "0.25" as 25/100. */
static int parse_decimal(struct str text, struct ratio *ret)
{
	size_t dot = str_find(text, '.'), digits = dot < text.len ? text.len - dot - 1 : 0;
	uint64_t whole, rest = 0;
	int r = num_parse_u64((struct str){ text.ptr, dot }, &whole);

	if (r < 0 || digits > DIGITS_MAX || whole > LOAD_SEGMENT_PERIOD_MAX)
		return -EINVAL;
	if (digits && num_parse_u64((struct str){ text.ptr + dot + 1, digits }, &rest) < 0)
		return -EINVAL;
	ret->d = 1;
	while (digits--)
		ret->d *= 10;
	ret->n = whole * ret->d + rest;
	return 0;
}

static int parse_ratio(const char *what, struct str text, struct ratio *ret, struct error *reterr)
{
	size_t slash = str_find(text, '/');
	struct str number = text;
	uint64_t common;
	int r;

	if (slash < text.len) {
		r = num_parse_u64((struct str){ text.ptr, slash }, &ret->n);
		if (r == 0)
			r = num_parse_u64(
				(struct str){ text.ptr + slash + 1, text.len - slash - 1 },
				&ret->d);
	} else {
		if (str_ends_with(text, STR("%")))
			number.len--;
		r = parse_decimal(number, ret);
		if (r == 0 && number.len < text.len)
			ret->d *= 100;
	}
	if (r < 0 || !ret->d || ret->n > ret->d || ret->d > LOAD_SEGMENT_PERIOD_MAX * 100)
		return wrong(what, text, reterr);
	common = gcd(ret->n, ret->d);
	ret->n /= common;
	ret->d /= common;
	return 0;
}

/* ---- the cuts ---- */

struct cuts {
	VEC(struct ratio) list;
};

static int add_cut(struct cuts *c, struct ratio cut, const char *sequence, struct error *reterr)
{
	struct ratio *last = c->list.len ? &vec_last(&c->list) : NULL;

	if (c->list.len == CUTS_MAX)
		return error_set(reterr, -EINVAL, "executionSegmentSequence: more than %d cuts",
				 CUTS_MAX);
	if (last && last->n * cut.d >= cut.n * last->d)
		return error_set(
			reterr, -EINVAL,
			"executionSegmentSequence %s: each cut must be above the one before",
			sequence);
	vec_push(&c->list, cut);
	return 0;
}

static int parse_sequence(const char *text, struct cuts *ret, struct error *reterr)
{
	struct str rest = str_from(text), part;

	while (str_split(&rest, ',', &part)) {
		struct ratio cut;

		if (parse_ratio("executionSegmentSequence", str_trim(part), &cut, reterr) < 0 ||
		    add_cut(ret, cut, text, reterr) < 0)
			return -EINVAL;
	}
	return 0;
}

static bool same(struct ratio a, struct ratio b)
{
	return a.n == b.n && a.d == b.d;
}

/* 0, the segment's ends, 1: each once. */
static void default_sequence(struct ratio from, struct ratio to, struct cuts *ret)
{
	const struct ratio zero = { 0, 1 }, one = { 1, 1 };

	if (!same(from, zero))
		vec_push(&ret->list, zero);
	vec_push(&ret->list, from);
	vec_push(&ret->list, to);
	if (!same(to, one))
		vec_push(&ret->list, one);
}

/* The number of the part that begins at from and ends at to; -1. */
static int find_part(const struct cuts *c, struct ratio from, struct ratio to)
{
	for (size_t i = 0; i + 1 < c->list.len; i++)
		if (same(c->list.ptr[i], from) && same(c->list.ptr[i + 1], to))
			return (int)i;
	return -1;
}

/* ---- dealing ---- */

struct part {
	size_t place; /* in the sequence */
	uint64_t width, got;
};

static int larger_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->width != y->width)
		return x->width > y->width ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int find_period(const struct cuts *c, uint64_t *ret, struct error *reterr)
{
	uint64_t period = 1;

	vec_for_each (&c->list, cut) {
		period *= cut->d / gcd(period, cut->d);
		if (period > LOAD_SEGMENT_PERIOD_MAX)
			return error_set(
				reterr, -EINVAL,
				"the execution segments have no common denominator up to %d",
				LOAD_SEGMENT_PERIOD_MAX);
	}
	*ret = period;
	return 0;
}

static void deal(const struct cuts *c, size_t mine, struct load_segment *ret)
{
	size_t n = c->list.len - 1;
	struct part *parts = xcalloc(n, sizeof(*parts));

	for (size_t i = 0; i < n; i++) {
		const struct ratio *a = &c->list.ptr[i], *b = &c->list.ptr[i + 1];

		parts[i].place = i;
		parts[i].width = ret->period / b->d * b->n - ret->period / a->d * a->n;
	}
	qsort(parts, n, sizeof(*parts), larger_first);
	for (uint64_t i = 0; i < ret->period; i++) {
		struct part *p = parts;

		while (p < parts + n && p->got * ret->period > i * p->width)
			p++;
		if (p == parts + n)
			continue;
		p->got++;
		if (p->place == mine)
			vec_push(&ret->offsets, i);
	}
	free(parts);
}

static int check_ends(const struct cuts *c, const char *sequence, struct error *reterr)
{
	const struct ratio zero = { 0, 1 }, one = { 1, 1 };

	if (c->list.len < 2 || !same(c->list.ptr[0], zero) || !same(vec_last(&c->list), one))
		return error_set(reterr, -EINVAL,
				 "executionSegmentSequence %s: it must go from 0 to 1", sequence);
	return 0;
}

/* "a:b", or "b" from 0. */
static int parse_ends(const char *segment, struct ratio *from, struct ratio *to,
		      struct error *reterr)
{
	struct str rest = str_from(segment), part;
	int r = 0;

	str_split(&rest, ':', &part);
	if (rest.ptr) {
		r = parse_ratio("executionSegment", str_trim(part), from, reterr);
		part = rest;
	}
	if (r == 0)
		r = parse_ratio("executionSegment", str_trim(part), to, reterr);
	if (r == 0 && from->n * to->d >= to->n * from->d)
		r = error_set(reterr, -EINVAL, "executionSegment %s: it ends before it begins",
			      segment);
	return r;
}

int load_segment_parse(const char *segment, const char *sequence, struct load_segment *ret,
		       struct error *reterr)
{
	struct cuts cuts = { .list = VEC_INIT };
	struct ratio from = { 0, 1 }, to = { 1, 1 };
	int r = parse_ends(segment, &from, &to, reterr), mine;

	if (r == 0 && !sequence)
		default_sequence(from, to, &cuts);
	else if (r == 0)
		r = parse_sequence(sequence, &cuts, reterr);
	if (r == 0)
		r = check_ends(&cuts, sequence, reterr);
	mine = r == 0 ? find_part(&cuts, from, to) : -1;
	if (r == 0 && mine < 0)
		r = error_set(reterr, -EINVAL,
			      "executionSegment %s is no part of executionSegmentSequence %s",
			      segment, sequence);
	if (r == 0)
		r = find_period(&cuts, &ret->period, reterr);
	if (r == 0)
		deal(&cuts, (size_t)mine, ret);
	vec_release(&cuts.list);
	return r;
}

void load_segment_release(struct load_segment *s)
{
	vec_release(&s->offsets);
}

uint64_t load_segment_share(const struct load_segment *s, uint64_t total)
{
	uint64_t n, rest;

	if (!s || !s->period)
		return total;
	n = total / s->period * s->offsets.len;
	rest = total % s->period;
	vec_for_each (&s->offsets, o)
		n += *o < rest;
	return n;
}

uint64_t load_segment_number(const struct load_segment *s, uint64_t k)
{
	if (!s || !s->period || !s->offsets.len)
		return k;
	return k / s->offsets.len * s->period + s->offsets.ptr[k % s->offsets.len];
}
