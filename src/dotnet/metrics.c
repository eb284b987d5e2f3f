/*
 * The events of System.Diagnostics.Metrics, by id and version: their descriptions are in the
 *stream, but what fields mean is known by their place. Texts unless said; [n] = from that version
 *on:
 *
 *	 2, 3	session, date begin, date end						begin, end
 *	 4, 16	session, meter, version, instrument, unit, tags, rate, [1] value, [2] i32 id
 *counters 5	session, meter, version, instrument, unit, tags, value, [2] i32 id
 *gauges 6	session, meter, version, instrument, unit, tags, quantiles, [1] i32 count, f64 sum,
 *[2] i32 id							histograms 7, 8	session, meter,
 *version, instrument, type, unit, description, [1] instrument's tags, meter's tags, hash, [2] i32
 *id					reporting 19	session, meter, version, instrument, i32 id,
 *unit, tags, i32 scale, f64 sum, i64 count, i64 zeros, f64 min, f64 max, buckets 9, 14 session,
 *message;  12, 13	session;  15	the running session
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf.h"
#include "dotnet/counters_internal.h"
#include "dotnet/cursor.h"

#define INSTRUMENTS_MAX 20000
#define BUCKETS_MAX	4096

struct instrument {
	char *meter_tags, *tags;
};

void dotnet_instruments_release(struct dotnet_counters *c)
{
	map_for_each (&c->instruments, e) {
		struct instrument *i = e->value;

		free(i->meter_tags);
		free(i->tags);
		free(i);
	}
	map_release(&c->instruments);
}

/* The next text of the payload, in a buffer of its own. */
static const char *take_text(struct dotnet_counters *c, struct cursor *p, unsigned i)
{
	struct utf_decoder d = { .form = UTF_16LE, .keep_bom = true };

	strbuf_clear(&c->text[i]);
	utf_decode(&d, cursor_utf16z(p), true, &c->text[i]);
	return strbuf_cstr(&c->text[i]);
}

static bool to_number(const char *text, double *ret)
{
	return num_parse_double(str_from(text), ret) == 0;
}

/* ---- instruments ---- */

static void add_key(struct strbuf *key, uint32_t id, const char *meter, const char *name)
{
	if (id)
		strbuf_addf(key, "%u", id);
	else
		strbuf_addf(key, "%s\n%s", meter, name);
}

static int begin_reporting(struct dotnet_counters *c, const struct nettrace_event *e,
			   struct cursor *p)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;
	const char *meter = take_text(c, p, 1), *name, *tags = "", *meter_tags = "";
	struct instrument *i, *old;
	uint32_t id = 0;

	take_text(c, p, 2);
	name = take_text(c, p, 3);
	for (unsigned skipped = 0; skipped < 3; skipped++)
		take_text(c, p, 4);
	if (e->version >= 1) {
		tags = take_text(c, p, 4);
		meter_tags = take_text(c, p, 5);
		take_text(c, p, 6);
	}
	if (e->version >= 2)
		id = cursor_u32(p);
	if (p->bad)
		return -EBADMSG;
	if (c->instruments.len >= INSTRUMENTS_MAX)
		return 0;
	map_put(&c->meters, str_from(meter), c);
	if (!*tags && !*meter_tags)
		return 0;
	i = xmalloc(sizeof(*i));
	*i = (struct instrument){ xstrdup(meter_tags), xstrdup(tags) };
	add_key(&key, id, meter, name);
	old = map_put(&c->instruments, strbuf_str(&key), i);
	if (old) {
		free(old->meter_tags);
		free(old->tags);
		free(old);
	}
	return 0;
}

/* ---- values ---- */

struct published {
	struct watch_value v;
	uint32_t id;
};

/* meter, version, instrument: the common beginning. */
static void take_names(struct dotnet_counters *c, struct cursor *p, struct published *m)
{
	m->v = (struct watch_value){ .t_ns = c->row_ns,
				     .interval_s = c->row_s,
				     .source = WATCH_DOTNET,
				     .total = NAN,
				     .quantile = NAN,
				     .count = NAN };
	m->v.provider = take_text(c, p, 1);
	take_text(c, p, 2);
	m->v.name = take_text(c, p, 3);
}

static void take_unit_and_tags(struct dotnet_counters *c, struct cursor *p, struct published *m)
{
	m->v.unit = take_text(c, p, 4);
	m->v.tags = take_text(c, p, 5);
}

/* Fills in what was said of the instrument; false when nobody wished it. */
static bool complete(struct dotnet_counters *c, struct published *m)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;
	const struct instrument *i;

	add_key(&key, m->id, m->v.provider, m->v.name);
	i = map_get(&c->instruments, strbuf_str(&key));
	m->v.meter_tags = i ? i->meter_tags : "";
	m->v.instrument_tags = i ? i->tags : "";
	return dotnet_wants_meter(c, m->v.provider, m->v.name);
}

static int counter(struct dotnet_counters *c, const struct nettrace_event *e, struct cursor *p)
{
	struct published m = { 0 };
	const char *rate, *value = "";
	bool up_down = e->meta->event_id == 16, is_there;

	take_names(c, p, &m);
	take_unit_and_tags(c, p, &m);
	rate = take_text(c, p, 6);
	if (e->version >= 1 || up_down)
		value = take_text(c, p, 7);
	if (e->version >= 2)
		m.id = cursor_u32(p);
	if (p->bad)
		return -EBADMSG;
	m.v.kind = up_down ? WATCH_GAUGE : WATCH_RATE;
	is_there = to_number(up_down ? value : rate, &m.v.value);
	if (!up_down && !to_number(value, &m.v.total))
		m.v.total = NAN;
	return is_there && complete(c, &m) ? dotnet_counters_hand(c, &m.v) : 0;
}

static int gauge(struct dotnet_counters *c, const struct nettrace_event *e, struct cursor *p)
{
	struct published m = { 0 };
	const char *value;

	take_names(c, p, &m);
	take_unit_and_tags(c, p, &m);
	value = take_text(c, p, 6);
	if (e->version >= 2)
		m.id = cursor_u32(p);
	if (p->bad)
		return -EBADMSG;
	m.v.kind = WATCH_GAUGE;
	return to_number(value, &m.v.value) && complete(c, &m) ? dotnet_counters_hand(c, &m.v) : 0;
}

/* "0.5=51;0.95=96" */
static int hand_quantiles(struct dotnet_counters *c, struct published *m, const char *quantiles)
{
	struct str rest = str_from(quantiles), part;
	int r = 0;

	m->v.kind = WATCH_QUANTILE;
	while (r == 0 && str_split(&rest, ';', &part)) {
		size_t at = str_find(part, '=');
		struct str q = { part.ptr, at }, value;

		if (at == part.len)
			continue;
		value = (struct str){ part.ptr + at + 1, part.len - at - 1 };
		if (num_parse_double(q, &m->v.quantile) == 0 &&
		    num_parse_double(value, &m->v.value) == 0)
			r = dotnet_counters_hand(c, &m->v);
	}
	return r;
}

static int histogram(struct dotnet_counters *c, const struct nettrace_event *e, struct cursor *p)
{
	struct published m = { 0 };
	const char *quantiles;

	take_names(c, p, &m);
	take_unit_and_tags(c, p, &m);
	quantiles = take_text(c, p, 6);
	if (e->version >= 1) {
		m.v.count = cursor_u32(p);
		cursor_f64(p);
	}
	if (e->version >= 2)
		m.id = cursor_u32(p);
	if (p->bad)
		return -EBADMSG;
	return complete(c, &m) ? hand_quantiles(c, &m, quantiles) : 0;
}

/* ---- exponential histograms ---- */

/* The bucket of a value: its lower bound is 2^(index / 2^scale), exclusive. */
static double bucket_of(double v, int scale)
{
	return ceil(ldexp(log2(v), scale)) - 1;
}

double dotnet_exponential_quantile(const struct dotnet_exponential *h, double q)
{
	double rank = q * (double)h->count, sum = (double)h->zeros;
	double last = h->max > 0 ? bucket_of(h->max, h->scale) : 0;

	if (rank <= sum)
		return MAX(0, h->min);
	for (size_t i = 0; i < h->n_buckets; i++) {
		double n = (double)h->buckets[i], index = last - (double)(h->n_buckets - 1 - i);

		if (n > 0 && rank <= sum + n)
			return fmin(fmax(exp2(ldexp(index + (rank - sum) / n, -h->scale)), h->min),
				    h->max);
		sum += n;
	}
	return h->max;
}

/* "2, 0, 4" */
static size_t parse_buckets(const char *text, uint64_t *buckets)
{
	struct str rest = str_from(text), part;
	size_t n = 0;

	while (n < BUCKETS_MAX && str_split(&rest, ',', &part))
		if (num_parse_u64(str_trim(part), &buckets[n]) == 0)
			n++;
	return n;
}

static int exponential(struct dotnet_counters *c, struct cursor *p)
{
	static const double quantiles[] = { 0.5, 0.95, 0.99 };
	uint64_t buckets[BUCKETS_MAX];
	struct dotnet_exponential h = { .buckets = buckets };
	struct published m = { 0 };
	int r = 0;

	take_names(c, p, &m);
	m.id = cursor_u32(p);
	take_unit_and_tags(c, p, &m);
	h.scale = (int)MIN(MAX(cursor_i32(p), -20), 20);
	cursor_f64(p); /* the sum */
	h.count = cursor_u64(p);
	h.zeros = cursor_u64(p);
	h.min = cursor_f64(p);
	h.max = cursor_f64(p);
	h.n_buckets = parse_buckets(take_text(c, p, 6), buckets);
	if (p->bad)
		return -EBADMSG;
	if (!h.count || !complete(c, &m))
		return 0;
	m.v.kind = WATCH_QUANTILE;
	m.v.count = (double)h.count;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(quantiles); i++) {
		m.v.quantile = quantiles[i];
		m.v.value = dotnet_exponential_quantile(&h, quantiles[i]);
		r = dotnet_counters_hand(c, &m.v);
	}
	return r;
}

/* ---- the session ---- */

static int begin_interval(struct dotnet_counters *c, const struct nettrace_event *e,
			  struct cursor *p)
{
	int64_t begin = (int64_t)cursor_u64(p), end = (int64_t)cursor_u64(p); /* 100 ns each */
	double seconds = (double)(end - begin) / 1e7;

	int r = c->collected ? dotnet_counters_tick(c) : 0;

	if (p->bad)
		return -EBADMSG;
	c->collecting = c->open = true;
	c->row_ns = dotnet_counters_time(c, e);
	c->last_ns = MAX(c->last_ns, c->row_ns);
	c->row_s = dotnet_counters_interval(
		c, seconds, c->collected_ns ? c->row_ns - MIN(c->row_ns, c->collected_ns) : 0);
	c->collected_ns = c->row_ns;
	return r;
}

static int callback_failed(struct dotnet_counters *c, struct cursor *p)
{
	const char *message = take_text(c, p, 1);

	return dotnet_counters_say(c,
				   "an observable instrument's callback fails, its values are "
				   "missing: %.*s",
				   (int)strcspn(message, "\r\n"), message);
}

/* Its id in place of the session's: ours, or that of one which keeps ours out. */
static int other_session(struct dotnet_counters *c, const char *running)
{
	int r;

	if (!strcmp(running, c->session))
		return 0;
	r = dotnet_counters_say(c,
				"another tool reads the meters of this process in a session of its "
				"own (%s), beside which the runtime runs none: what it asked for "
				"is read along, other meters are missing; try again when it has "
				"ended",
				running);
	free(c->session);
	c->session = xstrdup(running);
	return r;
}

static double find_setting(const struct nettrace_event *e, const char *name)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct payload_value v;
	double number = NAN;

	if (payload_find(e, name, &v) != 1)
		return NAN;
	if (v.form != PAYLOAD_TEXT)
		return payload_number(&v);
	payload_text(&v, &text);
	return to_number(strbuf_cstr(&text), &number) ? number : NAN;
}

/* The shared session has other settings than this client wished. */
static int other_settings(struct dotnet_counters *c, const struct nettrace_event *e,
			  const char *client)
{
	double interval_s = find_setting(e, "expectedRefreshInterval");
	double series = find_setting(e, "expectedMaxTimeSeries");
	double histograms = find_setting(e, "expectedMaxHistograms");

	if (strcmp(client, c->client_id) != 0 || !(interval_s > 0) || !(series >= 0) ||
	    !(histograms >= 0))
		return 0;
	c->theirs = c->opts;
	c->theirs.interval_s = interval_s;
	c->theirs.max_time_series = (unsigned)fmin(series, 1e9);
	c->theirs.max_histograms = (unsigned)fmin(histograms, 1e9);
	c->reopen = true;
	return dotnet_counters_say(c,
				   "another tool reads meters of this process already: its "
				   "settings are taken (an interval of %g s, %g time series, %g "
				   "histograms)",
				   interval_s, series, histograms);
}

static int on_trouble(struct dotnet_counters *c, const struct nettrace_event *e, struct cursor *p)
{
	switch (e->meta->event_id) {
	case 9:
		return dotnet_counters_say(c, "the runtime's metrics say: %s", take_text(c, p, 1));
	case 12:
		return dotnet_counters_say(c,
					   "the limit of %u time series is reached: others are "
					   "missing (--maxTimeSeries)",
					   c->opts.max_time_series ? c->opts.max_time_series
								   : 1000);
	case 13:
		return dotnet_counters_say(c,
					   "the limit of %u histograms is reached: others are "
					   "missing (--maxHistograms)",
					   c->opts.max_histograms ? c->opts.max_histograms : 10);
	case 14:
		return callback_failed(c, p);
	default:
		return 0;
	}
}

static int on_session_event(struct dotnet_counters *c, const struct nettrace_event *e,
			    struct cursor *p)
{
	switch (e->meta->event_id) {
	case 2:
		return begin_interval(c, e, p);
	case 3:
		c->collected = true;
		return dotnet_counters_end_row(c);
	case 4:
	case 16:
		return counter(c, e, p);
	case 5:
		return gauge(c, e, p);
	case 6:
		return histogram(c, e, p);
	case 7:
		return begin_reporting(c, e, p);
	case 19:
		return exponential(c, p);
	default:
		return on_trouble(c, e, p);
	}
}

int dotnet_metrics_event(struct dotnet_counters *c, const struct nettrace_event *e)
{
	struct cursor p = cursor_of(e->payload, e->offset);
	const char *session = take_text(c, &p, 0);
	int r = 0;

	if (p.bad)
		return 0;
	if (e->meta->event_id == 15)
		r = other_session(c, session);
	else if (e->meta->event_id == 17)
		r = other_settings(c, e, session);
	else if (!strcmp(session, c->session))
		r = on_session_event(c, e, &p);
	if (r != -EBADMSG)
		return r;
	return dotnet_counters_say(c,
				   "event %u of version %u at offset %llu is not as this program "
				   "knows it: its values are missing",
				   e->meta->event_id, e->version, (unsigned long long)e->offset);
}
