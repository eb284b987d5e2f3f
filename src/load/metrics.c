/*
 * Metrics lie in a table of fixed size, so that readers need no lock: a slot is filled before the
 * count that makes it visible grows. What only registration needs, the map of names, is under the
 * lock. Names, types and the grammar of keys are k6's (its documentation of built-in metrics and of
 * thresholds on tagged data).
 */
#include "load/metrics.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

#define NAME_MIN     2
#define NAME_MAX_LEN 128

struct metric {
	struct load_metric pub;
	struct load_submetric *subs[LOAD_SUBMETRICS_MAX];
	uint32_t sub_count;
};

struct load_metrics {
	pthread_mutex_t lock; /* guards names and additions */
	struct map names;     /* -> struct metric * */
	struct metric *metrics[LOAD_METRICS_MAX];
	_Atomic uint32_t count;
	VEC(struct load_submetric *) submetrics;
	bool split;
};

struct builtin {
	const char *name;
	enum load_metric_type type;
	enum load_contains contains;
	bool own;
};

static const struct builtin builtins[LOAD_M_BUILTINS] = {
	[LOAD_M_VUS] = { "vus", LOAD_GAUGE, LOAD_DEFAULT, false },
	[LOAD_M_VUS_MAX] = { "vus_max", LOAD_GAUGE, LOAD_DEFAULT, false },
	[LOAD_M_ITERATIONS] = { "iterations", LOAD_COUNTER, LOAD_DEFAULT, false },
	[LOAD_M_ITERATION_DURATION] = { "iteration_duration", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_DROPPED_ITERATIONS] = { "dropped_iterations", LOAD_COUNTER, LOAD_DEFAULT, false },
	[LOAD_M_CHECKS] = { "checks", LOAD_RATE, LOAD_DEFAULT, false },
	[LOAD_M_GROUP_DURATION] = { "group_duration", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_HTTP_REQS] = { "http_reqs", LOAD_COUNTER, LOAD_DEFAULT, false },
	[LOAD_M_HTTP_REQ_FAILED] = { "http_req_failed", LOAD_RATE, LOAD_DEFAULT, false },
	[LOAD_M_HTTP_REQ_DURATION] = { "http_req_duration", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_HTTP_REQ_BLOCKED] = { "http_req_blocked", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_HTTP_REQ_CONNECTING] = { "http_req_connecting", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_HTTP_REQ_TLS_HANDSHAKING] = { "http_req_tls_handshaking", LOAD_TREND, LOAD_TIME,
					      false },
	[LOAD_M_HTTP_REQ_SENDING] = { "http_req_sending", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_HTTP_REQ_WAITING] = { "http_req_waiting", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_HTTP_REQ_RECEIVING] = { "http_req_receiving", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_WS_SESSIONS] = { "ws_sessions", LOAD_COUNTER, LOAD_DEFAULT, false },
	[LOAD_M_WS_CONNECTING] = { "ws_connecting", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_WS_SESSION_DURATION] = { "ws_session_duration", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_WS_MSGS_SENT] = { "ws_msgs_sent", LOAD_COUNTER, LOAD_DEFAULT, false },
	[LOAD_M_WS_MSGS_RECEIVED] = { "ws_msgs_received", LOAD_COUNTER, LOAD_DEFAULT, false },
	[LOAD_M_WS_PING] = { "ws_ping", LOAD_TREND, LOAD_TIME, false },
	[LOAD_M_DATA_SENT] = { "data_sent", LOAD_COUNTER, LOAD_DATA, false },
	[LOAD_M_DATA_RECEIVED] = { "data_received", LOAD_COUNTER, LOAD_DATA, false },
	[LOAD_M_HTTP_REQ_DURATION_CORRECTED] = { "http_req_duration_corrected", LOAD_TREND,
						 LOAD_TIME, true },
	[LOAD_M_ITERATION_START_LAG] = { "iteration_start_lag", LOAD_TREND, LOAD_TIME, true },
};

static const char *const type_names[] = { "counter", "gauge", "rate", "trend" };
static const char *const contains_names[] = { "default", "time", "data" };

const char *load_metric_type_name(enum load_metric_type t)
{
	return type_names[t];
}

const char *load_contains_name(enum load_contains c)
{
	return contains_names[c];
}

/* Adds a metric; the lock is held or nobody else knows the registry yet. */
static struct metric *add_metric(struct load_metrics *r, struct str name,
				 enum load_metric_type type, enum load_contains contains)
{
	uint32_t id = atomic_load_explicit(&r->count, memory_order_relaxed);
	struct metric *m = xcalloc(1, sizeof(*m));

	m->pub = (struct load_metric){
		.id = id, .name = str_dup(name), .type = type, .contains = contains
	};
	map_put(&r->names, name, m);
	r->metrics[id] = m;
	atomic_store_explicit(&r->count, id + 1, memory_order_release);
	return m;
}

struct load_metrics *load_metrics_new(void)
{
	struct load_metrics *r = xcalloc(1, sizeof(*r));
	const struct load_submetric *expected;

	pthread_mutex_init(&r->lock, NULL);
	for (int i = 0; i < LOAD_M_BUILTINS; i++) {
		const struct builtin *b = &builtins[i];

		add_metric(r, str_from(b->name), b->type, b->contains)->pub.own = b->own;
	}
	/* k6 has this one in every run */
	if (load_metrics_add_submetric(r, STR("http_req_duration{expected_response:true}"),
				       &expected, NULL) < 0)
		BUG("the built-in submetric");
	return r;
}

static void free_submetric(struct load_submetric *s)
{
	for (size_t i = 0; i < s->tag_count; i++) {
		free((char *)(uintptr_t)s->tags[i].key.ptr);
		free((char *)(uintptr_t)s->tags[i].value.ptr);
	}
	free(s->tags);
	free((char *)(uintptr_t)s->name);
	free((char *)(uintptr_t)s->suffix);
	free(s);
}

void load_metrics_split(struct load_metrics *r)
{
	r->split = true;
}

bool load_metrics_are_split(const struct load_metrics *r)
{
	return r->split;
}

void load_metrics_free(struct load_metrics *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->count; i++) {
		free((char *)(uintptr_t)r->metrics[i]->pub.name);
		free(r->metrics[i]);
	}
	vec_for_each (&r->submetrics, s)
		free_submetric(*s);
	vec_release(&r->submetrics);
	map_release(&r->names);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static bool is_name(struct str s)
{
	if (s.len < NAME_MIN || s.len > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i], low = (char)(c | 0x20);
		bool letter = c == '_' || (low >= 'a' && low <= 'z');

		if (!letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return true;
}

static int check_same(const struct metric *m, const struct load_metric *def, struct error *reterr)
{
	if (m->pub.type != def->type)
		return error_set(reterr, -EINVAL,
				 "metric '%s' already exists but with type %s, instead of %s",
				 m->pub.name, type_names[m->pub.type], type_names[def->type]);
	if (m->pub.contains != def->contains)
		return error_set(
			reterr, -EINVAL,
			"metric '%s' already exists but with a value type %s, instead of %s",
			m->pub.name, contains_names[m->pub.contains],
			contains_names[def->contains]);
	return 0;
}

static int register_locked(struct load_metrics *r, const struct load_metric *def,
			   const struct load_metric **ret, struct error *reterr)
{
	struct metric *m = map_get_c(&r->names, def->name);
	int err = m ? check_same(m, def, reterr) : 0;

	if (err < 0)
		return err;
	if (!m && r->count >= LOAD_METRICS_MAX)
		return error_set(reterr, -E2BIG,
				 "a script may make %d metrics at most; use tags instead of '%s'",
				 LOAD_METRICS_MAX - LOAD_M_BUILTINS, def->name);
	if (!m) {
		m = add_metric(r, str_from(def->name), def->type, def->contains);
		m->pub.custom = true;
	}
	*ret = &m->pub;
	return 0;
}

int load_metrics_register(struct load_metrics *r, const struct load_metric *def,
			  const struct load_metric **ret, struct error *reterr)
{
	int err;

	if (!is_name(str_from(def->name)))
		return error_set(reterr, -EINVAL,
				 "invalid metric name '%s': metric names start with a letter or an "
				 "underscore and have 2 to 128 ASCII letters, numbers or "
				 "underscores",
				 def->name);
	pthread_mutex_lock(&r->lock);
	err = register_locked(r, def, ret, reterr);
	pthread_mutex_unlock(&r->lock);
	return err;
}

const struct load_metric *load_metrics_find(struct load_metrics *r, struct str name)
{
	struct metric *m;

	pthread_mutex_lock(&r->lock);
	m = map_get(&r->names, name);
	pthread_mutex_unlock(&r->lock);
	return m ? &m->pub : NULL;
}

uint32_t load_metrics_count(struct load_metrics *r)
{
	return atomic_load_explicit(&r->count, memory_order_acquire);
}

const struct load_metric *load_metrics_get(struct load_metrics *r, uint32_t id)
{
	return id < load_metrics_count(r) ? &r->metrics[id]->pub : NULL;
}

static int unknown_metric(struct load_metrics *r, struct str name, struct error *reterr)
{
	uint32_t count = load_metrics_count(r);
	const char **names = xcalloc(count, sizeof(*names));
	char *word = str_dup(name);
	const char *near;

	for (uint32_t i = 0; i < count; i++)
		names[i] = r->metrics[i]->pub.name;
	near = str_nearest(word, names, count);
	error_set(reterr, -ENOENT, "there is no metric '%s'%s%s%s", word,
		  near ? "; did you mean '" : ": neither k6 nor the script's init code makes one",
		  near ? near : "", near ? "'?" : "");
	free(names);
	free(word);
	return -ENOENT;
}

int load_metrics_lookup(struct load_metrics *r, struct str name, const struct load_metric **ret,
			struct error *reterr)
{
	const struct load_metric *m = load_metrics_find(r, name);

	if (!m)
		return unknown_metric(r, name, reterr);
	*ret = m;
	return 0;
}

/* --- submetrics ------------------------------------------------------------------------------- */

static struct str unquote(struct str s)
{
	s = str_trim(s);
	while (s.len && (*s.ptr == '"' || *s.ptr == '\''))
		s.ptr++, s.len--;
	while (s.len && (s.ptr[s.len - 1] == '"' || s.ptr[s.len - 1] == '\''))
		s.len--;
	return s;
}

/* Reads "a:b, c:d" into s, which owns copies. */
static int parse_tags(struct load_submetric *s, struct error *reterr)
{
	struct str rest = str_from(s->suffix), part;

	while (str_split(&rest, ',', &part)) {
		size_t colon = str_find(part, ':');
		struct str key = unquote((struct str){ part.ptr, colon }), value = STR("");

		if (colon < part.len)
			value = unquote((struct str){ part.ptr + colon + 1, part.len - colon - 1 });
		if (colon + 1 >= part.len || !key.len)
			return error_set(reterr, -EINVAL,
					 "'%s': between the braces must stand tags as "
					 "tag:value, not '%.*s'",
					 s->name, STR_FMT(part));
		s->tags = xrealloc(s->tags, (s->tag_count + 1) * sizeof(*s->tags));
		s->tags[s->tag_count++] = (struct load_tag){ { str_dup(key), key.len },
							     { str_dup(value), value.len } };
	}
	return 0;
}

static bool same_tags(const struct load_submetric *a, const struct load_submetric *b)
{
	if (a->tag_count != b->tag_count)
		return false;
	for (size_t i = 0; i < a->tag_count; i++)
		if (!str_eq(a->tags[i].key, b->tags[i].key) ||
		    !str_eq(a->tags[i].value, b->tags[i].value))
			return false;
	return true;
}

static struct metric *inner(const struct load_metric *m)
{
	return container_of((struct load_metric *)(uintptr_t)m, struct metric, pub);
}

/* Makes s known, or gives it up for an equal one. */
static int adopt(struct load_metrics *r, struct metric *m, struct load_submetric *s,
		 const struct load_submetric **ret, struct error *reterr)
{
	for (uint32_t i = 0; i < m->sub_count; i++)
		if (same_tags(m->subs[i], s)) {
			*ret = m->subs[i];
			free_submetric(s);
			return 0;
		}
	if (m->sub_count == LOAD_SUBMETRICS_MAX) {
		free_submetric(s);
		return error_set(reterr, -E2BIG,
				 "a metric may have %d thresholds on tags at most, %s has more",
				 LOAD_SUBMETRICS_MAX, m->pub.name);
	}
	s->metric = &m->pub;
	s->id = (uint32_t)r->submetrics.len;
	s->bit = m->sub_count;
	m->subs[m->sub_count++] = s;
	vec_push(&r->submetrics, s);
	*ret = s;
	return 0;
}

int load_metrics_add_submetric(struct load_metrics *r, struct str key,
			       const struct load_submetric **ret, struct error *reterr)
{
	size_t open = str_find(key, '{');
	struct str name = { key.ptr, open };
	struct load_submetric *s;
	const struct load_metric *m;
	int err;

	if (open + 2 >= key.len || key.ptr[key.len - 1] != '}')
		return error_set(reterr, -EINVAL,
				 "'%.*s' is malformed: expected metric{tag:value,…}", STR_FMT(key));
	err = load_metrics_lookup(r, name, &m, reterr);
	if (err < 0)
		return err;
	s = xcalloc(1, sizeof(*s));
	s->name = str_dup(key);
	s->suffix = str_dup((struct str){ key.ptr + open + 1, key.len - open - 2 });
	err = parse_tags(s, reterr);
	if (err < 0) {
		free_submetric(s);
		return err;
	}
	return adopt(r, inner(m), s, ret, reterr);
}

uint32_t load_metrics_submetric_count(const struct load_metrics *r)
{
	return (uint32_t)r->submetrics.len;
}

const struct load_submetric *load_metrics_submetric(const struct load_metrics *r, uint32_t id)
{
	return r->submetrics.ptr[id];
}

uint32_t load_metrics_submetrics_of(const struct load_metric *m)
{
	return inner(m)->sub_count;
}

const struct load_submetric *load_metrics_submetric_of(const struct load_metric *m, uint32_t bit)
{
	return inner(m)->subs[bit];
}

static bool has_tags(const struct load_tags *tags, const struct load_submetric *s)
{
	for (size_t i = 0; i < s->tag_count; i++) {
		struct str value = load_tags_get(tags, s->tags[i].key);

		if (!value.ptr || !str_eq(value, s->tags[i].value))
			return false;
	}
	return true;
}

uint64_t load_metrics_match(const struct load_metric *m, const struct load_tags *tags)
{
	const struct metric *in = inner(m);
	uint64_t mask = 0;

	for (uint32_t i = 0; i < in->sub_count; i++)
		if (has_tags(tags, in->subs[i]))
			mask |= UINT64_C(1) << i;
	return mask;
}
