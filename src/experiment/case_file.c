/*
 * One function per part of the file, each beginning with the keys it knows, so that this file reads
 * as the format's definition. The prose is docs/formats/case-file.md.
 */
#include "experiment/case_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "conf/conf.h"
#include "os/file.h"

/* What the readers below share. */
struct reader {
	const struct conf *conf;
	struct case_file *out;
	struct error *reterr;
};

#define KNOWN_KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static int check_keys(const struct reader *r, const struct conf_node *n, const char *const *known)
{
	return conf_check_keys(r->conf, n, known, r->reterr);
}

/* Copies a string over *ret; an absent key leaves it. */
static int read_text(const struct reader *r, const struct conf_node *n, const char *key, char **ret)
{
	const char *text = NULL;
	int err = conf_get_string(r->conf, n, key, &text, r->reterr);

	if (err == 0 && text) {
		free(*ret);
		*ret = xstrdup(text);
	}
	return err;
}

static int need_text(const struct reader *r, const struct conf_node *n, const char *key, char **ret)
{
	const struct conf_node *child;
	int err = conf_need(r->conf, n, key, &child, r->reterr);

	return err < 0 ? err : read_text(r, n, key, ret);
}

static int read_pairs(const struct reader *r, const struct conf_node *n, const char *key,
		      struct case_pairs *ret)
{
	const struct conf_node *map = conf_get(n, key);

	if (!map)
		return 0;
	if (map->kind != CONF_MAP)
		return conf_error(r->conf, map, r->reterr, "%s takes NAME: value pairs", key);
	for (size_t i = 0; i < map->n_children; i++) {
		const struct conf_node *child = &map->children[i];

		if (child->kind != CONF_SCALAR)
			return conf_error(r->conf, child, r->reterr, "%s: one value, please",
					  child->key);
		vec_push(ret, ((struct case_pair){ xstrdup(child->key), xstrdup(child->text) }));
	}
	return 0;
}

typedef int item_reader(const struct reader *r, const struct conf_node *item);

/* Calls fn for each item of a list; need says that there must be at least one. */
static int read_list(const struct reader *r, const struct conf_node *n, const char *key, bool need,
		     item_reader *fn)
{
	const struct conf_node *list = conf_get(n, key);
	int err = 0;

	if (!list && need)
		return conf_need(r->conf, n, key, &list, r->reterr);
	if (!list)
		return 0;
	if (list->kind != CONF_LIST || (need && !list->n_children))
		return conf_error(r->conf, list, r->reterr, "%s takes a list (\"- …\" lines)", key);
	for (size_t i = 0; i < list->n_children && err == 0; i++)
		err = fn(r, &list->children[i]);
	return err;
}

static int read_word(const struct reader *r, const struct conf_node *item)
{
	if (item->kind != CONF_SCALAR)
		return conf_error(r->conf, item, r->reterr, "a word of the command must be text");
	vec_push(&r->out->target.command, xstrdup(item->text));
	return 0;
}

static int read_limits(const struct reader *r, const struct conf_node *n)
{
	struct case_target *t = &r->out->target;
	int err = conf_get_double(r->conf, n, "cpus", &t->cpus, r->reterr);

	if (err == 0 && t->cpus < 0)
		err = conf_error(r->conf, conf_get(n, "cpus"), r->reterr, "cpus must be positive");
	if (err == 0)
		err = conf_get_duration(r->conf, n, "period", &t->period_ns, r->reterr);
	if (err == 0)
		err = conf_get_bytes(r->conf, n, "memory", &t->memory_bytes, r->reterr);
	return err;
}

static int read_ready(const struct reader *r, const struct conf_node *n)
{
	struct case_target *t = &r->out->target;
	const struct conf_node *ready = conf_get(n, "ready");
	int err;

	if (!ready)
		return 0;
	err = check_keys(r, ready, KNOWN_KEYS("path", "timeout"));
	if (err == 0)
		err = read_text(r, ready, "path", &t->ready_path);
	if (err == 0)
		err = conf_get_duration(r->conf, ready, "timeout", &t->ready_timeout_ns, r->reterr);
	return err;
}

/* The target is started by us, or it is there already: one of command, pid, cgroup, or only url. */
static int check_target(const struct reader *r, const struct conf_node *n)
{
	const struct case_target *t = &r->out->target;
	int ways = !!t->command.len + !!t->pid + !!t->cgroup;

	if (ways > 1)
		return conf_error(r->conf, n, r->reterr,
				  "give one of command, pid and cgroup, not several");
	if (!t->command.len && (t->cpus > 0 || t->memory_bytes))
		return conf_error(r->conf, n, r->reterr,
				  "cpus and memory are set only on a target that is started here: "
				  "give its command");
	return 0;
}

static int read_target(const struct reader *r, const struct conf_node *n)
{
	struct case_target *t = &r->out->target;
	int err = check_keys(r, n,
			     KNOWN_KEYS("command", "env", "pid", "cgroup", "url", "cpus", "period",
					"memory", "ready", "metrics", "histogram", "cache"));

	if (err == 0)
		err = read_list(r, n, "command", false, read_word);
	if (err == 0)
		err = read_pairs(r, n, "env", &t->env);
	if (err == 0)
		err = conf_get_uint(r->conf, n, "pid", &t->pid, r->reterr);
	if (err == 0)
		err = read_text(r, n, "cgroup", &t->cgroup);
	if (err == 0)
		err = need_text(r, n, "url", &t->url);
	if (err == 0)
		err = read_limits(r, n);
	if (err == 0)
		err = read_ready(r, n);
	if (err == 0)
		err = read_text(r, n, "metrics", &t->metrics_path);
	if (err == 0)
		err = read_text(r, n, "histogram", &t->histogram);
	if (err == 0)
		err = read_text(r, n, "cache", &t->cache_path);
	return err == 0 ? check_target(r, n) : err;
}

static bool is_auto(const struct conf_node *n, const char *key)
{
	const struct conf_node *child = conf_get(n, key);

	return child && child->kind == CONF_SCALAR && !strcmp(child->text, "auto");
}

static int read_rates(const struct reader *r, const struct conf_node *n)
{
	struct case_load *l = &r->out->load;
	const struct conf_node *rate;
	int err = conf_need(r->conf, n, "rate", &rate, r->reterr);

	if (err == 0 && !is_auto(n, "rate"))
		err = conf_get_double(r->conf, n, "rate", &l->rate, r->reterr);
	if (err == 0 && !is_auto(n, "rate") && l->rate <= 0)
		err = conf_error(r->conf, rate, r->reterr, "rate takes a positive number or auto");
	if (err == 0)
		err = conf_get_double(r->conf, n, "goal", &l->goal, r->reterr);
	return err;
}

static int read_load(const struct reader *r, const struct conf_node *n)
{
	struct case_load *l = &r->out->load;
	int err = check_keys(
		r, n, KNOWN_KEYS("script", "env", "rate", "goal", "duration", "warmup", "vus"));

	if (err == 0)
		err = need_text(r, n, "script", &l->script);
	if (err == 0)
		err = read_pairs(r, n, "env", &l->env);
	if (err == 0)
		err = read_rates(r, n);
	if (err == 0)
		err = conf_get_duration(r->conf, n, "duration", &l->duration_ns, r->reterr);
	if (err == 0 && !is_auto(n, "warmup"))
		err = conf_get_duration(r->conf, n, "warmup", &l->warmup_ns, r->reterr);
	if (err == 0 && is_auto(n, "warmup"))
		l->warmup_ns = CASE_WARMUP_AUTO;
	if (err == 0 && !is_auto(n, "vus"))
		err = conf_get_uint(r->conf, n, "vus", &l->vus, r->reterr);
	if (err == 0 && l->duration_ns < NS_PER_S)
		err = conf_error(r->conf, n, r->reterr, "duration must be at least 1s");
	return err;
}

/* "p99" or "p(99)" or "p99.9" */
static int parse_percentile(const char *text, double *ret)
{
	struct str s = str_from(text);
	double percent;

	if (!str_starts_with(s, STR("p")))
		return -EINVAL;
	s = (struct str){ s.ptr + 1, s.len - 1 };
	if (str_starts_with(s, STR("(")) && str_ends_with(s, STR(")")))
		s = (struct str){ s.ptr + 1, s.len - 2 };
	if (num_parse_double(s, &percent) < 0 || percent <= 0 || percent >= 100)
		return -EINVAL;
	*ret = percent / 100;
	return 0;
}

static int read_slo(const struct reader *r, const struct conf_node *n)
{
	struct case_slo *slo = &r->out->slo;
	uint64_t limit_ns = 0;
	const struct conf_node *limit;
	const char *percentile = "p99";
	int err = check_keys(r, n, KNOWN_KEYS("metric", "percentile", "limit"));

	if (err == 0)
		err = read_text(r, n, "metric", &slo->metric);
	if (err == 0)
		err = conf_get_string(r->conf, n, "percentile", &percentile, r->reterr);
	if (err == 0 && parse_percentile(percentile, &slo->quantile) < 0)
		err = conf_error(r->conf, conf_get(n, "percentile"), r->reterr,
				 "percentile takes p50 to p99.99, not \"%s\"", percentile);
	if (err == 0)
		err = conf_need(r->conf, n, "limit", &limit, r->reterr);
	if (err == 0)
		err = conf_get_duration(r->conf, n, "limit", &limit_ns, r->reterr);
	if (err == 0 && !limit_ns)
		err = conf_error(r->conf, limit, r->reterr, "limit must be more than 0");
	slo->limit_ms = (double)limit_ns / 1e6;
	return err;
}

static int read_variant(const struct reader *r, const struct conf_node *n)
{
	struct case_variant v = { 0 };
	int err = check_keys(r, n, KNOWN_KEYS("name", "description", "vars"));

	if (err == 0)
		err = need_text(r, n, "name", &v.name);
	if (err == 0)
		err = read_text(r, n, "description", &v.description);
	if (err == 0)
		err = read_pairs(r, n, "vars", &v.vars);
	vec_for_each (&r->out->variants, other)
		if (err == 0 && !strcmp(other->name, v.name))
			err = conf_error(r->conf, n, r->reterr, "variant \"%s\" is there twice",
					 v.name);
	vec_push(&r->out->variants, v);
	return err;
}

static int read_suspect(const struct reader *r, const struct conf_node *n)
{
	struct case_suspect s = { 0 };
	int err = check_keys(r, n, KNOWN_KEYS("text", "removed_by"));
	bool known = false;

	if (err == 0)
		err = need_text(r, n, "text", &s.text);
	if (err == 0)
		err = need_text(r, n, "removed_by", &s.removed_by);
	vec_for_each (&r->out->variants, v)
		known |= s.removed_by && !strcmp(v->name, s.removed_by);
	if (err == 0 && !known)
		err = conf_error(r->conf, conf_get(n, "removed_by"), r->reterr,
				 "no variant is named \"%s\"", s.removed_by);
	vec_push(&r->out->suspects, s);
	return err;
}

static int read_request(const struct reader *r, const struct conf_node *n)
{
	struct case_request q = { 0 };
	int err = check_keys(r, n, KNOWN_KEYS("method", "path", "body"));

	if (err == 0)
		err = need_text(r, n, "path", &q.path);
	if (err == 0)
		err = read_text(r, n, "body", &q.body);
	if (err == 0)
		err = read_text(r, n, "method", &q.method);
	if (err == 0 && !q.method)
		q.method = xstrdup(q.body ? "POST" : "GET");
	vec_push(&r->out->same_answers, q);
	return err;
}

static int read_open_item(const struct reader *r, const struct conf_node *item)
{
	if (item->kind != CONF_SCALAR)
		return conf_error(r->conf, item, r->reterr, "an open item must be text");
	vec_push(&r->out->texts.open_items, xstrdup(item->text));
	return 0;
}

static int read_texts(const struct reader *r, const struct conf_node *n)
{
	struct case_texts *t = &r->out->texts;
	const struct {
		const char *key;
		char **to;
	} texts[] = {
		{ "symptom", &t->symptom },	  { "since", &t->since },
		{ "root_cause", &t->root_cause }, { "fix", &t->fix },
		{ "fix_commit", &t->fix_commit }, { "owner", &t->owner },
	};
	int err = check_keys(r, n,
			     KNOWN_KEYS("symptom", "since", "root_cause", "fix", "fix_commit",
					"owner", "open_items"));

	for (size_t i = 0; i < ARRAY_SIZE(texts) && err == 0; i++)
		err = read_text(r, n, texts[i].key, texts[i].to);
	return err == 0 ? read_list(r, n, "open_items", false, read_open_item) : err;
}

typedef int part_reader(const struct reader *r, const struct conf_node *n);

static int read_part(const struct reader *r, const char *key, bool need, part_reader *fn)
{
	const struct conf_node *n = conf_get(&r->conf->root, key);

	if (!n)
		return need ? conf_need(r->conf, &r->conf->root, key, &n, r->reterr) : 0;
	return fn(r, n);
}

static int read_case(const struct reader *r)
{
	const struct conf_node *root = &r->conf->root;
	int err = check_keys(r, root,
			     KNOWN_KEYS("name", "target", "load", "slo", "runs", "variants",
					"suspects", "same_answers", "texts"));

	if (err == 0)
		err = need_text(r, root, "name", &r->out->name);
	if (err == 0)
		err = conf_get_uint(r->conf, root, "runs", &r->out->runs, r->reterr);
	if (err == 0 && (r->out->runs < 1 || r->out->runs > 100))
		err = conf_error(r->conf, conf_get(root, "runs"), r->reterr, "runs takes 1 to 100");
	if (err == 0)
		err = read_part(r, "target", true, read_target);
	if (err == 0)
		err = read_part(r, "load", true, read_load);
	if (err == 0)
		err = read_part(r, "slo", true, read_slo);
	if (err == 0)
		err = read_list(r, root, "variants", true, read_variant);
	if (err == 0)
		err = read_list(r, root, "suspects", false, read_suspect);
	if (err == 0)
		err = read_list(r, root, "same_answers", false, read_request);
	return err == 0 ? read_part(r, "texts", false, read_texts) : err;
}

static void set_defaults(struct case_file *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	c->path = xstrdup(path);
	c->dir = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
	c->runs = 2;
	c->target.period_ns = 100 * NS_PER_MS;
	c->target.ready_path = xstrdup("/");
	c->target.ready_timeout_ns = 30 * NS_PER_S;
	c->target.histogram = xstrdup("http_server_request_duration_seconds");
	c->load.duration_ns = 60 * NS_PER_S;
	c->load.warmup_ns = 10 * NS_PER_S;
	c->slo.metric = xstrdup("http_req_duration");
	c->slo.quantile = 0.99;
}

int case_file_parse(struct str text, const char *path, struct case_file **ret, struct error *reterr)
{
	CLEANUP(cleanup_case_file) struct case_file *c = xcalloc(1, sizeof(*c));
	CLEANUP(cleanup_conf) struct conf *conf = NULL;
	struct reader r = { .out = c, .reterr = reterr };
	int err;

	set_defaults(c, path);
	err = conf_parse(text, path, &conf, reterr);
	if (err < 0)
		return err;
	r.conf = conf;
	err = read_case(&r);
	if (err < 0)
		return err;
	*ret = TAKE(c);
	return 0;
}

int case_file_load(const char *path, struct case_file **ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = file_read(path, CONF_FILE_MAX, &text, reterr);

	return err < 0 ? err : case_file_parse(strbuf_str(&text), path, ret, reterr);
}

static void free_pairs(struct case_pairs *pairs)
{
	vec_for_each (pairs, p) {
		free(p->name);
		free(p->value);
	}
	vec_release(pairs);
}

static void free_target(struct case_target *t)
{
	vec_for_each (&t->command, word)
		free(*word);
	vec_release(&t->command);
	free_pairs(&t->env);
	free(t->cgroup);
	free(t->url);
	free(t->ready_path);
	free(t->metrics_path);
	free(t->histogram);
	free(t->cache_path);
}

static void free_lists(struct case_file *c)
{
	vec_for_each (&c->variants, v) {
		free(v->name);
		free(v->description);
		free_pairs(&v->vars);
	}
	vec_release(&c->variants);
	vec_for_each (&c->suspects, s) {
		free(s->text);
		free(s->removed_by);
	}
	vec_release(&c->suspects);
	vec_for_each (&c->same_answers, q) {
		free(q->method);
		free(q->path);
		free(q->body);
	}
	vec_release(&c->same_answers);
}

static void free_texts(struct case_texts *t)
{
	vec_for_each (&t->open_items, item)
		free(*item);
	vec_release(&t->open_items);
	free(t->symptom);
	free(t->since);
	free(t->root_cause);
	free(t->fix);
	free(t->fix_commit);
	free(t->owner);
}

struct case_file *case_file_free(struct case_file *c)
{
	if (!c)
		return NULL;
	free_target(&c->target);
	free_pairs(&c->load.env);
	free(c->load.script);
	free(c->slo.metric);
	free_lists(c);
	free_texts(&c->texts);
	free(c->path);
	free(c->dir);
	free(c->name);
	free(c);
	return NULL;
}
