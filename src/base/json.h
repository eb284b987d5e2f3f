/*
 * json.h - writes JSON into a strbuf, minding commas, escapes and (optionally) indentation. Objects
 * and arrays nest up to JSON_DEPTH_MAX. Text that is not valid UTF-8 has its bad bytes replaced by
 * U+FFFD, and a number that is not finite becomes null, so that what comes out is always valid.
 * Reading is jansson's: it reports line and column. No name here may be one of jansson's, which has
 * the same prefix: both are linked into one program.
 *
 *	struct json_writer w;
 *	json_init(&w, &sb, JSON_INDENT);
 *	json_object_begin(&w, NULL);
 *	json_cstr(&w, "verdict", "met");
 *	json_object_end(&w);
 */
#ifndef ASSAY_BASE_JSON_H
#define ASSAY_BASE_JSON_H

#include "base/strbuf.h"

#define JSON_DEPTH_MAX 32

enum json_style { JSON_COMPACT, JSON_INDENT };

struct json_writer {
	struct strbuf *out; /* borrowed */
	enum json_style style;
	unsigned depth;
	bool has_items[JSON_DEPTH_MAX];
};

void json_init(struct json_writer *w, struct strbuf *out, enum json_style style);

/* key is NULL inside arrays and for the outermost value. */
void json_object_begin(struct json_writer *w, const char *key);
void json_object_end(struct json_writer *w);
void json_array_begin(struct json_writer *w, const char *key);
void json_array_end(struct json_writer *w);
void json_cstr(struct json_writer *w, const char *key, const char *value); /* NULL = null */
void json_str(struct json_writer *w, const char *key, struct str value);
void json_int(struct json_writer *w, const char *key, int64_t value);
void json_uint(struct json_writer *w, const char *key, uint64_t value);
void json_double(struct json_writer *w, const char *key,
		 double value); /* shortest that reads back */
void json_bool(struct json_writer *w, const char *key, bool value);
void json_none(struct json_writer *w, const char *key);

/* A value that is JSON text already; the caller vouches for it. */
void json_raw(struct json_writer *w, const char *key, struct str text);

/* Appends s quoted and escaped. */
void json_add_quoted(struct strbuf *sb, struct str s);

/* Appends the shortest decimal form that reads back as v; "null" when v is not finite. */
void json_add_double(struct strbuf *sb, double v);

#endif
