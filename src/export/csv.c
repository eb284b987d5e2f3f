/*
 * `--out csv=FILE`: k6's table (its documentation, "CSV"): a line a sample; a column for every
 * system tag that is on, the other tags together in one, "k=v&k2=v2". Fields are quoted when they
 * must be (RFC 4180), or begin with a blank.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/duration.h"
#include "base/num.h"
#include "base/vec.h"
#include "export/file.h"
#include "export/metadata.h"
#include "export/outputs.h"
#include "export/texts.h"

#define INTERVAL_NS  NS_PER_S
#define DEFAULT_FILE "file.csv"

enum time_format { UNIX, UNIX_MILLI, UNIX_MICRO, UNIX_NANO, RFC3339, RFC3339_NANO };

static const char *const time_formats[] = { "unix",	 "unix_milli", "unix_micro",
					    "unix_nano", "rfc3339",    "rfc3339_nano" };

struct csv_output {
	struct export_output base;
	char *path;
	int stdout_fd;
	enum time_format time_format;
	struct export_file file;
	struct export_texts tags;
	struct export_metadata metadata; /* scratch, as the next */
	struct strbuf field;
	VEC(const char *) metrics; /* NULL = not met yet */
	time_t second;		   /* whose text is in stamp */
	char stamp[32], zone[8];
};

static struct csv_output *csv_of(struct export_output *o)
{
	return container_of(o, struct csv_output, base);
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool needs_quotes(struct str s)
{
	if (!s.len)
		return false;
	if (*s.ptr == ' ' || *s.ptr == '\t' || str_eq(s, STR("\\.")))
		return true;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == ',' || s.ptr[i] == '"' || s.ptr[i] == '\n' || s.ptr[i] == '\r')
			return true;
	return false;
}

static void add_field(struct strbuf *out, struct str s)
{
	if (!needs_quotes(s)) {
		strbuf_add(out, s.ptr, s.len);
		return;
	}
	strbuf_addch(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, s.ptr[i]);
	}
	strbuf_addch(out, '"');
}

static bool is_column(const struct export_run *run, struct str key)
{
	for (size_t i = 0; i < run->n_system_tags; i++)
		if (str_eq_c(key, run->system_tags[i]))
			return true;
	return false;
}

/* The columns of the tags, with the comma before each. */
static void format_tags(void *arg, const void *tags, struct strbuf *out)
{
	struct csv_output *c = arg;
	const struct export_run *run = c->base.run;
	struct export_tag tag;

	for (size_t i = 0; i < run->n_system_tags; i++) {
		strbuf_addch(out, ',');
		for (uint32_t k = 0; run->tag(tags, k, &tag); k++)
			if (str_eq_c(tag.key, run->system_tags[i]))
				add_field(out, tag.value);
	}
	strbuf_clear(&c->field);
	for (uint32_t k = 0; run->tag(tags, k, &tag); k++)
		if (!is_column(run, tag.key))
			strbuf_addf(&c->field, "%s%.*s=%.*s", c->field.len ? "&" : "",
				    STR_FMT(tag.key), STR_FMT(tag.value));
	strbuf_addch(out, ',');
	add_field(out, strbuf_str(&c->field));
}

static void add_time(struct csv_output *c, uint64_t t_ns)
{
	int64_t ns = export_wall_ns(c->base.run, t_ns);
	static const int64_t units[] = { 1000000000, 1000000, 1000, 1 };
	time_t second = (time_t)(ns / (int64_t)NS_PER_S);
	struct strbuf *out = &c->file.text;
	struct tm tm;
	int digits = 9;

	if (c->time_format <= UNIX_NANO) {
		strbuf_add_uint(out, (uint64_t)(ns / units[c->time_format]), 1);
		return;
	}
	if (second != c->second || !*c->stamp) {
		localtime_r(&second, &tm);
		strftime(c->stamp, sizeof(c->stamp), "%Y-%m-%dT%H:%M:%S", &tm);
		snprintf(c->zone, sizeof(c->zone), "Z");
		if (tm.tm_gmtoff)
			snprintf(c->zone, sizeof(c->zone), "%c%02ld:%02ld",
				 tm.tm_gmtoff < 0 ? '-' : '+', labs(tm.tm_gmtoff) / 3600 % 24,
				 labs(tm.tm_gmtoff) / 60 % 60);
		c->second = second;
	}
	strbuf_addstr(out, c->stamp);
	ns %= (int64_t)NS_PER_S;
	for (; ns && ns % 10 == 0; ns /= 10)
		digits--;
	if (c->time_format == RFC3339_NANO && ns)
		strbuf_addf(out, ".%0*lld", digits, (long long)ns);
	strbuf_addstr(out, c->zone);
}

static const char *metric_name(struct csv_output *c, uint32_t metric)
{
	struct export_metric m;

	while (c->metrics.len <= metric)
		vec_push(&c->metrics, NULL);
	if (!c->metrics.ptr[metric]) {
		c->base.run->metric(c->base.run->arg, metric, &m);
		c->metrics.ptr[metric] = m.name;
	}
	return c->metrics.ptr[metric];
}

/* As the other tags are written. */
static void add_pairs(struct csv_output *c)
{
	strbuf_clear(&c->field);
	vec_for_each (&c->metadata.list, m)
		strbuf_addf(&c->field, "%s%.*s=%.*s", c->field.len ? "&" : "", STR_FMT(m->key),
			    STR_FMT(m->value));
	add_field(&c->file.text, strbuf_str(&c->field));
}

static void add_metadata(struct csv_output *c, const struct export_point *p)
{
	export_metadata_read(&c->metadata, c->base.run, p);
	if (c->metadata.list.len)
		add_pairs(c);
}

/* "%f" */
static void add_value(struct strbuf *out, double v)
{
	uint64_t k;

	if (!num_millionths(v, &k) || signbit(v)) {
		strbuf_addf(out, ",%f", v);
		return;
	}
	strbuf_addch(out, ',');
	strbuf_add_uint(out, k / 1000000, 1);
	strbuf_addch(out, '.');
	strbuf_add_uint(out, k % 1000000, 6);
}

static void add_point(struct csv_output *c, const struct export_point *p)
{
	struct strbuf *out = &c->file.text;
	struct str tags = export_texts_get(&c->tags, p->tags);

	strbuf_addstr(out, metric_name(c, p->metric));
	strbuf_addch(out, ',');
	add_time(c, p->t_ns);
	add_value(out, p->value);
	strbuf_add(out, tags.ptr, tags.len);
	strbuf_addch(out, ',');
	add_metadata(c, p);
	strbuf_addch(out, '\n');
	export_file_line(&c->file);
}

/* --- the output ------------------------------------------------------------------------------- */

static void add_points(struct export_output *o, const struct export_point *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_point(csv_of(o), &p[i]);
}

static void flush(struct export_output *o)
{
	export_file_flush(&csv_of(o)->file);
}

static void end(struct export_output *o)
{
	export_file_close(&csv_of(o)->file);
}

static int begin(struct export_output *o, struct error *reterr)
{
	struct csv_output *c = csv_of(o);
	int r = export_file_open(&c->file, o, c->path, c->stdout_fd, reterr);

	if (r < 0)
		return r;
	export_texts_init(&c->tags, format_tags, c);
	strbuf_addstr(&c->file.text, "metric_name,timestamp,metric_value");
	for (size_t i = 0; i < o->run->n_system_tags; i++)
		strbuf_addf(&c->file.text, ",%s", o->run->system_tags[i]);
	strbuf_addstr(&c->file.text, ",extra_tags,metadata\n");
	return 0;
}

static void free_all(struct export_output *o)
{
	struct csv_output *c = csv_of(o);

	vec_release(&c->metrics);
	export_texts_release(&c->tags);
	strbuf_release(&c->field);
	export_metadata_release(&c->metadata);
	free(c->path);
	free(c);
}

/* --- options ---------------------------------------------------------------------------------- */

static int set_time_format(struct csv_output *c, struct str name, struct error *reterr)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_formats); i++)
		if (str_eq_c(name, time_formats[i])) {
			c->time_format = (enum time_format)i;
			return 0;
		}
	return error_set(reterr, -EINVAL,
			 "the time format '%.*s' is none of unix, unix_milli, unix_micro, "
			 "unix_nano, rfc3339 and rfc3339_nano",
			 STR_FMT(name));
}

static void set_path(struct csv_output *c, struct str path)
{
	free(c->path);
	c->path = str_dup(path);
}

static int set_option(struct csv_output *c, struct str part, struct error *reterr)
{
	size_t eq = str_find(part, '=');
	struct str key = { part.ptr, eq }, value = { part.ptr + eq + 1, part.len - eq - 1 };

	if (eq == part.len)
		return error_set(reterr, -EINVAL, "'%.*s': expected KEY=VALUE", STR_FMT(part));
	if (str_eq_c(key, "fileName")) {
		set_path(c, value);
		return 0;
	}
	if (str_eq_c(key, "timeFormat"))
		return set_time_format(c, value, reterr);
	if (!str_eq_c(key, "saveInterval"))
		return error_set(reterr, -EINVAL,
				 "'%.*s' is none of fileName, saveInterval and timeFormat",
				 STR_FMT(key));
	if (duration_parse(value, &c->base.interval_ns) < 0 || !c->base.interval_ns)
		return error_set(reterr, -EINVAL, "saveInterval=%.*s: expected a time like 1s",
				 STR_FMT(value));
	return 0;
}

/* A file name, or KEY=VALUE,... */
static int read_argument(struct csv_output *c, struct str arg, struct error *reterr)
{
	struct str part;

	if (str_find(arg, '=') == arg.len) {
		if (arg.len)
			set_path(c, arg);
		return 0;
	}
	while (str_split(&arg, ',', &part))
		if (set_option(c, part, reterr) < 0)
			return -EINVAL;
	return 0;
}

static int read_variables(struct csv_output *c, const struct export_spec *spec,
			  struct error *reterr)
{
	const char *path = export_variable(spec, "K6_CSV_FILENAME");
	const char *format = export_variable(spec, "K6_CSV_TIME_FORMAT");

	if (path)
		set_path(c, str_from(path));
	if (format && set_time_format(c, str_from(format), reterr) < 0)
		return error_wrap(reterr, "K6_CSV_TIME_FORMAT");
	return export_variable_ns(spec, "K6_CSV_SAVE_INTERVAL", &c->base.interval_ns, reterr);
}

int export_csv_create(const struct export_spec *spec, struct export_output **ret,
		      struct error *reterr)
{
	static const struct export_ops ops = {
		.begin = begin,
		.points = add_points,
		.tick = flush,
		.end = end,
		.free = free_all,
	};
	struct csv_output *c = xcalloc(1, sizeof(*c));
	int r;

	c->base.ops = &ops;
	c->base.interval_ns = INTERVAL_NS;
	c->path = xstrdup(DEFAULT_FILE);
	c->stdout_fd = spec->stdout_fd;
	r = read_variables(c, spec, reterr);
	if (r == 0)
		r = read_argument(c, str_from(spec->arg), reterr);
	if (r < 0) {
		free_all(&c->base);
		return r;
	}
	*ret = &c->base;
	return 0;
}
