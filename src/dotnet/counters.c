#include "dotnet/counters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "dotnet/counters_internal.h"

#define NOTES_MAX     200	       /* different ones */
#define BATCH_NS      (40 * NS_PER_MS) /* a batch takes no longer; intervals are 100 ms or more */
#define PROVIDERS_MAX 10000	       /* that are remembered to have given values */
#define CLOCKS_DIFFER (5 * (int64_t)NS_PER_S) /* from here on they are not the same */

/* ---- the way out ---- */

int dotnet_counters_hand(struct dotnet_counters *c, const struct watch_value *v)
{
	c->open = true;
	c->last_ns = MAX(c->last_ns, v->t_ns);
	if (c->given.len < PROVIDERS_MAX && !map_get_c(&c->given, v->provider))
		map_put(&c->given, str_from(v->provider), c);
	return c->out->ops->value(c->out, v);
}

static int say_losses(struct dotnet_counters *c)
{
	uint64_t n = c->lost;
	char text[160];

	c->lost = 0;
	if (!n)
		return 0;
	snprintf(text, sizeof(text), "%llu event%s of the runtime %s lost: values are missing",
		 (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "was" : "were");
	return c->out->ops->note(c->out, c->last_ns, text);
}

int dotnet_counters_tick(struct dotnet_counters *c)
{
	int r = say_losses(c);

	c->expected = c->row.len;
	map_release(&c->row);
	map_release(&c->row_given);
	c->row = c->row_given = (struct map)MAP_INIT;
	c->open = c->collected = false;
	c->rows++;
	return r < 0 ? r : c->out->ops->tick(c->out, c->last_ns);
}

/* A provider that is no EventSource shows by giving nothing at first. */
static bool awaits_events(const struct dotnet_counters *c)
{
	return c->asked.len && (c->got_events || c->rows < 2);
}

int dotnet_counters_end_row(struct dotnet_counters *c)
{
	bool complete = c->expected && c->row.len >= c->expected;

	return c->collected && (complete || !awaits_events(c)) ? dotnet_counters_tick(c) : 0;
}

int dotnet_counters_say(struct dotnet_counters *c, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (c->said.len >= NOTES_MAX || map_get(&c->said, strbuf_str(&text)))
		return 0;
	map_put(&c->said, strbuf_str(&text), c);
	return c->out->ops->note(c->out, c->last_ns ? c->last_ns : c->now_ns, strbuf_cstr(&text));
}

uint64_t dotnet_counters_time(struct dotnet_counters *c, const struct nettrace_event *e)
{
	const struct nettrace_info *i = nettrace_info(c->reader);
	int64_t begun = i->ticks_per_s == NS_PER_S ? (int64_t)i->sync_ticks : 0;

	if (!c->has_offset) {
		int64_t ahead = (int64_t)c->now_ns - (begun + e->t_ns);

		c->has_offset = true;
		c->offset_ns = !c->now_ns || llabs(ahead) < CLOCKS_DIFFER ? 0 : ahead;
	}
	return (uint64_t)MAX(begun + e->t_ns + c->offset_ns, 0);
}

double dotnet_counters_interval(const struct dotnet_counters *c, double told_s, uint64_t since_ns)
{
	double seen_s = (double)since_ns / 1e9;
	double slack_s = fmax(0.2 * seen_s, 0.15); /* they are told a bit late, not equally */

	if (!since_ns) /* another client's first interval may be longer than ours */
		return told_s > 0 && told_s < fmax(4 * c->opts.interval_s, 5) ? told_s
									      : c->opts.interval_s;
	return fabs(told_s - seen_s) < slack_s ? told_s : seen_s;
}

/* ---- what is wished ---- */

bool dotnet_wants_meter(const struct dotnet_counters *c, const char *meter, const char *name)
{
	vec_for_each (&c->wishes->list, w) {
		if (w->event_counters || !watch_wish_is(w->provider, meter))
			continue;
		if (!w->counters.len)
			return true;
		vec_for_each (&w->counters, listed)
			if (watch_wish_is(*listed, name))
				return true;
	}
	return false;
}

static bool wish_has_counter(const struct watch_wish *w, const char *provider, const char *name,
			     bool is_meter)
{
	bool runtime = !strcasecmp(provider, "System.Runtime");

	if (!w->counters.len)
		return w->event_counters || !is_meter;
	vec_for_each (&w->counters, listed) {
		bool old = runtime && !dotnet_is_runtime_meter(provider, *listed);

		if (dotnet_counter_is(provider, name, *listed) &&
		    (w->event_counters || old || !is_meter))
			return true;
	}
	return false;
}

bool dotnet_wants_counter(const struct dotnet_counters *c, const char *provider, const char *name)
{
	bool is_meter = map_get_c(&c->meters, provider) != NULL;

	vec_for_each (&c->wishes->list, w)
		if (watch_wish_is(w->provider, provider) &&
		    wish_has_counter(w, provider, name, is_meter))
			return true;
	return false;
}

/* ---- EventCounters ---- */

static const char *find_text(struct dotnet_counters *c, unsigned i, const struct nettrace_event *e,
			     const char *name)
{
	struct payload_value v;

	strbuf_clear(&c->text[i]);
	if (payload_find(e, name, &v) == 1)
		payload_text(&v, &c->text[i]);
	return strbuf_cstr(&c->text[i]);
}

static double find_number(const struct nettrace_event *e, const char *name)
{
	struct payload_value v;

	return payload_find(e, name, &v) == 1 ? payload_number(&v) : NAN;
}

/* "k:v,k:v" becomes "k=v,k=v". */
static const char *find_tags(struct dotnet_counters *c, unsigned i, const struct nettrace_event *e)
{
	bool in_key = true;

	find_text(c, i, e, "Metadata");
	for (size_t at = 0; at < c->text[i].len; at++) {
		char *p = &c->text[i].ptr[at];

		if (*p == ',')
			in_key = true;
		else if (*p == ':' && in_key)
			*p = '=', in_key = false;
	}
	return strbuf_cstr(&c->text[i]);
}

/* Whoever wishes the shortest interval has it for all. */
static int check_interval(struct dotnet_counters *c, const char *series)
{
	struct str text = str_from(series), number;
	uint64_t ms;

	if (!str_starts_with(text, STR("Interval=")))
		return 0;
	number = (struct str){ text.ptr + 9, text.len - 9 };
	if (num_parse_u64(number, &ms) < 0 || fabs((double)ms / 1000 - c->opts.interval_s) < 0.002)
		return 0;
	return dotnet_counters_say(c,
				   "another tool has EventCounters told every %g s: they come so "
				   "often here too",
				   (double)ms / 1000);
}

/* EventCounters of a provider come in batches: how long after the one before this is. */
struct batch {
	uint64_t ns, before_ns;
};

static uint64_t since_batch(struct dotnet_counters *c, const char *provider, uint64_t t_ns)
{
	struct batch *b = map_get_c(&c->batches, provider);

	if (!b) {
		if (c->batches.len >= PROVIDERS_MAX)
			return 0;
		b = xcalloc(1, sizeof(*b));
		b->ns = t_ns;
		map_put(&c->batches, str_from(provider), b);
	}
	if (t_ns - b->ns > BATCH_NS && t_ns > b->ns)
		*b = (struct batch){ t_ns, b->ns };
	return b->before_ns ? b->ns - b->before_ns : 0;
}

/* One that is told a second time belongs to the next row. */
static int open_row(struct dotnet_counters *c, const struct watch_value *v)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;
	int r = 0;

	strbuf_addf(&key, "%s\n%s\n%s", v->provider, v->name, v->tags);
	if (map_get(&c->row, strbuf_str(&key)))
		r = dotnet_counters_tick(c);
	map_put(&c->row, strbuf_str(&key), c);
	if (!map_get_c(&c->row_given, v->provider))
		map_put(&c->row_given, str_from(v->provider), c);
	return r;
}

static int on_counter(struct dotnet_counters *c, const struct nettrace_event *e)
{
	double increment = find_number(e, "Increment");
	struct watch_value v = { .t_ns = dotnet_counters_time(c, e),
				 .source = WATCH_DOTNET,
				 .kind = isnan(increment) ? WATCH_GAUGE : WATCH_RATE,
				 .provider = e->meta->provider,
				 .name = find_text(c, 0, e, "Name"),
				 .unit = find_text(c, 1, e, "DisplayUnits"),
				 .display = find_text(c, 2, e, "DisplayName"),
				 .tags = find_tags(c, 3, e),
				 .meter_tags = "",
				 .instrument_tags = "",
				 .interval_s = find_number(e, "IntervalSec"),
				 .value = isnan(increment) ? find_number(e, "Mean") : increment,
				 .total = NAN,
				 .quantile = NAN,
				 .count = NAN };
	int r;

	if (isnan(v.value) || !*v.name || !dotnet_wants_counter(c, v.provider, v.name))
		return 0;
	v.display = *v.display ? v.display : NULL;
	v.interval_s =
		dotnet_counters_interval(c, v.interval_s, since_batch(c, v.provider, v.t_ns));
	r = check_interval(c, find_text(c, 4, e, "Series"));
	if (r == 0)
		r = open_row(c, &v);
	c->got_events = true;
	if (r == 0)
		r = dotnet_counters_hand(c, &v);
	return r < 0 ? r : dotnet_counters_end_row(c);
}

/* ---- the stream ---- */

static int on_event(void *user, const struct nettrace_event *e)
{
	struct dotnet_counters *c = user;

	if (!strcmp(e->meta->provider, DOTNET_METRICS))
		return dotnet_metrics_event(c, e);
	return !strcmp(e->meta->name, "EventCounters") ? on_counter(c, e) : 0;
}

static int on_lost(void *user, uint64_t thread UNUSED, uint64_t n)
{
	struct dotnet_counters *c = user;

	c->lost += n;
	return 0;
}

static void start_reader(struct dotnet_counters *c)
{
	const struct nettrace_handler h = { .user = c, .event = on_event, .lost = on_lost };

	c->reader = nettrace_new(&h);
	c->has_offset = c->collecting = c->collected = false;
	c->collected_ns = 0;
	free(c->session);
	c->session = xstrdup(DOTNET_SHARED);
}

struct dotnet_counters *dotnet_counters_new(const struct dotnet_counters_opts *o,
					    const struct dotnet_counters_plan *plan,
					    struct watch_out *out)
{
	struct dotnet_counters *c = xcalloc(1, sizeof(*c));

	c->opts = *o;
	if (!(c->opts.interval_s > 0))
		c->opts.interval_s = 1;
	c->wishes = o->wishes;
	if (!c->wishes || !c->wishes->list.len) {
		watch_wishes_parse(DOTNET_DEFAULT_WISHES, &c->defaults, NULL);
		c->wishes = &c->defaults;
	}
	memcpy(c->client_id, plan->client_id, sizeof(c->client_id));
	vec_for_each (&plan->providers, p)
		if (strcmp(p->name, DOTNET_METRICS) != 0)
			map_put(&c->asked, str_from(p->name), c);
	c->out = out;
	start_reader(c);
	return c;
}

struct dotnet_counters *dotnet_counters_free(struct dotnet_counters *c)
{
	if (!c)
		return NULL;
	nettrace_free(c->reader);
	dotnet_instruments_release(c);
	map_for_each (&c->batches, b)
		free(b->value);
	map_release(&c->batches);
	map_release(&c->meters);
	map_release(&c->given);
	map_release(&c->said);
	map_release(&c->row);
	map_release(&c->row_given);
	map_release(&c->asked);
	for (size_t i = 0; i < ARRAY_SIZE(c->text); i++)
		strbuf_release(&c->text[i]);
	watch_wishes_release(&c->defaults);
	free(c->session);
	free(c);
	return NULL;
}

void dotnet_counters_restart(struct dotnet_counters *c)
{
	nettrace_free(c->reader);
	start_reader(c);
}

int dotnet_counters_feed(struct dotnet_counters *c, struct str bytes, uint64_t now_ns,
			 struct error *reterr)
{
	c->now_ns = now_ns;
	return nettrace_feed(c->reader, bytes, reterr);
}

/* Whether all EventCounters that can be expected have come; a batch comes in one go. */
static bool has_all(const struct dotnet_counters *c)
{
	map_for_each (&c->asked, a) {
		bool is_meter = map_get_c(&c->meters, a->key), awaited = false;

		vec_for_each (&c->wishes->list, w)
			if (watch_wish_is(w->provider, a->key))
				awaited = awaited || !is_meter || w->event_counters ||
					  w->counters.len;
		if (awaited && !map_get_c(&c->row_given, a->key))
			return false;
	}
	return true;
}

int dotnet_counters_flush(struct dotnet_counters *c, struct error *reterr)
{
	int r = nettrace_flush(c->reader, reterr);

	return r == 0 && c->collected && has_all(c) ? dotnet_counters_tick(c) : r;
}

bool dotnet_counters_is_open(const struct dotnet_counters *c)
{
	return c->open && (c->collected || !c->collecting);
}

int dotnet_counters_close_row(struct dotnet_counters *c)
{
	return c->open ? dotnet_counters_tick(c) : 0;
}

bool dotnet_counters_must_reopen(struct dotnet_counters *c, struct dotnet_counters_opts *ret)
{
	bool must = c->reopen;

	c->reopen = false;
	if (must)
		*ret = c->theirs;
	return must;
}

static bool has_given(const struct dotnet_counters *c, const char *pattern)
{
	map_for_each (&c->given, g)
		if (watch_wish_is(pattern, g->key))
			return true;
	return false;
}

int dotnet_counters_note_missing(struct dotnet_counters *c, uint64_t t_ns)
{
	static const char *const others[] = { "process", "cgroup", "net", "system", "prometheus" };
	int r = 0;

	c->last_ns = MAX(c->last_ns, t_ns);
	vec_for_each (&c->wishes->list, w) {
		bool other = c->wishes == &c->defaults;

		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			other = other || !strcasecmp(w->provider, others[i]);
		if (r == 0 && !other && !has_given(c, w->provider))
			r = dotnet_counters_say(c,
						"nothing came from %s: no meter and no EventSource "
						"of that name, or it measured nothing",
						w->provider);
	}
	return r;
}
