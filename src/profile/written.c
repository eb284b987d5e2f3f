/*
 * Names that compilers make, as Roslyn makes them ("GeneratedNames" in dotnet/roslyn):
 *
 *	Type+<Method>d__4.MoveNext()	     the state machine of an async method or iterator;
 *					     <<Method>g__Local|4_0>d of what is within one
 *	Type+<>c.<Method>b__4_0()	     a lambda without captures; <>c__DisplayClass4_0 with
 *some Type.<Method>g__Local|4_0()	     a local function
 */
#include <string.h>

#include "base/strbuf.h"
#include "profile/profile.h"

/* Cuts "<Name>" off the front of *s. */
static bool take_angle(struct str *s, struct str *ret)
{
	unsigned depth = 0;

	if (!s->len || *s->ptr != '<')
		return false;
	for (size_t i = 0; i < s->len; i++) {
		depth += s->ptr[i] == '<';
		depth -= s->ptr[i] == '>';
		if (depth)
			continue;
		*ret = (struct str){ s->ptr + 1, i - 1 };
		*s = (struct str){ s->ptr + i + 1, s->len - i - 1 };
		return true;
	}
	return false;
}

/* The part that ends before the arguments, and they. */
static void split_arguments(struct str name, struct str *ret_path, struct str *ret_arguments)
{
	size_t at = str_find(name, '(');

	*ret_path = (struct str){ name.ptr, at };
	*ret_arguments = (struct str){ name.ptr + at, name.len - at };
}

/* Where the last part of a path begins: behind a '.' that is not within <>. */
static size_t last_part(struct str path)
{
	size_t at = 0;
	unsigned depth = 0;

	for (size_t i = 0; i < path.len; i++) {
		depth += path.ptr[i] == '<';
		depth -= path.ptr[i] == '>' && depth;
		if (!depth && path.ptr[i] == '.' && i + 1 < path.len)
			at = i + 1;
	}
	return at;
}

/* "Ns.Type+<Method>d__4" -> its method; owner becomes "Ns.Type". */
static bool split_machine(struct str owner, struct str *ret_owner, struct str *ret_method)
{
	for (size_t i = owner.len; i-- > 0;) {
		struct str rest = { owner.ptr + i, owner.len - i };

		if (owner.ptr[i] != '<' || !take_angle(&rest, ret_method) || !ret_method->len)
			continue;
		if (str_starts_with(rest, STR("g__")) || str_starts_with(rest, STR("b__")))
			continue; /* within the angles of what is looked for */
		if (!str_starts_with(rest, STR("d__")) && !str_eq(rest, STR("d")) &&
		    !str_starts_with(rest, STR("d`")))
			return false;
		*ret_owner = (struct str){ owner.ptr, i ? i - 1 : 0 };
		return true;
	}
	return false;
}

/* Without the classes that lambdas are put into: "Ns.Type+<>c__DisplayClass4_0" -> "Ns.Type". */
static struct str without_closure(struct str owner)
{
	for (size_t i = 0; i + 2 < owner.len; i++)
		if (!memcmp(owner.ptr + i, "<>c", 3))
			return (struct str){ owner.ptr, i ? i - 1 : 0 };
	return owner;
}

static bool add_nested(struct strbuf *out, struct str owner, struct str part, struct str arguments)
{
	struct str method, rest = part;
	const char *dot;

	if (!take_angle(&rest, &method) || !method.len)
		return false;
	owner = without_closure(owner);
	dot = owner.len ? "." : "";
	if (str_starts_with(rest, STR("b__"))) {
		strbuf_addf(out, "%.*s%s%.*s%.*s lambda", STR_FMT(owner), dot, STR_FMT(method),
			    STR_FMT(arguments));
		return true;
	}
	if (!str_starts_with(rest, STR("g__")))
		return false;
	rest = (struct str){ rest.ptr + 3, rest.len - 3 };
	rest.len = str_find(rest, '|');
	strbuf_addf(out, "%.*s%s%.*s.%.*s%.*s", STR_FMT(owner), dot, STR_FMT(method), STR_FMT(rest),
		    STR_FMT(arguments));
	return true;
}

static bool add_machine(struct strbuf *out, struct str owner, struct str part)
{
	struct str type, method;

	if (!str_eq(part, STR("MoveNext")) || !split_machine(owner, &type, &method))
		return false;
	if (*method.ptr == '<' && add_nested(out, type, method, STR("()"))) {
		strbuf_addstr(out, " async");
		return true;
	}
	type = without_closure(type);
	strbuf_addf(out, "%.*s%s%.*s() async", STR_FMT(type), type.len ? "." : "", STR_FMT(method));
	return true;
}

void profile_written_name(struct strbuf *out, const char *name, bool brief)
{
	struct str path, arguments, owner, part;
	size_t at;

	split_arguments(str_from(name), &path, &arguments);
	if (brief && arguments.len)
		arguments = STR("()");
	at = last_part(path);
	owner = (struct str){ path.ptr, at ? at - 1 : 0 };
	part = (struct str){ path.ptr + at, path.len - at };
	if (add_machine(out, owner, part) || add_nested(out, owner, part, arguments))
		return;
	strbuf_add(out, path.ptr, path.len);
	strbuf_add(out, arguments.ptr, arguments.len);
}
