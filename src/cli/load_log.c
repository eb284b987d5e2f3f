#include "cli/load_log.h"

#include <errno.h>
#include <time.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/term.h"
#include "os/clock.h"

static const char *const level_names[] = { "debug", "info", "warning", "error" };

/* ---- lines ---- */

/* As a watched terminal shows it: INFO[0012] text */
static void add_live(const struct load_log_out *o, const struct load_log_line *l,
		     struct strbuf *out)
{
	static const char *const marks[] = { "DEBU", "INFO", "WARN", "ERRO" };

	strbuf_addf(out, "%s[%04llu] %s", marks[l->level],
		    (unsigned long long)((clock_now_ns() - o->start_ns) / NS_PER_S), l->text);
}

static void add_time(struct strbuf *out)
{
	time_t now = time(NULL);
	char when[40] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S%z", &tm);
	strbuf_addstr(out, when);
}

static const char *source_name(const struct load_log_line *l)
{
	static const char *const names[] = { NULL, "console", "http-debug" };

	return names[l->source];
}

/* logfmt, as k6 writes when nobody watches */
static void add_logfmt(const struct load_log_line *l, struct strbuf *out)
{
	strbuf_addstr(out, "time=\"");
	add_time(out);
	strbuf_addf(out, "\" level=%s msg=", level_names[l->level]);
	json_add_quoted(out, str_from(l->text));
	if (source_name(l))
		strbuf_addf(out, " source=%s", source_name(l));
}

static void add_json(const struct load_log_line *l, struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf when = STRBUF_INIT;
	struct json_writer w;

	add_time(&when);
	json_init(&w, out, JSON_COMPACT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "level", level_names[l->level]);
	json_cstr(&w, "msg", l->text);
	if (source_name(l))
		json_cstr(&w, "source", source_name(l));
	json_str(&w, "time", strbuf_str(&when));
	json_object_end(&w);
}

void load_log_line(void *arg, const struct load_log_line *line)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	const struct load_log_out *o = arg;
	FILE *to = line->source == LOAD_LOG_CONSOLE && o->console ? o->console : o->file;

	if (!to || line->level < o->lowest)
		return;
	if (o->format == LOAD_LOG_JSON)
		add_json(line, &text);
	else if (o->format == LOAD_LOG_RAW)
		strbuf_addstr(&text, line->text);
	else if (o->live && to == o->file)
		add_live(o, line, &text);
	else
		add_logfmt(line, &text);
	strbuf_addch(&text, '\n');
	if (to == stderr)
		term_progress_end();
	fwrite(text.ptr, 1, text.len, to);
	fflush(to);
}

/* ---- where to ---- */

static int set_level(struct load_log_out *o, struct str name, struct error *reterr)
{
	if (str_eq(name, STR("trace")))
		name = STR("debug");
	if (str_eq(name, STR("warn")))
		name = STR("warning");
	for (size_t i = 0; i < ARRAY_SIZE(level_names); i++)
		if (str_eq_c(name, level_names[i])) {
			o->lowest = (enum load_log_level)i;
			return 0;
		}
	return error_set(reterr, -EINVAL,
			 "--log-output: there is no level %.*s: debug, info, warning or error",
			 STR_FMT(name));
}

static int open_file(const char *flag, struct str path, FILE **ret, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *name = str_dup(path);

	*ret = fopen(name, "ae");
	return *ret ? 0 : error_errno(reterr, -errno, "%s: opening %s", flag, name);
}

/* file=PATH,level=LEVEL */
static int read_file(struct load_log_out *o, struct str rest, struct error *reterr)
{
	struct str path = STR("k6.log"), part;

	while (str_split(&rest, ',', &part)) {
		struct str value = { part.ptr + str_find(part, '='),
				     part.len - str_find(part, '=') };
		struct str key = { part.ptr, part.len - value.len };

		value = value.len ? (struct str){ value.ptr + 1, value.len - 1 } : value;
		if (str_eq(key, STR("level"))) {
			if (set_level(o, value, reterr) < 0)
				return -EINVAL;
		} else if (str_eq(key, STR("file"))) {
			path = value.len ? value : path;
		} else {
			return error_set(reterr, -EINVAL,
					 "--log-output: expected file=PATH,level=LEVEL, found %.*s",
					 STR_FMT(part));
		}
	}
	return open_file("--log-output", path, &o->file, reterr);
}

static int read_output(struct load_log_out *o, const char *where, struct error *reterr)
{
	if (!where || !strcmp(where, "stderr"))
		o->file = stderr;
	else if (!strcmp(where, "stdout"))
		o->file = stdout;
	else if (!strcmp(where, "none"))
		o->file = NULL;
	else if (str_starts_with(str_from(where), STR("file")))
		return read_file(o, str_from(where), reterr);
	else
		return error_set(reterr, -EINVAL,
				 "--log-output %s: expected stderr, stdout, none or file=PATH%s",
				 where,
				 str_starts_with(str_from(where), STR("loki"))
					 ? "; assay does not send its log to Loki"
					 : "");
	return 0;
}

static int read_format(struct load_log_out *o, const char *format, struct error *reterr)
{
	static const char *const names[] = { "text", "raw", "json" };

	if (!format || !strcmp(format, "default"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(format, names[i])) {
			o->format = (enum load_log_format)i;
			return 0;
		}
	return error_set(reterr, -EINVAL, "--log-format %s: expected text, raw or json", format);
}

int load_log_open(const struct load_flags *f, struct load_log_out *ret, struct error *reterr)
{
	const char *where = load_flags_or_variable(f->log_output, "K6_LOG_OUTPUT");
	const char *format = load_flags_or_variable(f->log_format, "K6_LOG_FORMAT");
	const char *console = load_flags_or_variable(f->console_output, "K6_CONSOLE_OUTPUT");

	*ret = (struct load_log_out){ .lowest = f->verbose ? LOAD_LOG_DEBUG : LOAD_LOG_INFO,
				      .start_ns = clock_now_ns() };
	if (read_format(ret, format, reterr) < 0 || read_output(ret, where, reterr) < 0)
		return -EINVAL;
	ret->live = ret->file == stderr && term_is_live(stderr);
	if (console)
		return open_file("--console-output", str_from(console), &ret->console, reterr);
	return 0;
}

void load_log_close(struct load_log_out *o)
{
	if (o->file && o->file != stderr && o->file != stdout)
		fclose(o->file);
	if (o->console)
		fclose(o->console);
}
