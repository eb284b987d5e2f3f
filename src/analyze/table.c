#include "analyze/case_internal.h"
#include "analyze/fmt.h"

/* The text of a cell from pooled figures, or (brief) of one run beside others. */
typedef void cell_fn(struct strbuf *sb, const double *values, bool brief);

static void add_achieved(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	fmt_figure(sb, UNIT_PER_S, v[FIGURE_ACHIEVED]);
	if (v[FIGURE_DROPPED] > 0) {
		strbuf_addstr(sb, ", ");
		fmt_share(sb, v[FIGURE_DROPPED]);
		strbuf_addstr(sb, " dropped");
	}
}

static void add_percentiles(struct strbuf *sb, const double *v, bool brief)
{
	fmt_ms(sb, v[FIGURE_P50]);
	strbuf_addstr(sb, " / ");
	fmt_ms(sb, v[FIGURE_P95]);
	strbuf_addstr(sb, " / ");
	fmt_ms(sb, v[FIGURE_P99]);
	if (figure_known(v[FIGURE_P99]) && !brief)
		strbuf_addstr(sb, " ms");
}

/* "106 MiB, grows 23.4 MiB/min"; flat is less than 1 % of it a minute. */
static void add_memory(struct strbuf *sb, const double *v, bool brief)
{
	double growth = v[FIGURE_MEMORY_GROWTH], end = v[FIGURE_MEMORY_END];

	fmt_figure(sb, UNIT_BYTES, end);
	if (!figure_known(growth) || brief)
		return;
	if (case_memory_flat(growth, end)) {
		strbuf_addstr(sb, ", flat");
		return;
	}
	strbuf_addstr(sb, growth > 0 ? ", grows " : ", shrinks ");
	fmt_figure(sb, UNIT_BYTES, fabs(growth));
	strbuf_addstr(sb, "/min");
}

static void add_one(struct strbuf *sb, const double *v, enum figure which)
{
	fmt_figure(sb, figure_defs[which].unit, v[which]);
}

static void add_server_p99(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_SERVER_P99);
}

static void add_cpu(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_CPU_CORES);
}

static void add_cpu_per_request(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_CPU_PER_REQUEST);
}

static void add_throttled(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_THROTTLED);
}

static void add_failed(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_FAILED);
}

static void add_cache(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_CACHE_HIT);
}

static void add_allocation(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_ALLOCATION);
}

static void add_pauses(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_GC_PAUSE);
}

static void add_heap(struct strbuf *sb, const double *v, bool brief UNUSED)
{
	add_one(sb, v, FIGURE_HEAP_START);
	strbuf_addstr(sb, " \xe2\x86\x92 ");
	add_one(sb, v, FIGURE_HEAP_END);
}

/* which: the figure whose spread is given; optional rows appear only where a run knows it. */
static const struct row {
	const char *label;
	cell_fn *add;
	enum figure which;
	bool optional;
} rows[] = {
	{ "achieved", add_achieved, FIGURE_ACHIEVED, false },
	{ "p50 / p95 / p99", add_percentiles, FIGURE_P99, false },
	{ "server's own p99", add_server_p99, FIGURE_SERVER_P99, false },
	{ "CPU", add_cpu, FIGURE_CPU_CORES, false },
	{ "CPU per request", add_cpu_per_request, FIGURE_CPU_PER_REQUEST, false },
	{ "throttled periods", add_throttled, FIGURE_THROTTLED, false },
	{ "memory at the end", add_memory, FIGURE_MEMORY_END, false },
	{ "failed requests", add_failed, FIGURE_FAILED, true },
	{ "allocation", add_allocation, FIGURE_ALLOCATION, true },
	{ "GC pauses", add_pauses, FIGURE_GC_PAUSE, true },
	{ "GC heap, start \xe2\x86\x92 end", add_heap, FIGURE_HEAP_END, true },
	{ "cache hits", add_cache, FIGURE_CACHE_HIT, true },
};

static void add_spread(struct strbuf *sb, const struct row *row, const struct spread *s)
{
	if (s->n < 2 || !(s->value > 0) || row->optional)
		return;
	strbuf_addf(sb, "; %sspread ", row->which == FIGURE_P99 ? "p99 " : "");
	fmt_share(sb, (s->high - s->low) / s->value);
}

static struct case_cell make_cell(const struct case_finding *f, const struct variant_finding *v,
				  const struct row *row)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT, runs = STRBUF_INIT;
	double pooled[N_FIGURES];
	size_t seen = 0;

	for (size_t i = 0; i < N_FIGURES; i++)
		pooled[i] = v->spread[i].value;
	row->add(&text, pooled, false);
	if (v->runs > 1)
		strbuf_addstr(&runs, "runs ");
	case_for_each_run (f, v, i) {
		if (v->runs < 2) /* it is the figure itself */
			break;
		strbuf_addstr(&runs, seen++ ? " \xc2\xb7 " : "");
		row->add(&runs, f->runs.ptr[i]->value, true);
	}
	add_spread(&runs, row, &v->spread[row->which]);
	return (struct case_cell){ strbuf_detach(&text), strbuf_detach(&runs) };
}

static char *make_label(const struct case_finding *f, const struct row *row)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	double rate = case_rate(f), cpus = case_limit_cpus(f);

	strbuf_addstr(&sb, row->label);
	if (row->which == FIGURE_ACHIEVED && figure_known(rate)) {
		strbuf_addstr(&sb, " of ");
		fmt_figure(&sb, UNIT_PER_S, rate);
	}
	if (row->which == FIGURE_CPU_CORES && figure_known(cpus))
		strbuf_addf(&sb, " of %.3g", cpus);
	return strbuf_detach(&sb);
}

/* An optional row is worth its place when a run knows the figure and it is not nought everywhere.
 */
static bool is_wanted(const struct case_finding *f, const struct row *row)
{
	if (!row->optional)
		return true;
	vec_for_each (&f->variants, v)
		if (v->spread[row->which].n &&
		    (v->spread[row->which].high > 0 || row->which == FIGURE_CACHE_HIT))
			return true;
	return false;
}

void case_fill_table(struct case_finding *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct case_row row = { 0 };

		if (!is_wanted(f, &rows[i]))
			continue;
		row.label = make_label(f, &rows[i]);
		row.before = make_cell(f, case_base(f), &rows[i]);
		if (case_has_fix(f))
			row.after = make_cell(f, case_fix(f), &rows[i]);
		if (f->goal.runs)
			row.goal = make_cell(f, &f->goal, &rows[i]);
		vec_push(&f->rows, row);
	}
}
