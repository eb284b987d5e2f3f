#include "analyze/compare.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/fmt.h"
#include "model/meta.h"
#include "stats/quantile.h"

/* The percentile a figure is, or 0. */
static double quantile_of(enum figure which)
{
	switch (which) {
	case FIGURE_P50:
		return 0.5;
	case FIGURE_P95:
		return 0.95;
	case FIGURE_P99:
		return 0.99;
	default:
		return 0;
	}
}

static struct compare_side make_side(const struct figures *f, enum figure which)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct compare_side side = { f->value[which], NAN, NAN, NULL };
	double q = quantile_of(which);
	uint64_t low, high;

	if (q > 0 && f->samples > 1 && quantile_rank_interval(f->samples, q, 0.95, &low, &high)) {
		side.low = hist_quantile(f->latency, (double)low / (double)(f->samples - 1));
		side.high = hist_quantile(f->latency, (double)high / (double)(f->samples - 1));
	}
	fmt_figure(&sb, figure_defs[which].unit, side.value);
	side.text = strbuf_detach(&sb);
	return side;
}

static const char *note_of(const struct compare_row *row)
{
	if (quantile_of(row->figure) <= 0 || !figure_known(row->ratio))
		return "";
	if (!figure_known(row->a.low) || !figure_known(row->b.low))
		return "n too small";
	return row->a.low > row->b.high || row->b.low > row->a.high ? "beyond sampling error"
								    : "within sampling error";
}

static void add_row(struct comparison *c, enum figure which)
{
	struct compare_row row = { .figure = which, .ratio = NAN };
	CLEANUP(strbuf_release) struct strbuf change = STRBUF_INIT;

	if (!figure_known(c->a->value[which]) && !figure_known(c->b->value[which]))
		return;
	row.a = make_side(c->a, which);
	row.b = make_side(c->b, which);
	if (row.a.value > 0 && row.b.value >= 0 && which != FIGURE_MEMORY_GROWTH) {
		row.ratio = row.b.value / row.a.value;
		fmt_change(&change, row.ratio);
	}
	row.change = strbuf_detach(&change);
	row.note = xstrdup(note_of(&row));
	c->rows[c->n_rows++] = row;
}

/* Two variants of one case: what differs in the environment is what is compared. */
static bool same_case(const struct comparison *c)
{
	const char *a = figures_fact(c->a, META_CASE), *b = figures_fact(c->b, META_CASE);

	return a && b && !strcmp(a, b) && strcmp(c->a->variant, c->b->variant) != 0;
}

static void add_headline(struct comparison *c)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	vec_for_each (&c->checks, check)
		if (!check->ok)
			strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", check->name);
	if (c->fair)
		c->headline =
			xasprintf("A fair comparison: all %zu checks are equal. One run each, so "
				  "the noise between runs is not known.",
				  c->checks.len);
	else
		c->headline = xasprintf("Not a fair comparison: %s.",
					sb.len ? strbuf_cstr(&sb) : "nothing to compare");
}

struct comparison *compare_runs(const struct run *a, const struct run *b, const char *const *varies,
				size_t n_varies)
{
	struct comparison *c = xcalloc(1, sizeof(*c));
	struct figures *both[2];

	both[0] = c->a = figures_new(a, NULL);
	both[1] = c->b = figures_new(b, NULL);
	fair_compare(&c->checks, both, 2,
		     &(struct fair_opts){ varies, n_varies, .any_env = same_case(c) });
	for (size_t i = 0; i < 2; i++)
		if (!figures_complete(both[i])) {
			CLEANUP(strbuf_release) struct strbuf detail = STRBUF_INIT;

			fair_name_run(&detail, both[i]);
			strbuf_addf(&detail, ": %s",
				    both[i]->status ? both[i]->status : "cut off before its end");
			fair_add(&c->checks, "complete", false, strbuf_detach(&detail));
		}
	c->fair = c->checks.len && fair_all_ok(&c->checks);
	add_headline(c);
	for (size_t i = 0; i < N_FIGURES; i++)
		if (i != FIGURE_SLO)
			add_row(c, (enum figure)i);
	return c;
}

struct comparison *comparison_free(struct comparison *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->n_rows; i++) {
		free(c->rows[i].a.text);
		free(c->rows[i].b.text);
		free(c->rows[i].change);
		free(c->rows[i].note);
	}
	fair_release(&c->checks);
	figures_free(c->a);
	figures_free(c->b);
	free(c->headline);
	free(c);
	return NULL;
}
