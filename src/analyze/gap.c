/*
 * Why the client's figure and the server's own differ: the server's clock starts when a worker
 * takes a request up, and what comes before (the queue, throttling, no CPU) only the client sees.
 */
#include "analyze/case_internal.h"
#include "analyze/fmt.h"

/* Two histograms with steps agree when they are this near. */
#define AGREEMENT 1.34

/* What makes requests wait before a worker takes them up. */
#define THROTTLED_MUCH 0.01
#define CPU_MUCH       0.9

/* Mean throttled share of the variant's seconds whose p99 is above the limit, and of the others. */
static bool split_throttling(const struct case_finding *f, const struct variant_finding *v,
			     double *ret_slow, double *ret_quick)
{
	double sum[2] = { 0 };
	size_t n[2] = { 0 };

	case_for_each_run (f, v, i)
		vec_for_each (&f->runs.ptr[i]->seconds, s) {
			bool slow = s->p99_ms > f->desc->slo.limit_ms;

			if (!figure_known(s->p99_ms) || !figure_known(s->throttled))
				continue;
			sum[slow] += s->throttled;
			n[slow]++;
		}
	if (n[0] < 3 || n[1] < 3)
		return false;
	*ret_quick = sum[0] / (double)n[0];
	*ret_slow = sum[1] / (double)n[1];
	return true;
}

static double cpu_share_of_limit(const struct case_finding *f, const struct variant_finding *v)
{
	return v->spread[FIGURE_CPU_CORES].value / case_limit_cpus(f);
}

enum gap {
	GAP_UNKNOWN,
	GAP_NONE,
	GAP_SERVER_LARGER,
	GAP_EXPLAINED,
	GAP_UNEXPLAINED,
};

static enum gap classify(const struct case_finding *f, const struct variant_finding *v)
{
	double client = v->spread[FIGURE_P99].value, server = v->spread[FIGURE_SERVER_P99].value;

	if (!figure_known(server) || !figure_known(client))
		return GAP_UNKNOWN;
	if (client / server < AGREEMENT && server / client < AGREEMENT)
		return GAP_NONE;
	if (client < server)
		return GAP_SERVER_LARGER;
	return v->spread[FIGURE_THROTTLED].value >= THROTTLED_MUCH ||
			       cpu_share_of_limit(f, v) >= CPU_MUCH || v->dropped > 0
		       ? GAP_EXPLAINED
		       : GAP_UNEXPLAINED;
}

/* ---- at length ---- */

/*
 * "84 % of the periods were throttled, CPU use averaged 100 % of the limit, …", all that is known
 * or only what explains; false for nothing.
 */
static bool add_waiting(struct strbuf *sb, const struct case_finding *f,
			const struct variant_finding *v, bool all)
{
	const struct spread *throttled = &v->spread[FIGURE_THROTTLED];
	double cpu = cpu_share_of_limit(f, v);
	const char *sep = "";

	if (throttled->n && (all || throttled->value >= THROTTLED_MUCH)) {
		fmt_share(sb, throttled->value);
		strbuf_addstr(sb, " of the periods were throttled");
		sep = ", ";
	}
	if (figure_known(cpu) && (all || cpu >= CPU_MUCH)) {
		strbuf_addf(sb, "%sCPU use averaged ", sep);
		fmt_share(sb, cpu);
		strbuf_addstr(sb, " of the limit");
		sep = ", ";
	}
	if (v->dropped) {
		strbuf_addstr(sb, sep);
		fmt_share(sb, v->spread[FIGURE_DROPPED].value);
		strbuf_addstr(sb, " of arrivals found every virtual user still waiting");
		sep = ", ";
	}
	return *sep;
}

static void explain(struct strbuf *sb, const struct case_finding *f,
		    const struct variant_finding *v)
{
	CLEANUP(strbuf_release) struct strbuf waiting = STRBUF_INIT;
	double slow, quick;

	strbuf_addstr(sb,
		      ". The server's clock starts when a worker takes a request up; before that "
		      "it waits, to be accepted, read and given CPU");
	if (add_waiting(&waiting, f, v, true))
		strbuf_addf(sb, ": %s", strbuf_cstr(&waiting));
	strbuf_addch(sb, '.');
	if (!split_throttling(f, v, &slow, &quick))
		return;
	strbuf_addstr(sb, " In the seconds whose p99 is above the limit ");
	fmt_share(sb, slow);
	strbuf_addstr(sb, " of the periods were throttled, in the others ");
	fmt_share(sb, quick);
	strbuf_addch(sb, '.');
}

static void add_both(struct strbuf *sb, const struct variant_finding *v)
{
	strbuf_addstr(sb, "For ");
	case_add_name(sb, v);
	strbuf_addstr(sb, " the client sees a p99 of ");
	fmt_figure(sb, UNIT_MS, v->spread[FIGURE_P99].value);
	strbuf_addstr(sb, ", the server ");
	fmt_figure(sb, UNIT_MS, v->spread[FIGURE_SERVER_P99].value);
}

enum question_state case_explain_gap(const struct case_finding *f, const struct variant_finding *v,
				     struct strbuf *sb)
{
	enum gap gap = classify(f, v);

	if (gap == GAP_UNKNOWN) {
		strbuf_addstr(sb, "The server's own latency histogram was not read: name its path "
				  "under target.metrics in the case file.");
		return QUESTION_OPEN;
	}
	add_both(sb, v);
	switch (gap) {
	case GAP_NONE:
		strbuf_addstr(sb, ": they agree, within what the steps of a histogram allow.");
		return QUESTION_YES;
	case GAP_SERVER_LARGER:
		strbuf_addstr(sb,
			      ": the server's is the larger one, so its histogram covers other "
			      "requests too, or its steps are too coarse. That is not explained.");
		return QUESTION_OPEN;
	case GAP_EXPLAINED:
		explain(sb, f, v);
		return QUESTION_YES;
	default:
		strbuf_addstr(sb, ". Neither throttling nor CPU use nor dropped arrivals explain "
				  "that difference.");
		return QUESTION_OPEN;
	}
}

/* ---- in a few words, for a table of all variants ---- */

static char *few_words(const struct case_finding *f, const struct variant_finding *v)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	switch (classify(f, v)) {
	case GAP_UNKNOWN:
		return xstrdup("the server's own was not read");
	case GAP_NONE:
		return xstrdup("they agree, within the steps of a histogram");
	case GAP_SERVER_LARGER:
		return xstrdup(
			"not explained: the server's covers other requests too, or its steps "
			"are too coarse");
	case GAP_UNEXPLAINED:
		return xstrdup("not explained by throttling, CPU use or dropped arrivals");
	default:
		break;
	}
	strbuf_addstr(&sb, "requests waited before the server's clock began: ");
	add_waiting(&sb, f, v, false);
	return strbuf_detach(&sb);
}

void case_explain_gaps(struct case_finding *f)
{
	vec_for_each (&f->variants, v)
		v->gap_text = few_words(f, v);
	f->goal.gap_text = f->goal.runs ? few_words(f, &f->goal) : NULL;
}
