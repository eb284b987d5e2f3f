/*
 * How much does the base carry under its limits? In a closed loop a service that is the bottleneck
 * answers at its own speed, so the throughput of enough virtual users is what it carries. The
 * search tries a few numbers of users, because too few leave the quota unused and too many add
 * switching. The rate driven is FACTOR times the best: a little more than can be carried, as in the
 * published case (700/s against the 594/s that its slow version carried).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "experiment/case_internal.h"
#include "experiment/steady.h"

#define FACTOR		 1.15
#define WINDOW_NS	 (2 * NS_PER_S)
#define WINDOWS_MAX	 30
#define PROBE_NS	 (3 * NS_PER_S)
#define WARMUP_VUS	 16
#define FIXED_WARMUP_MAX (5 * NS_PER_S)

static int closed_loop(struct case_state *s, struct live *l, unsigned vus, uint64_t duration_ns,
		       struct case_desc_probe *ret, struct error *reterr)
{
	CLEANUP(cleanup_load_result) struct load_result *res = NULL;
	struct drive d = { .rate = 1, .vus = vus, .duration_ns = duration_ns, .closed = true };
	int r = drive_load(s, l, &d, &res, reterr);
	double seconds;

	if (r < 0)
		return r;
	seconds = (double)(res->end_ns - res->start_ns) / 1e9;
	*ret = (struct case_desc_probe){ vus, seconds > 0 ? (double)res->iterations / seconds : 0,
					 res->duration.p99 };
	if (!res->iterations || res->requests_failed == res->requests)
		return error_set(
			reterr, -EIO,
			"no request succeeded; try the script by hand: assay load %s -u 1 -i 1",
			s->file->load.script);
	return 0;
}

/* Windows of a closed loop until throughput is steady; the time it took is the warm-up of all runs.
 */
static int find_warmup(struct case_state *s, struct live *l, struct error *reterr)
{
	double throughput[WINDOWS_MAX];
	size_t n = 0;

	while (n < WINDOWS_MAX && !steady_reached(throughput, n)) {
		struct case_desc_probe p;
		int r = closed_loop(s, l, WARMUP_VUS, WINDOW_NS, &p, reterr);

		if (r < 0)
			return r;
		throughput[n++] = p.achieved_per_s;
	}
	s->warmup_ns = n * WINDOW_NS;
	case_note(s, "warm-up: throughput is %s after %zu s (%.0f/s in the last window)",
		  n < WINDOWS_MAX ? "steady" : "still moving", n * 2, throughput[n - 1]);
	return 0;
}

static int warm_up_fixed(struct case_state *s, struct live *l, struct error *reterr)
{
	struct case_desc_probe p;
	uint64_t ns = MIN(s->warmup_ns, FIXED_WARMUP_MAX);

	return ns < NS_PER_S ? 0 : closed_loop(s, l, WARMUP_VUS, ns, &p, reterr);
}

static int probe_rates(struct case_state *s, struct live *l, struct error *reterr)
{
	static const unsigned vus[] = { 1, 2, 4, 16, 64 };
	struct case_desc_search *search = &s->desc->search;

	for (size_t i = 0; i < ARRAY_SIZE(vus); i++) {
		struct case_desc_probe p;
		int r = closed_loop(s, l, vus[i], PROBE_NS, &p, reterr);

		if (r < 0)
			return r;
		vec_push(&search->probes, p);
		search->carried_per_s = fmax(search->carried_per_s, p.achieved_per_s);
	}
	search->done = true;
	search->factor = FACTOR;
	s->desc->rate_used_per_s = fmax(1, round(search->carried_per_s * FACTOR));
	case_note(s, "search: the base carries %.0f/s under its limits; every variant gets %.0f/s",
		  search->carried_per_s, s->desc->rate_used_per_s);
	return 0;
}

int search_rate(struct case_state *s, struct error *reterr)
{
	bool warmup = s->warmup_ns == CASE_WARMUP_AUTO;
	bool rate = s->file->load.rate == CASE_RATE_AUTO;
	CLEANUP(mem_cleanup) char *log = xasprintf("%s/00-search.log", s->opts->out_dir);
	struct live l;
	int r;

	if (!warmup && !rate)
		return 0;
	case_step(s, "search on %s", s->file->variants.ptr[0].name);
	r = live_start(s, &s->file->variants.ptr[0], log, &l, reterr);
	if (r < 0)
		return error_wrap(reterr, "searching for the rate");
	r = warmup ? find_warmup(s, &l, reterr) : warm_up_fixed(s, &l, reterr);
	if (r == 0 && rate)
		r = probe_rates(s, &l, reterr);
	live_stop(&l, NULL);
	return r < 0 ? error_wrap(reterr, "searching for the rate") : 0;
}
