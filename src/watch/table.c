#include "watch/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "model/role.h"
#include "watch/latency.h"

static const char *const latency_names[] = {
	"http.server.request.duration",		/* OpenTelemetry, ASP.NET Core */
	"http_server_request_duration_seconds", /* the same in Prometheus' form */
	"http_request_duration_seconds",	/* Prometheus' own examples */
	"http_server_requests_seconds",		/* Micrometer */
};

enum column {
	COL_RATE,
	COL_P50,
	COL_P99,
	COL_ALLOC,
	COL_PAUSE,
	COL_HEAP,
	COL_GEN2,
	COL_CPU,
	COL_THROTTLED,
	COL_RSS,
	COL_COUNT
};

static const char *const heads[COL_COUNT] = {
	[COL_RATE] = "req/s",	    [COL_P50] = "p50 ms",	   [COL_P99] = "p99 ms",
	[COL_ALLOC] = "alloc MB/s", [COL_PAUSE] = "GC pause ms/s", [COL_HEAP] = "heap MB",
	[COL_GEN2] = "gen2 GCs",    [COL_CPU] = "CPU %",	   [COL_THROTTLED] = "throttled %",
	[COL_RSS] = "RSS MB",
};

struct watch_table {
	struct watch_out out;
	struct watch_table_opts opts;
	char *latency, *own_route;
	double sum[ROLES];    /* of the interval; NAN = nothing came */
	unsigned rank[ROLES]; /* of the series that are in it */
	double latency_s;     /* the interval of the latencies */
	struct watch_parts parts;
	char *last_tags; /* of the part being filled */
	const char *last_name;
	bool offered[COL_COUNT]; /* in the head */
	bool has_head;
	int failure;
};

static struct watch_table *table_of(struct watch_out *o)
{
	return container_of(o, struct watch_table, out);
}

static void begin_interval(struct watch_table *t)
{
	for (size_t i = 0; i < ROLES; i++)
		t->sum[i] = NAN;
	vec_clear(&t->parts.list);
	free(t->last_tags);
	t->last_tags = NULL;
	t->latency_s = 0;
}

/* --- taking values --- */

/* Whether any of the tags has this value. */
static bool has_value(const char *tags, const char *value)
{
	struct str rest = str_from(tags), part, key;

	while (str_split(&rest, ',', &part))
		if (str_split(&part, '=', &key) && part.ptr && str_eq_c(part, value))
			return true;
	return false;
}

/* Counters that are shown a second; others within the interval. */
static bool is_per_second(enum role role)
{
	return role == ROLE_ALLOCATED || role == ROLE_PAUSE || role == ROLE_CPU;
}

static void take_role(struct watch_table *t, const struct watch_value *v)
{
	struct role_def d =
		role_of(v->name, v->tags, v->kind == WATCH_RATE ? SERIES_COUNTER : SERIES_GAUGE);
	double *sum = &t->sum[d.role], value = v->value * d.scale;

	if (d.role == ROLE_NONE || (!isnan(*sum) && d.rank > t->rank[d.role]))
		return;
	if (is_per_second(d.role))
		value /= v->interval_s;
	if (isnan(*sum) || d.rank < t->rank[d.role])
		*sum = 0;
	*sum += value;
	t->rank[d.role] = d.rank;
}

static bool is_latency(const struct watch_table *t, const char *name)
{
	if (t->latency)
		return !strcmp(name, t->latency);
	for (size_t i = 0; i < ARRAY_SIZE(latency_names); i++)
		if (!strcmp(name, latency_names[i]))
			return true;
	return false;
}

/* A series' quantiles come one after the other, in rising order. */
static void take_quantile(struct watch_table *t, const struct watch_value *v)
{
	double to_ms = v->unit && !strcmp(v->unit, "ms") ? 1 : 1e3;
	struct watch_part *p;

	if (!t->last_tags || strcmp(t->last_tags, v->tags) != 0) {
		free(t->last_tags);
		t->last_tags = xstrdup(v->tags);
		vec_push(&t->parts.list, ((struct watch_part){ .count = v->count }));
	}
	t->latency_s = fmax(t->latency_s, v->interval_s);
	p = &vec_last(&t->parts.list);
	if (p->n == WATCH_QUANTILES_MAX || (p->n && v->quantile <= p->q[p->n - 1]))
		return;
	p->q[p->n] = v->quantile;
	p->value[p->n++] = v->value * to_ms;
}

static int take_value(struct watch_out *o, const struct watch_value *v)
{
	struct watch_table *t = table_of(o);

	if (v->kind != WATCH_QUANTILE)
		take_role(t, v);
	else if (is_latency(t, v->name) && !(t->own_route && has_value(v->tags, t->own_route)))
		take_quantile(t, v);
	return t->failure;
}

/* --- the line --- */

static double pause_ms_per_s(const struct watch_table *t)
{
	if (!isnan(t->sum[ROLE_PAUSE]))
		return t->sum[ROLE_PAUSE] * 1e3;
	return t->sum[ROLE_PAUSE_SHARE] * 10; /* % of the time */
}

/* Without a quota there is nothing to be throttled by; without work there are no periods. */
static double throttled_percent(const struct watch_table *t)
{
	double periods = t->sum[ROLE_PERIODS];

	if (isnan(t->sum[ROLE_LIMIT_CPUS]) || isnan(periods))
		return NAN;
	return periods > 0 ? t->sum[ROLE_THROTTLED] / periods * 100 : 0;
}

static void reduce(const struct watch_table *t, double ret[COL_COUNT])
{
	ret[COL_RATE] = watch_parts_count(&t->parts) / (t->latency_s > 0 ? t->latency_s : NAN);
	ret[COL_P50] = watch_parts_quantile(&t->parts, 0.5);
	ret[COL_P99] = watch_parts_quantile(&t->parts, 0.99);
	ret[COL_ALLOC] = t->sum[ROLE_ALLOCATED] / 1e6;
	ret[COL_PAUSE] = pause_ms_per_s(t);
	ret[COL_HEAP] = t->sum[ROLE_HEAP] / 1e6;
	ret[COL_GEN2] = t->sum[ROLE_COLLECTIONS2];
	ret[COL_CPU] = t->sum[ROLE_CPU] * 100;
	ret[COL_THROTTLED] = throttled_percent(t);
	ret[COL_RSS] = t->sum[ROLE_RSS] / 1e6;
}

static int width_of(enum column c)
{
	return MAX((int)strlen(heads[c]), 6);
}

static void print_head(const struct watch_table *t)
{
	fprintf(t->opts.file, "%-8s", "time");
	for (enum column c = 0; c < COL_COUNT; c++)
		if (t->offered[c])
			fprintf(t->opts.file, "  %*s", width_of(c), heads[c]);
	fputc('\n', t->opts.file);
}

static void print_number(FILE *f, int width, double v)
{
	if (isnan(v))
		fprintf(f, "  %*s", width, "-");
	else
		fprintf(f, "  %*.*f", width,
			v == 0 || fabs(v) >= 100 ? 0
			: fabs(v) >= 10		 ? 1
						 : 2,
			v);
}

static void print_line(const struct watch_table *t, uint64_t t_ns, const double *figures)
{
	time_t s = (time_t)(((int64_t)t_ns + t->opts.wall_anchor_ns) / 1000000000);
	char time[16];
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(time, sizeof(time), "%H:%M:%S", &tm);
	fprintf(t->opts.file, "%-8s", time);
	for (enum column c = 0; c < COL_COUNT; c++)
		if (t->offered[c])
			print_number(t->opts.file, width_of(c), figures[c]);
	fputc('\n', t->opts.file);
}

static int flush(struct watch_table *t)
{
	if (!t->failure && (fflush(t->opts.file) != 0 || ferror(t->opts.file)))
		t->failure = errno ? -errno : -EIO;
	return t->failure;
}

static int tick(struct watch_out *o, uint64_t t_ns)
{
	struct watch_table *t = table_of(o);
	double figures[COL_COUNT];
	bool is_new = !t->has_head;

	reduce(t, figures);
	for (enum column c = 0; c < COL_COUNT; c++) {
		is_new = is_new || (!isnan(figures[c]) && !t->offered[c]);
		t->offered[c] = t->offered[c] || !isnan(figures[c]);
	}
	if (is_new)
		print_head(t);
	t->has_head = true;
	print_line(t, t_ns, figures);
	begin_interval(t);
	return flush(t);
}

static int note(struct watch_out *o, uint64_t t_ns UNUSED, const char *text)
{
	struct watch_table *t = table_of(o);

	fprintf(t->opts.file, "-- %s\n", text);
	return flush(t);
}

static int close_table(struct watch_out *o, struct error *reterr)
{
	struct watch_table *t = table_of(o);
	int r = t->failure;

	if (r < 0)
		error_errno(reterr, r, "writing the table");
	begin_interval(t);
	vec_release(&t->parts.list);
	free(t->latency);
	free(t->own_route);
	free(t);
	return r;
}

static const struct watch_out_ops ops = { take_value, tick, note, close_table };

struct watch_out *watch_table_new(const struct watch_table_opts *opts)
{
	struct watch_table *t = xcalloc(1, sizeof(*t));

	*t = (struct watch_table){ .out.ops = &ops,
				   .opts = *opts,
				   .latency = opts->latency ? xstrdup(opts->latency) : NULL,
				   .own_route = opts->own_route ? xstrdup(opts->own_route) : NULL };
	begin_interval(t);
	return &t->out;
}
