/* One run: a fresh target, the same answers, warm-up and load, the observer beside it, a run file.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/case_internal.h"
#include "experiment/observer.h"
#include "host/facts.h"
#include "model/meta.h"
#include "store/reader.h"
#include "store/writer.h"

/* What one run holds while it goes on. */
struct one_run {
	struct case_state *state;
	const struct measure *m;
	struct live live;
	struct sink *sink;
	struct observer *observer;
	struct prom_histogram before, after; /* the server's own latencies */
	double runtime_p99_ms;		     /* the same as the runtime tells it; NAN */
};

static void put_case(const struct one_run *r)
{
	const struct case_state *s = r->state;
	struct sink *k = r->sink;

	sink_meta(k, META_VERSION, ASSAY_VERSION);
	if (s->opts->command_line)
		sink_meta(k, META_COMMAND, s->opts->command_line);
	sink_meta(k, META_CASE, s->file->name);
	sink_meta(k, META_CASE_FILE, s->file->path);
	sink_meta(k, META_VARIANT, r->m->variant->name);
	if (r->m->variant->description)
		sink_meta(k, META_VARIANT_TEXT, r->m->variant->description);
	sink_metaf(k, META_RUN_INDEX, "%u", r->m->index);
	sink_metaf(k, META_RUN_ORDER, "%u", s->done + 1);
	sink_meta(k, META_RUN_KIND, r->m->goal ? "goal" : "measure");
}

/*
 * A word of the target's command as a person would type it where assay was started: the case file's
 * folder and "folder/.." taken out; what differs from run to run (${PORT}) stays a placeholder.
 */
static void add_command_word(struct strbuf *sb, const char *dir, const char *word)
{
	static const char here[] = "${CASE_DIR}/";
	size_t start = sb->len;
	char *up;

	if (strncmp(word, here, sizeof(here) - 1) != 0) {
		strbuf_addstr(sb, word);
		return;
	}
	strbuf_addf(sb, "%s/%s", dir, word + sizeof(here) - 1);
	while ((up = strstr(sb->ptr + start, "/../"))) {
		size_t folder = start, at = (size_t)(up - sb->ptr);

		for (size_t i = start; i < at; i++)
			if (sb->ptr[i] == '/')
				folder = i + 1;
		if (at == folder || sb->ptr[folder] == '.')
			return;
		memmove(sb->ptr + folder, up + 4, sb->len - (at + 4) + 1);
		strbuf_truncate(sb, sb->len - (at + 4 - folder));
	}
}

static void put_target(const struct one_run *r)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;
	struct cgroup_limits l = target_limits(r->live.target);
	struct sink *k = r->sink;

	vec_for_each (&r->state->file->target.command, word) {
		if (command.len)
			strbuf_addch(&command, ' ');
		add_command_word(&command, r->state->file->dir, *word);
	}
	sink_meta(k, META_TARGET_COMMAND, strbuf_cstr(&command));
	sink_metaf(k, META_TARGET_PID, "%d", (int)target_pid(r->live.target));
	if (l.cpus > 0) {
		sink_metaf(k, META_LIMIT_CPUS, "%.6g", l.cpus);
		sink_metaf(k, META_LIMIT_PERIOD_NS, "%llu", (unsigned long long)l.period_ns);
	}
	if (l.memory_bytes)
		sink_metaf(k, META_LIMIT_MEMORY, "%llu", (unsigned long long)l.memory_bytes);
}

static void on_load_begins(void *arg)
{
	struct one_run *r = arg;

	observer_load_begins(r->observer);
	observer_scrape(&r->state->file->target, live_url(&r->live), r->live.fetch, r->sink,
			&r->before);
}

static void put_server(struct one_run *r)
{
	const struct case_target *t = &r->state->file->target;
	double p99;

	observer_scrape(t, live_url(&r->live), r->live.fetch, r->sink, &r->after);
	if (r->before.buckets.len != r->after.buckets.len)
		prom_histogram_release(&r->before); /* it had none before the first request */
	p99 = prom_quantile(&r->before, &r->after, 0.99);
	p99 = isnan(p99) ? r->runtime_p99_ms : p99 * 1000;
	if (!isnan(p99))
		sink_metaf(r->sink, META_SERVER_P99_MS, "%.6g", p99);
	observer_cache(t, live_url(&r->live), r->live.fetch, r->sink);
}

static int load_and_watch(struct one_run *r, struct error *reterr)
{
	struct case_state *s = r->state;
	CLEANUP(cleanup_load_result) struct load_result *res = NULL;
	struct drive d = { .rate = r->m->rate,
			   .vus = drive_vus(s->file, r->m->rate),
			   .duration_ns = s->file->load.duration_ns,
			   .warmup_ns = s->warmup_ns,
			   .sink = r->sink,
			   .load_begins = on_load_begins,
			   .arg = r };
	int err = observer_start(r->live.target, &s->file->target, live_url(&r->live), r->sink,
				 &r->observer, reterr);

	if (err < 0)
		return err;
	err = drive_load(s, &r->live, &d, &res, reterr);
	r->runtime_p99_ms = observer_stop(TAKE(r->observer));
	if (err == 0 && s->file->target.command.len && !target_alive(r->live.target))
		err = error_set(reterr, -ECHILD, "the target ended during the load");
	if (err == 0)
		put_server(r);
	return err;
}

static void put_end(struct one_run *r, const struct target_usage *u)
{
	if (!r->state->file->target.command.len)
		return;
	if (u->signal)
		sink_metaf(r->sink, META_TARGET_EXIT, "signal %d", u->signal);
	else
		sink_metaf(r->sink, META_TARGET_EXIT, "%d", u->exit_code);
}

/* With target and run file there; what was measured stays in the file whatever happens. */
static int fill_file(struct one_run *r, struct error *reterr)
{
	struct case_state *s = r->state;
	struct target_usage usage;
	int err;

	host_put_facts(r->sink);
	put_case(r);
	put_target(r);
	err = answers_check(&s->answers, s->file, r->m->variant->name, &r->live.vars, r->live.fetch,
			    &s->desc->answers, reterr);
	if (err == 0)
		err = load_and_watch(r, reterr);
	target_stop(r->live.target, 5 * NS_PER_S, &usage, NULL);
	put_end(r, &usage);
	sink_meta(r->sink, META_RUN_STATUS,
		  err == 0	   ? "complete"
		  : reterr->msg[0] ? reterr->msg
				   : "failed");
	return err;
}

static char *run_path(const struct case_state *s, const struct measure *m, const char *ending)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	for (const char *c = m->variant->name; *c; c++)
		strbuf_addch(&name, strchr("/ \t\n", *c) ? '-' : *c);
	return xasprintf("%s/%02u-%s-%s%u%s", s->opts->out_dir, s->done + 1, strbuf_cstr(&name),
			 m->goal ? "goal" : "", m->index, ending);
}

int measure_run(struct case_state *s, const struct measure *m, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = run_path(s, m, ".assay");
	CLEANUP(mem_cleanup) char *log = run_path(s, m, ".log");
	struct one_run r = { .state = s, .m = m };
	struct store_writer *w = NULL;
	struct error close_error = ERROR_INIT;
	struct run *back = NULL;
	int err = live_start(s, m->variant, log, &r.live, reterr);

	if (err < 0)
		return err;
	err = store_writer_open(path, &w, reterr);
	if (err == 0) {
		r.sink = store_writer_sink(w);
		err = fill_file(&r, reterr);
	}
	if (store_writer_close(w, &close_error) < 0 && err == 0)
		err = error_set(reterr, close_error.code, "%s", close_error.msg);
	live_stop(&r.live, NULL);
	prom_histogram_release(&r.before);
	prom_histogram_release(&r.after);
	if (store_read(path, &back, err == 0 ? reterr : NULL) == 0)
		vec_push(&s->runs, back);
	else if (err == 0)
		err = reterr->code;
	return err;
}
