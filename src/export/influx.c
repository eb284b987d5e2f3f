/*
 * `--out influxdb=http://HOST:PORT/DB`: every sample as a line of InfluxDB 1's line protocol (its
 * documentation, "Line protocol"): NAME,tag=value,... value=1.5[,field=...] NANOSECONDS. Some tags
 * would make a series each (url, vu, iter): those are written as fields.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "base/vec.h"
#include "export/push.h"
#include "export/texts.h"

#define INTERVAL_NS  NS_PER_S
#define BODY_BYTES   ((size_t)4 << 20)
#define DEFAULT_ADDR "http://localhost:8086"
#define DEFAULT_DB   "k6"

enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_FLOAT, FIELD_BOOL };

struct field {
	char *name;
	enum field_kind kind;
};

struct influx_output {
	struct export_output base;
	/* options */
	char *addr, *db, *user, *password, *retention, *consistency;
	const char *precision;
	int64_t unit_ns;
	bool insecure;
	VEC(struct field) fields;

	struct export_push *push;
	struct export_texts tags; /* ",k=v value=" */
	struct export_texts more; /* ",field=..." */
	struct strbuf body;
	uint64_t points;     /* in it */
	VEC(char *) metrics; /* names, escaped; NULL = not met yet */
};

static struct influx_output *influx_of(struct export_output *o)
{
	return container_of(o, struct influx_output, base);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Names and tag values: what would end them is escaped. The protocol has no way to write a line end
 * or a backslash before what follows the value: blanks stand for them. */
static void add_escaped(struct strbuf *out, struct str s, const char *special)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '\n' || c == '\r')
			c = ' ';
		if (c == '\\' && i + 1 == s.len)
			c = ' ';
		if (c && strchr(special, c))
			strbuf_addch(out, '\\');
		strbuf_addch(out, c);
	}
}

static void add_text_field(struct strbuf *out, struct str s)
{
	strbuf_addch(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"' || s.ptr[i] == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, s.ptr[i] == '\n' ? ' ' : s.ptr[i]);
	}
	strbuf_addch(out, '"');
}

static const struct field *field_of(const struct influx_output *f, struct str key)
{
	vec_for_each (&f->fields, field)
		if (str_eq_c(key, field->name))
			return field;
	return NULL;
}

/* As what it is to be, if it is one; as text else. */
static void add_field_value(struct strbuf *out, enum field_kind kind, struct str value)
{
	double number;
	int64_t whole;

	if (kind == FIELD_INT && num_parse_i64(value, &whole) == 0)
		strbuf_addf(out, "%lldi", (long long)whole);
	else if (kind == FIELD_FLOAT && num_parse_double(value, &number) == 0)
		json_add_double(out, number);
	else if (kind == FIELD_BOOL && (str_eq_c(value, "true") || str_eq_c(value, "false")))
		strbuf_add(out, value.ptr, value.len);
	else
		add_text_field(out, value);
}

static void format_tags(void *arg, const void *tags, struct strbuf *out)
{
	struct influx_output *f = arg;
	struct export_tag tag;

	for (uint32_t i = 0; f->base.run->tag(tags, i, &tag); i++) {
		if (!tag.value.len || field_of(f, tag.key))
			continue;
		strbuf_addch(out, ',');
		add_escaped(out, tag.key, ",= ");
		strbuf_addch(out, '=');
		add_escaped(out, tag.value, ",= ");
	}
	strbuf_addstr(out, " value=");
}

static void format_fields(void *arg, const void *tags, struct strbuf *out)
{
	struct influx_output *f = arg;
	struct export_tag tag;

	for (uint32_t i = 0; f->base.run->tag(tags, i, &tag); i++) {
		const struct field *field = field_of(f, tag.key);

		if (!field)
			continue;
		strbuf_addch(out, ',');
		add_escaped(out, tag.key, ",= ");
		strbuf_addch(out, '=');
		add_field_value(out, field->kind, tag.value);
	}
}

static const char *metric_name(struct influx_output *f, uint32_t metric)
{
	const struct export_run *run = f->base.run;
	struct strbuf name = STRBUF_INIT;
	struct export_metric m;

	while (f->metrics.len <= metric)
		vec_push(&f->metrics, NULL);
	if (!f->metrics.ptr[metric]) {
		run->metric(run->arg, metric, &m);
		add_escaped(&name, str_from(m.name), ", ");
		f->metrics.ptr[metric] = strbuf_detach(&name);
	}
	return f->metrics.ptr[metric];
}

static void add_point(struct influx_output *f, const struct export_point *p)
{
	const struct export_run *run = f->base.run;
	struct strbuf *out = &f->body;
	struct str text;

	if (!isfinite(p->value)) {
		export_lose(&f->base, 1, "their values were not finite numbers");
		return;
	}
	strbuf_addstr(out, metric_name(f, p->metric));
	text = export_texts_get(&f->tags, p->tags);
	strbuf_add(out, text.ptr, text.len);
	json_add_double(out, p->value);
	text = export_texts_get(&f->more, p->tags);
	strbuf_add(out, text.ptr, text.len);
	if (run->iter && p->vu)
		strbuf_addf(out, ",iter=%llui", (unsigned long long)p->iter);
	if (run->vu && p->vu)
		strbuf_addf(out, ",vu=%ui", p->vu);
	strbuf_addch(out, ' ');
	strbuf_add_uint(out, (uint64_t)(export_wall_ns(run, p->t_ns) / f->unit_ns), 1);
	strbuf_addch(out, '\n');
	f->points++;
}

/* --- the output ------------------------------------------------------------------------------- */

static void flush(struct export_output *o)
{
	struct influx_output *f = influx_of(o);

	if (!f->points)
		return;
	export_push_put(f->push, &f->body, f->points);
	f->points = 0;
}

static void add_points(struct export_output *o, const struct export_point *p, size_t n)
{
	struct influx_output *f = influx_of(o);

	for (size_t i = 0; i < n; i++)
		add_point(f, &p[i]);
	if (f->body.len >= BODY_BYTES)
		flush(o);
}

static void end(struct export_output *o)
{
	flush(o);
	export_push_close(TAKE(influx_of(o)->push));
}

static void add_query(struct strbuf *out, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	strbuf_addf(out, "%c%s=", strchr(strbuf_cstr(out), '?') ? '&' : '?', key);
	for (; *value; value++) {
		if (strchr("-._~", *value) || (*value >= '0' && *value <= '9') ||
		    ((*value | 0x20) >= 'a' && (*value | 0x20) <= 'z'))
			strbuf_addch(out, *value);
		else
			strbuf_addf(out, "%%%02X", (unsigned char)*value);
	}
}

static int begin(struct export_output *o, struct error *reterr)
{
	struct influx_output *f = influx_of(o);
	CLEANUP(export_push_opts_release) struct export_push_opts opts = { 0 };
	struct strbuf url = STRBUF_INIT, first = STRBUF_INIT, query = STRBUF_INIT;

	strbuf_addf(&url, "%s/write", f->addr);
	add_query(&url, "consistency", f->consistency);
	add_query(&url, "db", f->db);
	add_query(&url, "precision", f->precision);
	add_query(&url, "rp", f->retention);
	strbuf_addf(&query, "CREATE DATABASE \"%s\"", f->db);
	strbuf_addf(&first, "%s/query", f->addr);
	add_query(&first, "q", strbuf_cstr(&query));
	strbuf_release(&query);
	opts.url = strbuf_detach(&url);
	opts.first_url = strbuf_detach(&first);
	opts.insecure = f->insecure;
	export_push_header(&opts, STR("Content-Type"), STR("text/plain; charset=utf-8"));
	if (f->user)
		export_push_basic_auth(&opts, str_from(f->user),
				       str_from(f->password ? f->password : ""));
	export_texts_init(&f->tags, format_tags, f);
	export_texts_init(&f->more, format_fields, f);
	return export_push_open(&f->push, o, &opts, reterr);
}

static void clear_fields(struct influx_output *f)
{
	vec_for_each (&f->fields, field)
		free(field->name);
	vec_clear(&f->fields);
}

static void free_all(struct export_output *o)
{
	struct influx_output *f = influx_of(o);
	char *texts[] = { f->addr, f->db, f->user, f->password, f->retention, f->consistency };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	clear_fields(f);
	vec_release(&f->fields);
	vec_for_each (&f->metrics, name)
		free(*name);
	vec_release(&f->metrics);
	export_texts_release(&f->tags);
	export_texts_release(&f->more);
	strbuf_release(&f->body);
	free(f);
}

/* --- options ---------------------------------------------------------------------------------- */

static void set(char **field, struct str value)
{
	free(*field);
	*field = str_dup(value);
}

/* "url", "vu:int" */
static int add_field(struct influx_output *f, struct str text, struct error *reterr)
{
	static const char *const kinds[] = { "string", "int", "float", "bool" };
	size_t colon = str_find(text, ':');
	struct str name = { text.ptr, colon }, kind = { text.ptr + colon + 1, 0 };
	struct field field = { NULL, FIELD_TEXT };

	if (colon < text.len) {
		size_t i = 0;

		kind.len = text.len - colon - 1;
		while (i < ARRAY_SIZE(kinds) && !str_eq_c(kind, kinds[i]))
			i++;
		if (i == ARRAY_SIZE(kinds))
			return error_set(reterr, -EINVAL,
					 "the tag as a field '%.*s': string, int, float or bool "
					 "follows the colon",
					 STR_FMT(text));
		field.kind = (enum field_kind)i;
	}
	if (!name.len || field_of(f, name))
		return error_set(reterr, -EINVAL, "the tag as a field '%.*s' is there twice",
				 STR_FMT(text));
	field.name = str_dup(name);
	vec_push(&f->fields, field);
	return 0;
}

static int set_fields(struct influx_output *f, struct str list, struct error *reterr)
{
	struct str part;

	clear_fields(f);
	while (str_split(&list, ',', &part))
		if (str_trim(part).len && add_field(f, str_trim(part), reterr) < 0)
			return -EINVAL;
	return 0;
}

static int set_precision(struct influx_output *f, struct str value, struct error *reterr)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "n", 1 },
		      { "ns", 1 },
		      { "u", 1000 },
		      { "ms", 1000000 },
		      { "s", 1000000000 },
		      { "m", INT64_C(60000000000) },
		      { "h", INT64_C(3600000000000) } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_eq_c(value, units[i].name)) {
			f->precision = units[i].name;
			f->unit_ns = units[i].ns;
			return 0;
		}
	return error_set(reterr, -EINVAL, "the precision '%.*s' is none of n, u, ms, s, m and h",
			 STR_FMT(value));
}

/* Bodies are sent one after the other; k6 wants a positive number, and so do we. */
static int check_writes(struct str value, struct error *reterr)
{
	int64_t n;

	if (num_parse_i64(value, &n) < 0 || n <= 0)
		return error_set(reterr, -EINVAL, "concurrentWrites %.*s: not a positive number",
				 STR_FMT(value));
	return 0;
}

static int read_variables(struct influx_output *f, const struct export_spec *spec,
			  struct error *reterr)
{
	const struct {
		const char *name;
		char **field;
	} texts[] = {
		{ "K6_INFLUXDB_ADDR", &f->addr },
		{ "K6_INFLUXDB_DB", &f->db },
		{ "K6_INFLUXDB_USERNAME", &f->user },
		{ "K6_INFLUXDB_PASSWORD", &f->password },
		{ "K6_INFLUXDB_RETENTION", &f->retention },
		{ "K6_INFLUXDB_CONSISTENCY", &f->consistency },
	};
	const char *fields = export_variable(spec, "K6_INFLUXDB_TAGS_AS_FIELDS");
	const char *precision = export_variable(spec, "K6_INFLUXDB_PRECISION");
	const char *writes = export_variable(spec, "K6_INFLUXDB_CONCURRENT_WRITES");

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (export_variable(spec, texts[i].name))
			set(texts[i].field, str_from(export_variable(spec, texts[i].name)));
	if (export_variable(spec, "K6_INFLUXDB_PROXY"))
		return error_set(reterr, -ENOTSUP,
				 "K6_INFLUXDB_PROXY: assay has no proxies for outputs");
	if ((fields && set_fields(f, str_from(fields), reterr) < 0) ||
	    (precision && set_precision(f, str_from(precision), reterr) < 0) ||
	    (writes && check_writes(str_from(writes), reterr) < 0))
		return -EINVAL;
	if (export_variable_bool(spec, "K6_INFLUXDB_INSECURE", &f->insecure, reterr) < 0)
		return -EINVAL;
	return export_variable_ns(spec, "K6_INFLUXDB_PUSH_INTERVAL", &f->base.interval_ns, reterr);
}

/* One of "precision=ms" behind the '?' of the address; fields there replace the default ones. */
static int set_parameter(struct influx_output *f, struct str key, struct str value,
			 bool *fields_seen, struct error *reterr)
{
	if (str_eq_c(key, "insecure")) {
		f->insecure = str_eq_c(value, "true");
		return f->insecure || str_eq_c(value, "false")
			       ? 0
			       : error_set(reterr, -EINVAL, "insecure is true or false, not %.*s",
					   STR_FMT(value));
	}
	if (str_eq_c(key, "precision"))
		return set_precision(f, value, reterr);
	if (str_eq_c(key, "retention"))
		return set(&f->retention, value), 0;
	if (str_eq_c(key, "consistency"))
		return set(&f->consistency, value), 0;
	if (str_eq_c(key, "concurrentWrites"))
		return check_writes(value, reterr);
	if (str_eq_c(key, "payload_size"))
		return 0; /* of UDP, in k6 */
	if (str_eq_c(key, "tagsAsFields")) {
		if (!*fields_seen)
			clear_fields(f);
		*fields_seen = true;
		return add_field(f, value, reterr);
	}
	return error_set(reterr, -EINVAL, "'%.*s' is no parameter of this output", STR_FMT(key));
}

static int read_parameters(struct influx_output *f, struct str query, struct error *reterr)
{
	bool fields_seen = false;
	struct str part;

	while (str_split(&query, '&', &part)) {
		CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
		size_t eq = str_find(part, '=');

		if (!part.len)
			continue;
		if (eq < part.len)
			net_url_decode(&value,
				       (struct str){ part.ptr + eq + 1, part.len - eq - 1 });
		if (set_parameter(f, (struct str){ part.ptr, eq }, strbuf_str(&value), &fields_seen,
				  reterr) < 0)
			return -EINVAL;
	}
	return 0;
}

static void take_userinfo(struct influx_output *f, struct str info)
{
	CLEANUP(strbuf_release) struct strbuf user = STRBUF_INIT, password = STRBUF_INIT;
	size_t colon = str_find(info, ':');

	net_url_decode(&user, (struct str){ info.ptr, colon });
	if (colon < info.len)
		net_url_decode(&password,
			       (struct str){ info.ptr + colon + 1, info.len - colon - 1 });
	set(&f->user, strbuf_str(&user));
	set(&f->password, strbuf_str(&password));
}

/* "DB", "/DB", "http://[user:password@]host[:port][/prefix]/DB", each with "?parameters". */
static int read_argument(struct influx_output *f, struct str arg, struct error *reterr)
{
	size_t mark = str_find(arg, '?');
	struct str address = { arg.ptr, mark }, db;
	struct net_url url;
	size_t slash;

	if (mark < arg.len &&
	    read_parameters(f, (struct str){ arg.ptr + mark + 1, arg.len - mark - 1 }, reterr) < 0)
		return -EINVAL;
	if (!memmem(address.ptr, address.len, "://", 3)) {
		db = address;
		if (db.len && *db.ptr == '/')
			db = (struct str){ db.ptr + 1, db.len - 1 };
		if (db.len)
			set(&f->db, db);
		return 0;
	}
	if (net_url_parse(&url, address, reterr) < 0)
		return -EINVAL;
	if (url.has_userinfo)
		take_userinfo(f, url.userinfo);
	slash = url.path.len;
	while (slash && url.path.ptr[slash - 1] != '/')
		slash--;
	db = (struct str){ url.path.ptr + slash, url.path.len - slash };
	if (db.len)
		set(&f->db, db);
	free(f->addr);
	f->addr = xasprintf("http%s://%.*s%.*s", url.tls ? "s" : "", STR_FMT(url.authority),
			    (int)(slash ? slash - 1 : 0), url.path.ptr);
	return 0;
}

int export_influx_create(const struct export_spec *spec, struct export_output **ret,
			 struct error *reterr)
{
	static const struct export_ops ops = {
		.begin = begin,
		.points = add_points,
		.tick = flush,
		.end = end,
		.free = free_all,
	};
	struct influx_output *f = xcalloc(1, sizeof(*f));
	int r;

	f->base.ops = &ops;
	f->base.interval_ns = INTERVAL_NS;
	f->addr = xstrdup(DEFAULT_ADDR);
	f->db = xstrdup(DEFAULT_DB);
	f->precision = "n";
	f->unit_ns = 1;
	set_fields(f, STR("vu:int,iter:int,url"), NULL);
	r = read_variables(f, spec, reterr);
	if (r == 0)
		r = read_argument(f, str_from(spec->arg), reterr);
	if (r < 0) {
		free_all(&f->base);
		return r;
	}
	*ret = &f->base;
	return 0;
}
