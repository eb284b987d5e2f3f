/*
 * json_path.h - selects a part of a JSON value by a path as res.json("store.books.#.title") takes
 * it. The syntax is that of gjson (github.com/tidwall/gjson, SYNTAX.md):
 *
 *	a.b.2		member, member, element
 *	a\.b		a dot that belongs to the name
 *	a.*.b  a.b?	first member that matches
 *	a.#		number of elements
 *	a.#.b		b of every element
 *	a|b		as a dot, but ends the "every" before it
 *	a.#(b>10).c	first element where ...; == != < <= > >= % !%
 *	a.#(b>10)#	all of them
 *	a.#(b=~true)	... is like true; ~false, ~null, ~* (is there)
 *	{a,"n":b.c}	an object of paths, named after their ends unless told
 *	[a,b.c]		an array of paths
 *	!"x"  !5  !true	the literal itself
 *	@reverse @keys @values @flatten @join @group @dig:b @this @valid @tostr @fromstr
 *
 * A word after '@' that is none of these (or @ugly, @pretty) is the name of a member.
 */
#ifndef ASSAY_LOAD_JSON_PATH_H
#define ASSAY_LOAD_JSON_PATH_H

#include "base/str.h"
#include "js/engine.h"

/* The selected value, undefined when there is none, or an exception. root stays the caller's. */
JSValue load_json_path(JSContext *ctx, JSValueConst root, struct str path);

/* Does text match a pattern of '*' and '?' ('\' takes the next character as it is)? */
bool load_json_path_like(struct str text, struct str pattern);

#endif
