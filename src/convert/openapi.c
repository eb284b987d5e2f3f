#include "convert/openapi.h"

#include <errno.h>
#include <strings.h>

#include "convert/js.h"
#include "convert/openapi_internal.h"

#define REF_MAX 32 /* references to references */

const char *openapi_text(const struct conf_node *n, const char *key)
{
	const struct conf_node *child = conf_get(n, key);

	return child && child->kind == CONF_SCALAR ? child->text : NULL;
}

/* ---- references ---- */

/* A token of a JSON pointer in a URL (RFC 6901): %XX, ~1 is '/', ~0 is '~'. */
static void unescape(struct str token, struct strbuf *out)
{
	for (size_t i = 0; i < token.len; i++) {
		char c = token.ptr[i];

		if (c == '%' && i + 2 < token.len && str_hex_digit(token.ptr[i + 1]) >= 0 &&
		    str_hex_digit(token.ptr[i + 2]) >= 0) {
			c = (char)(str_hex_digit(token.ptr[i + 1]) << 4 |
				   str_hex_digit(token.ptr[i + 2]));
			i += 2;
		} else if (c == '~' && i + 1 < token.len) {
			c = token.ptr[++i] == '1' ? '/' : '~';
		}
		strbuf_addch(out, c);
	}
}

static const struct conf_node *child_of(const struct conf_node *n, const char *token)
{
	uint64_t i;

	if (n->kind != CONF_LIST)
		return conf_get(n, token);
	i = (uint64_t)strtoull(token, NULL, 10);
	return i < n->n_children ? &n->children[i] : NULL;
}

static const struct conf_node *find(const struct openapi *o, const char *ref)
{
	const struct conf_node *n = &o->conf->root;
	struct str rest = str_from(ref), token;

	if (*ref != '#')
		return NULL;
	str_split(&rest, '/', &token); /* "#" */
	while (n && str_split(&rest, '/', &token)) {
		CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

		unescape(token, &name);
		n = child_of(n, strbuf_cstr(&name));
	}
	return n;
}

const struct conf_node *openapi_resolve(struct openapi *o, const struct conf_node *n)
{
	for (unsigned i = 0; n && i < REF_MAX; i++) {
		const char *ref = openapi_text(n, "$ref");

		if (!ref)
			return n;
		n = find(o, ref);
		if (!n)
			convert_note(o->script, "%s, which is not in the document", ref);
	}
	return NULL;
}

/* ---- the server ---- */

void openapi_constant(struct openapi *o, struct strbuf *out, const char *name, const char *value,
		      const char *comment)
{
	strbuf_addf(out, "%c%c%s%c", CONVERT_VAR_BEGIN, CONVERT_VAR_CONSTANT, name,
		    CONVERT_VAR_END);
	if (map_get_c(&o->constants, name))
		return;
	map_put(&o->constants, str_from(name), o);
	strbuf_addf(&o->script->init, "const %s = %s; /* %s */\n", name, value, comment);
}

/* A server's URL with each {variable} at its default. */
static void server_url(const struct conf_node *server, struct strbuf *out)
{
	const struct conf_node *variables = conf_get(server, "variables");
	struct str rest = str_from(openapi_text(server, "url"));

	while (rest.len) {
		size_t begin = str_find(rest, '{'), end = str_find(rest, '}');
		CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
		const char *value;

		if (begin >= end || end == rest.len) {
			strbuf_add(out, rest.ptr, rest.len);
			return;
		}
		strbuf_add(&name, rest.ptr + begin + 1, end - begin - 1);
		value = openapi_text(conf_get(variables, strbuf_cstr(&name)), "default");
		strbuf_add(out, rest.ptr, begin);
		strbuf_addstr(out, value ? value : strbuf_cstr(&name));
		rest = (struct str){ rest.ptr + end + 1, rest.len - end - 1 };
	}
}

static void swagger_url(const struct openapi *o, struct strbuf *out)
{
	const struct conf_node *root = &o->conf->root, *schemes = conf_get(root, "schemes");
	const char *host = openapi_text(root, "host"), *path = openapi_text(root, "basePath");
	bool plain = schemes && schemes->kind == CONF_LIST && schemes->n_children &&
		     schemes->children[0].kind == CONF_SCALAR;

	if (host)
		strbuf_addf(out, "%s://%s", plain ? schemes->children[0].text : "https", host);
	if (path)
		strbuf_addstr(out, path);
}

static const struct conf_node *first_server(const struct conf_node *n)
{
	const struct conf_node *servers = conf_get(n, "servers");

	return servers && servers->kind == CONF_LIST && servers->n_children ? &servers->children[0]
									    : NULL;
}

/* `const BASE = __ENV.BASE_URL || 'URL'`; a URL without a host is one of this machine. */
static void add_base(struct openapi *o)
{
	CLEANUP(strbuf_release)
	struct strbuf url = STRBUF_INIT, value = STRBUF_INIT, unused = STRBUF_INIT;

	if (o->swagger)
		swagger_url(o, &url);
	else if (first_server(&o->conf->root))
		server_url(first_server(&o->conf->root), &url);
	while (url.len && url.ptr[url.len - 1] == '/')
		strbuf_truncate(&url, url.len - 1);
	strbuf_addstr(&value, "__ENV.BASE_URL || ");
	if (!str_starts_with(strbuf_str(&url), STR("http"))) {
		CLEANUP(strbuf_release) struct strbuf whole = STRBUF_INIT;

		strbuf_addf(&whole, "http://localhost:8080%s%s",
			    *strbuf_cstr(&url) == '/' || !url.len ? "" : "/", strbuf_cstr(&url));
		convert_note(o->script, "the server: the document names none, so set BASE_URL");
		convert_js_string(&value, strbuf_str(&whole));
	} else {
		convert_js_string(&value, strbuf_str(&url));
	}
	openapi_constant(o, &unused, "BASE", strbuf_cstr(&value), "the server");
}

/* In front of the path: the server that the operation or its path has of its own, or BASE. */
static void add_server(struct openapi *o, const struct openapi_operation *op, struct strbuf *out)
{
	const struct conf_node *own =
		first_server(op->node) ? first_server(op->node) : first_server(op->item);

	if (own)
		server_url(own, out);
	if (own && str_starts_with(strbuf_str(out), STR("http"))) {
		while (out->len && out->ptr[out->len - 1] == '/')
			strbuf_truncate(out, out->len - 1);
		return;
	}
	strbuf_clear(out);
	openapi_constant(o, out, "BASE", "", "");
}

/* ---- operations ---- */

/* The status that is promised: the first 2xx, "2XX" as such; NULL = only that it is no error. */
static const char *promised(const struct openapi_operation *op)
{
	const struct conf_node *responses = conf_get(op->node, "responses");

	for (size_t i = 0; responses && responses->kind == CONF_MAP && i < responses->n_children;
	     i++) {
		const char *key = responses->children[i].key;

		if (*key == '2' && strlen(key) == 3)
			return key;
	}
	return NULL;
}

static void add_check(struct openapi *o, const struct openapi_operation *op)
{
	const char *status = promised(op);
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct strbuf *body = &o->script->body;
	bool exact = status && strspn(status, "0123456789") == 3;

	strbuf_addf(&name, "%s is %s", strbuf_cstr(&op->title),
		    exact    ? status
		    : status ? "2xx"
			     : "no error");
	strbuf_addstr(body, "  check(res, { ");
	convert_js_string(body, strbuf_str(&name));
	if (exact)
		strbuf_addf(body, ": (r) => r.status === %s });\n", status);
	else if (status)
		strbuf_addstr(body, ": (r) => r.status >= 200 && r.status < 300 });\n");
	else
		strbuf_addstr(body, ": (r) => r.status > 0 && r.status < 400 });\n");
}

/* The function's name: the operationId, or method and path; no two alike. */
static void name_function(struct openapi *o, const struct openapi_operation *op, struct strbuf *out)
{
	const char *id = openapi_text(op->node, "operationId");
	CLEANUP(strbuf_release) struct strbuf title = STRBUF_INIT;
	size_t len;

	strbuf_addf(&title, "%s %s", op->node->key, op->path); /* "get /pets" */
	convert_js_name(out, id && *id ? str_from(id) : strbuf_str(&title));
	len = out->len;
	for (unsigned i = 2; map_get_c(&o->functions, strbuf_cstr(out)); i++) {
		strbuf_truncate(out, len);
		strbuf_addf(out, "%u", i);
	}
	map_put(&o->functions, strbuf_str(out), o);
}

static void add_comment(struct openapi *o, const struct openapi_operation *op)
{
	const char *summary = openapi_text(op->node, "summary");
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, strbuf_cstr(&op->title));
	if (summary && *summary)
		strbuf_addf(&text, ": %s", summary);
	if (op->optional.len)
		strbuf_addf(&text, "\nleft out: %s", strbuf_cstr(&op->optional));
	if (o->script->body.len)
		strbuf_addch(&o->script->body, '\n');
	convert_js_comment(&o->script->body, 0, strbuf_str(&text));
}

static int add_function(struct openapi *o, struct openapi_operation *op, struct error *reterr)
{
	CLEANUP(convert_request_release) struct convert_request r = CONVERT_REQUEST_INIT;
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct strbuf *body = &o->script->body;
	struct error why = ERROR_INIT;
	int err;

	add_server(o, op, &r.url);
	err = openapi_request(o, op, &r, reterr);
	if (err < 0)
		return err;
	name_function(o, op, &name);
	add_comment(o, op);
	strbuf_addf(body, "function %s() {\n  const res = ", strbuf_cstr(&name));
	if (convert_script_call(o->script, &r, 2, &why) < 0)
		return conf_error(o->conf, op->node, reterr, "%s", why.msg);
	strbuf_addstr(body, ";\n");
	add_check(o, op);
	strbuf_addstr(body, "}\n");
	return 0;
}

static bool is_in(const struct openapi_operation *op, const char *const *list, size_t n)
{
	const struct conf_node *tags = conf_get(op->node, "tags");
	const char *id = openapi_text(op->node, "operationId");

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i], op->path) || (id && !strcmp(list[i], id)))
			return true;
		for (size_t k = 0; tags && tags->kind == CONF_LIST && k < tags->n_children; k++)
			if (tags->children[k].kind == CONF_SCALAR &&
			    !strcmp(list[i], tags->children[k].text))
				return true;
	}
	return false;
}

static int add_operation(struct openapi *o, const struct convert_openapi_opts *opts,
			 struct openapi_operation *op, struct error *reterr)
{
	if (op->node->kind != CONF_MAP)
		return conf_error(o->conf, op->node, reterr, "expected an operation");
	if ((opts->n_only && !is_in(op, opts->only, opts->n_only)) ||
	    is_in(op, opts->skip, opts->n_skip))
		return 0;
	return add_function(o, op, reterr);
}

static int add_path(struct openapi *o, const struct convert_openapi_opts *opts, const char *path,
		    const struct conf_node *item, struct error *reterr)
{
	static const char *const methods[] = { "get",	  "put",  "post",  "delete",
					       "options", "head", "patch", "trace" };

	for (size_t i = 0; item && item->kind == CONF_MAP && i < item->n_children; i++) {
		struct openapi_operation op = { item,	     &item->children[i], path,
						STRBUF_INIT, STRBUF_INIT,	 STRBUF_INIT };
		const char *key = item->children[i].key;
		bool known = false;
		int r = 0;

		for (size_t k = 0; k < ARRAY_SIZE(methods); k++)
			known |= !strcmp(key, methods[k]);
		for (; known && *key; key++)
			strbuf_addch(&op.method, (char)(*key & 0x5f));
		strbuf_addf(&op.title, "%s %s", strbuf_cstr(&op.method), path);
		if (known)
			r = add_operation(o, opts, &op, reterr);
		strbuf_release(&op.method);
		strbuf_release(&op.title);
		strbuf_release(&op.optional);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- the whole ---- */

static int check_version(struct openapi *o, struct error *reterr)
{
	const struct conf_node *root = &o->conf->root;
	const char *openapi = openapi_text(root, "openapi"),
		   *swagger = openapi_text(root, "swagger");

	o->swagger = swagger && !strcmp(swagger, "2.0");
	if (o->swagger || (openapi && str_starts_with(str_from(openapi), STR("3."))))
		return 0;
	if (openapi || swagger)
		return conf_error(o->conf, conf_get(root, openapi ? "openapi" : "swagger"), reterr,
				  "version %s is not known: expected 2.0 of swagger, or 3.0 or 3.1 "
				  "of openapi",
				  openapi ? openapi : swagger);
	return conf_error(
		o->conf, root, reterr,
		"this is no OpenAPI document: the key \"openapi\" (or \"swagger\") is missing");
}

static int add_all(struct openapi *o, const struct convert_openapi_opts *opts, struct error *reterr)
{
	const struct conf_node *paths = conf_get(&o->conf->root, "paths");
	struct strbuf *body = &o->script->body;

	if (!paths)
		return conf_error(o->conf, &o->conf->root, reterr, "the key \"paths\" is missing");
	add_base(o);
	for (size_t i = 0; paths->kind == CONF_MAP && i < paths->n_children; i++)
		if (*paths->children[i].key == '/' &&
		    add_path(o, opts, paths->children[i].key,
			     openapi_resolve(o, &paths->children[i]), reterr) < 0)
			return -EINVAL;
	if (!o->functions.len)
		return conf_error(o->conf, paths, reterr, "there is no operation to be called");
	strbuf_addstr(body, "\nexport default function () {\n");
	map_for_each (&o->functions, f)
		strbuf_addf(body, "  %s();\n", f->key);
	strbuf_addstr(body, "}\n");
	return 0;
}

int convert_openapi(struct str text, const char *name, const struct convert_openapi_opts *opts,
		    struct convert_script *s, struct error *reterr)
{
	struct openapi o = { .script = s, .functions = MAP_INIT, .constants = MAP_INIT };
	int r = conf_parse_document(text, name, &o.conf, reterr);

	s->from = "an OpenAPI document";
	s->whole = true;
	if (r == 0)
		r = check_version(&o, reterr);
	if (r == 0)
		r = add_all(&o, opts, reterr);
	map_release(&o.functions);
	map_release(&o.constants);
	conf_free(o.conf);
	return r;
}
