#include "experiment/vars.h"

#include <errno.h>
#include <stdlib.h>

void vars_release(struct vars *v)
{
	map_for_each (&v->values, e)
		free(e->value);
	map_release(&v->values);
}

void vars_set(struct vars *v, const char *name, const char *value)
{
	free(map_put(&v->values, str_from(name), xstrdup(value)));
}

void vars_setf(struct vars *v, const char *name, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&value, fmt, ap);
	va_end(ap);
	vars_set(v, name, strbuf_cstr(&value));
}

const char *vars_get(const struct vars *v, const char *name)
{
	return map_get_c(&v->values, name);
}

static int unknown_name(const struct vars *v, struct str name, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf known = STRBUF_INIT;

	map_for_each (&v->values, e)
		strbuf_addf(&known, "%s%s", known.len ? ", " : "", e->key);
	return error_set(reterr, -EINVAL, "${%.*s} is not defined here; there is %s", STR_FMT(name),
			 known.len ? strbuf_cstr(&known) : "nothing");
}

/* One placeholder at *text, which begins with "${"; moves *text past it. */
static int expand_one(const struct vars *v, const char **text, struct strbuf *ret,
		      struct error *reterr)
{
	const char *end = strchr(*text, '}');
	struct str name;
	const char *value;

	if (!end)
		return error_set(reterr, -EINVAL, "\"%s\" has no closing }", *text);
	name = (struct str){ *text + 2, (size_t)(end - *text - 2) };
	value = map_get(&v->values, name);
	if (!value)
		return unknown_name(v, name, reterr);
	strbuf_addstr(ret, value);
	*text = end + 1;
	return 0;
}

int vars_expand(const struct vars *v, const char *text, struct strbuf *ret, struct error *reterr)
{
	while (*text) {
		int r = 0;

		if (!strncmp(text, "$${", 3)) {
			strbuf_addstr(ret, "${");
			text += 3;
		} else if (!strncmp(text, "${", 2)) {
			r = expand_one(v, &text, ret, reterr);
		} else {
			strbuf_addch(ret, *text++);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int vars_expand_dup(const struct vars *v, const char *text, char **ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	int r = vars_expand(v, text, &out, reterr);

	if (r == 0)
		*ret = strbuf_detach(&out);
	return r;
}
