/*
 * json_path_selector.h - the components of a JSON path that make a value of their own: multipaths,
 * literals and modifiers. Inside of json_path.h.
 */
#ifndef ASSAY_LOAD_JSON_PATH_SELECTOR_H
#define ASSAY_LOAD_JSON_PATH_SELECTOR_H

#include "base/str.h"
#include "js/engine.h"

/* Length of the group that starts with a bracket at s.ptr[at], both brackets included; s.len - at
 * when it does not end. */
size_t load_json_group_length(struct str s, size_t at);

/* Length of the multipath, literal or modifier (with its argument) at the start of path; 0 when
 * there is none, and what is there is a name. */
size_t load_json_selector_length(struct str path);

/* What the selector that is the whole of text makes of v, which is taken over. */
JSValue load_json_select(JSContext *ctx, JSValue v, struct str text, unsigned depth);

/* A path from v, which is taken over; depth is that of walks inside of walks. */
JSValue load_json_walk(JSContext *ctx, JSValue v, struct str path, unsigned depth);

#endif
