/*
 * `--out experimental-prometheus-rw`: Prometheus remote write 1.0: WriteRequest{timeseries 1},
 * TimeSeries{labels 1, samples 2}, Label{name 1, value 2}, Sample{value 1, timestamp 2}, in
 * snappy's block format. Names are k6's: k6_NAME_total of counters, k6_NAME of gauges,
 * k6_NAME_rate, and k6_NAME_p99 and the like of trends; times are in seconds.
 */
#include <errno.h>
#include <math.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <time.h>

#include "base/num.h"
#include "base/proto.h"
#include "export/push.h"
#include "export/series.h"

#define INTERVAL_NS (5 * NS_PER_S)
#define DEFAULT_URL "http://localhost:9090/api/v1/write"
#define LABELS_MAX  128
/* The NaN by which Prometheus knows that a series has ended. */
#define STALE_BITS UINT64_C(0x7ff0000000000002)

enum stat_kind { STAT_COUNT, STAT_SUM, STAT_MIN, STAT_MAX, STAT_AVG, STAT_QUANTILE };

struct stat {
	enum stat_kind kind;
	double q;
	char suffix[24]; /* "p99" */
};

struct label {
	struct str name, value;
};

struct rw_output {
	struct export_output base;
	/* options */
	struct export_push_opts opts;
	VEC(struct stat) stats;
	bool stale_markers;

	struct export_push *push;
	struct export_table table;
	uint64_t pending; /* points that no body holds yet */
	/* of the series being written */
	struct strbuf names; /* of labels, made fit */
	struct label labels[LABELS_MAX];
	size_t n_labels;
};

static struct rw_output *rw_of(struct export_output *o)
{
	return container_of(o, struct rw_output, base);
}

/* --- a series as bytes ------------------------------------------------------------------------ */

static bool is_name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Prometheus 2 takes [a-zA-Z_][a-zA-Z0-9_]* only. */
static void add_label_name(struct strbuf *out, struct str key)
{
	if (key.len && *key.ptr >= '0' && *key.ptr <= '9')
		strbuf_addch(out, '_');
	for (size_t i = 0; i < key.len; i++)
		strbuf_addch(out, is_name_char(key.ptr[i]) ? key.ptr[i] : '_');
}

static int by_label_name(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

/* The labels of a series but for the value of __name__, in the order of their names. */
static void collect_labels(struct rw_output *w, const struct export_series *s)
{
	size_t ends[LABELS_MAX], begin = 0;
	struct export_tag tag;

	strbuf_clear(&w->names);
	w->n_labels = 0;
	for (uint32_t i = 0; w->n_labels < LABELS_MAX - 1 && w->table.run->tag(s->tags, i, &tag);
	     i++) {
		if (!tag.key.len || !tag.value.len || str_eq(tag.key, STR("__name__")))
			continue;
		add_label_name(&w->names, tag.key);
		ends[w->n_labels] = w->names.len;
		w->labels[w->n_labels++].value = tag.value;
	}
	for (size_t i = 0; i < w->n_labels; begin = ends[i++])
		w->labels[i].name = (struct str){ w->names.ptr + begin, ends[i] - begin };
	w->labels[w->n_labels++] = (struct label){ STR("__name__"), { NULL, 0 } };
	qsort(w->labels, w->n_labels, sizeof(w->labels[0]), by_label_name);
}

static void add_labels(struct rw_output *w, struct strbuf *out, struct str name)
{
	for (size_t i = 0; i < w->n_labels; i++) {
		const struct label *l = &w->labels[i];
		size_t part;

		if (i && !by_label_name(l, l - 1))
			continue; /* two keys that differ in what a name cannot have */
		part = proto_begin(out, 1);
		proto_str(out, 1, l->name);
		proto_str(out, 2, l->value.ptr ? l->value : name);
		proto_end(out, part);
	}
}

static void add_series(struct rw_output *w, struct strbuf *out, struct str name, double value,
		       int64_t t_ms)
{
	size_t series = proto_begin(out, 1), part;

	add_labels(w, out, name);
	part = proto_begin(out, 2);
	proto_double(out, 1, value);
	proto_uint(out, 2, (uint64_t)t_ms);
	proto_end(out, part);
	proto_end(out, series);
}

/* k6's times are ms, Prometheus' seconds. */
static double unit_of(const struct export_series *s)
{
	return s->metric.contains == EXPORT_TIME ? 1e-3 : 1;
}

static double stat_value(const struct export_series *s, const struct stat *stat)
{
	double unit = unit_of(s);

	switch (stat->kind) {
	case STAT_COUNT:
		return (double)s->count;
	case STAT_SUM:
		return s->sum * unit;
	case STAT_MIN:
		return s->min * unit;
	case STAT_MAX:
		return s->max * unit;
	case STAT_AVG:
		return s->sum / (double)s->count * unit;
	case STAT_QUANTILE:
		break;
	}
	return hist_quantile(s->hist, stat->q) * unit;
}

static void add_named(struct rw_output *w, struct strbuf *out, const struct export_series *s,
		      const char *suffix, double value, int64_t t_ms, bool stale)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	uint64_t bits = STALE_BITS;

	if (stale)
		memcpy(&value, &bits, sizeof(value));
	strbuf_addf(&name, "k6_%s%s%s", s->metric.name, *suffix ? "_" : "", suffix);
	add_series(w, out, strbuf_str(&name), value, t_ms);
}

/* TimeSeries{labels 1, histograms 4}; its name has the unit, as k6 does it. */
static void add_native(struct rw_output *w, struct strbuf *out, const struct export_series *s,
		       int64_t t_ms, bool stale)
{
	static const char *const units[] = { "", "seconds", "bytes" };
	const char *unit = units[s->metric.contains];
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	size_t series, part;

	if (stale) {
		add_named(w, out, s, unit, 0, t_ms, true);
		return;
	}
	strbuf_addf(&name, "k6_%s%s%s", s->metric.name, *unit ? "_" : "", unit);
	series = proto_begin(out, 1);
	add_labels(w, out, strbuf_str(&name));
	part = proto_begin(out, 4);
	export_native_proto(s->native, t_ms, out);
	proto_end(out, part);
	proto_end(out, series);
}

static void add_all_of(struct rw_output *w, struct strbuf *out, const struct export_series *s,
		       int64_t t_ms, bool stale)
{
	collect_labels(w, s);
	switch (s->metric.type) {
	case EXPORT_COUNTER:
		add_named(w, out, s, "total", s->sum, t_ms, stale);
		break;
	case EXPORT_GAUGE:
		add_named(w, out, s, "", s->last, t_ms, stale);
		break;
	case EXPORT_RATE:
		add_named(w, out, s, "rate", (double)s->nonzero / (double)s->count, t_ms, stale);
		break;
	case EXPORT_TREND:
		if (s->native) {
			add_native(w, out, s, t_ms, stale);
			break;
		}
		vec_for_each (&w->stats, stat)
			add_named(w, out, s, stat->suffix, stat_value(s, stat), t_ms, stale);
		break;
	}
}

/* --- pushes ----------------------------------------------------------------------------------- */

static void send_body(struct rw_output *w, const struct strbuf *request)
{
	size_t len = snappy_max_compressed_length(request->len);
	struct strbuf body = STRBUF_INIT;

	if (!request->len)
		return;
	strbuf_reserve(&body, len);
	snappy_compress(strbuf_cstr(request), request->len, body.ptr, &len);
	strbuf_commit(&body, len);
	export_push_put(w->push, &body, w->pending);
	w->pending = 0;
	strbuf_release(&body);
}

/*
 * The series that points came for; all, when it is not known that what was sent before arrived. One
 * has one sample a millisecond at most, and no later one before an earlier.
 */
static void add_fresh(struct rw_output *w, struct strbuf *request)
{
	bool all = !export_push_is_settled(w->push);

	vec_for_each (&w->table.list, at) {
		struct export_series *s = *at;
		int64_t t_ms = export_wall_ns(w->table.run, s->latest_ns) / 1000000;

		if (s->fresh)
			s->sent_ms = MAX(t_ms, s->sent_ms + 1);
		if (s->fresh || all)
			add_all_of(w, request, s, s->sent_ms, false);
		s->fresh = false;
	}
}

static void add_stale(struct rw_output *w, struct strbuf *request)
{
	struct timespec now;
	int64_t now_ms;

	clock_gettime(CLOCK_REALTIME, &now);
	now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
	vec_for_each (&w->table.list, at)
		add_all_of(w, request, *at, MAX(now_ms, (*at)->sent_ms + 1), true);
}

static void add_point(struct rw_output *w, const struct export_point *p)
{
	struct export_series *s = export_table_add(&w->table, p);

	if (!s)
		export_lose(&w->base, 1, "there are more than 10,000 time series");
	else if (s->native && export_native_add(s->native, p->value * unit_of(s)) < 0)
		export_lose(&w->base, 1, "native histograms have no place for negative values");
	else
		w->pending++;
}

static void add_points(struct export_output *o, const struct export_point *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_point(rw_of(o), &p[i]);
}

static void tick(struct export_output *o)
{
	CLEANUP(strbuf_release) struct strbuf request = STRBUF_INIT;
	struct rw_output *w = rw_of(o);

	if (!export_push_is_due(w->push))
		return;
	add_fresh(w, &request);
	send_body(w, &request);
}

/* One body, so that the markers cannot come through where the last samples do not. */
static void end(struct export_output *o)
{
	CLEANUP(strbuf_release) struct strbuf request = STRBUF_INIT;
	struct rw_output *w = rw_of(o);

	add_fresh(w, &request);
	if (w->stale_markers)
		add_stale(w, &request);
	send_body(w, &request);
	export_push_close(TAKE(w->push));
}

static int begin(struct export_output *o, struct error *reterr)
{
	struct rw_output *w = rw_of(o);

	w->table.run = o->run;
	return export_push_open(&w->push, o, &w->opts, reterr);
}

static void free_all(struct export_output *o)
{
	struct rw_output *w = rw_of(o);

	export_push_opts_release(&w->opts);
	export_table_release(&w->table);
	vec_release(&w->stats);
	strbuf_release(&w->names);
	free(w);
}

/* --- options ---------------------------------------------------------------------------------- */

/* "p(99.9)": p999, k6's way to have no dot in a name. */
static int read_quantile(struct str text, struct stat *ret)
{
	struct str number = { text.ptr + 2, text.len - 3 };
	size_t at = 1;
	double p;

	if (!str_starts_with(text, STR("p(")) || text.ptr[text.len - 1] != ')' ||
	    number.len > sizeof(ret->suffix) - 2 || num_parse_double(number, &p) < 0 || p < 0 ||
	    p > 100)
		return -EINVAL;
	*ret = (struct stat){ .kind = STAT_QUANTILE, .q = p / 100, .suffix = "p" };
	for (size_t i = 0; i < number.len; i++)
		if (number.ptr[i] != '.')
			ret->suffix[at++] = number.ptr[i];
	return 0;
}

static int read_stat(struct str text, struct stat *ret)
{
	static const struct stat plain[] = {
		{ STAT_COUNT, 0, "count" }, { STAT_SUM, 0, "sum" }, { STAT_MIN, 0, "min" },
		{ STAT_MAX, 0, "max" },	    { STAT_AVG, 0, "avg" }, { STAT_QUANTILE, 0.5, "med" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (str_eq_c(text, plain[i].suffix)) {
			*ret = plain[i];
			return 0;
		}
	return text.len > 3 ? read_quantile(text, ret) : -EINVAL;
}

static int read_stats(struct rw_output *w, struct str list, struct error *reterr)
{
	struct str part;

	while (str_split(&list, ',', &part)) {
		struct stat stat;

		part = str_trim(part);
		if (read_stat(part, &stat) < 0)
			return error_set(reterr, -EINVAL,
					 "K6_PROMETHEUS_RW_TREND_STATS: '%.*s' is none of count, "
					 "sum, min, max, avg, med and p(N)",
					 STR_FMT(part));
		w->table.with_hist |= stat.kind == STAT_QUANTILE && !w->table.with_native;
		vec_push(&w->stats, stat);
	}
	return 0;
}

/* K6_PROMETHEUS_RW_HEADERS_X-Scope=1 */
static void read_header_variables(struct rw_output *w, const struct export_spec *spec)
{
	static const struct str prefix = { "K6_PROMETHEUS_RW_HEADERS_",
					   sizeof("K6_PROMETHEUS_RW_HEADERS_") - 1 };

	for (const char *const *v = spec->env; v && *v; v++) {
		struct str text = str_from(*v);
		size_t eq = str_find(text, '=');

		if (!str_starts_with(text, prefix) || eq == text.len || eq == prefix.len)
			continue;
		export_push_header(&w->opts, (struct str){ text.ptr + prefix.len, eq - prefix.len },
				   (struct str){ text.ptr + eq + 1, text.len - eq - 1 });
	}
}

static void read_credentials(struct rw_output *w, const struct export_spec *spec)
{
	const char *user = export_variable(spec, "K6_PROMETHEUS_RW_USERNAME");
	const char *password = export_variable(spec, "K6_PROMETHEUS_RW_PASSWORD");
	const char *token = export_variable(spec, "K6_PROMETHEUS_RW_BEARER_TOKEN");
	CLEANUP(strbuf_release) struct strbuf bearer = STRBUF_INIT;

	if (token) {
		strbuf_addf(&bearer, "Bearer %s", token);
		export_push_header(&w->opts, STR("Authorization"), strbuf_str(&bearer));
	} else if (user) {
		export_push_basic_auth(&w->opts, str_from(user),
				       str_from(password ? password : ""));
	}
}

static int refuse_variables(const struct export_spec *spec, struct error *reterr)
{
	static const char *const names[] = {
		"K6_PROMETHEUS_RW_SIGV4_REGION",
		"K6_PROMETHEUS_RW_SIGV4_ACCESS_KEY",
		"K6_PROMETHEUS_RW_SIGV4_SECRET_KEY",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (export_variable(spec, names[i]))
			return error_set(reterr, -ENOTSUP,
					 "%s is not available in assay " ASSAY_VERSION, names[i]);
	return 0;
}

static char *dup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static int read_options(struct rw_output *w, const struct export_spec *spec, struct error *reterr)
{
	const char *url = export_variable(spec, "K6_PROMETHEUS_RW_SERVER_URL");
	const char *stats = export_variable(spec, "K6_PROMETHEUS_RW_TREND_STATS");
	const char *headers = export_variable(spec, "K6_PROMETHEUS_RW_HTTP_HEADERS");

	w->opts.cert_file =
		dup_or_null(export_variable(spec, "K6_PROMETHEUS_RW_CLIENT_CERTIFICATE"));
	w->opts.key_file =
		dup_or_null(export_variable(spec, "K6_PROMETHEUS_RW_CLIENT_CERTIFICATE_KEY"));
	w->opts.url = xstrdup(*spec->arg ? spec->arg : url ? url : DEFAULT_URL);
	read_credentials(w, spec);
	read_header_variables(w, spec);
	if (refuse_variables(spec, reterr) < 0 ||
	    export_variable_bool(spec, "K6_PROMETHEUS_RW_STALE_MARKERS", &w->stale_markers,
				 reterr) < 0 ||
	    export_variable_bool(spec, "K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM",
				 &w->table.with_native, reterr) < 0 ||
	    export_variable_bool(spec, "K6_PROMETHEUS_RW_INSECURE_SKIP_TLS_VERIFY",
				 &w->opts.insecure, reterr) < 0 ||
	    export_variable_ns(spec, "K6_PROMETHEUS_RW_PUSH_INTERVAL", &w->base.interval_ns,
			       reterr) < 0 ||
	    read_stats(w, str_from(stats ? stats : "p(99)"), reterr) < 0)
		return -EINVAL;
	if (headers && export_push_headers(&w->opts, str_from(headers), ':', reterr) < 0)
		return error_wrap(reterr, "K6_PROMETHEUS_RW_HTTP_HEADERS");
	return 0;
}

int export_promrw_create(const struct export_spec *spec, struct export_output **ret,
			 struct error *reterr)
{
	static const struct export_ops ops = {
		.begin = begin,
		.points = add_points,
		.tick = tick,
		.end = end,
		.free = free_all,
	};
	struct rw_output *w = xcalloc(1, sizeof(*w));
	int r;

	w->base.ops = &ops;
	w->base.interval_ns = INTERVAL_NS;
	w->opts.cumulative = true;
	export_push_header(&w->opts, STR("Content-Type"), STR("application/x-protobuf"));
	export_push_header(&w->opts, STR("Content-Encoding"), STR("snappy"));
	export_push_header(&w->opts, STR("X-Prometheus-Remote-Write-Version"), STR("0.1.0"));
	r = read_options(w, spec, reterr);
	if (r < 0) {
		free_all(&w->base);
		return r;
	}
	*ret = &w->base;
	return 0;
}
