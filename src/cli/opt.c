/*
 * Command-line words into a verb's own struct, driven by its table. Accepted: --name VALUE,
 * --name=VALUE, -n VALUE, -nVALUE, flags bundled as -qi, and -- to end options.
 */
#include "cli/verb.h"

#include <errno.h>

#include "base/duration.h"
#include "base/num.h"

static const struct opt *find_name(const struct verb *v, struct str name)
{
	for (const struct opt *o = v->opts; o && o->name; o++)
		if (str_eq_c(name, o->name))
			return o;
	return NULL;
}

static const struct opt *find_letter(const struct verb *v, char letter)
{
	for (const struct opt *o = v->opts; o && o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

static int unknown_option(const struct verb *v, const char *word, struct error *reterr)
{
	const char *names[64] = { 0 }, *near;
	size_t n = 0;

	for (const struct opt *o = v->opts; o && o->name && n < ARRAY_SIZE(names); o++)
		names[n++] = o->name;
	near = word[1] == '-' ? str_nearest(word + 2, names, n) : NULL;
	if (near)
		return error_set(reterr, -EINVAL, "no option %s; did you mean --%s?", word, near);
	return error_set(reterr, -EINVAL, "no option %s; see assay %s --help", word, v->name);
}

static void *slot(const struct verb_args *a, const struct opt *o)
{
	return (char *)a->opts + o->offset;
}

static void list_push(struct opt_list *list, const char *value)
{
	vec_push(list, value);
}

static int store_value(const struct opt *o, void *to, const char *text)
{
	struct str s = str_from(text);
	double v;
	int r;

	switch (o->kind) {
	case OPT_FLAG:
		if (text[0] && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
			return -EINVAL;
		*(bool *)to = strcmp(text, "false") != 0;
		return 0;
	case OPT_STRING:
	case OPT_MAYBE:
		*(const char **)to = text;
		return 0;
	case OPT_LIST:
		list_push(to, text);
		return 0;
	case OPT_UINT:
		return num_parse_u64(s, to);
	case OPT_DOUBLE:
		r = num_parse_double(s, &v);
		if (r == 0 && v < 0)
			r = -ERANGE;
		if (r == 0)
			*(double *)to = v;
		return r;
	case OPT_DURATION:
		return duration_parse(s, to);
	case OPT_BYTES:
		return num_parse_bytes(s, to);
	}
	return -EINVAL;
}

static int set_value(const struct opt *o, void *to, const char *text, struct error *reterr)
{
	static const char *const wanted[] = {
		[OPT_FLAG] = "no value, or =true or =false",
		[OPT_STRING] = "text",
		[OPT_LIST] = "text",
		[OPT_UINT] = "a whole number",
		[OPT_DOUBLE] = "a number that is not negative",
		[OPT_DURATION] = "a duration such as 30s, 1m30s or 200ms",
		[OPT_MAYBE] = "text",
		[OPT_BYTES] = "a size such as 512m or 1g",
	};
	int r = store_value(o, to, text);

	if (r == -ERANGE)
		return error_set(reterr, r, "--%s: \"%s\" is out of range; it takes %s", o->name,
				 text, wanted[o->kind]);
	if (r < 0)
		return error_set(reterr, r, "--%s takes %s, not \"%s\"", o->name, wanted[o->kind],
				 text);
	return 0;
}

/* One walk over the words; `at` is the word being read. */
struct parser {
	const struct verb *verb;
	struct verb_args *out;
	VEC(const char *) args;
	char **argv;
	int argc, at;
	bool help;
	struct error *reterr;
};

static int take_next(struct parser *p, const struct opt *o)
{
	if (p->at + 1 >= p->argc)
		return error_set(p->reterr, -EINVAL, "--%s needs a value: %s", o->name, o->value);
	return set_value(o, slot(p->out, o), p->argv[++p->at], p->reterr);
}

static int parse_long(struct parser *p, const char *word)
{
	struct str name = str_from(word + 2);
	size_t eq = str_find(name, '=');
	bool has_value = eq < name.len;
	const struct opt *o = find_name(p->verb, (struct str){ name.ptr, eq });

	if (str_eq_c(name, "help")) {
		p->help = true;
		return 0;
	}
	if (!o)
		return unknown_option(p->verb, word, p->reterr);
	if (has_value)
		return set_value(o, slot(p->out, o), name.ptr + eq + 1, p->reterr);
	if (o->kind == OPT_FLAG || o->kind == OPT_MAYBE)
		return set_value(o, slot(p->out, o), "", p->reterr);
	return take_next(p, o);
}

static int parse_letters(struct parser *p, const char *word)
{
	for (const char *c = word + 1; *c; c++) {
		const struct opt *o = find_letter(p->verb, *c);

		if (!o && *c == 'h') {
			p->help = true;
			return 0;
		}
		if (!o)
			return unknown_option(p->verb, word, p->reterr);
		if (o->kind == OPT_FLAG) {
			*(bool *)slot(p->out, o) = true;
			continue;
		}
		return c[1] ? set_value(o, slot(p->out, o), c + 1, p->reterr) : take_next(p, o);
	}
	return 0;
}

static void take_rest(struct parser *p)
{
	while (p->at < p->argc)
		vec_push(&p->args, p->argv[p->at++]);
}

static int parse_words(struct parser *p)
{
	for (p->at = 0; p->at < p->argc; p->at++) {
		const char *word = p->argv[p->at];
		int r = 0;

		if (!strcmp(word, "--")) {
			p->at++;
			take_rest(p);
			return 0;
		}
		if (!strncmp(word, "--", 2)) {
			r = parse_long(p, word);
		} else if (word[0] == '-' && word[1]) {
			r = parse_letters(p, word);
		} else if (p->verb->rest_is_command) {
			take_rest(p);
			return 0;
		} else {
			vec_push(&p->args, word);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int opt_parse(const struct verb *v, int argc, char **argv, struct verb_args *a, bool *ret_help,
	      struct error *reterr)
{
	struct parser p = { .verb = v, .out = a, .argv = argv, .argc = argc, .reterr = reterr };
	int r = parse_words(&p);

	vec_push(&p.args, NULL);
	a->args = p.args.ptr;
	a->n_args = p.args.len - 1;
	*ret_help = p.help;
	if (r < 0 || p.help)
		return r;
	if (a->n_args < v->min_args)
		return error_set(reterr, -EINVAL, "something is missing: assay %s %s", v->name,
				 v->usage);
	if (a->n_args > v->max_args)
		return error_set(reterr, -EINVAL, "\"%s\" is one argument too many: assay %s %s",
				 a->args[v->max_args], v->name, v->usage);
	return 0;
}

void opt_release(const struct verb *v, struct verb_args *a)
{
	for (const struct opt *o = v->opts; o && o->name; o++)
		if (o->kind == OPT_LIST)
			free(((struct opt_list *)slot(a, o))->ptr);
	free((void *)(uintptr_t)a->args);
	free(a->opts);
}
