#include "convert/har.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/map.h"
#include "base/num.h"
#include "convert/har_internal.h"
#include "convert/js.h"

/* Pauses below this are the browser's, not the user's. */
#define THINK_MS_MIN 100.0

/* ---- reading the entries ---- */

const char *har_text(const struct conf_node *n, const char *key)
{
	const struct conf_node *child = conf_get(n, key);

	return child && child->kind == CONF_SCALAR && child->quoted ? child->text : NULL;
}

static double number(const struct conf_node *n, const char *key)
{
	const struct conf_node *child = conf_get(n, key);
	double v = 0;

	if (child && child->kind == CONF_SCALAR)
		num_parse_double(str_from(child->text), &v);
	return v;
}

/* ISO 8601, as HAR wants it, into ms; NAN when it is not. */
static double parse_time(const char *text)
{
	struct tm tm = { 0 };
	const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	double ms = 0;
	int hours, minutes;
	char sign;

	if (!rest)
		return NAN;
	if (*rest == '.') {
		char *end;

		ms = strtod(rest, &end) * 1000;
		rest = end;
	}
	if (sscanf(rest, "%c%2d:%2d", &sign, &hours, &minutes) == 3)
		ms -= (sign == '-' ? -1 : 1) * (hours * 60.0 + minutes) * 60000;
	return (double)timegm(&tm) * 1000 + ms;
}

/* The host of an http or https URL; empty when it is none. */
static struct str host_of(const char *url)
{
	struct str s = str_from(url);
	size_t at;

	if (str_starts_with(s, STR("https://")))
		s = (struct str){ s.ptr + 8, s.len - 8 };
	else if (str_starts_with(s, STR("http://")))
		s = (struct str){ s.ptr + 7, s.len - 7 };
	else
		return STR("");
	s.len = strcspn(s.ptr, "/?#");
	at = str_find(s, '@');
	if (at < s.len)
		s = (struct str){ s.ptr + at + 1, s.len - at - 1 };
	if (s.len && s.ptr[0] != '[')
		s.len = str_find(s, ':');
	return s;
}

static bool host_matches(struct str host, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str name = str_from(list[i]);

		if (str_ieq(host, name))
			return true;
		if (!str_starts_with(name, STR("*.")))
			continue;
		name = (struct str){ name.ptr + 1, name.len - 1 };
		if (host.len > name.len &&
		    str_ieq((struct str){ host.ptr + host.len - name.len, name.len }, name))
			return true;
	}
	return false;
}

/* By what the answer said it is; browsers say it of the request, too. */
static bool is_static(const struct conf_node *entry)
{
	static const char *const kinds[] = { "image", "stylesheet", "script", "font", "media" };
	static const char *const types[] = { "image/",
					     "font/",
					     "audio/",
					     "video/",
					     "text/css",
					     "text/javascript",
					     "application/javascript",
					     "application/x-javascript",
					     "application/font-" };
	const struct conf_node *content = conf_get(conf_get(entry, "response"), "content");
	const char *kind = har_text(entry, "_resourceType"), *type = har_text(content, "mimeType");

	for (size_t i = 0; kind && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return true;
	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (str_starts_with(str_from(type), str_from(types[i])))
			return true;
	return false;
}

/* Why an entry is left out; NULL when it is not. Only what nobody asked for is noted. */
static const char *reason_to_skip(const struct har *h, const struct har_entry *e, bool *ret_note)
{
	struct str host = host_of(e->url);

	*ret_note = true;
	if (!host.len)
		return "requests that are not http or https";
	*ret_note = false;
	if ((h->opts->n_only && !host_matches(host, h->opts->only, h->opts->n_only)) ||
	    host_matches(host, h->opts->skip, h->opts->n_skip))
		return "";
	if (h->opts->no_static && is_static(e->node))
		return "";
	*ret_note = true;
	return e->status <= 0 ? "requests without an answer (cut off, or from a cache)" : NULL;
}

static int read_entry(struct har *h, const struct conf_node *n, struct error *reterr)
{
	const struct conf_node *request, *url, *method;
	struct har_entry e = { .node = n, .index = h->entries.len };
	const char *why;
	bool note;

	if (conf_need(h->conf, n, "request", &request, reterr) < 0 ||
	    conf_need(h->conf, request, "url", &url, reterr) < 0 ||
	    conf_need(h->conf, request, "method", &method, reterr) < 0)
		return -EINVAL;
	e.request = request;
	e.url = har_text(request, "url");
	e.method = har_text(request, "method");
	if (!e.url || !e.method)
		return conf_error(h->conf, e.url ? method : url, reterr, "expected a text");
	e.status = (int)number(conf_get(n, "response"), "status");
	e.start_ms = parse_time(har_text(n, "startedDateTime"));
	e.end_ms = e.start_ms + fmax(0, number(n, "time"));
	e.page = har_text(n, "pageref");
	why = reason_to_skip(h, &e, &note);
	if (why && note)
		convert_note(h->script, "%s", why);
	if (!why)
		vec_push(&h->entries, e);
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct har_entry *x = a, *y = b;

	if (x->start_ms != y->start_ms)
		return x->start_ms < y->start_ms ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int read_entries(struct har *h, struct error *reterr)
{
	const struct conf_node *log, *entries;
	bool timed = true;

	if (conf_need(h->conf, &h->conf->root, "log", &log, reterr) < 0 ||
	    conf_need(h->conf, log, "entries", &entries, reterr) < 0)
		return -EINVAL;
	if (entries->kind != CONF_LIST)
		return conf_error(h->conf, entries, reterr, "expected a list of entries");
	h->pages = conf_get(log, "pages");
	for (size_t i = 0; i < entries->n_children; i++)
		if (read_entry(h, &entries->children[i], reterr) < 0)
			return -EINVAL;
	if (!h->entries.len)
		return conf_error(h->conf, entries, reterr,
				  "of %zu requests none is left to be sent", entries->n_children);
	vec_for_each (&h->entries, e)
		timed &= isfinite(e->start_ms);
	if (timed)
		qsort(h->entries.ptr, h->entries.len, sizeof(*h->entries.ptr), by_start);
	else if (h->opts->think)
		convert_note(h->script, "pauses: the requests have no times");
	h->timed = timed;
	return 0;
}

/* ---- writing the script ---- */

/* The text of a page, or NULL when the entry belongs to none. */
static const char *page_title(const struct har *h, const struct har_entry *e)
{
	if (!e->page)
		return NULL;
	for (size_t i = 0; h->pages && i < h->pages->n_children; i++) {
		const char *id = har_text(&h->pages->children[i], "id");
		const char *title = har_text(&h->pages->children[i], "title");

		if (id && !strcmp(id, e->page))
			return title && *title ? title : id;
	}
	return e->page;
}

static void add_pause(struct har *h, const struct har_entry *e, double *latest, unsigned indent)
{
	double ms = e->start_ms - *latest;

	if (h->opts->think && h->timed && *latest > 0 && ms >= THINK_MS_MIN) {
		h->script->uses_sleep = true;
		convert_js_indent(&h->script->body, indent);
		strbuf_addf(&h->script->body, "sleep(%.1f);\n", ms / 1000);
	}
	*latest = fmax(*latest, e->end_ms);
}

/* The path, for the check's name: without the host and the query. */
static struct str path_of(const char *url)
{
	struct str host = host_of(url);
	const char *path = host.ptr + host.len;

	path += strcspn(path, "/?#");
	return *path == '/' ? (struct str){ path, strcspn(path, "?#") } : STR("/");
}

static void add_check(struct strbuf *body, const struct har_entry *e, unsigned indent)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct str path = path_of(e->url);

	strbuf_addf(&name, "%s %.*s is %d", e->method, STR_FMT(path), e->status);
	convert_js_indent(body, indent);
	strbuf_addstr(body, "check(res, { ");
	convert_js_string(body, strbuf_str(&name));
	strbuf_addf(body, ": (r) => r.status === %d });\n", e->status);
}

static int add_entry(struct har *h, const struct har_entry *e, unsigned indent,
		     struct error *reterr)
{
	CLEANUP(convert_request_release) struct convert_request r = CONVERT_REQUEST_INIT;
	struct strbuf *body = &h->script->body;
	struct error why = ERROR_INIT;
	int err = har_request(h, e, &r, reterr);

	if (err < 0)
		return err;
	convert_js_indent(body, indent);
	strbuf_addstr(body, "res = ");
	if (convert_script_call(h->script, &r, indent, &why) < 0)
		return conf_error(h->conf, e->node, reterr, "%s", why.msg);
	strbuf_addstr(body, ";\n");
	add_check(body, e, indent);
	har_learn_cookies(h, e);
	return 0;
}

static int add_all(struct har *h, struct error *reterr)
{
	struct strbuf *body = &h->script->body;
	const char *group = NULL;
	double latest = 0;
	int r = 0;

	strbuf_addstr(body, "  let res;\n");
	vec_for_each (&h->entries, e) {
		const char *title = page_title(h, e);
		bool same = title && group && !strcmp(title, group);

		if (group && !same)
			strbuf_addstr(body, "  });\n");
		add_pause(h, e, &latest, same ? 4 : 2);
		strbuf_addch(body, '\n');
		if (title && !same) {
			h->script->uses_group = true;
			strbuf_addstr(body, "  group(");
			convert_js_string(body, str_from(title));
			strbuf_addstr(body, ", () => {\n");
		}
		group = title;
		r = add_entry(h, e, title ? 4 : 2, reterr);
		if (r < 0)
			return r;
	}
	if (group)
		strbuf_addstr(body, "  });\n");
	return 0;
}

static void release(struct har *h)
{
	vec_release(&h->entries);
	map_release(&h->cookies);
	map_release(&h->common);
	conf_free(h->conf);
}

int convert_har(struct str text, const char *name, const struct convert_har_opts *o,
		struct convert_script *s, struct error *reterr)
{
	struct har h = { .opts = o, .script = s, .cookies = MAP_INIT, .common = MAP_INIT };
	int r = conf_parse_document(text, name, &h.conf, reterr);

	s->from = "an HTTP archive";
	if (r == 0)
		r = read_entries(&h, reterr);
	if (r == 0) {
		har_common_headers(&h);
		convert_js_comment(&s->options, 2,
				   STR("a redirect's target was recorded as a request of its own"));
		strbuf_addstr(&s->options, "  maxRedirects: 0,\n");
		r = add_all(&h, reterr);
	}
	release(&h);
	return r;
}
