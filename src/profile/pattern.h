/*
 * pattern.h - how people choose frames: PerfView's pattern language (its user's guide, "Stack
 * Viewer"). A pattern matches anywhere in a name, in any case:
 *
 *	*	any characters		^	the name's start
 *	%	letters, digits . ? _	|	or
 *	{...}	a part to be put into a group's name as $1, $2, ...
 *	@...	all of it is a POSIX extended regular expression
 *
 * Lists are parted by ';'. A group is "PATTERN->NAME" (the frame is called so) or "PATTERN=>NAME"
 * (all that lies below is called so, with the frame that led into it), and may begin with a comment
 * in brackets; an empty NAME leaves the frame as it is.
 */
#ifndef ASSAY_PROFILE_PATTERN_H
#define ASSAY_PROFILE_PATTERN_H

#include "base/error.h"
#include "base/strbuf.h"

struct pattern;

/* -EINVAL with what is wrong and where, from 1. */
int pattern_parse(struct str text, struct pattern **ret, struct error *reterr);
struct pattern *pattern_free(struct pattern *p); /* NULL in, NULL out */

bool pattern_matches(const struct pattern *p, const char *name);

/* Appends replacement with its $1 ... $9 filled from the match; false when there is none. */
bool pattern_replace(const struct pattern *p, const char *name, const char *replacement,
		     struct strbuf *out);

struct patterns {
	struct pattern **ptr;
	size_t len, cap;
};

/* Adds those of a list. */
int patterns_add(struct patterns *list, const char *text, struct error *reterr);
void patterns_release(struct patterns *list);
bool patterns_any(const struct patterns *list, const char *name);

struct pattern_group {
	struct pattern *pattern;
	char *name; /* "" = the frame stays as it is */
	bool entry; /* => */
};

struct pattern_groups {
	struct pattern_group *ptr;
	size_t len, cap;
};

int pattern_groups_add(struct pattern_groups *list, const char *text, struct error *reterr);
void pattern_groups_release(struct pattern_groups *list);

/* The first that matches; NULL when none does. Appends what it calls the frame. */
const struct pattern_group *pattern_groups_find(const struct pattern_groups *list, const char *name,
						struct strbuf *out);

#endif
