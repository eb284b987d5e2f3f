#include "cli/load_limit.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "cli/term.h"
#include "experiment/limit.h"
#include "os/file.h"
#include "stats/quantile.h"

#define PROBE_NS_DEFAULT   (10 * NS_PER_S)
#define RATE_START	   10.0
#define RATE_MAX	   1e5
#define RESOLUTION_PERCENT 5.0
#define REPEATS		   3
#define PROBES_MAX	   60
/* What a probe leaves behind in the service has so long to go away. */
#define REST_MS 1000
/* A probe of fewer arrivals tells nothing of a rate. */
#define ARRIVALS_MIN 10
/* More iterations than this share cut off at the end, and the figures lack the slowest. */
#define CUT_SHARE_MAX 0.01

struct probe {
	double at;
	enum limit_answer answer;
	char *why; /* NULL when it holds */
	uint64_t iterations, dropped, interrupted;
	double failed; /* share of requests */
	struct load_trend duration;
};

struct finder {
	const struct load_flags *flags;
	struct load_opts opts;
	struct limit_search search;
	bool users;
	uint64_t probe_ns;
	VEC(struct probe) probes;
	bool stopped;
};

/* ---- the flags ---- */

int load_limit_check(const struct load_flags *f, struct error *reterr)
{
	const struct {
		bool given;
		const char *name, *instead;
	} flags[] = {
		{ f->url.rate > 0, "--rate", "--find-limit=START begins there" },
		{ f->url.stages || f->stages.len, "--stage", "each probe's load is constant" },
		{ f->duration != NULL, "--duration", "--probe-duration is a probe's" },
		{ f->iterations != NULL, "--iterations", "--probe-duration ends a probe" },
		{ f->run_file != NULL, "--run", "run the level found once more for it" },
		{ f->outputs.len > 0, "--out", "run the level found once more for it" },
		{ f->summary_export != NULL, "--summary-export", "--json has the result" },
		{ f->no_thresholds, "--no-thresholds", "they are what must hold" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].given)
			return error_set(reterr, -EINVAL, "%s does not go with --find-limit: %s",
					 flags[i].name, flags[i].instead);
	return 0;
}

static int read_level(const char *range, struct str text, double *ret, struct error *reterr)
{
	if (!text.len)
		return 0;
	if (num_parse_double(text, ret) < 0 || *ret < 0.01 || *ret > 1e6)
		return error_set(reterr, -EINVAL,
				 "--find-limit=%s: expected START..MAX, as 10..2000, or START",
				 range);
	return 0;
}

/* "START", "START..MAX", "..MAX", "" */
static int read_range(struct finder *x, struct error *reterr)
{
	const char *range = x->flags->find_limit, *dots = strstr(range, "..");
	struct limit_opts *o = &x->search.opts;
	struct str start = { range, dots ? (size_t)(dots - range) : strlen(range) };

	if (read_level(range, start, &o->start, reterr) < 0 ||
	    (dots && read_level(range, str_from(dots + 2), &o->max, reterr) < 0))
		return -EINVAL;
	if (o->start > o->max)
		return error_set(reterr, -EINVAL, "--find-limit=%s: it begins above its end",
				 range);
	if (x->users && (o->start != floor(o->start) || o->max > LOAD_VUS_MAX))
		return error_set(reterr, -EINVAL,
				 "--find-limit=%s: users are whole, and at most %d", range,
				 LOAD_VUS_MAX);
	return 0;
}

static int read_flags(struct finder *x, struct error *reterr)
{
	const struct load_flags *f = x->flags;
	struct limit_opts *o = &x->search.opts;
	uint64_t vus = 0;

	x->users = f->vus != NULL;
	if (f->vus && (num_parse_u64(str_from(f->vus), &vus) < 0 || !vus))
		return error_set(reterr, -EINVAL, "--vus takes a whole number, not \"%s\"", f->vus);
	*o = (struct limit_opts){
		.start = x->users ? (double)vus : RATE_START,
		.max = x->users ? LOAD_AUTO_VUS_MAX : RATE_MAX,
		.resolution = (f->resolution > 0 ? f->resolution : RESOLUTION_PERCENT) / 100,
		.whole = x->users,
		.repeats = REPEATS,
		.probes = PROBES_MAX,
	};
	x->probe_ns = f->probe_ns ? f->probe_ns : PROBE_NS_DEFAULT;
	if (x->probe_ns < NS_PER_S / 10 || o->resolution > 1)
		return error_set(reterr, -EINVAL,
				 x->probe_ns < NS_PER_S / 10
					 ? "--probe-duration: at least 100ms"
					 : "--resolution is in percent, at most 100");
	if (read_range(x, reterr) < 0)
		return -EINVAL;
	o->min = x->users ? 1 : fmin(o->start, ARRIVALS_MIN * 1e9 / (double)x->probe_ns);
	return 0;
}

/* ---- one probe ---- */

static void add_crossed(struct strbuf *sb, const struct load_thresholds *t)
{
	vec_for_each (&t->list, p) {
		if (p->ok)
			continue;
		strbuf_addf(sb, "%s%s %s, but %s is %.4g", sb->len ? "; " : "", p->key, p->source,
			    p->expr.aggregate, p->value);
	}
}

/*
 * A crossed threshold tells, also where some arrivals were dropped: less load than asked for did
 * it. Held ones do not tell then, and nothing does when the generator was not fit.
 */
static enum limit_answer judge(const struct load_result *r, struct strbuf *why)
{
	uint64_t ended = r->iterations + r->interrupted;

	if (!r->generator_valid) {
		strbuf_addf(why, "the generator was not fit: %s", r->generator_verdict);
		return LIMIT_UNTOLD;
	}
	if (r->exit_code == LOAD_EXIT_THRESHOLDS) {
		add_crossed(why, r->thresholds);
		return LIMIT_MISSES;
	}
	if (r->dropped)
		strbuf_addf(why, "%llu of the arrivals found no free VU and were not sent",
			    (unsigned long long)r->dropped);
	else if (!ended)
		strbuf_addstr(why, "no iteration began");
	else if ((double)r->interrupted > CUT_SHARE_MAX * (double)ended)
		strbuf_addf(why, "%llu of %llu iterations were cut off at the end",
			    (unsigned long long)r->interrupted, (unsigned long long)ended);
	return why->len ? LIMIT_UNTOLD : LIMIT_HOLDS;
}

static const char *answer_name(enum limit_answer a)
{
	return a == LIMIT_HOLDS ? "holds" : a == LIMIT_MISSES ? "misses" : "cannot tell";
}

static void fmt_level(const struct finder *x, double at, struct strbuf *sb)
{
	strbuf_addf(sb, x->users ? "%.10g VUs" : "%.10g/s", at);
}

static void print_probe(const struct finder *x, const struct probe *p)
{
	CLEANUP(strbuf_release) struct strbuf level = STRBUF_INIT;

	fmt_level(x, p->at, &level);
	term_progress_end();
	printf("%3zu  %10s  %-11s  %8llu iterations, p95 %.4g ms, %.2f %% failed%s%s\n",
	       x->probes.len, strbuf_cstr(&level), answer_name(p->answer),
	       (unsigned long long)p->iterations, p->duration.p95, p->failed * 100,
	       p->why ? "; " : "", p->why ? p->why : "");
	fflush(stdout);
}

static void take_probe(struct finder *x, double at, const struct load_result *r)
{
	CLEANUP(strbuf_release) struct strbuf why = STRBUF_INIT;
	struct probe p = {
		.at = at,
		.answer = judge(r, &why),
		.iterations = r->iterations,
		.dropped = r->dropped,
		.interrupted = r->interrupted,
		.failed = r->requests ? (double)r->requests_failed / (double)r->requests : 0,
		.duration = r->duration,
	};

	if (p.answer != LIMIT_HOLDS)
		p.why = strbuf_detach(&why);
	vec_push(&x->probes, p);
	limit_tell(&x->search, at, p.answer);
	print_probe(x, &p);
}

/* 0; 1 at a signal; or the exit code of a run that failed for another reason than thresholds. */
static int run_probe(struct finder *x, double at, struct error *reterr)
{
	CLEANUP(cleanup_load_result) struct load_result *r = NULL;
	struct load_hold hold = { .duration_ns = x->probe_ns };

	if (x->users)
		hold.vus = (uint32_t)at;
	else
		hold.rate = at;
	x->opts.hold = &hold;
	if (load_run(&x->opts, &r, reterr) < 0)
		return LOAD_EXIT_SCRIPT;
	x->stopped = r->exit_code == LOAD_EXIT_SIGNAL || atomic_load(x->opts.stop);
	if (x->stopped)
		return 0;
	if (r->exit_code && r->exit_code != LOAD_EXIT_THRESHOLDS) {
		error_set(reterr, -1, "%s", r->reason);
		return r->exit_code;
	}
	take_probe(x, at, r);
	return 0;
}

static int run_probes(struct finder *x, struct error *reterr)
{
	double at;
	int r = 0;

	while (r == 0 && !x->stopped && limit_next(&x->search, &at)) {
		if (x->probes.len)
			poll(NULL, 0, REST_MS); /* a signal ends it early */
		x->stopped = atomic_load(x->opts.stop);
		if (!x->stopped)
			r = run_probe(x, at, reterr);
	}
	return r;
}

/* ---- what came of it ---- */

/* The middle one of a level's p95s. */
static double p95_of(const struct finder *x, double at)
{
	VEC(double) values = VEC_INIT;
	double median;

	vec_for_each (&x->probes, p)
		if (p->at == at)
			vec_push(&values, p->duration.p95);
	median = quantile_median(values.ptr, values.len);
	vec_release(&values);
	return median;
}

static void print_table(const struct finder *x)
{
	printf("\n%12s  %6s  %6s  %11s  %14s\n", "load", "holds", "misses", "cannot tell",
	       "p95 (median)");
	vec_for_each (&x->search.levels, l) {
		CLEANUP(strbuf_release) struct strbuf level = STRBUF_INIT;

		fmt_level(x, l->at, &level);
		printf("%12s  %6u  %6u  %11u  %11.4g ms\n", strbuf_cstr(&level), l->holds,
		       l->misses, l->untold, p95_of(x, l->at));
	}
}

static void fmt_finding(const struct finder *x, struct strbuf *sb)
{
	const struct limit_level *holds, *misses;

	limit_bounds(&x->search, &holds, &misses);
	if (holds) {
		strbuf_addstr(sb, "holds ");
		fmt_level(x, holds->at, sb);
		strbuf_addf(sb, " in %u of %u runs", holds->holds, holds->holds);
	} else {
		strbuf_addstr(sb, "no load was seen to hold");
	}
	if (misses) {
		strbuf_addstr(sb, "; misses ");
		fmt_level(x, misses->at, sb);
		strbuf_addf(sb, " in %u of %u", misses->misses, misses->misses);
	}
	if (holds && misses)
		strbuf_addstr(sb, "; between: not told");
	else if (holds && holds->at >= x->search.opts.max)
		strbuf_addstr(sb, "; above: not tried");
	else if (holds)
		strbuf_addstr(sb, "; above: not told");
}

static void put_bound(struct json_writer *w, const char *key, const struct limit_level *l)
{
	if (!l) {
		json_none(w, key);
		return;
	}
	json_object_begin(w, key);
	json_double(w, "at", l->at);
	json_uint(w, "runs", l->holds + l->misses);
	json_object_end(w);
}

static void put_probe(struct json_writer *w, const struct probe *p)
{
	json_object_begin(w, NULL);
	json_double(w, "at", p->at);
	json_cstr(w, "answer", answer_name(p->answer));
	json_cstr(w, "why", p->why);
	json_uint(w, "iterations", p->iterations);
	json_uint(w, "dropped", p->dropped);
	json_uint(w, "interrupted", p->interrupted);
	json_double(w, "failed_share", p->failed);
	json_double(w, "p50_ms", p->duration.p50);
	json_double(w, "p95_ms", p->duration.p95);
	json_double(w, "p99_ms", p->duration.p99);
	json_object_end(w);
}

static int write_json(const struct finder *x, const char *path, int exit_code, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const struct limit_level *holds, *misses;
	struct json_writer w;

	limit_bounds(&x->search, &holds, &misses);
	json_init(&w, &sb, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "assay", ASSAY_VERSION);
	json_int(&w, "exit_code", exit_code);
	json_bool(&w, "complete", !x->stopped);
	json_cstr(&w, "unit", x->users ? "VUs" : "iterations/s");
	json_double(&w, "resolution", x->search.opts.resolution);
	json_double(&w, "probe_s", (double)x->probe_ns / 1e9);
	put_bound(&w, "holds", holds);
	put_bound(&w, "misses", misses);
	json_array_begin(&w, "probes");
	vec_for_each (&x->probes, p)
		put_probe(&w, p);
	json_array_end(&w);
	json_object_end(&w);
	strbuf_addch(&sb, '\n');
	return file_write_atomic(path, strbuf_str(&sb), reterr);
}

static int conclude(const struct finder *x, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf finding = STRBUF_INIT;
	const struct limit_level *holds, *misses;
	int exit_code = LOAD_EXIT_OK;

	limit_bounds(&x->search, &holds, &misses);
	fmt_finding(x, &finding);
	if (x->probes.len)
		print_table(x);
	printf("\n%s%s\n", x->stopped ? "interrupted; so far: " : "", strbuf_cstr(&finding));
	if (x->stopped)
		exit_code = LOAD_EXIT_SIGNAL;
	else if (!holds)
		exit_code = misses ? LOAD_EXIT_THRESHOLDS : EXIT_UNMEASURED;
	if (exit_code)
		error_set(reterr, -1, "%s",
			  x->stopped ? "interrupted"
			  : misses   ? "the thresholds hold at no load that was tried"
				     : "the probes do not tell");
	return exit_code;
}

int load_limit_run(const struct load_flags *f, const struct load_opts *o, struct error *reterr)
{
	struct finder x = { .flags = f, .opts = *o };
	int exit_code = LOAD_EXIT_CONFIG;
	struct error failed = ERROR_INIT;

	if (read_flags(&x, reterr) == 0)
		exit_code = run_probes(&x, reterr);
	if (exit_code == 0)
		exit_code = conclude(&x, reterr);
	if (f->json && x.probes.len && write_json(&x, f->json, exit_code, &failed) < 0)
		term_error("load", &failed);
	vec_for_each (&x.probes, p)
		free(p->why);
	vec_release(&x.probes);
	limit_release(&x.search);
	return exit_code;
}
