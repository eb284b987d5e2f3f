/* A recorded request as one that the script makes: headers, cookies, body. */
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "convert/body.h"
#include "convert/har_internal.h"
#include "convert/js.h"
#include "convert/percent.h"

/* ---- headers ---- */

/* Those that a client makes of itself, or that belong to one connection. */
static bool is_own_header(struct str name)
{
	static const char *const names[] = {
		"host",
		"content-length",
		"connection",
		"cookie",
		"keep-alive",
		"proxy-connection",
		"te",
		"upgrade",
		"trailer",
		"transfer-encoding",
		"http2-settings",
		"expect",
	};

	if (!name.len || name.ptr[0] == ':')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_ieq(name, str_from(names[i])))
			return true;
	return false;
}

/* A header's name and value as a key of the common ones. */
static void header_key(struct strbuf *sb, const char *name, const char *value)
{
	strbuf_clear(sb);
	for (const char *c = name; *c; c++)
		strbuf_addch(sb, *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c);
	strbuf_addf(sb, ": %s", value);
}

static void each_header(struct har *h, const struct har_entry *e,
			void (*fn)(struct har *h, const char *name, const char *value, void *arg),
			void *arg)
{
	const struct conf_node *list = conf_get(e->request, "headers");

	for (size_t i = 0; list && list->kind == CONF_LIST && i < list->n_children; i++) {
		const char *name = har_text(&list->children[i], "name");
		const char *value = har_text(&list->children[i], "value");

		if (name && value && !is_own_header(str_from(name)))
			fn(h, name, value, arg);
	}
}

/* Counted once a request: the value is the number of the last request it was in, from 1, and the
 * map's entry goes when one lacks it. */
static void count_header(struct har *h, const char *name, const char *value, void *arg)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;
	uintptr_t number = *(const uintptr_t *)arg;
	uintptr_t before;

	if (!strcasecmp(name, "content-type"))
		return;
	header_key(&key, name, value);
	before = (uintptr_t)map_get(&h->common, strbuf_str(&key));
	if (before == number - 1)
		map_put(&h->common, strbuf_str(&key), (void *)number);
}

static bool is_common(const struct har *h, const char *name, const char *value)
{
	CLEANUP(strbuf_release) struct strbuf key = STRBUF_INIT;

	header_key(&key, name, value);
	return h->entries.len > 1 &&
	       (uintptr_t)map_get(&h->common, strbuf_str(&key)) == h->entries.len;
}

static void write_common(struct har *h, const char *name, const char *value, void *arg)
{
	struct strbuf *out = arg;

	if (!is_common(h, name, value))
		return;
	if (!out->len)
		strbuf_addstr(out, "// in every request\nconst common = {\n");
	strbuf_addstr(out, "  ");
	convert_js_key(out, str_from(name));
	strbuf_addstr(out, ": ");
	convert_js_string(out, str_from(value));
	strbuf_addstr(out, ",\n");
}

void har_common_headers(struct har *h)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	uintptr_t number = 0;

	if (h->entries.len < 2)
		return;
	vec_for_each (&h->entries, e) {
		number++;
		each_header(h, e, count_header, &number);
	}
	each_header(h, &h->entries.ptr[0], write_common, &out);
	if (!out.len)
		return;
	strbuf_addstr(&out, "};\n");
	strbuf_add(&h->script->init, out.ptr, out.len);
	h->has_common = true;
}

static void add_header(struct har *h, const char *name, const char *value, void *arg)
{
	struct convert_request *r = arg;

	if (!is_common(h, name, value))
		convert_request_add_header(r, str_from(name), str_from(value));
}

/* ---- cookies ---- */

void har_learn_cookies(struct har *h, const struct har_entry *e)
{
	const struct conf_node *response = conf_get(e->node, "response");
	const struct conf_node *cookies = conf_get(response, "cookies");
	const struct conf_node *headers = conf_get(response, "headers");

	for (size_t i = 0; cookies && i < cookies->n_children; i++) {
		const char *name = har_text(&cookies->children[i], "name");

		if (name)
			map_put(&h->cookies, str_from(name), h);
	}
	for (size_t i = 0; headers && i < headers->n_children; i++) {
		const char *name = har_text(&headers->children[i], "name");
		struct str rest = str_from(har_text(&headers->children[i], "value")), line;

		if (!name || !rest.ptr || strcasecmp(name, "set-cookie") != 0)
			continue;
		while (str_split(&rest, '\n', &line)) /* browsers put several into one */
			map_put(&h->cookies,
				str_trim((struct str){ line.ptr, str_find(line, '=') }), h);
	}
}

static void add_cookie(struct har *h, struct str name, struct str value, struct convert_request *r)
{
	struct convert_header c = { STRBUF_INIT, STRBUF_INIT };

	if (!name.len || map_get(&h->cookies, name))
		return;
	strbuf_add(&c.name, name.ptr, name.len);
	strbuf_add(&c.value, value.ptr, value.len);
	vec_push(&r->cookies, c);
}

/* From the header, which is what was sent; else from the list. */
static void add_cookies(struct har *h, const struct har_entry *e, struct convert_request *r)
{
	const struct conf_node *headers = conf_get(e->request, "headers");
	const struct conf_node *cookies = conf_get(e->request, "cookies");
	bool found = false;

	for (size_t i = 0; headers && i < headers->n_children; i++) {
		const char *name = har_text(&headers->children[i], "name");
		struct str rest = str_from(har_text(&headers->children[i], "value")), pair;

		if (!name || !rest.ptr || strcasecmp(name, "cookie") != 0)
			continue;
		found = true;
		while (str_split(&rest, ';', &pair)) {
			size_t eq = str_find(pair, '=');

			if (eq < pair.len)
				add_cookie(h, str_trim((struct str){ pair.ptr, eq }),
					   str_trim((struct str){ pair.ptr + eq + 1,
								  pair.len - eq - 1 }),
					   r);
		}
	}
	for (size_t i = 0; !found && cookies && i < cookies->n_children; i++) {
		const char *name = har_text(&cookies->children[i], "name");
		const char *value = har_text(&cookies->children[i], "value");

		if (name && value)
			add_cookie(h, str_from(name), str_from(value), r);
	}
}

/* ---- the body ---- */

/* postData.params of a form that has no text. */
static void add_form(const struct conf_node *params, struct convert_request *r)
{
	struct convert_piece p = { .kind = CONVERT_TEXT };

	for (size_t i = 0; i < params->n_children; i++) {
		const char *name = har_text(&params->children[i], "name");
		const char *value = har_text(&params->children[i], "value");

		if (!name)
			continue;
		strbuf_addstr(&p.text, p.text.len ? "&" : "");
		convert_percent(&p.text, str_from(name), CONVERT_FORM_PLAIN, true);
		strbuf_addch(&p.text, '=');
		convert_percent(&p.text, str_from(value), CONVERT_FORM_PLAIN, true);
	}
	vec_push(&r->pieces, p);
}

static void drop_header(struct convert_request *r, struct str name)
{
	struct convert_header *h = convert_request_header(r, name);

	if (!h)
		return;
	strbuf_release(&h->name);
	strbuf_release(&h->value);
	*h = vec_last(&r->headers);
	r->headers.len--;
}

/* The parts of a form whose text was not recorded. k6 makes the boundary anew. */
static void add_parts(struct har *h, const struct conf_node *params, struct convert_request *r)
{
	for (size_t i = 0; i < params->n_children; i++) {
		const struct conf_node *n = &params->children[i];
		const char *name = har_text(n, "name"), *value = har_text(n, "value");
		const char *file = har_text(n, "fileName"), *type = har_text(n, "contentType");
		struct convert_part p = { 0 };

		if (!name)
			continue;
		strbuf_addstr(&p.name, name);
		strbuf_addstr(&p.value, value ? value : "");
		strbuf_addstr(&p.file_name, file ? file : "");
		strbuf_addstr(&p.type, type ? type : "");
		if (file && !value)
			convert_note(h->script,
				     "the content of the file %s, which was not recorded", file);
		vec_push(&r->parts, p);
	}
	drop_header(r, STR("Content-Type"));
	convert_request_add_header(r, STR("Content-Type"),
				   STR("multipart/form-data; boundary=" CONVERT_BOUNDARY));
}

static void add_text(const struct conf_node *data, const struct conf_node *text,
		     struct convert_request *r)
{
	const char *encoding = har_text(data, "encoding");
	struct convert_piece p = { .kind = CONVERT_TEXT };

	if (encoding && !strcmp(encoding, "base64"))
		p.kind = CONVERT_BASE64;
	strbuf_add(&p.text, text->text, text->len);
	vec_push(&r->pieces, p);
}

/* The text, which is what was sent; else what it was made of. */
static int add_body(struct har *h, const struct har_entry *e, struct convert_request *r,
		    struct error *reterr)
{
	const struct conf_node *data = conf_get(e->request, "postData");
	const struct conf_node *text = conf_get(data, "text"), *params = conf_get(data, "params");
	const char *type = har_text(data, "mimeType");
	struct str kind = str_from(type ? type : "");

	if (!data || (data->kind == CONF_SCALAR && !data->quoted))
		return 0;
	if (data->kind != CONF_MAP)
		return conf_error(h->conf, data, reterr, "postData is not an object");
	if (text && text->kind == CONF_SCALAR && text->len)
		add_text(data, text, r);
	else if (!params || !params->n_children)
		return 0;
	else if (str_starts_with(kind, STR("multipart/")))
		add_parts(h, params, r);
	else
		add_form(params, r);
	if (kind.len && !convert_request_header(r, STR("Content-Type")))
		convert_request_add_header(r, STR("Content-Type"), kind);
	return 0;
}

int har_request(struct har *h, const struct har_entry *e, struct convert_request *ret,
		struct error *reterr)
{
	struct str url = str_from(e->url);

	strbuf_addstr(&ret->method, e->method);
	strbuf_add(&ret->url, url.ptr, str_find(url, '#'));
	if (e->status >= 400)
		ret->expected_status = e->status;
	ret->spread = h->has_common ? "common" : NULL;
	each_header(h, e, add_header, ret);
	add_cookies(h, e, ret);
	return add_body(h, e, ret, reterr);
}
