/* The whole finding as JSON, docs/formats/case-json.md: every figure and sentence of the page. */
#include "base/json.h"

#include <string.h>

#include "report/json_internal.h"
#include "report/page.h"
#include "report/report.h"

static const char *const slo_words[] = { [SLO_UNKNOWN] = "unknown",
					 [SLO_MET] = "met",
					 [SLO_MISSED] = "missed",
					 [SLO_TOO_FEW] = "too_few",
					 [SLO_UNDECIDED] = "undecided" };

static void write_sentences(struct json_writer *w, const char *key, const struct sentences *s)
{
	json_array_begin(w, key);
	vec_for_each (s, text)
		json_cstr(w, NULL, *text);
	json_array_end(w);
}

static void write_verdict(struct json_writer *w, const struct case_finding *f)
{
	static const char *const words[] = { [CASE_MET] = "met",
					     [CASE_MISSED] = "missed",
					     [CASE_INVALID] = "invalid",
					     [CASE_INCONCLUSIVE] = "inconclusive" };

	json_object_begin(w, "verdict");
	json_cstr(w, "result", words[f->verdict]);
	json_cstr(w, "word", page_verdict_word(f));
	json_int(w, "exit_code", f->exit_code);
	json_cstr(w, "headline", f->headline);
	write_sentences(w, "reasons", &f->reasons);
	json_object_end(w);
}

/* ---- variants ---- */

static void write_quantiles(struct json_writer *w, struct hist *h)
{
	static const double tail[] = { 0.995, 0.999, 0.9995, 0.9999, 1 };

	json_array_begin(w, "latency_quantiles_ms");
	for (int i = 0; i < 100 + (int)ARRAY_SIZE(tail) && hist_count(h); i++) {
		double q = i < 100 ? i / 100.0 : tail[i - 100];

		json_array_begin(w, NULL);
		json_double(w, NULL, q);
		json_double(w, NULL, hist_quantile(h, q));
		json_array_end(w);
	}
	json_array_end(w);
}

static void write_spreads(struct json_writer *w, const struct variant_finding *v)
{
	json_object_begin(w, "figures");
	for (size_t i = 0; i < N_FIGURES; i++) {
		json_object_begin(w, figure_defs[i].key);
		json_double(w, "value", v->spread[i].value);
		json_double(w, "low", v->spread[i].low);
		json_double(w, "high", v->spread[i].high);
		json_uint(w, "runs", v->spread[i].n);
		json_object_end(w);
	}
	json_object_end(w);
}

static void write_variant(struct json_writer *w, const char *key, const struct variant_finding *v)
{
	json_object_begin(w, key);
	json_cstr(w, "name", v->name);
	json_cstr(w, "description", v->description);
	json_uint(w, "runs", v->runs);
	json_uint(w, "runs_wanted", v->runs_wanted);
	json_cstr(w, "slo", slo_words[v->slo]);
	json_cstr(w, "slo_text", v->slo_text);
	json_cstr(w, "client_and_server", v->gap_text);
	json_uint(w, "samples", v->samples);
	json_uint(w, "iterations", v->iterations);
	json_uint(w, "dropped", v->dropped);
	json_uint(w, "requests", v->requests);
	json_uint(w, "failed", v->failed);
	json_double(w, "bad_share", v->bad_share);
	json_double(w, "cache_hits", v->cache_hits);
	json_double(w, "cache_misses", v->cache_misses);
	json_double(w, "cache_entries", v->cache_entries);
	write_spreads(w, v);
	write_quantiles(w, v->latency);
	json_object_end(w);
}

static void write_variants(struct json_writer *w, const struct case_finding *f)
{
	json_array_begin(w, "variants");
	vec_for_each (&f->variants, v)
		write_variant(w, NULL, v);
	json_array_end(w);
	if (f->goal.runs)
		write_variant(w, "goal", &f->goal);
	else
		json_none(w, "goal");
}

/* ---- suspects, table, checks ---- */

static void write_effect(struct json_writer *w, const char *key, const struct effect *e)
{
	json_object_begin(w, key);
	json_double(w, "ratio", e->ratio);
	json_double(w, "ratio_low", e->ratio_low);
	json_double(w, "ratio_high", e->ratio_high);
	json_double(w, "visible", e->visible);
	json_bool(w, "beyond_noise", e->beyond_noise);
	json_object_end(w);
}

static void write_suspects(struct json_writer *w, const struct case_finding *f)
{
	static const char *const classes[] = { [SUSPECT_UNKNOWN] = "unknown",
					       [SUSPECT_CAUSE] = "cause",
					       [SUSPECT_PART] = "part",
					       [SUSPECT_NOTHING] = "nothing",
					       [SUSPECT_WORSE] = "worse" };

	json_array_begin(w, "suspects");
	vec_for_each (&f->suspects, s) {
		json_object_begin(w, NULL);
		json_cstr(w, "id", s->id);
		json_cstr(w, "text", s->text);
		json_cstr(w, "removed_by", s->removed_by);
		json_cstr(w, "class", classes[s->class]);
		write_effect(w, "p99", &s->p99);
		write_effect(w, "cpu_per_request", &s->cpu);
		json_double(w, "p99_gap_share", s->p99_gap_share);
		json_double(w, "cpu_gap_share", s->cpu_gap_share);
		json_cstr(w, "sentence", s->sentence);
		json_object_end(w);
	}
	json_array_end(w);
}

void report_write_checks(struct json_writer *w, const struct fair_checks *checks)
{
	json_array_begin(w, "checks");
	vec_for_each (checks, c) {
		json_object_begin(w, NULL);
		json_cstr(w, "name", c->name);
		json_bool(w, "ok", c->ok);
		json_cstr(w, "detail", c->detail);
		json_object_end(w);
	}
	json_array_end(w);
}

static void write_cell(struct json_writer *w, const char *key, const struct case_cell *c)
{
	json_object_begin(w, key);
	json_cstr(w, "text", c->text);
	json_cstr(w, "runs", c->runs);
	json_object_end(w);
}

static void write_table(struct json_writer *w, const struct case_finding *f)
{
	json_array_begin(w, "table");
	vec_for_each (&f->rows, row) {
		json_object_begin(w, NULL);
		json_cstr(w, "label", row->label);
		write_cell(w, "before", &row->before);
		write_cell(w, "after", &row->after);
		write_cell(w, "goal", &row->goal);
		json_object_end(w);
	}
	json_array_end(w);
	json_bool(w, "measured_equally", f->equal);
	report_write_checks(w, &f->checks);
}

/* ---- the story ---- */

static void write_steps(struct json_writer *w, const struct case_finding *f)
{
	json_array_begin(w, "environment");
	vec_for_each (&f->environment, fact) {
		json_object_begin(w, NULL);
		json_cstr(w, "name", fact->name);
		json_cstr(w, "value", fact->value);
		json_object_end(w);
	}
	json_array_end(w);
	json_array_begin(w, "steps");
	vec_for_each (&f->steps, s) {
		json_object_begin(w, NULL);
		json_cstr(w, "command", s->command);
		json_cstr(w, "result", s->result);
		json_cstr(w, "file", s->file);
		json_object_end(w);
	}
	json_array_end(w);
}

static void write_story(struct json_writer *w, const struct case_finding *f)
{
	write_sentences(w, "symptom", &f->symptom);
	write_steps(w, f);
	write_sentences(w, "root_cause", &f->cause);
	write_sentences(w, "fix", &f->fix);
	write_sentences(w, "proof", &f->proof);
	write_sentences(w, "open_items", &f->open_items);
	json_array_begin(w, "watch");
	vec_for_each (&f->watch, x) {
		json_object_begin(w, NULL);
		json_cstr(w, "metric", x->metric);
		json_cstr(w, "rule", x->rule);
		json_cstr(w, "before", x->before);
		json_cstr(w, "after", x->after);
		json_bool(w, "fires_before", x->fires_before);
		json_bool(w, "fires_after", x->fires_after);
		json_object_end(w);
	}
	json_array_end(w);
	json_array_begin(w, "questions");
	for (size_t i = 0; i < CASE_QUESTIONS; i++) {
		json_object_begin(w, NULL);
		json_cstr(w, "question", f->questions[i].question);
		json_cstr(w, "answer", page_question_word(f->questions[i].state));
		json_cstr(w, "text", f->questions[i].text);
		json_object_end(w);
	}
	json_array_end(w);
}

/* ---- runs ---- */

static void write_seconds(struct json_writer *w, const struct figures *r)
{
	json_array_begin(w, "seconds");
	vec_for_each (&r->seconds, s) {
		json_object_begin(w, NULL);
		json_double(w, "t_s", s->t_s);
		json_uint(w, "n", s->n);
		json_double(w, "p99_ms", s->p99_ms);
		json_double(w, "throttled_share", s->throttled);
		json_object_end(w);
	}
	json_array_end(w);
}

void report_write_figures(struct json_writer *w, const char *key, const struct figures *r)
{
	json_object_begin(w, key);
	json_cstr(w, "file", r->file);
	json_cstr(w, "variant", r->variant);
	json_uint(w, "index", r->index);
	json_uint(w, "order", r->order);
	json_bool(w, "goal", r->goal);
	json_cstr(w, "status", r->status);
	json_cstr(w, "generator", r->generator);
	json_cstr(w, "slo", slo_words[r->slo]);
	json_double(w, "slo_low_ms", r->slo_low);
	json_double(w, "slo_high_ms", r->slo_high);
	json_double(w, "bad_share", r->bad_share);
	json_double(w, "duration_s", r->duration_s);
	json_uint(w, "samples", r->samples);
	json_uint(w, "iterations", r->iterations);
	json_uint(w, "dropped", r->dropped);
	json_uint(w, "requests", r->requests);
	json_uint(w, "failed", r->failed);
	json_double(w, "cpu_s", r->cpu_s);
	json_object_begin(w, "figures");
	for (size_t i = 0; i < N_FIGURES; i++)
		json_double(w, figure_defs[i].key, r->value[i]);
	json_object_end(w);
	json_object_begin(w, "facts");
	map_for_each (&r->facts, e)
		json_cstr(w, e->key, e->value);
	json_object_end(w);
	write_seconds(w, r);
	json_object_end(w);
}

void report_json(struct strbuf *sb, const struct case_finding *f)
{
	struct json_writer w;

	json_init(&w, sb, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "format", REPORT_JSON_FORMAT);
	json_int(&w, "version", REPORT_JSON_VERSION);
	report_write_desc(&w, f->desc);
	write_verdict(&w, f);
	write_table(&w, f);
	write_variants(&w, f);
	write_suspects(&w, f);
	write_story(&w, f);
	json_array_begin(&w, "runs");
	vec_for_each (&f->runs, r)
		report_write_figures(&w, NULL, *r);
	json_array_end(&w);
	json_object_end(&w);
	strbuf_addch(sb, '\n');
}
