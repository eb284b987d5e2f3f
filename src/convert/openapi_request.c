#include <errno.h>
#include <string.h>
#include <strings.h>

#include "convert/body.h"
#include "convert/js.h"
#include "convert/openapi_internal.h"
#include "convert/percent.h"

struct request {
	struct openapi *o;
	struct openapi_operation *op;
	struct convert_request *r;
	struct strbuf query;
	struct strbuf form; /* Swagger 2.0's "formData" */
	struct error *reterr;
};

/* ---- parameters ---- */

static bool is_true(const struct conf_node *n, const char *key)
{
	const char *text = openapi_text(n, key);

	return text && !strcmp(text, "true");
}

/* Where the parameter's schema is: beside it in Swagger 2.0, or below its one media type. */
static const struct conf_node *schema_of(const struct request *q, const struct conf_node *p)
{
	const struct conf_node *content = conf_get(p, "content");

	if (conf_get(p, "schema"))
		return conf_get(p, "schema");
	if (content && content->kind == CONF_MAP && content->n_children)
		return conf_get(&content->children[0], "schema");
	return q->o->swagger ? p : NULL;
}

static void texts_of(const struct request *q, const struct conf_node *p, struct openapi_texts *ret)
{
	openapi_texts(q->o, openapi_given(q->o, p), schema_of(q, p), ret);
}

/* Does each element of a list repeat the name, or are they one value with commas? */
static bool repeats(const struct request *q, const struct conf_node *p)
{
	const char *style = openapi_text(p, "collectionFormat"),
		   *explode = openapi_text(p, "explode");

	if (q->o->swagger)
		return style && !strcmp(style, "multi");
	return !explode || strcmp(explode, "true") == 0;
}

static void join(const struct openapi_texts *t, const char *plain, struct strbuf *out)
{
	vec_for_each (&t->list, text) {
		if (text != t->list.ptr)
			strbuf_addch(out, ',');
		if (plain)
			convert_percent(out, strbuf_str(text), plain, false);
		else
			strbuf_add(out, text->ptr, text->len);
	}
}

/* NAME=VALUE&NAME=VALUE */
static void add_query(const struct request *q, const struct conf_node *p, const char *name,
		      struct strbuf *out)
{
	CLEANUP(openapi_texts_release) struct openapi_texts t = { VEC_INIT };
	bool repeated = repeats(q, p);

	texts_of(q, p, &t);
	vec_for_each (&t.list, text) {
		if (text != t.list.ptr && !repeated) {
			strbuf_addch(out, ',');
		} else {
			strbuf_addstr(out, out->len ? "&" : "");
			convert_percent(out, str_from(name), CONVERT_UNRESERVED "[]", false);
			strbuf_addch(out, '=');
		}
		convert_percent(out, strbuf_str(text), CONVERT_UNRESERVED, false);
	}
}

static void add_part(const struct request *q, const struct conf_node *p, const char *name)
{
	CLEANUP(openapi_texts_release) struct openapi_texts t = { VEC_INIT };
	const char *type = openapi_text(p, "type");
	struct convert_part part = { 0 };

	strbuf_addstr(&part.name, name);
	if (type && !strcmp(type, "file")) {
		part.upload = part.base64 = true;
		strbuf_addstr(&part.value, "dGV4dA==");
		strbuf_addstr(&part.file_name, "file.txt");
	} else {
		texts_of(q, p, &t);
		join(&t, NULL, &part.value);
	}
	vec_push(&q->r->parts, part);
}

static bool consumes_multipart(const struct request *q)
{
	const struct conf_node *own = conf_get(q->op->node, "consumes");
	const struct conf_node *list = own ? own : conf_get(&q->o->conf->root, "consumes");

	for (size_t i = 0; list && list->kind == CONF_LIST && i < list->n_children; i++)
		if (list->children[i].kind == CONF_SCALAR &&
		    !strcmp(list->children[i].text, "multipart/form-data"))
			return true;
	return false;
}

static void add_header(const struct request *q, const struct conf_node *p, const char *name,
		       bool cookie)
{
	CLEANUP(openapi_texts_release) struct openapi_texts t = { VEC_INIT };
	struct convert_header h = { STRBUF_INIT, STRBUF_INIT };

	/* these the document's content types and security schemes say */
	if (!cookie && (!strcasecmp(name, "accept") || !strcasecmp(name, "content-type") ||
			!strcasecmp(name, "authorization")))
		return;
	texts_of(q, p, &t);
	strbuf_addstr(&h.name, name);
	join(&t, NULL, &h.value);
	if (cookie)
		vec_push(&q->r->cookies, h);
	else
		vec_push(&q->r->headers, h);
}

/* The {name} in the URL. */
static void set_in_path(const struct request *q, const struct conf_node *p, const char *name)
{
	CLEANUP(openapi_texts_release) struct openapi_texts t = { VEC_INIT };
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT, url = STRBUF_INIT;
	struct str rest = strbuf_str(&q->r->url), key = str_from(name);

	texts_of(q, p, &t);
	join(&t, CONVERT_UNRESERVED, &value);
	for (size_t i = 0; i < rest.len;) {
		struct str at = { rest.ptr + i, rest.len - i };

		if (at.len > key.len + 1 && *at.ptr == '{' &&
		    !memcmp(at.ptr + 1, key.ptr, key.len) && at.ptr[key.len + 1] == '}') {
			strbuf_add(&url, value.ptr, value.len);
			i += key.len + 2;
		} else {
			strbuf_addch(&url, rest.ptr[i++]);
		}
	}
	strbuf_clear(&q->r->url);
	strbuf_add(&q->r->url, url.ptr, url.len);
}

static int add_parameter(struct request *q, const struct conf_node *p)
{
	const char *name = openapi_text(p, "name"), *in = openapi_text(p, "in");

	if (!name || !in)
		return conf_error(q->o->conf, p, q->reterr,
				  "a parameter needs the keys \"name\" and \"in\"");
	if (!strcmp(in, "path")) {
		set_in_path(q, p, name);
	} else if (!strcmp(in, "body")) {
		return 0; /* with the body */
	} else if (!is_true(p, "required")) {
		strbuf_addf(&q->op->optional, "%s%s %s", q->op->optional.len ? ", " : "", in, name);
	} else if (!strcmp(in, "query")) {
		add_query(q, p, name, &q->query);
	} else if (!strcmp(in, "header") || !strcmp(in, "cookie")) {
		add_header(q, p, name, *in == 'c');
	} else if (!strcmp(in, "formData") && consumes_multipart(q)) {
		add_part(q, p, name);
	} else if (!strcmp(in, "formData")) {
		add_query(q, p, name, &q->form);
	} else {
		convert_note(q->o->script, "%s: the parameter %s in \"%s\"",
			     strbuf_cstr(&q->op->title), name, in);
	}
	return 0;
}

/* Does the operation have a parameter of this name and place, which replaces the path's? */
static bool is_replaced(const struct request *q, const struct conf_node *p)
{
	const struct conf_node *own = conf_get(q->op->node, "parameters");
	const char *name = openapi_text(p, "name"), *in = openapi_text(p, "in");

	for (size_t i = 0; own && own->kind == CONF_LIST && i < own->n_children; i++) {
		const struct conf_node *other = openapi_resolve(q->o, &own->children[i]);
		const char *n = openapi_text(other, "name"), *at = openapi_text(other, "in");

		if (name && in && n && at && !strcmp(name, n) && !strcmp(in, at))
			return true;
	}
	return false;
}

static int add_parameters(struct request *q)
{
	const struct conf_node *lists[] = { conf_get(q->op->item, "parameters"),
					    conf_get(q->op->node, "parameters") };

	for (unsigned k = 0; k < ARRAY_SIZE(lists); k++)
		for (size_t i = 0;
		     lists[k] && lists[k]->kind == CONF_LIST && i < lists[k]->n_children; i++) {
			const struct conf_node *p = openapi_resolve(q->o, &lists[k]->children[i]);

			if (p && (k == 1 || !is_replaced(q, p)) && add_parameter(q, p) < 0)
				return -EINVAL;
		}
	return 0;
}

/* ---- the body ---- */

static bool is_json(const char *type)
{
	struct str t = { type, strcspn(type, ";") };

	t = str_trim(t);
	return str_ieq(t, STR("application/json")) || str_ends_with(t, STR("+json")) ||
	       str_eq(t, STR("*/*"));
}

static void set_content_type(const struct request *q, const char *type)
{
	if (!strchr(type, '*'))
		convert_request_add_header(q->r, STR("Content-Type"), str_from(type));
	else
		convert_request_add_header(q->r, STR("Content-Type"), STR("application/json"));
}

static void add_text_body(const struct request *q, const struct strbuf *text)
{
	struct convert_piece piece = { .kind = CONVERT_TEXT };

	strbuf_add(&piece.text, text->ptr, text->len);
	vec_push(&q->r->pieces, piece);
}

static void add_json_body(const struct request *q, const struct conf_node *given,
			  const struct conf_node *schema)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (given)
		openapi_value(given, &text);
	else
		openapi_example(q->o, schema, &text);
	add_text_body(q, &text);
}

static bool is_binary(const struct conf_node *schema)
{
	const char *format = openapi_text(schema, "format");

	return (format && !strcmp(format, "binary")) || conf_get(schema, "contentMediaType");
}

/* A part of a form, from a property of its schema. */
static void add_form_property(const struct request *q, const char *name,
			      const struct conf_node *given, const struct conf_node *schema)
{
	CLEANUP(openapi_texts_release) struct openapi_texts t = { VEC_INIT };
	struct convert_part part = { 0 };

	strbuf_addstr(&part.name, name);
	if (is_binary(schema)) {
		part.upload = part.base64 = true;
		strbuf_addstr(&part.value, "dGV4dA==");
		strbuf_addstr(&part.file_name, "file.txt");
	} else {
		openapi_texts(q->o, given, schema, &t);
		join(&t, NULL, &part.value);
	}
	vec_push(&q->r->parts, part);
}

static void add_form_value(struct strbuf *form, const char *name, const struct openapi_texts *t)
{
	vec_for_each (&t->list, text) {
		strbuf_addstr(form, form->len ? "&" : "");
		convert_percent(form, str_from(name), CONVERT_FORM_PLAIN, true);
		strbuf_addch(form, '=');
		convert_percent(form, strbuf_str(text), CONVERT_FORM_PLAIN, true);
	}
}

static void add_form(const struct request *q, const struct conf_node *given,
		     const struct conf_node *schema, bool multipart)
{
	const struct conf_node *properties = conf_get(openapi_resolve(q->o, schema), "properties");
	CLEANUP(strbuf_release) struct strbuf form = STRBUF_INIT;

	for (size_t i = 0; properties && properties->kind == CONF_MAP && i < properties->n_children;
	     i++) {
		const char *name = properties->children[i].key;
		const struct conf_node *value = conf_get(given, name);
		const struct conf_node *p = openapi_resolve(q->o, &properties->children[i]);
		struct openapi_texts t = { VEC_INIT };

		if (!p || is_true(p, "readOnly"))
			continue;
		if (multipart) {
			add_form_property(q, name, value, p);
			continue;
		}
		openapi_texts(q->o, value, p, &t);
		add_form_value(&form, name, &t);
		openapi_texts_release(&t);
	}
	if (!multipart)
		add_text_body(q, &form);
}

static void add_content(const struct request *q, const char *type, const struct conf_node *media)
{
	const struct conf_node *given = openapi_given(q->o, media),
			       *schema = conf_get(media, "schema");
	CLEANUP(openapi_texts_release) struct openapi_texts t = { VEC_INIT };
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (!strcmp(type, "multipart/form-data")) {
		add_form(q, given, schema, true);
		return;
	}
	set_content_type(q, type);
	if (is_json(type)) {
		add_json_body(q, given, schema);
	} else if (!strcmp(type, "application/x-www-form-urlencoded")) {
		add_form(q, given, schema, false);
	} else {
		openapi_texts(q->o, given, schema, &t);
		join(&t, NULL, &text);
		add_text_body(q, &text);
		if (!given)
			convert_note(q->o->script, "%s: the document has no example of %s",
				     strbuf_cstr(&q->op->title), type);
	}
}

/* Of several content types, the one that is most surely made right. */
static const struct conf_node *choose(const struct conf_node *content)
{
	static const char *const forms[] = { "application/x-www-form-urlencoded",
					     "multipart/form-data" };

	for (size_t i = 0; i < content->n_children; i++)
		if (is_json(content->children[i].key))
			return &content->children[i];
	for (size_t k = 0; k < ARRAY_SIZE(forms); k++)
		if (conf_get(content, forms[k]))
			return conf_get(content, forms[k]);
	return &content->children[0];
}

/* Swagger 2.0: a parameter "in: body"; its type is the first of "consumes". */
static void add_swagger_body(struct request *q)
{
	const struct conf_node *list = conf_get(q->op->node, "parameters");

	if (q->form.len) {
		set_content_type(q, "application/x-www-form-urlencoded");
		add_text_body(q, &q->form);
	}
	for (size_t i = 0; list && list->kind == CONF_LIST && i < list->n_children; i++) {
		const struct conf_node *p = openapi_resolve(q->o, &list->children[i]);
		const char *in = openapi_text(p, "in");

		if (!in || strcmp(in, "body") != 0)
			continue;
		set_content_type(q, "application/json");
		add_json_body(q, openapi_given(q->o, p), conf_get(p, "schema"));
	}
}

static void add_body(struct request *q)
{
	const struct conf_node *body = openapi_resolve(q->o, conf_get(q->op->node, "requestBody"));
	const struct conf_node *content = conf_get(body, "content"), *media;

	if (q->o->swagger) {
		add_swagger_body(q);
	} else if (content && content->kind == CONF_MAP && content->n_children) {
		media = choose(content);
		add_content(q, media->key, media);
	}
}

/* ---- credentials ---- */

/* "my-key" -> "MY_KEY" */
static void constant_name(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		bool letter = (*text | 0x20) >= 'a' && (*text | 0x20) <= 'z';

		if (letter)
			strbuf_addch(out, (char)(*text & 0x5f));
		else if (*text >= '0' && *text <= '9' && out->len)
			strbuf_addch(out, *text);
		else if (out->len && out->ptr[out->len - 1] != '_')
			strbuf_addch(out, '_');
	}
	if (!out->len)
		strbuf_addstr(out, "KEY");
}

static void add_key(struct request *q, const struct conf_node *scheme, const char *id)
{
	CLEANUP(strbuf_release)
	struct strbuf name = STRBUF_INIT, value = STRBUF_INIT, mark = STRBUF_INIT;
	const char *key = openapi_text(scheme, "name"), *in = openapi_text(scheme, "in");
	struct convert_header h = { STRBUF_INIT, STRBUF_INIT };

	if (!key || !in)
		return;
	constant_name(&name, id);
	strbuf_addf(&value, "__ENV.%s || ''", strbuf_cstr(&name));
	openapi_constant(q->o, &mark, strbuf_cstr(&name), strbuf_cstr(&value),
			 "the key to be let in");
	if (!strcmp(in, "query")) {
		strbuf_addstr(&q->query, q->query.len ? "&" : "");
		convert_percent(&q->query, str_from(key), CONVERT_UNRESERVED, false);
		strbuf_addf(&q->query, "=%s", strbuf_cstr(&mark));
		return;
	}
	strbuf_addstr(&h.name, key);
	strbuf_addstr(&h.value, strbuf_cstr(&mark));
	if (!strcmp(in, "cookie"))
		vec_push(&q->r->cookies, h);
	else
		vec_push(&q->r->headers, h);
}

static void add_authorization(const struct request *q, bool basic)
{
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT, mark = STRBUF_INIT;

	if (basic) {
		q->o->script->uses_encoding = true;
		openapi_constant(q->o, &mark, "BASIC",
				 "encoding.b64encode(`${__ENV.USERNAME}:${__ENV.PASSWORD}`)",
				 "user and password");
	} else {
		openapi_constant(q->o, &mark, "TOKEN", "__ENV.TOKEN || ''", "the bearer's token");
	}
	strbuf_addf(&value, "%s %s", basic ? "Basic" : "Bearer", strbuf_cstr(&mark));
	convert_request_add_header(q->r, STR("Authorization"), strbuf_str(&value));
}

static void add_scheme(struct request *q, const char *id)
{
	const struct conf_node *root = &q->o->conf->root, *all, *scheme;
	const char *type, *how;

	all = q->o->swagger ? conf_get(root, "securityDefinitions")
			    : conf_get(conf_get(root, "components"), "securitySchemes");
	scheme = openapi_resolve(q->o, conf_get(all, id));
	type = openapi_text(scheme, "type");
	how = openapi_text(scheme, "scheme");
	if (!type)
		convert_note(q->o->script, "the security scheme \"%s\", which is not described",
			     id);
	else if (!strcmp(type, "apiKey"))
		add_key(q, scheme, id);
	else if (!strcmp(type, "basic") || (how && !strcasecmp(how, "basic")))
		add_authorization(q, true);
	else if (!strcmp(type, "oauth2") || !strcmp(type, "openIdConnect") ||
		 (how && !strcasecmp(how, "bearer")))
		add_authorization(q, false);
	else
		convert_note(q->o->script, "the security scheme \"%s\" of type %s%s%s", id, type,
			     how ? " " : "", how ? how : "");
}

/* The first of the alternatives, with all its schemes. */
static void add_security(struct request *q)
{
	const struct conf_node *own = conf_get(q->op->node, "security");
	const struct conf_node *list = own ? own : conf_get(&q->o->conf->root, "security");
	const struct conf_node *first;

	if (!list || list->kind != CONF_LIST || !list->n_children)
		return;
	first = &list->children[0];
	for (size_t i = 0; first->kind == CONF_MAP && i < first->n_children; i++)
		add_scheme(q, first->children[i].key);
}

/* ---- the whole ---- */

/* What the first successful answer is made of. */
static void add_accept(const struct request *q)
{
	const struct conf_node *responses = conf_get(q->op->node, "responses");

	for (size_t i = 0; responses && responses->kind == CONF_MAP && i < responses->n_children;
	     i++) {
		const struct conf_node *one = openapi_resolve(q->o, &responses->children[i]);
		const struct conf_node *content = conf_get(one, "content");

		if (*responses->children[i].key != '2' || !content || content->kind != CONF_MAP ||
		    !content->n_children)
			continue;
		convert_request_add_header(q->r, STR("Accept"), str_from(choose(content)->key));
		return;
	}
}

static int make(struct request *q)
{
	struct strbuf *url = &q->r->url;

	strbuf_addstr(url, q->op->path);
	if (add_parameters(q) < 0)
		return -EINVAL;
	add_accept(q);
	add_body(q);
	if (q->r->parts.len && convert_parts_are_text(q->r))
		convert_request_add_header(q->r, STR("Content-Type"),
					   STR("multipart/form-data; boundary=" CONVERT_BOUNDARY));
	add_security(q);
	if (q->query.len) {
		strbuf_addch(url, strchr(q->op->path, '?') ? '&' : '?');
		strbuf_add(url, q->query.ptr, q->query.len);
	}
	if (strchr(q->op->path, '{'))
		strbuf_addstr(&q->r->tag_name, strbuf_cstr(&q->op->title));
	return 0;
}

int openapi_request(struct openapi *o, struct openapi_operation *op, struct convert_request *ret,
		    struct error *reterr)
{
	struct request q = { .o = o, .op = op, .r = ret, .reterr = reterr };
	int r;

	strbuf_add(&ret->method, op->method.ptr, op->method.len);
	r = make(&q);
	strbuf_release(&q.query);
	strbuf_release(&q.form);
	return r;
}
