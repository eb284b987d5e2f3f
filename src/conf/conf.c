/*
 * The tree is built from libyaml's events rather than its documents: events carry the marks of keys
 * and values alike, and anchors can be refused where they stand.
 */
#include "conf/conf_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/duration.h"
#include "base/mem.h"
#include "base/num.h"

struct builder {
	yaml_parser_t parser;
	const struct conf *conf;
	unsigned depth, depth_max;
	struct error *reterr;
};

static void release_node(struct conf_node *n)
{
	for (size_t i = 0; i < n->n_children; i++)
		release_node(&n->children[i]);
	free(n->children);
	free(n->key);
	free(n->text);
}

struct conf *conf_free(struct conf *c)
{
	if (!c)
		return NULL;
	release_node(&c->root);
	free(c->name);
	free(c);
	return NULL;
}

int conf_error(const struct conf *c, const struct conf_node *n, struct error *reterr,
	       const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return error_set(reterr, -EINVAL, "%s:%u:%u: %s", c->name, n->line, n->column, message);
}

/* An error at the present event. */
static int refuse(struct builder *b, const yaml_event_t *e, const char *what)
{
	struct conf_node at = { .line = (unsigned)e->start_mark.line + 1,
				.column = (unsigned)e->start_mark.column + 1 };

	return conf_error(b->conf, &at, b->reterr, "%s", what);
}

static int next_event(struct builder *b, yaml_event_t *ret)
{
	const yaml_parser_t *p = &b->parser;
	struct conf_node at;

	if (yaml_parser_parse(&b->parser, ret))
		return 0;
	at = (struct conf_node){ .line = (unsigned)p->problem_mark.line + 1,
				 .column = (unsigned)p->problem_mark.column + 1 };
	return conf_error(b->conf, &at, b->reterr, "not YAML: %s%s%s",
			  p->problem ? p->problem : "unreadable bytes", p->context ? " " : "",
			  p->context ? p->context : "");
}

struct conf_node *conf_add_child(struct conf_node *parent)
{
	size_t n = parent->n_children;

	if ((n & (n - 1)) == 0) /* room is grown at powers of two */
		parent->children =
			xrealloc(parent->children, (n ? n * 2 : 1) * sizeof(*parent->children));
	parent->children[n] = (struct conf_node){ 0 };
	parent->n_children++;
	return &parent->children[n];
}

static int build_value(struct builder *b, yaml_event_t *e, struct conf_node *n);

static int build_list(struct builder *b, struct conf_node *n)
{
	for (;;) {
		yaml_event_t e;
		bool end;
		int r = next_event(b, &e);

		if (r < 0)
			return r;
		end = e.type == YAML_SEQUENCE_END_EVENT;
		if (!end)
			r = build_value(b, &e, conf_add_child(n));
		yaml_event_delete(&e);
		if (end || r < 0)
			return r;
	}
}

static int build_key(struct builder *b, const yaml_event_t *e, struct conf_node *map,
		     struct conf_node **ret)
{
	const char *text = (const char *)e->data.scalar.value;
	struct conf_node *child;

	if (e->type != YAML_SCALAR_EVENT)
		return refuse(b, e, "a key must be plain text");
	if (conf_get(map, text))
		return refuse(b, e, "this key is already given above");
	child = conf_add_child(map);
	child->key = xstrdup(text);
	child->key_line = (unsigned)e->start_mark.line + 1;
	child->key_column = (unsigned)e->start_mark.column + 1;
	*ret = child;
	return 0;
}

static int build_map(struct builder *b, struct conf_node *n)
{
	for (;;) {
		struct conf_node *child = NULL;
		yaml_event_t e;
		bool end;
		int r = next_event(b, &e);

		if (r < 0)
			return r;
		end = e.type == YAML_MAPPING_END_EVENT;
		if (!end)
			r = build_key(b, &e, n, &child);
		yaml_event_delete(&e);
		if (end || r < 0)
			return r;
		r = next_event(b, &e);
		if (r < 0)
			return r;
		r = build_value(b, &e, child);
		yaml_event_delete(&e);
		if (r < 0)
			return r;
	}
}

static int build_container(struct builder *b, const yaml_event_t *e, struct conf_node *n)
{
	int r;

	if (b->depth == b->depth_max)
		return refuse(b, e, "nested too deeply");
	b->depth++;
	n->kind = e->type == YAML_MAPPING_START_EVENT ? CONF_MAP : CONF_LIST;
	r = n->kind == CONF_MAP ? build_map(b, n) : build_list(b, n);
	b->depth--;
	return r;
}

static int build_value(struct builder *b, yaml_event_t *e, struct conf_node *n)
{
	n->line = (unsigned)e->start_mark.line + 1;
	n->column = (unsigned)e->start_mark.column + 1;
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		if (e->data.scalar.anchor ||
		    strlen((char *)e->data.scalar.value) != e->data.scalar.length)
			return refuse(b, e, "anchors and NUL bytes are not supported");
		n->text = xstrdup((const char *)e->data.scalar.value);
		n->len = e->data.scalar.length;
		n->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
		return 0;
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return build_container(b, e, n);
	default:
		return refuse(b, e, "aliases are not supported; write the value out");
	}
}

/* Skips the stream's and the document's start; an empty file is an error. */
static int build_document(struct builder *b, struct conf *c)
{
	for (;;) {
		yaml_event_t e;
		bool value;
		int r = next_event(b, &e);

		if (r < 0)
			return r;
		value = e.type != YAML_STREAM_START_EVENT && e.type != YAML_DOCUMENT_START_EVENT;
		if (e.type == YAML_STREAM_END_EVENT)
			r = refuse(b, &e, "the file is empty");
		else if (value)
			r = build_value(b, &e, &c->root);
		yaml_event_delete(&e);
		if (value || r < 0)
			return r;
	}
}

/* What follows the value must be the end of the only document. */
static int build_end(struct builder *b)
{
	for (;;) {
		yaml_event_t e;
		bool end;
		int r = next_event(b, &e);

		if (r < 0)
			return r;
		end = e.type == YAML_STREAM_END_EVENT;
		if (e.type == YAML_DOCUMENT_START_EVENT)
			r = refuse(b, &e, "one document a file, please");
		yaml_event_delete(&e);
		if (end || r < 0)
			return r;
	}
}

static int parse_yaml(struct str text, struct conf *c, unsigned depth_max, struct error *reterr)
{
	struct builder b = { .conf = c, .depth_max = depth_max, .reterr = reterr };
	int r;

	if (!yaml_parser_initialize(&b.parser))
		return error_errno(reterr, -ENOMEM, "reading %s", c->name);
	yaml_parser_set_input_string(&b.parser, (const unsigned char *)text.ptr, text.len);
	r = build_document(&b, c);
	if (r == 0)
		r = build_end(&b);
	yaml_parser_delete(&b.parser);
	return r;
}

int conf_parse(struct str text, const char *name, struct conf **ret, struct error *reterr)
{
	CLEANUP(cleanup_conf) struct conf *c = xcalloc(1, sizeof(*c));
	int r;

	c->name = xstrdup(name);
	if (text.len > CONF_FILE_MAX)
		return error_set(reterr, -E2BIG, "%s: %zu bytes; a case file has at most %d", name,
				 text.len, CONF_FILE_MAX);
	r = parse_yaml(text, c, CONF_DEPTH_MAX, reterr);
	if (r == 0)
		*ret = TAKE(c);
	return r;
}

int conf_parse_document(struct str text, const char *name, struct conf **ret, struct error *reterr)
{
	CLEANUP(cleanup_conf) struct conf *c = xcalloc(1, sizeof(*c));
	struct str trimmed;
	int r;

	c->name = xstrdup(name);
	if (text.len > CONF_DOCUMENT_MAX)
		return error_set(reterr, -E2BIG, "%s: %zu bytes, at most %u are read", name,
				 text.len, CONF_DOCUMENT_MAX);
	if (str_starts_with(text, STR("\xef\xbb\xbf")))
		text = (struct str){ text.ptr + 3, text.len - 3 };
	trimmed = str_trim(text);
	if (trimmed.len && (trimmed.ptr[0] == '{' || trimmed.ptr[0] == '['))
		r = conf_parse_json(text, c, reterr);
	else
		r = parse_yaml(text, c, CONF_DOCUMENT_DEPTH_MAX, reterr);
	if (r == 0)
		*ret = TAKE(c);
	return r;
}

const struct conf_node *conf_get(const struct conf_node *n, const char *key)
{
	for (size_t i = 0; n && n->kind == CONF_MAP && i < n->n_children; i++)
		if (!strcmp(n->children[i].key, key))
			return &n->children[i];
	return NULL;
}

static int unknown_key(const struct conf *c, const struct conf_node *child,
		       const char *const *known, struct error *reterr)
{
	struct conf_node at = { .line = child->key_line, .column = child->key_column };
	const char *near;
	size_t n = 0;

	while (known[n])
		n++;
	near = str_nearest(child->key, known, n);
	if (near)
		return conf_error(c, &at, reterr, "no key \"%s\" here; did you mean \"%s\"?",
				  child->key, near);
	return conf_error(c, &at, reterr, "no key \"%s\" here; see docs/formats/case-file.md",
			  child->key);
}

int conf_check_keys(const struct conf *c, const struct conf_node *n, const char *const *known,
		    struct error *reterr)
{
	if (n->kind != CONF_MAP)
		return conf_error(c, n, reterr, "expected \"key: value\" pairs%s%s",
				  n->key ? " under " : "", n->key ? n->key : "");
	for (size_t i = 0; i < n->n_children; i++) {
		size_t k = 0;

		while (known[k] && strcmp(known[k], n->children[i].key) != 0)
			k++;
		if (!known[k])
			return unknown_key(c, &n->children[i], known, reterr);
	}
	return 0;
}

int conf_need(const struct conf *c, const struct conf_node *n, const char *key,
	      const struct conf_node **ret, struct error *reterr)
{
	*ret = conf_get(n, key);
	return *ret ? 0 : conf_error(c, n, reterr, "the key \"%s\" is missing here", key);
}

/* The scalar child, NULL when absent; -EINVAL when it is no scalar. */
static int scalar_child(const struct conf *c, const struct conf_node *n, const char *key,
			const struct conf_node **ret, struct error *reterr)
{
	*ret = conf_get(n, key);
	if (*ret && (*ret)->kind != CONF_SCALAR)
		return conf_error(c, *ret, reterr, "%s takes one value, not a list or map", key);
	return 0;
}

int conf_get_string(const struct conf *c, const struct conf_node *n, const char *key,
		    const char **ret, struct error *reterr)
{
	const struct conf_node *child;
	int r = scalar_child(c, n, key, &child, reterr);

	if (r == 0 && child)
		*ret = child->text;
	return r;
}

#define DEFINE_GETTER(suffix, type, parse, wanted)                                                 \
	int conf_get_##suffix(const struct conf *c, const struct conf_node *n, const char *key,    \
			      type *ret, struct error *reterr)                                     \
	{                                                                                          \
		const struct conf_node *child;                                                     \
		int r = scalar_child(c, n, key, &child, reterr);                                   \
                                                                                                   \
		if (r == 0 && child && parse(str_from(child->text), ret) < 0)                      \
			r = conf_error(c, child, reterr, "%s takes " wanted ", not \"%s\"", key,   \
				       child->text);                                               \
		return r;                                                                          \
	}

DEFINE_GETTER(double, double, num_parse_double, "a number")
DEFINE_GETTER(uint, uint64_t, num_parse_u64, "a whole number")
DEFINE_GETTER(duration, uint64_t, duration_parse, "a duration such as 10s or 1m30s")
DEFINE_GETTER(bytes, uint64_t, num_parse_bytes, "a size such as 512m or 1g")
