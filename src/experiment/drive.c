#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/case_internal.h"
#include "load/options.h"

#define VUS_MIN 50

unsigned drive_vus(const struct case_file *c, double rate)
{
	if (c->load.vus)
		return (unsigned)c->load.vus;
	return (unsigned)fmax(VUS_MIN, ceil(rate * 10 * c->slo.limit_ms / 1000));
}

/* What load_run()'s callbacks need. */
struct context {
	struct case_state *state;
	const struct drive *drive;
	bool begun;
};

static void on_progress(void *arg, const struct load_progress *p)
{
	struct context *x = arg;
	const struct case_run_opts *o = x->state->opts;
	char detail[128] = "";

	if (!strcmp(p->phase, "load") && !x->begun) {
		x->begun = true;
		if (x->drive->load_begins)
			x->drive->load_begins(x->drive->arg);
	}
	if (!o->progress)
		return;
	snprintf(detail, sizeof(detail), "%s: %llu iterations, %llu dropped, %u/%u VUs busy",
		 p->phase, (unsigned long long)p->iterations, (unsigned long long)p->dropped,
		 p->vus_active, p->vus);
	o->progress(o->arg,
		    &(struct case_progress){ .step = x->state->step,
					     .done = x->state->done,
					     .total = x->state->total,
					     .share = p->planned_ns ? (double)p->elapsed_ns /
									      (double)p->planned_ns
								    : 0,
					     .detail = detail });
}

static void on_log(void *arg, const struct load_log_line *line)
{
	struct context *x = arg;

	if (line->level == LOAD_LOG_ERROR)
		case_note(x->state, "script: %s", line->text);
}

struct env {
	struct load_pair *ptr;
	size_t len, cap;
};

static void env_release(struct env *e)
{
	vec_for_each (e, pair) {
		free(pair->key);
		free(pair->value);
	}
	vec_release(e);
}

static int fill_env(const struct case_file *c, const struct vars *vars, struct env *ret,
		    struct error *reterr)
{
	vec_for_each (&c->load.env, pair) {
		char *value = NULL;
		int r = vars_expand_dup(vars, pair->value, &value, reterr);

		if (r < 0)
			return error_wrap(reterr, "load.env.%s", pair->name);
		vec_push(ret, ((struct load_pair){ xstrdup(pair->name), value }));
	}
	return 0;
}

static int set_option(struct load_options *o, const char *key, struct error *reterr,
		      const char *fmt, ...) PRINTF_LIKE(4, 5);

static int set_option(struct load_options *o, const char *key, struct error *reterr,
		      const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&value, fmt, ap);
	va_end(ap);
	return load_options_set(o, key, strbuf_cstr(&value), reterr);
}

static int fill_options(const struct drive *d, struct load_options *o, struct error *reterr)
{
	int r = set_option(o, "warmup", reterr, "%llums",
			   (unsigned long long)(d->warmup_ns / NS_PER_MS));

	if (r == 0 && d->closed)
		r = set_option(o, "vus", reterr, "%u", d->vus);
	if (r == 0 && d->closed)
		r = set_option(o, "duration", reterr, "%llums",
			       (unsigned long long)(d->duration_ns / NS_PER_MS));
	return r;
}

static int check_result(struct load_result *res, struct error *reterr)
{
	if (res->exit_code == LOAD_EXIT_SIGNAL)
		return error_set(reterr, -EINTR, "interrupted");
	if (!res->has_summary)
		return error_set(reterr, -EINVAL, "the load did not begin: %s",
				 res->reason ? res->reason : "no reason given");
	return 0;
}

int drive_load(struct case_state *s, struct live *l, const struct drive *d,
	       struct load_result **ret, struct error *reterr)
{
	CLEANUP(env_release) struct env env = { 0 };
	CLEANUP(cleanup_load_options) struct load_options *flags = load_options_new();
	CLEANUP(cleanup_load_result) struct load_result *res = NULL;
	CLEANUP(mem_cleanup) char *script = NULL;
	struct context x = { .state = s, .drive = d };
	int r;

	vars_setf(&l->vars, "RATE", "%.0f", d->rate);
	vars_setf(&l->vars, "VUS", "%u", d->vus);
	vars_setf(&l->vars, "DURATION", "%llums", (unsigned long long)(d->duration_ns / NS_PER_MS));
	script = s->file->load.script[0] == '/'
			 ? xstrdup(s->file->load.script)
			 : xasprintf("%s/%s", s->file->dir, s->file->load.script);
	r = fill_env(s->file, &l->vars, &env, reterr);
	if (r == 0)
		r = fill_options(d, flags, reterr);
	if (r == 0)
		r = load_run(&(struct load_opts){ .path = script,
						  .env = env.ptr,
						  .n_env = env.len,
						  .flags = flags,
						  .sink = d->sink,
						  .log = on_log,
						  .progress = on_progress,
						  .arg = &x,
						  .stop = s->opts->stop },
			     &res, reterr);
	if (r == 0)
		r = check_result(res, reterr);
	if (res && res->has_summary)
		*ret = TAKE(res);
	return r;
}
