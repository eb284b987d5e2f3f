#include "experiment/case_run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/case_internal.h"
#include "experiment/describe.h"
#include "experiment/order.h"
#include "os/file.h"

bool case_stopped(const struct case_state *s)
{
	return s->opts->stop && atomic_load(s->opts->stop);
}

void case_note(const struct case_state *s, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	va_list ap;

	if (!s->opts->note)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	s->opts->note(s->opts->arg, strbuf_cstr(&text));
}

void case_step(struct case_state *s, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	free(s->step);
	s->step = strbuf_detach(&text);
	if (s->opts->progress)
		s->opts->progress(s->opts->arg, &(struct case_progress){ .step = s->step,
									 .done = s->done,
									 .total = s->total,
									 .detail = "" });
}

static void state_release(struct case_state *s)
{
	vec_for_each (&s->runs, r)
		run_free(*r);
	vec_release(&s->runs);
	answers_release(&s->answers);
	case_desc_free(s->desc);
	free(s->step);
}

/* Judges what there is and renders the folder; *ret is replaced. */
static int judge(struct case_state *s, struct case_finding **ret, struct error *reterr)
{
	struct case_finding *f = NULL;
	int err;

	if (!s->runs.len)
		return 0;
	err = analyze_case(s->desc, s->runs.ptr, s->runs.len, &f, reterr);
	if (err < 0)
		return err;
	case_finding_free(*ret);
	*ret = f;
	return s->opts->render ? s->opts->render(s->opts->arg, s->opts->out_dir, f, reterr) : 0;
}

static int measure_and_judge(struct case_state *s, const struct measure *m,
			     struct case_finding **ret, struct error *reterr)
{
	struct error judge_error = ERROR_INIT;
	int err;

	if (m->goal)
		case_step(s, "%s at %.0f/s", m->variant->name, m->rate);
	else
		case_step(s, "%s, run %u of %llu", m->variant->name, m->index,
			  (unsigned long long)s->file->runs);
	err = measure_run(s, m, reterr);
	s->done++;
	if (err < 0) {
		free(s->desc->stopped);
		s->desc->stopped = xstrdup(reterr->msg);
	}
	if (judge(s, ret, &judge_error) < 0 && err == 0)
		err = error_set(reterr, judge_error.code, "%s", judge_error.msg);
	return err;
}

static int measure_all(struct case_state *s, struct case_finding **ret, struct error *reterr)
{
	size_t variants = s->file->variants.len, runs = (size_t)s->file->runs;

	for (size_t i = 0; i < variants * runs; i++) {
		struct measure m = { .variant = &s->file->variants.ptr[order_variant(variants, i)],
				     .index = (unsigned)order_round(variants, i) + 1,
				     .rate = s->desc->rate_used_per_s };
		int err = measure_and_judge(s, &m, ret, reterr);

		if (err < 0)
			return err;
	}
	return 0;
}

/* The fix at the rate the service must carry one day, or at the found one if that is higher. */
static int measure_goal(struct case_state *s, struct case_finding **ret, struct error *reterr)
{
	struct measure m = { .variant = &vec_last(&s->file->variants),
			     .index = 1,
			     .rate = fmax(s->file->load.goal, s->desc->rate_used_per_s),
			     .goal = true };

	return s->desc->goal_wanted ? measure_and_judge(s, &m, ret, reterr) : 0;
}

static int prepare_folder(const struct case_run_opts *o, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *page = xasprintf("%s/case.json", o->out_dir);

	if (file_exists(page))
		return error_set(reterr, -EEXIST,
				 "%s holds a case already; name another folder with --output, or "
				 "remove it",
				 o->out_dir);
	return file_make_dirs(o->out_dir, reterr);
}

int case_run(const struct case_file *c, const struct case_run_opts *o, struct case_finding **ret,
	     struct error *reterr)
{
	CLEANUP(state_release)
	struct case_state s = { .file = c,
				.opts = o,
				.desc = describe_case(c, o->command_line),
				.warmup_ns = c->load.warmup_ns,
				.total = (unsigned)(c->variants.len * c->runs) +
					 (c->load.goal > 0) };
	int err = prepare_folder(o, reterr);

	if (err == 0)
		err = search_rate(&s, reterr);
	if (err == 0)
		err = measure_all(&s, ret, reterr);
	return err == 0 ? measure_goal(&s, ret, reterr) : err;
}
