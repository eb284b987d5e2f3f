/*
 * The grammar is small enough for a scanner by hand: an aggregate up to the first character of an
 * operator, the operator, a number. k6 says what is in it in its documentation, "Thresholds"; that
 * a Trend's count is refused though summaryTrendStats has it was observed.
 */
#include "load/threshold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static const struct operator_text {
	const char *text;
	enum load_op op;
} operators[] = {
	/* the longer ones first */
	{ "===", LOAD_EQ }, { "==", LOAD_EQ }, { "!=", LOAD_NE }, { "<=", LOAD_LE },
	{ ">=", LOAD_GE },  { "<", LOAD_LT },  { ">", LOAD_GT },
};

static const char *const aggregates[] = { "count", "rate", "value", "avg", "min", "max", "med" };

/* at is the offset of what cannot be read. */
static int malformed(struct str text, size_t at, const char *what, struct error *reterr)
{
	return error_set(reterr, -EINVAL,
			 "the threshold '%.*s' cannot be read at character %zu: expected %s; it is "
			 "aggregate, operator and number, as in p(95)<500",
			 (int)MIN(text.len, (size_t)80), text.ptr, at + 1, what);
}

static size_t skip_blanks(struct str text, size_t at)
{
	while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
		at++;
	return at;
}

/* Blanks inside a percentile's parentheses are dropped. */
static int read_aggregate(struct str text, struct load_expr *e)
{
	bool inside = false;
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		inside = inside || text.ptr[i] == '(';
		if (inside && (text.ptr[i] == ' ' || text.ptr[i] == '\t'))
			continue;
		if (n + 1 >= sizeof(e->aggregate) || !text.ptr[i])
			return -EINVAL;
		e->aggregate[n++] = text.ptr[i];
	}
	e->aggregate[n] = '\0';
	e->percentile = load_aggregate_quantile((struct str){ e->aggregate, n }, &e->q) == 0;
	if (e->percentile)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(aggregates); i++)
		if (!strcmp(e->aggregate, aggregates[i]))
			return 0;
	return -EINVAL;
}

static const struct operator_text *find_operator(struct str text)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (str_starts_with(text, str_from(operators[i].text)))
			return &operators[i];
	return NULL;
}

int load_expr_parse(struct str text, struct load_expr *ret, struct error *reterr)
{
	const struct operator_text *op;
	struct load_expr e = { 0 };
	struct str number;
	size_t at = 0;

	while (at < text.len && !strchr("<>=!", text.ptr[at]) && text.ptr[at])
		at++;
	if (read_aggregate(str_trim((struct str){ text.ptr, at }), &e) < 0)
		return malformed(text, skip_blanks(text, 0),
				 "one of count, rate, value, avg, min, max, med and p(N) with N "
				 "from 0 to 100",
				 reterr);
	op = find_operator((struct str){ text.ptr + at, text.len - at });
	if (!op)
		return malformed(text, at, "one of <, <=, >, >=, ==, ===, !=", reterr);
	e.op = op->op;
	at = skip_blanks(text, at + strlen(op->text));
	number = str_trim((struct str){ text.ptr + at, text.len - at });
	if (num_parse_double(number, &e.limit) < 0)
		return malformed(text, at, "a number", reterr);
	*ret = e;
	return 0;
}

int load_expr_check(const struct load_expr *e, enum load_metric_type type, struct error *reterr)
{
	static const char *const allowed[][7] = {
		[LOAD_COUNTER] = { "count", "rate" },
		[LOAD_GAUGE] = { "value" },
		[LOAD_RATE] = { "rate" },
		[LOAD_TREND] = { "avg", "min", "max", "med" },
	};
	static const char *const names[] = {
		[LOAD_COUNTER] = "count and rate",
		[LOAD_GAUGE] = "value",
		[LOAD_RATE] = "rate",
		[LOAD_TREND] = "avg, min, max, med and p(N)",
	};

	if (e->percentile && type == LOAD_TREND)
		return 0;
	for (const char *const *a = allowed[type]; *a; a++)
		if (!strcmp(*a, e->aggregate))
			return 0;
	return error_set(reterr, -EINVAL, "a threshold on a %s cannot use '%s': it has %s",
			 load_metric_type_name(type), e->aggregate, names[type]);
}

bool load_expr_holds(const struct load_expr *e, double value)
{
	switch (e->op) {
	case LOAD_LT:
		return value < e->limit;
	case LOAD_LE:
		return value <= e->limit;
	case LOAD_GT:
		return value > e->limit;
	case LOAD_GE:
		return value >= e->limit;
	case LOAD_EQ:
		return value == e->limit;
	case LOAD_NE:
		return value != e->limit;
	}
	return false;
}

static int resolve(struct load_metrics *metrics, struct load_threshold *t, struct error *reterr)
{
	struct str key = str_from(t->key);
	int err;

	if (str_find(key, '{') == key.len)
		return load_metrics_lookup(metrics, key, &t->metric, reterr);
	err = load_metrics_add_submetric(metrics, key, &t->submetric, reterr);
	if (err == 0)
		t->metric = t->submetric->metric;
	return err;
}

static int add_threshold(struct load_thresholds *list, struct load_metrics *metrics,
			 const struct load_plan_threshold *from, struct error *reterr)
{
	struct load_threshold t = {
		.key = from->metric,
		.source = from->expression,
		.abort_on_fail = from->abort_on_fail,
		.delay_abort_eval_ns = from->delay_abort_eval_ns,
		.ok = true,
	};
	int err = resolve(metrics, &t, reterr);

	if (err == 0)
		err = load_expr_parse(str_from(t.source), &t.expr, reterr);
	if (err == 0)
		err = load_expr_check(&t.expr, t.metric->type, reterr);
	if (err < 0)
		return error_wrap(reterr, "threshold on '%.100s'", t.key), err;
	vec_push(&list->list, t);
	return 0;
}

int load_thresholds_new(const struct load_plan *plan, struct load_metrics *metrics,
			struct load_thresholds **ret, struct error *reterr)
{
	struct load_thresholds *t = xcalloc(1, sizeof(*t));

	t->plan = plan;
	if (plan->no_thresholds) {
		*ret = t;
		return 0;
	}
	vec_for_each (&plan->thresholds, from) {
		int err = add_threshold(t, metrics, from, reterr);

		if (err < 0) {
			load_thresholds_free(t);
			return err;
		}
	}
	*ret = t;
	return 0;
}

void load_thresholds_free(struct load_thresholds *t)
{
	if (!t)
		return;
	vec_release(&t->list);
	free(t);
}

static void eval_one(struct load_threshold *t, const struct load_agg *agg, double seconds)
{
	const struct load_values *v = t->submetric ? load_agg_submetric(agg, t->submetric)
						   : load_agg_metric(agg, t->metric);

	t->value = 0;
	t->empty = !v->count;
	load_values_get(v, t->metric->type, str_from(t->expr.aggregate), seconds, &t->value);
	t->ok = t->empty || load_expr_holds(&t->expr, t->value);
}

bool load_thresholds_eval(struct load_thresholds *t, const struct load_agg *agg,
			  uint64_t elapsed_ns)
{
	bool abort_run = false;

	vec_for_each (&t->list, one) {
		eval_one(one, agg, (double)elapsed_ns / (double)NS_PER_S);
		if (!one->ok && one->abort_on_fail && elapsed_ns >= one->delay_abort_eval_ns)
			abort_run = true;
	}
	return abort_run;
}

size_t load_thresholds_failed(const struct load_thresholds *t)
{
	size_t n = 0;

	vec_for_each (&t->list, one)
		n += !one->ok;
	return n;
}

/* Was a threshold before this one, on the same key, named already? */
static bool named_before(const struct load_thresholds *t, const struct load_threshold *one)
{
	for (const struct load_threshold *p = t->list.ptr; p < one; p++)
		if (!p->ok && !strcmp(p->key, one->key))
			return true;
	return false;
}

void load_thresholds_fmt_failed(const struct load_thresholds *t, struct strbuf *out)
{
	bool first = true;

	if (!load_thresholds_failed(t))
		return;
	strbuf_addstr(out, "thresholds on metrics '");
	vec_for_each (&t->list, one) {
		if (one->ok || named_before(t, one))
			continue;
		strbuf_addf(out, "%s%s", first ? "" : ", ", one->key);
		first = false;
	}
	strbuf_addstr(out, "' have been crossed");
}

bool load_thresholds_on(const struct load_thresholds *t, const struct load_metric *m)
{
	vec_for_each (&t->list, one)
		if (one->metric == m)
			return true;
	return false;
}
