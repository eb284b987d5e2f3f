#include "convert/script.h"

#include <errno.h>
#include <stdlib.h>

#include "base/duration.h"
#include "convert/body.h"
#include "convert/js.h"

void convert_request_release(struct convert_request *r)
{
	strbuf_release(&r->method);
	strbuf_release(&r->url);
	strbuf_release(&r->user);
	strbuf_release(&r->tag_name);
	vec_for_each (&r->headers, h) {
		strbuf_release(&h->name);
		strbuf_release(&h->value);
	}
	vec_release(&r->headers);
	vec_for_each (&r->cookies, c) {
		strbuf_release(&c->name);
		strbuf_release(&c->value);
	}
	vec_release(&r->cookies);
	vec_for_each (&r->pieces, p)
		strbuf_release(&p->text);
	vec_release(&r->pieces);
	vec_for_each (&r->parts, p) {
		strbuf_release(&p->name);
		strbuf_release(&p->value);
		strbuf_release(&p->file_name);
		strbuf_release(&p->type);
	}
	vec_release(&r->parts);
}

struct convert_header *convert_request_header(struct convert_request *r, struct str name)
{
	vec_for_each (&r->headers, h)
		if (str_ieq(strbuf_str(&h->name), name))
			return h;
	return NULL;
}

void convert_request_add_header(struct convert_request *r, struct str name, struct str value)
{
	struct convert_header h = { STRBUF_INIT, STRBUF_INIT };

	strbuf_add(&h.name, name.ptr, name.len);
	strbuf_add(&h.value, value.ptr, value.len);
	vec_push(&r->headers, h);
}

void convert_script_release(struct convert_script *s)
{
	strbuf_release(&s->notes);
	strbuf_release(&s->options);
	strbuf_release(&s->init);
	strbuf_release(&s->body);
}

void convert_note(struct convert_script *s, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
	struct str rest, other;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	rest = strbuf_str(&s->notes);
	while (str_split(&rest, '\n', &other))
		if (str_eq(other, strbuf_str(&line)))
			return;
	strbuf_add(&s->notes, line.ptr, line.len);
	strbuf_addch(&s->notes, '\n');
}

/* ---- one call ---- */

/* What a request line cannot hold becomes %XX; marks of variables stay. */
static void add_url(struct strbuf *out, const struct convert_request *r)
{
	CLEANUP(strbuf_release) struct strbuf url = STRBUF_INIT;
	struct str s = strbuf_str(&r->url);
	size_t scheme = 0;
	bool mark = false;

	if (r->user.len && s.len > 8)
		scheme = str_starts_with(s, STR("https://")) ? 8 : 7;
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (scheme && i == scheme)
			strbuf_addf(&url, "%s@", strbuf_cstr(&r->user));
		mark |= s.ptr[i] == CONVERT_VAR_BEGIN;
		if (mark || (c > ' ' && c < 0x7f))
			strbuf_addch(&url, s.ptr[i]);
		else
			strbuf_addf(&url, "%%%02X", c);
		mark &= s.ptr[i] != CONVERT_VAR_END;
	}
	convert_js_string(out, strbuf_str(&url));
}

/* The function of k6/http for a method; NULL when there is none. */
static const char *function_of(struct str method, bool has_body)
{
	static const struct {
		const char *method, *function;
		bool body;
	} functions[] = {
		{ "GET", "get", false },	{ "HEAD", "head", false },
		{ "POST", "post", true },	{ "PUT", "put", true },
		{ "PATCH", "patch", true },	{ "DELETE", "del", true },
		{ "OPTIONS", "options", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (str_eq_c(method, functions[i].method))
			return has_body && !functions[i].body ? NULL : functions[i].function;
	return NULL;
}

static bool has_parameters(const struct convert_request *r)
{
	return r->expected_status || r->tag_name.len || r->headers.len || r->spread ||
	       r->cookies.len || r->redirects >= 0 || r->timeout_ns || r->auth;
}

/* An object of names and values; several of one name are joined, as HTTP lets one. */
static void add_pairs(struct strbuf *out, const char *key, const char *spread,
		      const struct convert_header *list, size_t n, unsigned indent)
{
	if (!n && !spread)
		return;
	convert_js_indent(out, indent);
	if (!n) {
		strbuf_addf(out, "%s: %s,\n", key, spread);
		return;
	}
	strbuf_addf(out, "%s: {\n", key);
	if (spread) {
		convert_js_indent(out, indent + 2);
		strbuf_addf(out, "...%s,\n", spread);
	}
	for (size_t i = 0; i < n; i++) {
		CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
		bool before = false;

		for (size_t k = 0; k < n; k++) {
			if (!str_ieq(strbuf_str(&list[k].name), strbuf_str(&list[i].name)))
				continue;
			before |= k < i;
			strbuf_addstr(&value, value.len ? ", " : "");
			strbuf_add(&value, list[k].value.ptr, list[k].value.len);
		}
		if (before)
			continue;
		convert_js_indent(out, indent + 2);
		convert_js_key(out, strbuf_str(&list[i].name));
		strbuf_addstr(out, ": ");
		convert_js_string(out, strbuf_str(&value));
		strbuf_addstr(out, ",\n");
	}
	convert_js_indent(out, indent);
	strbuf_addstr(out, "},\n");
}

static void add_parameters(struct strbuf *out, const struct convert_request *r, unsigned indent)
{
	strbuf_addstr(out, "{\n");
	add_pairs(out, "headers", r->spread, r->headers.ptr, r->headers.len, indent + 2);
	add_pairs(out, "cookies", NULL, r->cookies.ptr, r->cookies.len, indent + 2);
	if (r->tag_name.len) {
		convert_js_indent(out, indent + 2);
		strbuf_addstr(out, "tags: { name: ");
		convert_js_string(out, strbuf_str(&r->tag_name));
		strbuf_addstr(out, " },\n");
	}
	if (r->auth) {
		convert_js_indent(out, indent + 2);
		strbuf_addf(out, "auth: '%s',\n", r->auth);
	}
	if (r->expected_status) {
		convert_js_indent(out, indent + 2);
		strbuf_addf(out, "responseCallback: http.expectedStatuses(%d),\n",
			    r->expected_status);
	}
	if (r->redirects >= 0) {
		convert_js_indent(out, indent + 2);
		strbuf_addf(out, "redirects: %d,\n", r->redirects);
	}
	if (r->timeout_ns) {
		convert_js_indent(out, indent + 2);
		strbuf_addstr(out, "timeout: '");
		duration_fmt(out, r->timeout_ns);
		strbuf_addstr(out, "',\n");
	}
	convert_js_indent(out, indent);
	strbuf_addch(out, '}');
}

int convert_script_call(struct convert_script *s, const struct convert_request *r, unsigned indent,
			struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;
	struct str method = strbuf_str(&r->method);
	bool parameters = has_parameters(r);
	const char *function;
	int err = convert_body(s, r, indent, &body, reterr);

	if (err < 0)
		return err;
	function = function_of(method, body.len > 0);
	if (function) {
		strbuf_addf(&s->body, "http.%s(", function);
	} else {
		strbuf_addstr(&s->body, "http.request(");
		convert_js_string(&s->body, method);
		strbuf_addstr(&s->body, ", ");
	}
	add_url(&s->body, r);
	if (body.len)
		strbuf_addf(&s->body, ", %s", strbuf_cstr(&body));
	else if (parameters && (!function || (strcmp(function, "get") && strcmp(function, "head"))))
		strbuf_addstr(&s->body, ", null");
	if (parameters) {
		strbuf_addstr(&s->body, ", ");
		add_parameters(&s->body, r, indent);
	}
	strbuf_addch(&s->body, ')');
	return 0;
}

/* ---- the whole ---- */

static void add_imports(const struct convert_script *s, struct strbuf *out)
{
	strbuf_addf(out, "import { check%s%s } from 'k6';\n", s->uses_group ? ", group" : "",
		    s->uses_sleep ? ", sleep" : "");
	if (s->uses_encoding)
		strbuf_addstr(out, "import encoding from 'k6/encoding';\n");
	strbuf_addstr(out, "import http from 'k6/http';\n\n");
}

void convert_script_fmt(const struct convert_script *s, struct strbuf *out)
{
	strbuf_addf(out, "// Made by assay from %s. How much load it is, is said in the options.\n",
		    s->from);
	if (s->notes.len) {
		strbuf_addstr(out, "//\n// Not carried over:\n");
		convert_js_comment(out, 0, strbuf_str(&s->notes));
	}
	add_imports(s, out);
	strbuf_addstr(out, "export const options = {\n"
			   "  vus: 1,\n"
			   "  iterations: 1,\n");
	strbuf_add(out, s->options.ptr, s->options.len);
	strbuf_addstr(out, "  thresholds: {\n"
			   "    http_req_failed: ['rate<0.01'],\n"
			   "    checks: ['rate>0.99'],\n"
			   "  },\n"
			   "};\n\n");
	strbuf_add(out, s->init.ptr, s->init.len);
	if (s->init.len)
		strbuf_addch(out, '\n');
	if (!s->whole)
		strbuf_addstr(out, "export default function () {\n");
	strbuf_add(out, s->body.ptr, s->body.len);
	if (!s->whole)
		strbuf_addstr(out, "}\n");
}
