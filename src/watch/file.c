#include "watch/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "watch/name.h"

struct watch_file {
	struct watch_out out;
	struct watch_file_opts opts;
	char *path, *target;
	FILE *file;
	struct strbuf row; /* being made */
	bool has_events;   /* of JSON's list; in CSV the head is written */
	int failure;
};

static struct watch_file *file_of(struct watch_out *o)
{
	return container_of(o, struct watch_file, out);
}

static int put_row(struct watch_file *f)
{
	if (!f->failure && fwrite(f->row.ptr, 1, f->row.len, f->file) != f->row.len)
		f->failure = errno ? -errno : -EIO;
	strbuf_clear(&f->row);
	return f->failure;
}

/* A rate of a measured interval (1.0008 s) as one of whole intervals; near ones keep whole counts.
 */
static struct watch_value evened(const struct watch_file *f, const struct watch_value *v)
{
	double nominal = f->opts.interval_s;
	struct watch_value even = *v;

	if (v->kind != WATCH_RATE || !(nominal > 0) || !(v->interval_s > 0))
		return even;
	even.interval_s = fmax(round(v->interval_s / nominal), 1) * nominal;
	if (fabs(v->interval_s / even.interval_s - 1) > 0.1)
		even.value = v->value / v->interval_s * even.interval_s;
	return even;
}

/* --- times --- */

static int64_t wall_ns(const struct watch_file *f, uint64_t t_ns)
{
	return (int64_t)t_ns + f->opts.wall_anchor_ns;
}

/* The invariant culture's form, as in CSV: "11/30/2026 20:33:58". */
static void add_csv_time(struct strbuf *sb, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	char text[32];
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(text, sizeof(text), "%m/%d/%Y %H:%M:%S", &tm);
	strbuf_addstr(sb, text);
}

/* .NET's round-trip form "O" of a local time: "2026-11-30T20:34:48.7206080+00:00". */
static void add_local_time(struct strbuf *sb, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	char text[32], zone[8];
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	strbuf_addf(sb, "%s.%07lld%.3s:%s", text, (long long)(ns % 1000000000 / 100), zone,
		    zone + 3);
}

static void add_utc_time(struct strbuf *sb, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	char text[32];
	struct tm tm;

	gmtime_r(&s, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	strbuf_addf(sb, "%s.%06lldZ", text, (long long)(ns % 1000000000 / 1000));
}

/* --- CSV --- */

/* A comma would be a column, a line end a row: dotnet-counters writes ';' for the first. */
static void add_cell(struct strbuf *sb, const char *text)
{
	for (const char *p = text; *p; p++)
		strbuf_addch(sb, *p == ',' ? ';' : (unsigned char)*p < ' ' ? ' ' : *p);
}

static int csv_value(struct watch_out *o, const struct watch_value *value)
{
	struct watch_file *f = file_of(o);
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT, tags = STRBUF_INIT;
	struct watch_value even = evened(f, value), *v = &even;

	if (!f->has_events)
		strbuf_addstr(&f->row,
			      "Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n");
	f->has_events = true;
	watch_name(&name, v);
	watch_tags(&tags, v, ';');
	add_csv_time(&f->row, wall_ns(f, v->t_ns));
	strbuf_addch(&f->row, ',');
	add_cell(&f->row, v->provider);
	strbuf_addch(&f->row, ',');
	add_cell(&f->row, strbuf_cstr(&name));
	if (tags.len) {
		strbuf_addch(&f->row, '[');
		add_cell(&f->row, strbuf_cstr(&tags));
		strbuf_addch(&f->row, ']');
	}
	strbuf_addf(&f->row, ",%s,", watch_type(v));
	watch_number(&f->row, v->value);
	strbuf_addch(&f->row, '\n');
	return put_row(f);
}

/* --- JSON --- */

static void add_pair(struct strbuf *sb, const char *key, struct str value)
{
	strbuf_addf(sb, ",  \"%s\": ", key);
	json_add_quoted(sb, value);
}

static int json_value(struct watch_out *o, const struct watch_value *value)
{
	struct watch_file *f = file_of(o);
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT, tags = STRBUF_INIT;
	struct watch_value even = evened(f, value), bare = even, *v = &even;

	watch_name(&name, v);
	bare.meter_tags = bare.instrument_tags = "";
	watch_tags(&tags, &bare, ',');
	strbuf_addstr(&f->row, f->has_events ? ",{ \"timestamp\": \"" : "{ \"timestamp\": \"");
	f->has_events = true;
	add_local_time(&f->row, wall_ns(f, v->t_ns));
	strbuf_addch(&f->row, '"');
	add_pair(&f->row, "provider", str_from(v->provider));
	add_pair(&f->row, "name", strbuf_str(&name));
	add_pair(&f->row, "tags", strbuf_str(&tags));
	add_pair(&f->row, "counterType", str_from(watch_type(v)));
	add_pair(&f->row, "meterTags", str_from(v->meter_tags ? v->meter_tags : ""));
	add_pair(&f->row, "instrumentTags", str_from(v->instrument_tags ? v->instrument_tags : ""));
	strbuf_addstr(&f->row, ",  \"value\": ");
	json_add_double(&f->row, v->value);
	strbuf_addstr(&f->row, " }");
	return put_row(f);
}

static void begin_json(struct watch_file *f)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	strbuf_addstr(&f->row, "{ \"TargetProcess\": ");
	json_add_quoted(&f->row, str_from(f->target));
	strbuf_addstr(&f->row, ", \"StartTime\": \"");
	add_local_time(&f->row, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
	strbuf_addstr(&f->row, "\", \"Events\": [");
	put_row(f);
}

/* --- JSON Lines --- */

static const char *const sources[] = { "dotnet", "host", "scrape" };
static const char *const kinds[] = { "gauge", "rate", "quantile" };

static int line_value(struct watch_out *o, const struct watch_value *v)
{
	struct watch_file *f = file_of(o);
	CLEANUP(strbuf_release) struct strbuf tags = STRBUF_INIT, time = STRBUF_INIT;
	struct watch_value plain = *v;
	struct json_writer w;

	plain.kind = WATCH_GAUGE; /* the quantile has a key of its own */
	watch_tags(&tags, &plain, ',');
	add_utc_time(&time, wall_ns(f, v->t_ns));
	json_init(&w, &f->row, JSON_COMPACT);
	json_object_begin(&w, NULL);
	json_str(&w, "time", strbuf_str(&time));
	json_uint(&w, "t_ns", v->t_ns);
	json_cstr(&w, "source", sources[v->source]);
	json_cstr(&w, "provider", v->provider);
	json_cstr(&w, "name", v->name);
	json_cstr(&w, "unit", v->unit);
	json_str(&w, "tags", strbuf_str(&tags));
	json_cstr(&w, "kind", kinds[v->kind]);
	if (v->kind != WATCH_GAUGE)
		json_double(&w, "interval_s", v->interval_s);
	if (v->kind == WATCH_QUANTILE)
		json_double(&w, "quantile", v->quantile);
	json_double(&w, "value", v->value);
	if (v->kind == WATCH_RATE && !isnan(v->total))
		json_double(&w, "total", v->total);
	if (v->kind == WATCH_QUANTILE && !isnan(v->count))
		json_double(&w, "count", v->count);
	json_object_end(&w);
	strbuf_addch(&f->row, '\n');
	return put_row(f);
}

static int line_note(struct watch_out *o, uint64_t t_ns, const char *text)
{
	struct watch_file *f = file_of(o);
	CLEANUP(strbuf_release) struct strbuf time = STRBUF_INIT;
	struct json_writer w;

	add_utc_time(&time, wall_ns(f, t_ns));
	json_init(&w, &f->row, JSON_COMPACT);
	json_object_begin(&w, NULL);
	json_str(&w, "time", strbuf_str(&time));
	json_uint(&w, "t_ns", t_ns);
	json_cstr(&w, "note", text);
	json_object_end(&w);
	strbuf_addch(&f->row, '\n');
	return put_row(f);
}

/* --- all --- */

/* dotnet-counters' forms have no place for words: the verb says them on standard error. */
static int no_note(struct watch_out *o, uint64_t t_ns UNUSED, const char *text UNUSED)
{
	return file_of(o)->failure;
}

static int tick(struct watch_out *o, uint64_t t_ns UNUSED)
{
	struct watch_file *f = file_of(o);

	if (!f->failure && fflush(f->file) != 0)
		f->failure = -errno;
	return f->failure;
}

static int close_file(struct watch_out *o, struct error *reterr)
{
	struct watch_file *f = file_of(o);
	int r;

	if (f->opts.format == WATCH_JSON) {
		strbuf_addstr(&f->row, "]}");
		put_row(f);
	}
	tick(o, 0);
	if (f->file != stdout && fclose(f->file) != 0 && !f->failure)
		f->failure = -errno;
	r = f->failure;
	if (r < 0)
		error_errno(reterr, r, "writing %s", f->path);
	strbuf_release(&f->row);
	free(f->path);
	free(f->target);
	free(f);
	return r;
}

static const struct watch_out_ops ops[] = {
	[WATCH_CSV] = { csv_value, tick, no_note, close_file },
	[WATCH_JSON] = { json_value, tick, no_note, close_file },
	[WATCH_JSON_LINES] = { line_value, tick, line_note, close_file },
};

int watch_file_open(const struct watch_file_opts *opts, struct watch_out **ret,
		    struct error *reterr)
{
	bool to_stdout = !opts->path || !strcmp(opts->path, "-");
	FILE *file = to_stdout ? stdout : fopen(opts->path, "we");
	struct watch_file *f;

	if (!file)
		return error_errno(reterr, -errno, "creating %s", opts->path);
	f = xcalloc(1, sizeof(*f));
	*f = (struct watch_file){ .out.ops = &ops[opts->format],
				  .opts = *opts,
				  .path = xstrdup(to_stdout ? "standard output" : opts->path),
				  .target = xstrdup(opts->target ? opts->target : ""),
				  .file = file };
	if (opts->format == WATCH_JSON)
		begin_json(f);
	*ret = &f->out;
	return 0;
}
