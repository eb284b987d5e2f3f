/*
 * Reading is strict about types and ranges and lenient about members it does not know, so that a
 * case.json of a later minor change still renders. The first problem is kept in the reader; the
 * getters that follow it do nothing.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_internal.h"
#include "report/report.h"

#define LIST_MAX 1000

struct reader {
	const char *name; /* of the file */
	struct error *err;
	int result;
};

static int bad(struct reader *rd, const char *key, const char *wanted)
{
	if (rd->result == 0)
		rd->result =
			error_set(rd->err, -EBADMSG, "%s: \"%s\" is not %s", rd->name, key, wanted);
	return rd->result;
}

static json_t *get_object(struct reader *rd, json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	if (!json_is_object(v))
		bad(rd, key, "an object");
	return v;
}

/* A list of at most LIST_MAX members, or NULL. */
static json_t *get_list(struct reader *rd, json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	if (!json_is_array(v) || json_array_size(v) > LIST_MAX) {
		bad(rd, key, "a list of at most 1000");
		return NULL;
	}
	return v;
}

/* A copy of a text; NULL for null, which is refused when needed. */
static char *get_text(struct reader *rd, json_t *o, const char *key, bool needed)
{
	json_t *v = json_object_get(o, key);

	if (json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v))
		return xstrdup(json_string_value(v));
	if (needed || (v && !json_is_null(v)))
		bad(rd, key, "a text");
	return NULL;
}

static double get_number(struct reader *rd, json_t *o, const char *key, double min, double max)
{
	json_t *v = json_object_get(o, key);
	double number = json_number_value(v);

	if (!json_is_number(v) || !(number >= min && number <= max)) {
		bad(rd, key, "a number in its range");
		return min;
	}
	return number;
}

static bool get_bool(struct reader *rd, json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	if (!json_is_boolean(v))
		bad(rd, key, "true or false");
	return json_is_true(v);
}

static void read_slo(struct reader *rd, json_t *o, struct case_desc_slo *slo)
{
	slo->metric = get_text(rd, o, "metric", true);
	slo->quantile = get_number(rd, o, "quantile", 0.01, 0.999999);
	slo->limit_ms = get_number(rd, o, "limit_ms", 1e-6, 1e9);
}

static void read_variants(struct reader *rd, json_t *o, struct case_desc *d)
{
	json_t *variants = get_list(rd, o, "variants"), *suspects = get_list(rd, o, "suspects"), *v;
	size_t i;

	json_array_foreach(variants, i, v)
	{
		struct case_desc_variant variant = { .name = get_text(rd, v, "name", true),
						     .description = get_text(rd, v, "description",
									     false) };
		vec_push(&d->variants, variant);
	}
	json_array_foreach(suspects, i, v)
	{
		struct case_desc_suspect suspect = { .text = get_text(rd, v, "text", true),
						     .removed_by =
							     get_text(rd, v, "removed_by", false) };
		vec_push(&d->suspects, suspect);
	}
	if (!d->variants.len)
		bad(rd, "variants", "a list with at least one member");
}

static void read_search(struct reader *rd, json_t *o, struct case_desc_search *s)
{
	json_t *probes = get_list(rd, o, "probes"), *v;
	size_t i;

	s->done = get_bool(rd, o, "done");
	s->carried_per_s = get_number(rd, o, "carried_per_s", 0, 1e9);
	s->factor = get_number(rd, o, "factor", 0, 1e6);
	json_array_foreach(probes, i, v)
	{
		struct case_desc_probe probe = {
			.vus = (unsigned)get_number(rd, v, "vus", 0, 1e9),
			.achieved_per_s = get_number(rd, v, "achieved_per_s", 0, 1e9),
			.p99_ms = get_number(rd, v, "p99_ms", 0, 1e9),
		};
		vec_push(&s->probes, probe);
	}
}

static void read_load(struct reader *rd, json_t *o, struct case_desc *d)
{
	json_t *rate = get_object(rd, o, "rate"), *limits = get_object(rd, o, "limits");
	json_t *varies = get_list(rd, o, "env_varies"), *v;
	size_t i;

	d->rate_asked_per_s = get_number(rd, rate, "asked_per_s", 0, 1e9);
	d->rate_goal_per_s = get_number(rd, rate, "goal_per_s", 0, 1e9);
	d->rate_used_per_s = get_number(rd, rate, "used_per_s", 0, 1e9);
	read_search(rd, get_object(rd, o, "search"), &d->search);
	d->warmup_auto = get_bool(rd, o, "warmup_auto");
	d->limit_cpus = get_number(rd, limits, "cpus", 0, 1e6);
	d->limit_memory_bytes = (uint64_t)get_number(rd, limits, "memory_bytes", 0, 1e18);
	json_array_foreach(varies, i, v) if (json_is_string(v))
		vec_push(&d->env_varies, xstrdup(json_string_value(v)));
	else bad(rd, "env_varies", "a list of texts");
}

static void read_answers(struct reader *rd, json_t *o, struct case_desc_answers *a)
{
	CLEANUP(mem_cleanup) char *result = get_text(rd, o, "result", true);

	a->requests = (unsigned)get_number(rd, o, "requests", 0, 1e6);
	a->detail = get_text(rd, o, "detail", false);
	if (result && !strcmp(result, "equal"))
		a->result = CASE_ANSWERS_EQUAL;
	else if (result && !strcmp(result, "differ"))
		a->result = CASE_ANSWERS_DIFFER;
	else if (result && strcmp(result, "unchecked") != 0)
		bad(rd, "result", "equal, differ or unchecked");
}

static void read_texts(struct reader *rd, json_t *o, struct case_desc_texts *t)
{
	json_t *items = get_list(rd, o, "open_items"), *v;
	size_t i;

	t->symptom = get_text(rd, o, "symptom", false);
	t->since = get_text(rd, o, "since", false);
	t->root_cause = get_text(rd, o, "root_cause", false);
	t->fix = get_text(rd, o, "fix", false);
	t->fix_commit = get_text(rd, o, "fix_commit", false);
	t->owner = get_text(rd, o, "owner", false);
	json_array_foreach(items, i, v) if (json_is_string(v))
		vec_push(&t->open_items, xstrdup(json_string_value(v)));
	else bad(rd, "open_items", "a list of texts");
}

static void read_case(struct reader *rd, json_t *o, struct case_desc *d)
{
	d->name = get_text(rd, o, "name", true);
	d->case_file = get_text(rd, o, "case_file", false);
	d->command_line = get_text(rd, o, "command_line", false);
	read_slo(rd, get_object(rd, o, "slo"), &d->slo);
	read_variants(rd, o, d);
	d->runs_wanted = (size_t)get_number(rd, o, "runs_wanted", 0, 1e6);
	d->goal_wanted = get_bool(rd, o, "goal_wanted");
	read_load(rd, o, d);
	read_answers(rd, get_object(rd, o, "answers"), &d->answers);
	read_texts(rd, get_object(rd, o, "texts"), &d->texts);
	d->stopped = get_text(rd, o, "stopped", false);
}

static void free_json(json_t **j)
{
	json_decref(*j);
}

static int check_format(struct reader *rd, json_t *root)
{
	json_t *format = json_object_get(root, "format");
	json_int_t version = json_integer_value(json_object_get(root, "version"));

	if (!json_is_string(format) || strcmp(json_string_value(format), REPORT_JSON_FORMAT) != 0)
		return error_set(rd->err, -EMEDIUMTYPE,
				 "%s is JSON, but no case: give a folder that assay case run wrote",
				 rd->name);
	if (version > REPORT_JSON_VERSION)
		return error_set(
			rd->err, -EPROTONOSUPPORT,
			"%s was written by a newer assay (version %lld; this one reads up to "
			"%d): read it with that version",
			rd->name, (long long)version, REPORT_JSON_VERSION);
	return version == REPORT_JSON_VERSION ? 0 : bad(rd, "version", "a known version");
}

int report_read_desc(struct str json, const char *name, struct case_desc **ret,
		     struct error *reterr)
{
	CLEANUP(cleanup_case_desc) struct case_desc *d = NULL;
	struct reader rd = { .name = name, .err = reterr };
	json_error_t why;
	CLEANUP(free_json)
	json_t *root = json_loadb(json.ptr ? json.ptr : "", json.len, JSON_REJECT_DUPLICATES, &why);
	int r;

	if (!root)
		return error_set(reterr, -EBADMSG, "%s:%d:%d: %s", name, why.line, why.column,
				 why.text);
	r = check_format(&rd, root);
	if (r < 0)
		return r;
	d = case_desc_new();
	read_case(&rd, get_object(&rd, root, "case"), d);
	if (rd.result == 0)
		*ret = TAKE(d);
	return rd.result;
}
