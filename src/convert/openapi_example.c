#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "convert/openapi_internal.h"

/* Schemas within schemas: deeper ones, as those that hold themselves, are left out. */
#define DEPTH_MAX 12
/* An example is for reading, too. */
#define BYTES_MAX (256 * 1024)

struct builder {
	struct openapi *o;
	struct json_writer w;
	const struct conf_node *within[DEPTH_MAX]; /* schemas */
	unsigned depth;
};

const struct conf_node *openapi_given(struct openapi *o, const struct conf_node *n)
{
	const struct conf_node *all = conf_get(n, "examples"), *first;

	if (conf_get(n, "example"))
		return conf_get(n, "example");
	if (!all || !all->n_children)
		return NULL;
	if (all->kind == CONF_LIST) /* a schema's, from 3.1 on */
		return &all->children[0];
	first = openapi_resolve(o, &all->children[0]);
	return conf_get(first, "value");
}

/* ---- values of the document ---- */

static bool is_number(const char *text)
{
	double v;

	return num_parse_double(str_from(text), &v) == 0 &&
	       (*text == '-' || (*text >= '0' && *text <= '9')) && !strpbrk(text, "xXnN_");
}

/* As written when JSON would take it so, else by value: YAML has 1., .5 and 0777. */
static void add_number(struct json_writer *w, const char *key, const char *text)
{
	double v = 0;

	num_parse_double(str_from(text), &v);
	json_double(w, key, v);
}

static void add_value(struct json_writer *w, const char *key, const struct conf_node *n,
		      bool as_text)
{
	if (n->kind == CONF_SCALAR && (n->quoted || as_text)) {
		json_str(w, key, (struct str){ n->text, n->len });
	} else if (n->kind == CONF_SCALAR) {
		if (!*n->text || !strcmp(n->text, "null") || !strcmp(n->text, "~"))
			json_none(w, key);
		else if (!strcmp(n->text, "true") || !strcmp(n->text, "false"))
			json_bool(w, key, *n->text == 't');
		else if (is_number(n->text))
			add_number(w, key, n->text);
		else
			json_str(w, key, (struct str){ n->text, n->len });
	} else if (w->depth >= JSON_DEPTH_MAX - 1) {
		json_none(w, key);
	} else if (n->kind == CONF_LIST) {
		json_array_begin(w, key);
		for (size_t i = 0; i < n->n_children; i++)
			add_value(w, NULL, &n->children[i], false);
		json_array_end(w);
	} else {
		json_object_begin(w, key);
		for (size_t i = 0; i < n->n_children; i++)
			add_value(w, n->children[i].key, &n->children[i], false);
		json_object_end(w);
	}
}

void openapi_value(const struct conf_node *value, struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, JSON_COMPACT);
	add_value(&w, NULL, value, false);
}

/* ---- values made from schemas ---- */

/* "type", which from 3.1 on may be a list with "null" in it; else what the keywords tell. */
static const char *type_of(const struct conf_node *schema)
{
	const struct conf_node *type = conf_get(schema, "type");

	if (type && type->kind == CONF_SCALAR)
		return type->text;
	for (size_t i = 0; type && type->kind == CONF_LIST && i < type->n_children; i++) {
		const struct conf_node *one = &type->children[i];

		if (one->kind == CONF_SCALAR && strcmp(one->text, "null") != 0)
			return one->text;
	}
	if (conf_get(schema, "properties") || conf_get(schema, "allOf"))
		return "object";
	return conf_get(schema, "items") ? "array" : "string";
}

static bool is_true(const struct conf_node *n, const char *key)
{
	const char *text = openapi_text(n, key);

	return text && !strcmp(text, "true");
}

static double number(const struct conf_node *n, const char *key, double otherwise)
{
	const char *text = openapi_text(n, key);
	double v;

	return text && num_parse_double(str_from(text), &v) == 0 ? v : otherwise;
}

/* The least that is allowed from 1 on; exclusive bounds are numbers since 3.1. */
static double number_in(const struct conf_node *schema, bool integer)
{
	double step = number(schema, "multipleOf", integer ? 1 : 0), v = step > 0 ? step : 1;
	double least = number(schema, "minimum", number(schema, "exclusiveMinimum", -INFINITY));
	double most = number(schema, "maximum", number(schema, "exclusiveMaximum", INFINITY));
	bool open = conf_get(schema, "exclusiveMinimum") &&
		    strcmp(openapi_text(schema, "exclusiveMinimum") ?: "", "false") != 0;

	if (v < least || (open && v <= least))
		v = least + (open ? (step > 0 ? step : 1) : 0);
	if (v > most)
		v = least > -INFINITY ? least : most;
	return v;
}

static const char *text_of_format(const char *format)
{
	static const struct {
		const char *format, *text;
	} formats[] = {
		{ "date-time", "2026-01-01T00:00:00Z" },
		{ "date", "2026-01-01" },
		{ "time", "12:00:00Z" },
		{ "duration", "PT1S" },
		{ "uuid", "00000000-0000-4000-8000-000000000000" },
		{ "email", "user@example.com" },
		{ "idn-email", "user@example.com" },
		{ "hostname", "example.com" },
		{ "uri", "https://example.com/" },
		{ "url", "https://example.com/" },
		{ "uri-reference", "/" },
		{ "ipv4", "192.0.2.1" },
		{ "ipv6", "2001:db8::1" },
		{ "byte", "dGV4dA==" },
	};

	for (size_t i = 0; format && i < ARRAY_SIZE(formats); i++)
		if (!strcmp(format, formats[i].format))
			return formats[i].text;
	return NULL;
}

static void add_text(const struct conf_node *schema, struct strbuf *out)
{
	const char *known = text_of_format(openapi_text(schema, "format"));
	double least = number(schema, "minLength", 0), most = number(schema, "maxLength", 1000);

	if (known) {
		strbuf_addstr(out, known);
		return;
	}
	strbuf_addstr(out, "text");
	while ((double)out->len < least && out->len < 1000)
		strbuf_addch(out, 'x');
	if ((double)out->len > most)
		strbuf_truncate(out, most > 0 ? (size_t)most : 0);
}

static bool is_within(const struct builder *b, const struct conf_node *schema)
{
	for (unsigned i = 0; i < b->depth; i++)
		if (b->within[i] == schema)
			return true;
	return b->depth == DEPTH_MAX || b->w.out->len > BYTES_MAX;
}

static void build(struct builder *b, const char *key, const struct conf_node *schema);

/* Properties of a schema and of all that it is made of, each name once. */
static void add_properties(struct builder *b, const struct conf_node *schema, struct map *names,
			   unsigned depth)
{
	const struct conf_node *all = conf_get(schema, "allOf"),
			       *own = conf_get(schema, "properties");

	for (size_t i = 0; depth < DEPTH_MAX && all && i < all->n_children; i++)
		add_properties(b, openapi_resolve(b->o, &all->children[i]), names, depth + 1);
	for (size_t i = 0; own && own->kind == CONF_MAP && i < own->n_children; i++) {
		const struct conf_node *p = openapi_resolve(b->o, &own->children[i]);
		const char *name = own->children[i].key;

		if (!p || is_within(b, p) || is_true(p, "readOnly") || map_get_c(names, name))
			continue;
		map_put(names, str_from(name), names);
		build(b, name, p);
	}
}

static void build_object(struct builder *b, const char *key, const struct conf_node *schema)
{
	struct map names = MAP_INIT;

	json_object_begin(&b->w, key);
	add_properties(b, schema, &names, 0);
	json_object_end(&b->w);
	map_release(&names);
}

static void build_array(struct builder *b, const char *key, const struct conf_node *schema)
{
	const struct conf_node *items = openapi_resolve(b->o, conf_get(schema, "items"));
	double n = number(schema, "minItems", 1);

	json_array_begin(&b->w, key);
	for (int i = 0; items && !is_within(b, items) && i < 10 && (i < n || i == 0); i++)
		build(b, NULL, items);
	json_array_end(&b->w);
}

static void build_typed(struct builder *b, const char *key, const struct conf_node *schema)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	const char *type = type_of(schema);

	if (!strcmp(type, "object")) {
		build_object(b, key, schema);
	} else if (!strcmp(type, "array")) {
		build_array(b, key, schema);
	} else if (!strcmp(type, "integer") || !strcmp(type, "number")) {
		json_double(&b->w, key, number_in(schema, *type == 'i'));
	} else if (!strcmp(type, "boolean")) {
		json_bool(&b->w, key, true);
	} else if (!strcmp(type, "null")) {
		json_none(&b->w, key);
	} else {
		add_text(schema, &text);
		json_str(&b->w, key, strbuf_str(&text));
	}
}

/* What the schema itself gives: examples before defaults before the first of what is allowed. */
static const struct conf_node *given_by(struct openapi *o, const struct conf_node *schema)
{
	const struct conf_node *given = openapi_given(o, schema), *list = conf_get(schema, "enum");

	if (!given)
		given = conf_get(schema, "default");
	if (!given)
		given = conf_get(schema, "const");
	if (!given && list && list->kind == CONF_LIST && list->n_children)
		given = &list->children[0];
	return given;
}

static const struct conf_node *first_choice(struct openapi *o, const struct conf_node *schema)
{
	static const char *const keys[] = { "oneOf", "anyOf" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct conf_node *list = conf_get(schema, keys[i]);

		if (list && list->kind == CONF_LIST && list->n_children)
			return openapi_resolve(o, &list->children[0]);
	}
	return NULL;
}

static void build(struct builder *b, const char *key, const struct conf_node *schema)
{
	const struct conf_node *given, *choice;

	if (is_within(b, schema)) {
		json_none(&b->w, key);
		return;
	}
	b->within[b->depth++] = schema;
	given = given_by(b->o, schema);
	choice = given || conf_get(schema, "properties") ? NULL : first_choice(b->o, schema);
	if (given)
		add_value(&b->w, key, given, !strcmp(type_of(schema), "string"));
	else if (choice)
		build(b, key, choice);
	else
		build_typed(b, key, schema);
	b->depth--;
}

void openapi_example(struct openapi *o, const struct conf_node *schema, struct strbuf *out)
{
	struct builder b = { .o = o };

	schema = openapi_resolve(o, schema);
	json_init(&b.w, out, JSON_COMPACT);
	if (schema)
		build(&b, NULL, schema);
	else
		strbuf_addstr(out, "{}");
}

/* ---- texts ---- */

static void add_texts_of(const struct conf_node *n, struct openapi_texts *ret)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; n->kind == CONF_LIST && i < n->n_children; i++)
		add_texts_of(&n->children[i], ret);
	if (n->kind == CONF_LIST)
		return;
	if (n->kind == CONF_SCALAR)
		strbuf_add(&text, n->text, n->len);
	else
		openapi_value(n, &text);
	vec_push(&ret->list, text);
}

void openapi_texts(struct openapi *o, const struct conf_node *given, const struct conf_node *schema,
		   struct openapi_texts *ret)
{
	struct strbuf text = STRBUF_INIT;
	const struct conf_node *choice;

	schema = openapi_resolve(o, schema);
	for (unsigned i = 0; schema && !given && i < DEPTH_MAX; i++) {
		given = given_by(o, schema);
		choice = first_choice(o, schema);
		if (!choice && !strcmp(type_of(schema), "array"))
			choice = openapi_resolve(o, conf_get(schema, "items"));
		if (given || !choice)
			break;
		schema = choice;
	}
	if (given) {
		add_texts_of(given, ret);
		return;
	}
	if (schema && !strcmp(type_of(schema), "string"))
		add_text(schema, &text);
	else if (schema)
		openapi_example(o, schema, &text);
	else
		strbuf_addstr(&text, "text");
	vec_push(&ret->list, text);
}

void openapi_texts_release(struct openapi_texts *t)
{
	vec_for_each (&t->list, s)
		strbuf_release(s);
	vec_release(&t->list);
}
